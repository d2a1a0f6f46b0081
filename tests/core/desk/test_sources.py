"""Retiring everything that came from one session or author, what was made from it included (issue 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import NeedsApproval, Stale, UsageError
from memdesk.core.model import DERIVED_FROM, GRADUATED_TO, State

AsRole = Callable[..., Desk]


@pytest.fixture
def bad(desk: Desk, as_role: AsRole) -> Desk:
    """A bad session of an agent: two entries, a change of one of ours; and what others made from its entries."""
    desk.add(name="atom_ours", body="Ours.", description="Why", workspace="lab")
    agent = as_role(Role.ORCHESTRATOR, "agent:one", session_id="s-bad")
    agent.add(name="atom_wrong", body="Wrong.", description="Why", workspace="lab")
    agent.add(name="project_wrong", body="Wrong too.", klass="thread", status="open", workspace="lab")
    agent.append("atom_ours", "Added by the bad session.")
    good = as_role(Role.ORCHESTRATOR, "agent:one", session_id="s-good")
    good.add(name="atom_good", body="Good.", description="Why", workspace="lab")
    desk.add(name="decision_from_it", body="So we decided.", description="Why", workspace="lab")
    desk.link("decision_from_it", DERIVED_FROM, "atom_wrong")
    desk.add(name="atom_from_that", body="And so on.", description="Why", workspace="lab")
    desk.link("atom_from_that", DERIVED_FROM, "decision_from_it")
    desk.add(name="atom_grown", body="Grown.", description="Why", workspace="lab")
    desk.link("project_wrong", GRADUATED_TO, "atom_grown")
    desk.add(name="atom_source", body="Where it came from.", description="Why", workspace="lab")
    desk.link("atom_wrong", DERIVED_FROM, "atom_source")
    return desk


ALL_OF_IT = {
    "atom_wrong": "written there", "project_wrong": "written there",
    "decision_from_it": "was distilled from atom_wrong", "atom_from_that": "was distilled from decision_from_it",
    "atom_grown": "grew out of project_wrong",
}  # fmt: skip


def plan(desk: Desk, **given: Any) -> dict[str, str]:
    return {c.entry.name: c.why for c in desk.retirement(**given).entries}


def states(desk: Desk) -> dict[str, State]:
    return {e.name: e.state for e in desk.list_entries(status="all").entries()}


def test_the_preview_names_what_and_why_and_changes_nothing(bad: Desk) -> None:
    before = bad.log(1)[0].op_id
    assert plan(bad, session="s-bad") == ALL_OF_IT
    assert plan(bad, session="s-bad", derived=False) == {
        "atom_wrong": "written there", "project_wrong": "written there",
    }  # fmt: skip
    assert set(plan(bad, author="agent:one")) == {*ALL_OF_IT, "atom_good"}
    assert plan(bad, session="s-unknown") == {}
    assert [e.name for e in bad.retirement(session="s-bad").changed] == ["atom_ours"]
    assert bad.log(1)[0].op_id == before


def test_all_of_it_goes_in_one_operation_and_one_undo_brings_it_back(bad: Desk) -> None:
    before = states(bad)
    receipt = bad.retire(session="s-bad")
    assert receipt.summary == "Retired 5 entries that came from session s-bad"
    assert {n for n, s in states(bad).items() if s is State.PURGED} == set(ALL_OF_IT)
    assert "atom_ours" in receipt.warnings[0]
    assert plan(bad, session="s-bad") == {}
    bad.undo()
    assert states(bad) == before


def test_what_is_deleted_already_is_left_out_and_still_leads_on(bad: Desk) -> None:
    bad.delete("decision_from_it")
    assert set(plan(bad, session="s-bad")) == set(ALL_OF_IT) - {"decision_from_it"}


def test_a_ring_of_sources_ends(bad: Desk) -> None:
    bad.store.receive(list(bad.store.events()))
    with bad.operation("test", "Planted a ring") as op:  # as a merge could bring it
        ids = {e.name: e.id for e in bad.list_entries().entries()}
        op.link(ids["atom_wrong"], DERIVED_FROM, ids["atom_from_that"])
    assert set(plan(bad, session="s-bad")) == set(ALL_OF_IT)


def test_exactly_one_of_session_and_author(bad: Desk) -> None:
    for given in ({}, {"session": "a", "author": "b"}):
        with pytest.raises(UsageError):
            bad.retirement(**given)


def test_an_agent_has_to_ask_and_approving_does_it(bad: Desk, agent: Desk) -> None:
    with pytest.raises(NeedsApproval) as asked:
        agent.retire(session="s-bad", rationale="It was confused.")
    row = bad.request(asked.value.extra["request_id"])
    assert State.PURGED not in states(bad).values()
    bad.mark_request_shown(row)
    bad.approve(row.request_id)
    assert {n for n, s in states(bad).items() if s is State.PURGED} == set(ALL_OF_IT)


def test_nothing_to_retire_writes_nothing(bad: Desk) -> None:
    receipt = bad.retire(session="s-unknown")
    assert not receipt.changed and receipt.entries == ()


def test_an_agent_asks_nobody_to_retire_nothing(bad: Desk, agent: Desk) -> None:
    assert not agent.retire(session="s-unknown").changed
    assert bad.requests() == []


def test_what_came_after_the_preview_is_not_retired_unseen(bad: Desk) -> None:
    seen = {came.entry.id for came in bad.retirement(session="s-bad").entries}
    with pytest.raises(Stale):
        bad.retire(session="s-bad", shown=seen - {min(seen)})
    assert State.PURGED not in states(bad).values()
    assert len(bad.retire(session="s-bad", shown=seen).entries) == len(seen)
