"""Which events of a log count: undone operations, losing decisions, duplicates, quarantine, erased entries.

Pure. The rules that look at the log as a whole live here; `fold` then looks at one entry or edge at a time.
Source: DESIGN 3.3 (host_ref, decisions, erase), 3.2 (quarantine), 3.5 (undo).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final

from .events import (
    CREATE,
    DECISION,
    OPERATION,
    PURGE_EXECUTED,
    QUARANTINE,
    BadEvent,
    Event,
    normal_event_id,
)

#: Sort key of the log: every id begins with `evt_`, so the whole id sorts as its ULID does, and faster.
by_id: Final = attrgetter("event_id")
_SPECIAL: Final = frozenset({OPERATION, DECISION, PURGE_EXECUTED, QUARANTINE})


@dataclass(slots=True)
class Standing:
    """What of a log counts.

    Attributes:
        dead: operations that a live operation undoes.
        undoing: operations that undo another (an undo, or a redo, which undoes an undo).
        ignored: operations of a losing decision: all their events but the decision itself are ignored.
        shadowed: event ids put aside: quarantined, or a second report of one host fact.
        twins: a second report of a host fact -> the event that is kept for it, so that a `base` naming one names both.
        aliases: the memory id of a shadowed create -> the id that stands for it.
        erased: memory ids whose text was physically removed, each with the id that stands for it.
    """

    dead: set[str] = field(default_factory=set)
    undoing: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)
    shadowed: set[str] = field(default_factory=set)
    twins: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)

    def admits(self, event: Event) -> bool:
        """Whether the event is part of the record at all (an undone one still is)."""
        return event.event_id not in self.shadowed and event.op_id not in self.ignored

    def counts(self, event: Event) -> bool:
        """Whether the event shapes what is shown.

        Neither an undone operation nor the undo itself does: what is shown is the fold of what remains, so an undo
        can never overwrite a change that it had not seen.
        """
        op_id = event.op_id
        return (
            op_id not in self.dead
            and op_id not in self.undoing
            and op_id not in self.ignored
            and event.event_id not in self.shadowed
        )

    def real_id(self, memory_id: str) -> str:
        """The id that stands for `memory_id`, following aliases."""
        if memory_id not in self.aliases:
            return memory_id
        seen: set[str] = set()
        while memory_id in self.aliases and memory_id not in seen:  # a circle ends where it closes
            seen.add(memory_id)
            memory_id = self.aliases[memory_id]
        return memory_id


def liveness(undoes: Mapping[str, str | None]) -> tuple[set[str], set[str]]:
    """(dead, undoing) from every operation id and what it undoes.

    An operation is dead iff a live operation undoes it. An undo is always newer than what it undoes (a header that
    claims otherwise undoes nothing), so one pass from the newest settles it.
    """
    dead: set[str] = set()
    undoing: set[str] = set()
    for op_id in sorted(undoes, reverse=True):
        target = undoes[op_id]
        if target is None:
            continue
        undoing.add(op_id)
        if op_id not in dead and target < op_id:
            dead.add(target)
    return dead, undoing


def chain(op_id: str, undoes: Mapping[str, str | None]) -> list[str]:
    """The operation, then what it undoes, and so on: `[undo, edit]`, `[redo, undo, edit]`."""
    found = [op_id]
    while (target := undoes.get(found[-1])) is not None and target not in found:
        found.append(target)
    return found


def losing_decisions(decisions: Iterable[Event]) -> set[str]:
    """Event ids of decisions that lose: a smaller decision on the same request stands that they had not seen.

    `base` of a decision lists the decisions (undone by then) that its author had seen.
    """
    by_request: dict[str, list[Event]] = {}
    for event in sorted(decisions, key=by_id):
        request_id = event.payload.get("request_id")
        if isinstance(request_id, str):  # one without it decides nothing, so it cannot lose either
            by_request.setdefault(request_id, []).append(event)
    losers: set[str] = set()
    for group in by_request.values():
        for place, event in enumerate(group):
            base = event.payload.get("base")
            seen = {b for b in base if isinstance(b, str)} if isinstance(base, list) else set()
            if any(earlier.event_id not in seen for earlier in group[:place] if earlier.event_id not in losers):
                losers.add(event.event_id)
    return losers


def canonical(events: Iterable[Event]) -> dict[str, Event]:
    """Events by id; of one id with two contents the erase's tombstone wins, else the smaller SHA-256."""
    kept: dict[str, Event] = {}
    for event in events:
        other = kept.get(event.event_id)
        kept[event.event_id] = event if other is None else prefer(other, event)
    return kept


def prefer(one: Event, other: Event) -> Event:
    """Which of two events with one id is kept (DESIGN 3.3)."""
    if one == other:
        return one
    if one.erased != other.erased:
        return one if one.erased else other
    return min(one, other, key=Event.digest)


def standing_of(events: Iterable[Event]) -> Standing:
    """The standing of a whole log given as canonical events, in any order."""
    standing = Standing()
    special: list[Event] = []
    for event in events:
        if event.host_ref or event.type in _SPECIAL:
            special.append(event)
    special.sort(key=by_id)
    for event in special:
        if event.type == QUARANTINE:
            standing.shadowed.update(_event_ids(event.payload.get("event_ids")))
        elif event.type == PURGE_EXECUTED and event.memory_id:
            # Neither a quarantine nor a losing decision takes an erase back: where it ran, the text is gone.
            standing.erased.add(event.memory_id)
    by_host_ref: dict[str, Event] = {}
    undoes: dict[str, str | None] = {}
    decisions: list[Event] = []
    for event in special:
        if event.event_id in standing.shadowed:
            continue
        if event.host_ref:
            first = by_host_ref.setdefault(event.host_ref, event)
            if first is not event:
                shadow(standing, first, event)
                continue
        if event.type == OPERATION and event.op_id:
            target = event.payload.get("undoes")
            undoes[event.op_id] = target if isinstance(target, str) else None
        elif event.type == DECISION:
            decisions.append(event)
    losers = losing_decisions(decisions)
    standing.ignored = {e.op_id for e in decisions if e.event_id in losers and e.op_id}
    standing.dead, standing.undoing = liveness({k: v for k, v in undoes.items() if k not in standing.ignored})
    standing.erased |= {standing.real_id(memory_id) for memory_id in standing.erased}
    return standing


def shadow(standing: Standing, kept: Event, other: Event) -> None:
    """Put `other` aside: `kept`, the smaller id, reports the same fact of a host."""
    standing.shadowed.add(other.event_id)
    standing.twins[other.event_id] = kept.event_id
    if kept.type == CREATE and other.type == CREATE:
        ours, theirs = kept.memory_id, other.memory_id
        if ours and theirs and ours != theirs:
            standing.aliases[theirs] = ours


def _event_ids(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        try:
            yield normal_event_id(item)
        except BadEvent:
            continue
