"""A small Gaia database (schema 51), written from the documented behaviour of its tables and triggers.

`build(path)` makes one with a handful of rows: history at birth, an edit, a tombstone, a restored row, a moved row, a
row without created_at, a hard-deleted row whose history and link remain, odd names. `Gaia` drives it the way the host
program does: every UPDATE fires the same triggers.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WATCHED = (
    "name", "workspace", "body", "type", "description", "status", "class", "project_ref", "initiative", "deleted_at",
)  # fmt: skip
_NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"


def schema(*, created_at: bool = True) -> str:
    """The statements that make the tables; before schema 50 there is no created_at."""
    differ = " OR ".join(f"OLD.{c} IS NOT NEW.{c}" for c in WATCHED)
    columns = ", ".join(f"before_{c}, after_{c}" for c in WATCHED)
    values = ", ".join(f"OLD.{c}, NEW.{c}" for c in WATCHED)
    pairs = ", ".join(f"before_{c} TEXT, after_{c} TEXT" for c in WATCHED)
    born = "created_at TEXT, kernel_count INTEGER NOT NULL DEFAULT 0, last_kernel_at TEXT," if created_at else ""
    return f"""
    PRAGMA journal_mode = WAL;
    CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, description TEXT);
    CREATE TABLE workspaces (
      name TEXT PRIMARY KEY, identity TEXT, created_at TEXT NOT NULL DEFAULT ({_NOW}), last_scan_at TEXT,
      status TEXT NOT NULL DEFAULT 'active', missing_since TEXT);
    CREATE TABLE projects (
      workspace TEXT NOT NULL REFERENCES workspaces (name) ON DELETE CASCADE, name TEXT NOT NULL, role TEXT,
      remote_url TEXT, path TEXT, status TEXT NOT NULL DEFAULT 'active', project_identity TEXT,
      PRIMARY KEY (workspace, name));
    CREATE TABLE memory (
      workspace TEXT NOT NULL REFERENCES workspaces (name) ON DELETE CASCADE, name TEXT NOT NULL,
      type TEXT NOT NULL CHECK (type IN ('project', 'user', 'feedback', 'atom', 'decision', 'negative')),
      description TEXT, body TEXT NOT NULL, origin_session_id TEXT, updated_at TEXT,
      class TEXT NOT NULL DEFAULT 'log' CHECK (class IN ('anchor', 'thread', 'log')), status TEXT, project_ref TEXT,
      deleted_at TEXT, initiative TEXT,
      audience TEXT DEFAULT 'any' CHECK (audience IN ('orchestrator', 'executor', 'any')),
      injection_count INTEGER NOT NULL DEFAULT 0, deliberate_count INTEGER NOT NULL DEFAULT 0,
      last_injected_at TEXT, last_deliberate_at TEXT, {born} PRIMARY KEY (workspace, name));
    CREATE VIRTUAL TABLE memory_fts USING fts5 (
      workspace UNINDEXED, name UNINDEXED, description, body, content = 'memory', content_rowid = 'rowid');
    CREATE TRIGGER memory_ai AFTER INSERT ON memory BEGIN
      INSERT INTO memory_fts (rowid, workspace, name, description, body)
        VALUES (NEW.rowid, NEW.workspace, NEW.name, NEW.description, NEW.body);
    END;
    CREATE TRIGGER memory_ad AFTER DELETE ON memory BEGIN
      INSERT INTO memory_fts (memory_fts, rowid, workspace, name, description, body)
        VALUES ('delete', OLD.rowid, OLD.workspace, OLD.name, OLD.description, OLD.body);
    END;
    CREATE TRIGGER memory_au AFTER UPDATE ON memory WHEN OLD.workspace IS NOT NEW.workspace
      OR OLD.name IS NOT NEW.name OR OLD.description IS NOT NEW.description OR OLD.body IS NOT NEW.body BEGIN
      INSERT INTO memory_fts (memory_fts, rowid, workspace, name, description, body)
        VALUES ('delete', OLD.rowid, OLD.workspace, OLD.name, OLD.description, OLD.body);
      INSERT INTO memory_fts (rowid, workspace, name, description, body)
        VALUES (NEW.rowid, NEW.workspace, NEW.name, NEW.description, NEW.body);
    END;
    CREATE TABLE memory_links (
      workspace TEXT NOT NULL REFERENCES workspaces (name) ON DELETE CASCADE, src_name TEXT NOT NULL,
      dst_name TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('relates_to', 'supersedes', 'derived_from', 'graduated_to')),
      created_at TEXT, PRIMARY KEY (workspace, src_name, dst_name, kind));
    CREATE TABLE memory_history (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      workspace TEXT NOT NULL REFERENCES workspaces (name) ON DELETE CASCADE, name TEXT NOT NULL, {pairs},
      changed_at TEXT NOT NULL DEFAULT ({_NOW}), changed_by_agent TEXT);
    CREATE TRIGGER trg_memory_history AFTER UPDATE ON memory WHEN {differ} BEGIN
      INSERT INTO memory_history (workspace, name, {columns}) VALUES (NEW.workspace, NEW.name, {values});
    END;
    CREATE TABLE episodes (
      episode_id TEXT PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspaces (name) ON DELETE CASCADE,
      timestamp TEXT NOT NULL, title TEXT, prompt TEXT, enriched_prompt TEXT, tags TEXT);
    CREATE VIRTUAL TABLE episodes_fts USING fts5 (
      episode_id UNINDEXED, prompt, enriched_prompt, tags, title, content = 'episodes', content_rowid = 'rowid');
    CREATE TRIGGER episodes_ai AFTER INSERT ON episodes BEGIN
      INSERT INTO episodes_fts (rowid, episode_id, prompt, enriched_prompt, tags, title)
        VALUES (NEW.rowid, NEW.episode_id, NEW.prompt, NEW.enriched_prompt, NEW.tags, NEW.title);
    END;
    """


class Gaia:
    """Another program at work on the same file; each call is one committed transaction.

    Args:
        path: the database file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def db(self) -> Iterator[sqlite3.Connection]:
        conn = sqlite3.connect(self.path, isolation_level=None)
        conn.row_factory = sqlite3.Row
        try:
            conn.execute("PRAGMA foreign_keys = ON")
            conn.execute("PRAGMA synchronous = OFF")  # a test need not survive a power cut
            yield conn
        finally:
            conn.close()

    def run(self, sql: str, *args: Any) -> None:
        with self.db() as conn:
            conn.execute(sql, args)

    def add(self, workspace: str, name: str, body: str = "Text.", /, **fields: Any) -> None:
        at = "2026-09-01T10:00:00Z"
        row = {"type": name.partition("_")[0], "class": "log", "created_at": at, "updated_at": at, **fields}
        row |= {"workspace": workspace, "name": name, "body": body}
        marks = ", ".join("?" * len(row))
        self.run(f"INSERT INTO memory ({', '.join(row)}) VALUES ({marks})", *row.values())

    def set(self, workspace: str, name: str, at: str | None = None, /, **fields: Any) -> None:
        """One UPDATE, as Gaia makes it: updated_at with it, one history row; `at` is the time of both."""
        row = {"updated_at": at or "2026-11-01T10:00:00Z", **fields}
        with self.db() as conn:
            conn.execute("BEGIN IMMEDIATE")
            newest = conn.execute("SELECT coalesce(max(id), 0) FROM memory_history").fetchone()[0]
            conn.execute(
                f"UPDATE memory SET {', '.join(f'{c} = ?' for c in row)} WHERE workspace = ? AND name = ?",
                (*row.values(), workspace, name),
            )
            conn.execute("UPDATE memory_history SET changed_at = ? WHERE id > ?", (row["updated_at"], newest))
            conn.execute("COMMIT")

    def link(self, workspace: str, source: str, kind: str, target: str, at: str = "2026-10-01T10:00:00Z") -> None:
        self.run("INSERT INTO memory_links VALUES (?, ?, ?, ?, ?)", workspace, source, target, kind, at)

    def unlink(self, workspace: str, source: str, kind: str, target: str) -> None:
        self.run(
            "DELETE FROM memory_links WHERE workspace = ? AND src_name = ? AND dst_name = ? AND kind = ?",
            workspace, source, target, kind,
        )  # fmt: skip

    def delete(self, workspace: str, name: str) -> None:
        """Hard: the row goes, history and links stay."""
        self.run("DELETE FROM memory WHERE workspace = ? AND name = ?", workspace, name)

    def row(self, workspace: str, name: str) -> dict[str, Any]:
        with self.db() as conn:
            found = conn.execute(
                "SELECT * FROM memory WHERE workspace = ? AND name = ?", (workspace, name)
            ).fetchone()
        assert found is not None, f"no row {workspace}/{name}"
        return dict(found)

    def rows(self) -> list[dict[str, Any]]:
        with self.db() as conn:
            return [dict(r) for r in conn.execute("SELECT * FROM memory ORDER BY workspace, name")]

    def links(self) -> set[tuple[str, str, str, str]]:
        with self.db() as conn:
            return {tuple(r) for r in conn.execute("SELECT workspace, src_name, kind, dst_name FROM memory_links")}

    def history(self) -> int:
        with self.db() as conn:
            return int(conn.execute("SELECT count(*) FROM memory_history").fetchone()[0])

    def check_full_text(self) -> None:
        """Raise when the full-text index does not match the rows."""
        with self.db() as conn:
            conn.execute("INSERT INTO memory_fts (memory_fts, rank) VALUES ('integrity-check', 1)")

    def found(self, word: str) -> set[str]:
        with self.db() as conn:
            sql = "SELECT m.name FROM memory_fts f JOIN memory m ON m.rowid = f.rowid WHERE memory_fts MATCH ?"
            return {r[0] for r in conn.execute(sql, (f'"{word}"',))}

    def digest(self) -> str:
        """Of the bytes of the main file."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def settle(self) -> None:
        """Bring the WAL into the main file, as the last program to close it does."""
        with self.db() as conn:
            conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def empty(path: Path, *, version: int = 51) -> Gaia:
    """A database with two workspaces and nothing in them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as conn:
        conn.executescript(schema(created_at=version >= 50))
        conn.executemany(
            "INSERT INTO schema_version (version, applied_at) VALUES (?, '2026-08-20T09:00:01Z')",
            [(v,) for v in range(18, version + 1)],
        )
        conn.executemany(
            "INSERT INTO workspaces (name, identity, created_at) VALUES (?, ?, '2026-08-20T09:00:02Z')",
            [("me", "github.com/acme/me"), ("lab", "lab")],
        )
    conn.close()
    return Gaia(path)


def build(path: Path) -> Gaia:
    """The small database that the docstring above describes: 9 rows (1 deleted), 4 links (1 dangling), 9 changes."""
    gaia = empty(path)
    gaia.run(
        "INSERT INTO projects (workspace, name, path, remote_url, project_identity) VALUES (?, ?, ?, ?, ?)",
        "me", "site", "/x/site", "git@host:acme/site.git", "/x/site/.git",
    )  # fmt: skip
    gaia.add("me", "user_tone", "Plain words first.", description="Plain words", created_at=None,
             updated_at="2026-09-01T10:00:00Z", audience="executor", injection_count=4, deliberate_count=2,
             last_injected_at="2026-10-02T08:00:00Z")  # fmt: skip
    gaia.set("me", "user_tone", "2026-09-01T10:00:00Z", **{"class": "anchor"})
    gaia.add("me", "project_launch", "Pick a date.", description="Launch date", initiative="site",
             project_ref="/x/site/.git", origin_session_id="sess-7")  # fmt: skip
    gaia.set("me", "project_launch", "2026-09-02T10:00:00Z", **{"class": "thread", "status": "open"})
    gaia.set("me", "project_launch", "2026-09-03T10:00:00Z", body="Pick a date.\n\nNot a Monday.")
    gaia.set("me", "project_launch", "2026-09-04T10:00:00Z", status="carry_forward")
    gaia.add("me", "decision_static", "Pages are static.", **{"class": "anchor"}, description="Static pages")
    gaia.add("me", "decision_dynamic", "Pages are rendered.", **{"class": "anchor"}, description="Rendered pages")
    gaia.add("me", "atom_cache", "The cache holds an hour.", description=None)
    gaia.set("me", "atom_cache", "2026-09-05T10:00:00Z", deleted_at="2026-09-05T10:00:00Z")
    gaia.set("me", "atom_cache", "2026-09-06T10:00:00Z", deleted_at=None, description="Cache time")
    gaia.add("me", "negative_cdn", "No CDN.", description="No CDN")
    gaia.set("me", "negative_cdn", "2026-09-07T10:00:00Z", deleted_at="2026-09-07T10:00:00Z")
    gaia.add("lab", "feedback_misfiled", "Wrong place.", description="Misfiled")
    gaia.set("lab", "feedback_misfiled", "2026-09-08T10:00:00Z", workspace="me")
    gaia.add("lab", "notes: año / thread_handoff", "Kept as it is.", type="project", description="Odd name")
    gaia.add("lab", "user_lab", "Wear goggles.", **{"class": "anchor"}, description="Safety")
    gaia.add("me", "atom_scratch", "Noise.")
    gaia.set("me", "atom_scratch", "2026-09-09T10:00:00Z", body="Noise.\n\nMore.")
    gaia.link("me", "decision_static", "supersedes", "decision_dynamic")
    gaia.link("me", "atom_cache", "derived_from", "decision_static")
    gaia.link("me", "project_launch", "relates_to", "decision_static")
    gaia.link("me", "atom_scratch", "relates_to", "atom_cache")
    gaia.delete("me", "atom_scratch")
    episode = "INSERT INTO episodes VALUES (?, ?, ?, ?, ?, ?, ?)"
    gaia.run(episode, "ep_1", "me", "2026-10-01T09:00:01.5+00:00", "Deploy the site", "deploy it",
             "Deploy the site to production", '["deploy", "site"]')  # fmt: skip
    gaia.run(episode, "ep_2", "lab", "2026-10-02T09:00:01.5+00:00", "Calibrate", "sensor drift", None, None)
    gaia.settle()
    return gaia


def many(gaia: Gaia, count: int, *, workspace: str = "me") -> None:
    """`count` plain rows in one transaction."""
    with gaia.db() as conn:
        conn.execute("BEGIN")
        conn.executemany(
            "INSERT INTO memory (workspace, name, type, description, body, class, status, initiative, created_at, "
            "updated_at) VALUES (?, ?, 'project', ?, ?, ?, ?, ?, '2026-09-01T00:00:00Z', '2026-09-02T00:00:00Z')",
            [
                (workspace, f"project_bulk_{i:05d}", f"Row {i}", f"Body of row {i}. " * 20,
                 "thread" if i % 3 == 0 else "anchor", "open" if i % 3 == 0 else None, f"initiative_{i % 40}")
                for i in range(count)
            ],
        )  # fmt: skip
        conn.execute("COMMIT")
    gaia.settle()
