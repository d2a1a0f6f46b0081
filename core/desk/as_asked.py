"""What an entry said when a request about it was asked, from the log (DESIGN 4: who asks states the `base` it saw)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..events import APPEND, CREATE, DELETE, EDIT, Event
from ..fold import fold_entry, seen_from, written
from ..model import State
from ..standing import liveness
from ..store import RequestRow

if TYPE_CHECKING:
    from ..store import Store

#: Cannot be told: an event is not here, or its text is erased.
UNKNOWN: Final = object()


def tips_seen(row: RequestRow, entry_id: str, name: str) -> list[str]:
    """The events that had written a field last, as the request notes them, what was shown first."""
    seen = row.base.get(entry_id)
    tip = seen.get(name) if isinstance(seen, Mapping) else None
    found: Iterable[Any] = tip if isinstance(tip, list) else [tip]
    return [t for t in found if isinstance(t, str)]


def value_as_asked(
    store: Store, row: RequestRow, entry_id: str, name: str, events: Mapping[str, Event] | None = None
) -> Any:  # fmt: skip
    """A field of an entry as it was when the request took its base, or UNKNOWN.

    Args:
        name: a field of an edit, or "state".
        events: the events that `tips_seen` names, where the caller has read them.
    """
    tips = tips_seen(row, entry_id, name)
    if not tips:
        return State.ACTIVE if name == "state" else None
    events = store.events_by_id(tips) if events is None else events
    event = events.get(tips[0])
    if name == "body" and (len(tips) > 1 or event is None or "body" not in written(event)):
        return _body(store, row, entry_id, tips)
    if event is None or event.erased:
        return UNKNOWN
    return State.PURGED if name == "state" and event.type == DELETE else written(event).get(name, UNKNOWN)


def _body(store: Store, row: RequestRow, entry_id: str, heads: list[str]) -> Any:
    """The body folded from what its asker had seen: appends come one after another, in no single event."""
    at = str(row.payload.get("base_at") or row.revision_id)
    events = store.events_of(entry_id)
    known = {e.event_id: e for e in events}
    if any(known.get(h) is None or known[h].erased for h in heads):
        return UNKNOWN
    seen = seen_from(known, [known[h] for h in heads], "body", store.standing_for(events))

    def was_there(event: Event) -> bool:
        """Not later, and no writing of the body that came from elsewhere since with an earlier time."""
        writes = event.type == APPEND or (event.type == EDIT and "body" in written(event))
        unseen = writes and event.event_id not in heads and event.event_id not in seen
        return event.type == CREATE or (event.event_id < at and not unseen)

    kept = [e for e in events if was_there(e)]
    standing = store.standing_for(kept)
    done = {u: t for u, t in store.undoes().items() if f"evt_{u[3:]}" < at and u not in standing.ignored}
    standing.dead, standing.undoing = liveness(done)
    folded = fold_entry(entry_id, kept, standing)
    return folded.entry.body if folded is not None else UNKNOWN
