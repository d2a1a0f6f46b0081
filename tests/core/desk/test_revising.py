"""Wording a request anew: edits and rebases, what a reviewer must read again, and undoing it (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import InvalidValue, MemdeskError, NeedsApproval, NotAllowed, UsageError
from memdesk.core.events import EDIT, Event, ulid_ms
from memdesk.core.model import Entry
from memdesk.core.standing import by_id
from memdesk.core.three_way import has_marks

BODY = "one\ntwo\nthree\nfour\nfive"


@pytest.fixture
def entry(desk: Desk) -> Entry:
    desk.add(name="decision_b", body="Newer.", description="b", workspace="lab")
    return desk.add(name="decision_a", body=BODY, description="Old", workspace="lab").entry


def ask(verb: Callable[[], Any]) -> str:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    return str(caught.value.extra["request_id"])


def approve(desk: Desk, request_id: str, **more: Any) -> Any:
    desk.mark_request_shown(desk.request(request_id))
    return desk.approve(request_id, **more)


def code(call: Callable[[], Any]) -> str:
    with pytest.raises(MemdeskError) as caught:
        call()
    assert caught.value.message and caught.value.hint
    return caught.value.stable_code


def state(desk: Desk, request_id: str) -> str:
    return desk.request_state(desk.request(request_id))


# -- edit ---------------------------------------------------------------------------------------------------------

WORDED: dict[str, tuple[str, Callable[[Desk], Any], dict[str, str], Callable[[Desk], Any]]] = {
    "edit": (
        "agent", lambda d: d.edit("decision_a", fields={"body": "New.", "title": "T"}), {"body": "New.", "title": "T"},
        lambda d: (d.find("decision_a").body, d.find("decision_a").title),
    ),
    "add over it": (
        "agent", lambda d: d.add(name="decision_a", body="New.", description="D", workspace="lab"),
        {"body": "New.", "description": "D"},
        lambda d: (d.find("decision_a").body, d.find("decision_a").description),
    ),
    "add": (
        "specialist",
        lambda d: d.add(name="atom_x", body="New.", description="D", title="T", summary="S", workspace="lab"),
        {"body": "New.", "description": "D", "title": "T", "summary": "S"},
        lambda d: (d.find("atom_x").body, d.find("atom_x").description, d.find("atom_x").title,
                   d.find("atom_x").summary),
    ),
    "create": (
        "specialist", lambda d: d.create(
            kind="atom", title="T", oneline="D", short="S", full="New.", name="atom_x", workspace="lab"),
        {"body": "New.", "description": "D", "title": "T", "summary": "S"},
        lambda d: (d.find("atom_x").body, d.find("atom_x").description, d.find("atom_x").title,
                   d.find("atom_x").summary),
    ),
    "append": (
        "specialist", lambda d: d.append("decision_a", "More."), {"text": "More."},
        lambda d: (d.find("decision_a").body.removeprefix(BODY + "\n\n"),),
    ),
    "comment": (
        "specialist", lambda d: d.comment("decision_a", "A thought.", title="T"),
        {"body": "A thought.", "description": "A thought.", "title": "T"},
        lambda d: (d.find("comment_decision_a").body, d.find("comment_decision_a").description,
                   d.find("comment_decision_a").title),
    ),
    "checkpoint": (
        "specialist", lambda d: d.checkpoint(
            {"resumen": {"name": "project_p", "type": "project", "body": "R.", "description": "D"},
             "pendientes": [{"name": "project_q", "body": "P."}]}, workspace="lab"),
        {"project_p.body": "R.", "project_p.description": "D", "project_q.body": "P."},
        lambda d: (d.find("project_p").body, d.find("project_p").description, d.find("project_q").body),
    ),
    "merge": (
        "agent", lambda d: d.merge(["decision_b", "decision_a"], fields={"body": {"text": "Both."}}), {"body": "Both."},
        lambda d: (d.find("decision_b").body,),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WORDED)
def test_every_text_can_be_reworded_before_or_while_it_is_approved(
    request: pytest.FixtureRequest, desk: Desk, entry: Entry, case: str
) -> None:
    who, verb, texts, read = WORDED[case]
    asker = request.getfixturevalue(who)
    request_id = ask(lambda: verb(asker))
    row = desk.request(request_id)
    assert desk.request_texts(row) == texts
    desk.mark_request_shown(row)
    mine = {name: f"{text} Reworded." for name, text in texts.items()}
    receipt = desk.approve(request_id, edited=mine)
    assert read(desk) == tuple(mine.values())
    (decision,) = desk.store.decisions_on(request_id)
    assert decision.payload["edited"] == sorted(texts)
    assert (decision.payload["revision"], decision.payload["asked_by"]) == (row.revision_id, asker.actor.name)
    assert receipt.op_id == decision.op_id
    assert desk.request_texts(desk.request(request_id)) == texts, "what was asked stays in the record"
    desk.undo()
    assert desk.request(request_id).status == "pending"
    desk.edit_request(request_id, mine)
    row = desk.request(request_id)
    assert desk.request_texts(row) == mine and row.revised_by == "user:ana" and row.asked_by == asker.actor.name
    assert not desk.was_shown(row)
    assert code(lambda: desk.approve(request_id)) == "not_shown"
    approve(desk, request_id)
    assert read(desk) == tuple(mine.values())


def test_verbs_without_a_text_have_none(desk: Desk, agent: Desk, specialist: Desk, entry: Entry) -> None:
    asked: list[tuple[Desk, Callable[[Desk], Any]]] = [
        (agent, lambda d: d.delete("decision_a")),
        (agent, lambda d: d.rename("decision_a", "decision_c")),
        (agent, lambda d: d.move_workspace(["decision_a"], "me")),
        (agent, lambda d: d.supersede("decision_a", by="decision_b")),
        (agent, lambda d: d.erase(entry.id, f"DELETE {entry.id}")),
        (specialist, lambda d: d.link("decision_a", "related_to", "decision_b")),
        (specialist, lambda d: d.reclassify("decision_a", klass="log")),
        (specialist, lambda d: d.judge("decision_a", "decision_b", "different")),
    ]
    for who, verb in asked:
        row = desk.request(ask(lambda w=who, v=verb: v(w)))  # type: ignore[misc]
        assert desk.request_texts(row) == {}
        assert code(lambda r=row: desk.edit_request(r.request_id, {"body": "x"})) == "usage"  # type: ignore[misc]
    row = desk.request(ask(lambda: agent.delete("decision_b", reason="It is old.")))
    assert desk.request_texts(row) == {"reason": "It is old."}


def test_who_may_reword_and_withdraw(desk: Desk, agent: Desk, as_role: Any, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    other, away = as_role(Role.ORCHESTRATOR, "agent:other"), as_role(Role.USER, "user:cy")
    asker_as_specialist = as_role(Role.SPECIALIST, "agent:one")
    for call in (
        lambda: other.edit_request(request_id, {"body": "x"}),
        lambda: other.rebase_request(request_id),
        lambda: other.withdraw(request_id),
        lambda: away.withdraw(request_id),
    ):
        with pytest.raises(NotAllowed):
            call()
    agent.edit_request(request_id, {"body": "By its asker."}, rationale="Better.")
    assert desk.request(request_id).rationale == "Better."
    away.edit_request(request_id, {"body": "By a person in a script."})
    asker_as_specialist.edit_request(request_id, {"body": "By its asker again."})
    assert desk.request_texts(desk.request(request_id)) == {"body": "By its asker again."}
    agent.withdraw(request_id, "Not needed.")
    row = desk.request(request_id)
    assert (row.status, row.decided_by, row.reason) == ("withdrawn", "agent:one", "Not needed.")
    for call in (
        lambda: agent.withdraw(request_id), lambda: agent.edit_request(request_id, {"body": "x"}),
        lambda: desk.reject(request_id, "x"), lambda: desk.plan_rebase(request_id),
    ):  # fmt: skip
        assert code(call) == "already_decided"
    agent.undo()
    assert desk.request(request_id).status == "pending"
    desk.withdraw(request_id)
    assert desk.request(request_id).status == "withdrawn"


def test_an_edit_that_says_the_same_writes_nothing(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    row = desk.request(request_id)
    assert desk.edit_request(request_id, {"body": "New."}, rationale="").changed is False
    assert desk.request(request_id) == row


@pytest.mark.parametrize("text", ["", " \n", "x" * 300_000], ids=["none", "blank", "too long"])
def test_a_text_that_could_never_be_written_is_refused(desk: Desk, agent: Desk, entry: Entry, text: str) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    desk.mark_request_shown(desk.request(request_id))
    for call in (
        lambda: desk.edit_request(request_id, {"body": text}), lambda: desk.approve(request_id, edited={"body": text}),
    ):  # fmt: skip
        with pytest.raises(InvalidValue):
            call()
    assert desk.request(request_id).status == "pending" and desk.find("decision_a").body == BODY


def test_edits_of_what_it_does_not_write_are_refused(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    desk.mark_request_shown(desk.request(request_id))
    with pytest.raises(UsageError, match="title"):
        desk.approve(request_id, edited={"title": "x"})
    assert "edited" not in desk.approve(request_id, edited={"body": "New."}).summary
    (decision,) = desk.store.decisions_on(request_id)
    assert "edited" not in decision.payload


def test_undoing_a_revision_falls_back_to_the_wording_before(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    first = desk.request(request_id)
    desk.mark_request_shown(first)
    desk.edit_request(request_id, {"body": "Other."})
    desk.undo()
    assert desk.request(request_id) == first
    assert desk.was_shown(first), "this wording was read"
    desk.approve(request_id)
    assert desk.find("decision_a").body == "New."


def test_a_reviewer_who_read_the_older_wording_is_stopped(
    desk: Desk, agent: Desk, entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    desk.mark_request_shown(desk.request(request_id))
    monkeypatch.setattr(desk, "refresh", lambda *_: agent.edit_request(request_id, {"body": "Slipped in."}))
    assert code(lambda: desk.approve(request_id)) == "stale"
    assert desk.find("decision_a").body == BODY and desk.request(request_id).status == "pending"


# -- rebase -------------------------------------------------------------------------------------------------------


def test_a_rebase_brings_both_changes_together(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": BODY.replace("one", "ONE")}, rationale="Why."))
    assert desk.plan_rebase(request_id).code == code(lambda: desk.rebase_request(request_id)) == "not_stale"
    desk.mark_request_shown(desk.request(request_id))
    desk.edit("decision_a", fields={"body": BODY.replace("five", "FIVE")})
    plan = desk.plan_rebase(request_id)
    (field,) = plan.fields
    both = BODY.replace("one", "ONE").replace("five", "FIVE")
    assert plan.possible and (field.field, field.label, field.conflicts) == ("body", "body", 0)
    assert (field.base, field.asked, field.now, field.merged) == (
        BODY, BODY.replace("one", "ONE"), BODY.replace("five", "FIVE"), both,
    )  # fmt: skip
    (why,) = plan.why
    assert why.startswith("The body was changed by user:ana on ")
    desk.rebase_request(request_id)
    row = desk.request(request_id)
    assert (desk.request_texts(row), row.rationale, row.asked_by) == ({"body": both}, "Why.", "agent:one")
    assert desk.request_state(row) == "ready" and not desk.was_shown(row)
    approve(desk, request_id)
    assert desk.find("decision_a").body == both
    desk.undo()
    desk.undo()
    assert state(desk, request_id) == "stale", "the rebase was undone, too"


def test_a_conflict_needs_a_person_to_say_what_is_meant(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(
        lambda: agent.edit("decision_a", fields={"body": BODY.replace("one", "ONE"), "title": "T"})
    )
    desk.edit("decision_a", fields={"body": BODY.replace("one", "1")})
    (field,) = desk.plan_rebase(request_id).fields
    assert field.conflicts == 1 and has_marks(field.merged)
    before = desk.request(request_id)
    for given in (None, {"body": field.merged}, {"title": "Other"}):
        with pytest.raises(InvalidValue) as caught:
            desk.rebase_request(request_id, fields=given)
        assert caught.value.stable_code == "rebase_conflict"
        assert caught.value.extra["fields"] == {"body": field.merged}
    assert desk.request(request_id) == before
    desk.rebase_request(request_id, fields={"body": BODY.replace("one", "one (1)")})
    approve(desk, request_id)
    after = desk.find("decision_a")
    assert (after.body, after.title) == (BODY.replace("one", "one (1)"), "T")


def test_an_edit_keeps_what_the_asker_had_seen(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": BODY.replace("one", "ONE")}))
    desk.edit("decision_a", fields={"body": BODY.replace("five", "FIVE")})
    desk.edit_request(request_id, {"body": BODY.replace("one", "Uno")})
    assert state(desk, request_id) == "stale", "the change in between was not seen by who worded it"
    (field,) = desk.plan_rebase(request_id).fields
    assert (field.base, field.merged) == (BODY, BODY.replace("one", "Uno").replace("five", "FIVE"))


HISTORY: dict[str, Callable[[Desk], Any]] = {
    "an edit": lambda d: d.edit("decision_a", fields={"body": "Another text."}),
    "an append": lambda d: d.append("decision_a", "More."),
    "two appends and an edit": lambda d: (
        d.append("decision_a", "More."), d.edit("decision_a", fields={"body": "x"}), d.append("decision_a", "Last."),
    ),
    "an undone edit": lambda d: (d.edit("decision_a", fields={"body": "Another text."}), d.undo()),
    "a redone edit": lambda d: (d.edit("decision_a", fields={"body": "Another text."}), d.undo(), d.redo()),
    "an undone append": lambda d: (d.append("decision_a", "More."), d.undo()),
    "another description": lambda d: d.edit("decision_a", fields={"description": "x"}),
}  # fmt: skip


@pytest.mark.parametrize("since", ["an edit", "an undo", "an undone edit"])
@pytest.mark.parametrize("before", HISTORY)
def test_the_text_that_was_asked_about_is_found_again(
    desk: Desk, agent: Desk, entry: Entry, before: str, since: str
) -> None:
    HISTORY[before](desk)
    seen = desk.find("decision_a")
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "Asked.", "description": "Asked."}))
    if since == "an undo" and not before.startswith("an undone"):
        desk.undo()
    desk.edit("decision_a", fields={"body": "Written since.", "description": "Written since."})
    if since == "an undone edit":
        desk.undo()
        desk.append("decision_a", "Since.")
        desk.edit("decision_a", fields={"description": "Since."})
    plan = desk.plan_rebase(request_id)
    fields = {f.field: f for f in plan.fields}
    assert plan.possible, plan
    assert (fields["body"].base, fields["description"].base) == (seen.body, seen.description)
    assert fields["body"].now == desk.find("decision_a").body != seen.body


def test_a_change_that_had_not_arrived_is_not_taken_for_seen(desk: Desk, agent: Desk, entry: Entry) -> None:
    """It is older than the request by its id, and the asker knew nothing of it: dropping it would lose it."""
    base = desk.store.folded(entry.id)
    assert base is not None
    desk.edit("decision_b", fields={"title": "Something else, to let time pass"})
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": BODY.replace("one", "ONE")}))
    other = desk.log(2)[1]
    earlier = max((e for e in desk.store.events() if e.op_id == other.op_id), key=by_id)
    assert ulid_ms(earlier.order) < ulid_ms(desk.request(request_id).revision_id[4:])
    patch = {"body": BODY.replace("five", "FIVE")}
    elsewhere = Event(
        earlier.event_id[:-1] + ("Z" if earlier.event_id[-1] != "Z" else "Y"), EDIT, earlier.timestamp, "user:bo",
        payload={"memory_id": entry.id, "patch": patch, "base": {"body": base.body_heads}},
    )  # fmt: skip
    assert desk.store.receive([elsewhere]).applied == 1
    assert state(desk, request_id) == "stale"
    (field,) = desk.plan_rebase(request_id).fields
    assert field.base == BODY
    assert field.merged == BODY.replace("one", "ONE").replace("five", "FIVE")


def test_an_addition_becomes_a_change_of_who_has_the_name_now(desk: Desk, specialist: Desk) -> None:
    request_id = ask(lambda: specialist.add(name="atom_x", body="Asked.", description="Same", workspace="lab"))
    standing = desk.add(name="atom_x", body="A person's text.", description="Same", workspace="lab").entry
    plan = desk.plan_rebase(request_id)
    assert plan.why == ("atom_x is taken.",)
    assert [(f.field, f.base, f.conflicts) for f in plan.fields] == [("description", "", 0), ("body", "", 1)]
    assert code(lambda: desk.rebase_request(request_id)) == "rebase_conflict"
    desk.rebase_request(request_id, fields={"body": "A person's text.\nAsked."})
    row = desk.request(request_id)
    assert (row.refs, desk.request_state(row)) == ((standing.id,), "ready")
    approve(desk, request_id)
    assert desk.find("atom_x").id == standing.id and desk.find("atom_x").body == "A person's text.\nAsked."


def test_a_change_follows_its_entry_to_another_name(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.add(name="decision_a", body="New.", workspace="lab"))
    desk.rename("decision_a", "decision_z")
    assert desk.why_not_ready(desk.request(request_id)) == ("decision_a is called decision_z now.",)
    assert state(desk, request_id) == "stale", "approving would make a second entry"
    desk.rebase_request(request_id)
    approve(desk, request_id)
    assert (desk.find("decision_z").id, desk.find("decision_z").body) == (entry.id, "New.")


def test_a_checkpoint_is_made_again_against_what_has_its_names(desk: Desk, specialist: Desk) -> None:
    payload = {
        "resumen": {"name": "project_p", "type": "project", "body": "R.", "description": "r"},
        "pendientes": [{"name": "project_q", "body": "P.", "description": "q"}],
    }
    request_id = ask(lambda: specialist.checkpoint(payload, workspace="lab"))
    desk.add(name="project_q", body="A person's.", description="q", workspace="lab")
    plan = desk.plan_rebase(request_id)
    assert [(f.field, f.label) for f in plan.fields] == [
        ("project_q.description", "description of project_q"), ("project_q.body", "body of project_q"),
    ]  # fmt: skip
    desk.rebase_request(request_id, fields={"project_q.body": "Both."})
    approve(desk, request_id)
    assert (desk.find("project_p").body, desk.find("project_q").body) == ("R.", "Both.")


#: verb -> (asked, changed since, what must hold once the rebased request is approved)
REMADE: dict[str, tuple[str, Callable[[Desk], Any], Callable[[Desk], Any], Callable[[Desk], bool]]] = {
    "append": (
        "specialist", lambda d: d.append("decision_a", "More."),
        lambda d: d.edit("decision_a", fields={"body": "Other."}),
        lambda d: d.find("decision_a").body == "Other.\n\nMore.",
    ),
    "delete": (
        "agent", lambda d: d.delete("decision_a"), lambda d: d.edit("decision_a", fields={"title": "T"}),
        lambda d: d.find("decision_a").state == "purged",
    ),
    "reclassify": (
        "specialist", lambda d: d.reclassify("decision_a", klass="thread", status="open"),
        lambda d: d.reclassify("decision_a", klass="log"), lambda d: d.find("decision_a").status == "open",
    ),
    "rename": (
        "agent", lambda d: d.rename("decision_a", "decision_c"), lambda d: d.rename("decision_a", "decision_d"),
        lambda d: d.find("decision_c").body == BODY,
    ),
    "move": (
        "agent", lambda d: d.move_workspace(["decision_a"], "me"), lambda d: d.rename("decision_a", "decision_d"),
        lambda d: d.find("decision_d").workspace == "me",
    ),
    "merge": (
        "agent", lambda d: d.merge(["decision_b", "decision_a"], fields={"body": {"text": "Newer.\nBoth."}}),
        lambda d: d.edit("decision_a", fields={"title": "T"}),
        lambda d: d.find("decision_b").body == "Newer.\nBoth." and d.find("decision_a").state == "superseded",
    ),
    "verdict": (
        "specialist", lambda d: d.judge("decision_a", "decision_b", "different"),
        lambda d: d.edit("decision_a", fields={"title": "T"}), lambda d: len(d.verdicts()) == 1,
    ),
    "tags": (
        "agent", lambda d: d.edit("decision_a", rm_tags=["x"], fields={"title": "T"}),
        lambda d: d.edit("decision_a", add_tags=["x"]),
        lambda d: d.find("decision_a").tags == () and d.find("decision_a").title == "T",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REMADE)
def test_any_wish_can_be_made_again(request: pytest.FixtureRequest, desk: Desk, entry: Entry, case: str) -> None:
    who, verb, since, holds = REMADE[case]
    asker = request.getfixturevalue(who)
    request_id = ask(lambda: verb(asker))
    desk.mark_request_shown(desk.request(request_id))
    since(desk)
    assert state(desk, request_id) == "stale" and desk.why_not_ready(desk.request(request_id))
    assert code(lambda: desk.approve(request_id)) == "stale"
    asker.rebase_request(request_id)
    row = desk.request(request_id)
    assert desk.request_state(row) == "ready" and desk.why_not_ready(row) == () and not desk.was_shown(row)
    approve(desk, request_id)
    assert holds(desk)


HINDERED: dict[str, tuple[Callable[[Desk], Any], Callable[[Desk], Any], str, str]] = {
    "deleted": (
        lambda d: d.edit("decision_a", fields={"body": "New."}), lambda d: d.delete("decision_a"), "stale",
        "cannot_rebase",
    ),
    "its name is taken": (
        lambda d: d.rename("decision_a", "decision_c"), lambda d: d.rename("decision_b", "decision_c"), "stale",
        "cannot_rebase",
    ),
    "a member was absorbed elsewhere": (
        lambda d: d.merge(["decision_b", "decision_a"], fields={"body": {"text": "Both."}}),
        lambda d: d.merge(["decision_k", "decision_a"]), "stale", "cannot_rebase",
    ),
    "erased": (
        lambda d: d.supersede("decision_a", by="decision_b"),
        lambda d: d.erase(e := d.find("decision_b").id, f"DELETE {e}"), "gone", "gone",
    ),
    "its creation was undone": (
        lambda d: d.supersede("decision_b", by="decision_a"), lambda d: d.undo(d.log(entry_id=d.find(
            "decision_b").id)[-1].op_id), "gone", "gone",
    ),
    "it stands": (
        lambda d: d.edit("decision_a", fields={"body": "New."}),
        lambda d: d.edit("decision_a", fields={"body": "New."}), "settled", "settled",
    ),
    "it stands with more": (
        lambda d: d.edit("decision_a", fields={"body": BODY.replace("one", "ONE")}),
        lambda d: d.edit("decision_a", fields={"body": BODY.replace("one", "ONE").replace("five", "FIVE")}), "stale",
        "settled",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HINDERED)
def test_what_cannot_be_made_again_says_why_and_can_be_dropped(
    desk: Desk, agent: Desk, entry: Entry, case: str
) -> None:
    verb, since, wanted, why = HINDERED[case]
    desk.add(name="decision_k", body="A third thing entirely.", description="k", workspace="lab")
    request_id = ask(lambda: verb(agent))
    assert code(lambda: desk.drop(request_id)) == "still_ready"
    since(desk)
    row = desk.request(request_id)
    assert desk.request_state(row) == wanted
    plan = desk.plan_rebase(request_id)
    assert not plan.possible and plan.code == why and plan.cannot
    assert code(lambda: desk.rebase_request(request_id)) == why
    assert desk.request(request_id) == row
    desk.drop(request_id)
    after = agent.request(request_id)
    assert after.status == "rejected" and after.reason is not None
    assert after.reason.startswith("It no longer applies. ") and " ".join(plan.why) in after.reason
    desk.undo()
    assert desk.request(request_id).status == "pending"
    desk.drop(request_id, "My own words.")
    assert desk.request(request_id).reason == "My own words."


# -- what moved that the request writes no text of --------------------------------------------------------------------

#: What is asked for -> what somebody else did, and what the person who makes it anew reads of that.
MOVED: dict[str, tuple[Callable[[Desk], Any], Callable[[Desk], Any], tuple[str, ...]]] = {
    "delete, the body": (
        lambda d: d.delete("decision_a"), lambda d: d.edit("decision_a", fields={"body": "Now."}),
        ("body", BODY, "Now."),
    ),
    "delete, after an addition": (
        lambda d: d.delete("decision_a"), lambda d: d.append("decision_a", "More."), ("body", BODY, f"{BODY}\n\nMore."),
    ),
    "delete, the tags": (
        lambda d: d.delete("decision_a"), lambda d: d.edit("decision_a", add_tags=["new"]), ("tags", "", "new"),
    ),
    "delete, the role": (
        lambda d: d.delete("decision_a"), lambda d: d.reclassify("decision_a", klass="thread", status="open"),
        ("role", "What we know", "Open threads"),
    ),
    "rename, another name": (
        lambda d: d.rename("decision_a", "decision_z"), lambda d: d.rename("decision_a", "decision_y"),
        ("name", "decision_a", "decision_y"),
    ),
    "state": (
        lambda d: d.edit("decision_a", state="superseded"), lambda d: d.delete("decision_a"),
        ("state", "current", "deleted"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", MOVED)
def test_what_has_moved_is_told_though_no_text_of_the_request_meets_it(
    desk: Desk, agent: Desk, entry: Entry, case: str
) -> None:
    verb, meanwhile, said = MOVED[case]
    request_id = ask(lambda: verb(agent))
    meanwhile(desk)
    plan = desk.plan_rebase(request_id)
    told = [(m.label, m.before, m.now) for m in plan.moved if m.known]
    if case == "state":  # that it is deleted is said in a sentence
        assert "It is deleted." in plan.why and not told
        return
    assert plan.fields == () and plan.possible and said in told
    desk.rebase_request(request_id)
    assert desk.request_state(desk.request(request_id)) == "ready"


def test_what_it_said_and_is_not_here_any_more_is_said_to_be_unknown(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.delete("decision_a"))
    row = desk.request(request_id)
    desk.edit("decision_a", fields={"body": "Now."})
    base = {entry.id: {**row.base[entry.id], "body": ["evt_not_here"]}}
    with desk.operation("rebase", "By another machine") as op:
        from memdesk.core.desk.asking import worded_anew
        from memdesk.core.events import REQUEST

        op.write(REQUEST, worded_anew(row, "agent:one", base=base))
    (moved,) = [m for m in desk.plan_rebase(request_id).moved if m.label == "body"]
    assert (moved.known, moved.before, moved.now) == (False, "", "Now.")


def test_a_text_that_meets_another_is_not_told_twice(desk: Desk, agent: Desk, entry: Entry) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "Mine."}, add_tags=["t"]))
    desk.edit("decision_a", fields={"body": "Theirs."}, add_tags=["t", "u"])
    plan = desk.plan_rebase(request_id)
    assert [f.field for f in plan.fields] == ["body"] and "body" not in [m.label for m in plan.moved]
