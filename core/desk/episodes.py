"""Episodes, memdesk's own and those of the hosts, as one: evidence to search, never curated memory (memory seed)."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import InvalidValue, NotFound
from ..hosts import Episode
from ..policy import Facts
from ..store.episodes import OwnEpisode
from .scopes import Scopes
from .texts import check_body, check_limits


class Episodes(Scopes):
    """The verbs on episodes."""

    def add_episode(
        self, title: str, content: str, *, workspace: str | None = None, tags: Sequence[str] = (),
        outcome: str | None = None, create_workspace: bool = False,
    ) -> Episode:  # fmt: skip
        """Keep what a turn came to. It is no entry: no digest shows it, and undo does not know it.

        Args:
            title: one line. content: what happened.
            workspace: None keeps it for all of them.

        Raises:
            InvalidValue: a blank title or content, or one past its limit. UnknownWorkspace: it does not exist.
        """
        self.gate("episode-add", Facts(), args={"title": title})
        if not title.strip():
            raise InvalidValue("The episode has no title.", "Give one line with --title.", field="title")
        check_body(content)
        check_limits({"body": content})
        if workspace is not None and workspace not in {known.name for known in self.workspaces()}:
            self.require_workspace(workspace, create_workspace)
            self.gate("workspace add", Facts(), args={"name": workspace})
            self.ensure_workspace(workspace, create_workspace)
        own = self.store.add_episode(
            title.strip(), content, agent=self.actor.name, workspace=workspace, tags=tags, outcome=outcome,
            session_id=self.actor.session_id,
        )  # fmt: skip
        return _shown(own)

    def episode(self, episode_id: str) -> Episode:
        """One episode, by id or a unique beginning of it.

        Raises:
            NotFound: none answers to it.
        """
        own = self.store.own_episode(episode_id)
        found = _shown(own) if own is not None else self.hosts.episode(episode_id)
        if found is None:
            raise NotFound(
                f"There is no episode {episode_id!r}.", "Look for it with `memdesk search --scope=episodes`.",
                ref=episode_id,
            )  # fmt: skip
        return found

    def search_episodes(self, text: str, workspace: str | None = None, limit: int = 10) -> list[Episode]:
        """Episodes that hold these words, memdesk's own first, then those of the hosts; blank finds nothing."""
        if not text.strip() or limit <= 0:
            return []
        own = [_shown(e) for e in self.store.search_own_episodes(text, workspace, limit)]
        return [*own, *self.hosts.search_episodes(text, workspace, limit)][:limit]

    def count_episodes(self, workspace: str | None = None) -> int:
        """How many there are, here and on the hosts (a host that is away has none)."""
        return self.store.count_own_episodes(workspace) + len(self.hosts.episodes(workspace))


def _shown(own: OwnEpisode) -> Episode:
    return Episode(own.id, own.title, own.content, own.tags, own.timestamp, own.workspace, own.rank, own.snippet)
