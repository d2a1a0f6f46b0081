"""Full-text search (CASES "Text and search"): any query gives results or none, never an error."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ..search_text import Parsed, parse, snippet
from . import log
from .listing import TEXTS, ranked, text_condition
from .reading import Reading, attached
from .rows import ROW_SELECT, Hit, entry_row_of


class Searching(Reading):
    """Finding entries by what they say."""

    def search(
        self, text: str, *, workspace: str | None = None, tag: str | None = None, types: Sequence[str] = (),
        statuses: Sequence[str] = (), states: Sequence[str] = ("active",), limit: int = 10,
    ) -> list[Hit]:  # fmt: skip
        """The best entries for a query: words are all required, `"…"` is a phrase, `word*` fits longer words.

        Name, title and description weigh more than the body. A term with signs (`C++`, `#12`) must stand in the text as
        typed. Case, accents and CJK spacing do not matter.

        Args:
            text: anything a person may type; blank finds nothing.
            workspace: only there.
            tag: only entries with it.
            types: any of these.
            statuses: any of these.
            states: any of these; () for every state. An entry whose creation was undone is never found.
            limit: at most so many.
        """
        parsed = parse(text)
        if parsed.empty or limit <= 0:
            return []
        with self._reading() as conn:
            tables, rank, where, args = "entries e", "0.0", *text_condition(parsed)
            if parsed.terms:
                (tables, args), rank, where = ranked(parsed), "f.rank", []
            where.append(attached(conn, "e"))
            if "purged" in (states or ("purged",)):
                where.append("e.creation_undone = 0")
            for column, values in (("state", states), ("status", statuses), ("type", types)):
                if values:
                    where.append(f"e.{column} IN {log.marks(values)}")
                    args += [str(v) for v in values]
            if workspace is not None:
                where.append("e.workspace = ?")
                args.append(workspace)
            if tag is not None:
                where.append("EXISTS (SELECT 1 FROM tags t WHERE t.entry_id = e.id AND t.tag = ?)")
                args.append(tag)
            most = "" if parsed.needs_text else f" LIMIT {int(limit)}"
            sql = f"SELECT e.row, {rank} FROM {tables} WHERE {' AND '.join(where)}"
            order = f" ORDER BY 2, e.updated_key DESC, e.id DESC{most}"
            return _hits(conn, conn.execute(sql + order, args).fetchall(), parsed, limit)


def _hits(conn: sqlite3.Connection, best: list[tuple[int, float]], parsed: Parsed, limit: int) -> list[Hit]:
    """The first `limit` of these (key, rank) that hold the signs of the query too; only their long texts are read."""
    hits: list[Hit] = []
    sql = f"SELECT {TEXTS}, {ROW_SELECT} FROM entries e LEFT JOIN counters c ON c.entry_id = e.id WHERE e.row IN {{}}"
    for chunk in log.chunks(best, 50):
        rows = {row[5]: row for row in log.select_in(conn, sql, [key for key, _ in chunk])}
        for key, score in chunk:
            row = rows.get(key)  # None: gone since the index was read
            if row is not None and parsed.fits(row[:5]):
                name, title, description, summary, body = row[:5]
                shown = snippet((body, summary, description, title, name), parsed)
                hits.append(Hit(entry_row_of(row[5:]), shown, score))
            if len(hits) == limit:
                return hits
    return hits
