"""Episodes of memdesk's own: what an agent's turn came to, kept as searchable evidence (memory seed, "three floors").

Local to this machine and never events: an episode is not curated memory.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..events import Clock, rfc3339
from ..search_text import parse, snippet
from .reading import Reading

_COLUMNS: Final = "episode_id, workspace, timestamp, title, content, tags, agent, session_id, outcome"
#: One that names no workspace belongs to all of them.
_HERE: Final = "(workspace = ? OR workspace IS NULL)"


@dataclass(frozen=True, slots=True)
class OwnEpisode:
    """One episode as stored. `rank` and `snippet` are of a search (bm25, smaller is better)."""

    id: str
    workspace: str | None
    timestamp: str
    title: str
    content: str
    tags: tuple[str, ...]
    agent: str
    session_id: str | None = None
    outcome: str | None = None
    rank: float = 0.0
    snippet: str = ""


class EpisodeShelf(Reading):
    """The episodes that this store keeps itself."""

    clock: Clock

    def add_episode(
        self, title: str, content: str, *, agent: str, workspace: str | None = None, tags: Sequence[str] = (),
        session_id: str | None = None, outcome: str | None = None,
    ) -> OwnEpisode:  # fmt: skip
        """Keep an episode; its id is `ep_` + ULID.

        Raises:
            StoreLocked, StoreUnusable: nothing was written.
        """
        with self.transaction() as tx:
            episode = OwnEpisode(
                "ep_" + tx.new_id(), workspace, rfc3339(self.clock.now_ms()), title, content,
                tuple(dict.fromkeys(tags)), agent, session_id, outcome,
            )  # fmt: skip
            tx.db.execute(
                f"INSERT INTO episodes ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (episode.id, workspace, episode.timestamp, title, content, json.dumps(episode.tags, ensure_ascii=False),
                 agent, session_id, outcome),
            )  # fmt: skip
        return episode

    def own_episode(self, episode_id: str) -> OwnEpisode | None:
        """The episode of this id, or of a beginning (9 characters or more) that only one id has."""
        found = self._select("episode_id = ?", [episode_id])
        if not found and len(episode_id) >= 9:
            found = self._select("episode_id >= ? AND episode_id < ?", [episode_id, episode_id + "\U0010ffff"])
        return found[0] if len(found) == 1 else None

    def own_episodes(self, workspace: str | None = None, limit: int = 20) -> list[OwnEpisode]:
        """The newest episodes, of one workspace or of all."""
        where, args = (_HERE, [workspace]) if workspace is not None else ("1", [])
        return self._select(where, args, f"ORDER BY timestamp DESC, row DESC LIMIT {int(limit)}")

    def count_own_episodes(self, workspace: str | None = None) -> int:
        """How many there are."""
        where, args = (f" WHERE {_HERE}", [workspace]) if workspace is not None else ("", [])
        with self._reading() as conn:
            return int(conn.execute(f"SELECT count(*) FROM episodes{where}", args).fetchone()[0])

    def search_own_episodes(self, text: str, workspace: str | None = None, limit: int = 10) -> list[OwnEpisode]:
        """The best episodes for a query, read as `Store.search` reads it; blank finds nothing."""
        parsed = parse(text)
        if parsed.empty or limit <= 0:
            return []
        where, args, rank = ["1"], [], "0.0"
        tables = "episodes e"
        if parsed.terms:
            tables, rank = "episodes e JOIN episodes_fts f ON f.rowid = e.row", "f.rank"
            where.append("episodes_fts MATCH ?")
            args.append(parsed.match)
        else:
            where.append("instr(e.title || ' ' || e.content, ?) > 0")
            args.append(parsed.signs)
        if workspace is not None:
            where.append(_HERE)
            args.append(workspace)
        columns = ", ".join(f"e.{c.strip()}" for c in _COLUMNS.split(","))
        found: list[OwnEpisode] = []
        with self._reading() as conn:
            for row in conn.execute(
                f"SELECT {columns}, {rank} FROM {tables} WHERE {' AND '.join(where)} ORDER BY {rank}, e.timestamp DESC",
                args,
            ):
                texts = (row[4], row[3])
                if parsed.fits((*texts, row[5])):
                    found.append(_episode(row, rank=row[9], snippet_=snippet(texts, parsed)))
                if len(found) == limit:
                    break
        return found

    def _select(self, where: str, args: Sequence[Any], tail: str = "") -> list[OwnEpisode]:
        with self._reading() as conn:
            rows = conn.execute(f"SELECT {_COLUMNS} FROM episodes WHERE {where} {tail}", args).fetchall()
        return [_episode(r) for r in rows]


def _episode(row: sqlite3.Row | Sequence[Any], *, rank: float = 0.0, snippet_: str = "") -> OwnEpisode:
    id_, workspace, timestamp, title, content, tags, agent, session_id, outcome = row[:9]
    return OwnEpisode(
        id_, workspace, timestamp, title, content, tuple(json.loads(tags)), agent, session_id, outcome, rank, snippet_
    )
