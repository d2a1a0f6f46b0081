"""Proving an erase: does the removed text still stand anywhere in this store (DESIGN 3.4, "Erase")."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..search_text import search_text
from .opening import FILE_NAME
from .reading import Reading

_PROBE_CHARS: Final = 48
_PROBES: Final = 8
_READ_AT_ONCE: Final = 4 << 20

#: Store files (device, inode) that were looked into, open for as long as this process lives. Closing one would drop
#: every lock that SQLite holds on it for this process (POSIX): the next program to end would take itself for the last
#: one and delete the write-ahead log into which this one goes on writing.
_kept_open: dict[tuple[int, int], int] = {}


class Erasing(Reading):
    """What an erase leaves to be done after the purge event: empty the file's free space, and look."""

    path: Path
    folder: Path
    read_only: bool

    def scrub(self) -> None:
        """Take what was deleted out of the full-text index and the write-ahead log: no copy stays in the file.

        Raises:
            StoreLocked: another process held the write lock past the wait.
        """
        with self._writing() as conn:
            conn.execute("INSERT INTO entries_fts (entries_fts) VALUES ('optimize')")
        with self._reading() as conn:
            if not conn.in_transaction:
                conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def residue(self, text: str) -> list[str]:
        """Every place of this store where a piece of `text` still stands, each in words; [] proves that it is gone.

        Looks at the rows first (another entry may quote the text), then at the bytes of the database, its write-ahead
        log and the drafts.

        Args:
            text: what was removed; a piece of less than a few words is found in too many places to mean anything.
        """
        wanted = probes(text)
        if not wanted:
            return []
        if not self.read_only:
            self.scrub()
        with self._reading() as conn:
            places = [place for probe in wanted for place in _in_rows(conn, probe)]
        if not places:
            places += self._in_files(wanted)
        for draft in sorted((self.folder / "drafts").glob("**/*")) if (self.folder / "drafts").is_dir() else []:
            if draft.is_file() and _holds(draft, wanted):
                places.append(f"the draft {draft.name}: delete the file")
        return list(dict.fromkeys(places))

    def _in_files(self, wanted: list[str]) -> list[str]:
        found = []
        for ending, name in (("", "database file"), ("-wal", "write-ahead log"), ("-journal", "rollback journal")):
            file = Path(f"{self.path}{ending}")
            if file.is_file() and _holds(file, wanted):
                found.append(f"unused space of the {name} {file.name}: end every other memdesk, then erase again")
        return found


def probes(text: str) -> list[str]:
    """Up to eight pieces of a text, evenly spread, that stand for it; the whole text if it is short."""
    text = text.strip()
    if len(text) <= _PROBE_CHARS:
        return [text] if text else []
    step = max(1, (len(text) - _PROBE_CHARS) // (_PROBES - 1))
    starts = range(0, len(text) - _PROBE_CHARS + 1, step)
    pieces = (text[s : s + _PROBE_CHARS].strip() for s in list(starts)[:_PROBES])
    return list(dict.fromkeys(p for p in pieces if len(p) > _PROBE_CHARS // 2))


def _in_rows(conn: sqlite3.Connection, probe: str) -> list[str]:
    found: list[str] = []
    columns = ("body", "description", "summary", "title")
    where = " OR ".join(f"instr({c}, ?)" for c in columns)
    sql = f"SELECT workspace, shown_name FROM entries WHERE {where} LIMIT 20"
    for workspace, name in conn.execute(sql, [probe] * len(columns)):
        found.append(f"the entry {workspace}/{name}: edit or erase it, if it should not say this")
    escaped = json.dumps(probe, ensure_ascii=False)[1:-1]
    sql = (
        "SELECT type, event_id, coalesce(other_id, entry_id, '') FROM events WHERE instr(line, ?) "
        "ORDER BY event_id LIMIT 20"
    )
    for type_, event_id, subject in conn.execute(sql, (escaped,)):
        if type_ == "desk.request":
            found.append(f"the request {subject}: its proposed text stays in the log")
        elif not found:
            found.append(f"the log, in {type_} {event_id} of {subject or 'no entry'}: erase that entry too")
    return found


def _holds(file: Path, wanted: list[str]) -> bool:
    """Whether the bytes of a file hold one of the pieces, as plain text, as JSON, or as the index folds it."""
    forms = {
        form.encode("utf-8", "surrogatepass")
        for probe in wanted
        for form in (probe, json.dumps(probe, ensure_ascii=False)[1:-1], search_text(probe) or probe)
    }
    overlap = max(map(len, forms)) - 1
    before = b""
    for piece in _pieces(file):
        data = before + piece
        if any(form in data for form in forms):
            return True
        before = data[-overlap:] if overlap else b""
    return False


def _pieces(file: Path) -> Iterator[bytes]:
    """The bytes of a file, some megabytes at a time."""
    if file.name != FILE_NAME:
        with file.open("rb") as handle:
            while piece := handle.read(_READ_AT_ONCE):
                yield piece
        return
    status, at = file.stat(), 0
    key = status.st_dev, status.st_ino
    if key not in _kept_open:
        _kept_open[key] = os.open(file, os.O_RDONLY)
    while piece := os.pread(_kept_open[key], _READ_AT_ONCE, at):
        yield piece
        at += len(piece)
