"""The requests table: each request with the decision that stands (DESIGN 3.3, 4)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from ..events import DECISION, PURGE_EXECUTED, REQUEST, Event, parse_line, wish_of
from ..standing import Standing, losing_decisions
from ..text import one_name
from .log import select_in
from .rows import storable
from .standings import put_aside, raw_ids, standing_for

_OUTCOMES = {"approved": "approved", "approve": "approved", "rejected": "rejected", "reject": "rejected"}

#: The reason of a request that nobody decided on, and that waits no longer.
_ERASED = "The entry it was about was erased{}, and with it what was asked for."


def refresh_requests(conn: sqlite3.Connection, request_ids: Iterable[str]) -> None:
    """Rebuild the rows of these requests from their events."""
    ids = sorted(set(request_ids))
    if not ids:
        return
    events: dict[str, list[Event]] = {i: [] for i in ids}
    kinds = f"('{REQUEST}', '{DECISION}')"
    sql = f"SELECT other_id, line FROM log WHERE other_id IN {{}} AND type IN {kinds} ORDER BY event_id"
    for request_id, line in select_in(conn, sql, ids):
        events[request_id].append(parse_line(line))
    standing = standing_for(conn, [e for own in events.values() for e in own])
    one = [(i,) for i in ids]
    conn.executemany("DELETE FROM requests WHERE request_id = ?", one)
    conn.executemany("DELETE FROM request_refs WHERE request_id = ?", one)
    conn.executemany("DELETE FROM request_wishes WHERE request_id = ?", one)
    for request_id, own in events.items():
        own.sort(key=lambda e: e.order)
        wordings = [e for e in own if e.type == REQUEST and standing.admits(e)]
        if wordings:
            _store(conn, request_id, wordings, [e for e in own if e.type == DECISION], standing)


def _store(
    conn: sqlite3.Connection, request_id: str, wordings: list[Event], decisions: list[Event], standing: Standing
) -> None:
    asked = wordings[0]
    decision = _standing(decisions, standing)
    worded = _in_force(wordings, decision, standing)
    erased = next((e for e in (worded, asked) if e.erased), None)
    purge = _purge_of(conn, erased, standing) if erased is not None and decision is None else None
    status = "pending" if standing.counts(asked) and erased is None else "withdrawn"
    if decision is not None:
        status = _status(decision)
    reason = decision.payload.get("reason") if decision else _erased_by(purge) if erased else None
    ended = decision or purge
    revised = worded is not asked
    payload = worded.payload
    asker = storable(str(asked.payload.get("asked_by") or asked.agent_id)) or ""
    conn.execute(
        "INSERT INTO requests (request_id, event_id, verb, asked_by, asked_at, status, decided_by, decided_at, reason, "
        "decision_id, op_id, payload, revision_id, revised_by, revised_at, session_id, origin) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            request_id, asked.event_id, storable(str(payload.get("verb") or "")),
            asker, asked.timestamp, status,
            decision.agent_id if decision else None, ended.timestamp if ended else None,
            storable(reason) if isinstance(reason, str) else None, decision.event_id if decision else None,
            decision.op_id if decision else None, storable(json.dumps(dict(payload), ensure_ascii=False)),
            worded.event_id,
            worded.agent_id if revised else None, worded.timestamp if revised else None, storable(asked.session_id),
            storable(asked.origin) or "",
        ),
    )  # fmt: skip
    refs = payload.get("refs")
    named = {r for r in refs if isinstance(r, str)} if isinstance(refs, list) else set()
    conn.executemany(
        "INSERT INTO request_refs VALUES (?, ?)", [(request_id, storable(r)) for r in sorted(named)]
    )
    wishes = {wish_of(asker, wording) for wording in (asked.payload, payload)} - {""}
    conn.executemany("INSERT INTO request_wishes VALUES (?, ?)", [(wish, request_id) for wish in sorted(wishes)])


def _purge_of(conn: sqlite3.Connection, erased: Event, standing: Standing) -> Event | None:
    """The first erase of the entry that a request was about."""
    ids = {erased.memory_id, standing.real_id(erased.memory_id or "")} - {None, ""}
    raw = sorted({alias for aliases in raw_ids(conn, map(str, ids)).values() for alias in aliases})
    sql = f"SELECT event_id, line FROM log WHERE entry_id IN {{}} AND type = '{PURGE_EXECUTED}'"
    found = dict(select_in(conn, sql, raw))
    aside = put_aside(conn, found)
    first = min((event_id for event_id in found if event_id not in aside), default=None)
    return parse_line(found[first]) if first is not None else None


def _erased_by(purge: Event | None) -> str:
    """The sentence that whoever asked reads."""
    if purge is None:
        return _ERASED.format("")
    at = purge.timestamp
    return _ERASED.format(f" by {one_name(purge.agent_id)} on {at[:10]} at {at[11:16]} UTC")


def _standing(decisions: list[Event], standing: Standing) -> Event | None:
    """The decision that stands, if any does."""
    seen = [e for e in decisions if e.event_id not in standing.shadowed]
    losers = losing_decisions(seen)
    live = [
        e for e in seen
        if e.event_id not in losers and e.op_id not in standing.dead and e.op_id not in standing.undoing
    ]  # fmt: skip
    # Two may be live where a redo brought one back that the other had seen undone: what was carried out stands.
    return max(live, key=lambda e: (_status(e) == "approved", e.order), default=None)


def _status(decision: Event) -> str:
    return _OUTCOMES.get(str(decision.payload.get("outcome")), "withdrawn")


def _in_force(wordings: list[Event], decision: Event | None, standing: Standing) -> Event:
    """The wording that holds: the one that was decided on (a later one came from somebody who did not know of the
    decision), else the newest that counts; undoing a revision falls back to the one before it."""
    decided_on = decision.payload.get("revision") if decision is not None else None
    for event in reversed(wordings):
        if event.event_id == decided_on or (decided_on is None and standing.counts(event)):
            return event
    newest = [e for e in wordings if standing.counts(e)]
    return newest[-1] if newest else wordings[0]
