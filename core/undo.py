"""Undo and redo as plain values: which events put back what stood before an operation, and what stands in the way.

Pure. An undo is an operation whose header names the one it undoes; from then on neither counts (`standing`), so what is
shown is the fold of what remains. It still writes ordinary value events, so that a reader of the lanes that knows only
last-write-wins sees the old values too. Redo is the undo of an undo. Source: DESIGN 3.5.

How to use it:

1. `chain(op_id, undoes)` names the operation and what it undoes in turn; collect the events of all of these;
2. `touched(those events, standing)` names the entries; collect every event of each (edges at both ends), and the
   request and decision events of every `request_id` among the events of step 1;
3. `plan_undo(…)` gives the events to write and the blockers; with blockers, refuse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from .errors import CannotUndo
from .events import (
    APPEND,
    CREATE,
    DECISION,
    DELETE,
    EDGE_ADD,
    EDGE_REMOVE,
    EDIT,
    PURGE_EXECUTED,
    QUARANTINE,
    REQUEST,
    Event,
)
from .fold import GAIA_HOST, Folded, base_of, fold_edges, fold_entry, written
from .model import PATCH_FIELDS, SUPERSEDES, Edge, State, edge_key
from .standing import Standing, by_id, canonical, chain, liveness
from .text import one_name

Write = tuple[str, dict[str, Any]]

#: What the program does by itself: `undo` without an argument walks past these.
AUTOMATIC_VERBS: Final = frozenset({"pull", "push", "receive", "sync", "quarantine", "attach", "detach"})
_EDGES: Final = frozenset({EDGE_ADD, EDGE_REMOVE})
_FIELDS: Final = frozenset(PATCH_FIELDS)


class Op(Protocol):
    """What of an operation decides whether it is the next one to undo; the store's rows fit."""

    @property
    def op_id(self) -> str: ...  # noqa: D102
    @property
    def verb(self) -> str: ...  # noqa: D102
    @property
    def undoes(self) -> str | None: ...  # noqa: D102
    @property
    def undone_by(self) -> str | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Blocker:
    """A live later change that stands on top of an operation.

    `op_id` is None for a foreign event without an operation; `what` names the thing changed, in words.
    """

    op_id: str | None
    event_id: str
    verb: str
    author: str
    timestamp: str
    entry_id: str
    what: str


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """What undoing an operation takes.

    Attributes:
        op_id: the operation to undo.
        writes: (event type, payload) to write in this order, under a header that `undoes` it.
        blockers: what stands on top; if any, nothing may be written.
        entries: ids of the entries whose shown values or links change.
    """

    op_id: str
    writes: tuple[Write, ...]
    blockers: tuple[Blocker, ...]
    entries: tuple[str, ...]


# -- which operation is next --------------------------------------------------------------------------------------


def is_undoable(op: Op) -> bool:
    """Whether plain `undo` may take it: live, not itself an undo or redo, not the program's own doing."""
    return op.undone_by is None and op.undoes is None and op.verb not in AUTOMATIC_VERBS


def is_redoable(op: Op, undoes: Mapping[str, str | None]) -> bool:
    """Whether plain `redo` may take it: a live undo (a redo, which undoes an undo, is not one)."""
    return op.undone_by is None and op.undoes is not None and len(chain(op.op_id, undoes)) % 2 == 0


# -- the plan -----------------------------------------------------------------------------------------------------


def touched(events: Iterable[Event], standing: Standing) -> set[str]:
    """The ids of every entry that the events name, edges at both ends, aliases resolved."""
    ids = (i for e in events for i in (e.memory_id, e.other_id))
    return {standing.real_id(i) for i in ids if i}


def plan_undo(
    op_id: str, events: Iterable[Event], standing: Standing, *,
    undoes: Mapping[str, str | None], headers: Mapping[str, Event],
) -> UndoPlan:  # fmt: skip
    """Plan the undo of one operation (for a redo: of an undo).

    Args:
        op_id: the operation.
        events: every event of every entry it touches (see the module's three steps), in any order, repeats allowed.
        standing: what of the log counts now.
        undoes: of the whole store, each operation that undoes one -> the one it undoes.
        headers: operation id -> its `desk.operation` event, for naming who and when.

    Raises:
        CannotUndo: it is unknown, already undone, an erase, a quarantine, or part of a losing decision.
    """
    log = sorted(canonical(events).values(), key=by_id)
    live_undoes = {k: v for k, v in undoes.items() if k not in standing.ignored}
    ops = set(chain(op_id, live_undoes))
    involved = [e for e in log if e.op_id in ops]
    _refuse(op_id, [e for e in involved if e.op_id == op_id], standing, live_undoes, headers)
    last = max([op_id, *live_undoes]) + "~"  # newer than every operation
    dead, undoing = liveness({**live_undoes, last: op_id})
    now, then = standing, replace(standing, dead=dead, undoing=undoing)

    by_entry = _by_entry(log, standing)
    ids = sorted(touched(involved, standing))
    edge_writes, linked = _edge_writes([e for i in ids for e in by_entry[i] if e.type in _EDGES], now, then)
    replaced_again = {p["to_id"] for t, p in edge_writes if t == EDGE_ADD and p["edge_kind"] == SUPERSEDES}
    writes, changed = list(edge_writes), set(linked)
    for entry_id in ids:
        before = fold_entry(entry_id, by_entry[entry_id], now)
        after = fold_entry(entry_id, by_entry[entry_id], then)
        if before is None or after is None:
            continue
        writes += _entry_writes(before, after, say_active=entry_id in replaced_again)
        if before.entry != after.entry:
            changed.add(entry_id)
    blockers = _Blocking(op_id, log, by_entry, standing, headers).found(involved)
    return UndoPlan(op_id, tuple(writes), tuple(blockers), tuple(i for i in ids if i in changed))


def _refuse(
    op_id: str, events: list[Event], standing: Standing, undoes: Mapping[str, str | None], headers: Mapping[str, Event]
) -> None:
    if not events and op_id not in headers:
        raise CannotUndo(f"There is no operation {op_id}.", "List the operations with `memdesk log`.")
    if op_id in standing.ignored:
        raise CannotUndo(
            "This operation does not count: another decision on the same request came first.",
            "There is nothing to take back.",
        )
    if op_id in standing.dead:
        by = next((u for u, target in undoes.items() if target == op_id and u not in standing.dead), None)
        header = headers.get(by or "")
        who = f" by {one_name(header.agent_id)} at {header.timestamp}" if header else ""
        raise CannotUndo(f"This is already undone{who}.", "`memdesk redo` brings it back.", undone_by=by)
    if any(e.type == PURGE_EXECUTED for e in events):
        raise CannotUndo(
            "An erase cannot be undone: the text is physically gone.",
            "Undo an earlier operation by its id; `memdesk log` lists them.",
        )
    if any(e.type == QUARANTINE for e in events):
        raise CannotUndo(
            "A quarantine holds for ever, so it cannot be undone.",
            "Accepting the quarantined events writes them again under new ids.",
        )


def _by_entry(log: Iterable[Event], standing: Standing) -> dict[str, list[Event]]:
    by_entry: dict[str, list[Event]] = defaultdict(list)
    for event in log:
        for entry_id in touched([event], standing):
            by_entry[entry_id].append(event)
    return by_entry


def _edge_writes(events: list[Event], now: Standing, then: Standing) -> tuple[list[Write], set[str]]:
    unique = list({e.event_id: e for e in events}.values())
    before = {s.edge.key: s for s in fold_edges(unique, now)}
    after = {s.edge.key: s for s in fold_edges(unique, then)}
    removed: list[Write] = []
    added: list[Write] = []
    ends: set[str] = set()
    for key, state in after.items():
        if state.present != before[key].present:
            edge = (state if state.present else before[key]).edge
            payload = {"from_id": edge.source, "edge_kind": edge.kind, "to_id": edge.target}
            if state.present:
                payload |= _created(edge)
                added.append((EDGE_ADD, payload))
            else:
                removed.append((EDGE_REMOVE, payload))
            ends |= {edge.source, edge.target}
    return removed + added, ends


def _created(edge: Edge) -> dict[str, Any]:
    return {"created_at": edge.created_at} if edge.created_at else {}


def _entry_writes(before: Folded, after: Folded, *, say_active: bool) -> list[Write]:
    """The events that turn `before` into `after` for a reader that knows only last-write-wins.

    `say_active`: a `supersedes` edge onto the entry is written again, which that reader takes as a change of state.
    """
    patch = {
        name: after.values.get(name)
        for name in PATCH_FIELDS
        if name != "body" and before.values.get(name) != after.values.get(name)
    }
    if before.entry.body != after.entry.body:
        patch["body"] = after.entry.body
    was, state = before.entry.state, after.entry.state
    host = after.entry.host
    # A Gaia host reads "superseded" off its edges alone: only deletion is written there (DESIGN 7).
    by_edges = host is not None and host.startswith(GAIA_HOST) and State.PURGED not in (was, state)
    if state is not State.PURGED and not by_edges and (was is not state or (say_active and state is State.ACTIVE)):
        patch["state"] = str(state)
    stamp = {"updated_at": after.entry.updated_at} if host and host.startswith(GAIA_HOST) else {}
    writes: list[Write] = []
    payload: dict[str, Any] = {"memory_id": after.entry.id}
    if patch:
        base = {name: before.base(name) for name in patch}
        payload |= {"patch": patch, "base": {k: v for k, v in base.items() if v}}
    adds = [t for t in after.entry.tags if t not in before.entry.tags]
    removes = [t for t in before.entry.tags if t not in after.entry.tags]
    payload |= {k: v for k, v in (("add_tags", adds), ("rm_tags", removes)) if v}
    if len(payload) > 1:
        writes.append((EDIT, payload | stamp))
    if state is State.PURGED and was is not State.PURGED:
        writes.append((DELETE, {"memory_id": after.entry.id, "reason": "undone", **stamp}))
    return writes


# -- what stands in the way ---------------------------------------------------------------------------------------


class _Blocking:
    """Finds the live later changes that stand on top of an operation."""

    def __init__(
        self, op_id: str, log: list[Event], by_entry: Mapping[str, list[Event]], standing: Standing,
        headers: Mapping[str, Event],
    ) -> None:  # fmt: skip
        self._op_id = op_id
        self._by_entry = by_entry
        self._standing = standing
        self._headers = headers
        self._decisions = [e for e in log if e.type == DECISION]
        self._chains: dict[tuple[str, str, str], set[str]] = {}

    def found(self, involved: Iterable[Event]) -> list[Blocker]:
        """Every blocker, one for each operation and thing, oldest first.

        Args:
            involved: the events of the operation, and of those that it undoes.
        """
        unique: dict[tuple[str, str], Blocker] = {}
        for event in involved:
            on_top = self._on_top(event) if event.op_id == self._op_id else ()
            for later, entry_id, what in (*self._decided(event), *on_top):
                key = (later.op_id or later.event_id, what)
                unique.setdefault(key, self._blocker(later, entry_id, what))
        return sorted(unique.values(), key=lambda b: b.event_id)

    def _blocker(self, event: Event, entry_id: str, what: str) -> Blocker:
        header = self._headers.get(event.op_id or "")
        source = header or event
        verb = str(header.payload.get("verb") or event.type) if header else event.type
        return Blocker(event.op_id, event.event_id, verb, one_name(source.agent_id), source.timestamp, entry_id, what)

    def _decided(self, event: Event) -> Iterator[tuple[Event, str, str]]:
        """Decisions on the same request: a redo must not bring back one beside another that was made meanwhile."""
        if event.type in (REQUEST, DECISION):
            asked = event.payload.get("request_id")
            for later in self._decisions:
                if later.payload.get("request_id") == asked and self._is_later(later, event):
                    yield later, "", "decision"

    def _on_top(self, event: Event) -> Iterator[tuple[Event, str, str]]:
        for entry_id in touched([event], self._standing):
            for later in self._by_entry[entry_id]:
                if later.type == PURGE_EXECUTED and self._standing.admits(later):
                    yield later, entry_id, "erase"
                elif self._is_later(later, event):
                    yield from ((later, entry_id, what) for what in self._shared(event, later, entry_id))

    def _is_later(self, later: Event, event: Event) -> bool:
        return later.event_id > event.event_id and later.op_id != self._op_id and self._standing.counts(later)

    def _shared(self, event: Event, later: Event, entry_id: str) -> Iterator[str]:
        """What `later` changed that `event` had changed before it, in words."""
        if event.type in _EDGES or event.type == CREATE:
            if later.type in _EDGES and (event.type == CREATE or self._key(event) == self._key(later)):
                yield "link"
            if event.type in _EDGES:
                return
        if later.type in _EDGES:
            return
        if event.type == CREATE:  # whoever changes an entry at all stands on its creation
            yield from _things(later)
            return
        for name in sorted(_fields(event) & _fields(later)):
            if later.event_id in self._on_base(event, name, entry_id):
                yield name
        yield from (f"tag {tag}" for tag in sorted(_tags(event) & _tags(later)))
        if _sets_state(event) and _sets_state(later):
            yield "state"

    def _on_base(self, event: Event, name: str, entry_id: str) -> set[str]:
        """The events that have `event` in their base chain of field `name`; one pass, whatever the length."""
        key = (event.event_id, name, entry_id)
        if key not in self._chains:
            found = {event.event_id}
            twins = self._standing.twins
            for later in self._by_entry[entry_id]:
                if later.event_id > event.event_id and later.type not in _EDGES:
                    base = base_of(later, name)
                    # A foreign edit that states no base is taken to have seen all before it, as in the fold.
                    unsaid = base is None and later.type == EDIT
                    if unsaid or any(b in found or twins.get(b) in found for b in base or ()):
                        found.add(later.event_id)
            self._chains[key] = found - {event.event_id}
        return self._chains[key]

    def _key(self, event: Event) -> tuple[str, str, str]:
        real = self._standing.real_id
        return edge_key(real(event.memory_id or ""), str(event.payload.get("edge_kind")), real(event.other_id or ""))


def _things(event: Event) -> list[str]:
    things = sorted(_fields(event)) + [f"tag {tag}" for tag in sorted(_tags(event))]
    return things + (["state"] if _sets_state(event) else [])


def _fields(event: Event) -> set[str]:
    if event.type == APPEND:
        return {"body"}
    return {name for name in written(event) if name in _FIELDS}


def _tags(event: Event) -> set[str]:
    if event.type != EDIT:
        return set()
    values = (event.payload.get("add_tags"), event.payload.get("rm_tags"))
    return {tag for value in values if isinstance(value, list) for tag in value if isinstance(tag, str)}


def _sets_state(event: Event) -> bool:
    return event.type == DELETE or "state" in written(event)
