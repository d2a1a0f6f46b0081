"""The store as it was at a moment: a copy in memory, cut back to what had happened by then, that nobody can write.

The copy never touches the disk, so an erase need not look for it. Its projection is brought back by the same code that
keeps the live one in step, so every reading works on it as on the store itself (DESIGN 3.3, 3.5).
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ..errors import StoreUnusable
from ..events import Event, parse_line
from ..moments import Moment
from ..search_text import search_text
from . import opening
from .projection import Projection
from .store import Store
from .transaction import Transaction

_NUMBERS: Final = itertools.count(1)
#: What only the present knows: how often something was read, what still has to reach a host.
_LOCAL: Final = ("counters", "host_pending")


class PastStore(Store):
    """See `open_past`."""

    def __init__(self, store: Store, moment: Moment) -> None:
        super().__init__(store.folder, store.clock, read_only=True, wait_ms=store.wait_ms)
        self.moment = moment
        self.journal = store.journal
        self._origin = store.origin
        # One copy for the connections of every thread. (SQLite's memdb cannot open what was copied from a WAL file.)
        self._name = f"file:memdesk-past-{os.getpid()}-{next(_NUMBERS)}?mode=memory&cache=shared"

    def _connect(self) -> sqlite3.Connection:
        conn = sqlite3.connect(self._name, uri=True, isolation_level=None, check_same_thread=False)
        conn.create_function("search_text", 1, search_text, deterministic=True)
        conn.execute("PRAGMA temp_store = MEMORY")
        with self._lock:
            self._open_connections.append(conn)
        return conn

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Refuse: the past cannot be changed.

        Raises:
            StoreUnusable: always (`past_read_only`).
        """
        self._refuse()
        with super().transaction() as tx:
            yield tx

    def _refuse(self) -> None:
        raise StoreUnusable(
            "This is the memory as it was; nothing can be changed there.", "Go back to now first.",
            code="past_read_only",
        )  # fmt: skip

    def fill(self, source: sqlite3.Connection) -> None:
        """Copy the present store and take out what came after the moment."""
        conn = self._connection()
        source.backup(conn)
        later = self._later(conn)
        conn.execute("BEGIN")
        conn.execute("DROP TRIGGER events_are_kept")
        conn.executemany("DELETE FROM events WHERE event_id = ?", [(e.event_id,) for e in later])
        conn.execute("DELETE FROM outvoted WHERE seq NOT IN (SELECT seq FROM events)")
        for table in _LOCAL:
            conn.execute(f"DELETE FROM {table}")
        projection = Projection(conn)
        projection.note(later)
        projection.flush()
        conn.execute("COMMIT")

    def _later(self, conn: sqlite3.Connection) -> list[Event]:
        """The events that had not happened by then; every one of them has a larger id."""
        rows = conn.execute("SELECT line FROM events WHERE event_id > ?", (self.moment.floor,)).fetchall()
        return [event for event in (parse_line(line) for (line,) in rows) if not self.moment.admits(event)]


def open_past(store: Store, moment: Moment) -> PastStore:
    """The store as it was at a moment; close it when done.

    Costs a copy of the file in memory, and folding again what changed since.

    Raises:
        StoreUnusable, StoreLocked: the store cannot be read.
    """
    past = PastStore(store, moment)
    try:
        with opening.plainly(store.path, store.wait_ms):
            past.fill(store.db)
    except BaseException:
        past.close()
        raise
    return past
