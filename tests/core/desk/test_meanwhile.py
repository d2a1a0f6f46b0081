"""What somebody else writes between the reading and the transaction of a decision is never written over unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import NotFound, Stale
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store


def meanwhile(monkeypatch: pytest.MonkeyPatch, desk: Desk, write: Callable[[], Any]) -> None:
    """Have `write` done right before the next transaction of `desk`."""
    refresh = desk.refresh

    def first(*args: Any, **given: Any) -> None:
        monkeypatch.setattr(desk, "refresh", refresh)
        write()
        refresh(*args, **given)

    monkeypatch.setattr(desk, "refresh", first)


def test_a_merge_that_an_agent_may_do_does_not_replace_what_a_person_writes_just_then(
    desk: Desk, agent: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.add(name="project_a", body="One.", workspace="lab")
    desk.add(name="project_b", body="Two.", description="Of b", workspace="lab")
    meanwhile(monkeypatch, agent, lambda: desk.edit("project_a", fields={"description": "A person's words"}))
    with pytest.raises(Stale):
        agent.merge(["project_a", "project_b"], fields={"description": "right"})
    assert desk.find("project_a").description == "A person's words"
    assert desk.find("project_b").state == "active"


@pytest.fixture
def lost(desk: Desk, tmp_path: Path) -> str:
    """An edit of the title of project_x that was overwritten unseen; its event."""
    desk.add(name="project_x", body="One.", description="X", workspace="lab")
    with Store.open(tmp_path / "far", clock=desk.store.clock) as there:
        far = Desk(there, Actor("user:bo"), Hosts(there), Config())
        there.receive(list(desk.store.events()))
        desk.edit("project_x", fields={"title": "ours"})
        far.edit("project_x", fields={"title": "theirs"})
        desk.store.receive(list(there.events()))
    (edit,) = desk.store.lost_edits()
    return edit.event_id


@pytest.mark.parametrize(("choice", "title"), [("ours", "theirs"), ("theirs", "ours"), ("comment", "theirs")])
def test_settling_a_lost_edit_is_one_operation(desk: Desk, lost: str, choice: str, title: str) -> None:
    desk.settle("project_x", lost, choice)
    assert desk.find("project_x").title == title and desk.store.lost_edits() == []
    written = {e.memory_id for e in desk.store.events() if e.memory_id}
    assert sum(e.type == "comment" for e in desk.store.entries_of(written)) == (choice == "comment")
    desk.undo()
    assert desk.find("project_x").title == "theirs" and len(desk.store.lost_edits()) == 1


@pytest.mark.parametrize("choice", ["ours", "theirs", "comment"])
def test_settling_does_not_write_over_an_edit_made_just_then(
    desk: Desk, lost: str, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, desk, lambda: desk.edit("project_x", fields={"title": "newest"}))
    with pytest.raises((Stale, NotFound)):
        desk.settle("project_x", lost, choice)
    assert desk.find("project_x").title == "newest"


def test_what_is_settled_just_then_is_not_settled_again(
    desk: Desk, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile(monkeypatch, desk, lambda: desk.settle("project_x", lost, "ours"))
    with pytest.raises(NotFound):
        desk.settle("project_x", lost, "theirs")
    assert desk.find("project_x").title == "theirs"
