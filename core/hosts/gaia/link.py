"""A Gaia database in place: the host that pulls, pushes and answers for itself (DESIGN 7, gaia/SPEC)."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...errors import HostError
from ...model import Entry
from ..asking import Decided, Handoff, Pending
from ..books import DETACHED, Books, HostRecord
from ..host import Episode, HostInfo, Pulled, Pushed
from . import approvals, database, episodes, holding
from .database import Shape
from .pulling import LINKS, MEMORY, Pull
from .pushing import book, plan, send
from .reading import read_all, read_rows
from .shadow import Shadow, dump_key, load_shadow

if TYPE_CHECKING:
    from ...store import Store

KIND: Final = "gaia"
#: A file that changed this short a time before it was read may change again within the same clock tick.
_RACY_NS: Final = 2_000_000_000
#: The mark of what is pushed follows the log without any push when it lags this many events behind.
_LAG: Final = 2000


class GaiaLink:
    """One attached Gaia database.

    Args:
        wait_ms: how long a push waits for another writer, milliseconds.
    """

    def __init__(self, store: Store, host_id: str, path: Path, *, wait_ms: int = 5000) -> None:
        self.host_id = host_id
        self.path = path
        self._store = store
        self._wait_ms = wait_ms

    # -- what it is -------------------------------------------------------------------------------------------------

    def _books(self) -> Books:
        return Books(self._store.db, self.host_id)

    def _record(self) -> HostRecord | None:
        return self._books().record()

    def shape(self) -> Shape:
        """Look at the file.

        Raises:
            HostError: away, locked, or no Gaia database.
        """
        with database.reading(self.path, wait_ms=self._wait_ms) as db:
            return self._checked(database.shape_of(db, self.path))

    def _checked(self, shape: Shape) -> Shape:
        if database.host_id_of(self.path, shape.born) != self.host_id:
            raise HostError(
                f"{self.path} holds another Gaia database now.",
                "Detach this host, then attach the new database.", code="host_away", path=str(self.path),
            )  # fmt: skip
        return shape

    def info(self) -> HostInfo:
        """As `memdesk hosts` lists it; an unreachable host is shown with what is known of it."""
        record = self._record()
        if record is None:
            return HostInfo(self.host_id, KIND, str(self.path), DETACHED, None, None)
        waiting, error = self._waiting()
        shown = HostInfo(
            self.host_id, KIND, record.path, record.state, record.attached_at, record.last_pull_at,
            record.detail.get("schema"), record.detail.get("read_only") or "", waiting, error,
        )  # fmt: skip
        if record.state == DETACHED:
            return shown
        from dataclasses import replace

        try:
            shape = self.shape()
        except HostError as failure:
            return replace(shown, state="away", problem=failure.message)
        return replace(shown, schema=shape.version, read_only=shape.read_only)

    def _waiting(self) -> tuple[tuple[str, ...], str]:
        books = self._books()
        pending = books.pending()
        ids = dict.fromkeys([p.entry_id for p in pending])
        if self._untold(books):
            now = self._store.clock.mint(None).timestamp
            made = plan(self._store, books, self._untold(books), now)
            ids |= dict.fromkeys([*(t.entry_id for t in made.rows), *(e.key[0] for e in made.edges)])
        return self._refs(ids), pending[0].error if pending else ""

    def _refs(self, entry_ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(e.ref for i in entry_ids if (e := self._store.entry(i)) is not None)

    def _untold(self, books: Books) -> set[str]:
        """Entries of this host that events since the last push touched."""
        record = books.record()
        mark = int(record.detail.get("seq", 0)) if record else 0
        return books.entries_here(books.touched_since(mark))

    # -- pull -------------------------------------------------------------------------------------------------------

    def pull(self, *, force: bool = False, verb: str = "pull") -> Pulled:
        """Turn what changed on the host into events, in one transaction.

        Raises:
            HostError: away, locked, or `host_mass_delete` (then nothing is pulled).
        """
        with self._store.transaction() as tx:
            books = Books(tx.db, self.host_id)
            record = books.record()
            after = int(record.detail.get("hist", 0)) if record else 0
            looked = time.time_ns()
            seen = database.signature(self.path)
            with database.reading(self.path, wait_ms=min(self._wait_ms, 1000)) as db:
                shape = self._checked(database.shape_of(db, self.path))
                snapshot = read_all(db, shape, after=after)
            summary = f"{'Attached' if verb == 'attach' else 'Pulled from'} Gaia at {self.path}"
            if books.aliased():
                books.follow_aliases(LINKS)
            job = Pull(self._store, tx, books, snapshot, verb=verb, summary=summary, after=after)
            job.everything(force=force)
            settled = max(seen[1], seen[3]) < looked - _RACY_NS
            books.detail(
                hist=snapshot.last_history, schema=shape.version, read_only=shape.read_only,
                signature=seen if settled else None,
            )  # fmt: skip
            books.pulled(tx.timestamp)
        gone = sum(1 for row in snapshot.rows.values() if row.values["deleted_at"] is not None)
        return Pulled(
            self.host_id, str(self.path), job.began, len(snapshot.rows), gone, len(snapshot.links),
            tuple(job.dangling), snapshot.history_count, job.versions, job.created, job.changed, job.deleted,
            job.linked, job.unlinked, tuple(job.findings), shape.read_only,
        )  # fmt: skip

    def changed_outside(self) -> bool:
        """Whether the host may hold something new: a stat of its files, no read."""
        record = self._record()
        known = record.detail.get("signature") if record else None
        return known != database.signature(self.path)

    def before_write(self, entries: Sequence[Entry]) -> None:
        """Pull the rows behind these entries.

        Raises:
            HostError: `host_read_only`. A host that is away or locked passes: the change is pushed later.
        """
        self._follow_aliases()
        shadows = [load_shadow(*row) for row in self._books().shadows_of(MEMORY, [e.id for e in entries])]
        self._refresh([s for s in shadows if not s.gone])

    def before_create(self, workspace: str, name: str) -> None:
        """Pull when the host has got a row of this name that memdesk does not know."""
        key = (workspace, name)
        if self._books().shadow_at(MEMORY, dump_key(key)) is not None:
            self._refresh([])
            return
        try:
            with database.reading(self.path, wait_ms=self._wait_ms) as db:
                shape = self._checked(database.shape_of(db, self.path))
                found = read_rows(db, shape, [key]).rows
        except HostError:
            return
        self._writable(shape)
        if found:
            self.pull()

    def _refresh(self, shadows: Sequence[Shadow]) -> None:
        try:
            with database.reading(self.path, wait_ms=self._wait_ms) as db:
                shape = self._checked(database.shape_of(db, self.path))
                rows = read_rows(db, shape, [s.key for s in shadows]).rows
        except HostError:
            return
        self._writable(shape)
        if all((row := rows.get(s.key)) is not None and not s.differing(row.values) for s in shadows):
            return
        if not self._pull_some([s.entry_id for s in shadows]):
            self.pull()

    def _pull_some(self, entry_ids: Sequence[str]) -> bool:
        with self._store.transaction() as tx:
            books = Books(tx.db, self.host_id)
            record = books.record()
            after = int(record.detail.get("hist", 0)) if record else 0
            found = [load_shadow(*row) for row in books.shadows_of(MEMORY, entry_ids)]
            shadows = [s for s in found if not s.gone]
            with database.reading(self.path, wait_ms=min(self._wait_ms, 1000)) as db:
                shape = self._checked(database.shape_of(db, self.path))
                snapshot = read_rows(db, shape, [s.key for s in shadows], after=after)
            job = Pull(
                self._store, tx, books, snapshot, verb="pull", summary=f"Pulled from Gaia at {self.path}", after=after
            )
            return job.some(shadows)

    def _writable(self, shape: Shape) -> None:
        if shape.read_only:
            raise HostError(
                f"The Gaia database {self.path} is read-only here: {shape.read_only}.",
                "Nothing was written. Change the entry in Gaia itself, or update memdesk.",
                code="host_read_only", path=str(self.path), schema=shape.version,
            )  # fmt: skip

    # -- push -------------------------------------------------------------------------------------------------------

    def push(self) -> Pushed:
        """Send what the host does not hold yet; a host that is locked or away keeps it waiting, without an error."""
        self._follow_aliases()
        books = self._books()
        pending = [p.entry_id for p in books.pending()]
        upto = books.last_seq()
        wanted = books.entries_here(pending) | self._untold(books)
        if not wanted:
            self._follow_log(upto)
            return Pushed(self.host_id, str(self.path))
        now = holding.whole_seconds(self._store.clock.mint(None).timestamp)
        made = plan(self._store, books, wanted, now)
        reason = ""
        if not made.empty:
            try:
                with database.writing(self.path, wait_ms=self._wait_ms) as db:
                    shape = self._checked(database.shape_of(db, self.path))
                    self._writable(shape)
                    send(db, shape, made)
            except HostError as failure:
                reason = failure.message
        with self._store.transaction() as tx:
            books = Books(tx.db, self.host_id)
            if reason:
                books.arrived(made.settled)
                for task in made.rows:
                    books.wait(task.entry_id, sorted(task.wanted or task.whole), now, reason)
                for edge in made.edges:
                    books.wait(edge.key[0], ["edges"], now, reason)
            else:
                book(books, made, now)
            books.detail(seq=upto)
        return self._outcome(made, reason)

    def _follow_aliases(self) -> None:
        if self._books().aliased():
            with self._store.transaction() as tx:
                Books(tx.db, self.host_id).follow_aliases(LINKS)

    def _outcome(self, made: Any, reason: str) -> Pushed:
        waiting = self._books().pending()
        sent = [] if reason else [t.ref for t in made.rows if not t.left]
        why = reason or next((p.error for p in waiting), "")
        return Pushed(
            self.host_id, str(self.path), tuple(sent), self._refs(p.entry_id for p in waiting), why,
            tuple(made.warnings),
        )  # fmt: skip

    def _follow_log(self, upto: int) -> None:
        """Events that concern no entry here need no second look; noted now and then, not with every write."""
        record = self._record()
        if record is not None and upto - int(record.detail.get("seq", 0)) > _LAG:
            with self._store.transaction() as tx:
                Books(tx.db, self.host_id).detail(seq=upto)

    # -- what it can hold ---------------------------------------------------------------------------------------------

    def cannot_hold(self, fields: Mapping[str, Any]) -> list[str]:
        """What Gaia has no place for, as sentences."""
        return holding.cannot_hold(fields)

    def cannot_hold_edge(self, a: Entry, kind: str, b: Entry) -> list[str]:
        """The same for an edge from `a` to `b`."""
        if a.host != b.host:
            other = b if a.host == self.host_id else a
            return [f"{other.shown_name} does not live in this Gaia database: the edge is kept in memdesk only."]
        return holding.cannot_hold_edge(
            kind, source=a.shown_name, target=b.shown_name, same_workspace=a.workspace == b.workspace
        )

    def can_hold_type(self, type_: str) -> bool:
        """Whether a new entry of this type can live there."""
        return type_ in holding.TYPES

    def require_writable(self) -> None:
        """Refuse when the database is of a schema that memdesk must not write; one that is away passes.

        Raises:
            HostError: `host_read_only`.
        """
        try:
            shape = self.shape()
        except HostError:
            return
        self._writable(shape)

    def workspaces(self) -> Collection[str]:
        """The workspaces it had when last pulled."""
        sql = "SELECT name FROM workspaces WHERE host = ?"
        return {name for (name,) in self._store.db.execute(sql, (self.host_id,))}

    def holds_row(self, entry: Entry) -> bool:
        """Whether the entry's row is still in the file; an unreachable file counts as holding it."""
        shadows = [load_shadow(*row) for row in self._books().shadows_of(MEMORY, [entry.id])]
        if not shadows:
            return False
        try:
            with database.reading(self.path, wait_ms=self._wait_ms) as db:
                shape = database.shape_of(db, self.path)
                return bool(read_rows(db, shape, [s.key for s in shadows if not s.gone]).rows)
        except HostError:
            return True

    def forget(self, entry: Entry) -> None:
        """Drop what the bookkeeping knows of an entry whose row is gone: it is about to be erased."""
        with self._store.transaction() as tx:
            books = Books(tx.db, self.host_id)
            for table in (MEMORY, LINKS):
                books.drop_shadows(table, [key for key, _, _ in books.shadows_of(table, [entry.id])])
            books.drop_shadows(LINKS, [key for key, _, _ in books.shadows_like(LINKS, entry.id)])
            books.arrived([entry.id])

    # -- episodes -----------------------------------------------------------------------------------------------------

    def episodes(self, *, workspace: str | None = None, text: str | None = None, limit: int = 20) -> list[Episode]:
        """Its newest episodes, or those that fit the text, best first."""
        with database.reading(self.path, wait_ms=self._wait_ms) as db:
            shape = database.shape_of(db, self.path)
            if text is None:
                return episodes.newest(db, shape, workspace=workspace, limit=limit)
            return episodes.search(db, shape, text, workspace=workspace, limit=limit)

    def episode(self, episode_id: str) -> Episode | None:
        """One episode, by id or a unique beginning of it."""
        with database.reading(self.path, wait_ms=self._wait_ms) as db:
            return episodes.one(db, database.shape_of(db, self.path), episode_id)

    # -- what agents ask for there --------------------------------------------------------------------------------

    def handoffs(self) -> list[Handoff]:
        """Contracts that may hold proposals, oldest first."""
        with database.reading(self.path, wait_ms=self._wait_ms) as db:
            self._checked(database.shape_of(db, self.path))
            return approvals.handoffs(db, self.host_id)

    def pending(self) -> list[Pending]:
        """Approvals that wait there and concern memory, oldest first."""
        with database.reading(self.path, wait_ms=self._wait_ms) as db:
            self._checked(database.shape_of(db, self.path))
            return approvals.pending(db, self.host_id, self.path)

    def decide(self, approval_id: str, *, approve: bool, environ: Mapping[str, str]) -> Decided:
        """Have Gaia's own program decide; its tables are only read here, before and after."""
        status = approvals.decide(self.path, approval_id, approve=approve, environ=environ)
        try:
            with database.reading(self.path, wait_ms=self._wait_ms) as db:
                return Decided(approval_id, status, approvals.status_of(db, approval_id))
        except HostError:
            return Decided(approval_id, status, "")


class GaiaKind:
    """How Gaia databases are found, opened and dated."""

    @property
    def name(self) -> str:
        """As in `memdesk attach gaia`."""
        return KIND

    def attach(
        self, store: Store, path: str | os.PathLike[str] | None, environ: Mapping[str, str]
    ) -> tuple[GaiaLink, list[str]]:
        """Find the database, make sure that it is one, and note it as attached (again).

        Returns:
            The link, and warnings to show.

        Raises:
            HostError: `host_away`, `host_locked`, `host_not_gaia`.
        """
        found, warnings = database.locate(path, environ)
        found = Path(os.path.realpath(found))
        with database.reading(found) as db:
            shape = database.shape_of(db, found)
        link = GaiaLink(store, database.host_id_of(found, shape.born), found)
        if shape.read_only:
            warnings.append(f"Attached read-only: {shape.read_only}.")
        with store.transaction() as tx:
            Books(tx.db, link.host_id).attach(KIND, str(found), tx.timestamp)
        return link, warnings

    def open(self, store: Store, host_id: str, path: Path, *, wait_ms: int) -> GaiaLink:
        """A database that was attached before; it is not looked at yet."""
        return GaiaLink(store, host_id, path, wait_ms=wait_ms)

    def stamp(self, timestamp: str) -> dict[str, str]:
        """Gaia keeps times in whole seconds: events carry the `updated_at` that the row will hold (gaia/SPEC 2)."""
        return {"updated_at": holding.whole_seconds(timestamp)}
