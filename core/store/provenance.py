"""Where entries came from: which session or author made them, and what else it touched (DESIGN 3.1, 3.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..events import APPEND, CREATE, EDIT
from . import log
from .reading import Reading, attached
from .standings import real_ids

#: Whether an operation `o` names a word, in lower case.
HAS_WORD: Final = (
    "instr(lower(o.summary || ' ' || o.verb || ' ' || o.actor || ' ' || coalesce(o.session_id, '') || ' ' "
    "|| o.op_id), ?) > 0"
)


class Provenance(Reading):
    """Entries by the session or the author that wrote them."""

    def made_by(self, *, session: str | None = None, author: str | None = None) -> list[str]:
        """Ids of the entries that a session or an author created, deleted ones included, oldest first."""
        with self._reading() as conn:
            if session is not None:
                where = (
                    "(e.origin_session_id = ? OR e.id IN (SELECT l.entry_id FROM operations o JOIN log l "
                    f"ON l.op_id = o.op_id WHERE o.session_id = ? AND l.type = '{CREATE}'))"
                )
                args = [session, session]
            else:
                where, args = "e.created_by = ?", [author or ""]
            sql = f"SELECT e.id FROM entries e WHERE {where} AND e.creation_undone = 0 AND {attached(conn, 'e')}"
            return [i for (i,) in conn.execute(f"{sql} ORDER BY e.created_key, e.id", args)]

    def changed_by(self, *, session: str | None = None, author: str | None = None) -> list[str]:
        """Ids of the entries whose fields or text a session or an author changed."""
        column, value = ("session_id", session) if session is not None else ("actor", author or "")
        with self._reading() as conn:
            sql = (
                "SELECT DISTINCT l.entry_id FROM operations o JOIN log l ON l.op_id = o.op_id "
                f"WHERE o.{column} = ? AND l.type IN ('{EDIT}', '{APPEND}') AND l.entry_id IS NOT NULL"
            )
            found = [i for (i,) in conn.execute(sql, (value,))]
            return sorted(set(real_ids(conn, found).values()))

    def undone_creations(self, entry_ids: Iterable[str]) -> set[str]:
        """Those of the entries whose creation was undone: they are in the table, and not there for a reader."""
        with self._reading() as conn:
            sql = "SELECT id FROM entries WHERE id IN {} AND creation_undone = 1"
            return {i for (i,) in log.select_in(conn, sql, list(entry_ids))}

    def sessions(self, limit: int = 200) -> list[tuple[str, str, int]]:
        """(session, its author, how many operations), the newest first."""
        with self._reading() as conn:
            sql = (
                "SELECT session_id, max(actor), count(*) FROM operations WHERE session_id IS NOT NULL "
                "GROUP BY session_id ORDER BY max(op_id) DESC LIMIT ?"
            )
            return [(str(s), str(a), int(n)) for s, a, n in conn.execute(sql, (limit,))]

    # -- the log, however long ----------------------------------------------------------------------------------------

    def operation_keys(self, *, words: str = "", workspace: str | None = None) -> list[str]:
        """Ids of operations, newest first.

        Args:
            words: each of them stands in the summary, the verb, the author, the session or the id.
            workspace: only those that touch an entry of it, and those that touch none.
        """
        parts, args = ["1"], list[str]()
        for word in words.casefold().split():
            parts.append(HAS_WORD)
            args.append(word)
        if workspace is not None:
            parts.append(
                "(EXISTS (SELECT 1 FROM events l JOIN entries e ON e.id = l.entry_id WHERE l.op_id = o.op_id "
                "AND e.workspace = ?) OR NOT EXISTS (SELECT 1 FROM events l WHERE l.op_id = o.op_id "
                "AND l.entry_id IS NOT NULL))"
            )
            args.append(workspace)
        with self._reading() as conn:
            sql = f"SELECT o.op_id FROM operations o WHERE {' AND '.join(parts)} ORDER BY o.op_id DESC"
            return [op_id for (op_id,) in conn.execute(sql, args)]
