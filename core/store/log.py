"""The events table: inserting events, reading them back, chunks of ids.

Everything reads the view `log`, which leaves out the losing copy where one id arrived with two contents.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ..events import (
    APPEND,
    CREATE,
    DECISION,
    DELETE,
    EDGE_ADD,
    EDGE_REMOVE,
    EDIT,
    REQUEST,
    Event,
    parse_line,
    tombstone,
)  # fmt: skip
from ..model import edge_kind
from .rows import storable

#: Events that make an entry; edges and the purge stand apart.
ENTRY_EVENTS: Final = (CREATE, EDIT, APPEND, DELETE)
EDGE_EVENTS: Final = (EDGE_ADD, EDGE_REMOVE)
CHUNK: Final = 500

_INSERT: Final = (
    "INSERT INTO events (event_id, type, op_id, entry_id, other_id, edge_kind, host_ref, agent_id, timestamp, line) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def chunks(values: Iterable[Any], size: int = CHUNK) -> Iterator[list[Any]]:
    """The values in lists of at most `size`, small enough for one IN (…)."""
    chunk: list[Any] = []
    for value in values:
        chunk.append(value)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def marks(values: Sequence[Any]) -> str:
    """`(?, ?, ?)` for an IN of these values."""
    return "(" + ", ".join("?" * len(values)) + ")"


def select_in(conn: sqlite3.Connection, sql: str, values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Rows of `sql`, whose `{}` becomes an IN list, over all values in chunks."""
    for chunk in chunks(values):
        yield from conn.execute(sql.replace("{}", marks(chunk)), chunk).fetchall()


def subject_of(event: Event) -> tuple[str | None, str | None, str | None]:
    """(entry_id, other_id, edge_kind) under which an event is found again.

    An edge stands under both ends; a request under the one entry it is about (if it is one) and its own id; a decision
    under its request's id.
    """
    if event.type in EDGE_EVENTS:
        return event.memory_id, event.other_id, edge_kind(str(event.payload.get("edge_kind")))
    if event.type in (REQUEST, DECISION):
        request_id = event.payload.get("request_id")
        refs = event.payload.get("refs")
        one = refs[0] if isinstance(refs, list) and len(refs) == 1 and isinstance(refs[0], str) else None
        # What another program calls an id may be no text that the store can hold.
        return event.memory_id or storable(one), storable(request_id) if isinstance(request_id, str) else None, None
    return event.memory_id, None, None


def insert(conn: sqlite3.Connection, events: Sequence[Event], lines: Iterable[str] | None = None) -> None:
    """Put events into the log as they are; the caller knows that they are new."""
    rows = zip(events, lines if lines is not None else (e.line() for e in events), strict=True)
    conn.executemany(_INSERT, (
        (e.event_id, e.type, e.op_id or None, *subject_of(e), e.host_ref or None, e.agent_id, e.timestamp, line)
        for e, line in rows
    ))  # fmt: skip


def tombstone_of(event: Event) -> Event:
    """What an erase leaves of an event; a request keeps its id and the entry that it was about."""
    bare = tombstone(event)
    if event.type != REQUEST:
        return bare
    entry_id, request_id, _ = subject_of(event)
    kept = {k: v for k, v in (("memory_id", entry_id), ("request_id", request_id)) if v is not None}
    return replace(bare, payload={**bare.payload, **kept})


def twin_of_erased(conn: sqlite3.Connection, event: Event) -> bool:
    """Whether a create reports the same row of a host as the create of an erased entry: the two are one entry."""
    if event.type != CREATE or not event.host_ref:
        return False
    sql = (
        f"SELECT EXISTS (SELECT 1 FROM log WHERE host_ref = ? AND type = '{CREATE}' "
        "AND entry_id IN (SELECT entry_id FROM erased))"
    )
    return bool(conn.execute(sql, (event.host_ref,)).fetchone()[0])


def by_ids(conn: sqlite3.Connection, event_ids: Iterable[str]) -> list[Event]:
    """The events of these ids that are in the log."""
    return [parse_line(line) for (line,) in select_in(conn, "SELECT line FROM log WHERE event_id IN {}", event_ids)]


def by_ops(conn: sqlite3.Connection, op_ids: Iterable[str]) -> list[Event]:
    """Every event of these operations."""
    return [parse_line(line) for (line,) in select_in(conn, "SELECT line FROM log WHERE op_id IN {}", op_ids)]


def of_entries(conn: sqlite3.Connection, raw_ids: Iterable[str]) -> Iterator[Event]:
    """What `fold_entry` needs: the events of these ids as written, and the supersedes edges onto them."""
    raw = list(raw_ids)
    own = f"SELECT line FROM log WHERE entry_id IN {{}} AND type IN {ENTRY_EVENTS!r}"
    onto = f"SELECT line FROM log WHERE other_id IN {{}} AND type IN {EDGE_EVENTS!r} AND edge_kind = 'supersedes'"
    for sql in (own, onto):
        for (line,) in select_in(conn, sql, raw):
            yield parse_line(line)


def edges_touching(conn: sqlite3.Connection, raw_ids: Iterable[str]) -> list[Event]:
    """Every edge event with one of these ids at either end, each once."""
    found: dict[str, Event] = {}
    raw = list(raw_ids)
    for column in ("entry_id", "other_id"):
        sql = f"SELECT line FROM log WHERE {column} IN {{}} AND type IN {EDGE_EVENTS!r}"
        for (line,) in select_in(conn, sql, raw):
            event = parse_line(line)
            found[event.event_id] = event
    return list(found.values())


def edges_between(conn: sqlite3.Connection, sources: Sequence[str], targets: Sequence[str]) -> list[Event]:
    """Every edge event from one of `sources` to one of `targets` (ids as written)."""
    sql = (
        f"SELECT line FROM log WHERE entry_id IN {marks(sources)} AND other_id IN {marks(targets)} "
        f"AND type IN {EDGE_EVENTS!r}"
    )
    return [parse_line(line) for (line,) in conn.execute(sql, [*sources, *targets]).fetchall()]
