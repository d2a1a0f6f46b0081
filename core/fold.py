"""The fold: events in any order -> entries and edges (DESIGN 3.3).

Pure. `fold_entry` and `fold_edges` look at one entry or edge; `fold_all` folds a whole log and is what `rebuild`, the
tests and the benchmark use. Every value is a register: per field the larger ULID wins, appends commute, tags and
edges are last-write-wins each, and the state is two bits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from .events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, Event
from .model import (
    PATCH_FIELDS,
    SUPERSEDES,
    TEXT_FIELDS,
    Edge,
    Entry,
    EntryClass,
    State,
    Status,
    edge_key,
    edge_kind,
)
from .standing import Standing, by_id, canonical, standing_of
from .text import same_text

#: Joins an append to what stands before it (gaia/SPEC 4, "append").
SEPARATOR: Final = "\n\n"
GAIA_HOST: Final = "gaia:"

_PATCHED: Final = frozenset(PATCH_FIELDS)
_ABOUT: Final = frozenset({CREATE, EDIT, APPEND, DELETE})
_EDGES: Final = frozenset({EDGE_ADD, EDGE_REMOVE})
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class LostEdit:
    """An edit that lost a field to one that had not seen it (DESIGN 3.3, "Lost edits"; hint MEM-009)."""

    entry_id: str
    field: str
    event_id: str
    author: str
    timestamp: str
    value: Any
    winner_id: str


@dataclass(slots=True)
class Folded:
    """One entry as folded, with what a writer needs to state the `base` of its next change.

    Attributes:
        tips: field -> event id that wrote it last, undo events included: the `base` of the next edit of that field.
            A list of two where the writer sees a value that a newer undo had not seen.
        body_heads: the `base` of the next change of the body.
        lost: edits that lost and that no later edit has seen.
        creation_undone: it shows as purged only because its creation was undone.
        values: the registers behind the entry, as last written (a status that its class hides is still here).
    """

    entry: Entry
    tips: dict[str, str | list[str]]
    body_heads: list[str]
    lost: tuple[LostEdit, ...] = ()
    creation_undone: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)

    def base(self, name: str) -> str | list[str] | None:
        """The `base` of the next write of field `name` (or of "state"); None where nothing ever wrote it."""
        return self.body_heads if name == "body" else self.tips.get(name)


@dataclass(slots=True)
class EdgeState:
    """One edge register: whether the edge stands, who wrote it last (undo events included)."""

    edge: Edge
    present: bool
    tip: str
    author: str


def fold_entry(entry_id: str, events: Iterable[Event], standing: Standing) -> Folded | None:
    """Fold one entry.

    Args:
        entry_id: its id, aliases already resolved.
        events: every event that names it (or an alias of it), edge events included, in any order, each id once.
        standing: what of the log counts.

    Returns:
        None while its create has not arrived, and for an erased entry.
    """
    if entry_id in standing.erased:
        return None
    log = _Log(entry_id, sorted(events, key=by_id), standing)
    create = log.create
    if create is None:
        return None
    fields = _Fields(log)
    text, heads = _body(log)
    host = _text(create.payload.get("host"))
    undone = not standing.counts(create)
    state = _state(log, host, undone)
    klass = _one_of(EntryClass, fields.values.get("class"), EntryClass.ANCHOR)
    value = fields.text
    changes = [e for e in log.counted if e.type in (EDIT, APPEND)]
    entry = Entry(
        id=entry_id,
        workspace=value("workspace") or "",
        name=value("name") or "",
        type=value("type") or "",
        klass=klass,
        status=_one_of(Status, fields.values.get("status"), None) if klass is EntryClass.THREAD else None,
        state=state,
        title=value("title"),
        description=value("description"),
        summary=value("summary"),
        body=text,
        tags=_tags(log.counted),
        project_ref=value("project_ref"),
        initiative=value("initiative"),
        audience=value("audience") or "any",
        created_at=_time(create, "created_at"),
        created_by=create.agent_id,
        updated_at=_time(log.counted[-1], "updated_at"),
        last_edited_by=(changes[-1] if changes else create).agent_id,
        edit_count=len(changes),
        origin_session_id=value("origin_session_id"),
        host=host,
    )
    lost = tuple(sorted(_lost_edits(log, fields.contested), key=lambda e: (e.event_id, e.field)))
    return Folded(entry, fields.tips(), heads, lost, undone and state is State.PURGED, fields.values)


class _Log:
    """The events of one entry, sorted out once.

    Attributes:
        known: every event about it, also those that are put aside: they say who had seen what.
        own: what is part of the record, in ULID order, one create only.
        counted: what shapes the entry as shown; its create always, so that an undone creation still has its text.
        onto: `supersedes` edge events that point at it.
    """

    __slots__ = ("counted", "create", "entry_id", "known", "onto", "own", "standing")

    def __init__(self, entry_id: str, ordered: Iterable[Event], standing: Standing) -> None:
        self.entry_id = entry_id
        self.standing = standing
        self.known: dict[str, Event] = {}
        self.own: list[Event] = []
        self.counted: list[Event] = []
        self.onto: list[Event] = []
        self.create: Event | None = None
        for event in ordered:
            kind = event.type
            if kind in _ABOUT:
                memory_id = event.memory_id or ""
                if memory_id != entry_id and standing.real_id(memory_id) != entry_id:
                    continue
                self.known[event.event_id] = event
                if standing.admits(event) and (kind != CREATE or self.create is None):
                    if kind == CREATE:
                        self.create = event
                    self.own.append(event)
                    if event is self.create or standing.counts(event):
                        self.counted.append(event)
            elif kind in _EDGES and standing.admits(event) and _supersedes_onto(event, entry_id, standing):
                self.onto.append(event)

    def seen_from(self, start: Iterable[Event], name: str) -> Seen:
        """What the writers of `start` had seen of field `name`."""
        return seen_from(self.known, start, name, self.standing)


class _Fields:
    """The field registers: per field the larger ULID wins (the body's appends are `_body`'s).

    Attributes:
        values: field -> the value that shows.
        contested: field -> its writers in order, where several events that count wrote it.
    """

    def __init__(self, log: _Log) -> None:
        self._log = log
        self.values: dict[str, Any] = {}
        self.contested: dict[str, list[Event]] = {}
        self._shown: dict[str, Event] = {}
        self._last: dict[str, str] = {}
        all_count = len(log.counted) == len(log.own)
        for event in log.own:
            counts = all_count or event is log.create or log.standing.counts(event)
            for name, value in written(event).items():
                if name in _PATCHED:
                    self._last[name] = event.event_id
                    if counts:
                        if name in self.values:
                            self.contested.setdefault(name, [self._shown[name]]).append(event)
                        self.values[name] = value
                        self._shown[name] = event
                elif name == "state":
                    self._last[name] = event.event_id
            if event.type == DELETE:
                self._last["state"] = event.event_id

    def text(self, name: str) -> str | None:
        """A register as text."""
        return _text(self.values.get(name))

    def tips(self) -> dict[str, str | list[str]]:
        """The `base` of the next edit of each field: the last writer, and what is shown if that had not seen it."""
        tips: dict[str, str | list[str]] = {**self._last}
        for name, event in self._shown.items():
            shown, last = event.event_id, self._last[name]
            if shown != last and shown not in self._log.seen_from([self._log.known[last]], name):
                tips[name] = [shown, last]
        return tips


def written(event: Event) -> Mapping[str, Any]:
    """The fields that an event writes (`body` by an append is not a write of the field)."""
    if event.type == EDIT:
        patch = event.payload.get("patch")
        return patch if isinstance(patch, dict) else _NOTHING
    return event.payload if event.type == CREATE else _NOTHING


def base_of(event: Event, name: str) -> list[str] | None:
    """The event ids that a write of field `name` had seen; None when it does not say (a foreign event).

    A base that leaves the field out says that nothing had written it before.
    """
    base = event.payload.get("base")
    if event.type == APPEND:
        return [str(b) for b in base] if isinstance(base, list) else None
    if not isinstance(base, Mapping):
        return None
    value = base.get(name)
    return [str(v) for v in value] if isinstance(value, list) else [str(value)] if value else []


class Seen:
    """The events that some writers had seen: those reachable over their bases, and all below the horizon.

    An edit that states no base (a foreign one) cannot be told concurrent: it is taken to have seen all before it.
    """

    __slots__ = ("horizon", "ids")

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.horizon = ""

    def __contains__(self, event_id: str) -> bool:
        return event_id in self.ids or event_id < self.horizon


def seen_from(known: Mapping[str, Event], start: Iterable[Event], name: str, standing: Standing) -> Seen:
    """What the writers of the events `start` had seen of field `name`; `start` itself only where another one saw it.

    Args:
        known: every event about the entry by id, also those that do not count.
        start: some of them.
        name: the field; for "body" the way leads over appends too.
        standing: names the twins of events that a host reported twice.
    """
    seen = Seen()
    todo: list[Event] = list(start)
    while todo:
        event = todo.pop()
        base = base_of(event, name)
        if base is None:
            if event.type == EDIT:
                seen.horizon = max(seen.horizon, event.event_id)
            continue
        for event_id in base:
            if event_id in seen.ids:
                continue
            seen.ids.add(event_id)
            if event_id in known:
                todo.append(known[event_id])
            twin = standing.twins.get(event_id)
            if twin is not None and twin not in seen.ids:
                seen.ids.add(twin)
                if twin in known:
                    todo.append(known[twin])
    return seen


def _body(log: _Log) -> tuple[str, list[str]]:
    """The body as shown (the winning text, then every append that its writer had not seen), and its heads."""
    winner, appends = shown = _displayed(log, log.counted)
    text = (_text(written(winner).get("body")) or "") if winner else ""
    if appends:
        parts = [text, *(_text(e.payload.get("text")) or "" for e in appends)]
        text = SEPARATOR.join(p for p in parts if p)
    # Heads come from the record with undo events in it: whoever writes next has seen those too.
    recorded = shown if len(log.counted) == len(log.own) else _displayed(log, log.own)
    displayed = {e.event_id: e for e in (shown[0], *shown[1], recorded[0], *recorded[1]) if e is not None}
    if len(displayed) > 1:
        seen = log.seen_from(displayed.values(), "body")
        heads = sorted(i for i in displayed if i not in seen)
        return text, heads or [max(displayed)]
    return text, list(displayed)


def _displayed(log: _Log, events: Sequence[Event]) -> tuple[Event | None, list[Event]]:
    winner = next((e for e in reversed(events) if "body" in written(e)), None)
    appends = [e for e in events if e.type == APPEND]
    if winner is None or not appends:
        return winner, appends
    seen = log.seen_from([winner], "body")
    return winner, [e for e in appends if e.event_id not in seen]


def _state(log: _Log, host: str | None, undone: bool) -> State:
    """Two last-write-wins bits, so that order cannot matter (DESIGN 3.3)."""
    deleted, superseded, explicit = undone, False, ""
    for event in log.counted:
        state = written(event).get("state")
        if event.type == DELETE or state == State.PURGED:
            deleted = True
        elif state in (State.ACTIVE, State.SUPERSEDED) and not (undone and event is log.create):
            deleted, superseded, explicit = False, state == State.SUPERSEDED, event.event_id
    if deleted:
        return State.PURGED
    if host and host.startswith(GAIA_HOST):
        # Gaia has no state column: an entry is replaced exactly while an edge says so (DESIGN 7).
        replaced = any(s.present for s in fold_edges(log.onto, log.standing))
    else:
        replaced = superseded or any(
            e.type == EDGE_ADD and e.event_id > explicit and log.standing.counts(e) for e in log.onto
        )
    return State.SUPERSEDED if replaced else State.ACTIVE


def _supersedes_onto(event: Event, entry_id: str, standing: Standing) -> bool:
    target = event.other_id or ""
    return (target == entry_id or standing.real_id(target) == entry_id) and edge_kind(
        str(event.payload.get("edge_kind"))
    ) == SUPERSEDES


def _tags(counted: Iterable[Event]) -> tuple[str, ...]:
    tags: dict[str, bool] = {}
    for event in counted:
        payload = event.payload
        if event.type == CREATE:
            tags.update(dict.fromkeys(_strings(payload.get("tags")), True))
        elif event.type == EDIT and ("add_tags" in payload or "rm_tags" in payload):
            tags.update(dict.fromkeys(_strings(payload.get("add_tags")), True))
            tags.update(dict.fromkeys(_strings(payload.get("rm_tags")), False))
    return tuple(sorted(t for t, present in tags.items() if present))


def _time(event: Event, key: str) -> str | None:
    """The host's own value where the event carries one (null included), else the event's time."""
    return _text(event.payload[key]) if key in event.payload else event.timestamp or None


def _lost_edits(log: _Log, contested: Mapping[str, list[Event]]) -> Iterable[LostEdit]:
    for name, events in contested.items():
        if _chained(events, name):
            continue
        winner = events[-1]
        seen = log.seen_from(events, name)
        kept = written(winner)[name]
        for event in events[:-1]:
            value = written(event)[name]
            # Whoever edits an entry has seen its creation, whatever the base says.
            if event.type != CREATE and event.event_id not in seen and not _equal(name, value, kept):
                yield LostEdit(
                    log.entry_id, name, event.event_id, event.agent_id, event.timestamp, value, winner.event_id
                )


def _chained(events: Sequence[Event], name: str) -> bool:
    """Whether each write had seen the one before it: the ordinary case, in which nothing is lost."""
    before = events[0].event_id
    for event in events[1:]:
        base = base_of(event, name)
        if base is not None and before not in base:
            return False
        before = event.event_id
    return True


def _equal(name: str, one: Any, other: Any) -> bool:
    if name in TEXT_FIELDS and isinstance(one, str) and isinstance(other, str):
        return same_text(one, other)
    return bool(one == other)


def fold_edges(events: Iterable[Event], standing: Standing) -> list[EdgeState]:
    """Every edge register that the given edge events write, in order of their keys; none with an erased end."""
    registers: dict[tuple[str, str, str], EdgeState] = {}
    for event in sorted(events, key=by_id):
        if event.type not in _EDGES or not standing.admits(event):
            continue
        source, target = event.memory_id, event.other_id
        if not source or not target or event.erased:
            continue
        source, target = standing.real_id(source), standing.real_id(target)
        if source in standing.erased or target in standing.erased:
            continue
        kind = edge_kind(str(event.payload.get("edge_kind")))
        key = edge_key(source, kind, target)
        before = registers.get(key)
        present = before.present if before else False
        edge = before.edge if before else Edge(source, kind, target, _time(event, "created_at"))
        if standing.counts(event):
            if event.type == EDGE_ADD and not present:  # adding what stands already does not make it younger
                edge = Edge(source, kind, target, _time(event, "created_at"))
            present = event.type == EDGE_ADD
        registers[key] = EdgeState(edge, present, event.event_id, event.agent_id)
    return [registers[k] for k in sorted(registers)]


@dataclass(slots=True)
class Memory:
    """A whole folded log.

    Attributes:
        waiting: events whose entry's create has not arrived.
        residue: events of an erased entry that still carry text.
    """

    entries: dict[str, Folded] = field(default_factory=dict)
    edges: dict[tuple[str, str, str], EdgeState] = field(default_factory=dict)
    standing: Standing = field(default_factory=Standing)
    waiting: list[str] = field(default_factory=list)
    residue: list[str] = field(default_factory=list)


def fold_all(events: Iterable[Event]) -> Memory:
    """Fold a whole log: any order, any repetition, same result."""
    log = canonical(events)
    standing = standing_of(log.values())
    memory = Memory(standing=standing)
    by_entry: dict[str, list[Event]] = defaultdict(list)
    edge_events: list[Event] = []
    for event in log.values():
        if event.type in _ABOUT:
            if event.memory_id:
                by_entry[standing.real_id(event.memory_id)].append(event)
        elif event.type in _EDGES:
            edge_events.append(event)
            if event.other_id:
                by_entry[standing.real_id(event.other_id)].append(event)
    for entry_id, own in by_entry.items():
        folded = fold_entry(entry_id, own, standing)
        if folded is not None:
            memory.entries[entry_id] = folded
        elif entry_id in standing.erased:
            memory.residue += [e.event_id for e in own if e.type in _ABOUT and not e.erased]
        else:
            memory.waiting += [e.event_id for e in own if e.type in _ABOUT]
    memory.edges = {s.edge.key: s for s in fold_edges(edge_events, standing)}
    undone = {i for i, f in memory.entries.items() if f.creation_undone}
    for entry_id, shown in display_names((f.entry for f in memory.entries.values()), undone).items():
        folded = memory.entries[entry_id]
        folded.entry = replace(folded.entry, display_name=shown)
    memory.waiting.sort()
    memory.residue.sort()
    return memory


def display_names(entries: Iterable[Entry], undone: Container[str] = ()) -> dict[str, str]:
    """Shown names where entries of a workspace share one: `name`, `name~2`, `name~3` (DESIGN 3.3).

    A host's own row keeps the name, then the smaller id. Only entries whose shown name differs are in the result.

    Args:
        entries: all of a workspace, purged ones included.
        undone: ids of entries whose creation was undone: they claim no name while another entry has it.
    """
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.workspace, entry.name].append(entry)
    shown: dict[str, str] = {}
    for (workspace, name), group in groups.items():
        if len(group) > 1:
            group.sort(key=lambda e: (e.id in undone, e.host is None, e.id))
            place = 2
            for entry in group[1:]:
                while (workspace, f"{name}~{place}") in groups:  # a host's row may really be called that
                    place += 1
                shown[entry.id] = f"{name}~{place}"
                place += 1
    return shown


def _text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else str(value)


def _strings(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, (list, tuple)) else []


def _one_of(enum: Any, value: Any, default: Any) -> Any:
    try:
        return enum(value)
    except ValueError:
        return default
