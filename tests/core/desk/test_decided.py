"""A decided request still shows what was decided, whatever became of the entry since (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.desk.reviewing import Review
from memdesk.core.errors import NeedsApproval


@pytest.fixture(autouse=True)
def entries(desk: Desk) -> None:
    desk.add(name="decision_a", body="Old.", description="Old", workspace="lab", tags=("one",))
    desk.append("decision_a", "More.")
    desk.add(name="decision_b", body="B.", description="b", workspace="lab")


def ask(verb: Callable[[], Any]) -> str:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    return str(caught.value.extra["request_id"])


def approve(desk: Desk, request_id: str, **edited: str) -> None:
    desk.mark_request_shown(desk.request(request_id))
    desk.approve(request_id, edited=edited)


def changed(review: Review) -> list[tuple[str, str, str]]:
    return [(c.field, c.before, c.after) for c in review.changes]


ASKED = {
    "edit": (lambda d: d.edit("decision_a", fields={"body": "New."}), [("body", "Old.\n\nMore.", "New.")]),
    "tags": (lambda d: d.edit("decision_a", add_tags=["two"]), [("tags", "one", "one\ntwo")]),
    "delete": (lambda d: d.delete("decision_a"), [("state", "current", "deleted")]),
    "rename": (lambda d: d.rename("decision_a", "decision_c"), [("name", "decision_a", "decision_c")]),
}


@pytest.mark.parametrize("outcome", ["approved", "rejected", "withdrawn"])
@pytest.mark.parametrize("case", sorted(ASKED))
def test_the_change_stands_there_after_later_ones(desk: Desk, agent: Desk, case: str, outcome: str) -> None:
    verb, wanted = ASKED[case]
    request_id = ask(lambda: verb(agent))
    effect = desk.request_effect(desk.request(request_id))
    if outcome == "approved":
        approve(desk, request_id)
    elif outcome == "rejected":
        desk.reject(request_id, "No.")
    else:
        agent.withdraw(request_id)
    if (case, outcome) != ("delete", "approved"):
        entry_id = desk.request(request_id).refs[0]
        desk.edit(entry_id, fields={"body": "Something else.", "description": "Else"}, rm_tags=["one"])
    review = desk.review(desk.request(request_id))
    assert (review.state, changed(review), review.effect) == (outcome, wanted, effect)
    assert review.digest.words == "" and review.token == ""


def test_links_are_those_of_the_approval(desk: Desk, agent: Desk) -> None:
    request_id = ask(lambda: agent.supersede("decision_a", by="decision_b"))
    approve(desk, request_id)
    entry_id = desk.request(request_id).refs[0]
    desk.unlink("decision_b", "supersedes", entry_id)
    review = desk.review(desk.request(request_id))
    assert [(link.added, link.sentence) for link in review.links] == [(True, "decision_b replaces decision_a")]
    assert changed(review) == [("state", "current", "replaced")]


def test_what_was_made_is_new(desk: Desk, specialist: Desk) -> None:
    request_id = ask(lambda: specialist.add(name="atom_n", body="Made.", description="n", workspace="lab"))
    approve(desk, request_id)
    desk.append("atom_n", "Later.")
    review = desk.review(desk.request(request_id))
    assert ("body", "", "Made.") in changed(review) and review.changes[0].entry_id == "new:atom_n"


def test_both_wordings_of_an_approval_with_edits(desk: Desk, agent: Desk) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "First."}, rationale="Why."))
    agent.edit_request(request_id, {"body": "Second."})
    approve(desk, request_id, body="Mine.")
    review = desk.review(desk.request(request_id))
    assert changed(review) == [("body", "Old.\n\nMore.", "Mine.")] and review.edited == ("body",)
    assert [(w.by, w.texts, w.rationale, w.in_force) for w in review.wordings] == [
        ("agent:one", {"body": "First."}, "Why.", False), ("agent:one", {"body": "Second."}, "Why.", True),
    ]  # fmt: skip


def test_an_erased_text_comes_back_nowhere(desk: Desk, agent: Desk) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "A secret."}))
    approve(desk, request_id)
    entry_id = desk.request(request_id).refs[0]
    desk.erase(entry_id, f"DELETE {entry_id}")
    review = desk.review(desk.request(request_id))
    assert (review.changes, review.wordings, review.effect) == ((), (), "what it asked was erased with its entry")
