"""What stands behind a request: who wrote its reasons, and whether the same was turned down before (DESIGN 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..events import wish_of
from ..store import RequestRow
from ..text import one_line

if TYPE_CHECKING:
    from ..store import Store

#: Wordings of one request that are looked through for who wrote its reasons.
_MOST: Final = 200


def turned_down(store: Store, row: RequestRow) -> RequestRow | None:
    """The newest request of the same asker for the same that was rejected before this one was asked."""
    return newest_rejection(store, wish_of(row.asked_by, row.payload), before=row.event_id)


def newest_rejection(store: Store, wish: str, *, before: str | None = None) -> RequestRow | None:
    """The request for this that was rejected last.

    Args:
        wish: as `events.wish_of` tells it.
        before: only those asked before this event.
    """
    found = [r for r in store.requests("rejected", wish=wish) if before is None or r.event_id < before]
    return max(found, key=lambda r: r.decided_at or "", default=None) if wish else None


def turned_down_words(row: RequestRow) -> str:
    """`The same was turned down by user:ana on 2026-11-30 at 12:40 UTC: still needed.`"""
    at = row.decided_at or row.asked_at
    said = f"The same was turned down by {row.decided_by} on {at[:10]} at {at[11:16]} UTC"
    reason = (row.reason or "").strip()
    return f"{said}: {reason}" + ("" if reason.endswith((".", "!", "?")) else ".") if reason else f"{said}."


def rationale_by(store: Store, row: RequestRow) -> str:
    """Who wrote the reasons of a request as they are: its asker, or who gave it other ones later."""
    if row.revised_by is None:
        return row.asked_by
    event_id, why, by = row.revision_id, row.rationale, row.asked_by
    for _ in range(_MOST):
        event = store.events_by_id([event_id]).get(event_id)
        if event is None or str(event.payload.get("rationale") or "") != why:
            return by
        if event_id == row.event_id or not event.payload.get("revises"):
            return row.asked_by
        by, event_id = one_line(event.agent_id), str(event.payload["revises"])
    return by
