"""Every proposal becomes a request, whatever the role; approving carries it out for the agent (gaia/SPEC 9.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import InvalidValue
from memdesk.core.model import Entry, State

APPEND = {"operation": "append", "target": {"slug": "project_x"}, "append": {"body": "More."}, "rationale": "It grew."}
CREATE = {
    "operation": "create", "scope": {"workspace": "me"},
    "create": {"slug": "atom_a", "type": "atom", "class": "log", "description": "A", "body": "Text."},
}  # fmt: skip
X = {"slug": "project_x"}
CLOSE = {"operation": "reclassify", "target": X, "reclassify": {"class": "thread", "status": "closed"}}
LINK = {"operation": "link", "target": X, "link": {"to_slug": "decision_d", "kind": "relates_to"}}


@pytest.fixture(autouse=True)
def entries(desk: Desk) -> dict[str, Entry]:
    made = [
        desk.add(name="project_x", body="Body.", description="X", workspace="lab", klass="thread"),
        desk.add(name="decision_d", body="It is so.", description="D", workspace="lab"),
    ]
    return {r.entry.name: r.entry for r in made}


def delta(*proposals: Any) -> dict[str, Any]:
    return {"memory_delta": {"version": 1, "proposals": list(proposals)}}


def memory(desk: Desk) -> list[Any]:
    """Everything that readers see: entries with their texts and states, and edges."""
    found = sorted(desk.list_entries(status="all").entries(), key=lambda e: e.id)
    return [found, sorted({edge for e in found for edge in desk.store.edges_of(e.id)})]


def why(desk: Desk, *proposals: Any, **scope: Any) -> str:
    """Why the one proposal is dropped."""
    before = memory(desk)
    receipt = desk.propose(delta(*proposals), **scope)
    (row,) = receipt.results
    assert (row["action"], row["request_id"]) == ("dropped", None)
    assert (receipt.action, desk.requests(), memory(desk)) == ("noop", [], before)
    return str(row["why"])


@pytest.mark.parametrize("role", list(Role))
def test_whatever_the_role_nothing_is_written_until_a_person_agrees(as_role: Any, role: Role) -> None:
    desk = as_role(role)
    before = memory(desk)
    receipt = desk.propose(delta(APPEND, CREATE, CLOSE, LINK))
    assert memory(desk) == before
    assert (receipt.action, receipt.changed) == ("asked", False)
    rows = {r.request_id: r for r in desk.requests()}
    assert [r["request_id"] for r in receipt.results] == list(rows)
    assert [(r["index"], r["action"], r["verb"], r["about"]) for r in receipt.results] == [
        (0, "asked", "append", "project_x"), (1, "asked", "add", "atom_a"), (2, "asked", "reclassify", "project_x"),
        (3, "asked", "link", "project_x"),
    ]  # fmt: skip
    for row in rows.values():
        assert (row.payload["kind"], row.asked_by, desk.request_state(row)) == ("proposal", f"{role}:x", "ready")
        assert row.payload["reason"]
    assert next(iter(rows.values())).rationale == "It grew."


def test_approving_carries_each_out_for_the_agent(desk: Desk, specialist: Desk) -> None:
    specialist.propose(delta(APPEND, CREATE, CLOSE, LINK))
    for row in desk.requests():
        desk.mark_request_shown(row)
        receipt = desk.approve(row.request_id)
        events = desk.store.events_of_op(receipt.op_id)
        assert {(e.agent_id, e.on_behalf_of) for e in events} == {("user:ana", "agent:two")}
    grown, made = desk.find("project_x"), desk.find("me/atom_a")
    assert (grown.body, str(grown.status)) == ("Body.\n\nMore.", "closed")
    assert (made.body, made.description, str(made.klass)) == ("Text.", "A", "log")
    assert {(e.kind, e.target) for e in desk.store.edges_of(grown.id)} == {("related_to", desk.find("decision_d").id)}
    for _ in range(4):
        desk.undo()
    assert (desk.find("project_x").body, desk.find("atom_a").state) == ("Body.", State.PURGED)
    assert len(desk.requests()) == 4


def test_a_relayed_contract_is_asked_for_by_the_agent_that_made_it(agent: Desk) -> None:
    agent.propose(delta(APPEND), asked_by="agent:scout")
    (row,) = agent.requests()
    assert (row.asked_by, row.payload["role"]) == ("agent:scout", "specialist")
    (event,) = [e for e in agent.store.events() if e.event_id == row.event_id]
    assert (event.agent_id, event.on_behalf_of) == ("agent:one", "agent:scout")
    agent.add(name="atom_free", body="Free.", workspace="lab")
    assert agent.find("atom_free").created_by == "agent:one", "afterwards it acts as itself again"


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b"])
def test_who_proposes_has_a_plain_name(agent: Desk, name: str) -> None:
    with pytest.raises(InvalidValue):
        agent.propose(delta(APPEND), asked_by=name)


# -- what is dropped ----------------------------------------------------------------------------------------------


NOT_ASKED = {
    "no scope": ({**CREATE, "scope": None}, "Nothing says where this belongs"),
    "an unknown workspace": (
        {**CREATE, "scope": {"workspace": "nowhere"}}, "There is no workspace 'nowhere'. Name one that is there",
    ),
    "an unknown project": (
        {**CREATE, "scope": {"workspace": "me", "project": "gone"}}, "No project is named 'gone'",
    ),
    "an unknown target": ({**APPEND, "target": {"slug": "project_y"}}, "No entry is named 'project_y'"),
    "a target elsewhere": (
        {**APPEND, "scope": {"workspace": "me"}}, "No entry is named 'project_x' in workspace me",
    ),
    "an unknown far end": (
        {**LINK, "link": {"to_slug": "atom_z", "kind": "relates_to"}}, "No entry is named 'atom_z'",
    ),
    "a link to itself": (
        {**LINK, "link": {"to_slug": "project_x", "kind": "relates_to"}}, "cannot be linked to itself",
    ),
    "a status without a thread": (
        {**CLOSE, "target": {"slug": "decision_d"}, "reclassify": {"status": "open"}}, "Only a thread has a status",
    ),
    "a rich body without a description": (
        {**CREATE, "create": {"slug": "atom_a", "body": "# Heading\n\nText."}}, "needs a description",
    ),
    "what cannot be read": ({}, "names no operation"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_ASKED)
def test_what_cannot_be_asked_for_is_dropped_with_the_reason(desk: Desk, case: str) -> None:
    proposal, said = NOT_ASKED[case]
    assert said in why(desk, proposal)


def test_an_older_entry_does_not_replace_a_newer_one(desk: Desk) -> None:
    said = why(desk, {**LINK, "link": {"to_slug": "decision_d", "kind": "supersedes"}})
    assert "A replaces B" in said


def test_the_beginning_of_an_id_is_no_name(desk: Desk, entries: dict[str, Entry]) -> None:
    start = entries["project_x"].id[:26]
    assert "No entry is named" in why(desk, {**APPEND, "target": {"slug": start[:-1]}})
    assert desk.propose(delta({**APPEND, "target": {"slug": start}})).action == "asked"


def test_what_stands_already_is_not_asked_for(desk: Desk) -> None:
    desk.append("project_x", "More.")
    desk.add(name="atom_a", body="Text.", description="A", workspace="me", klass="log")
    desk.reclassify("project_x", status="closed")
    desk.link("project_x", "related_to", "decision_d")
    for proposal in (APPEND, CREATE, CLOSE, LINK):
        assert "stands like this already" in why(desk, proposal)


def test_a_create_of_an_existing_name_waits_as_an_update(desk: Desk) -> None:
    desk.propose(delta({**CREATE, "scope": {"workspace": "lab"}, "create": {
        "slug": "decision_d", "body": "It is not so.", "description": "D2"}}))  # fmt: skip
    (row,) = desk.requests()
    assert (row.verb, row.refs, row.payload["kind"]) == ("add", (desk.find("decision_d").id,), "proposal")
    assert "changes or removes" in row.payload["reason"]
    desk.mark_request_shown(row)
    desk.approve(row.request_id)
    assert desk.find("decision_d").body == "It is not so."


def test_bad_ones_do_not_stop_the_others(desk: Desk) -> None:
    receipt = desk.propose(delta({"operation": "burn"}, APPEND, 3, {**CREATE, "scope": None}, CREATE))
    assert [r["action"] for r in receipt.results] == ["dropped", "asked", "dropped", "dropped", "asked"]
    assert receipt.summary == "5 proposed: 2 now waiting for a person, 3 dropped"


def test_the_scope_of_those_that_name_none(desk: Desk) -> None:
    desk.add(name="project_x", body="Another.", description="X", workspace="me")
    assert "fits 2 entries" in why(desk, APPEND)
    desk.propose(delta(APPEND, {**CREATE, "scope": None}), workspace="me")
    grown, made = desk.requests()
    assert grown.refs == (desk.find("me/project_x").id,)
    assert made.args["workspace"] == "me"


def test_a_target_outside_the_usual_workspace_is_found(desk: Desk) -> None:
    assert desk.propose(delta(APPEND), workspace="me").action == "asked"


# -- once ---------------------------------------------------------------------------------------------------------


def test_the_same_again_waits_already(specialist: Desk, agent: Desk) -> None:
    first = specialist.propose(delta(APPEND, CREATE, APPEND))
    again = specialist.propose(delta(CREATE, APPEND))
    assert [r["action"] for r in first.results] == ["asked", "asked", "waiting"]
    assert [r["request_id"] for r in again.results] == [first.results[i]["request_id"] for i in (1, 0)]
    assert (again.action, len(specialist.requests())) == ("noop", 2)
    assert agent.propose(delta(APPEND)).action == "asked", "another agent's own"


@pytest.mark.parametrize("end", ["approve", "reject", "withdraw", "undo", "wait"])
def test_once_by_its_source_whatever_became_of_it(desk: Desk, specialist: Desk, end: str) -> None:
    source = {"host": "gaia:1", "handoff": 7}
    specialist.propose(delta(APPEND, CREATE), source=source)
    row = desk.requests()[0]
    assert row.payload["source"] == {**source, "index": 0}
    desk.mark_request_shown(row)
    {
        "approve": lambda: desk.approve(row.request_id), "reject": lambda: desk.reject(row.request_id, "No."),
        "withdraw": lambda: specialist.withdraw(row.request_id), "undo": lambda: specialist.undo(),
        "wait": lambda: None,
    }[end]()  # fmt: skip
    again = specialist.propose(delta(APPEND, CREATE), source=source)
    assert [r["action"] for r in again.results] == ["taken", "taken"]
    assert again.results[0]["request_id"] == row.request_id
    assert len(desk.store.requests(None)) == 2
    assert specialist.propose(delta(APPEND), source={**source, "handoff": 8}).results[0]["action"] != "taken"


def test_the_same_from_two_places_is_decided_once(desk: Desk, specialist: Desk) -> None:
    places = [{"host": "gaia:1", "handoff": 7}, {"host": "gaia:1", "handoff": 8}]
    taken = [specialist.propose(delta(APPEND, APPEND), source=place) for place in places]
    assert [r["action"] for t in taken for r in t.results] == ["asked", "waiting", "waiting", "waiting"]
    (row,) = desk.requests()
    desk.reject(row.request_id, "No.")
    for place in places:
        again = specialist.propose(delta(APPEND, APPEND), source=place)
        assert {(r["action"], r["request_id"]) for r in again.results} == {("taken", row.request_id)}
    assert desk.requests() == []


def test_a_revision_keeps_where_it_came_from(desk: Desk, specialist: Desk) -> None:
    specialist.propose(delta(APPEND), source={"host": "gaia:1", "handoff": 7}, asked_by="agent:scout")
    (row,) = desk.requests()
    desk.edit_request(row.request_id, {"text": "Much more."})
    (row,) = desk.requests()
    assert (row.asked_by, row.args["text"], row.payload["kind"]) == ("agent:scout", "Much more.", "proposal")
    again = specialist.propose(delta(APPEND), source={"host": "gaia:1", "handoff": 7}, asked_by="agent:scout")
    assert [r["action"] for r in again.results] == ["taken"]


# -- names made of descriptions -----------------------------------------------------------------------------------


def suggest(desk: Desk, *texts: tuple[str, str], **more: Any) -> list[Any]:
    data = {"memorialize_suggestions": [{"description": d, "body": b} for d, b in texts]}
    return [(r["about"], r["action"]) for r in desk.propose(json.dumps(data), workspace="lab", **more).results]


def test_a_suggestion_gets_a_free_name(desk: Desk, specialist: Desk, agent: Desk) -> None:
    desk.add(name="atom_one", body="Taken.", description="One", workspace="lab")
    assert suggest(specialist, ("One", "First."), ("Two", "Second.")) == [
        ("atom_one_2", "asked"), ("atom_two", "asked"),
    ]  # fmt: skip
    assert suggest(specialist, ("One", "First."), ("Two", "Third.")) == [
        ("atom_one_2", "waiting"), ("atom_two_2", "asked"),
    ]  # fmt: skip
    assert suggest(agent, ("One", "First.")) == [("atom_one_3", "asked")], "another agent's request is its own"
    assert suggest(agent, ("One", "Taken.")) == [("atom_one", "dropped")], "it stands already"
    for row in desk.requests():
        desk.mark_request_shown(row)
        desk.approve(row.request_id)
    names = {e.name for e in desk.list_entries(workspace="lab").entries()}
    assert {"atom_one", "atom_one_2", "atom_one_3", "atom_two", "atom_two_2"} <= names


def test_notes_are_told(desk: Desk) -> None:
    both = delta(APPEND) | {"memorialize_suggestions": [{"description": "d", "body": "b"}]}
    assert "left aside" in desk.propose(both).warnings[0]
    nothing = desk.propose({"agent_status": {}})
    assert (nothing.action, nothing.results, len(nothing.warnings)) == ("noop", (), 1)


def test_the_session_is_the_agents(as_role: Any) -> None:
    desk = as_role(Role.SPECIALIST, "agent:two", session_id="sess-mine")
    desk.propose(delta(CREATE))
    desk.propose(delta({**CREATE, "create": {"slug": "atom_b", "body": "B."}}), session_id="sess-its")
    assert [r.args["origin_session_id"] for r in desk.requests()] == ["sess-mine", "sess-its"]
