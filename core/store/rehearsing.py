"""Trying a write without doing it: a transaction that is always rolled back (what a reviewer is shown, DESIGN 4)."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import StoreUnusable
from ..events import Clock
from . import opening
from .projection import Projection
from .reading import Reading
from .transaction import Transaction


class Rehearsal:
    """A write that is tried.

    Attributes:
        tx: writes go here, and every read of the store by this thread sees them, until `take_back`.
    """

    def __init__(self, conn: sqlite3.Connection, local: Any, tx: Transaction) -> None:
        self.tx = tx
        self._conn = conn
        self._local = local

    def take_back(self) -> None:
        """Undo what was tried: reads see again what stood when the rehearsal began."""
        self._local.tx = None
        self._conn.execute("ROLLBACK TO rehearsal")


class Rehearsing(Reading):
    """The store's side of it."""

    clock: Clock
    path: Path
    read_only: bool
    _local: Any

    @abstractmethod
    def _connection(self) -> sqlite3.Connection:
        """This thread's connection."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """The id of this machine's copy."""

    @property
    @abstractmethod
    def wait_ms(self) -> int:
        """How long a write waits for another process, milliseconds."""

    @contextmanager
    def rehearsal(self, *, wait_ms: int) -> Iterator[Rehearsal]:
        """A write transaction that never commits: nothing of it reaches the file, another process or thread.

        Others that want to write wait until it ends, so what it does should be short.

        Args:
            wait_ms: how long to wait for somebody else who writes, milliseconds.

        Raises:
            StoreLocked: somebody else wrote for longer than that. StoreUnusable: the store is read-only.
            RuntimeError: this thread has a transaction open already.
        """
        if getattr(self._local, "tx", None) is not None:
            raise RuntimeError("this thread has a transaction open already")
        if self.read_only:
            raise StoreUnusable(f"The store {self.path} was opened read-only.", "", path=str(self.path))
        with opening.plainly(self.path, wait_ms):
            conn = self._connection()
            conn.execute(f"PRAGMA busy_timeout = {int(wait_ms)}")
            try:
                conn.execute("BEGIN IMMEDIATE")
            finally:
                conn.execute(f"PRAGMA busy_timeout = {self.wait_ms}")
            tx = Transaction(conn, Projection(conn), self.clock, self.origin)
            self._local.tx = tx
            try:
                conn.execute("SAVEPOINT rehearsal")
                yield Rehearsal(conn, self._local, tx)
            finally:
                self._local.tx = None
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
