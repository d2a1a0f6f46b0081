"""Rows of a Gaia database as plain values. Only SELECTs, so no counter moves (gaia/SPEC 3, point 9)."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from .database import COLUMNS, COUNTERS, TRACKED, Shape

Key = tuple[str, str]
Values = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Row:
    """One live row of `memory`: its columns as text, and its telemetry."""

    values: Values
    counters: tuple[int, int, str | None, str | None] = (0, 0, None, None)

    @property
    def key(self) -> Key:
        """(workspace, name)."""
        return (self.values["workspace"] or "", self.values["name"] or "")


@dataclass(frozen=True, slots=True)
class Change:
    """One row of `memory_history`: all ten watched columns before and after one UPDATE."""

    id: int
    before: Values
    after: Values
    changed_at: str
    agent: str | None = None

    @property
    def key(self) -> Key:
        """Where the row was after the change."""
        return (self.after["workspace"] or "", self.after["name"] or "")

    @property
    def old_key(self) -> Key:
        """Where the row was before it."""
        return (self.before["workspace"] or "", self.before["name"] or "")

    @property
    def changed(self) -> Values:
        """The columns that this change wrote, with their new values."""
        return {c: v for c, v in self.after.items() if self.before[c] != v}


@dataclass(frozen=True, slots=True)
class Link:
    """One row of `memory_links`."""

    workspace: str
    source: str
    target: str
    kind: str
    created_at: str | None = None


@dataclass(slots=True)
class Snapshot:
    """One moment of the host, whole or restricted to some rows."""

    shape: Shape
    rows: dict[Key, Row]
    history: list[Change]
    links: list[Link] = field(default_factory=list)
    workspaces: list[dict[str, str | None]] = field(default_factory=list)
    projects: list[dict[str, str | None]] = field(default_factory=list)
    last_history: int = 0
    history_count: int = 0


def read_all(db: sqlite3.Connection, shape: Shape, *, after: int = 0) -> Snapshot:
    """Everything a pull compares.

    Args:
        after: history rows up to this id are left out.
    """
    newest, count = db.execute("SELECT coalesce(max(id), 0), count(*) FROM memory_history").fetchone()
    rows = (_row(r, shape) for r in db.execute(f"SELECT {_select(shape)} FROM memory"))
    return Snapshot(
        shape, {r.key: r for r in rows}, _history(db, after), _links(db), _workspaces(db),
        _projects(db) if shape.has_projects else [], int(newest), int(count),
    )  # fmt: skip


def read_rows(db: sqlite3.Connection, shape: Shape, keys: Collection[Key], *, after: int = 0) -> Snapshot:
    """Only the rows under `keys`, with the history that ends or begins there; no links."""
    rows: dict[Key, Row] = {}
    history: dict[int, Change] = {}
    sql = f"SELECT {_select(shape)} FROM memory WHERE workspace = ? AND name = ?"
    for key in keys:
        found = db.execute(sql, key).fetchone()
        if found is not None:
            rows[key] = _row(found, shape)
        for side in ("after", "before"):
            where = f"id > ? AND {side}_workspace = ? AND {side}_name = ?"
            history.update({c.id: c for c in _changes(db, where, (after, *key))})
    newest = db.execute("SELECT coalesce(max(id), 0) FROM memory_history").fetchone()[0]
    return Snapshot(shape, rows, [history[i] for i in sorted(history)], last_history=int(newest))


def read_row(db: sqlite3.Connection, shape: Shape, key: Key) -> Row | None:
    """One live row, or None."""
    sql = f"SELECT {_select(shape)} FROM memory WHERE workspace = ? AND name = ?"
    found = db.execute(sql, key).fetchone()
    return None if found is None else _row(found, shape)


def _select(shape: Shape) -> str:
    """The columns that this database has, NULL for those it has not yet."""
    return ", ".join(c if c in shape.columns else f"NULL AS {c}" for c in (*COLUMNS, *COUNTERS))


def _row(found: Any, shape: Shape) -> Row:
    values = {c: _text(v) for c, v in zip(COLUMNS, found, strict=False)}
    first = len(COLUMNS)
    counters = (_count(found[first]), _count(found[first + 1]), _text(found[first + 2]), _text(found[first + 3]))
    return Row(values, counters)


def _history(db: sqlite3.Connection, after: int) -> list[Change]:
    return _changes(db, "id > ?", (after,))


def _changes(db: sqlite3.Connection, where: str, args: Iterable[Any]) -> list[Change]:
    pairs = ", ".join(f"before_{c}, after_{c}" for c in TRACKED)
    sql = f"SELECT id, changed_at, changed_by_agent, {pairs} FROM memory_history WHERE {where} ORDER BY id"
    return [
        Change(
            found[0],
            {c: _text(found[3 + 2 * i]) for i, c in enumerate(TRACKED)},
            {c: _text(found[4 + 2 * i]) for i, c in enumerate(TRACKED)},
            _text(found[1]) or "", _text(found[2]),
        )
        for found in db.execute(sql, tuple(args))
    ]  # fmt: skip


def _links(db: sqlite3.Connection) -> list[Link]:
    sql = "SELECT workspace, src_name, dst_name, kind, created_at FROM memory_links ORDER BY created_at, rowid"
    return [
        Link(_text(r[0]) or "", _text(r[1]) or "", _text(r[2]) or "", _text(r[3]) or "", _text(r[4]))
        for r in db.execute(sql)
    ]


def _workspaces(db: sqlite3.Connection) -> list[dict[str, str | None]]:
    return _table(db, "workspaces", ("name", "identity", "created_at", "status"))


def _projects(db: sqlite3.Connection) -> list[dict[str, str | None]]:
    return _table(db, "projects", ("workspace", "name", "project_identity", "path", "remote_url", "status"))


def _table(db: sqlite3.Connection, table: str, wanted: tuple[str, ...]) -> list[dict[str, str | None]]:
    has = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
    select = ", ".join(c if c in has else f"NULL AS {c}" for c in wanted)
    return [dict(zip(wanted, map(_text, r), strict=True)) for r in db.execute(f"SELECT {select} FROM {table}")]


def _text(value: Any) -> str | None:
    """SQLite columns hold any type, whatever their declaration says."""
    if value is None or isinstance(value, str):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0
