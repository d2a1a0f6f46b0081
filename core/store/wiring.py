"""The edges of many entries at once, and of all of them: what trees and faults are made from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ..model import Edge
from . import log
from .reading import Reading, attached


class Wiring(Reading):
    """Edges in bulk."""

    def edges_at(self, entry_ids: Iterable[str]) -> dict[str, list[Edge]]:
        """For each of these entries its edges, outbound first, then inbound.

        Args:
            entry_ids: ids as the edges hold them (never aliases); also of a missing end.
        """
        ids = list(dict.fromkeys(entry_ids))
        found: dict[str, dict[tuple[str, str, str], Edge]] = {i: {} for i in ids}
        with self._reading() as conn:
            rest = _hosts(conn)
            for column, end in (("from_id", 0), ("to_id", 2)):
                sql = f"SELECT from_id, kind, to_id, created_at FROM edges WHERE {column} IN {{}}{rest}"
                for row in log.select_in(conn, sql, ids):
                    found[row[end]].setdefault(row[:3], Edge(*row))
        return {i: list(edges.values()) for i, edges in found.items()}

    def edges_mark(self) -> tuple[int, str, int]:
        """Changes whenever an edge is added or removed, or a host with edges comes or goes."""
        with self._reading() as conn:
            # The sum tells an exchange of edges apart that leaves both their number and the newest one as they were.
            parts = " + ".join(f"{64 ** place} * unicode(substr(event_id, {-1 - place}))" for place in range(4))
            sql = f"SELECT count(*), max(event_id), total({parts}) FROM edges"
            count, newest, told = conn.execute(sql).fetchone()
            hosts = conn.execute("SELECT count(*) FROM hosts WHERE state = 'detached'").fetchone()[0]
            return int(count), f"{newest or ''}:{told:.0f}", int(hosts)

    def linked(self) -> dict[str, tuple[str, str, str]]:
        """Every entry that has an edge: id -> (workspace, shown name, state)."""
        with self._reading() as conn:
            sql = (
                f"SELECT e.id, e.workspace, e.shown_name, e.state FROM entries e WHERE {attached(conn, 'e')} "
                "AND e.id IN (SELECT from_id FROM edges UNION SELECT to_id FROM edges)"
            )
            return {i: (workspace, name, state) for i, workspace, name, state in conn.execute(sql)}


def _hosts(conn: sqlite3.Connection) -> str:
    """The condition that leaves out edges at entries of a detached host."""
    if attached(conn) == "1":
        return ""
    gone = "SELECT id FROM entries WHERE host IN (SELECT host_id FROM hosts WHERE state = 'detached')"
    return f" AND from_id NOT IN ({gone}) AND to_id NOT IN ({gone})"
