"""What every reading part of the store builds on. No SQL of its own but the filter for detached hosts."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from contextlib import AbstractContextManager

from .transaction import Transaction


class Reading:
    """The door to the file that `Store` provides."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """This thread's connection, with SQLite's errors in plain words."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection in a write transaction: the open one, or a short one of its own."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Transaction]:
        """One write transaction."""


def attached(conn: sqlite3.Connection, alias: str = "entries") -> str:
    """The condition that leaves out entries of a detached host; "1" while there is none, so that indexes cover.

    Args:
        conn: the connection.
        alias: the name of the table that has the `host` column.
    """
    if not conn.execute("SELECT EXISTS (SELECT 1 FROM hosts WHERE state = 'detached')").fetchone()[0]:
        return "1"
    return f"({alias}.host IS NULL OR {alias}.host NOT IN (SELECT host_id FROM hosts WHERE state = 'detached'))"
