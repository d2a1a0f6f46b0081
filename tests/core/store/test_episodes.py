"""Episodes of memdesk's own: kept, found like entries are found, and no part of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import InvalidValue, NotFound, UnknownWorkspace
from memdesk.core.store import Store

TEXTS = [
    ("Cache incident", "The cache was cold, C++ and #12 too.", "me"),
    ("東京の夜", "Müller ging naïve durch die Nacht.", "me"),
    ("Elsewhere", "The cache of the other one.", "other"),
    ("Nowhere", "A cache without a place.", None),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store.open(tmp_path / "store")
    for title, content, workspace in TEXTS:
        made.add_episode(title, content, agent="agent:scout", workspace=workspace, tags=("ops", "ops", "x"))
    return made


@pytest.mark.parametrize(("query", "workspace", "titles"), [
    ("cache", None, {"Cache incident", "Elsewhere", "Nowhere"}),
    ("cache", "me", {"Cache incident", "Nowhere"}),
    ("cache cold", None, {"Cache incident"}),
    ("C++", None, {"Cache incident"}),
    ("#12", None, {"Cache incident"}),
    ("京", None, {"東京の夜"}),
    ("muller", None, {"東京の夜"}),
    ("ops", "other", {"Elsewhere", "Nowhere"}),
    ("missing", None, set()),
    ("", None, set()),
    ("*", None, set()),
    ('"', None, set()),
])  # fmt: skip
def test_search(store: Store, query: str, workspace: str | None, titles: set[str]) -> None:
    assert {e.title for e in store.search_own_episodes(query, workspace)} == titles


def test_read_back_and_counted(store: Store) -> None:
    newest = store.own_episodes("me", 1)[0]
    assert (newest.title, newest.tags, newest.agent) == ("Nowhere", ("ops", "x"), "agent:scout")
    assert store.own_episode(newest.id) == store.own_episode(newest.id[:-1]) == newest
    assert store.own_episode("ep_") is None and store.own_episode(newest.id[:5]) is None
    assert (store.count_own_episodes(), store.count_own_episodes("other")) == (4, 2)
    assert len(store.search_own_episodes("cache", None, 2)) == 2
    assert list(store.events()) == []


def test_snippets_mark_what_was_found(store: Store) -> None:
    assert "[cache]" in store.search_own_episodes("cache", "other")[0].snippet


def test_at_the_desk(tmp_path: Path) -> None:
    with Desk.open(tmp_path / "store", Actor("user:ana")) as desk:
        for title, content in ((" ", "x"), ("T", " ")):
            with pytest.raises(InvalidValue):
                desk.add_episode(title, content)
        with pytest.raises(UnknownWorkspace):
            desk.add_episode("T", "C", workspace="nope")
        with pytest.raises(NotFound):
            desk.episode("ep_none")
        made = desk.add_episode("T", "C", workspace="new", create_workspace=True)
        assert desk.episode(made.id).content == "C"
        assert [w.name for w in desk.workspaces()] == ["new"]
        assert desk.log() == []
