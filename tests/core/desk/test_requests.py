"""What needs a request is refused with exit 3, stored, and decided by a person at a terminal (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import (
    CannotUndo,
    ConfirmationNeeded,
    InvalidValue,
    MemdeskError,
    NeedsApproval,
    NotAllowed,
    NotFound,
    Stale,
)
from memdesk.core.events import PURGE_EXECUTED
from memdesk.core.model import Entry, State


@pytest.fixture
def entry(desk: Desk) -> Entry:
    return desk.add(name="decision_a", body="Old text.", description="Old", workspace="lab").entry


def ask(verb: Callable[[], Any]) -> str:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    assert caught.value.exit_code == 3
    request_id = caught.value.extra["request_id"]
    assert request_id in caught.value.hint
    return str(request_id)


T3 = {
    "edit": lambda d: d.edit("decision_a", fields={"body": "New text."}),
    "add": lambda d: d.add(name="decision_a", body="New text.", workspace="lab"),
    "delete": lambda d: d.delete("decision_a"),
    "rename": lambda d: d.rename("decision_a", "decision_b"),
    "move-workspace": lambda d: d.move_workspace(["decision_a"], "me"),
}


@pytest.mark.parametrize("verb", sorted(T3))
def test_an_agent_asks_and_a_person_approves(desk: Desk, agent: Desk, entry: Entry, verb: str) -> None:
    request_id = ask(lambda: T3[verb](agent))
    assert desk.store.entry(entry.id) == entry, "asking changes nothing"
    row = desk.request(request_id)
    assert (row.verb, row.asked_by, desk.request_state(row)) == (verb, "agent:one", "ready")
    with pytest.raises(NotAllowed, match="shown"):
        desk.approve(request_id)
    desk.mark_request_shown(row)
    receipt = desk.approve(request_id)
    after = desk.store.entry(entry.id)
    assert after is not None
    assert after != entry
    assert desk.request(request_id).status == "approved"
    events = desk.store.events_of_op(receipt.op_id)
    assert {e.agent_id for e in events} == {"user:ana"}
    assert {e.on_behalf_of for e in events} == {"agent:one"}
    desk.undo()
    assert desk.store.entry(entry.id) == entry
    assert desk.request(request_id).status == "pending", "undoing the approval makes it wait again"


def test_who_may_decide(desk: Desk, agent: Desk, as_role: Any, entry: Entry) -> None:
    request_id = ask(lambda: T3["delete"](agent))
    away = as_role(Role.USER, "user:ana")
    for who in (agent, away):
        who.mark_request_shown(who.request(request_id))
        for decide in (lambda w=who: w.approve(request_id), lambda w=who: w.reject(request_id, "no")):
            with pytest.raises(NotAllowed):
                decide()
    assert desk.request(request_id).status == "pending"


def test_a_rejection_has_a_reason_that_the_requester_can_read(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: T3["delete"](agent))
    with pytest.raises(InvalidValue):
        desk.reject(request_id, "  ")
    desk.reject(request_id, "It still holds.")
    row = agent.request(request_id)
    assert (row.status, row.reason, row.decided_by) == ("rejected", "It still holds.", "user:ana")
    assert desk.requests() == []
    with pytest.raises(InvalidValue):
        desk.reject(request_id, "again")


def test_a_request_whose_text_moved_is_stale(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: T3["edit"](agent))
    desk.edit("decision_a", fields={"body": "Changed meanwhile."})
    row = desk.request(request_id)
    assert desk.request_state(row) == "stale"
    desk.mark_request_shown(row)
    with pytest.raises(Stale):
        desk.approve(request_id)
    assert desk.find("decision_a").body == "Changed meanwhile."


def test_an_erase_takes_the_text_of_waiting_requests_with_it(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: T3["edit"](agent))
    desk.erase(entry.id, f"DELETE {entry.id}")
    row = desk.request(request_id)
    assert (row.status, row.decided_by) == ("withdrawn", None)
    erase = next(e for e in desk.store.events() if e.type == PURGE_EXECUTED)
    at = erase.timestamp
    by = f"by user:ana on {at[:10]} at {at[11:16]} UTC"
    assert row.reason == f"The entry it was about was erased {by}, and with it what was asked for."
    assert row.decided_at == at, "it ended at a time that is known"
    assert desk.why_not_ready(row) == (row.reason,), "not withdrawn by its asker"
    assert row.erased
    assert desk.request_effect(row) == "what it asked was erased with its entry"
    assert "New text." not in "".join(e.line() for e in desk.store.events())


def test_a_specialist_only_proposes(desk: Desk, specialist: Desk, entry: Entry) -> None:
    before = desk.store.counts().entries
    verbs: list[Callable[[], Any]] = [
        lambda: specialist.add(name="atom_new", body="x", description="x", workspace="lab"),
        lambda: specialist.append("decision_a", "more"),
        lambda: specialist.reclassify("decision_a", klass="log"),
        lambda: specialist.comment("decision_a", "a comment"),
        lambda: specialist.create(kind="atom", title="t", oneline="o", workspace="lab"),
        lambda: specialist.checkpoint(
            {"resumen": {"name": "project_p", "type": "project", "body": "b"}, "pendientes": []}, workspace="lab"
        ),
    ]
    ids = [ask(verb) for verb in verbs]
    assert desk.store.entry(entry.id) == entry
    assert desk.store.counts().entries == before
    for request_id in ids:
        desk.mark_request_shown(desk.request(request_id))
    desk.approve(ids[0])
    assert desk.find("atom_new").body == "x"
    desk.approve(ids[3])
    assert desk.store.edges_of(entry.id)
    desk.approve(ids[5])
    assert desk.find("project_p").klass == "anchor"


def test_an_approval_that_cannot_be_carried_out_changes_nothing(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.rename("decision_a", "decision_b"))
    desk.add(name="decision_b", body="x", description="x", workspace="lab")
    desk.mark_request_shown(desk.request(request_id))
    with pytest.raises(MemdeskError):
        desk.approve(request_id)
    assert desk.request(request_id).status == "pending"
    assert desk.find("decision_a").state is State.ACTIVE


@pytest.mark.parametrize(("first", "then"), [("approved", "rejected"), ("rejected", "approved")])
def test_a_decision_is_not_done_again_beside_another(
    desk: Desk, agent: Desk, entry: Entry, first: str, then: str
) -> None:
    request_id = ask(lambda: T3["edit"](agent))
    decide = {"approved": lambda: approve(desk, request_id), "rejected": lambda: desk.reject(request_id, "no")}
    decide[first]()
    undone = desk.undo()
    decide[then]()
    body = desk.find(entry.id).body
    with pytest.raises(CannotUndo) as refused:
        desk.undo(undone.op_id)
    assert "decision" in refused.value.message
    assert desk.request(request_id).status == then and desk.find(entry.id).body == body


def test_an_unknown_request_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.request("req_none")


def test_a_request_on_a_link_means_the_entries_that_were_named(desk: Desk, agent: Desk, entry: Entry) -> None:
    desk.add(name="decision_a", body="Of another place.", description="x", workspace="me")
    desk.add(name="decision_b", body="Newer.", description="x", workspace="lab")
    request_id = ask(lambda: agent.link("decision_b", "supersedes", "decision_a", workspace="lab"))
    desk.mark_request_shown(desk.request(request_id))
    desk.approve(request_id)
    after = desk.store.entry(entry.id)
    assert after is not None
    assert after.state is State.SUPERSEDED


def approve(desk: Desk, request_id: str) -> Any:
    desk.mark_request_shown(desk.request(request_id))
    return desk.approve(request_id)


CHANGES_BESIDE: dict[str, tuple[Callable[[Desk], Any], Callable[[Desk], Any], str]] = {
    "another field": (
        lambda d: d.edit("decision_a", fields={"description": "New"}),
        lambda d: d.reclassify("decision_a", klass="log"), "ready",
    ),
    "the same field": (
        lambda d: d.edit("decision_a", fields={"description": "New"}),
        lambda d: d.edit("decision_a", fields={"description": "Mine"}), "stale",
    ),
    "another tag": (
        lambda d: d.edit("decision_a", add_tags=["x"]), lambda d: d.edit("decision_a", add_tags=["y"]), "ready",
    ),
    "the same tag": (
        lambda d: d.edit("decision_a", add_tags=["x"]), lambda d: d.edit("decision_a", add_tags=["x"]), "settled",
    ),
    "the tag that it takes away": (
        lambda d: d.edit("decision_a", rm_tags=["x"], fields={"title": "T"}),
        lambda d: d.edit("decision_a", add_tags=["x"]), "stale",
    ),
    "deleted": (
        lambda d: d.edit("decision_a", fields={"description": "New"}), lambda d: d.delete("decision_a"), "stale",
    ),
    "a deletion of what has another text now": (
        lambda d: d.delete("decision_a"), lambda d: d.edit("decision_a", fields={"body": "Worth keeping."}), "stale",
    ),
    "the same edge": (
        lambda d: d.supersede("decision_a", by="decision_b"), lambda d: d.supersede("decision_a", by="decision_b"),
        "settled",
    ),
    "its new name": (
        lambda d: d.rename("decision_a", "decision_c"), lambda d: d.rename("decision_b", "decision_c"), "stale",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(CHANGES_BESIDE))
def test_a_request_is_stale_where_what_it_would_write_has_moved(
    desk: Desk, agent: Desk, entry: Entry, case: str
) -> None:
    asked, beside, state = CHANGES_BESIDE[case]
    desk.add(name="decision_b", body="b", description="b", workspace="lab")
    request_id = ask(lambda: asked(agent))
    assert desk.request_state(desk.request(request_id)) == "ready"
    beside(desk)
    assert desk.request_state(desk.request(request_id)) == state
    if state == "ready":
        approve(desk, request_id)
    else:
        with pytest.raises(Stale):
            approve(desk, request_id)


def test_a_proposal_never_writes_over_an_entry_that_came_meanwhile(desk: Desk, specialist: Desk) -> None:
    payload = {"resumen": {"name": "project_p", "type": "project", "body": "Proposed.", "description": "p"}}
    for request_id, name in (
        (ask(lambda: specialist.add(name="atom_new", body="Proposed.", description="p", workspace="lab")), "atom_new"),
        (ask(lambda: specialist.checkpoint(payload, workspace="lab")), "project_p"),
    ):
        desk.add(name=name, body="A person's text.", description="d", workspace="lab")
        with pytest.raises(Stale):
            approve(desk, request_id)
        assert desk.find(name).body == "A person's text."


@pytest.mark.parametrize("faster", ["approves", "edits"])
def test_what_happens_while_an_approval_begins_stops_it(
    desk: Desk, agent: Desk, as_role: Any, entry: Entry, monkeypatch: pytest.MonkeyPatch, faster: str
) -> None:
    request_id = ask(lambda: T3["edit"](agent))
    second = as_role(Role.USER, "user:bo", on_terminal=True)
    second.mark_request_shown(second.request(request_id))

    def meanwhile(*_: Any) -> None:
        if faster == "approves":
            approve(desk, request_id)
        desk.edit("decision_a", fields={"body": "Written since."})

    monkeypatch.setattr(second, "refresh", meanwhile)
    with pytest.raises((Stale, InvalidValue)):
        second.approve(request_id)
    assert desk.find("decision_a").body == "Written since."


def test_two_comments_can_wait_and_a_parent_may_be_renamed_meanwhile(
    desk: Desk, specialist: Desk, entry: Entry
) -> None:
    waiting = [ask(lambda t=t: specialist.comment("decision_a", t)) for t in ("One.", "Two.")]  # type: ignore[misc]
    desk.rename("decision_a", "decision_z")
    for request_id in waiting:
        approve(desk, request_id)
    assert len(desk.store.edges(kind="child_of", target=entry.id)) == 2


def test_an_erase_is_asked_with_its_token_and_proved_once_it_is_approved(desk: Desk, agent: Desk, entry: Entry) -> None:
    with pytest.raises(ConfirmationNeeded):
        agent.erase(entry.id, None)
    desk.edit("decision_a", fields={"body": "A text that is long enough to be looked for afterwards."})
    request_id = ask(lambda: agent.erase(entry.id, f"DELETE {entry.id}"))
    desk.mark_request_shown(desk.request(request_id))
    for typed in (None, "", f"DELETE {entry.id[:-1]}", f"delete {entry.id}"):
        with pytest.raises(ConfirmationNeeded):  # the reviewer types it; that the agent knew it proves nothing
            desk.approve(request_id, token=typed)
    assert desk.approve(request_id, token=f"DELETE {entry.id}").warnings == ()
    assert desk.store.entry(entry.id) is None


def test_an_agent_asks_before_it_writes_against_a_decision(desk: Desk, agent: Desk) -> None:
    limit = "The public API allows 100 requests per minute for each key."
    desk.add(name="decision_limit", body=limit, description="API limit", workspace="lab")
    other = limit.replace("100", "1000")
    agent.add(name="atom_note", body="Nothing to do with it.", description="A note", workspace="lab")
    asked = [
        ask(lambda: agent.add(name="atom_limit", body=other, description="API limit", workspace="lab")),
        ask(lambda: agent.create(kind="atom", title="API limit", oneline=other, workspace="lab")),
        ask(lambda: agent.append("atom_note", other)),
    ]
    assert {desk.request(r).payload["kind"] for r in asked} == {"request"}
    desk.add(name="atom_limit", body=other, description="API limit", workspace="lab"), "a person may"
    agent.append("decision_limit", "Bursts of 20 are fine.")


def test_the_approval_of_an_erase_names_no_undo_and_nothing_that_still_stands(
    desk: Desk, agent: Desk, entry: Entry
) -> None:
    request_id = ask(lambda: agent.erase(entry.id, f"DELETE {entry.id}"))
    desk.mark_request_shown(desk.request(request_id))
    receipt = desk.approve(request_id, token=f"DELETE {entry.id}")
    assert (receipt.final, receipt.entries) == (True, ())
    assert receipt.summary == f"Approved agent:one's request to erase {entry.id}", "the name is erased too"
    assert desk.request_effect(desk.request(request_id)) == "what it asked was erased with its entry"
    with pytest.raises(CannotUndo):
        desk.undo(receipt.op_id)


def test_an_agent_is_told_to_leave_it_to_the_person(desk: Desk, agent: Desk, as_role: Any, entry: Entry) -> None:
    request_id = ask(lambda: T3["delete"](agent))
    hints = {}
    for who in (agent, as_role(Role.ORCHESTRATOR, "user:ana"), as_role(Role.USER, "user:ana")):
        with pytest.raises(NotAllowed) as refused:
            who.reject(request_id, "no")
        hints[who.actor.name, str(who.actor.role)] = refused.value.hint
    waits = f"Leave it to the person; `memdesk requests wait {request_id}` gives the outcome."
    assert hints["agent:one", "orchestrator"] == waits
    assert hints["user:ana", "orchestrator"].startswith(waits) and "2>" in hints["user:ana", "orchestrator"]
    assert "2>" in hints["user:ana", "user"] and "wait" not in hints["user:ana", "user"]
