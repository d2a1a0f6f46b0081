"""THE store: the log and its projection in one SQLite file (DESIGN 3).

`Store` opens the file, lends each thread its connection, and runs write transactions. What it reads is in the
modules beside this one, as mixins over `Reading`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Self

from ..errors import StoreUnusable
from ..events import Clock
from ..schema import VERSION, version_of
from . import opening
from .checking import Checking
from .episodes import EpisodeShelf
from .erasing import Erasing
from .listing import Listing
from .lookup import Lookup
from .pairs import KeptTexts
from .projection import Projection
from .provenance import Provenance
from .receiving import Receiving
from .rehearsing import Rehearsing
from .searching import Searching
from .transaction import Transaction
from .waits import Waiting
from .wiring import Wiring

WAIT_MS: Final = 5000


class Store(
    Lookup, Wiring, Listing, Searching, Waiting, Provenance, Receiving, Erasing, Checking, EpisodeShelf,
    KeptTexts, Rehearsing,
):
    """The shared store. Safe to use from several threads and several processes at once.

    Attributes:
        folder: the folder of the file and of drafts.
        path: the file.
        clock: mints ids and tells the time.
        journal: "wal", or "delete" on a network mount.
        notes: plain sentences about how it was opened, such as a network mount.
    """

    def __init__(
        self, folder: Path, clock: Clock, *, read_only: bool, wait_ms: int, at_rest: bool = False
    ) -> None:
        self.folder = folder
        self.path = folder / opening.FILE_NAME
        self.clock = clock
        self.read_only = read_only
        self._at_rest = at_rest
        self.journal = "wal"
        self.notes: list[str] = []
        self._wait_ms = wait_ms
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open_connections: list[sqlite3.Connection] = []
        self._watch: sqlite3.Connection | None = None
        self._origin: str | None = None
        self._closed = False

    @classmethod
    def open(
        cls, folder: Path, *, clock: Clock | None = None, read_only: bool = False, wait_ms: int = WAIT_MS,
        at_rest: bool = False,
    ) -> Store:  # fmt: skip
        """Open the store of `folder`, making it where there is none.

        Args:
            folder: holds memdesk.db; made with mode 0700 if missing.
            clock: the wall clock and randomness; the system's by default.
            read_only: never write; the file must exist.
            at_rest: read-only, and nobody has it open (`opening.at_rest`): then no file is put beside it either.
            wait_ms: how long a write waits for another process, milliseconds.

        Raises:
            StoreUnusable: foreign, damaged, newer, read-only, not a database, or the disk is full.
            StoreLocked: another process kept it locked past the wait.
        """
        store = cls(Path(folder), clock or Clock(), read_only=read_only, wait_ms=wait_ms, at_rest=at_rest)
        try:
            store._prepare()
        except BaseException:
            store.close()
            raise
        return store

    def _prepare(self) -> None:
        if self.read_only:
            self._check_read_only()
            return
        opening.make_place(self.folder)
        network = opening.network_mount(self.path)
        conn, self.journal = opening.prepare(self.path, wait_ms=self._wait_ms, network=network)
        self._local.conn = conn
        self._open_connections.append(conn)
        if network:
            self.notes.append(
                f"The store lies on a network mount ({network}): it uses a rollback journal, and only one machine "
                "at a time should write to it."
            )
        elif self.journal != "wal":
            self.notes.append(f"The store uses a {self.journal} journal: WAL could not be switched on.")
        self._read_origin()

    def _check_read_only(self) -> None:
        if not self.path.is_file():
            raise StoreUnusable(f"There is no store at {self.path}.", "Check MEMDESK_HOME.", path=str(self.path))
        with self._reading() as conn:
            opening.check_identity(conn, self.path)
            self.journal = str(conn.execute("PRAGMA journal_mode").fetchone()[0])
            if version_of(conn) < VERSION:
                raise StoreUnusable(
                    f"{self.path} was written by an older memdesk and cannot be brought up to date read-only.",
                    "Open it once for writing.", path=str(self.path),
                )  # fmt: skip
            row = conn.execute("SELECT value FROM meta WHERE key = 'origin'").fetchone()
            self._origin = row[0] if row else ""

    def _read_origin(self) -> None:
        """The id of this machine's copy, made once: `d_` + ULID."""
        with opening.plainly(self.path, self._wait_ms):
            conn = self._connection()
            row = conn.execute("SELECT value FROM meta WHERE key = 'origin'").fetchone()
            if row is None:
                origin = "d_" + self.clock.mint(None).ulid()
                conn.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('origin', ?)", (origin,))
                row = conn.execute("SELECT value FROM meta WHERE key = 'origin'").fetchone()
            self._origin = row[0]

    def close(self) -> None:
        """Close every connection of every thread; the store cannot be used afterwards."""
        self._closed = True
        with self._lock:
            connections, self._open_connections = self._open_connections, []
            self._watch = None
        for conn in connections:
            conn.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def wait_ms(self) -> int:
        """How long a write waits for another process, milliseconds."""
        return self._wait_ms

    @property
    def origin(self) -> str:
        """The id of this machine's copy of the memory, `d_` + ULID."""
        return self._origin or ""

    @property
    def drafts(self) -> Path:
        """The folder for drafts, made on first use (0700)."""
        folder = self.folder / "drafts"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    # -- connections ----------------------------------------------------------------------------------------------

    @property
    def db(self) -> sqlite3.Connection:
        """This thread's connection, for reads of the bookkeeping tables."""
        self._flush()
        return self._connection()

    def _connection(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnusable("The store is closed.", "Open it again.", path=str(self.path))
        conn: sqlite3.Connection | None = getattr(self._local, "conn", None)
        if conn is None:
            conn = self._connect()
            self._local.conn = conn
        return conn

    def _connect(self) -> sqlite3.Connection:
        conn = opening.connect(
            self.path, read_only=self.read_only, wait_ms=self._wait_ms, at_rest=self._at_rest
        )
        with self._lock:
            self._open_connections.append(conn)
        return conn

    def _flush(self) -> None:
        tx: Transaction | None = getattr(self._local, "tx", None)
        if tx is not None:
            tx.flush()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection for reading; the thread's open transaction shows what it has written."""
        with opening.plainly(self.path, self._wait_ms):
            self._flush()
            yield self._connection()

    def data_version(self) -> int:
        """A number that changes when anybody wrote: other processes, other threads, and this one."""
        with self._lock:
            watch = self._watch
        if watch is None:
            with opening.plainly(self.path, self._wait_ms):
                watch = self._connect()
            with self._lock:
                self._watch = watch
        with self._lock, opening.plainly(self.path, self._wait_ms):
            return int(watch.execute("PRAGMA data_version").fetchone()[0])

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection for bookkeeping: inside the thread's open transaction, else in a short one of its own."""
        tx: Transaction | None = getattr(self._local, "tx", None)
        if tx is not None:
            yield tx.db
            return
        with self.transaction() as own:
            yield own.db

    # -- writing --------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """One write transaction: BEGIN IMMEDIATE, everything or nothing, the projection in step at the end.

        Raises:
            StoreLocked: another process held the write lock past the bounded wait; nothing was written.
            StoreUnusable: read-only, damaged, or the disk is full; nothing was written.
            RuntimeError: this thread has a transaction open already.
        """
        if getattr(self._local, "tx", None) is not None:
            raise RuntimeError("this thread has a transaction open already")
        with opening.plainly(self.path, self._wait_ms):
            conn = self._connection()
            if self.read_only:
                raise StoreUnusable(f"The store {self.path} was opened read-only.", "", path=str(self.path))
            conn.execute("BEGIN IMMEDIATE")
            tx = Transaction(conn, Projection(conn), self.clock, self.origin)
            self._local.tx = tx
            try:
                yield tx
                tx.flush()
                conn.execute("COMMIT")
            except BaseException:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                raise
            finally:
                self._local.tx = None
