"""Which operations touched an entry about the user: kept with the projection, so that counting them reads nothing else.

An entry is about the user by its type, or by a name that begins with `user_` (a host may keep one under another type).
Who did it, whether it still stands and whether a person has kept it is asked when they are listed (`agents`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from .log import EDGE_EVENTS, ENTRY_EVENTS, select_in
from .standings import raw_ids

#: As `policy.Facts.about_user`; `_` is a wildcard of LIKE, hence the comparison.
ABOUT_USER: Final = "(e.type = 'user' OR substr(e.name, 1, 5) = 'user_')"
_KINDS: Final = (*ENTRY_EVENTS, *EDGE_EVENTS)


def refresh_user_work(conn: sqlite3.Connection, entry_ids: Iterable[str]) -> None:
    """Note anew which operations touched these entries (ids that stand for themselves), edges at both ends included."""
    ids = sorted(set(entry_ids))
    conn.executemany("DELETE FROM user_work WHERE entry_id = ?", [(i,) for i in ids])
    about = [i for (i,) in select_in(conn, f"SELECT e.id FROM entries e WHERE e.id IN {{}} AND {ABOUT_USER}", ids)]
    conn.executemany("INSERT INTO user_work (entry_id, op_id) VALUES (?, ?)", sorted(_work_on(conn, about)))


def about_user(conn: sqlite3.Connection) -> set[tuple[str, str]]:
    """What the table should hold, from the log."""
    return _work_on(conn, [i for (i,) in conn.execute(f"SELECT e.id FROM entries e WHERE {ABOUT_USER}")])


def _work_on(conn: sqlite3.Connection, about: Iterable[str]) -> set[tuple[str, str]]:
    rows: set[tuple[str, str]] = set()
    for entry_id, raw in raw_ids(conn, about).items():
        for column in ("entry_id", "other_id"):
            sql = f"SELECT op_id FROM log WHERE {column} IN {{}} AND type IN {_KINDS!r} AND op_id IS NOT NULL"
            rows |= {(entry_id, op_id) for (op_id,) in select_in(conn, sql, raw)}
    return rows
