"""The hosts' own bookkeeping in the store: which hosts, their shadows, what waits to be pushed. SQL, no rules.

Every method works on the connection it is given, so that bookkeeping and events commit together.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..model import edge_key

ATTACHED: Final = "attached"
DETACHED: Final = "detached"
_CHUNK: Final = 400


@dataclass(frozen=True, slots=True)
class HostRecord:
    """One line of the `hosts` table. `detail` is the host kind's own notebook."""

    host_id: str
    kind: str
    path: str
    attached_at: str | None
    last_pull_at: str | None
    state: str
    detail: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PendingRecord:
    """An entry whose change has not reached the host, and why."""

    entry_id: str
    since: str
    fields: tuple[str, ...]
    attempts: int
    error: str


def hosts(db: sqlite3.Connection) -> list[HostRecord]:
    """Every host that was ever attached, in order of attaching."""
    columns = "host_id, kind, path, attached_at, last_pull_at, state, detail"
    found = db.execute(f"SELECT {columns} FROM hosts ORDER BY attached_at, host_id")
    return [
        HostRecord(host_id, kind, path, attached_at, last_pull_at, state, json.loads(detail or "{}"))
        for host_id, kind, path, attached_at, last_pull_at, state, detail in found
    ]


class Books:
    """The bookkeeping of one host, on one connection."""

    def __init__(self, db: sqlite3.Connection, host_id: str) -> None:
        self.db = db
        self.host_id = host_id

    # -- the host -------------------------------------------------------------------------------------------------

    def record(self) -> HostRecord | None:
        """The host's line, or None when it was never attached."""
        return next((h for h in hosts(self.db) if h.host_id == self.host_id), None)

    def attach(self, kind: str, path: str, at: str) -> None:
        """Note the host as attached; the first time stays."""
        self.db.execute(
            "INSERT INTO hosts (host_id, kind, path, attached_at, state, detail) VALUES (?, ?, ?, ?, ?, '{}') "
            "ON CONFLICT (host_id) DO UPDATE SET path = excluded.path, state = excluded.state",
            (self.host_id, kind, path, at, ATTACHED),
        )

    def set_state(self, state: str) -> None:
        """Attached or detached."""
        self.db.execute("UPDATE hosts SET state = ? WHERE host_id = ?", (state, self.host_id))

    def pulled(self, at: str) -> None:
        """Note when the host was last pulled."""
        self.db.execute("UPDATE hosts SET last_pull_at = ? WHERE host_id = ?", (at, self.host_id))

    def detail(self, **changes: Any) -> None:
        """Write into the notebook."""
        record = self.record()
        notes = {**(record.detail if record else {}), **changes}
        self.db.execute("UPDATE hosts SET detail = ? WHERE host_id = ?", (json.dumps(notes), self.host_id))

    # -- shadows --------------------------------------------------------------------------------------------------

    def shadows(self, table: str) -> Iterator[tuple[str, str, str]]:
        """(key, entry id, JSON) of every shadow of a table."""
        sql = "SELECT key, entry_id, fields FROM host_shadow WHERE host_id = ? AND tbl = ?"
        yield from self.db.execute(sql, (self.host_id, table))

    def shadow_at(self, table: str, key: str) -> tuple[str, str, str] | None:
        """The shadow of one key."""
        sql = "SELECT key, entry_id, fields FROM host_shadow WHERE host_id = ? AND tbl = ? AND key = ?"
        found: tuple[str, str, str] | None = self.db.execute(sql, (self.host_id, table, key)).fetchone()
        return found

    def shadows_of(self, table: str, entry_ids: Iterable[str]) -> list[tuple[str, str, str]]:
        """The shadows of some entries."""
        sql = "SELECT key, entry_id, fields FROM host_shadow WHERE host_id = ? AND tbl = ? AND entry_id IN ({})"
        return [row for part in _parts(entry_ids) for row in self._in(sql, part, self.host_id, table)]

    def shadows_like(self, table: str, part: str) -> list[tuple[str, str, str]]:
        """The shadows whose key names an id."""
        sql = "SELECT key, entry_id, fields FROM host_shadow WHERE host_id = ? AND tbl = ? AND instr(key, ?)"
        return self.db.execute(sql, (self.host_id, table, part)).fetchall()

    def follow_aliases(self, link_table: str) -> None:
        """Where a merge with another store made an entry an alias of its twin, the shadows follow (DESIGN 3.3)."""
        real = dict(self.db.execute("SELECT alias, real FROM aliases").fetchall())
        if not real:
            return
        self.db.execute(
            "UPDATE host_shadow SET entry_id = (SELECT real FROM aliases WHERE alias = entry_id) "
            "WHERE host_id = ? AND entry_id IN (SELECT alias FROM aliases)",
            (self.host_id,),
        )
        for key, _, fields in list(self.shadows(link_table)):
            source, kind, target = json.loads(key)
            now = edge_key(real.get(source, source), kind, real.get(target, target))
            if now != (source, kind, target):
                self.drop_shadows(link_table, [key])
                moved = json.dumps(now, ensure_ascii=False, separators=(",", ":"))
                self.put_shadows(link_table, [(moved, now[0], fields)])

    def aliased(self) -> bool:
        """Whether a shadow stands under an id that has become an alias."""
        sql = "SELECT 1 FROM aliases CROSS JOIN host_shadow ON entry_id = alias WHERE host_id = ? LIMIT 1"
        return self.db.execute(sql, (self.host_id,)).fetchone() is not None

    def put_shadows(self, table: str, rows: Iterable[tuple[str, str, str]]) -> None:
        """Write (key, entry id, JSON); an existing key is overwritten."""
        self.db.executemany(
            "INSERT INTO host_shadow (host_id, tbl, key, entry_id, fields) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (host_id, tbl, key) DO UPDATE SET entry_id = excluded.entry_id, fields = excluded.fields",
            [(self.host_id, table, *row) for row in rows],
        )

    def drop_shadows(self, table: str, keys: Iterable[str]) -> None:
        """Forget some keys."""
        sql = "DELETE FROM host_shadow WHERE host_id = ? AND tbl = ? AND key = ?"
        self.db.executemany(sql, [(self.host_id, table, key) for key in keys])

    # -- history and events -----------------------------------------------------------------------------------------

    def own_history(self, after: int = 0) -> set[int]:
        """History ids above `after` that our pushes caused."""
        sql = "SELECT history_id FROM host_own_history WHERE host_id = ? AND history_id > ?"
        return {i for (i,) in self.db.execute(sql, (self.host_id, after))}

    def add_own_history(self, ids: Iterable[int]) -> None:
        """Remember history ids that our push caused."""
        sql = "INSERT INTO host_own_history VALUES (?, ?) ON CONFLICT DO NOTHING"
        self.db.executemany(sql, [(self.host_id, i) for i in ids])

    def known_refs(self, refs: Iterable[str]) -> dict[str, str | None]:
        """Which of these host_refs the log already holds, with the entry they are about."""
        sql = "SELECT host_ref, entry_id FROM events WHERE host_ref IN ({}) ORDER BY event_id DESC"
        return {ref: entry for part in _parts(refs) for ref, entry in self._in(sql, part)}

    def knows(self, ref: str) -> bool:
        """Whether the log holds an event of this host_ref."""
        return self.db.execute("SELECT 1 FROM events WHERE host_ref = ?", (ref,)).fetchone() is not None

    def last_seq(self) -> int:
        """The arrival number of the newest event of the log."""
        return int(self.db.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0])

    def touched_since(self, seq: int) -> set[str]:
        """Entry ids that events since `seq` touched, those that this host itself reported left out."""
        sql = (
            "SELECT entry_id, other_id FROM events WHERE seq > ? "
            "AND (host_ref IS NULL OR host_ref < ? OR host_ref >= ?)"
        )
        found = self.db.execute(sql, (seq, f"{self.host_id}/", f"{self.host_id}0"))
        return {i for row in found for i in row if i is not None}

    def entries_here(self, entry_ids: Iterable[str]) -> set[str]:
        """Those of the ids that are entries of this host, aliases resolved."""
        ids = set(entry_ids)
        for part in _parts(ids.copy()):
            ids |= {row[0] for row in self._in("SELECT real FROM aliases WHERE alias IN ({})", part)}
        sql = "SELECT id FROM entries WHERE host = ? AND id IN ({})"
        return {row[0] for part in _parts(ids) for row in self._in(sql, part, self.host_id)}

    def unplaced(self) -> dict[tuple[str, str], str]:
        """(workspace, name) -> id of the entries of this host that have no row there as far as is known."""
        sql = (
            "SELECT workspace, name, id FROM entries WHERE host = ?1 AND id NOT IN "
            "(SELECT entry_id FROM host_shadow WHERE host_id = ?1 AND tbl = 'memory')"
        )
        return {(workspace, name): i for workspace, name, i in self.db.execute(sql, (self.host_id,))}

    # -- what waits -----------------------------------------------------------------------------------------------

    def pending(self) -> list[PendingRecord]:
        """What has not reached the host, oldest first."""
        sql = (
            "SELECT entry_id, since, wanted, attempts, last_error FROM host_pending WHERE host_id = ? "
            "ORDER BY since, entry_id"
        )
        return [
            PendingRecord(i, since or "", tuple(json.loads(wanted or "[]")), attempts, error or "")
            for i, since, wanted, attempts, error in self.db.execute(sql, (self.host_id,))
        ]

    def wait(self, entry_id: str, fields: Sequence[str], at: str, error: str) -> None:
        """Note an entry that could not be pushed. Only the names of its fields are kept: the log has the texts."""
        self.db.execute(
            "INSERT INTO host_pending (host_id, entry_id, since, wanted, attempts, last_error) "
            "VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT (host_id, entry_id) DO UPDATE SET "
            "wanted = excluded.wanted, attempts = attempts + 1, last_error = excluded.last_error",
            (self.host_id, entry_id, at, json.dumps(sorted(fields)), error),
        )

    def arrived(self, entry_ids: Iterable[str]) -> None:
        """The host holds these now."""
        sql = "DELETE FROM host_pending WHERE host_id = ? AND entry_id = ?"
        self.db.executemany(sql, [(self.host_id, i) for i in entry_ids])

    # -- what is only shown -----------------------------------------------------------------------------------------

    def count_up(self, entry_id: str, deltas: tuple[int, int], times: tuple[str | None, str | None]) -> None:
        """Add the host's telemetry to what is counted here; the later time wins."""
        self.db.execute(
            "INSERT INTO counters (entry_id, injection, deliberate, last_injected_at, last_deliberate_at) "
            "VALUES (?1, max(?2, 0), max(?3, 0), ?4, ?5) ON CONFLICT (entry_id) DO UPDATE SET "
            "injection = max(injection + ?2, 0), deliberate = max(deliberate + ?3, 0), "
            "last_injected_at = nullif(max(coalesce(last_injected_at, ''), coalesce(?4, '')), ''), "
            "last_deliberate_at = nullif(max(coalesce(last_deliberate_at, ''), coalesce(?5, '')), '')",
            (entry_id, *deltas, *times),
        )

    def put_workspace(self, name: str, identity: str | None, created_at: str, status: str) -> None:
        """List a workspace of the host; one that another attached host already has stays with that one."""
        self.db.execute(
            "INSERT INTO workspaces (name, identity, host, created_at, status) VALUES (?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT (name) DO UPDATE SET identity = ?2, host = ?3, status = ?5 "
            "WHERE (host IS NULL OR host = ?3 OR host IN (SELECT host_id FROM hosts WHERE state = 'detached')) "
            "AND (identity IS NOT ?2 OR host IS NOT ?3 OR status IS NOT ?5)",
            (name, identity, self.host_id, created_at, status),
        )

    def put_project(
        self, workspace: str, name: str, identity: str | None, path: str | None, remote: str | None
    ) -> None:
        """List a project of the host; a registration made here stays."""
        self.db.execute(
            "INSERT INTO projects (workspace, name, identity, path, remote_url, host) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
            "ON CONFLICT (workspace, name) DO UPDATE SET identity = ?3, path = ?4, remote_url = ?5 "
            "WHERE host = ?6 AND (identity IS NOT ?3 OR path IS NOT ?4 OR remote_url IS NOT ?5)",
            (workspace, name, identity, path, remote, self.host_id),
        )

    def report(self, kind: str, subject: str, detail: str, at: str) -> None:
        """Keep something worth a look, once."""
        self.db.execute(
            "INSERT INTO reports (kind, subject, detail, at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (kind, subject) DO NOTHING",
            (kind, subject, detail, at),
        )

    def _in(self, sql: str, part: Sequence[str], *first: Any) -> list[Any]:
        return self.db.execute(sql.replace("{}", ", ".join("?" * len(part))), (*first, *part)).fetchall()


def _parts(values: Iterable[str]) -> Iterator[list[str]]:
    found = list(values)
    for start in range(0, len(found), _CHUNK):
        yield found[start : start + _CHUNK]
