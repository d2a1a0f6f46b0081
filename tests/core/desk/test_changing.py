"""append, edit, reclassify, delete, restore, rename, move, erase: DESIGN 3.4."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.desk import UNSET, Desk
from memdesk.core.errors import (
    Ambiguous,
    ConfirmationNeeded,
    InvalidName,
    InvalidValue,
    MemdeskError,
    NameTaken,
    NotFound,
    Stale,
    UsageError,
)
from memdesk.core.model import Entry, State


@pytest.fixture
def thread(desk: Desk) -> Entry:
    return desk.add(
        name="project_a", body="First.", description="A thread", klass="thread", status="open", workspace="lab"
    ).entry


def test_append_grows_the_body_and_reminds_of_the_description(desk: Desk, thread: Entry) -> None:
    receipt = desk.append("project_a", "Second.")
    assert receipt.entry.body == "First.\n\nSecond."
    assert receipt.entry.description == "A thread"
    assert any("description did not change" in w for w in receipt.warnings)


@pytest.mark.parametrize(
    ("klass", "status", "after"),
    [
        (None, "closed", ("thread", "closed")),
        (None, "carry_forward", ("thread", "carry_forward")),
        ("anchor", UNSET, ("anchor", None)),
        ("anchor", None, ("anchor", None)),
        ("log", UNSET, ("log", None)),
        ("thread", "graduated", ("thread", "graduated")),
        ("thread", UNSET, ("thread", "open")),
    ],
)
def test_reclassify(desk: Desk, thread: Entry, klass: str | None, status: Any, after: tuple[str, str | None]) -> None:
    entry = desk.reclassify("project_a", klass=klass, status=status).entry
    assert (entry.klass, entry.status) == after
    assert sum(e.type == "memory.edit" for e in desk.store.events()) == (after != ("thread", "open")), "one event"


@pytest.mark.parametrize(
    ("klass", "status", "error"),
    [
        (None, UNSET, UsageError),
        (None, None, InvalidValue),
        ("anchor", "open", InvalidValue),
        (None, "weird", InvalidValue),
    ],
)
def test_reclassify_refuses(
    desk: Desk, thread: Entry, klass: str | None, status: Any, error: type[MemdeskError]
) -> None:
    with pytest.raises(error):
        desk.reclassify("project_a", klass=klass, status=status)
    assert desk.store.entry(thread.id) == thread


def test_a_change_that_changes_nothing_writes_nothing_and_moves_nothing(desk: Desk, thread: Entry) -> None:
    receipt = desk.reclassify("project_a", status="open")
    assert (receipt.op_id, receipt.action) == (None, "noop")
    assert desk.store.entry(thread.id) == thread


def test_a_set_moves_in_one_operation(desk: Desk, thread: Entry) -> None:
    desk.add(name="project_b", body="x", description="x", klass="thread", workspace="lab")
    before = len(desk.store.operations())
    receipt = desk.reclassify(["project_a", "project_b"], status="closed")
    assert {e.status for e in receipt.entries} == {"closed"}
    assert len(desk.store.operations()) == before + 1
    desk.undo()
    assert desk.store.entry(thread.id) == thread


def test_edit_is_all_or_nothing(desk: Desk, thread: Entry) -> None:
    with pytest.raises(InvalidValue):
        desk.edit("project_a", fields={"description": "New"}, klass="anchor", status="open")
    assert desk.store.entry(thread.id) == thread
    entry = desk.edit(
        "project_a", fields={"description": "New", "title": "T"}, status="closed", add_tags=["b", "a"],
        audience="executor",
    ).entry  # fmt: skip
    assert (entry.description, entry.title, entry.status, entry.tags, entry.audience) == (
        "New", "T", "closed", ("a", "b"), "executor",
    )  # fmt: skip
    assert desk.edit("project_a", rm_tags=["a", "none"]).entry.tags == ("b",)


def test_edit_can_clear_every_text_but_the_body(desk: Desk, thread: Entry) -> None:
    assert desk.edit("project_a", fields={"description": None}).entry.description is None
    for blank in (None, "", "  \n"):
        with pytest.raises(InvalidValue):
            desk.edit("project_a", fields={"body": blank})


def test_a_rich_body_needs_a_description(desk: Desk, thread: Entry) -> None:
    desk.edit("project_a", fields={"description": None})
    with pytest.raises(InvalidValue):
        desk.edit("project_a", fields={"body": "# Heading"})
    assert desk.edit("project_a", fields={"body": "# Heading", "description": "d"}).entry.body == "# Heading"


def test_what_the_caller_saw_must_still_stand(desk: Desk, agent: Desk, thread: Entry) -> None:
    agent.reclassify("project_a", status="carry_forward")
    with pytest.raises(Stale) as caught:
        desk.reclassify("project_a", status="closed", expected={thread.id: {"status": "open"}})
    assert caught.value.extra["current"] == {"status": "carry_forward"}
    assert "agent:one" in caught.value.message
    with pytest.raises(Stale):
        desk.edit("project_a", fields={"body": "mine"}, expected={"body": "something else"})
    entry = desk.edit("project_a", fields={"body": "mine"}, expected={"body": "First."}).entry
    assert (entry.body, entry.status) == ("mine", "carry_forward"), "another field changed: it goes through"


def test_delete_and_restore(desk: Desk, thread: Entry) -> None:
    assert desk.delete("project_a", reason="noise").entry.state is State.PURGED
    assert desk.delete("project_a").op_id is None
    with pytest.raises(InvalidValue) as caught:
        desk.append("project_a", "more")
    assert "restore" in caught.value.hint
    entry = desk.restore("project_a").entry
    assert (entry.state, entry.status, entry.body) == (State.ACTIVE, "open", "First.")
    assert desk.edit("project_a", state="purged").entry.state is State.PURGED
    assert desk.edit("project_a", state="active").entry.state is State.ACTIVE


@pytest.mark.parametrize("confirm", [None, "", "DELETE", "delete it", "DELETE project_a"])
def test_erase_needs_the_exact_token(desk: Desk, thread: Entry, confirm: str | None) -> None:
    with pytest.raises(ConfirmationNeeded) as caught:
        desk.erase("project_a", confirm)
    assert f"DELETE {thread.id}" in caught.value.hint
    assert desk.store.entry(thread.id) == thread


def test_erase_removes_the_text_everywhere(desk: Desk) -> None:
    secret = "hunter2-hunter2-hunter2-hunter2"
    entry = desk.add(name="atom_key", body=f"The key is {secret}", description=f"key {secret}", workspace="lab").entry
    desk.append("atom_key", f"again {secret}")
    receipt = desk.erase(entry.id, f"DELETE {entry.id}")
    assert receipt.warnings == ()
    assert desk.store.entry(entry.id) is None
    assert desk.store.search(secret) == []
    assert secret not in "".join(e.line() for e in desk.store.events())
    for file in desk.store.path.parent.iterdir():
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file.name
    with pytest.raises(MemdeskError) as caught:
        desk.undo(receipt.op_id)
    assert "erase" in caught.value.message.lower()


def test_rename_keeps_edges_and_history(desk: Desk, thread: Entry) -> None:
    desk.add(name="atom_b", body="x", description="x", workspace="lab")
    desk.link("project_a", "related_to", "atom_b")
    entry = desk.rename("project_a", "feedback_a").entry
    assert (entry.id, entry.name, entry.type, entry.klass) == (thread.id, "feedback_a", "feedback", "thread")
    assert len(desk.store.edges_of(entry.id)) == 1
    with pytest.raises(NameTaken):
        desk.rename("feedback_a", "atom_b")
    with pytest.raises(InvalidName):
        desk.rename("feedback_a", "no such name")
    desk.delete("atom_b")
    with pytest.raises(NameTaken):
        desk.rename("feedback_a", "atom_b")


def test_move_to_another_workspace(desk: Desk, thread: Entry) -> None:
    desk.add(name="project_a", body="other", description="other", workspace="me")
    with pytest.raises(NameTaken):
        desk.move_workspace(["lab/project_a"], "me")
    with pytest.raises(Ambiguous) as caught:
        desk.find("project_a")
    assert {c["ref"] for c in caught.value.extra["candidates"]} == {"lab/project_a", "me/project_a"}
    desk.rename("lab/project_a", "project_z")
    assert desk.move_workspace(["project_z"], "me").entry.workspace == "me"


@pytest.mark.parametrize("how", ["name", "path", "id", "prefix"])
def test_an_entry_is_named_in_four_ways(desk: Desk, thread: Entry, how: str) -> None:
    other = desk.add(name="atom_zz", body="x", description="x", workspace="me").entry
    common = len([1 for a, b in zip(thread.id, other.id, strict=True) if a == b])
    refs = {"name": "project_a", "path": "lab/project_a", "id": thread.id, "prefix": thread.id[: common + 6]}
    assert desk.find(refs[how]).id == thread.id


@pytest.mark.parametrize("ref", ["project_none", "lab/none", "", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "%", "project_%"])
def test_what_nothing_answers_to_is_not_found(desk: Desk, thread: Entry, ref: str) -> None:
    with pytest.raises(NotFound) as caught:
        desk.find(ref)
    assert caught.value.exit_code == 4


def test_the_short_form_and_the_body_stay_one_text_until_the_body_gets_its_own(desk: Desk) -> None:
    desk.create(kind="atom", title="T", oneline="o", short="Short.", name="atom_s", workspace="lab")
    entry = desk.edit("atom_s", fields={"summary": "Shorter."}).entry
    assert (entry.summary, entry.body) == ("Shorter.", "Shorter.")
    desk.edit("atom_s", fields={"body": "A body of its own."})
    assert desk.edit("atom_s", fields={"summary": "S."}).entry.body == "A body of its own."


def test_an_edit_cannot_anchor_a_host_wide_initiative(desk: Desk, thread: Entry) -> None:
    desk.edit("project_a", initiative="gaia_system")
    with pytest.raises(MemdeskError) as caught:
        desk.edit("project_a", project_ref="/x/.git")
    assert caught.value.stable_code == "host_scoped_initiative"


@pytest.mark.parametrize(
    ("verb", "meanwhile"),
    [
        (lambda d: d.append("project_a", "more"), lambda d: d.delete("project_a")),
        (lambda d: d.reclassify("project_a", klass="log"), lambda d: d.delete("project_a")),
        (lambda d: d.edit("project_a", status="closed"), lambda d: d.reclassify("project_a", klass="anchor")),
    ],
)
def test_the_rules_hold_for_what_stands_when_it_is_written(
    desk: Desk, agent: Desk, thread: Entry, monkeypatch: pytest.MonkeyPatch, verb: Any, meanwhile: Any
) -> None:
    monkeypatch.setattr(desk, "refresh", lambda *_: meanwhile(other))
    other = Desk(desk.store, desk.actor, desk.hosts, desk.config)
    with pytest.raises(InvalidValue):
        verb(desk)
    assert len(other.log()) == 2, "the add and what happened meanwhile"


@pytest.mark.parametrize("fields", [{"name": "no slug"}, {"state": "purged"}, {"class": "log"}, {"body": 5}])
def test_an_edit_sets_texts_only(desk: Desk, thread: Entry, fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        desk.edit("project_a", fields=fields)
    assert desk.store.entry(thread.id) == thread


def test_the_description_of_a_rich_body_cannot_be_cleared(desk: Desk, thread: Entry) -> None:
    desk.edit("project_a", fields={"body": "# Head\n\ntext"})
    with pytest.raises(InvalidValue):
        desk.edit("project_a", fields={"description": None})
