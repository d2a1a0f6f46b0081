"""Proving an erase: does the removed text still stand anywhere in this store (DESIGN 3.4, "Erase")."""

from __future__ import annotations

import json
import mmap
import sqlite3
from pathlib import Path
from typing import Final

from ..search_text import search_text
from .reading import Reading

_PROBE_CHARS: Final = 48
_PROBES: Final = 8


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
    if file.stat().st_size == 0:
        return False
    with file.open("rb") as handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(form) >= 0 for form in forms)
