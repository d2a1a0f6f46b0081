"""Tables, triggers and migrations (DESIGN 3.4 "Erase"; CASES "SQLite")."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.core import schema
from memdesk.core.errors import StoreUnusable
from memdesk.core.events import Event, tombstone
from memdesk.core.store import Store
from memdesk.core.store.opening import connect

OP = "op_01M8MRJSC00000000000000001"


def create(memory_id: str, number: int) -> Event:
    return Event(
        f"evt_01M8MRJSC0000000000000000{number}", "memory.create", "2026-11-29T23:00:00Z", "user:ana",
        payload={"memory_id": memory_id, "workspace": "w", "name": "atom_x", "type": "atom", "body": "a secret"},
    )  # fmt: skip


def purge(memory_id: str) -> Event:
    payload = {"memory_id": memory_id}
    return Event("evt_01M8MRJSC00000000000000009", "memory.purge_executed", "", "user:ana", payload=payload)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s") as store:
        yield store


# -- migrations ---------------------------------------------------------------------------------------------------


def test_a_blank_file_gets_every_table(tmp_path: Path) -> None:
    Store.open(tmp_path / "s").close()
    conn = sqlite3.connect(tmp_path / "s" / "memdesk.db")
    names = {n for (n,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert {"events", "entries", "tags", "edges", "operations", "requests", "lost_edits", "counters"} <= names
    assert schema.version_of(conn) == schema.VERSION == len(schema.MIGRATIONS)
    assert conn.execute("PRAGMA application_id").fetchone()[0] == schema.APPLICATION_ID
    applied = conn.execute("SELECT name FROM _sqlite_migrations ORDER BY id").fetchall()
    assert [n for (n,) in applied] == [name for name, _ in schema.MIGRATIONS]


@pytest.mark.parametrize("older", range(1, schema.VERSION))
def test_every_older_schema_comes_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, older: int) -> None:
    whole = schema.MIGRATIONS
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", whole[:older])
        patch.setattr(schema, "VERSION", older)
        conn = connect(_file(tmp_path / "memdesk.db"), read_only=False, wait_ms=1000)
        assert schema.migrate(conn) == [name for name, _ in whole[:older]]
    assert schema.migrate(conn) == [name for name, _ in whole[older:]]
    assert schema.migrate(conn) == []
    conn.close()
    with Store.open(tmp_path) as store:
        assert store.check() == []


def test_what_was_done_about_the_user_is_found_in_an_older_store(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with Store.open(folder) as store, store.transaction() as tx:
        for name, kind in (("user_ana", "user"), ("user_odd", "project"), ("userland", "atom"), ("atom_x", "atom")):
            tx.begin("add", f"Added {name}", actor="agent:one", role="orchestrator")
            fields = {"memory_id": name.upper(), "workspace": "w", "name": name, "type": kind, "body": "x"}
            tx.write("memory.create", fields)
        tx.begin("link", "Linked", actor="agent:one", role="orchestrator")
        tx.write("memory.edge.add", {"from_id": "ATOM_X", "edge_kind": "related_to", "to_id": "USER_ANA"})
        tx.begin("judge", "Judged", actor="agent:one", role="orchestrator")
        tx.write("desk.verdict", {"memory_id": "ATOM_X", "to_id": "USER_ODD", "verdict": "different"})
    conn = sqlite3.connect(folder / "memdesk.db")
    before = conn.execute("SELECT * FROM user_work ORDER BY 1, 2").fetchall()
    conn.executescript(
        "DROP TABLE user_work; DROP TABLE request_wishes; CREATE INDEX requests_by_asker ON requests (verb); "
        "DELETE FROM _sqlite_migrations WHERE name >= '005'; PRAGMA user_version = 4;"
    )
    conn.close()
    with Store.open(folder) as store:
        assert [tuple(row) for row in store.db.execute("SELECT * FROM user_work ORDER BY 1, 2")] == before
        assert {i for _, i in before} == {"USER_ANA", "USER_ODD"} and len(before) == 4
        assert store.check() == [] and store.count_flagged()[0] == 4


def test_the_same_wish_is_found_in_an_older_store(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with Store.open(folder) as store, store.transaction() as tx:
        tx.begin("request", "Asked", actor="agent:one", role="orchestrator")
        for text in ("first", "second"):
            args = {"fields": {"body": text}}
            tx.write("desk.request", {"request_id": "req_1", "verb": "edit", "refs": ["A"], "args": args})
    conn = sqlite3.connect(folder / "memdesk.db")
    before = conn.execute("SELECT * FROM request_wishes ORDER BY 1, 2").fetchall()
    conn.executescript(
        "DROP TABLE request_wishes; CREATE INDEX requests_by_asker ON requests (verb); "
        "DELETE FROM _sqlite_migrations WHERE name >= '006'; PRAGMA user_version = 5;"
    )
    conn.close()
    with Store.open(folder) as store:
        assert [tuple(row) for row in store.db.execute("SELECT * FROM request_wishes ORDER BY 1, 2")] == before
        assert len(before) == 2, "its first wording and the one that holds"


def test_a_migration_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(db: Any) -> None:
        db.execute("CREATE TABLE half (x)")
        raise sqlite3.IntegrityError("no")

    conn = connect(_file(tmp_path / "memdesk.db"), read_only=False, wait_ms=1000)
    schema.migrate(conn)
    before = conn.execute("SELECT name FROM sqlite_schema ORDER BY name").fetchall()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, ("999_half", half)))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    with pytest.raises(sqlite3.IntegrityError):
        schema.migrate(conn)
    assert not conn.in_transaction
    assert conn.execute("SELECT name FROM sqlite_schema ORDER BY name").fetchall() == before
    assert schema.version_of(conn) == schema.VERSION - 1
    conn.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_a_newer_file_is_refused_in_one_sentence(tmp_path: Path, read_only: bool) -> None:
    Store.open(tmp_path).close()
    conn = sqlite3.connect(tmp_path / "memdesk.db")
    conn.execute(f"PRAGMA user_version = {schema.VERSION + 3}")
    conn.close()
    with pytest.raises(StoreUnusable, match="newer memdesk") as caught:
        Store.open(tmp_path, read_only=read_only)
    assert caught.value.message.count(". ") == 0 and caught.value.hint


def test_statements_keeps_triggers_whole() -> None:
    trigger = "CREATE TRIGGER t BEFORE DELETE ON a BEGIN\n SELECT 1;\nEND;\n"
    found = schema.statements("-- why\nCREATE TABLE a (x);\n" + trigger)
    assert [s.split()[1] for s in found] == ["TABLE", "TRIGGER"]
    with pytest.raises(ValueError, match="unfinished"):
        schema.statements("CREATE TABLE a (x)")


def test_opening_an_existing_store_does_not_load_sqlite_utils(tmp_path: Path) -> None:
    Store.open(tmp_path).close()
    probe = (
        "import sys; from pathlib import Path; from memdesk.core.store import Store\n"
        "s = Store.open(Path(sys.argv[1])); s.counts(); s.close()\n"
        "print(sorted({'sqlite_utils', 'ulid', 'rapidfuzz', 'numpy'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", probe, str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert run.stdout.strip() == "[]"


# -- the log is append-only ---------------------------------------------------------------------------------------

FORBIDDEN = {
    "delete": ("DELETE FROM events", ()),
    "change": ("UPDATE events SET line = '{}'", ()),
    "change of a column": ("UPDATE events SET agent_id = 'user:eve'", ()),
    "replace": (
        "INSERT OR REPLACE INTO events (seq, event_id, type, agent_id, timestamp, line) "
        "SELECT seq, event_id, type, 'user:eve', timestamp, line FROM events", (),
    ),
    "tombstone of a live entry": ("UPDATE events SET line = ?", (tombstone(create("A", 1)).line(),)),
}  # fmt: skip


@pytest.mark.parametrize(("sql", "args"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_an_event_is_never_changed(store: Store, sql: str, args: tuple[str, ...]) -> None:
    store.receive([create("A", 1)])
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        store.db.execute(sql, args)
    assert [e.line() for e in store.events()] == [create("A", 1).line()]


def test_an_erase_may_only_write_the_tombstone(store: Store) -> None:
    store.receive([create("A", 1), create("B", 2)])
    purged = "INSERT INTO events (event_id, type, entry_id, agent_id, timestamp, line) VALUES (?, ?, 'A', '', '', ?)"
    event = purge("A")
    store.db.execute(purged, (event.event_id, event.type, event.line()))
    change = "UPDATE events SET line = ? WHERE entry_id = ? AND type = 'memory.create'"
    other_words = tombstone(create("A", 1)).line().replace('"erased":true', '"erased":true,"body":"new"')
    other_id = tombstone(create("B", 2)).line()
    for line, entry_id in ((other_words, "A"), (other_id, "A"), (other_id, "B")):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            store.db.execute(change, (line, entry_id))
    store.db.execute(change, (tombstone(create("A", 1)).line(), "A"))
    assert [e.erased for e in store.events()] == [True, False, False]


# -- the full-text index ------------------------------------------------------------------------------------------


def test_counters_never_touch_the_index_nor_the_entry(store: Store) -> None:
    store.receive([create("A", 1)])
    index = "SELECT * FROM entries_fts_data ORDER BY id"
    before, entry = store.db.execute(index).fetchall(), store.entry("A")
    assert entry is not None
    for _ in range(3):
        store.bump(["A"], "injection")
    store.bump(["A"], "deliberate")
    after = store.entry("A")
    assert after is not None
    assert (after.telemetry.injection_count, after.telemetry.deliberate_count) == (3, 1)
    assert after.updated_at == entry.updated_at
    assert store.db.execute(index).fetchall() == before
    assert len(list(store.events())) == 1


@pytest.mark.parametrize(
    ("change", "touches"),
    [("status = 'open'", False), ("initiative = 'x'", False), ("body = 'other'", True), ("name = 'atom_other'", True)],
)
def test_only_text_columns_touch_the_index(store: Store, change: str, touches: bool) -> None:
    store.receive([create("A", 1)])
    index = "SELECT * FROM entries_fts_data ORDER BY id"
    before = store.db.execute(index).fetchall()
    store.db.execute(f"UPDATE entries SET {change}")
    assert (store.db.execute(index).fetchall() != before) is touches


def _file(path: Path) -> Path:
    path.touch()
    return path
