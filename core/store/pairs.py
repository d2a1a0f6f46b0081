"""What similarity keeps: word sets, signatures, pairs and findings of each text, so that nothing is scored twice.

Derived from the entries, never part of the log: `forget_texts` loses nothing but time. A text that changed gets a new
key when it is read again (triggers in core/schema.py drop the old one), so a stored pair is valid exactly while both of
its keys exist. No numpy here: core/similarity makes and reads the numbers. Source: SIMILARITY "Keeping it fresh".
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ..events import VERDICT, Event, parse_line
from . import log
from .reading import Reading, attached
from .standings import real_ids, standing_for

#: Texts read in one transaction: other writers wait for moments only.
READ_AT_ONCE: Final = 200
_WRITE_AT_ONCE: Final = 20_000
_KEPT: Final = (
    "SELECT t.key, t.same_as, t.size, t.content, t.row, e.id, e.workspace FROM similar_texts t "
    "JOIN entries e ON e.row = t.row"
)
_ELIGIBLE: Final = "state = 'active' AND type <> 'comment'"


class TextValues(NamedTuple):
    """What is kept of one text; `words` are joined by spaces."""

    content: str
    word_set: bytes
    size: int
    signature: bytes
    words: str


class KeptText(NamedTuple):
    """A text that was read, with the entry that it belongs to. `same_as` is the key of the equal set that is scored."""

    key: int
    same_as: int | None
    size: int
    content: str
    row: int
    entry_id: str
    workspace: str


class Judged(NamedTuple):
    """The verdict that stands on a pair of entries (ids in rising order), with what each said then, as a hash."""

    one: str
    other: str
    verdict: str
    content_one: str
    content_other: str
    event: Event


#: (name, type, title, description, body) -> what is kept.
Prepare = Callable[[str, str, str | None, str | None, str], TextValues]


class KeptTexts(Reading):
    """The texts that similarity has read."""

    # -- reading texts --------------------------------------------------------------------------------------------

    def check_texts(self, version: int) -> int:
        """Mark as stale what was read by another version, and what is missing; returns how many rows are stale.

        Args:
            version: of the words and signatures that the program makes now.
        """
        old = "SELECT row FROM similar_texts WHERE version <> ?"
        missing = (
            f"SELECT row FROM entries WHERE {_ELIGIBLE} AND row NOT IN (SELECT row FROM similar_texts) "
            "AND row NOT IN (SELECT row FROM similar_stale)"
        )
        with self._reading() as conn:
            found = conn.execute(f"SELECT EXISTS ({old}) OR EXISTS ({missing})", (version,)).fetchone()[0]
        if found:
            with self._writing() as conn:
                conn.execute(f"INSERT OR IGNORE INTO similar_stale {missing}")
                conn.execute(f"INSERT OR IGNORE INTO similar_stale {old}", (version,))
                conn.execute("DELETE FROM similar_texts WHERE version <> ?", (version,))
        return self.stale_texts()

    def stale_texts(self) -> int:
        """How many entries have a text that was not read since it changed."""
        with self._reading() as conn:
            return int(conn.execute("SELECT count(*) FROM similar_stale").fetchone()[0])

    def read_texts(self, prepare: Prepare, version: int, *, limit: int = READ_AT_ONCE) -> int:
        """Read some stale texts, the newest first, in one short transaction; returns how many rows were dealt with.

        Entries that are not compared (comments, replaced and deleted ones) are dealt with by leaving them out.
        """
        with self._reading() as conn:
            if not conn.execute("SELECT EXISTS (SELECT 1 FROM similar_stale)").fetchone()[0]:
                return 0
        with self._writing() as conn:
            rows = conn.execute(
                f"SELECT s.row, {_ELIGIBLE}, e.name, e.type, e.title, e.description, e.body FROM similar_stale s "
                "LEFT JOIN entries e ON e.row = s.row ORDER BY s.row DESC LIMIT ?", (limit,),
            ).fetchall()  # fmt: skip
            for row, eligible, *texts in rows:
                conn.execute("DELETE FROM similar_texts WHERE row = ?", (row,))
                if eligible:
                    _keep(conn, row, prepare(*texts), version)
            conn.executemany("DELETE FROM similar_stale WHERE row = ?", [(row[0],) for row in rows])
        return len(rows)

    def forget_texts(self) -> None:
        """Drop everything that is kept here; it is made anew when it is next needed."""
        with self._writing() as conn:
            for table in ("texts", "signatures", "words", "pairs", "findings"):
                conn.execute(f"DELETE FROM similar_{table}")
            conn.execute("INSERT OR IGNORE INTO similar_stale SELECT row FROM entries")

    # -- texts that were read -------------------------------------------------------------------------------------

    def count_texts(self) -> int:
        """How many texts were read."""
        with self._reading() as conn:
            return int(conn.execute("SELECT count(*) FROM similar_texts").fetchone()[0])

    def texts(self, workspace: str | None = None) -> list[KeptText]:
        """The texts that were read, of current entries, in the order of their keys.

        Args:
            workspace: only of this one.
        """
        with self._reading() as conn:
            where, args = f"e.state = 'active' AND {attached(conn, 'e')}", list[str]()
            if workspace is not None:
                where, args = where + " AND e.workspace = ?", [workspace]
            return sorted(map(KeptText._make, conn.execute(f"{_KEPT} WHERE {where}", args)), key=lambda text: text.key)

    def texts_of(self, keys: Iterable[int], workspace: str | None = None) -> dict[int, KeptText]:
        """Those of these texts whose entries are current (and of this workspace), by key."""
        with self._reading() as conn:
            sql = f"{_KEPT} WHERE t.key IN {{}} AND e.state = 'active' AND {attached(conn, 'e')}"
            found = map(KeptText._make, log.select_in(conn, sql, list(keys)))
            return {text.key: text for text in found if workspace is None or text.workspace == workspace}

    def full_texts(self, rows: Iterable[int]) -> dict[int, tuple[str, str, str | None, str | None, str]]:
        """(name, type, title, description, body) of entries by their list key."""
        with self._reading() as conn:
            sql = "SELECT row, name, type, title, description, body FROM entries WHERE row IN {}"
            return {row: (name, *rest) for row, name, *rest in log.select_in(conn, sql, list(rows))}

    def signatures(self, after: int = 0) -> list[tuple[int, int, bytes]]:
        """(key, words, signature) of the texts whose key is above `after`."""
        with self._reading() as conn:
            sql = "SELECT key, size, signature FROM similar_signatures WHERE key > ? ORDER BY key"
            return conn.execute(sql, (after,)).fetchall()

    def words_of(self, keys: Iterable[int]) -> dict[int, frozenset[str]]:
        """The words of those of these texts that still exist."""
        with self._reading() as conn:
            sql = "SELECT key, words FROM similar_words WHERE key IN {}"
            return {key: frozenset(words.split(" ")) - {""} for key, words in log.select_in(conn, sql, list(keys))}

    def all_words(self) -> Iterator[tuple[int, list[str]]]:
        """(key, words) of every text, in the order of the keys, a page at a time."""
        last = 0
        while True:
            with self._reading() as conn:
                sql = "SELECT key, words FROM similar_words WHERE key > ? ORDER BY key LIMIT 1000"
                page = conn.execute(sql, (last,)).fetchall()
            if not page:
                return
            for key, words in page:
                yield key, words.split(" ") if words else []
            last = page[-1][0]

    # -- scores ---------------------------------------------------------------------------------------------------

    def unscored_texts(self) -> list[tuple[int, bytes, int, bytes]]:
        """(key, hash of the words, number of words, signature) of texts that were not compared yet, by rising key.

        A text that was left out as equal to another is one again when that other is gone.
        """
        orphan = "same_as IS NOT NULL AND same_as NOT IN (SELECT key FROM similar_texts)"
        with self._reading() as conn:
            orphans = conn.execute(f"SELECT EXISTS (SELECT 1 FROM similar_texts WHERE {orphan})").fetchone()[0]
        if orphans:
            with self._writing() as conn:
                conn.execute(f"UPDATE similar_texts SET same_as = NULL, scored = 0 WHERE {orphan}")
        with self._reading() as conn:
            return conn.execute(
                "SELECT t.key, t.word_set, t.size, s.signature FROM similar_texts t JOIN similar_signatures s "
                "ON s.key = t.key WHERE t.scored = 0 ORDER BY t.key"
            ).fetchall()

    def scored_sets(self, word_sets: Iterable[bytes]) -> dict[bytes, int]:
        """For each of these hashes of words the key of the scored text that stands for it, if there is one."""
        with self._reading() as conn:
            sql = "SELECT word_set, key FROM similar_texts WHERE word_set IN {} AND scored = 1 AND same_as IS NULL"
            return dict(log.select_in(conn, sql, list(word_sets)))

    def scored_alone(self, keys: Iterable[int]) -> set[int]:
        """Those of these keys that were scored and stand for themselves."""
        with self._reading() as conn:
            sql = "SELECT key FROM similar_texts WHERE key IN {} AND scored = 1 AND same_as IS NULL"
            return {key for (key,) in log.select_in(conn, sql, list(keys))}

    def keep_scores(self, scores: Sequence[tuple[int, int | None, bytes]]) -> None:
        """Keep what came of scoring; a text that changed meanwhile has lost its key and is left out.

        Args:
            scores: (key, the key of the equal set that is scored instead or None, the list of its partners).
        """
        for part in log.chunks(scores, _WRITE_AT_ONCE):
            with self._writing() as conn:
                sql = "UPDATE similar_texts SET scored = 1, same_as = ? WHERE key = ?"
                conn.executemany(sql, [(same, key) for key, same, _ in part])
                conn.executemany("DELETE FROM similar_pairs WHERE key = ?", [(key,) for key, _, _ in part])
                conn.executemany(
                    "INSERT INTO similar_pairs SELECT key, ? FROM similar_texts WHERE key = ?",
                    [(blob, key) for key, _, blob in part if blob],
                )

    def pair_lists(self) -> list[tuple[int, bytes]]:
        """(key, list of its partners among the texts scored before it) of every text that has any."""
        with self._reading() as conn:
            return conn.execute("SELECT key, partners FROM similar_pairs").fetchall()

    # -- findings -------------------------------------------------------------------------------------------------

    def findings(self, version: str) -> dict[tuple[int, int], str]:
        """What was found in pairs of texts (smaller key first) by this version of the rules, as it was kept."""
        with self._reading() as conn:
            sql = "SELECT one, other, findings FROM similar_findings WHERE version = ?"
            return {(one, other): found for one, other, found in conn.execute(sql, (version,))}

    def keep_findings(self, version: str, found: Iterable[tuple[int, int, str]]) -> None:
        """Keep what was found in pairs of texts: (smaller key, larger key, findings)."""
        rows = [(one, other, version, text, one, other) for one, other, text in found]
        with self._writing() as conn:
            conn.executemany(
                "INSERT OR REPLACE INTO similar_findings SELECT ?, ?, ?, ? WHERE "
                "(SELECT count(*) FROM similar_texts WHERE key IN (?, ?)) = 2", rows,
            )  # fmt: skip

    # -- verdicts -------------------------------------------------------------------------------------------------

    def verdicts(self) -> list[Judged]:
        """The newest verdict on each pair of entries that was not undone, withdrawn ones included, oldest first."""
        with self._reading() as conn:
            rows = conn.execute(f"SELECT line FROM log WHERE type = '{VERDICT}' ORDER BY event_id").fetchall()
            events = [parse_line(line) for (line,) in rows]
            standing = standing_for(conn, events)
            real = real_ids(conn, {i for e in events for i in (e.memory_id, e.other_id) if i})
        found: dict[tuple[str, str], Judged] = {}
        for event in events:
            judged = _judged(event, real) if standing.counts(event) and not event.erased else None
            if judged is not None:
                found.pop((judged.one, judged.other), None)
                found[judged.one, judged.other] = judged
        return [j for j in found.values() if j.one not in standing.erased and j.other not in standing.erased]


def _keep(conn: sqlite3.Connection, row: int, values: TextValues, version: int) -> None:
    key = conn.execute(
        "INSERT INTO similar_texts (row, version, content, word_set, size) VALUES (?, ?, ?, ?, ?)",
        (row, version, values.content, values.word_set, values.size),
    ).lastrowid
    conn.execute("INSERT INTO similar_signatures VALUES (?, ?, ?)", (key, values.size, values.signature))
    conn.execute("INSERT INTO similar_words VALUES (?, ?)", (key, values.words))


def _judged(event: Event, real: dict[str, str]) -> Judged | None:
    """The event as a verdict on a pair in rising order; None if it does not say what it must."""
    ends = event.memory_id, event.other_id
    verdict, contents = event.payload.get("verdict"), event.payload.get("contents")
    if ends[0] is None or ends[1] is None or not isinstance(verdict, str) or not isinstance(contents, dict):
        return None
    said = sorted((real[end], str(contents.get(end, ""))) for end in (ends[0], ends[1]))
    if said[0][0] == said[1][0]:
        return None
    return Judged(said[0][0], said[1][0], verdict, said[0][1], said[1][1], event)
