"""The tables that say which events count, kept in step with the log (core/standing.py has the rules).

Each part is recomputed from the log for the keys that a change touches: the host facts, headers, requests and
purges named by the changed events. What comes out is what else must be folded again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..events import (
    CREATE,
    DECISION,
    OPERATION,
    PURGE_EXECUTED,
    QUARANTINE,
    BadEvent,
    Event,
    normal_event_id,
    parse_line,
)  # fmt: skip
from ..standing import Standing, liveness, losing_decisions
from .log import by_ids, chunks, marks, select_in

_SPECIAL = frozenset({OPERATION, DECISION, QUARANTINE, PURGE_EXECUTED})


@dataclass(slots=True)
class Effects:
    """What a change of the log touches beyond its own events.

    Attributes:
        ops: operations whose events count otherwise now.
        events: events that are put aside or taken back now.
        ids: entry ids, as written, that stand for another entry now, and what they stood and stand for.
        erased: entry ids that are erased now.
    """

    ops: set[str] = field(default_factory=set)
    events: dict[str, Event] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)


def standing_for(conn: sqlite3.Connection, events: Sequence[Event]) -> Standing:
    """The part of the standing that these events need."""
    ops = {e.op_id for e in events if e.op_id}
    entry_ids = {i for e in events for i in (e.memory_id, e.other_id) if i}
    standing = Standing()
    for row in select_in(conn, "SELECT op_id, undone_by, undoing, ignored FROM op_standing WHERE op_id IN {}", ops):
        _mark_op(standing, *row)
    if conn.execute("SELECT EXISTS (SELECT 1 FROM quarantined) OR EXISTS (SELECT 1 FROM shadowed)").fetchone()[0]:
        ids = [e.event_id for e in events]
        standing.shadowed = put_aside(conn, ids)
        for column in ("event_id", "kept"):
            sql = f"SELECT event_id, kept FROM shadowed WHERE {column} IN {{}}"
            standing.twins.update(select_in(conn, sql, ids))
    if conn.execute("SELECT EXISTS (SELECT 1 FROM aliases)").fetchone()[0]:
        # `real` is final already, so one step of the chain is enough.
        standing.aliases = dict(select_in(conn, "SELECT alias, real FROM aliases WHERE alias IN {}", entry_ids))
    entry_ids |= set(standing.aliases.values())
    standing.erased = {i for (i,) in select_in(conn, "SELECT entry_id FROM erased WHERE entry_id IN {}", entry_ids)}
    return standing


def full_standing(conn: sqlite3.Connection) -> Standing:
    """The standing of the whole log, from the tables."""
    standing = Standing()
    for row in conn.execute("SELECT op_id, undone_by, undoing, ignored FROM op_standing"):
        _mark_op(standing, *row)
    aside = conn.execute("SELECT event_id FROM quarantined UNION SELECT event_id FROM shadowed")
    standing.shadowed = {i for (i,) in aside}
    standing.twins = dict(conn.execute("SELECT event_id, kept FROM shadowed").fetchall())
    standing.aliases = dict(conn.execute("SELECT alias, target FROM aliases").fetchall())
    standing.erased = {i for (i,) in conn.execute("SELECT entry_id FROM erased")}
    return standing


def _mark_op(standing: Standing, op_id: str, undone_by: str | None, undoing: int, ignored: int) -> None:
    if undone_by is not None:
        standing.dead.add(op_id)
    if undoing:
        standing.undoing.add(op_id)
    if ignored:
        standing.ignored.add(op_id)


def put_aside(conn: sqlite3.Connection, event_ids: Iterable[str]) -> set[str]:
    """Those of the ids that are quarantined or second reports of one host fact."""
    found: set[str] = set()
    for chunk in chunks(event_ids):
        for table in ("quarantined", "shadowed"):
            sql = f"SELECT event_id FROM {table} WHERE event_id IN {marks(chunk)}"
            found.update(i for (i,) in conn.execute(sql, chunk))
    return found


def raw_ids(conn: sqlite3.Connection, real: Iterable[str]) -> dict[str, list[str]]:
    """For each entry id every id under which its events were written, itself first."""
    found = {i: [i] for i in real}
    for alias, target in select_in(conn, "SELECT alias, real FROM aliases WHERE real IN {} AND alias <> real", found):
        found[target].append(alias)
    return found


def real_ids(conn: sqlite3.Connection, ids: Iterable[str]) -> dict[str, str]:
    """For each id, as written, the id that stands for it."""
    found = {i: i for i in ids}
    found.update(select_in(conn, "SELECT alias, real FROM aliases WHERE alias IN {}", list(found)))
    return found


class StandingTables:
    """Brings the standing tables in step with changed events of the log."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn

    def update(self, changed: Iterable[Event]) -> Effects:
        """Recompute what `changed` (events that joined or left the log) touches."""
        effects = Effects()
        events = [e for e in changed if e.type in _SPECIAL or e.host_ref]
        if not events:
            return effects
        for event in by_ids(self._conn, self._quarantines(events)):
            effects.events[event.event_id] = event
        events += effects.events.values()
        moved_events, effects.ids = self._host_facts([e for e in events if e.host_ref])
        for event in by_ids(self._conn, moved_events - effects.events.keys()):
            effects.events[event.event_id] = event
            events.append(event)
        moved = self._headers({e.op_id for e in events if e.type == OPERATION and e.op_id})
        ignored = self._decisions(
            {r for e in events if e.type == DECISION and isinstance(r := e.payload.get("request_id"), str)}
        )
        effects.ops |= ignored
        if moved or ignored:
            effects.ops |= self._liveness()
        if effects.ids or any(e.type == PURGE_EXECUTED for e in events):
            effects.erased = self._erased()
        return effects

    def _quarantines(self, events: Iterable[Event]) -> set[str]:
        """Record or forget what quarantine events name; returns the ids whose standing changed."""
        flips: set[str] = set()
        for event in events:
            if event.type != QUARANTINE:
                continue
            before = {i for (i,) in self._conn.execute(
                "SELECT event_id FROM quarantined WHERE by_event = ?", (event.event_id,))}  # fmt: skip
            kept = by_ids(self._conn, [event.event_id])  # of two contents, the one that counts
            named = {i for e in kept for i in quarantined_by(e)}
            rows = [(i, event.event_id) for i in named - before]
            gone = [(i, event.event_id) for i in before - named]
            self._conn.executemany("INSERT INTO quarantined (event_id, by_event) VALUES (?, ?)", rows)
            self._conn.executemany("DELETE FROM quarantined WHERE event_id = ? AND by_event = ?", gone)
            flips |= named ^ before
        return flips

    def _host_facts(self, changed: Sequence[Event]) -> tuple[set[str], set[str]]:
        """Of events that report one fact of a host the smaller id stands; returns (events, entry ids) that moved."""
        refs = sorted({e.host_ref for e in changed if e.host_ref})
        groups: dict[str, list[str]] = {}
        for ref, event_id in select_in(
            self._conn,
            "SELECT host_ref, event_id FROM log WHERE host_ref IN {} "
            "AND event_id NOT IN (SELECT event_id FROM quarantined) ORDER BY event_id",
            refs,
        ):
            groups.setdefault(ref, []).append(event_id)
        now = {other: group[0] for group in groups.values() for other in group[1:]}
        before = self._shadowed_of(refs, {e.event_id for e in changed})
        moved = {i for i in now.keys() | before.keys() if now.get(i) != before.get(i)}
        if not moved:
            return set(), set()
        self._conn.executemany("DELETE FROM shadowed WHERE event_id = ?", [(i,) for i in moved])
        rows = [(i, now[i]) for i in moved if i in now]
        self._conn.executemany("INSERT INTO shadowed (event_id, kept) VALUES (?, ?)", rows)
        creates = {e.memory_id for e in by_ids(self._conn, moved) if e.type == CREATE and e.memory_id}
        kept = {side[i] for side in (now, before) for i in moved if i in side}
        return moved | kept, self._aliases(creates)

    def _shadowed_of(self, refs: Sequence[str], changed: set[str]) -> dict[str, str]:
        """What is put aside as yet among the reports of these facts; of a changed event also for what it reported."""
        if not self._conn.execute("SELECT EXISTS (SELECT 1 FROM shadowed)").fetchone()[0]:
            return {}
        sql = "SELECT s.event_id, s.kept FROM log e JOIN shadowed s ON s.event_id = e.event_id WHERE e.host_ref IN {}"
        found = dict(select_in(self._conn, sql, refs))
        found.update(select_in(self._conn, "SELECT event_id, kept FROM shadowed WHERE event_id IN {}", changed))
        return found

    def _aliases(self, raw: set[str]) -> set[str]:
        """Recompute what these ids stand for; returns every id that is touched."""
        sql = (
            "SELECT o.entry_id, k.entry_id FROM log o JOIN shadowed s ON s.event_id = o.event_id "
            "JOIN log k ON k.event_id = s.kept WHERE o.entry_id IN {} AND o.type = 'memory.create' "
            "AND k.type = 'memory.create' AND k.entry_id IS NOT NULL AND k.entry_id <> o.entry_id "
            "AND o.event_id NOT IN (SELECT event_id FROM quarantined) ORDER BY o.event_id"
        )
        targets = dict(select_in(self._conn, sql, sorted(raw)))  # the last one wins, as in standing_of
        before = {a: (t, r) for a, t, r in self._conn.execute("SELECT alias, target, real FROM aliases")}
        chain = {a: t for a, (t, _) in before.items() if a not in raw} | targets
        resolve = Standing(aliases=chain).real_id
        now = {a: (t, resolve(a)) for a, t in chain.items()}
        moved = {a for a in now.keys() | before.keys() if now.get(a) != before.get(a)}
        self._conn.executemany("DELETE FROM aliases WHERE alias = ?", [(a,) for a in moved])
        self._conn.executemany(
            "INSERT INTO aliases (alias, target, real) VALUES (?, ?, ?)", [(a, *now[a]) for a in moved if a in now]
        )
        reals = {side[a][1] for side in (now, before) for a in moved if a in side}
        return moved | reals

    def _headers(self, op_ids: set[str]) -> bool:
        """Recompute the operations of these ids; returns whether what one of them undoes changed."""
        found: dict[str, Event] = {}
        sql = f"SELECT line FROM log WHERE op_id IN {{}} AND type = '{OPERATION}' ORDER BY event_id"
        headers = [parse_line(line) for (line,) in select_in(self._conn, sql, sorted(op_ids))]
        aside = put_aside(self._conn, (e.event_id for e in headers))
        for event in headers:
            if event.op_id and event.event_id not in aside:
                found[event.op_id] = event  # of several headers the newest stands
        before = dict(select_in(self._conn, "SELECT op_id, undoes FROM operations WHERE op_id IN {}", op_ids))
        self._conn.executemany("DELETE FROM operations WHERE op_id = ?", [(i,) for i in before])
        self._conn.executemany(
            "INSERT INTO operations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_operation_values, found.values())
        )
        return any(before.get(i) != (_str(found[i].payload.get("undoes")) if i in found else None) for i in op_ids)

    def _decisions(self, request_ids: set[str]) -> set[str]:
        """Recompute which decisions lose; returns the operations that became, or are no longer, ignored."""
        touched: set[str] = set()
        for request_id in sorted(request_ids):
            sql = f"SELECT line FROM log WHERE other_id = ? AND type = '{DECISION}'"
            group = [parse_line(line) for (line,) in self._conn.execute(sql, (request_id,)).fetchall()]
            aside = put_aside(self._conn, (e.event_id for e in group))
            group = [e for e in group if e.event_id not in aside]
            losers = losing_decisions(group)
            sql = "DELETE FROM losing_decisions WHERE request_id = ? RETURNING op_id"
            touched.update(o for (o,) in self._conn.execute(sql, (request_id,)).fetchall() if o)
            rows = [(e.event_id, request_id, e.op_id) for e in group if e.event_id in losers]
            self._conn.executemany("INSERT INTO losing_decisions VALUES (?, ?, ?)", rows)
            touched.update(op_id for _, _, op_id in rows if op_id)
        return {op_id for op_id in touched if self._ignore(op_id)}

    def _ignore(self, op_id: str) -> bool:
        """Mark whether a losing decision stands in this operation; returns whether that changed."""
        lost = self._conn.execute("SELECT 1 FROM losing_decisions WHERE op_id = ?", (op_id,)).fetchone() is not None
        was = self._conn.execute("SELECT ignored FROM op_standing WHERE op_id = ?", (op_id,)).fetchone()
        if lost == bool(was and was[0]):
            return False
        self._conn.execute(
            "INSERT INTO op_standing (op_id, ignored) VALUES (?, ?) "
            "ON CONFLICT (op_id) DO UPDATE SET ignored = excluded.ignored",
            (op_id, int(lost)),
        )
        return True

    def _liveness(self) -> set[str]:
        """Recompute which operations are undone, over all undos; returns those for which it changed."""
        undoes: dict[str, str | None] = dict(self._conn.execute(
            "SELECT op_id, undoes FROM operations WHERE undoes IS NOT NULL "
            "AND op_id NOT IN (SELECT op_id FROM op_standing WHERE ignored = 1)"
        ).fetchall())  # fmt: skip
        dead, undoing = liveness(undoes)
        by: dict[str, str] = {}
        for op_id in sorted(undoing - dead, reverse=True):
            target = undoes[op_id]
            if target in dead and target < op_id:
                by[target] = op_id
        now = {i: (by.get(i), int(i in undoing)) for i in dead | undoing}
        before = {
            i: (u, n) for i, u, n in self._conn.execute(
                "SELECT op_id, undone_by, undoing FROM op_standing WHERE undone_by IS NOT NULL OR undoing = 1")
        }  # fmt: skip
        changed = {i for i in now.keys() | before.keys() if now.get(i) != before.get(i)}
        self._conn.executemany(
            "INSERT INTO op_standing (op_id, undone_by, undoing) VALUES (?, ?, ?) ON CONFLICT (op_id) DO UPDATE SET "
            "undone_by = excluded.undone_by, undoing = excluded.undoing",
            [(i, *now.get(i, (None, 0))) for i in changed],
        )
        self._conn.execute("DELETE FROM op_standing WHERE undone_by IS NULL AND undoing = 0 AND ignored = 0")
        return changed

    def _erased(self) -> set[str]:
        """Recompute which entries are erased, each with the id that stands for it; returns those that changed."""
        sql = f"SELECT entry_id FROM log WHERE type = '{PURGE_EXECUTED}' AND entry_id IS NOT NULL"
        named = {entry_id for (entry_id,) in self._conn.execute(sql).fetchall()}
        now = named | set(real_ids(self._conn, named).values())
        before = {i for (i,) in self._conn.execute("SELECT entry_id FROM erased")}
        self._conn.executemany("INSERT INTO erased VALUES (?)", [(i,) for i in now - before])
        self._conn.executemany("DELETE FROM erased WHERE entry_id = ?", [(i,) for i in before - now])
        return now ^ before


def quarantined_by(event: Event) -> set[str]:
    """The event ids that a quarantine event names; what is no event id is passed over."""
    named = event.payload.get("event_ids")
    found = set()
    for item in named if isinstance(named, list) else ():
        try:
            found.add(normal_event_id(item))
        except BadEvent:
            continue
    return found


def _operation_values(event: Event) -> tuple[object, ...]:
    from .rows import storable

    payload = event.payload
    return (
        event.op_id, event.event_id, storable(_str(payload.get("verb")) or ""),
        storable(_str(payload.get("summary")) or ""), event.agent_id, event.on_behalf_of,
        storable(_str(payload.get("role"))), event.session_id, event.timestamp, storable(_str(payload.get("undoes"))),
        event.origin,
    )  # fmt: skip


def _str(value: object) -> str | None:
    return value if isinstance(value, str) else None
