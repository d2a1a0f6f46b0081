"""The hosts of a store as the desk sees them: which entry lives where, and what must happen around a write."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import Ambiguous, HostError, MemdeskError, NotFound, Stale, UsageError, listed
from ..model import Entry, State
from . import books
from .asking import Decided, Handoff, Pending
from .gaia import GaiaKind
from .host import Change, Episode, HostInfo, HostKind, HostLink, Pulled, Pushed, Sent

if TYPE_CHECKING:
    from ..store import Store


KINDS: Final[Mapping[str, HostKind]] = {kind.name: kind for kind in (GaiaKind(),)}
_T = TypeVar("_T")
_NOTHING: Final[Mapping[str, Collection[str]]] = MappingProxyType({})


class Hosts:
    """Every host of one store. Opens nothing until it is needed.

    Args:
        wait_ms: how long a push waits for another program's lock, milliseconds. A screen sets it low and lets
            `refresh` try again, so that no key waits.
        environ: where GAIA_DB and GAIA_DATA_DIR are read from.
    """

    def __init__(self, store: Store, *, wait_ms: int = 5000, environ: Mapping[str, str] | None = None) -> None:
        self.wait_ms = wait_ms
        #: host id -> why the last `refresh` could not pull it.
        self.problems: dict[str, str] = {}
        self._store = store
        self._environ = os.environ if environ is None else environ

    # -- which host -------------------------------------------------------------------------------------------------

    def _records(self) -> list[books.HostRecord]:
        return books.hosts(self._store.db)

    def _link(self, record: books.HostRecord) -> HostLink:
        return KINDS[record.kind].open(self._store, record.host_id, Path(record.path), wait_ms=self.wait_ms)

    def attached(self) -> list[HostLink]:
        """The hosts that are attached now."""
        return [self._link(r) for r in self._records() if r.state == books.ATTACHED and r.kind in KINDS]

    def link(self, host_id: str) -> HostLink | None:
        """The attached host of this id."""
        return next((link for link in self.attached() if link.host_id == host_id), None)

    def for_entry(self, entry: Entry) -> HostLink | None:
        """The host that an entry lives on; None for memdesk's own entries."""
        return self.link(entry.host) if entry.host else None

    def _of_workspace(self, workspace: str) -> HostLink | None:
        row = self._store.db.execute("SELECT host FROM workspaces WHERE name = ?", (workspace,)).fetchone()
        return self.link(row[0]) if row and row[0] else None

    def home_of(self, workspace: str, type_: str) -> str | None:
        """The id of the host on which a new entry of this workspace and type lives; None for memdesk's own store.

        Raises:
            HostError: `host_read_only`.
        """
        link = self._of_workspace(workspace)
        if link is None or not link.can_hold_type(type_):
            return None
        link.require_writable()
        return link.host_id

    def named(self, ref: str | None) -> list[HostLink]:
        """The attached hosts that `ref` names: an id or the beginning of one, a path, a kind; all of them for None.

        Raises:
            NotFound: none answers to it.
        """
        links = self.attached()
        if ref is None:
            return links
        path = os.path.realpath(os.path.expanduser(ref))
        found = [link for link in links if link.host_id.startswith(ref) or str(link.path) == path]
        if not found:
            raise NotFound(f"No attached host answers to {ref}.", "See `memdesk hosts`.", host=ref)
        return found

    # -- around a write -----------------------------------------------------------------------------------------------

    def before_write(self, seen: Iterable[Entry], fields: Mapping[str, Collection[str]] = _NOTHING) -> None:
        """Pull the host rows behind entries that are about to change.

        Args:
            seen: the entries as the caller saw them.
            fields: entry id -> the fields that will be written ("state" too); nothing for what commutes: appends,
                links, comments.

        Raises:
            Stale: a field that will be written differs from what the caller saw; the new value stands in `current`.
            HostError: `host_read_only`, `host_detached`.
        """
        by_host: dict[str, list[Entry]] = {}
        for entry in seen:
            if entry.host:
                by_host.setdefault(entry.host, []).append(entry)
        for host_id, group in by_host.items():
            link = self.link(host_id)
            if link is None:
                raise HostError(
                    f"{group[0].shown_name} lives on a host that is not attached.",
                    "Attach it again with `memdesk attach`.", code="host_detached", host=host_id,
                )  # fmt: skip
            link.before_write(group)
            for entry in group:
                self._compare(entry, fields.get(entry.id, ()))

    def _compare(self, entry: Entry, fields: Collection[str]) -> None:
        now = self._store.entry(entry.id)
        if now is None:
            return
        names = {*fields, "state"} if now.state is State.PURGED else fields  # nobody writes to what is gone unseen
        moved = {name: _value(now, name) for name in names if _value(now, name) != _value(entry, name)}
        if not moved:
            return
        said = ", ".join(f"{name} is now {_shortly(value)}" for name, value in moved.items())
        raise Stale(
            f"{entry.shown_name} changed in Gaia meanwhile: {said}.",
            "Nothing was written. Look at the new value and decide again.", current=moved, entry=entry.id,
        )  # fmt: skip

    def before_create(self, workspace: str, name: str) -> None:
        """Pull a row that the host may have got under this name; called before asking whether the name is free.

        Raises:
            HostError: `host_read_only`.
        """
        link = self._of_workspace(workspace)
        if link is not None:
            link.before_create(workspace, name)

    def stamp(self, entry_or_host: Entry | str | None, timestamp: str) -> dict[str, str]:
        """What every event about an entry of a host carries: the `updated_at` in the host's own spelling.

        Args:
            timestamp: of the transaction.
        """
        host = entry_or_host.host if isinstance(entry_or_host, Entry) else entry_or_host
        kind = KINDS.get(host.partition(":")[0]) if host else None
        return kind.stamp(timestamp) if kind is not None else {}

    def after_commit(self, op_id: str) -> Sent:
        """Push what the operation changed. A host that is locked or away is no error: it is said, and tried again.

        Args:
            op_id: the operation that was committed; whatever else waits goes along.
        """
        return Sent(tuple(self._push(link) for link in self.attached()))

    def _push(self, link: HostLink) -> Pushed:
        try:
            return link.push()
        except MemdeskError as failure:  # the log has the change; a store that is locked now is no reason to deny it
            later = f"What was changed is kept; it reaches the host with the next push. ({failure.message})"
            return Pushed(link.host_id, str(link.path), warnings=(later,))

    # -- what a host cannot do ----------------------------------------------------------------------------------

    def refuse(self, entry: Entry, patch: Mapping[str, Any]) -> None:
        """Stop a patch that makes no sense on the entry's host.

        Raises:
            HostError: `superseded_by_edge` where only an edge says that an entry is replaced; `host_cannot_hold` for a
                workspace that the host does not have, or a type that it does not know.
        """
        link = self.for_entry(entry)
        if link is None:
            return
        state, to = patch.get("state"), patch.get("workspace")
        if state == State.ACTIVE and entry.state is State.SUPERSEDED:
            raise HostError(
                f"{entry.shown_name} is replaced as long as another entry's edge says so.",
                "Remove that edge with `memdesk unlink NEW supersedes OLD`; the entry is then current again.",
                code="superseded_by_edge", entry=entry.id,
            )  # fmt: skip
        if state == State.SUPERSEDED and entry.state is not State.SUPERSEDED:
            raise HostError(
                "In Gaia an entry becomes replaced only through an edge.",
                f"Use `memdesk supersede {entry.shown_name} --by NEW`.", code="superseded_by_edge", entry=entry.id,
            )  # fmt: skip
        if to is not None and to != entry.workspace and to not in link.workspaces():
            raise HostError(
                f"{entry.shown_name} lives in Gaia, and {to} is not a workspace there.",
                f"Choose one of {', '.join(sorted(link.workspaces()))}.", code="host_cannot_hold", workspace=to,
            )  # fmt: skip

        kind = patch.get("type")
        if kind is not None and not link.can_hold_type(kind):
            raise HostError(
                f"{entry.shown_name} lives in Gaia, which knows no type {kind}.",
                "Choose another name: its prefix is the type.", code="host_cannot_hold", type=kind,
            )  # fmt: skip

    def warnings_for(self, entry: Entry, change: Change) -> list[str]:
        """What of a change the hosts have no place for, as sentences; [] for memdesk's own entries."""
        link = self.for_entry(entry)
        said = link.cannot_hold({**change.patch, "tags": change.add_tags}) if link is not None else []
        for kind, other in change.edges:
            far = link or self.for_entry(other)
            if far is not None:
                said += far.cannot_hold_edge(entry, kind, other)
        return said

    def before_erase(self, entry: Entry) -> None:
        """An entry whose text still stands on a host cannot be erased: the next pull would bring it back.

        Raises:
            HostError: `host_erase`.
        """
        if not entry.host:
            return
        link = self.for_entry(entry)
        if link is None or link.holds_row(entry):
            raise HostError(
                f"{entry.shown_name} still stands in Gaia, with its history.",
                f"Remove it there first (`gaia memory delete {entry.name} --hard`), then pull, then erase it here.",
                code="host_erase", entry=entry.id,
            )  # fmt: skip
        link.forget(entry)

    # -- the verbs ----------------------------------------------------------------------------------------------------

    def attach(self, kind: str, path: str | os.PathLike[str] | None = None) -> tuple[Pulled, list[str]]:
        """Attach a host and pull it; again it only pulls what is new.

        Returns:
            What it holds, and warnings.

        Raises:
            UsageError: an unknown kind of host. HostError: no such database.
        """
        if kind not in KINDS:
            raise UsageError(f"There is no host of kind {kind}.", f"Known: {', '.join(KINDS)}.", kind=kind)
        link, warnings = KINDS[kind].attach(self._store, path, self._environ)
        return link.pull(verb="attach"), warnings

    def detach(self, ref: str, *, force: bool = False) -> HostInfo:
        """Put a host aside: its entries are shown no more until it is attached again; the log keeps everything.

        Raises:
            NotFound: no such host. HostError: `host_pending` while something has not reached it.
        """
        named = self.named(ref)
        if len(named) > 1:
            raise Ambiguous(
                f"{ref!r} fits {len(named)} hosts: {listed([str(n.path) for n in named])}.",
                "Name one by its path or its id, as `memdesk hosts` shows them.",
                candidates=[{"id": n.host_id, "path": str(n.path)} for n in named],
            )
        link = named[0]
        info = link.info()
        if info.waiting and not force:
            raise HostError(
                f"{len(info.waiting)} changes have not reached {link.path} yet.",
                "Send them with `memdesk push`, or detach with --force and they are sent when it is attached again.",
                code="host_pending", waiting=list(info.waiting),
            )  # fmt: skip
        with self._store.transaction() as tx:
            books.Books(tx.db, link.host_id).set_state(books.DETACHED)
        return link.info()

    def listed(self) -> list[HostInfo]:
        """Every host that was ever attached."""
        return [self._link(r).info() for r in self._records() if r.kind in KINDS]

    def pull(self, ref: str | None = None, *, force: bool = False) -> list[Pulled]:
        """Pull one host, or all."""
        return [link.pull(force=force) for link in self.named(ref)]

    def push(self, ref: str | None = None) -> list[Pushed]:
        """Send what waits."""
        return [link.push() for link in self.named(ref)]

    def refresh(self) -> bool:
        """For a screen's timer: send what waits, pull what changed outside. Cheap when nothing did; never raises.

        Returns:
            Whether anything is new in the store.
        """
        sent = [bool(self._push(link).done) for link in self.attached()]
        return self.look() or any(sent)

    def look(self) -> bool:
        """Pull what changed outside, so that what is read next is true; cheap when nothing did, never raises.

        Returns:
            Whether anything is new in the store. Why a host could not be pulled stands in `problems`.
        """
        news = False
        for link in self.attached():
            if not link.changed_outside():
                continue
            try:
                news = link.pull().news or news
            except MemdeskError as failure:
                self.problems[link.host_id] = failure.message
            else:
                self.problems.pop(link.host_id, None)
        return news

    # -- episodes -----------------------------------------------------------------------------------------------

    def episodes(self, workspace: str | None = None, limit: int = 1_000_000) -> list[Episode]:
        """The episodes of all attached hosts, newest first; a host that is away has none."""
        found = self._episodes(workspace, None, limit)
        return sorted(found, key=lambda e: e.timestamp, reverse=True)[:limit]

    def search_episodes(self, text: str, workspace: str | None = None, limit: int = 10) -> list[Episode]:
        """Episodes that hold every word of the text, best first."""
        return self._episodes(workspace, text, limit)[:limit]

    def episode(self, episode_id: str) -> Episode | None:
        """One episode of any attached host, by id or a unique beginning of it."""
        for link in self.attached():
            try:
                found = link.episode(episode_id)
            except HostError:
                continue
            if found is not None:
                return found
        return None

    def _episodes(self, workspace: str | None, text: str | None, limit: int) -> list[Episode]:
        found: list[Episode] = []
        for link in self.attached():
            try:
                found += link.episodes(workspace=workspace, text=text, limit=limit)
            except HostError as failure:
                self.problems[link.host_id] = failure.message
        return found

    # -- what agents ask for on a host --------------------------------------------------------------------------

    def handoffs(self) -> list[Handoff]:
        """Contracts of agents that may hold proposals, of all attached hosts; a host that is away has none."""
        return self._asked(lambda link: link.handoffs())

    def pending(self) -> list[Pending]:
        """Approvals that wait on attached hosts and concern memory; a host that is away has none."""
        return self._asked(lambda link: link.pending())

    def decide(self, waiting: Pending, *, approve: bool) -> Decided:
        """Have the host's own program decide.

        Raises:
            HostError: `host_decides` where it cannot be run (the hint is the command), or what it said instead.
        """
        link = self.link(waiting.host_id)
        if link is None:
            raise HostError("That host is no longer attached.", "See `memdesk hosts`.", code="host_detached")
        return link.decide(waiting.id, approve=approve, environ=self._environ)

    def _asked(self, of: Callable[[HostLink], list[_T]]) -> list[_T]:
        found: list[_T] = []
        for link in self.attached():
            try:
                found += of(link)
            except HostError as failure:
                self.problems[link.host_id] = failure.message
        return found


def _value(entry: Entry, name: str) -> Any:
    value = getattr(entry, "klass" if name == "class" else name)
    return str(value) if name in ("class", "status", "state") and value is not None else value


def _shortly(value: Any) -> str:
    text = "empty" if value in (None, "") else str(value)
    return text if len(text) <= 60 else text[:59] + "…"
