"""The projection: every table that a reader touches, kept equal to the fold of the whole log (DESIGN 3).

A write adds events; `flush` then folds again exactly the entries, edges, requests and names that those events touch,
each once however many events there were. That the result equals `fold_all` is tested, and checked by `check`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, Final

from ..events import DECISION, PURGE_EXECUTED, REQUEST, VERDICT, Event, parse_line
from ..fold import Folded, display_names, fold_edges, fold_entry
from ..model import SUPERSEDES, SYMMETRIC_KINDS, Entry, EntryClass, State, edge_key
from ..standing import Standing, prefer
from . import log
from .about_user import refresh_user_work
from .requesting import refresh_requests
from .rows import ENTRY_COLUMNS, EXTRA_COLUMNS, entry_values, storable
from .standings import StandingTables, raw_ids, real_ids, standing_for

_FOLD_CHUNK: Final = 400
_COLUMNS: Final = ENTRY_COLUMNS + EXTRA_COLUMNS
_SET: Final = ", ".join(f'"{c}" = excluded."{c}"' for c in _COLUMNS if c not in ("id", "shown_name"))
_UPSERT: Final = (
    f"INSERT INTO entries ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))}) "
    f"ON CONFLICT (id) DO UPDATE SET {_SET}"
)

_NAME_COLUMNS: Final = "e.workspace, e.name, e.id, e.host, e.shown_name, e.creation_undone"

EdgeKey = tuple[str, str, str]


class Projection:
    """Adds events to the log within the open transaction and folds what they touch.

    Args:
        conn: a connection inside BEGIN IMMEDIATE.
    """

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._standing = StandingTables(conn)
        self._changed: list[Event] = []

    def add(self, events: Iterable[Event], lines: Iterable[str] | None = None) -> None:
        """Put new events (ids not yet in the log) into the log; they show after the next flush.

        Args:
            events: the events.
            lines: their canonical lines, where the caller has them already.
        """
        new = list(events)
        log.insert(self._conn, new, lines)
        self._changed += new

    def add_copy(self, event: Event) -> None:
        """Put another content of an id that is in the log into the log; which copy counts is decided anew."""
        self.add([event])
        self._vote(event.event_id)

    def _vote(self, event_id: str) -> None:
        """Of several copies of one id one counts (standing.prefer); the others stay in the log."""
        sql = "SELECT seq, line FROM events WHERE event_id = ?"
        copies = [(seq, parse_line(line)) for seq, line in self._conn.execute(sql, (event_id,)).fetchall()]
        kept = reduce(prefer, (event for _, event in copies))
        self._conn.executemany("DELETE FROM outvoted WHERE seq = ?", [(seq,) for seq, _ in copies])
        losers = [(seq,) for seq, event in copies if event is not kept]
        self._conn.executemany("INSERT INTO outvoted VALUES (?)", losers)
        self.note(event for _, event in copies)

    def note(self, events: Iterable[Event]) -> None:
        """Events that joined or left what counts by another way: what they touch is folded again."""
        self._changed += events

    def flush(self) -> None:
        """Bring the projection in step with the log."""
        while self._changed:
            changed, self._changed = self._changed, []
            self._project(changed)

    def _project(self, changed: list[Event]) -> None:
        effects = self._standing.update(changed)
        touched = [*changed, *effects.events.values(), *log.by_ops(self._conn, effects.ops)]
        entries: set[str] = set(effects.ids | effects.erased)
        around: set[str] = set(effects.ids | effects.erased)
        edges: set[EdgeKey] = set()
        requests: set[str] = set()
        judged: set[str] = set()
        asked: set[str] = set()  # entries that requests are about: what is erased goes from those too
        for event in touched:
            entry_id, other_id, kind = log.subject_of(event)
            if event.type in log.ENTRY_EVENTS:
                if entry_id:
                    entries.add(entry_id)
            elif kind is not None:
                if entry_id and other_id:
                    edges.add((entry_id, kind, other_id))
                if other_id and kind == SUPERSEDES:
                    entries.add(other_id)
            elif event.type in (REQUEST, DECISION) and other_id:
                requests.add(other_id)
                asked |= {entry_id} if entry_id else set()
            elif event.type == PURGE_EXECUTED and entry_id:
                entries.add(entry_id)
            elif event.type == VERDICT:
                judged |= {i for i in (entry_id, event.other_id) if i}
        self._forget_erased(entries | asked | {source for source, _, _ in edges})
        self._fold_entries(entries)
        self._fold_edges_around(around)
        self._fold_edges(edges)
        refresh_requests(self._conn, requests)
        near = entries | around | judged | {end for source, _, target in edges for end in (source, target)}
        refresh_user_work(self._conn, {*near, *real_ids(self._conn, near).values()})

    # -- entries --------------------------------------------------------------------------------------------------

    def _fold_entries(self, ids: set[str]) -> None:
        real = real_ids(self._conn, ids)
        gone = {i for i, r in real.items() if i != r}
        todo = sorted({*real.values(), *ids})
        names: set[tuple[str, str]] = set()
        for chunk in log.chunks(todo, _FOLD_CHUNK):
            names |= self._fold_chunk(chunk, gone)
        self._show_names(names)

    def _fold_chunk(self, ids: list[str], gone: set[str]) -> set[tuple[str, str]]:
        """Fold these entries and store them; returns the (workspace, name) pairs that they took or left."""
        folded, waiting, standing = fold_many(self._conn, [i for i in ids if i not in gone])
        before = {
            i: tuple(rest)
            for i, *rest in log.select_in(
                self._conn, "SELECT id, workspace, name, host, creation_undone FROM entries WHERE id IN {}", ids
            )
        }
        self._drop([i for i in before if i not in folded])
        self._conn.executemany(_UPSERT, (entry_values(f.entry, f.creation_undone) for f in folded.values()))
        self._store_tags({i: f.entry.tags for i, f in folded.items()}, before)
        self._store_lost(ids, folded, before)
        self._store_waiting(ids, {i: w for i, w in waiting.items() if i not in standing.erased})
        now = {
            i: (*(storable(v) for v in (f.entry.workspace, f.entry.name, f.entry.host)), f.creation_undone)
            for i, f in folded.items()
        }
        moved = [i for i in now.keys() | before.keys() if now.get(i) != before.get(i)]
        return {(str(side[i][0]), str(side[i][1])) for side in (now, before) for i in moved if i in side}

    def _drop(self, ids: list[str]) -> None:
        """Entries that are no more: erased, or an alias of another one now, or without their create again."""
        one = [(i,) for i in ids]
        self._conn.executemany("DELETE FROM entries WHERE id = ?", one)
        self._conn.executemany("DELETE FROM tags WHERE entry_id = ?", one)
        self._conn.executemany("DELETE FROM lost_edits WHERE entry_id = ?", one)

    def _store_tags(self, tags: Mapping[str, tuple[str, ...]], before: Mapping[str, Any]) -> None:
        had: dict[str, set[str]] = defaultdict(set)
        known = [i for i in tags if i in before]
        for entry_id, tag in log.select_in(self._conn, "SELECT entry_id, tag FROM tags WHERE entry_id IN {}", known):
            had[entry_id].add(tag)
        add, remove = [], []
        for entry_id, now in tags.items():
            wanted = {storable(t) for t in now}
            add += [(entry_id, t) for t in wanted - had[entry_id]]
            remove += [(entry_id, t) for t in had[entry_id] - wanted]
        self._conn.executemany("INSERT INTO tags (entry_id, tag) VALUES (?, ?)", add)
        self._conn.executemany("DELETE FROM tags WHERE entry_id = ? AND tag = ?", remove)

    def _store_lost(self, ids: list[str], folded: Mapping[str, Folded], before: Mapping[str, Any]) -> None:
        self._conn.executemany("DELETE FROM lost_edits WHERE entry_id = ?", [(i,) for i in ids if i in before])
        rows = [
            (i, e.field, e.event_id, storable(e.author), storable(e.timestamp), json.dumps(e.value), e.winner_id)
            for i, f in folded.items()
            for e in f.lost
        ]
        self._conn.executemany("INSERT OR IGNORE INTO lost_edits VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def _store_waiting(self, ids: list[str], waiting: Mapping[str, list[str]]) -> None:
        if self._conn.execute("SELECT EXISTS (SELECT 1 FROM waiting)").fetchone()[0]:
            self._conn.executemany("DELETE FROM waiting WHERE entry_id = ?", [(i,) for i in ids])
        rows = [(e, i) for i, events in waiting.items() for e in events]
        self._conn.executemany("INSERT INTO waiting (event_id, entry_id) VALUES (?, ?)", rows)

    def _show_names(self, pairs: set[tuple[str, str]]) -> None:
        """Give the entries of these (workspace, name) pairs the names they show: `name`, `name~2` (DESIGN 3.3)."""
        # An entry may really be called `name~2`: then the second `name` must not take that.
        todo = pairs | {(w, n.rpartition("~")[0]) for w, n in pairs if n.rpartition("~")[2].isdigit()}
        groups: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for chunk in log.chunks(sorted(todo)):
            values = ", ".join(["(?, ?)"] * len(chunk))
            sql = (
                f"WITH p (w, n) AS (VALUES {values}) SELECT {_NAME_COLUMNS} FROM p "
                "CROSS JOIN entries e ON e.workspace = p.w AND e.name = p.n"
            )
            for row in self._conn.execute(sql, [v for pair in chunk for v in pair]).fetchall():
                groups[row[0], row[1]].append(row[1:])
        updates: list[tuple[str, str]] = []
        for (workspace, name), group in groups.items():
            shown: dict[str, str] = {}
            if len(group) > 1:
                sql = f"SELECT {_NAME_COLUMNS} FROM entries e WHERE workspace = ? AND name > ? AND name < ?"
                near = self._conn.execute(sql, (workspace, name + "~", name + "~:")).fetchall()
                shown = _shown(workspace, [*group, *(row[1:] for row in near)])
            updates += [(shown.get(i, name), i) for _, i, _, old, _ in group if shown.get(i, name) != old]
        self._conn.executemany("UPDATE entries SET shown_name = ? WHERE id = ?", updates)

    # -- edges ----------------------------------------------------------------------------------------------------

    def _fold_edges(self, raw: set[EdgeKey]) -> None:
        """Fold the registers that these edges, as written, belong to."""
        real = real_ids(self._conn, {i for a, _, b in raw for i in (a, b)})
        keys = {edge_key(real[a], kind, real[b]) for a, kind, b in raw}
        if not keys:
            return
        aliases = raw_ids(self._conn, {i for a, _, b in keys for i in (a, b)})
        if len(keys) > 50:
            events = log.edges_touching(self._conn, {r for i in aliases for r in aliases[i]})
        else:
            events = []
            for source, kind, target in keys:
                events += log.edges_between(self._conn, aliases[source], aliases[target])
                if kind in SYMMETRIC_KINDS:
                    events += log.edges_between(self._conn, aliases[target], aliases[source])
            events = list({e.event_id: e for e in events}.values())
        for source, kind, target in keys:
            self._delete_edge(source, kind, target)
        self._insert_edges(events, keys)

    def _delete_edge(self, source: str, kind: str, target: str) -> None:
        sql = "DELETE FROM edges WHERE from_id = ? AND kind = ? AND to_id = ?"
        self._conn.execute(sql, (source, kind, target))
        if kind in SYMMETRIC_KINDS:
            self._conn.execute(sql, (target, kind, source))

    def _fold_edges_around(self, ids: set[str]) -> None:
        """Fold every edge at these ids: what they stand for changed, or they are erased."""
        if not ids:
            return
        reals = {*ids, *real_ids(self._conn, ids).values()}
        one = [(i, i) for i in reals]
        self._conn.executemany("DELETE FROM edges WHERE from_id = ? OR to_id = ?", one)
        raw = {r for alias in raw_ids(self._conn, reals).values() for r in alias}
        touching = log.edges_touching(self._conn, raw)
        # The far ends may have aliases too: fold whole registers, not the events found at this end alone.
        self._fold_edges({(a, k, b) for a, b, k in map(log.subject_of, touching) if a and b and k})

    def _insert_edges(self, events: list[Event], keys: set[EdgeKey]) -> None:
        standing = standing_for(self._conn, events)
        rows = [
            (s.edge.source, s.edge.kind, s.edge.target, storable(s.edge.created_at), s.tip, s.author)
            for s in fold_edges(events, standing)
            if s.present
            and s.edge.key in keys
            and s.edge.source not in standing.erased
            and s.edge.target not in standing.erased
        ]
        self._conn.executemany("INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?)", rows)

    # -- erase ----------------------------------------------------------------------------------------------------

    def _forget_erased(self, ids: set[str]) -> None:
        """Replace the payload of every event of an erased entry by the tombstone, and drop its local traces."""
        if not self._conn.execute("SELECT EXISTS (SELECT 1 FROM erased)").fetchone()[0]:
            return
        real = real_ids(self._conn, ids)
        sql = "SELECT entry_id FROM erased WHERE entry_id IN {}"
        erased = {real.get(i, i) for (i,) in log.select_in(self._conn, sql, {*real, *real.values()})}
        if not erased:
            return
        raw = sorted({r for alias in raw_ids(self._conn, erased).values() for r in alias})
        sql = f"SELECT DISTINCT other_id FROM log WHERE entry_id IN {{}} AND type = '{REQUEST}'"
        # Each wording says itself what it is about: a later one may be about another entry.
        requests = {r for (r,) in log.select_in(self._conn, sql, raw) if r is not None}
        for seq, line in log.select_in(
            self._conn, f"SELECT seq, line FROM events WHERE entry_id IN {{}} AND type <> '{PURGE_EXECUTED}'", raw
        ):
            event = parse_line(line)
            bare = log.tombstone_of(event)
            # An edge that holds nothing but its ids has no text to take away.
            if not event.erased and set(event.payload) - set(bare.payload):
                self._conn.execute("UPDATE events SET line = ? WHERE seq = ?", (bare.line(), seq))
                if self._has_copies(event.event_id):
                    self._vote(event.event_id)
        self._take_held(raw)
        for table in ("counters", "host_shadow", "host_pending"):
            self._conn.executemany(f"DELETE FROM {table} WHERE entry_id = ?", [(i,) for i in raw])
        refresh_requests(self._conn, requests)

    def _take_held(self, raw: list[str]) -> None:
        """Tombstones that waited for this purge join the log."""
        rows = list(log.select_in(self._conn, "SELECT event_id, line FROM held WHERE entry_id IN {}", raw))
        others = self._conn.execute("SELECT event_id, line FROM held").fetchall()
        rows += [row for row in others if row not in rows and log.twin_of_erased(self._conn, parse_line(row[1]))]
        self._conn.executemany("DELETE FROM held WHERE event_id = ? AND line = ?", rows)
        for event_id, line in rows:
            if self._conn.execute("SELECT 1 FROM events WHERE event_id = ? AND line = ?", (event_id, line)).fetchone():
                continue
            self.add([parse_line(line)])
            if self._has_copies(event_id):
                self._vote(event_id)

    def _has_copies(self, event_id: str) -> bool:
        sql = "SELECT count(*) FROM events WHERE event_id = ?"
        return int(self._conn.execute(sql, (event_id,)).fetchone()[0]) > 1


def fold_many(conn: sqlite3.Connection, ids: Iterable[str]) -> tuple[dict[str, Folded], dict[str, list[str]], Standing]:
    """Fold entries from their events: (folded by id, event ids of those without a create, the standing used)."""
    raw = raw_ids(conn, ids)
    real = {r: i for i, aliases in raw.items() for r in aliases}
    events: dict[str, dict[str, Event]] = defaultdict(dict)
    for event in log.of_entries(conn, list(real)):
        far = event.type in log.EDGE_EVENTS
        key = real.get((event.other_id if far else event.memory_id) or "")
        if key is not None:
            events[key][event.event_id] = event
    standing = standing_for(conn, [e for own in events.values() for e in own.values()])
    standing.erased |= {i for (i,) in log.select_in(conn, "SELECT entry_id FROM erased WHERE entry_id IN {}", raw)}
    folded: dict[str, Folded] = {}
    waiting: dict[str, list[str]] = {}
    for entry_id, own in events.items():
        result = fold_entry(entry_id, list(own.values()), standing)
        if result is not None:
            folded[entry_id] = result
        else:
            waiting[entry_id] = [e.event_id for e in own.values() if e.type not in log.EDGE_EVENTS]
    return folded, waiting, standing


def _shown(workspace: str, group: list[tuple[Any, ...]]) -> dict[str, str]:
    """The names that entries (name, id, host, …, creation_undone) of one workspace show, by the fold's own rule."""
    undone = {row[1] for row in group if row[4]}
    bare = Entry(
        id="", workspace=workspace, name="", type="", klass=EntryClass.ANCHOR, status=None, state=State.ACTIVE,
        title=None, description=None, summary=None, body="", tags=(), project_ref=None, initiative=None,
        audience="any", created_at=None, created_by="", updated_at=None, last_edited_by="", edit_count=0,
    )  # fmt: skip
    return display_names((replace(bare, id=i, name=name, host=host) for name, i, host, _, _ in group), undone)
