"""The fold: events in any order -> entries and edges (DESIGN 3.3).

Pure. `fold_entry` and `fold_edges` look at one entry or edge; `fold_all` folds a whole log and is what `rebuild`, the
tests and the benchmark use. Every value is a register: per field the larger ULID wins, appends commute, tags and
edges are last-write-wins each, and the state is two bits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, Event
from .model import PATCH_FIELDS, SUPERSEDES, Edge, Entry, EntryClass, State, Status, edge_key, edge_kind
from .standing import Standing, canonical, standing_of

#: Joins an append to what stands before it (gaia/SPEC 4, "append").
SEPARATOR: Final = "\n\n"
GAIA_HOST: Final = "gaia:"


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
        body_heads: the `base` of the next change of the body.
        lost: edits that lost and that no later edit has seen.
        creation_undone: it shows as purged only because its creation was undone.
    """

    entry: Entry
    tips: dict[str, str]
    body_heads: list[str]
    lost: tuple[LostEdit, ...] = ()
    creation_undone: bool = False


@dataclass(slots=True)
class EdgeState:
    """One edge register: whether the edge stands, who wrote it last (undo events included)."""

    edge: Edge
    present: bool
    tip: str
    author: str


def fold_entry(entry_id: str, events: Sequence[Event], standing: Standing) -> Folded | None:
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
    admitted = sorted((e for e in events if standing.admits(e)), key=lambda e: e.order)
    create = next((e for e in admitted if e.type == CREATE), None)
    if create is None:
        return None
    own = [e for e in admitted if _is_about(e, entry_id, standing) and (e.type != CREATE or e is create)]
    counted = [e for e in own if standing.counts(e) or e is create]
    fields = _registers(counted)
    body = _Body(own, standing)
    host = _text(create.payload.get("host"))
    undone = not standing.counts(create)
    state = _state(entry_id, counted, admitted, standing, host, undone)
    newest = _newest(counted)
    klass = _one_of(EntryClass, fields.get("class"), EntryClass.ANCHOR)
    status = _one_of(Status, fields.get("status"), None) if klass is EntryClass.THREAD else None
    changes = [e for e in counted if e.type in (EDIT, APPEND)]
    entry = Entry(
        id=entry_id,
        workspace=_text(fields.get("workspace")) or "",
        name=_text(fields.get("name")) or "",
        type=_text(fields.get("type")) or "",
        klass=klass,
        status=status,
        state=state,
        title=_text(fields.get("title")),
        description=_text(fields.get("description")),
        summary=_text(fields.get("summary")),
        body=body.text,
        tags=_tags(counted),
        project_ref=_text(fields.get("project_ref")),
        initiative=_text(fields.get("initiative")),
        audience=_text(fields.get("audience")) or "any",
        created_at=_time(create, "created_at"),
        created_by=create.agent_id,
        updated_at=_time(newest, "updated_at"),
        last_edited_by=(changes[-1] if changes else create).agent_id,
        edit_count=len(changes),
        origin_session_id=_text(fields.get("origin_session_id")),
        host=host,
    )
    tips = _tips(own)
    lost = tuple(_lost_edits(entry_id, own, standing))
    return Folded(entry, tips, body.heads, lost, undone and state is State.PURGED)


def _is_about(event: Event, entry_id: str, standing: Standing) -> bool:
    return event.type not in (EDGE_ADD, EDGE_REMOVE) and standing.real_id(event.memory_id or "") == entry_id


def written(event: Event) -> Mapping[str, Any]:
    """The fields that an event writes (`body` by an append is not a write of the field)."""
    if event.type == CREATE:
        return event.payload
    if event.type == EDIT:
        patch = event.payload.get("patch")
        return patch if isinstance(patch, Mapping) else {}
    return {}


def base_of(event: Event, name: str) -> list[str] | None:
    """The event ids that a write of field `name` had seen; None when it does not say (a foreign event)."""
    base = event.payload.get("base")
    if event.type == APPEND and isinstance(base, list):
        return [str(b) for b in base]
    if not isinstance(base, Mapping) or name not in base:
        return None
    value = base[name]
    return [str(v) for v in value] if isinstance(value, list) else [str(value)] if value else []


def _registers(counted: Iterable[Event]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for event in counted:
        patch = written(event)
        for name in PATCH_FIELDS:
            if name in patch:
                values[name] = patch[name]
    return values


def _tips(own: Iterable[Event]) -> dict[str, str]:
    tips: dict[str, str] = {}
    for event in own:
        patch = written(event)
        for name in PATCH_FIELDS:
            if name in patch:
                tips[name] = event.event_id
        if event.type == DELETE or "state" in patch:
            tips["state"] = event.event_id
    return tips


class _Body:
    """The body: the winning text, then every append that its writer had not seen, in ULID order."""

    def __init__(self, own: Sequence[Event], standing: Standing) -> None:
        self._by_id = {e.event_id: e for e in own}
        counted = [e for e in own if standing.counts(e) or e.type == CREATE]
        winner, appends = self._displayed(counted)
        parts = [_text(written(winner).get("body")) or "" if winner else ""]
        parts += [_text(e.payload.get("text")) or "" for e in appends]
        self.text = SEPARATOR.join(p for p in parts if p)
        # Heads come from the record with undo events in it: whoever writes next has seen those too.
        winner, appends = self._displayed(own)
        displayed = ([winner] if winner else []) + appends
        named = {b for e in displayed for b in base_of(e, "body") or ()}
        self.heads = [e.event_id for e in displayed if e.event_id not in named]

    def _displayed(self, events: Sequence[Event]) -> tuple[Event | None, list[Event]]:
        winner = next((e for e in reversed(events) if "body" in written(e)), None)
        appends = [e for e in events if e.type == APPEND]
        if winner is None:
            return None, appends
        if not appends:
            return winner, []
        base = base_of(winner, "body")
        if base is None and winner.type == EDIT:  # a foreign edit that states no base replaced all it could see
            return winner, [e for e in appends if e.order > winner.order]
        seen = ancestors(self._by_id, base or (), "body")
        return winner, [e for e in appends if e.event_id not in seen]


def ancestors(by_id: Mapping[str, Event], start: Iterable[str], name: str) -> set[str]:
    """Every event reachable from `start` over the bases of field `name`, `start` included."""
    seen: set[str] = set()
    todo = list(start)
    while todo:
        event_id = todo.pop()
        if event_id in seen:
            continue
        seen.add(event_id)
        event = by_id.get(event_id)
        if event is not None:
            todo.extend(base_of(event, name) or ())
    return seen


def _state(
    entry_id: str, counted: Iterable[Event], admitted: Iterable[Event], standing: Standing, host: str | None, undone: bool
) -> State:
    deleted: tuple[str, bool] = ("", undone)
    superseded: tuple[str, bool] = ("", False)
    for event in counted:
        state = written(event).get("state") if event.type == EDIT else None
        if event.type == DELETE or state == State.PURGED:
            deleted = (event.order, True)
        elif state == State.ACTIVE:
            deleted, superseded = (event.order, False), (event.order, False)
        elif state == State.SUPERSEDED:
            deleted, superseded = (event.order, False), (event.order, True)
    onto = [e for e in admitted if _supersedes_onto(e, entry_id, standing)]
    if host and host.startswith(GAIA_HOST):
        # Gaia has no state column: an entry is replaced exactly while an edge says so (DESIGN 7).
        replaced = any(s.present for s in fold_edges(onto, standing))
    else:
        adds = [e.order for e in onto if e.type == EDGE_ADD and standing.counts(e)]
        replaced = max(adds) > superseded[0] or superseded[1] if adds else superseded[1]
    if deleted[1]:
        return State.PURGED
    return State.SUPERSEDED if replaced else State.ACTIVE


def _supersedes_onto(event: Event, entry_id: str, standing: Standing) -> bool:
    return (
        event.type in (EDGE_ADD, EDGE_REMOVE)
        and edge_kind(str(event.payload.get("edge_kind"))) == SUPERSEDES
        and standing.real_id(event.other_id or "") == entry_id
    )


def _tags(counted: Iterable[Event]) -> tuple[str, ...]:
    tags: dict[str, bool] = {}
    for event in counted:
        if event.type == CREATE:
            tags.update(dict.fromkeys(_strings(event.payload.get("tags")), True))
        elif event.type == EDIT:
            tags.update(dict.fromkeys(_strings(event.payload.get("add_tags")), True))
            tags.update(dict.fromkeys(_strings(event.payload.get("rm_tags")), False))
    return tuple(sorted(t for t, present in tags.items() if present))


def _newest(counted: Sequence[Event]) -> Event | None:
    return next((e for e in reversed(counted) if e.type in (CREATE, EDIT, APPEND, DELETE)), None)


def _time(event: Event | None, key: str) -> str | None:
    """The host's own value where the event carries one (null included), else the event's time."""
    if event is None:
        return None
    return _text(event.payload[key]) if key in event.payload else event.timestamp or None


def _lost_edits(entry_id: str, own: Sequence[Event], standing: Standing) -> Iterable[LostEdit]:
    by_id = {e.event_id: e for e in own}
    writers: dict[str, list[Event]] = defaultdict(list)
    for event in own:
        if standing.counts(event):
            for name in PATCH_FIELDS:
                if name in written(event):
                    writers[name].append(event)
    for name, events in writers.items():
        if len(events) < 2:
            continue
        winner = events[-1]
        start: list[str] = []
        for place, event in enumerate(events):
            base = base_of(event, name)
            # An edit without a base (a foreign one) cannot be told concurrent: it is taken to have seen all before it.
            start += [e.event_id for e in events[:place]] if base is None else base
        seen = ancestors(by_id, start, name)
        for event in events[:-1]:
            value = written(event)[name]
            if event.event_id not in seen and value != written(winner)[name]:
                yield LostEdit(
                    entry_id, name, event.event_id, event.agent_id, event.timestamp, value, winner.event_id
                )


def fold_edges(events: Iterable[Event], standing: Standing) -> list[EdgeState]:
    """Every edge register that the given edge events write, in order of their keys."""
    registers: dict[tuple[str, str, str], EdgeState] = {}
    for event in sorted(events, key=lambda e: e.order):
        if event.type not in (EDGE_ADD, EDGE_REMOVE) or not standing.admits(event):
            continue
        source, target = event.memory_id, event.other_id
        if not source or not target or event.erased:
            continue
        kind = edge_kind(str(event.payload.get("edge_kind")))
        source, target = standing.real_id(source), standing.real_id(target)
        key = edge_key(source, kind, target)
        before = registers.get(key)
        present = before.present if before else False
        edge = before.edge if before else Edge(source, kind, target, _time(event, "created_at"))
        if standing.counts(event):
            present = event.type == EDGE_ADD
            edge = Edge(source, kind, target, _time(event, "created_at")) if present else edge
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
        if event.type in (EDGE_ADD, EDGE_REMOVE):
            edge_events.append(event)
            if event.other_id:
                by_entry[standing.real_id(event.other_id)].append(event)
        elif event.type in (CREATE, EDIT, APPEND, DELETE) and event.memory_id:
            by_entry[standing.real_id(event.memory_id)].append(event)
            if event.memory_id in standing.erased and not event.erased:
                memory.residue.append(event.event_id)
    for entry_id, own in by_entry.items():
        folded = fold_entry(entry_id, own, standing)
        if folded is not None:
            memory.entries[entry_id] = folded
        elif entry_id not in standing.erased:
            memory.waiting += [e.event_id for e in own if e.type not in (EDGE_ADD, EDGE_REMOVE)]
    memory.edges = {s.edge.key: s for s in fold_edges(edge_events, standing)}
    for key in [k for k in memory.edges if k[0] in standing.erased or k[2] in standing.erased]:
        del memory.edges[key]
    for entry_id, shown in display_names(f.entry for f in memory.entries.values()).items():
        folded = memory.entries[entry_id]
        folded.entry = _renamed(folded.entry, shown)
    memory.waiting.sort()
    memory.residue.sort()
    return memory


def display_names(entries: Iterable[Entry]) -> dict[str, str]:
    """Shown names where entries of a workspace share one: `name`, `name~2`, `name~3` (DESIGN 3.3).

    A host's own row keeps the name, then the smaller id. Only entries whose shown name differs are in the result.
    """
    groups: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.workspace, entry.name].append(entry)
    shown: dict[str, str] = {}
    for (_, name), group in groups.items():
        if len(group) > 1:
            group.sort(key=lambda e: (e.host is None, e.id))
            shown.update({e.id: f"{name}~{place}" for place, e in enumerate(group[1:], 2)})
    return shown


def _renamed(entry: Entry, shown: str) -> Entry:
    from dataclasses import replace

    return replace(entry, display_name=shown)


def _text(value: Any) -> str | None:
    return None if value is None else value if isinstance(value, str) else str(value)


def _strings(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, (list, tuple)) else []


def _one_of(enum: Any, value: Any, default: Any) -> Any:
    try:
        return enum(value)
    except ValueError:
        return default
