"""Finding single entries, their edges, and the events behind them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from ..events import Event, parse_line
from ..fold import Folded
from ..model import SYMMETRIC_KINDS, Edge, Entry, Telemetry, edge_kind
from ..standing import Standing
from . import log
from .projection import fold_many
from .reading import Reading, attached
from .rows import ENTRY_COLUMNS, entry_of
from .standings import full_standing, raw_ids, real_ids, standing_for

_ENTRY: str = ", ".join(f"e.{c}" for c in ENTRY_COLUMNS)
_STATES = "('active', 'superseded', 'purged')"
#: The least characters of an id that name an entry.
ID_PREFIX = 6


class Lookup(Reading):
    """Entries by reference or id, as stored and as folded; edges; events."""

    def entry(self, entry_id: str) -> Entry | None:
        """The entry of this id (or of an alias of it), purged ones included; None when there is none."""
        with self._reading() as conn:
            found = entries_where(conn, "e.id = ?", [real_ids(conn, [entry_id])[entry_id]])
            return found[0] if found else None

    def entries_of(self, entry_ids: Iterable[str]) -> list[Entry]:
        """The entries of these ids that exist, in the given order."""
        ids = list(entry_ids)
        with self._reading() as conn:
            found: dict[str, Entry] = {}
            for chunk in log.chunks(ids):
                found.update({e.id: e for e in entries_where(conn, f"e.id IN {log.marks(chunk)}", chunk)})
            return [found[i] for i in ids if i in found]

    def folded(self, entry_id: str) -> Folded | None:
        """The entry folded anew from its events, with the tips and heads that the next write names as its base."""
        with self._reading() as conn:
            real = real_ids(conn, [entry_id])[entry_id]
            folded = fold_many(conn, [real])[0].get(real)
            if folded is not None:
                stored = entries_where(conn, "e.id = ?", [real])
                folded.entry = stored[0] if stored else folded.entry
            return folded

    def folded_of(self, entry_ids: Iterable[str]) -> dict[str, Folded]:
        """`folded` for many entries in a few queries, by the ids given; those that are not there are left out."""
        with self._reading() as conn:
            real = real_ids(conn, entry_ids)
            folded = fold_many(conn, sorted(set(real.values())))[0]
            for chunk in log.chunks(sorted(folded)):
                for entry in entries_where(conn, f"e.id IN {log.marks(chunk)}", chunk):
                    folded[entry.id].entry = entry
            return {i: folded[r] for i, r in real.items() if r in folded}

    def lookup(self, ref: str, workspace: str | None = None, *, include_purged: bool = True) -> list[Entry]:
        """Every entry that `ref` may mean: an exact name or id; else a unique or shared prefix of ids.

        Args:
            ref: slug, `workspace/slug`, shown name (`slug~2`), id, or at least six characters of an id.
            workspace: look only there.
            include_purged: whether soft-deleted entries answer too.
        """
        with self._reading() as conn:
            rest = attached(conn, "e")
            args: list[str] = []
            if workspace is not None:
                rest += " AND e.workspace = ?"
                args = [workspace]
            if not include_purged:
                rest += " AND e.state <> 'purged'"
            order = " ORDER BY e.workspace, e.shown_name, e.id"
            named = f"{rest} AND e.state IN {_STATES} AND e.shown_name = ?"  # every state: so that the index serves
            exact = entries_where(conn, named + order, [*args, ref])
            for at in (i for i, c in enumerate(ref) if c == "/"):
                exact += entries_where(conn, f"{named} AND e.workspace = ?{order}", [*args, ref[at + 1 :], ref[:at]])
            real = real_ids(conn, [ref])[ref]
            exact += entries_where(conn, f"{rest} AND e.id = ?", [*args, real])
            found = list({e.id: e for e in exact}.values())
            if found or len(ref) < ID_PREFIX:
                return found
            for prefix in dict.fromkeys((ref, ref.upper())):
                found = entries_where(
                    conn, f"{rest} AND e.id >= ? AND e.id < ?{order}", [*args, prefix, prefix + "\U0010ffff"]
                )
                if found:
                    return found
            return []

    def name_owner(self, workspace: str, name: str) -> Entry | None:
        """The entry that holds this name in this workspace, purged entries included (DESIGN 1)."""
        with self._reading() as conn:
            found = entries_where(
                conn,
                f"{attached(conn, 'e')} AND e.workspace = ? AND e.name = ? "
                "ORDER BY e.shown_name <> e.name, e.creation_undone, e.id LIMIT 1",
                [workspace, name],
            )
            return found[0] if found else None

    def name_owners(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Entry]:
        """`name_owner` for many pairs of workspace and name; those without an owner are left out."""
        with self._reading() as conn:
            owners: dict[tuple[str, str], str] = {}
            for chunk in log.chunks(dict.fromkeys(pairs)):
                values = ", ".join(["(?, ?)"] * len(chunk))
                sql = (
                    f"WITH p (w, n) AS (VALUES {values}) SELECT p.w, p.n, e.id FROM p CROSS JOIN entries e "
                    f"ON e.workspace = p.w AND e.name = p.n WHERE {attached(conn, 'e')} "
                    "ORDER BY e.shown_name <> e.name, e.creation_undone, e.id"
                )
                for workspace, name, entry_id in conn.execute(sql, [part for pair in chunk for part in pair]):
                    owners.setdefault((workspace, name), entry_id)
        entries = {e.id: e for e in self.entries_of(owners.values())}
        return {pair: entries[i] for pair, i in owners.items() if i in entries}

    def name_clashes(self, workspace: str | None = None) -> list[tuple[str, str, list[str]]]:
        """(workspace, name, ids) of names that several current entries share; the one that keeps the name first."""
        with self._reading() as conn:
            where, args = f"e.state = 'active' AND {attached(conn, 'e')}", list[str]()
            if workspace is not None:
                where, args = where + " AND e.workspace = ?", [workspace]
            rows = conn.execute(
                f"SELECT e.workspace, e.name, e.id FROM entries e WHERE {where} AND (e.workspace, e.name) IN "
                "(SELECT workspace, name FROM entries WHERE shown_name <> name) ORDER BY e.workspace, e.name, "
                "length(e.shown_name), e.shown_name", args,
            ).fetchall()  # fmt: skip
        found: dict[tuple[str, str], list[str]] = {}
        for place, name, entry_id in rows:
            found.setdefault((place, name), []).append(entry_id)
        return [(place, name, ids) for (place, name), ids in found.items() if len(ids) > 1]

    def row_of(self, entry_id: str) -> int | None:
        """The list key of an entry."""
        with self._reading() as conn:
            row = conn.execute(
                "SELECT row FROM entries WHERE id = ?", (real_ids(conn, [entry_id])[entry_id],)
            ).fetchone()
            return int(row[0]) if row else None

    # -- edges ----------------------------------------------------------------------------------------------------

    def edges_of(self, entry_id: str) -> list[Edge]:
        """The edges at this entry, outbound first, then inbound."""
        with self._reading() as conn:
            real = real_ids(conn, [entry_id])[entry_id]
            rest = _edge_hosts(conn)
            sql = "SELECT from_id, kind, to_id, created_at FROM edges WHERE {} = ?" + rest + " ORDER BY kind, {}"
            out = conn.execute(sql.format("from_id", "to_id"), (real,)).fetchall()
            inbound = conn.execute(sql.format("to_id", "from_id"), (real,)).fetchall()
            return list({(e.source, e.kind, e.target): e for e in (Edge(*r) for r in (*out, *inbound))}.values())

    def edges(self, kind: str | None = None, source: str | None = None, target: str | None = None) -> list[Edge]:
        """Edges of this kind, from this entry, onto this entry; all when nothing is given.

        Asked for a symmetric kind (`related_to`) by name, an edge is found from either end.
        """
        kind = edge_kind(kind) if kind is not None else None
        ends = [(source, target)]
        if kind in SYMMETRIC_KINDS and (source or target):
            ends.append((target, source))
        with self._reading() as conn:
            rest = _edge_hosts(conn)
            found: dict[tuple[str, str, str], Edge] = {}
            for a, b in ends:
                given = {k: v for k, v in (("from_id", a), ("to_id", b), ("kind", kind)) if v is not None}
                where = " AND ".join(f"{k} = ?" for k in given) or "1"
                sql = f"SELECT from_id, kind, to_id, created_at FROM edges WHERE {where}{rest} ORDER BY 1, 2, 3"
                for row in conn.execute(sql, list(given.values())):
                    found.setdefault(row[:3], Edge(*row))
            return list(found.values())

    def out_degree(self, entry_id: str) -> int:
        """How many edges leave the entry."""
        with self._reading() as conn:
            sql = "SELECT count(*) FROM edges WHERE from_id = ?"
            return int(conn.execute(sql, (real_ids(conn, [entry_id])[entry_id],)).fetchone()[0])

    # -- events ---------------------------------------------------------------------------------------------------

    def events(self, *, after: str | None = None) -> Iterator[Event]:
        """Every event of the log in ULID order, quarantined and shadowed ones included.

        Args:
            after: only events above this id.
        """
        last = after or ""
        while True:
            with self._reading() as conn:
                rows = conn.execute(
                    "SELECT event_id, line FROM log WHERE event_id > ? ORDER BY event_id LIMIT 2000", (last,)
                ).fetchall()
            if not rows:
                return
            for _, line in rows:
                yield parse_line(line)
            last = rows[-1][0]

    def events_since(self, seq: int = 0) -> Iterator[tuple[int, Event]]:
        """Every event that arrived after position `seq`, in order of arrival, with its position."""
        while True:
            with self._reading() as conn:
                rows = conn.execute(
                    "SELECT seq, line FROM log WHERE seq > ? ORDER BY seq LIMIT 2000", (seq,)
                ).fetchall()
            if not rows:
                return
            for seq, line in rows:
                yield seq, parse_line(line)

    def events_of(self, entry_id: str) -> list[Event]:
        """Every event about the entry in ULID order: its own, edges at both ends, erase, single-entry requests."""
        with self._reading() as conn:
            raw = raw_ids(conn, [real_ids(conn, [entry_id])[entry_id]])
            ids = next(iter(raw.values()))
            found: dict[str, Event] = {}
            for column in ("entry_id", "other_id"):
                for (line,) in log.select_in(conn, f"SELECT line FROM log WHERE {column} IN {{}}", ids):
                    event = parse_line(line)
                    found[event.event_id] = event
            return [found[i] for i in sorted(found)]

    def events_of_op(self, op_id: str) -> list[Event]:
        """Every event of an operation in ULID order, its header first."""
        with self._reading() as conn:
            return sorted(log.by_ops(conn, [op_id]), key=lambda e: e.order)

    def events_by_id(self, event_ids: Iterable[str]) -> dict[str, Event]:
        """The events of these ids that are in the log."""
        with self._reading() as conn:
            return {e.event_id: e for e in log.by_ids(conn, event_ids)}

    def standing(self) -> Standing:
        """What of the whole log counts."""
        with self._reading() as conn:
            return full_standing(conn)

    def standing_for(self, events: Sequence[Event]) -> Standing:
        """What counts, as far as these events need it: cheap however big the log is."""
        with self._reading() as conn:
            return standing_for(conn, events)


def entries_where(conn: sqlite3.Connection, where: str, args: Sequence[object], tail: str = "") -> list[Entry]:
    """Entries with tags and counters; `e` is entries, `c` counters."""
    sql = (
        f"SELECT c.injection, c.deliberate, c.last_injected_at, c.last_deliberate_at, {_ENTRY} FROM entries e "
        f"LEFT JOIN counters c ON c.entry_id = e.id WHERE {where} {tail}"
    )
    rows = conn.execute(sql, args).fetchall()
    tags: dict[str, list[str]] = {}
    for entry_id, tag in log.select_in(
        conn, "SELECT entry_id, tag FROM tags WHERE entry_id IN {} ORDER BY entry_id, tag", [r[4] for r in rows]
    ):
        tags.setdefault(entry_id, []).append(tag)
    return [
        entry_of(r[4:], tags.get(r[4], ()), Telemetry(r[0] or 0, r[1] or 0, r[2], r[3]) if r[0] is not None else None)
        for r in rows
    ]


def _edge_hosts(conn: sqlite3.Connection) -> str:
    """The condition that leaves out edges at entries of a detached host."""
    if attached(conn) == "1":
        return ""
    gone = "SELECT id FROM entries WHERE host IN (SELECT host_id FROM hosts WHERE state = 'detached')"
    return f" AND from_id NOT IN ({gone}) AND to_id NOT IN ({gone})"
