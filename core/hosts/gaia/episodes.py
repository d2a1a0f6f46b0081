"""Episodes of a Gaia database, read where they live: never copied, never bumped (gaia/SPEC 2.8, 4)."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from typing import Any, Final

from ..host import Episode
from .database import Shape

_WORD: Final = re.compile(r"[^\W_]+")
_SNIPPET: Final = 160
_WANTED: Final = ("episode_id", "workspace", "timestamp", "title", "prompt", "enriched_prompt", "tags")


def newest(db: sqlite3.Connection, shape: Shape, *, workspace: str | None, limit: int) -> list[Episode]:
    """The newest episodes first."""
    if not shape.has_episodes:
        return []
    where, args = ("WHERE workspace = ?", [workspace]) if workspace is not None else ("", [])
    sql = f"SELECT {_select(db)} FROM episodes {where} ORDER BY timestamp DESC, episode_id LIMIT ?"
    return [_episode(row) for row in db.execute(sql, (*args, limit))]


def one(db: sqlite3.Connection, shape: Shape, episode_id: str) -> Episode | None:
    """The episode of this id, or of the only id that begins so."""
    if not shape.has_episodes or not episode_id:
        return None
    sql = f"SELECT {_select(db)} FROM episodes WHERE substr(episode_id, 1, ?) = ? ORDER BY episode_id LIMIT 2"
    found = [_episode(row) for row in db.execute(sql, (len(episode_id), episode_id))]
    exact = [e for e in found if e.id == episode_id]
    return exact[0] if exact else found[0] if len(found) == 1 else None


def search(
    db: sqlite3.Connection, shape: Shape, text: str, *, workspace: str | None, limit: int
) -> list[Episode]:
    """Episodes that hold every word of the text, any text: it is never read as a query language."""
    words = _WORD.findall(text)
    if not words or not shape.has_episodes:
        return []
    if shape.has_episode_text:
        found = _by_index(db, words, workspace, limit)
        if found is not None:
            return found
    where = " AND ".join(["instr(lower(coalesce(prompt, '') || ' ' || coalesce(enriched_prompt, '') || ' ' || "
                          "coalesce(tags, '') || ' ' || coalesce(title, '')), ?)"] * len(words))  # fmt: skip
    args: list[Any] = [w.lower() for w in words]
    if workspace is not None:
        where, args = f"{where} AND workspace = ?", [*args, workspace]
    sql = f"SELECT {_select(db)} FROM episodes WHERE {where} ORDER BY timestamp DESC, episode_id LIMIT ?"
    return [_episode(row, words) for row in db.execute(sql, (*args, limit))]


def _by_index(
    db: sqlite3.Connection, words: Sequence[str], workspace: str | None, limit: int
) -> list[Episode] | None:
    """Best match first through the host's own index; None when that index cannot be used."""
    query = " ".join(f'"{w}"' for w in words)
    columns = ", ".join(f"e.{c}" for c in _columns(db))
    sql = (
        f"SELECT {columns}, bm25(episodes_fts) FROM episodes_fts JOIN episodes e ON e.rowid = episodes_fts.rowid "
        "WHERE episodes_fts MATCH ?"
    )
    args: list[Any] = [query]
    if workspace is not None:
        sql, args = f"{sql} AND e.workspace = ?", [*args, workspace]
    try:
        found = db.execute(f"{sql} ORDER BY bm25(episodes_fts), e.episode_id LIMIT ?", (*args, limit)).fetchall()
    except sqlite3.OperationalError:
        return None
    return [_episode(row, words, rank=float(row[len(_WANTED)])) for row in found]


def _columns(db: sqlite3.Connection) -> list[str]:
    has = {row[1] for row in db.execute("PRAGMA table_info(episodes)")}
    return [c if c in has else "rowid" for c in _WANTED]


def _select(db: sqlite3.Connection) -> str:
    return ", ".join(_columns(db))


def _episode(row: Any, words: Sequence[str] = (), rank: float = 0.0) -> Episode:
    found = dict(zip(_WANTED, row, strict=False))
    content = str(found["enriched_prompt"] or found["prompt"] or "")
    title = str(found["title"] or content.partition("\n")[0][:80])
    return Episode(
        str(found["episode_id"]), title, content, _tags(found["tags"]), str(found["timestamp"] or ""),
        found["workspace"], rank, _snippet(content or title, words),
    )  # fmt: skip


def _tags(text: Any) -> tuple[str, ...]:
    try:
        found = json.loads(text) if text else []
    except ValueError:
        return (str(text),)
    return tuple(map(str, found)) if isinstance(found, list) else (str(found),)


def _snippet(text: str, words: Sequence[str]) -> str:
    """The surroundings of the first match, matches in [ ]."""
    if not words:
        return ""
    pattern = re.compile("|".join(re.escape(w) for w in words), re.IGNORECASE)
    first = pattern.search(text)
    start = max(0, first.start() - _SNIPPET // 3) if first else 0
    piece = " ".join(text[start : start + _SNIPPET].split())
    marked = pattern.sub(lambda m: f"[{m[0]}]", piece)
    return ("…" if start else "") + marked + ("…" if start + _SNIPPET < len(text) else "")
