"""The Gaia database file: where it is, how it is opened, and whether this program knows its shape.

Reads open `mode=ro`, so that looking can change neither a counter nor a byte of the file; writes begin IMMEDIATE with
foreign keys on (gaia/SPEC 1, 3).
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ...errors import HostError
from ...fold import GAIA_HOST

OLDEST_SCHEMA: Final = 48
NEWEST_SCHEMA: Final = 51

#: The ten columns that memory_history watches, in before_/after_ pairs (gaia/SPEC 2.7).
TRACKED: Final[tuple[str, ...]] = (
    "name", "workspace", "body", "type", "description", "status", "class", "project_ref", "initiative", "deleted_at",
)  # fmt: skip
#: Columns of a memory that change without a history row.
UNTRACKED: Final[tuple[str, ...]] = ("audience", "origin_session_id", "created_at", "updated_at")
COLUMNS: Final[tuple[str, ...]] = (*TRACKED, *UNTRACKED)
COUNTERS: Final = ("injection_count", "deliberate_count", "last_injected_at", "last_deliberate_at")

_CREATED_AT_SINCE: Final = 50
_TABLES: Final = ("schema_version", "workspaces", "memory", "memory_links", "memory_history")
_LINK_COLUMNS: Final = ("workspace", "src_name", "dst_name", "kind", "created_at")


@dataclass(frozen=True, slots=True)
class Shape:
    """What a Gaia database looks like to this program.

    Attributes:
        version: the newest row of schema_version.
        born: `applied_at` of its first row; with the path it names the database for good.
        read_only: why nothing may be written, one plain clause, or "".
        columns: the columns of `memory` that can be read.
        has_projects, has_episodes, has_episode_text: which read-only tables are there.
    """

    version: int
    born: str
    read_only: str
    columns: frozenset[str]
    has_projects: bool = False
    has_episodes: bool = False
    has_episode_text: bool = False


def locate(path: str | os.PathLike[str] | None, environ: Mapping[str, str]) -> tuple[Path, list[str]]:
    """The database file, and warnings about contradicting settings.

    A given path wins over GAIA_DB, that over GAIA_DATA_DIR/gaia.db, that over ~/.gaia/gaia.db (gaia/SPEC 1).
    """
    if path:
        given = Path(path).expanduser()
        return (given / "gaia.db" if given.is_dir() else given), []
    named, folder = environ.get("GAIA_DB"), environ.get("GAIA_DATA_DIR")
    if named:
        chosen = Path(named).expanduser()
        other = Path(folder).expanduser() / "gaia.db" if folder else chosen
        clash = [f"GAIA_DB and GAIA_DATA_DIR name different files; GAIA_DB wins: {chosen}"] if other != chosen else []
        return chosen, clash
    if folder:
        return Path(folder).expanduser() / "gaia.db", []
    home = environ.get("HOME")
    return (Path(home) if home else Path.home()) / ".gaia" / "gaia.db", []


def uri(path: Path, mode: str, *, immutable: bool = False) -> str:
    """A `file:` URI of the path; `?`, `#`, `%`, blanks and bytes that are not UTF-8 are percent-encoded."""
    encoded = quote(os.fsencode(path.absolute()), safe="/")
    return f"file:{encoded}?mode={mode}{'&immutable=1' if immutable else ''}"


@contextmanager
def reading(path: Path, *, wait_ms: int = 5000) -> Iterator[sqlite3.Connection]:
    """A read-only connection that sees one moment of the database.

    Raises:
        HostError: `host_away` (no such file, no permission), `host_locked`, `host_not_gaia` (damaged, not SQLite).
    """
    db = _open_reader(path, wait_ms)
    try:
        with said_plainly(path):
            db.execute("BEGIN")
            yield db
    finally:
        db.close()


def _open_reader(path: Path, wait_ms: int) -> sqlite3.Connection:
    if not path.is_file():
        raise away(path, "there is no such file")
    with said_plainly(path):
        db = _connect(uri(path, "ro"), wait_ms)
        try:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError as error:
            db.close()
            # A WAL file in a folder that we may not write needs its -shm; without a -wal nobody is writing either.
            unopenable = getattr(error, "sqlite_errorname", "").startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
            if not unopenable or Path(f"{path}-wal").exists():
                raise
            db = _connect(uri(path, "ro", immutable=True), wait_ms)
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            db.close()
            raise
    return db


@contextmanager
def writing(path: Path, *, wait_ms: int = 5000) -> Iterator[sqlite3.Connection]:
    """One short IMMEDIATE transaction with foreign keys on; committed at the end, rolled back on any error.

    Raises:
        HostError: `host_away`, `host_locked`, `host_read_only`, `host_not_gaia`.
    """
    if not path.is_file():
        raise away(path, "there is no such file")
    with said_plainly(path):
        db = _connect(uri(path, "rw"), wait_ms)
        try:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        finally:
            db.close()


def _connect(target: str, wait_ms: int) -> sqlite3.Connection:
    db = sqlite3.connect(target, uri=True, timeout=wait_ms / 1000, isolation_level=None)
    db.row_factory = sqlite3.Row
    # Rows of foreign programs may hold bytes that are not UTF-8; one such row must not hide all the others.
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


@contextmanager
def said_plainly(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into a HostError with a stable code."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", None) or ""
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise HostError(
                f"Another program holds the Gaia database {path} locked.",
                "Nothing is lost; the change is sent with the next `memdesk push`.", code="host_locked", path=str(path),
            ) from None  # fmt: skip
        if name.startswith("SQLITE_READONLY") or name in ("SQLITE_PERM", "SQLITE_AUTH"):
            raise HostError(
                f"The Gaia database {path} may not be written.",
                "Check the permissions of the file and its folder.", code="host_read_only", path=str(path),
            ) from None  # fmt: skip
        if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            raise not_gaia(path, str(error)) from None
        raise away(path, str(error)) from None


def away(path: Path, why: str) -> HostError:
    """The host cannot be reached."""
    return HostError(
        f"The Gaia database {path} cannot be opened: {why}.",
        "Check the path, or the disk it lives on.", code="host_away", path=str(path),
    )  # fmt: skip


def not_gaia(path: Path, why: str) -> HostError:
    """The file is something else."""
    return HostError(
        f"{path} is not a Gaia database: {why}.", "Name the file with `memdesk attach gaia PATH`.",
        code="host_not_gaia", path=str(path),
    )  # fmt: skip


def shape_of(db: sqlite3.Connection, path: Path) -> Shape:
    """Look at the tables and the schema version (which is not in user_version: gaia/SPEC 1).

    Raises:
        HostError: `host_not_gaia`, or `host_locked` while Gaia is still setting the file up.
    """
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")}
    lacking = [t for t in _TABLES if t not in tables]
    if lacking:
        if Path(f"{path}.init-lock").exists():
            raise HostError(
                f"Gaia is still setting up {path}.", "Try again in a moment.", code="host_locked", path=str(path)
            )
        raise not_gaia(path, f"it has no table {lacking[0]}")
    first = db.execute("SELECT applied_at FROM schema_version ORDER BY version LIMIT 1").fetchone()
    if first is None:
        raise not_gaia(path, "its schema_version is empty")
    version = int(db.execute("SELECT max(version) FROM schema_version").fetchone()[0])
    memory = _columns(db, "memory")
    if not {"workspace", "name", "type", "body"} <= memory:
        raise not_gaia(path, "its memory table is of an unknown shape")
    return Shape(
        version, str(first[0]), _why_read_only(db, path, version, memory), frozenset(memory),
        has_projects="projects" in tables, has_episodes="episodes" in tables,
        has_episode_text="episodes_fts" in tables,
    )  # fmt: skip


def _why_read_only(db: sqlite3.Connection, path: Path, version: int, memory: set[str]) -> str:
    if version > NEWEST_SCHEMA:
        return f"its schema {version} is newer than the newest known here ({NEWEST_SCHEMA})"
    if version < OLDEST_SCHEMA:
        return f"its schema {version} is older than the oldest known here ({OLDEST_SCHEMA})"
    expected = {c for c in (*COLUMNS, *COUNTERS) if c != "created_at" or version >= _CREATED_AT_SINCE}
    pairs = {f"{side}_{c}" for c in TRACKED for side in ("before", "after")}
    for table, wanted, has in (
        ("memory", expected, memory),
        ("memory_links", set(_LINK_COLUMNS), _columns(db, "memory_links")),
        ("memory_history", {"id", "workspace", "name", "changed_at"} | pairs, _columns(db, "memory_history")),
    ):
        lacking = sorted(wanted - has)
        if lacking:
            return f"its table {table} lacks the column {lacking[0]}"
    if not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)):  # the WAL lies beside it
        return "the file and its folder may not be written by you"
    return ""


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}


def host_id_of(path: Path, born: str) -> str:
    """The stable id of a database: its real path and the moment it was made."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(path)) + b"\0" + born.encode()).hexdigest()
    return f"{GAIA_HOST}{digest[:16]}"


def signature(path: Path) -> list[int]:
    """Size and change time of the file and its WAL: equal signatures mean that nobody wrote (a stat, no read)."""
    found: list[int] = []
    for name in (path, Path(f"{path}-wal")):
        try:
            stat = name.stat()
        except OSError:
            found += [-1, -1]
        else:
            # Opening a WAL database may leave an empty -wal behind: that is no change.
            found += [stat.st_size, stat.st_mtime_ns] if stat.st_size else [-1, -1]
    return found
