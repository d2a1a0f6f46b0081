"""The store as it was, and what changed between two moments: added, retired, reworded, moved, relinked. Pure.

A moment is an operation (everything up to its last event) or a time. What was written here counts from the time in its
id; what a host reported counts from the host's own time, so that a memory attached today has a past too. What was
erased since, and what is quarantined, stays out of every moment. Source: DESIGN 3.2, 3.3, 3.4 "Erase".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .events import PURGE_EXECUTED, QUARANTINE, Event, time_of, ulid_ms
from .fold import Memory, fold_all
from .history import Change, changes_between, size_change
from .model import STATE_LABELS, TEXT_FIELDS, Edge, Entry, State, edge_words, role_label

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: These bind for ever: a moment before them must not show what they took away.
_BINDING: Final = frozenset({PURGE_EXECUTED, QUARANTINE})

#: What became of an entry between two moments, in the order in which they are listed.
KINDS: Final = ("added", "retired", "brought back", "reworded", "moved", "relinked")


@dataclass(frozen=True, slots=True)
class Moment:
    """A point of the log.

    Attributes:
        event_id: the last event that counts, of a moment named by an operation.
        ms: the last millisecond that counts, of a moment named by a time.
        words: what to call it, such as the summary of the operation or the time as it was given.
        timestamp: RFC 3339, for its age.
        op_id: the operation it was named by.
    """

    event_id: str | None = None
    ms: int | None = None
    words: str = ""
    timestamp: str = ""
    op_id: str | None = None

    def admits(self, event: Event) -> bool:
        """Whether the event had happened by then (or binds whatever came before it)."""
        if event.type in _BINDING:
            return True
        if self.event_id is not None:
            return event.event_id <= self.event_id
        return happened_ms(event) <= (self.ms or 0)

    @property
    def floor(self) -> str:
        """An event id below which every event had happened by then."""
        if self.event_id is not None:
            return self.event_id
        return "evt_" + _ulid_start((self.ms or 0) + 1)


def happened_ms(event: Event) -> int:
    """When it happened, in milliseconds: by the host's own time where a host told it, else by its id."""
    told = time_of(event.timestamp) if event.host_ref else None
    if told is None:
        return ulid_ms(event.order)
    return min(int(told.timestamp() * 1000), ulid_ms(event.order))


def memory_at(events: Iterable[Event], moment: Moment) -> Memory:
    """The whole memory as it was at a moment."""
    return fold_all(e for e in events if moment.admits(e))


def _ulid_start(ms: int) -> str:
    """The smallest ULID of a millisecond."""
    digits = ""
    for _ in range(10):
        ms, digit = divmod(ms, 32)
        digits = _ALPHABET[digit] + digits
    return digits + "0" * 16


# -- what changed -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scene:
    """Entries as they stand at one moment, with the edges at them."""

    entries: Mapping[str, Entry]
    edges: Collection[Edge] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of one entry between two moments.

    Attributes:
        before, after: the entry at each; None where it did not exist.
        kinds: words of `KINDS`, the most telling first.
        fields: its fields that differ; of an added entry none.
        linked, unlinked: its edges that came and went.
    """

    before: Entry | None
    after: Entry | None
    kinds: tuple[str, ...]
    fields: tuple[Change, ...] = ()
    linked: tuple[Edge, ...] = ()
    unlinked: tuple[Edge, ...] = ()

    @property
    def entry(self) -> Entry:
        """The entry as it stands last."""
        entry = self.after or self.before
        assert entry is not None
        return entry


def difference(before: Scene, after: Scene) -> list[Changed]:
    """What became of the entries between two scenes, in the order of `KINDS`, then by name."""
    came, went = _by_end(after.edges, before.edges), _by_end(before.edges, after.edges)
    found = []
    for entry_id in {**before.entries, **after.entries}:
        one, other = before.entries.get(entry_id), after.entries.get(entry_id)
        changed = _changed(one, other, came.get(entry_id, ()), went.get(entry_id, ()))
        if changed.kinds:
            found.append(changed)
    return sorted(found, key=lambda c: (KINDS.index(c.kinds[0]), c.entry.workspace, c.entry.name, c.entry.id))


def _changed(one: Entry | None, other: Entry | None, came: Sequence[Edge], went: Sequence[Edge]) -> Changed:
    was = one is not None and one.state is State.ACTIVE
    stands = other is not None and other.state is State.ACTIVE
    fields = changes_between(one, other) if one is not None and other is not None else ()
    names = {c.field for c in fields}
    kinds = []
    if one is None and other is not None:
        kinds.append("added")
    elif was and not stands:
        kinds.append("retired")
    elif stands and not was:
        kinds.append("brought back")
    if names & set(TEXT_FIELDS):
        kinds.append("reworded")
    if names - set(TEXT_FIELDS) - {"state"}:
        kinds.append("moved")
    elif "state" in names and not kinds:
        kinds.append("moved")  # from replaced to deleted, or back: neither stands
    if came or went:
        kinds.append("relinked")
    return Changed(one, other, tuple(kinds), tuple(fields), tuple(came), tuple(went))


def _by_end(edges: Iterable[Edge], others: Iterable[Edge]) -> dict[str, list[Edge]]:
    """The edges that are not among `others`, under both their ends."""
    known = {e.key for e in others}
    found: dict[str, list[Edge]] = {}
    for edge in sorted(edges):
        if edge.key not in known:
            for end in dict.fromkeys((edge.source, edge.target)):
                found.setdefault(end, []).append(edge)
    return found


# -- words --------------------------------------------------------------------------------------------------------

_CALLED: Final = {"project_ref": "project", "body": "text", "origin_session_id": "session"}


def sentence(changed: Changed, names: Mapping[str, str]) -> str:
    """What became of an entry, in one phrase: "reworded: description, text (−80 %); is part of project_x".

    Args:
        names: id -> name of the entries at the far ends of its edges.
    """
    parts = [kind for kind in changed.kinds if kind in ("added", "retired", "brought back")]
    parts += [f"reworded: {', '.join(texts)}"] if (texts := _texts(changed)) else []
    parts += _moves(changed)
    parts += [_linked(changed, edge, names) for edge in changed.linked]
    parts += [f"no longer: {_linked(changed, edge, names)}" for edge in changed.unlinked]
    return "; ".join(parts)


def _linked(changed: Changed, edge: Edge, names: Mapping[str, str]) -> str:
    inbound = edge.source != changed.entry.id
    other = edge.source if inbound else edge.target
    name = names.get(other, other.removeprefix("missing:").rpartition("/")[2])
    return f"{edge_words(edge.kind, inbound=inbound)} {name}"


def _texts(changed: Changed) -> list[str]:
    found = []
    for change in changed.fields:
        if change.field in TEXT_FIELDS:
            called = _CALLED.get(change.field, change.field)
            size = f" ({percent})" if change.before and (percent := size_change(change.before, change.after)) else ""
            found.append(called + size)
    return found


def _moves(changed: Changed) -> list[str]:
    before, after = changed.before, changed.after
    if before is None or after is None:
        return []
    found = []
    names = {c.field for c in changed.fields}
    roles = [role_label(e.klass, e.status, e.type) for e in (before, after)]
    if names & {"class", "status"} and roles[0] != roles[1]:
        found.append(f"from “{roles[0]}” to “{roles[1]}”")
    if "state" in names and not {"retired", "brought back"} & set(changed.kinds):
        found.append(f"{STATE_LABELS[after.state]} now")
    for change in changed.fields:
        if change.field == "tags":
            found += [f"tagged {t}" for t in change.after if t not in change.before]
            found += [f"untagged {t}" for t in change.before if t not in change.after]
        elif change.field not in (*TEXT_FIELDS, "class", "status", "state"):
            called = _CALLED.get(change.field, change.field)
            found.append(f"{called} {change.before or 'none'} → {change.after or 'none'}")
    return found
