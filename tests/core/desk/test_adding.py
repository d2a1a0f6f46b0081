"""add and create: DESIGN 3.4, gaia/SPEC 4, the memory-mechanics seed."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.errors import InvalidName, InvalidValue, MemdeskError, NameTaken, ScopeError, Stale, UnknownWorkspace
from memdesk.core.model import State


def add(desk: Desk, name: str = "atom_a", **given: Any) -> Any:
    return desk.add(**{"name": name, "body": "One fact.", "description": "A fact", "workspace": "lab", **given})


@pytest.mark.parametrize(
    ("name", "given", "klass", "status"),
    [
        ("atom_a", {}, "anchor", None),
        ("decision_a", {}, "anchor", None),
        ("user_a", {}, "anchor", None),
        ("feedback_a", {}, "log", None),
        ("project_a", {"klass": "thread"}, "thread", "carry_forward"),
        ("project_a", {"klass": "thread", "status": "open"}, "thread", "open"),
        ("feedback_a", {"klass": "thread", "status": "closed"}, "thread", "closed"),
        ("project_a", {"klass": "log"}, "log", None),
        ("project_a", {"klass": "anchor", "status": None}, "anchor", None),
    ],
)
def test_a_new_entry_gets_the_class_and_status_of_the_rules(
    desk: Desk, name: str, given: dict[str, Any], klass: str, status: str | None
) -> None:
    entry = add(desk, name, **given).entry
    assert (entry.klass, entry.status, entry.state) == (klass, status, State.ACTIVE)


@pytest.mark.parametrize(
    ("given", "error", "code"),
    [
        ({"name": "atom_A"}, InvalidName, "invalid_name"),
        ({"name": "atom_"}, InvalidName, "invalid_name"),
        ({"name": "atom-a"}, InvalidName, "invalid_name"),
        ({"name": "nothing_a"}, InvalidName, "invalid_name"),
        ({"name": "atom_" + "a" * 116}, InvalidName, "invalid_name"),
        ({"initiative": "漢字"}, InvalidValue, "invalid_value"),
        ({"name": "decision_foo", "type": "atom"}, InvalidName, "invalid_name"),
        ({"name": "atom_foo", "type": "project"}, InvalidName, "invalid_name"),
        ({"type": "no_such_type"}, InvalidName, "invalid_name"),
        ({"body": " \n\t"}, InvalidValue, "invalid_value"),
        ({"status": "open"}, InvalidValue, "invalid_value"),
        ({"klass": "thread", "status": "nope"}, InvalidValue, "invalid_value"),
        ({"klass": "thread", "status": None}, InvalidValue, "invalid_value"),
        ({"klass": "nope"}, InvalidValue, "invalid_value"),
        ({"audience": "nobody"}, InvalidValue, "invalid_value"),
        ({"body": "x" * (256 * 1024 + 1)}, InvalidValue, "invalid_value"),
        ({"summary": "x" * 4097}, InvalidValue, "invalid_value"),
        ({"body": "# Head\ntext", "description": None}, InvalidValue, "invalid_value"),
        ({"body": "```\ncode\n```", "description": "  "}, InvalidValue, "invalid_value"),
        ({"body": "a\n\n\nb", "description": None}, InvalidValue, "invalid_value"),
        ({"workspace": None}, ScopeError, "missing_scope"),
        ({"workspace": None, "project": "nothing"}, ScopeError, "project_unresolved"),
        ({"workspace": "elsewhere"}, UnknownWorkspace, "unknown_workspace"),
        ({"initiative": "gaia_system", "project_ref": "/x/.git", "klass": "anchor"}, MemdeskError, None),
    ],
)
def test_what_is_refused_writes_nothing(
    desk: Desk, given: dict[str, Any], error: type[MemdeskError], code: str | None
) -> None:
    before = desk.store.counts()
    with pytest.raises(error) as caught:
        add(desk, **given)
    assert code is None or caught.value.stable_code == code
    assert caught.value.hint
    assert desk.store.counts() == before
    assert list(desk.store.events()) == []


def test_an_unknown_workspace_is_made_only_when_asked(desk: Desk) -> None:
    entry = add(desk, workspace="elsewhere", create_workspace=True).entry
    assert entry.workspace == "elsewhere"
    assert "elsewhere" in {w.name for w in desk.store.workspaces()}


def test_without_a_description_there_is_a_warning(desk: Desk) -> None:
    assert "description" in add(desk, description=None).warnings[0]
    assert add(desk, "atom_b", body="Quite another fact.", description="Something else").warnings == ()


def test_adding_again_updates_and_leaves_what_is_not_given_alone(desk: Desk) -> None:
    first = add(desk, klass="thread", status="open", initiative="Atlas API", audience="executor").entry
    receipt = desk.add(name="atom_a", body="Another text.", workspace="lab")
    entry = receipt.entry
    assert receipt.action == "updated"
    assert entry.id == first.id
    assert (entry.body, entry.description) == ("Another text.", "A fact")
    assert (entry.klass, entry.status, entry.initiative, entry.audience) == ("thread", "open", "atlas_api", "executor")


def test_adding_the_same_again_writes_nothing(desk: Desk) -> None:
    first = add(desk).entry
    receipt = add(desk)
    assert (receipt.action, receipt.op_id, receipt.entry) == ("noop", None, first)


def test_adding_on_a_deleted_name_refuses_and_names_restore(desk: Desk) -> None:
    add(desk)
    desk.delete("atom_a")
    with pytest.raises(NameTaken) as caught:
        add(desk, body="Other")
    assert "restore" in caught.value.hint


def test_adding_after_undoing_the_add_is_a_new_start(desk: Desk) -> None:
    add(desk)
    desk.undo()
    entry = add(desk, body="Second try.").entry
    assert (entry.state, entry.body) == (State.ACTIVE, "Second try.")


def test_create_takes_the_scope_of_its_parent_and_becomes_part_of_it(desk: Desk) -> None:
    parent = add(desk, initiative="atlas").entry
    receipt = desk.create(kind="comment", title="Note on sync", oneline="Confirmed.", parent="atom_a")
    child = receipt.entry
    assert (child.workspace, child.initiative, child.type) == ("lab", "atlas", "comment")
    assert child.name == "comment_note_on_sync"
    assert child.body == "Confirmed."
    assert [(e.source, e.kind, e.target) for e in desk.store.edges_of(child.id)] == [(child.id, "child_of", parent.id)]
    assert len(desk.store.operations()) == 2, "entry and edge are one operation"


def test_create_numbers_a_name_that_is_taken(desk: Desk) -> None:
    for _ in range(3):
        desk.create(kind="atom", title="Same title", oneline="x", workspace="lab")
    assert [e.name for e in desk.store.lookup("atom_same_title_3")] == ["atom_same_title_3"]


def test_a_user_entry_by_an_agent_is_flagged(agent: Desk) -> None:
    assert add(agent, "user_taste").flagged
    assert not add(agent, "atom_b").flagged


def test_every_write_is_read_back(desk: Desk) -> None:
    receipt = add(desk)
    assert receipt.entry == desk.store.entry(receipt.entry.id)
    assert desk.store.check() == []


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({"project_ref": "/x/.git"}, {"workspace": "lab", "initiative": "gaia_system"}),
        ({"initiative": "gaia_system"}, {"workspace": "lab", "project_ref": "/x/.git"}),
    ],
)
def test_adding_again_cannot_anchor_a_host_wide_initiative(
    desk: Desk, first: dict[str, str], then: dict[str, str]
) -> None:
    before = add(desk, **first).entry
    with pytest.raises(ScopeError) as caught:
        desk.add(name="atom_a", body="text", **then)
    assert caught.value.stable_code == "host_scoped_initiative"
    assert desk.store.entry(before.id) == before


def test_adding_again_never_replaces_a_text_that_it_has_not_seen(
    desk: Desk, agent: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ruling (no text is replaced) was given on what stood; meanwhile a person writes another text."""
    add(desk)
    monkeypatch.setattr(agent, "refresh", lambda *_: desk.edit("atom_a", fields={"body": "A person's text."}))
    with pytest.raises(Stale):
        agent.add(name="atom_a", body="One fact.", workspace="lab", klass="log")
    assert (desk.find("atom_a").body, desk.find("atom_a").klass) == ("A person's text.", "anchor")
