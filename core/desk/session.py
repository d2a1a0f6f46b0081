"""One person or agent at work: who acts, what the policy says, and the operation that a verb writes.

Every part of the desk builds on `Session`. A verb goes: find -> gate (policy) -> refresh (host) -> one operation in
one transaction -> receipt (DESIGN 3.5, 4, 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..config import Config
from ..errors import NeedsApproval, NotAllowed, NotFound, Stale, UsageError, listed
from ..events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, Event
from ..fold import Folded
from ..model import PATCH_FIELDS, Edge, Entry, State
from ..policy import Decision, Facts, Role, Ruling, rule
from .asked_before import turned_down_words
from .asking import ask
from .because import named

if TYPE_CHECKING:
    from ..hosts import Hosts
    from ..store import EntryRow, Store, Transaction


class Unset:
    """The type of `UNSET`."""

    def __repr__(self) -> str:
        return "UNSET"


#: "Not given", where None means "set to null".
UNSET: Final = Unset()


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts. `on_terminal` says whether a person sits at a controlling terminal (deciding a request needs it)."""

    name: str
    role: Role = Role.USER
    session_id: str | None = None
    on_terminal: bool = False


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a verb did, with the affected entries as read back (DESIGN 3.5).

    Attributes:
        op_id: the operation, or None where nothing changed.
        summary: one plain sentence in the past tense.
        action: inserted, updated, appended, noop, deleted, …
        warnings: plain sentences, exit code still 0.
        results: one item an operation for `batch`, one a row for `checkpoint`.
        final: whether it can never be undone: an erase, or the approval of one.
        requests: of an undo or a redo, the requests that it made wait again, or decided again.
    """

    op_id: str | None
    verb: str
    summary: str
    action: str
    entries: tuple[Entry, ...] = ()
    edges: tuple[Edge, ...] = ()
    warnings: tuple[str, ...] = ()
    flagged: bool = False
    results: tuple[Mapping[str, Any], ...] = ()
    final: bool = False
    requests: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether anything was written."""
        return self.op_id is not None

    @property
    def entry(self) -> Entry:
        """The one entry that a single-entry verb touched."""
        return self.entries[0]


class Operation:
    """The events of one verb, all or none. The header is written with the first event, so a no-op writes nothing."""

    def __init__(self, session: Session, tx: Transaction, verb: str, summary: str, undoes: str | None) -> None:
        self._session = session
        self._tx = tx
        self.verb = verb
        self.summary = summary
        self._undoes = undoes
        self.op_id: str | None = None
        self.touched: dict[str, None] = {}
        self.action = "noop"

    @property
    def tx(self) -> Transaction:
        """The open transaction, for parts that write other kinds of events."""
        return self._tx

    def folded(self, entry_id: str) -> Folded:
        """The entry as it is inside this transaction.

        Raises:
            NotFound: it vanished since it was found.
        """
        folded = self._session.store.folded(entry_id)
        if folded is None:
            raise NotFound(f"The entry {entry_id} is no longer there.", "Refresh and look again.")
        return folded

    def write(self, kind: str, payload: Mapping[str, Any]) -> Event:
        """Write one event, after the operation's header if it is the first."""
        self._begin()
        event = self._tx.write(kind, payload, on_behalf_of=self._session.on_behalf_of)
        for entry_id in (event.memory_id, event.other_id):
            if entry_id:
                self.touched[entry_id] = None
        return event

    def mark(self) -> None:
        """Write the header even if no event follows: an undo that changes no value is still one."""
        self._begin()
        self._tx.mark()

    def _begin(self) -> None:
        if self.op_id is None:
            actor = self._session.actor
            self.op_id = self._tx.begin(
                self.verb, self.summary, actor=actor.name, role=actor.role, session_id=actor.session_id,
                on_behalf_of=self._session.on_behalf_of, undoes=self._undoes,
            )  # fmt: skip

    def create(self, fields: Mapping[str, Any]) -> str:
        """Create an entry from its fields; nulls are left out. Returns its new id."""
        memory_id = self._tx.new_id()
        payload = {k: v for k, v in fields.items() if v is not None and v != ()}
        host = self._session.hosts.home_of(str(fields.get("workspace")), str(fields.get("type")))
        if host is not None:
            stamp = self._session.hosts.stamp(host, self._tx.timestamp)
            payload |= {"host": host, **stamp}
            if "updated_at" in stamp:
                payload["created_at"] = stamp["updated_at"]
        self.write(CREATE, {"memory_id": memory_id, **payload})
        self.action = "inserted"
        return memory_id

    def edit(
        self, folded: Folded, patch: Mapping[str, Any], *, add_tags: Sequence[str] = (), rm_tags: Sequence[str] = ()
    ) -> bool:
        """Write the part of `patch` that differs from what stands; False when nothing does."""
        entry = folded.entry
        changed = {k: v for k, v in patch.items() if not _same(entry, k, v)}
        adds = [t for t in dict.fromkeys(add_tags) if t not in entry.tags]
        removes = [t for t in dict.fromkeys(rm_tags) if t in entry.tags]
        if not changed and not adds and not removes:
            return False
        payload: dict[str, Any] = {"memory_id": entry.id}
        if changed:
            payload |= {"patch": changed, "base": base_for(folded, changed)}
        if adds:
            payload["add_tags"] = adds
        if removes:
            payload["rm_tags"] = removes
        self.write(EDIT, payload | self._stamp(entry))
        if self.action == "noop":
            self.action = "updated"
        return True

    def append(self, folded: Folded, text: str) -> None:
        """Add `text` after the body."""
        entry = folded.entry
        self.write(APPEND, {"memory_id": entry.id, "text": text, "base": folded.body_heads} | self._stamp(entry))
        self.action = "appended"

    def delete(self, folded: Folded, reason: str | None) -> bool:
        """Soft-delete; False when it already is."""
        if folded.entry.state is State.PURGED:
            return False
        payload: dict[str, Any] = {"memory_id": folded.entry.id}
        if reason:
            payload["reason"] = reason
        self.write(DELETE, payload | self._stamp(folded.entry))
        self.action = "deleted"
        return True

    def link(self, source: str, kind: str, target: str) -> bool:
        """Add an edge; False when it stands already."""
        if self._session.store.edges(kind=kind, source=source, target=target):
            return False
        self.write(EDGE_ADD, {"from_id": source, "edge_kind": kind, "to_id": target})
        if self.action == "noop":
            self.action = "inserted"
        return True

    def unlink(self, source: str, kind: str, target: str) -> bool:
        """Remove an edge; False when there is none."""
        if not self._session.store.edges(kind=kind, source=source, target=target):
            return False
        self.write(EDGE_REMOVE, {"from_id": source, "edge_kind": kind, "to_id": target})
        self.action = "deleted"
        return True

    def _stamp(self, entry: Entry) -> dict[str, str]:
        """A host may keep times in its own form: the event carries the value that the host will hold."""
        return self._session.hosts.stamp(entry, self._tx.timestamp)


class Session:
    """The shared state of every part of the desk: the store, the actor, the hosts, the settings."""

    def __init__(self, store: Store, actor: Actor, hosts: Hosts, config: Config) -> None:
        self.store = store
        self.actor = actor
        self.hosts = hosts
        self.config = config
        #: Who asked, while a reviewer's approval executes a request.
        self.on_behalf_of: str | None = None
        self._open: Operation | None = None
        self._approving = False
        #: What a request says instead of the usual (`asked_by`, `source`, …), while somebody's proposals are taken in.
        self._asking: Mapping[str, Any] = {}
        #: What the hosts said since the last receipt ("not yet in Gaia: …").
        self._said: list[str] = []
        #: What an erase took away, until it is proved to be gone.
        self._erased_texts: set[str] = set()

    # -- policy ---------------------------------------------------------------------------------------------------

    def gate(
        self, verb: str, facts: Facts, *, refs: Iterable[Entry] = (), args: Mapping[str, Any], rationale: str = "",
    ) -> Ruling:  # fmt: skip
        """Ask the policy table; returns its ruling when the verb may go on.

        A write that this role may not do alone is stored as a request, with everything needed to execute it.

        Args:
            verb: the verb as the policy table names it.
            facts: what the table needs to know about what is touched.
            refs: the entries it touches.
            args: the keyword arguments of the desk method, JSON-serialisable.
            rationale: why, in the requester's words.

        Raises:
            NotAllowed: the table says no.
            NeedsApproval: it became a request; `request_id` in `extra`.
        """
        ruling = rule(self.actor.role, verb, facts)
        if self._approving or ruling.decision is Decision.ALLOW:
            return ruling
        if ruling.decision is Decision.DENY or self._open is not None:
            # Inside a composed verb there is no half: either all of it may be done alone, or none of it is.
            raise NotAllowed(f"{ruling.reason}", "Ask the person who curates this memory.", role=self.actor.role)
        asked = ask(self, verb, list(refs), args, rationale, ruling, self._asking)
        since = f"{asked.since[:10]} at {asked.since[11:16]} UTC" if asked.since else ""
        before = f" {turned_down_words(asked.rejected)}" if asked.rejected else ""
        raise NeedsApproval(
            f"This waits for a person already, since {since}." if since
            else f"This waits for a person: {self._because(ruling)}{before}",
            f"It is stored as {asked.request_id}; see it with `memdesk requests show {asked.request_id}`.",
            request_id=asked.request_id, waits_since=asked.since,
            turned_down=asked.rejected.request_id if asked.rejected else None,
        )  # fmt: skip

    def _because(self, ruling: Ruling) -> str:
        """The reason, with the decisions by name: who asks learns what to read."""
        decisions = {e.id: e.shown_name for e in self.store.entries_of(ruling.against)} if ruling.against else {}
        return named(ruling.reason, [decisions[i] for i in ruling.against if i in decisions])

    # -- operations -----------------------------------------------------------------------------------------------

    @contextmanager
    def operation(
        self, verb: str, summary: str, *, undoes: str | None = None, fresh: bool = False
    ) -> Iterator[Operation]:
        """One operation in one write transaction. Inside another one it joins it, so verbs compose into one undo.

        Args:
            verb: stored in the header and shown by `log`.
            summary: one plain sentence in the past tense; may be reset on the operation before its first write.
            undoes: the operation that this one undoes.
            fresh: never join (a request is an operation of its own).

        Raises:
            StoreLocked: another process kept the write lock past the bounded wait.
        """
        if self._open is not None and not fresh:
            yield self._open
            return
        with self.store.transaction() as tx:
            op = Operation(self, tx, verb, summary, undoes)
            outer, self._open = self._open, op
            try:
                yield op
            finally:
                self._open = outer
        if op.op_id is not None and self._open is None:
            self._said += self.hosts.after_commit(op.op_id).sentences

    def refresh(self, entries: Iterable[Entry], fields: Iterable[str] = ()) -> None:
        """Read the host's rows behind these entries before writing `fields` of them (DESIGN 7: nothing is written
        blindly). Inside an open operation the outer verb has done it.

        Raises:
            Stale: one of `fields` differs on the host from what `entries` say. HostError: the host is read-only.
        """
        if self._open is None:
            seen = list(entries)
            names = tuple(fields)
            self.hosts.before_write(seen, {e.id: names for e in seen})

    def receipt(self, op: Operation, *, warnings: Iterable[str] = (), flagged: bool = False, **parts: Any) -> Receipt:
        """The receipt of a finished operation: its entries are read back from the store."""
        found = (self.store.entry(i) for i in op.touched)
        entries = parts.pop("entries", None) or tuple(e for e in found if e is not None)
        said = tuple(dict.fromkeys((*warnings, *self._said)))
        if self._open is None:
            self._said.clear()
        action = parts.pop("action", None) or op.action
        return Receipt(
            op.op_id, op.verb, op.summary, action, entries=tuple(entries), warnings=said, flagged=flagged, **parts
        )


def base_for(folded: Folded, names: Iterable[str]) -> dict[str, Any]:
    """The `base` of an edit: per field the event whose value it replaces; for the body all heads (DESIGN 3.2)."""
    return {name: base for name in names if (base := folded.base(name)) is not None}


#: What a caller may compare with what it saw.
_COMPARED: Final = frozenset({*PATCH_FIELDS, "state", "tags", "edit_count", "updated_at", "last_edited_by"})


def value_of(entry: Entry, name: str) -> Any:
    """A field of an entry under its stored name (`class` is the attribute `klass`)."""
    value = getattr(entry, "klass" if name == "class" else name)
    return str(value) if name in ("class", "status", "state") and value is not None else value


def expect(entry: Entry, expected: Mapping[str, Any] | None) -> None:
    """Stop when what the caller saw is no longer what stands.

    Args:
        expected: field -> value as the caller saw it.

    Raises:
        Stale: with the new values in `current`. UsageError: `expected` is no such mapping.
    """
    expected = {} if expected is None else expected
    if not isinstance(expected, Mapping) or not expected.keys() <= _COMPARED:
        raise UsageError("`expected` names no fields of an entry.", f"Use {listed(sorted(_COMPARED), 20)}.")
    moved = {k: value_of(entry, k) for k, seen in expected.items() if value_of(entry, k) != seen}
    if moved:
        names = ", ".join(f"{k} is now {_shortly(v)}" for k, v in moved.items())
        raise Stale(
            f"{entry.shown_name} changed meanwhile ({entry.last_edited_by}, {entry.updated_at}): {names}.",
            "Nothing was written. Look at the new value and decide again.",
            current=moved, entry=entry.id,
        )  # fmt: skip


def _same(entry: Entry, name: str, value: Any) -> bool:
    if name != "state" and name not in PATCH_FIELDS:
        return False
    return bool(value_of(entry, name) == (str(value) if isinstance(value, str) else value))


def _shortly(value: Any) -> str:
    text = "empty" if value in (None, "") else str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def facts_of(
    entries: Iterable[Entry] = (), *, types: Iterable[str] = (), replaces_text: bool = False,
    supersedes_decision: bool = False, against: Sequence[str] = (), own: bool = True,
) -> Facts:  # fmt: skip
    """What the policy table needs to know about a write.

    Args:
        against: ids of the decisions that the text contradicts.
    """
    touched = list(entries)
    return Facts(
        types=(*(e.type for e in touched), *types), names=tuple(e.name for e in touched), replaces_text=replaces_text,
        supersedes_decision=supersedes_decision, contradicts_decision=bool(against), against=tuple(against),
        own_operation=own,
    )  # fmt: skip


def is_decision(entry: Entry | EntryRow) -> bool:
    """Whether it is a `decision_*` (a host may keep one under another type, as it may a `user_*`)."""
    return entry.type == "decision" or entry.name.startswith("decision_")


def given(arguments: Mapping[str, Any], **instead: Any) -> dict[str, Any]:
    """The arguments of a verb as a request keeps them: JSON-serialisable, without those not given.

    Args:
        arguments: `locals()` at the start of the verb.
        instead: values that replace the typed ones: a request names entries by id, since names may move on.
    """
    skipped = {"self", "rationale", "expected", "__class__"} | ({"workspace"} if "ref" in instead else set())
    kept = {k: v for k, v in {**arguments, **instead}.items() if k not in skipped and not isinstance(v, Unset)}
    said = {k: v for k, v in kept.items() if v != () and (v is not None or k == "status")}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in said.items()}
