"""What this machine alone keeps: workspaces, projects, counters, who saw what, notes, reports. Never events."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal

from ..events import Clock, rfc3339
from .reading import Reading, attached
from .rows import Project, Report, Workspace


class Registry(Reading):
    """Local registrations and counters."""

    clock: Clock

    # -- workspaces and projects ----------------------------------------------------------------------------------

    def workspaces(self) -> list[Workspace]:
        """Registered workspaces and those that entries name, by name; those of detached hosts are left out."""
        with self._reading() as conn:
            gone = "SELECT host_id FROM hosts WHERE state = 'detached'"
            rows = conn.execute(
                "SELECT name, identity, host, created_at, status FROM workspaces "
                f"WHERE host IS NULL OR host NOT IN ({gone}) ORDER BY name"
            ).fetchall()
            found = {row[0]: Workspace(*row) for row in rows}
            # From one name to the next by the index: a plain DISTINCT reads every entry.
            named = conn.execute(
                "WITH RECURSIVE w(name) AS (SELECT min(workspace) FROM entries UNION ALL "
                "SELECT (SELECT min(workspace) FROM entries WHERE workspace > w.name) FROM w WHERE w.name IS NOT NULL) "
                "SELECT name FROM w WHERE EXISTS (SELECT 1 FROM entries e WHERE e.workspace = w.name "
                f"AND {attached(conn, 'e')} AND e.creation_undone = 0)"
            ).fetchall()
            for (name,) in named:
                found.setdefault(name, Workspace(name))
            return [found[name] for name in sorted(found)]

    def workspace(self, name: str) -> Workspace | None:
        """The workspace of this name."""
        return next((w for w in self.workspaces() if w.name == name), None)

    def add_workspace(self, name: str, *, identity: str | None = None, host: str | None = None) -> bool:
        """Register a workspace, or renew what is known about it; returns whether it is new."""
        with self._writing() as conn:
            new = conn.execute("SELECT 1 FROM workspaces WHERE name = ?", (name,)).fetchone() is None
            conn.execute(
                "INSERT INTO workspaces (name, identity, host, created_at) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET identity = coalesce(excluded.identity, identity), "
                "host = coalesce(excluded.host, host)",
                (name, identity, host, rfc3339(self.clock.now_ms())),
            )
            return new

    def projects(self, workspace: str | None = None) -> list[Project]:
        """Registered projects, by workspace and name."""
        with self._reading() as conn:
            gone = "SELECT host_id FROM hosts WHERE state = 'detached'"
            where = f"(host IS NULL OR host NOT IN ({gone}))" + (" AND workspace = ?" if workspace is not None else "")
            rows = conn.execute(
                f"SELECT workspace, name, identity, path, remote_url, host FROM projects WHERE {where} "
                "ORDER BY workspace, name",
                () if workspace is None else (workspace,),
            ).fetchall()
            return [Project(*row) for row in rows]

    def add_project(
        self, workspace: str, name: str, *, identity: str | None = None, path: str | None = None,
        remote_url: str | None = None, host: str | None = None,
    ) -> bool:  # fmt: skip
        """Register a project, or replace what is known about it; returns whether it is new."""
        with self._writing() as conn:
            where = "workspace = ? AND name = ?"
            new = conn.execute(f"SELECT 1 FROM projects WHERE {where}", (workspace, name)).fetchone() is None
            conn.execute(
                "INSERT INTO projects (workspace, name, identity, path, remote_url, host) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (workspace, name) DO UPDATE SET identity = excluded.identity, path = excluded.path, "
                "remote_url = excluded.remote_url, host = excluded.host",
                (workspace, name, identity, path, remote_url, host),
            )
            return new

    # -- counters -------------------------------------------------------------------------------------------------

    def bump(self, entry_ids: Iterable[str], kind: Literal["injection", "deliberate"]) -> None:
        """Count that these entries were injected, or read on purpose. Touches neither their text nor `updated_at`."""
        at = "last_injected_at" if kind == "injection" else "last_deliberate_at"
        if kind not in ("injection", "deliberate"):
            raise ValueError(f"no counter is called {kind!r}")
        now = rfc3339(self.clock.now_ms())
        rows = [(i, now) for i in dict.fromkeys(entry_ids)]
        if not rows:
            return
        with self._writing() as conn:
            conn.executemany(
                f"INSERT INTO counters (entry_id, {kind}, {at}) VALUES (?, 1, ?) "
                f"ON CONFLICT (entry_id) DO UPDATE SET {kind} = {kind} + 1, {at} = excluded.{at}",
                rows,
            )

    # -- who saw what ---------------------------------------------------------------------------------------------

    def mark_seen(self, actor: str) -> None:
        """Note that this actor has seen everything up to now."""
        with self._writing() as conn:
            newest = conn.execute(
                "SELECT op_id FROM events e WHERE type = 'desk.operation' "
                "AND EXISTS (SELECT 1 FROM operations o WHERE o.op_id = e.op_id) ORDER BY seq DESC LIMIT 1"
            ).fetchone()
            conn.execute(
                "INSERT INTO seen (actor, at_op, at) VALUES (?, ?, ?) "
                "ON CONFLICT (actor) DO UPDATE SET at_op = excluded.at_op, at = excluded.at",
                (actor, newest[0] if newest else "", rfc3339(self.clock.now_ms())),
            )

    def last_seen(self, actor: str) -> str | None:
        """The operation that had arrived last when this actor was last here, "" for none; None if it never was."""
        with self._reading() as conn:
            row = conn.execute("SELECT at_op FROM seen WHERE actor = ?", (actor,)).fetchone()
            return str(row[0]) if row else None

    def last_seen_at(self, actor: str) -> str | None:
        """When this actor was last here, RFC 3339."""
        with self._reading() as conn:
            row = conn.execute("SELECT at FROM seen WHERE actor = ?", (actor,)).fetchone()
            return str(row[0]) if row else None

    # -- notes and reports ----------------------------------------------------------------------------------------

    def note(self, key: str) -> str | None:
        """A small local note, such as which text a reviewer was shown."""
        with self._reading() as conn:
            row = conn.execute("SELECT value FROM notes WHERE key = ?", (key,)).fetchone()
            return str(row[0]) if row else None

    def set_note(self, key: str, value: str | None) -> None:
        """Keep a note, or drop it with None."""
        with self._writing() as conn:
            if value is None:
                conn.execute("DELETE FROM notes WHERE key = ?", (key,))
            else:
                sql = "INSERT INTO notes VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
                conn.execute(sql, (key, value))

    def reports(self, kind: str | None = None) -> list[Report]:
        """What the store noticed and nobody has dealt with, newest first."""
        with self._reading() as conn:
            where, args = ("WHERE kind = ?", [kind]) if kind is not None else ("", [])
            sql = f"SELECT kind, subject, detail, at FROM reports {where} ORDER BY id DESC"
            return [Report(*row) for row in conn.execute(sql, args)]

    def report(self, kind: str, subject: str, detail: str) -> None:
        """Keep a report; the same kind and subject replaces the older one."""
        with self._writing() as conn:
            add_report(conn, kind, subject, detail, rfc3339(self.clock.now_ms()))

    def settle_report(self, kind: str, subject: str) -> None:
        """Drop a report that was dealt with."""
        with self._writing() as conn:
            conn.execute("DELETE FROM reports WHERE kind = ? AND subject = ?", (kind, subject))


def add_report(conn: sqlite3.Connection, kind: str, subject: str, detail: str, at: str) -> None:
    """Keep a report inside the open transaction."""
    conn.execute(
        "INSERT INTO reports (kind, subject, detail, at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (kind, subject) DO UPDATE SET detail = excluded.detail, at = excluded.at",
        (kind, subject, detail, at),
    )
