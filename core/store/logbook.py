"""Operations and lost edits: what was done, and what was lost (DESIGN 3.3, 3.5)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..events import Event, parse_line
from ..fold import LostEdit
from ..text import one_name
from . import log
from .reading import Reading, attached
from .rows import OperationRow
from .standings import raw_ids, real_ids

_OPERATION: Final = (
    "SELECT o.op_id, o.verb, o.summary, o.actor, o.on_behalf_of, o.role, o.session_id, o.timestamp, o.undoes, "
    "s.undone_by, o.origin, coalesce(s.ignored, 0) FROM operations o LEFT JOIN op_standing s ON s.op_id = o.op_id"
)
#: A sync brings old operations: what is new here goes by the order of arrival, not by ids.
_ARRIVED: Final = (
    "o.event_id IN (SELECT event_id FROM events WHERE type = 'desk.operation' AND seq > coalesce((SELECT max(e.seq) "
    "FROM operations a JOIN events e ON e.event_id = a.event_id WHERE a.op_id = ?), 0))"
)
#: Where in it stand the words of whoever wrote it: summary, actor, on whose behalf, session, machine.
_SAID: Final = frozenset({2, 3, 4, 6, 10})
_TOUCHING: Final = "SELECT op_id FROM log WHERE {} AND op_id IS NOT NULL"


class Logbook(Reading):
    """The operations of the log, newest first, and what came of them."""

    def operations(
        self, *, actor: str | None = None, limit: int | None = 50, entry_id: str | None = None,
        before: str | None = None, after: str | None = None,
    ) -> list[OperationRow]:  # fmt: skip
        """Operations, newest first, each with the entries it touched.

        Args:
            actor: only this author's.
            limit: at most so many; None for all.
            entry_id: only those that touched this entry (edges at either end included).
            before: only those older than this operation.
            after: only those that arrived here after this operation, whenever they were made; "" for all.
        """
        with self._reading() as conn:
            parts, args = ["1"], list[Any]()
            for column, value in (("o.actor = ?", actor), ("o.op_id < ?", before), (_ARRIVED, after)):
                if value is not None:
                    parts.append(column)
                    args.append(value)
            if entry_id is not None:
                raw = raw_ids(conn, [real_ids(conn, [entry_id])[entry_id]]).popitem()[1]
                either = " UNION ".join(_TOUCHING.format(f"{c} IN {log.marks(raw)}") for c in ("entry_id", "other_id"))
                parts.append(f"o.op_id IN ({either})")
                args += [*raw, *raw]
            args.append(-1 if limit is None else limit)
            sql = f"{_OPERATION} WHERE {' AND '.join(parts)} ORDER BY o.op_id DESC LIMIT ?"
            return _operations(conn, conn.execute(sql, args).fetchall())

    def operation(self, op_id: str) -> OperationRow | None:
        """The operation of this id, or of a prefix of it that fits only one (with or without `op_`)."""
        with self._reading() as conn:
            found = by_prefix(conn, _OPERATION, "o.op_id", "op_", op_id)
            return _operations(conn, [found])[0] if found else None

    def operations_of(self, op_ids: Iterable[str]) -> list[OperationRow]:
        """The operations of these ids that are there, in the given order."""
        ids = list(op_ids)
        with self._reading() as conn:
            rows = _operations(conn, list(log.select_in(conn, f"{_OPERATION} WHERE o.op_id IN {{}}", ids)))
            found = {row.op_id: row for row in rows}
            return [found[i] for i in ids if i in found]

    def undoes(self) -> dict[str, str | None]:
        """What each undo (or redo) undoes: operation id -> operation id. Few rows, whatever the log holds."""
        with self._reading() as conn:
            return dict(conn.execute("SELECT op_id, undoes FROM operations WHERE undoes IS NOT NULL").fetchall())

    def headers(self, op_ids: Iterable[str]) -> dict[str, Event]:
        """The header events of these operations."""
        with self._reading() as conn:
            sql = "SELECT e.line FROM operations o JOIN log e ON e.event_id = o.event_id WHERE o.op_id IN {}"
            found = (parse_line(line) for (line,) in log.select_in(conn, sql, list(op_ids)))
            return {e.op_id: e for e in found if e.op_id}

    # -- lost edits -----------------------------------------------------------------------------------------------

    def lost_edits(self, workspace: str | None = None, entry_id: str | None = None) -> list[LostEdit]:
        """Edits that lost a field to an edit that had not seen them, newest first; those of purged entries left out."""
        with self._reading() as conn:
            parts, args = [f"{attached(conn, 'e')} AND e.state <> 'purged'"], list[Any]()
            for column, value in (("e.workspace = ?", workspace), ("e.id = ?", entry_id)):
                if value is not None:
                    parts.append(column)
                    args.append(value)
            sql = (
                "SELECT l.entry_id, l.field, l.event_id, l.author, l.timestamp, l.value, l.winner_id FROM lost_edits l "
                f"JOIN entries e ON e.id = l.entry_id WHERE {' AND '.join(parts)} ORDER BY l.event_id DESC, l.field"
            )
            rows = conn.execute(sql, args).fetchall()
            return [LostEdit(*(*row[:5], json.loads(row[5]), row[6])) for row in rows]


def by_prefix(conn: sqlite3.Connection, select: str, column: str, kind: str, ref: str) -> tuple[Any, ...] | None:
    """The row whose id is `ref`, or the only one whose id begins with it, in either spelling."""
    for start in dict.fromkeys((ref, kind + ref.removeprefix(kind).upper())):
        if kind.startswith(start):  # the beginning of every id names none
            continue
        sql = f"{select} WHERE {column} >= ? AND {column} < ? ORDER BY {column} LIMIT 2"
        found = conn.execute(sql, (start, start + "\U0010ffff")).fetchall()
        if len(found) == 1 or (found and found[0][0] == start):
            return tuple(found[0])
    return None


def _operations(conn: sqlite3.Connection, rows: list[tuple[Any, ...]]) -> list[OperationRow]:
    touched: dict[str, dict[str, None]] = {row[0]: {} for row in rows}
    sql = (
        "SELECT op_id, entry_id, other_id, edge_kind FROM log WHERE op_id IN {} AND entry_id IS NOT NULL "
        "AND type LIKE 'memory.%' ORDER BY event_id"
    )
    for op_id, entry_id, other_id, kind in log.select_in(conn, sql, list(touched)):
        touched[op_id][entry_id] = None
        if kind is not None and other_id is not None:
            touched[op_id][other_id] = None
    real = real_ids(conn, {i for ids in touched.values() for i in ids})
    return [
        OperationRow(*(*_said(row[:11]), bool(row[11]), tuple(dict.fromkeys(real[i] for i in touched[row[0]]))))
        for row in rows
    ]


def _said(row: tuple[Any, ...]) -> Iterator[Any]:
    return (one_name(value) if value and at in _SAID else value for at, value in enumerate(row))
