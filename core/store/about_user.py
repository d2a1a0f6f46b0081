"""Which operations touched an entry about the user: kept with the projection, so that counting them reads nothing else.

An entry is about the user by its type, or by a name that begins with `user_` (a host may keep one under another type).
Who did it, whether it still stands and whether a person has kept it is asked when they are listed (`agents`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from ..events import VERDICT
from .log import EDGE_EVENTS, ENTRY_EVENTS, select_in
from .standings import raw_ids

#: As `policy.Facts.about_user`; `_` is a wildcard of LIKE, hence the comparison.
ABOUT_USER: Final = "(e.type = 'user' OR substr(e.name, 1, 5) = 'user_')"
#: (id as written, operation) of what touched some ids. A verdict stands in the log under one of its two entries only.
_FOUND: Final = (
    f"SELECT entry_id, op_id FROM log WHERE entry_id IN {{}} AND type IN {(*ENTRY_EVENTS, *EDGE_EVENTS, VERDICT)!r}",
    f"SELECT other_id, op_id FROM log WHERE other_id IN {{}} AND type IN {EDGE_EVENTS!r}",
    f"SELECT json_extract(line, '$.to_id') AS far, op_id FROM log WHERE type = '{VERDICT}' AND far IN {{}}",
)


def refresh_user_work(conn: sqlite3.Connection, entry_ids: Iterable[str]) -> None:
    """Note anew which operations touched these entries, edges and verdicts at both ends.

    Args:
        entry_ids: ids that stand for themselves.
    """
    ids = sorted(set(entry_ids))
    conn.executemany("DELETE FROM user_work WHERE entry_id = ?", [(i,) for i in ids])
    about = [i for (i,) in select_in(conn, f"SELECT e.id FROM entries e WHERE e.id IN {{}} AND {ABOUT_USER}", ids)]
    conn.executemany("INSERT INTO user_work (entry_id, op_id) VALUES (?, ?)", sorted(_work_on(conn, about)))


def about_user(conn: sqlite3.Connection) -> set[tuple[str, str]]:
    """What the table should hold, from the log."""
    return _work_on(conn, [i for (i,) in conn.execute(f"SELECT e.id FROM entries e WHERE {ABOUT_USER}")])


def _work_on(conn: sqlite3.Connection, about: Iterable[str]) -> set[tuple[str, str]]:
    """(entry, operation) of everything that touched these entries."""
    real = {raw: entry_id for entry_id, written in raw_ids(conn, about).items() for raw in written}
    found = (pair for sql in _FOUND for pair in select_in(conn, sql, real))
    return {(real[raw], op_id) for raw, op_id in found if op_id is not None}
