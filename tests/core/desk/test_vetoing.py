"""What agents did: flagged until kept or vetoed, the rest since the last visit; a veto is an undo (DESIGN 4)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import CannotUndo, InvalidValue, NeedsApproval, NotAllowed, NotFound
from memdesk.core.events import REQUEST
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store

from .conftest import AsRole


def flagged(desk: Desk) -> list[str]:
    return [w.op.summary for w in desk.agents_work().flagged]


def rest(desk: Desk) -> list[str]:
    return [w.op.summary for w in desk.agents_work().rest]


@pytest.fixture
def about(desk: Desk) -> str:
    desk.add(name="atom_older", body="Older than all.", workspace="me")
    return desk.add(name="user_ana", body="Likes tea.", workspace="me").entry.id


# -- what is listed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        lambda agent: agent.add(name="user_habits", body="Walks.", workspace="me"),
        lambda agent: agent.append("user_ana", "Also coffee."),
        lambda agent: agent.reclassify("user_ana", klass="log"),
        lambda agent: agent.link("user_ana", "related_to", "atom_port"),
        lambda agent: agent.link("atom_port", "related_to", "user_ana"),
        lambda agent: agent.comment("user_ana", "Is that so?"),
        lambda agent: agent.judge("atom_port", "user_ana", "different"),
        lambda agent: agent.judge("user_ana", "atom_older", "different"),
        lambda agent: agent.create(kind="user", title="Tea", oneline="Likes tea", workspace="me"),
        lambda agent: agent.unlink("atom_port", "derived_from", "user_ana"),
        lambda agent: agent.supersede("user_ana", by="atom_port"),
        lambda agent: agent.graduate("project_run", into="user_ana"),
    ],
    ids=[
        "add", "append", "reclassify", "link from", "link to", "comment", "verdict", "verdict on an older", "create",
        "unlink", "supersede", "graduate",
    ],
)
def test_what_an_agent_writes_about_the_user_is_flagged(desk: Desk, agent: Desk, about: str, write: Any) -> None:
    desk.add(name="atom_port", body="The port is 8080.", workspace="me")
    desk.add(name="project_run", body="Half done.", workspace="me", klass="thread")
    desk.link("atom_port", "derived_from", "user_ana")
    desk.mark_visit()
    receipt = write(agent)
    assert receipt.flagged
    [work] = desk.agents_work().flagged
    assert work.op.op_id == receipt.op_id and work.flagged and not work.kept
    assert work.names[0].startswith("user_")
    assert desk.agents_work().rest == ()
    assert desk.store.count_flagged() == (1, work.op.timestamp)


def test_what_is_not_about_the_user_is_not_flagged(desk: Desk, agent: Desk, about: str) -> None:
    desk.mark_visit()
    agent.add(name="atom_port", body="The port is 8080.", workspace="me")
    agent.comment("atom_port", "Which one?")
    assert flagged(desk) == []
    assert len(rest(desk)) == 2
    assert desk.store.count_flagged() == (0, None)


def test_what_a_person_writes_is_no_agents_work(desk: Desk, as_role: AsRole, about: str) -> None:
    as_role(Role.USER, "user:bo").append("user_ana", "Bo says so.")
    assert desk.agents_work().flagged == () and desk.agents_work().rest == ()


def test_a_visit_takes_the_rest_off_and_leaves_what_is_flagged(desk: Desk, agent: Desk, about: str) -> None:
    agent.append("user_ana", "Also coffee.")
    agent.add(name="atom_port", body="The port is 8080.", workspace="me")
    assert (len(flagged(desk)), len(rest(desk))) == (1, 1)
    desk.mark_visit()
    assert (len(flagged(desk)), len(rest(desk))) == (1, 0)
    agent.append("atom_port", "Or 8081.")
    assert (len(flagged(desk)), len(rest(desk))) == (1, 1)
    work = desk.agents_work()
    assert work.since is not None


def test_requests_are_not_work_and_what_was_approved_is_the_persons(desk: Desk, agent: Desk, about: str) -> None:
    with pytest.raises(NeedsApproval) as waits:
        agent.edit("user_ana", fields={"body": "Likes coffee."}, rationale="said so")
    assert desk.agents_work().flagged == () and desk.agents_work().rest == ()
    row = desk.request(waits.value.extra["request_id"])
    desk.mark_request_shown(row)
    desk.approve(row.request_id)
    assert desk.agents_work().flagged == () and desk.agents_work().rest == ()


def test_what_an_agent_takes_back_itself_is_gone_from_the_list(desk: Desk, agent: Desk, about: str) -> None:
    agent.append("user_ana", "Also coffee.")
    agent.add(name="atom_port", body="The port is 8080.", workspace="me")
    agent.undo()
    agent.undo()
    assert desk.agents_work().flagged == () and desk.agents_work().rest == ()
    agent.redo()
    assert len(flagged(desk)) == 1, "brought back, it waits again"


def test_taking_back_what_was_kept_is_new_work(desk: Desk, agent: Desk, about: str) -> None:
    op_id = agent.append("user_ana", "Also coffee.").op_id
    desk.keep_work(str(op_id))
    desk.mark_visit()
    undone = agent.undo()
    [work] = desk.agents_work().flagged
    assert work.op.op_id == undone.op_id
    desk.veto(str(undone.op_id))
    assert "Also coffee." in desk.find("user_ana").body
    assert flagged(desk) == [], "as it was when it was kept"


def test_taking_back_what_was_seen_is_new_work(desk: Desk, agent: Desk) -> None:
    agent.add(name="atom_port", body="The port is 8080.", workspace="me")
    desk.mark_visit()
    agent.undo()
    assert rest(desk) == ["Undid: Added atom_port"]


def test_aboutness_follows_the_entry(desk: Desk, agent: Desk, store: Store) -> None:
    agent.add(name="atom_ana", body="Likes tea.", workspace="me")
    assert flagged(desk) == []
    desk.rename("atom_ana", "user_ana")
    assert len(flagged(desk)) == 1
    desk.rename("user_ana", "atom_ana")
    assert flagged(desk) == []
    assert store.check() == []
    desk.rename("atom_ana", "user_ana")
    store.rebuild()
    assert len(flagged(desk)) == 1 and store.check() == []


def test_a_deleted_entry_keeps_its_flag_and_an_erased_one_has_none(desk: Desk, agent: Desk, about: str) -> None:
    agent.append("user_ana", "Also coffee.")
    desk.delete("user_ana")
    assert len(flagged(desk)) == 1
    desk.erase(about, confirm=f"DELETE {about}")
    assert flagged(desk) == []
    assert desk.store.check() == []


def test_the_lists_can_be_narrowed(desk: Desk, agent: Desk, as_role: AsRole, about: str) -> None:
    agent.append("user_ana", "Also coffee.")
    as_role(Role.OPERATOR, "agent:other").add(name="user_bo", body="Bo.", workspace="lab")
    agent.add(name="atom_port", body="The port is 8080.", workspace="lab")
    assert [len(keys) for keys in desk.agents_keys()] == [2, 1]
    assert [len(keys) for keys in desk.agents_keys(workspace="lab")] == [1, 1]
    assert [len(keys) for keys in desk.agents_keys(words="other")] == [1, 0]
    assert [len(keys) for keys in desk.agents_keys(limit=1)] == [1, 1]


# -- keep ---------------------------------------------------------------------------------------------------------


def test_keep_takes_it_off_and_a_veto_is_still_possible(desk: Desk, agent: Desk, about: str, store: Store) -> None:
    op_id = str(agent.append("user_ana", "Also coffee.").op_id)
    before = len(list(store.events()))
    assert desk.keep_work(op_id).op_id == op_id
    assert len(list(store.events())) == before, "a note, no event"
    assert flagged(desk) == [] and desk.store.count_flagged() == (0, None)
    [kept] = desk.kept_work()
    assert kept.kept and not kept.flagged
    desk.veto(op_id)
    assert desk.find("user_ana").body == "Likes tea."
    assert desk.kept_work() == ()


def test_what_is_kept_by_one_person_is_kept_for_all(desk: Desk, agent: Desk, as_role: AsRole, about: str) -> None:
    desk.keep_work(str(agent.append("user_ana", "Also coffee.").op_id))
    assert flagged(as_role(Role.USER, "user:bo")) == []


# -- veto ---------------------------------------------------------------------------------------------------------


def test_a_veto_undoes_the_operation_and_can_be_taken_back(desk: Desk, agent: Desk, about: str) -> None:
    op_id = str(agent.append("user_ana", "Also coffee.").op_id)
    receipt = desk.veto(op_id)
    assert receipt.action == "vetoed" and "agent:one" in receipt.summary
    assert desk.find("user_ana").body == "Likes tea."
    assert desk.logged(str(receipt.op_id)).undoes == op_id
    assert flagged(desk) == []
    desk.redo()
    assert desk.find("user_ana").body.endswith("Also coffee.")
    assert len(flagged(desk)) == 1


def test_a_veto_names_who_stands_on_top_and_when(desk: Desk, agent: Desk, about: str) -> None:
    op_id = str(agent.append("user_ana", "Also coffee.").op_id)
    later = desk.edit("user_ana", fields={"body": "Likes tea. Also coffee, black."})
    with pytest.raises(CannotUndo) as refusal:
        desk.veto(op_id)
    assert "user:ana" in refusal.value.message and desk.logged(str(later.op_id)).timestamp in refusal.value.message
    assert desk.find("user_ana").body.endswith("black.")
    assert len(flagged(desk)) == 1, "it stays on the list"


def test_several_vetoes_go_the_newest_first_and_tell_each_result(desk: Desk, agent: Desk, about: str) -> None:
    first = str(agent.append("user_ana", "One.").op_id)
    second = str(agent.add(name="user_bo", body="Bo.", workspace="me").op_id)
    third = str(agent.append("user_bo", "More.").op_id)
    desk.edit("user_ana", fields={"body": "Mine."})
    done = desk.veto_many([first, second, third])
    assert [(d.op_id, d.done) for d in done] == [(third, True), (second, True), (first, False)]
    assert "user:ana" in done[-1].words
    assert desk.find("user_ana").body == "Mine."


@pytest.mark.parametrize("verb", ["veto", "keep_work"])
@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.OPERATOR, Role.SPECIALIST])
def test_only_a_person_vetoes_or_keeps(
    desk: Desk, agent: Desk, as_role: AsRole, about: str, verb: str, role: Role
) -> None:
    op_id = str(agent.append("user_ana", "Also coffee.").op_id)
    with pytest.raises(NotAllowed):
        getattr(as_role(role, "agent:one"), verb)(op_id)
    assert len(flagged(desk)) == 1


def test_a_persons_own_work_is_not_vetoed(desk: Desk, about: str) -> None:
    mine = str(desk.append("user_ana", "Mine.").op_id)
    with pytest.raises(InvalidValue, match="as a person"):
        desk.veto(mine)
    with pytest.raises(NotFound):
        desk.veto("op_nowhere")


# -- what the report says -----------------------------------------------------------------------------------------


def test_the_report_counts_decisions_that_did_not_stand(
    desk: Desk, agent: Desk, as_role: AsRole, store: Store, tmp_path: Path
) -> None:
    desk.add(name="atom_port", body="The port is 8080.", workspace="me")
    with pytest.raises(NeedsApproval) as waits:
        agent.edit("atom_port", fields={"body": "9090."}, rationale="measured")
    request_id = waits.value.extra["request_id"]
    with Store.open(tmp_path / "other", clock=store.clock) as elsewhere:
        elsewhere.receive(list(store.events()))
        bo = Desk(elsewhere, Actor("user:bo", Role.USER, None, True), Hosts(elsewhere), Config())
        desk.reject(request_id, "It is 8080.")
        bo.reject(request_id, "No.")
        elsewhere.receive(list(store.events()))
        assert bo.status().overruled == len(bo.overruled()) == 1
        assert "1 decision of yours was overruled" in bo.status().line(str) and not bo.status().calm
        assert desk.status().overruled == 0
        bo.acknowledge_overruled(request_id)
        assert bo.status().overruled == len(bo.overruled()) == 0


def test_plain_undo_takes_back_a_veto_in_its_turn(desk: Desk, agent: Desk, about: str) -> None:
    """What the person did last: the veto, then what they had done before it; and redo goes the same way forward."""
    body = desk.find("user_ana").body
    desk.edit("atom_older", fields={"body": "Edited."})
    op_id = str(agent.append("user_ana", "Also coffee.").op_id)
    grown = desk.find("user_ana").body
    summary = desk.veto(op_id).summary

    back = desk.undo()
    assert (back.verb, back.summary) == ("undo", f"Undid: {summary}")
    assert desk.find("user_ana").body == grown and flagged(desk), "it waits for the person again"
    assert desk.undo().summary.startswith("Undid: ") and desk.find("atom_older").body == "Older than all."
    desk.redo()
    assert (desk.find("atom_older").body, desk.find("user_ana").body) == ("Edited.", grown)
    again = desk.redo()
    assert (again.summary, desk.find("user_ana").body) == (f"Did again: {summary}", body)
    assert desk.next_redo() is None, "redo comes to an end"
    desk.undo()
    assert desk.find("user_ana").body == grown
    assert desk.undo().summary.startswith("Undid: ") and desk.find("atom_older").body == "Older than all."
    assert desk.store.check() == []


def test_plain_redo_takes_a_veto_back_too(desk: Desk, agent: Desk, about: str) -> None:
    grown = agent.append("user_ana", "Also coffee.").entry.body
    desk.veto(str(desk.agents_work().flagged[0].op.op_id))
    assert desk.redo().verb == "redo" and desk.find("user_ana").body == grown
    assert desk.next_redo() is None


def test_an_agent_walks_over_its_own_alone(desk: Desk, agent: Desk, about: str) -> None:
    agent.append("user_ana", "Also coffee.")
    desk.veto(str(desk.agents_work().flagged[0].op.op_id))
    assert agent.next_undo() is None and agent.next_redo() is None


def test_the_report_of_one_workspace_counts_what_is_there(desk: Desk, agent: Desk, about: str) -> None:
    desk.add(name="decision_a", body="A.", description="a", workspace="lab")
    agent.append("user_ana", "Also coffee.")
    for verb in (
        lambda: agent.delete("user_ana"),
        lambda: agent.delete("decision_a"),
        lambda: agent.edit("decision_a", fields={"body": "B."}),
    ):
        with pytest.raises(NeedsApproval):
            verb()
    found = {place: desk.status(workspace=place) for place in ("me", "lab")}
    assert {place: (one.requests, one.flagged) for place, one in found.items()} == {"me": (1, 1), "lab": (2, 0)}
    whole = desk.status()
    assert (whole.requests, whole.flagged) == (3, 1) and found["lab"].oldest_flagged is None
    for place in ("me", "lab"):
        assert len(desk.request_keys(workspace=place)) == found[place].requests
        assert len(desk.agents_keys(workspace=place)[0]) == found[place].flagged


def test_what_is_of_no_place_is_on_every_list(desk: Desk, about: str) -> None:
    with desk.store.transaction() as tx:
        tx.begin("request", "asked", actor="agent:x")
        tx.write(REQUEST, {"request_id": "req_1", "verb": "dance", "refs": ["gone"], "args": {}, "base": {}})
    assert [desk.status(workspace=place).requests for place in ("me", "lab")] == [1, 1]
    assert [desk.request_keys(workspace=place) for place in ("me", "lab")] == [["req_1"]] * 2


@pytest.mark.parametrize("workspace", [None, "me"])
def test_the_report_goes_through_no_whole_table(desk: Desk, agent: Desk, about: str, workspace: str | None) -> None:
    """The header asks for it whenever anything changes: what it costs must not grow with the memory or the log."""
    agent.append("user_ana", "Also coffee.")
    desk.keep_work(str(agent.append("user_ana", "And water.").op_id))
    asked: list[str] = []
    conn = desk.store.db
    conn.set_trace_callback(asked.append)
    assert desk.status(workspace=workspace, counted=False).flagged == 1
    conn.set_trace_callback(None)
    assert len(asked) > 5
    for sql in asked:
        for row in conn.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall():
            scanned = re.match(r"SCAN (\w+)", row[3])
            assert scanned is None or scanned[1] in _SMALL, (row[3], sql)


#: By their nature: what waits, who is there, what was decided twice, and what touched the person's own entries.
_SMALL = {
    "requests", "lost_edits", "l", "waiting", "hosts", "workspaces", "losing_decisions", "d", "user_work", "w",
    "CONSTANT",
}  # fmt: skip
