"""checkpoint and batch: gaia/SPEC 4, DESIGN 3.5."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.errors import BadShape, InvalidName, InvalidValue, NeedsApproval
from memdesk.core.model import Entry

RECORD = {"name": "project_done", "type": "project", "body": "It is done.", "description": "Done"}
PENDING = {"name": "project_next", "body": "Still to do.", "description": "Next"}


def test_a_checkpoint_is_one_operation(desk: Desk) -> None:
    receipt = desk.checkpoint({"resumen": RECORD, "pendientes": [PENDING]}, workspace="lab")
    anchor, thread = desk.find("project_done"), desk.find("project_next")
    assert (anchor.klass, anchor.status) == ("anchor", None)
    assert (thread.klass, thread.status, thread.type) == ("thread", "carry_forward", "project")
    assert [(e.source, e.kind, e.target) for e in desk.store.edges_of(thread.id)] == [
        (thread.id, "derived_from", anchor.id)
    ]
    assert len(desk.store.operations()) == 1
    assert receipt.warnings == ()
    again = desk.checkpoint({"resumen": RECORD, "pendientes": [PENDING]}, workspace="lab")
    assert {r["action"] for r in again.results} == {"noop"}
    assert again.op_id is None


@pytest.mark.parametrize(
    "body",
    ["- [ ] one thing", "TODO: more", "Queda pendiente X", "próximo paso: Y", "next step is Z", "pending review"],
)
def test_hidden_pendings_are_warned_about(desk: Desk, body: str) -> None:
    receipt = desk.checkpoint({"resumen": RECORD | {"body": body}, "pendientes": []}, workspace="lab")
    assert any("pend" in w for w in receipt.warnings)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"resumen": None},
        {"resumen": {}},
        {"resumen": {"name": "project_a", "type": "project"}},
        {"resumen": RECORD | {"body": " "}},
        {"resumen": RECORD | {"body": 3}},
        {"resumen": RECORD | {"description": []}},
        {"resumen": RECORD, "pendientes": {}},
        {"resumen": RECORD, "pendientes": ["x"]},
        {"resumen": RECORD, "pendientes": [{"name": "project_b"}]},
        {"resumen": RECORD, "pendientes": [PENDING, PENDING]},
        {"resumen": RECORD, "pendientes": [PENDING | {"name": "project_done"}]},
        {"resumen": RECORD, "pending": []},
    ],
)
def test_a_bad_shape_writes_nothing(desk: Desk, payload: Any) -> None:
    with pytest.raises(BadShape) as caught:
        desk.checkpoint(payload, workspace="lab")
    assert caught.value.stable_code == "bad_shape"
    assert list(desk.store.events()) == []


def test_a_bad_row_rolls_back_everything(desk: Desk) -> None:
    with pytest.raises(InvalidName):
        desk.checkpoint({"resumen": RECORD, "pendientes": [PENDING, PENDING | {"name": "atom_other"}]}, workspace="lab")
    assert list(desk.store.events()) == []
    assert desk.store.counts().entries == 0


def test_an_agent_rewriting_a_record_has_to_ask(desk: Desk, agent: Desk) -> None:
    agent.checkpoint({"resumen": RECORD, "pendientes": []}, workspace="lab")
    with pytest.raises(NeedsApproval):
        agent.checkpoint({"resumen": RECORD | {"body": "Otherwise."}, "pendientes": []}, workspace="lab")
    assert desk.find("project_done").body == "It is done."


def test_a_batch_reports_each_operation_and_goes_on(desk: Desk) -> None:
    receipt = desk.batch([
        {"op": "add", "name": "atom_a", "body": "a", "description": "a", "workspace": "lab"},
        {"op": "append", "ref": "atom_none", "text": "x"},
        {"op": "append", "slug": "atom_a", "text": "more"},
        {"op": "reclassify", "ref": "atom_a", "class": "log"},
        {"op": "nonsense"},
        {"op": "append", "ref": "atom_a"},
        {"op": "append", "ref": "atom_a", "text": 5},
        {"op": "append", "ref": "atom_a", "text": "x", "colour": "red"},
        {},
    ])  # fmt: skip
    assert [r["ok"] for r in receipt.results] == [True, False, True, True, False, False, False, False, False]
    assert receipt.results[1]["error"]["code"] == "not_found"
    assert {r["error"]["code"] for r in receipt.results[4:]} == {"bad_shape"}
    assert desk.find("atom_a").body == "a\n\nmore"
    assert receipt.action == "partial"
    assert len(desk.store.operations()) == 3


def test_what_is_no_operation_does_not_stop_the_rest(desk: Desk) -> None:
    good = {"op": "add", "name": "atom_a", "body": "a", "description": "a", "workspace": "lab"}
    assert [r["ok"] for r in desk.batch([1, good, "x"]).results] == [False, True, False]


@pytest.mark.parametrize("operations", [None, {}, "x"])
def test_a_batch_that_is_no_list_is_refused(desk: Desk, operations: Any) -> None:
    with pytest.raises(BadShape):
        desk.batch(operations)


def test_an_agent_rewriting_the_line_of_a_record_has_to_ask_too(desk: Desk, agent: Desk) -> None:
    agent.checkpoint({"resumen": RECORD, "pendientes": [PENDING]}, workspace="lab")
    for rows in ({"resumen": RECORD | {"description": "Otherwise"}}, {"resumen": RECORD, "pendientes": [
        PENDING | {"description": "Otherwise"}]}):  # fmt: skip
        with pytest.raises(NeedsApproval):
            agent.checkpoint(rows, workspace="lab")
    assert {desk.find(n).description for n in ("project_done", "project_next")} == {"Done", "Next"}


@pytest.fixture
def thread(desk: Desk) -> Entry:
    return desk.add(name="project_t", body="t", description="t", workspace="lab", klass="thread", status="open").entry


def test_only_a_thread_graduates(desk: Desk, thread: Entry) -> None:
    before = desk.add(name="atom_a", body="a", description="a", workspace="lab").entry
    with pytest.raises(InvalidValue):
        desk.graduate("atom_a")
    assert desk.find("atom_a") == before


def test_graduating_into_a_text_that_stands_has_to_be_asked(desk: Desk, agent: Desk, thread: Entry) -> None:
    desk.add(name="atom_a", body="a", description="a", workspace="lab")
    with pytest.raises(NeedsApproval) as caught:
        agent.graduate("project_t", anchor={"name": "atom_a", "body": "another"})
    desk.mark_request_shown(desk.request(caught.value.extra["request_id"]))
    desk.approve(caught.value.extra["request_id"])
    entry = desk.find("atom_a")
    assert (entry.body, entry.description) == ("another", "a"), "a description that was not given stays"
    assert desk.find("project_t").status == "graduated"


@pytest.mark.parametrize("into", ["user_taste", None])
def test_graduating_into_what_is_about_the_user_is_flagged(
    desk: Desk, agent: Desk, thread: Entry, into: str | None
) -> None:
    if into:
        desk.add(name=into, body="u", description="u", workspace="lab")
        assert agent.graduate("project_t", into=into).flagged
    else:
        anchor = {"name": "user_new", "body": "u", "description": "u"}
        assert agent.graduate("project_t", anchor=anchor).flagged


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "add", "name": None, "body": "x", "workspace": "lab"},
        {"op": "append", "ref": "project_t", "text": None},
        {"op": "append", "ref": ["project_t"], "text": "x"},
        {"op": "delete", "ref": None},
        {"op": "link", "from": None, "kind": "related_to", "to": "project_t"},
        {"op": "edit", "ref": "project_t", "add_tags": None},
        {"op": "edit", "ref": "project_t", "fields": {"body": 5}},
        {"op": "edit", "ref": "project_t", "fields": {"name": "no slug"}},
        {"op": "edit", "ref": "project_t", "fields": {"title": "x"}, "expected": {"nothing": 1}},
        {"op": "reclassify", "ref": "project_t", "class": "log", "expected": {"nothing": 1}},
    ],
)
def test_an_operation_of_the_wrong_kind_is_refused_in_words(
    desk: Desk, thread: Entry, operation: dict[str, Any]
) -> None:
    if operation["op"] == "reclassify":
        operation = operation | {"expected": {thread.id: 1}}
    (result,) = desk.batch([operation]).results
    assert result["error"]["code"] in ("bad_shape", "usage")
    assert desk.store.entry(thread.id) == thread
