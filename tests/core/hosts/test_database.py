"""Finding and opening a Gaia database: places, odd paths, foreign files, schemas (gaia/SPEC 1)."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import gaia_fixture
import pytest
from gaia_fixture import Gaia

from memdesk.core.errors import HostError
from memdesk.core.hosts.gaia import database


@pytest.mark.parametrize(
    ("given", "environ", "expected", "warned"),
    [
        ("x.db", {"GAIA_DB": "/a/b.db"}, "x.db", 0),
        (None, {"GAIA_DB": "/a/b.db", "GAIA_DATA_DIR": "/c"}, "/a/b.db", 1),
        (None, {"GAIA_DB": "/c/gaia.db", "GAIA_DATA_DIR": "/c"}, "/c/gaia.db", 0),
        (None, {"GAIA_DATA_DIR": "/c"}, "/c/gaia.db", 0),
        (None, {"HOME": "/h"}, "/h/.gaia/gaia.db", 0),
    ],
)
def test_where_it_is(given: str | None, environ: dict[str, str], expected: str, warned: int) -> None:
    path, warnings = database.locate(given, environ)
    assert (str(path), len(warnings)) == (expected, warned)


def test_a_folder_means_the_database_in_it(tmp_path: Path) -> None:
    assert database.locate(tmp_path, {})[0] == tmp_path / "gaia.db"


@pytest.mark.parametrize("name", ["a b.db", "q?mode=rwc.db", "h#x.db", "50%25.db", "ñandú.db", "a&b=c.db"])
def test_odd_paths(tmp_path: Path, name: str) -> None:
    gaia = gaia_fixture.empty(tmp_path / name)
    with database.reading(gaia.path) as db:
        assert database.shape_of(db, gaia.path).version == 51
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(("a", "q", "h", "5", "ñ"))
                  and not p.name.endswith(("-wal", "-shm", "home"))) == [name]  # fmt: skip


def test_reading_cannot_write(gaia: Gaia) -> None:
    with pytest.raises(HostError) as caught, database.reading(gaia.path) as db:
        db.execute("DELETE FROM memory")
    assert caught.value.stable_code == "host_read_only"


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "host_away"), (b"no database at all, just text" * 50, "host_not_gaia"), (b"", "host_not_gaia")],
    ids=["missing", "text", "empty"],
)
def test_what_is_no_gaia_database(tmp_path: Path, content: bytes | None, code: str) -> None:
    path = tmp_path / "x.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(HostError) as caught, database.reading(path) as db:
        database.shape_of(db, path)
    assert caught.value.stable_code == code
    assert path.exists() is (content is not None), "looking made a file"


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE memory (workspace, name, type, body)")
    db.close()
    with pytest.raises(HostError) as caught, database.reading(path) as reader:
        database.shape_of(reader, path)
    assert caught.value.stable_code == "host_not_gaia"


def test_gaia_at_work_on_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE workspaces (name)")
    db.close()
    Path(f"{path}.init-lock").touch()
    with pytest.raises(HostError) as caught, database.reading(path) as reader:
        database.shape_of(reader, path)
    assert caught.value.stable_code == "host_locked"


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("INSERT INTO schema_version VALUES (60, '2026-11-01T00:00:00Z', NULL)", "newer"),
        ("DELETE FROM schema_version WHERE version > 45", "older"),
        ("ALTER TABLE memory DROP COLUMN audience", "audience"),
        ("ALTER TABLE memory_links DROP COLUMN created_at", "created_at"),
        ("SELECT 1", ""),
    ],
)
def test_schemas_that_are_only_read(tmp_path: Path, sql: str, word: str) -> None:
    gaia = gaia_fixture.empty(tmp_path / "g.db")
    gaia.run(sql)
    with database.reading(gaia.path) as db:
        reason = database.shape_of(db, gaia.path).read_only
    assert bool(reason) is bool(word)
    assert word in reason


def test_schema_48_has_no_created_at_and_is_written_all_the_same(tmp_path: Path) -> None:
    gaia = gaia_fixture.empty(tmp_path / "g.db", version=48)
    with database.reading(gaia.path) as db:
        shape = database.shape_of(db, gaia.path)
    assert (shape.version, shape.read_only, "created_at" in shape.columns) == (48, "", False)


def test_the_id_belongs_to_the_file_and_its_birth(tmp_path: Path) -> None:
    one = database.host_id_of(tmp_path / "g.db", "2026")
    (tmp_path / "link.db").symlink_to(tmp_path / "g.db")
    assert database.host_id_of(tmp_path / "link.db", "2026") == one
    assert database.host_id_of(tmp_path / "g.db", "2027") != one
    assert one.startswith("gaia:")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_in_a_folder_that_may_not_be_written(gaia: Gaia) -> None:
    for part in ("-wal", "-shm"):
        Path(f"{gaia.path}{part}").unlink(missing_ok=True)
    gaia.path.parent.chmod(0o500)
    try:
        with database.reading(gaia.path) as db:
            assert database.shape_of(db, gaia.path).version == 51
    finally:
        gaia.path.parent.chmod(0o700)
