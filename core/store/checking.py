"""Is the projection what the log says? And making it so again (DESIGN 3: every table is rebuilt from the log)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from ..events import parse_line
from ..fold import Memory, fold_all
from ..model import Entry, Telemetry
from .about_user import about_user
from .lookup import entries_where
from .reading import Reading
from .rows import storable
from .standings import full_standing

_PROJECTED: Final = (
    "quarantined", "shadowed", "aliases", "erased", "losing_decisions", "op_standing", "operations", "entries", "tags",
    "edges", "waiting", "lost_edits", "requests", "request_refs",
    "request_wishes", "user_work",
)  # fmt: skip
_MOST: Final = 50


class Checking(Reading):
    """Comparing and rebuilding."""

    def check(self, *, limit: int = _MOST) -> list[str]:
        """Compare the projection with the fold of the whole log; [] when they agree.

        Args:
            limit: at most so many differences, each one sentence.
        """
        with self._reading() as conn:
            alone = not conn.in_transaction
            if alone:  # one view of the log and the tables, whoever writes meanwhile
                conn.execute("BEGIN")
            try:
                memory = fold_all(parse_line(line) for (line,) in conn.execute("SELECT line FROM log"))
                return list(islice(_differences(conn, memory), limit))
            finally:
                if alone and conn.in_transaction:
                    conn.execute("COMMIT")

    def integrity(self) -> list[str]:
        """What SQLite finds wrong with the file and its full-text index; [] when it is sound."""
        with self._reading() as conn:
            said = [row[0] for row in conn.execute("PRAGMA quick_check(20)").fetchall()]
            found = [f"The file is damaged: {line}." for line in said if line != "ok"]
            try:
                conn.execute("INSERT INTO entries_fts (entries_fts) VALUES ('integrity-check')")
            except sqlite3.DatabaseError as error:
                found.append(f"The full-text index is damaged: {error}.")
            return found

    def rebuild(self) -> int:
        """Make every projected table anew from the log, in one transaction; returns the number of entries."""
        with self.transaction() as tx:
            for table in _PROJECTED:
                tx.db.execute(f"DELETE FROM {table}")
            tx.db.execute("DELETE FROM entries_fts")
            tx.projection.note(parse_line(line) for (line,) in tx.db.execute("SELECT line FROM log ORDER BY seq"))
            tx.flush()
            return int(tx.db.execute("SELECT count(*) FROM entries").fetchone()[0])


def _differences(conn: sqlite3.Connection, memory: Memory) -> Iterator[str]:
    """Each difference between the tables and the folded log, as a sentence."""
    yield from _standing_differences(conn, memory)
    stored = {e.id: e for e in entries_where(conn, "1", [])}
    undone = {i for (i,) in conn.execute("SELECT id FROM entries WHERE creation_undone = 1")}
    for entry_id in sorted(memory.entries.keys() | stored.keys()):
        folded, entry = memory.entries.get(entry_id), stored.get(entry_id)
        if folded is None or entry is None:
            yield f"The entry {entry_id} is in the {'table' if folded is None else 'log'} only."
            continue
        wanted = _as_stored(folded.entry)
        entry = replace(entry, telemetry=Telemetry())
        if wanted != entry:
            names = [n for n in Entry.__dataclass_fields__ if getattr(wanted, n) != getattr(entry, n)]
            yield f"The entry {entry_id} differs in {', '.join(names)}."
        if folded.creation_undone != (entry_id in undone):
            yield f"The entry {entry_id} differs in whether its creation was undone."
    wanted_edges = {s.edge for s in memory.edges.values() if s.present}
    rows = conn.execute("SELECT from_id, kind, to_id, created_at, event_id FROM edges").fetchall()
    stored_edges = {row[:3]: row[3:] for row in rows}
    for edge in sorted(wanted_edges):
        tip = memory.edges[edge.key].tip
        if stored_edges.pop((edge.source, edge.kind, edge.target), None) != (edge.created_at, tip):
            yield f"The edge {edge.source} {edge.kind} {edge.target} differs."
    for source, kind, target in sorted(stored_edges):
        yield f"The edge {source} {kind} {target} is in the table only."
    waiting = sorted(i for (i,) in conn.execute("SELECT event_id FROM waiting"))
    if waiting != memory.waiting:
        yield f"Waiting events differ: {sorted(set(waiting) ^ set(memory.waiting))[:5]}."
    lost = {(f.entry.id, e.field, e.event_id, e.winner_id) for f in memory.entries.values() for e in f.lost}
    if lost != set(conn.execute("SELECT entry_id, field, event_id, winner_id FROM lost_edits")):
        yield "Lost edits differ."
    if about_user(conn) != set(conn.execute("SELECT entry_id, op_id FROM user_work")):
        yield "What was done to entries about the user differs."
    indexed = conn.execute("SELECT count(*) FROM entries_fts").fetchone()[0]
    if indexed != len(stored):
        yield f"The full-text index holds {indexed} rows for {len(stored)} entries."


def _standing_differences(conn: sqlite3.Connection, memory: Memory) -> Iterator[str]:
    stored = full_standing(conn)
    wanted = memory.standing
    arrived = {i for (i,) in conn.execute("SELECT event_id FROM events")}
    pairs: dict[str, tuple[Any, Any]] = {
        "undone operations": (stored.dead, wanted.dead),
        "undoing operations": (stored.undoing, wanted.undoing),
        "ignored operations": (stored.ignored, wanted.ignored),
        "events put aside": (stored.shadowed & arrived, wanted.shadowed & arrived),
        "twins": (stored.twins, wanted.twins),
        "aliases": (stored.aliases, wanted.aliases),
        "erased entries": (stored.erased, wanted.erased),
    }
    for name, (have, want) in pairs.items():
        if have != want:
            yield f"The {name} differ."


def _as_stored(entry: Entry) -> Entry:
    """The entry as the table can hold it (a lone surrogate is no UTF-8)."""
    changes: dict[str, Any] = {}
    for name in Entry.__dataclass_fields__:
        value = getattr(entry, name)
        if type(value) is str and not value.isascii():
            changes[name] = storable(value)
    tags = tuple(sorted({storable(t) or "" for t in entry.tags}))
    if changes or tags != entry.tags:
        entry = replace(entry, tags=tags, **changes)
    return entry
