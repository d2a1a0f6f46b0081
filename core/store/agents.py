"""What agents did: their writes about the user, which wait to be kept or vetoed, and the rest (DESIGN 4)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from ..events import OPERATION, VERDICT, rfc3339
from . import log
from .logbook import Logbook
from .provenance import HAS_WORD
from .reading import attached
from .registry import Registry
from .rows import OperationRow

_KEPT: Final = "kept:"
#: What this program writes by itself, in nobody's role. A pull stands apart: it brings what was written in the host.
_AUTOMATIC: Final = ("attach", "detach", "push", "receive", "sync", "quarantine")
#: Live, and not by a person. A header without a role is another program's, or a pull: nobody says it was a person.
_BY_AGENTS: Final = (
    f"coalesce(o.role, '') <> 'user' AND (o.role IS NOT NULL OR o.verb NOT IN {_AUTOMATIC!r}) "
    "AND NOT EXISTS (SELECT 1 FROM op_standing s WHERE s.op_id = o.op_id "
    "AND (s.undone_by IS NOT NULL OR s.ignored = 1))"
)
_IS_KEPT: Final = f"EXISTS (SELECT 1 FROM notes k WHERE k.key = '{_KEPT}' || {{}})"
#: An agent that takes back what a person has not kept yet leaves things as that person knew them.
_WAITS: Final = (
    f"{_BY_AGENTS} AND NOT {_IS_KEPT.format('o.op_id')} AND (o.undoes IS NULL OR {_IS_KEPT.format('o.undoes')})"
)
#: Verbs whose operation always changes memory, so that its events need not be looked at.
_WRITES: Final = ("add", "append", "checkpoint", "comment", "create", "graduate", "link", "pull", "reclassify")
#: A request asks, and taking one back does no more: they changed nothing.
_CHANGED: Final = (
    f"(o.verb IN {_WRITES!r} OR EXISTS (SELECT 1 FROM events l WHERE l.op_id = o.op_id "
    f"AND (l.type LIKE 'memory.%' OR l.type = '{VERDICT}')))"
)
_IN_WORKSPACE: Final = (
    "EXISTS (SELECT 1 FROM events l LEFT JOIN aliases a ON a.alias = l.entry_id "
    "JOIN entries e ON e.id = coalesce(a.real, l.entry_id) WHERE l.op_id = o.op_id AND e.workspace = ?)"
)
_ARRIVED_AFTER: Final = (
    "EXISTS (SELECT 1 FROM operations t JOIN events te ON te.event_id = t.event_id WHERE t.op_id = o.undoes "
    "AND te.seq > ?)"
)


class AgentsLog(Logbook, Registry):
    """The operations of agents that a person has not looked through yet."""

    def count_flagged(self, workspace: str | None = None) -> tuple[int, str | None]:
        """How many live writes of agents about the user nobody has kept or vetoed, and the time of the oldest.

        Args:
            workspace: only what is said about the user there.
        """
        with self._reading() as conn:
            sql = f"SELECT count(*), min(o.timestamp) FROM operations o WHERE {_flagged(conn, workspace)}"
            number, oldest = conn.execute(sql, [] if workspace is None else [workspace]).fetchone()
            return int(number), oldest

    def flagged_keys(self, *, workspace: str | None = None, words: str = "", limit: int | None = None) -> list[str]:
        """Ids of these operations, newest first; the arguments are those of `agents_keys`."""
        with self._reading() as conn:
            args = [] if workspace is None else [workspace]
            return _keys(conn, [_flagged(conn, workspace)], args, None, words, limit)

    def agents_keys(
        self, *, after: str | None, workspace: str | None = None, words: str = "", limit: int | None = None
    ) -> list[str]:
        """Ids of live operations of agents that changed something and nobody has kept, newest first.

        Args:
            after: only those that arrived here after this operation; None or "" for all.
            workspace: only those that touched an entry of it.
            words: each of them stands in the summary, the verb, the author, the session or the id.
            limit: at most so many; None for all.
        """
        with self._reading() as conn:
            parts, args = [_BY_AGENTS, _CHANGED, f"NOT {_IS_KEPT.format('o.op_id')}"], list[Any]()
            if after:
                sql = "SELECT e.seq FROM operations a JOIN events e ON e.event_id = a.event_id WHERE a.op_id = ?"
                mark = conn.execute(sql, (after,)).fetchone()
                seq = int(mark[0]) if mark else 0
                fresh = f"SELECT event_id FROM events WHERE type = '{OPERATION}' AND seq > ?"
                parts += [f"o.event_id IN ({fresh})", f"(o.undoes IS NULL OR NOT {_ARRIVED_AFTER})"]
                args += [seq, seq]
            else:
                parts.append("o.undoes IS NULL")  # what it undid is as new as itself
            return _keys(conn, parts, args, workspace, words, limit)

    def flagged_of(self, op_ids: Iterable[str]) -> set[str]:
        """Those of the operations that are flagged."""
        with self._reading() as conn:
            sql = f"SELECT o.op_id FROM operations o WHERE o.op_id IN {{}} AND {_flagged(conn)}"
            return {i for (i,) in log.select_in(conn, sql, list(op_ids))}

    def about_user(self, op_ids: Iterable[str]) -> dict[str, list[str]]:
        """For each of the operations that touched entries about the user, their ids."""
        found: dict[str, list[str]] = {}
        with self._reading() as conn:
            sql = "SELECT op_id, entry_id FROM user_work WHERE op_id IN {} ORDER BY op_id, entry_id"
            for op_id, entry_id in log.select_in(conn, sql, list(op_ids)):
                found.setdefault(op_id, []).append(entry_id)
        return found

    # -- kept -----------------------------------------------------------------------------------------------------

    def keep_operation(self, op_id: str, actor: str | None) -> None:
        """Note that a person has looked at an operation and lets it stand; with None that nobody has."""
        said = {"by": actor, "at": rfc3339(self.clock.now_ms())}
        self.set_note(_KEPT + op_id, None if actor is None else json.dumps(said, ensure_ascii=False))

    def kept_operations(self, limit: int | None = None) -> list[OperationRow]:
        """The operations that a person let stand, newest first."""
        with self._reading() as conn:
            sql = "SELECT substr(key, ?) FROM notes WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT ?"
            end = _KEPT[:-1] + chr(ord(_KEPT[-1]) + 1)
            args = (len(_KEPT) + 1, _KEPT, end, -1 if limit is None else limit)
            ids = [i for (i,) in conn.execute(sql, args)]
        return self.operations_of(ids)

    def kept_of(self, op_ids: Iterable[str]) -> set[str]:
        """Those of the operations that a person let stand."""
        with self._reading() as conn:
            sql = "SELECT key FROM notes WHERE key IN {}"
            return {key.removeprefix(_KEPT) for (key,) in log.select_in(conn, sql, [_KEPT + i for i in op_ids])}


def _flagged(conn: sqlite3.Connection, workspace: str | None = None) -> str:
    """The condition for an operation `o` that waits to be kept or vetoed; entries of a detached host are left out.

    With a workspace it takes that as its argument.
    """
    here = attached(conn, "e")
    parts = [*([] if here == "1" else [here]), *([] if workspace is None else ["e.workspace = ?"])]
    # CROSS: from what touched the person's own entries to these, never through all entries.
    only = f" w CROSS JOIN entries e ON e.id = w.entry_id WHERE {' AND '.join(parts)}" if parts else ""
    return f"o.op_id IN (SELECT op_id FROM user_work{only}) AND {_WAITS}"


def _keys(
    conn: sqlite3.Connection, parts: list[str], args: list[Any], workspace: str | None, words: str, limit: int | None
) -> list[str]:
    """Ids of the operations for which all of `parts` hold, newest first."""
    for word in words.casefold().split():
        parts = [*parts, HAS_WORD]
        args = [*args, word]
    if workspace is not None:
        parts = [*parts, _IN_WORKSPACE]
        args = [*args, workspace]
    sql = f"SELECT o.op_id FROM operations o WHERE {' AND '.join(parts)} ORDER BY o.op_id DESC LIMIT ?"
    return [i for (i,) in conn.execute(sql, (*args, -1 if limit is None else limit))]
