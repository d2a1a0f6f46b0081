"""One prepared store for thousands of calls: each call's transactions become savepoints of one that is rolled back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memdesk.core.store import Store


class _Nested:
    """A connection whose BEGIN, COMMIT and ROLLBACK are those of a savepoint."""

    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._open = False

    @property
    def in_transaction(self) -> bool:
        return True

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            assert not self._open
            self._open, sql = True, "SAVEPOINT call"
        elif sql == "COMMIT":
            self._open, sql = False, "RELEASE call"
        elif sql == "ROLLBACK":
            self._open = False
            self._conn.execute("ROLLBACK TO call")
            sql = "RELEASE call"
        return self._conn.execute(sql, *args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conn, name)


@contextmanager
def rolled_back(store: Store) -> Iterator[None]:
    """Whatever this thread writes into the store inside is gone afterwards. It may stand inside itself."""
    conn: Any = store.db
    if isinstance(conn, _Nested):
        conn.execute("SAVEPOINT trial")
        try:
            yield
        finally:
            conn.execute("ROLLBACK TO trial")
            conn.execute("RELEASE trial")
        return
    conn.execute("BEGIN")  # no lock yet: what only reads may open further connections
    store._local.conn = _Nested(conn)
    try:
        yield
    finally:
        store._local.conn = conn
        conn.execute("ROLLBACK")


#: What a person or a session would see of an entry; its tags and edges come beside it.
_COLUMNS = (
    "id", "workspace", "name", "type", "class", "status", "state", "title", "description", "summary", "body",
    "project_ref", "initiative", "audience",
)  # fmt: skip


class Scene:
    """Everything that the guard guards, as it stands: entries with their texts, places and states, tags, edges."""

    def __init__(self, store: Store) -> None:
        def rows(sql: str) -> list[tuple[Any, ...]]:
            return store.db.execute(sql).fetchall()

        found = rows(f"SELECT {', '.join(_COLUMNS)} FROM entries WHERE creation_undone = 0")
        self.entries = {row[0]: row for row in found}
        self.tags = set(rows("SELECT entry_id, tag FROM tags"))
        self.edges = set(rows("SELECT from_id, kind, to_id FROM edges"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def by_name(self) -> tuple[Any, ...]:
        """The same without ids, which no two runs give alike."""
        names = {i: f"{row[1]}/{row[2]}" for i, row in self.entries.items()}
        edges = sorted((names.get(a, a), kind, names.get(b, b)) for a, kind, b in self.edges)
        rows = sorted((row[1:] for row in self.entries.values()), key=str)
        return rows, sorted((names.get(i, i), tag) for i, tag in self.tags), edges

    def changes(self, later: Scene) -> set[str]:
        """What became different, in words: +entry, -entry, the names of fields, +tag, -tag, +kind, -kind of edges."""
        words = {"+entry"} if later.entries.keys() - self.entries.keys() else set()
        words |= {"-entry"} if self.entries.keys() - later.entries.keys() else set()
        for entry_id, old in self.entries.items():
            new = later.entries.get(entry_id, old)
            if new != old:
                words |= {name for name, was, now in zip(_COLUMNS, old, new, strict=True) if was != now}
        for sign, one, other in (("+", self, later), ("-", later, self)):
            words |= {f"{sign}tag" for _ in other.tags - one.tags}
            words |= {f"{sign}{kind}" for _, kind, _ in other.edges - one.edges}
        return words
