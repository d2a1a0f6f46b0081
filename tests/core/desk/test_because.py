"""Why a request waits: which decision it contradicts is said, by the name that it has now (DESIGN 4)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.desk.because import because
from memdesk.core.errors import NeedsApproval
from memdesk.core.model import Entry
from memdesk.core.policy import AGAINST
from memdesk.core.store import RequestRow

CACHED = "The query cache is enabled in production for all read endpoints of the shop."
OTHER = CACHED.replace("enabled", "disabled")
PAYLOAD = {"resumen": {"name": "project_off", "type": "project", "body": OTHER}, "pendientes": []}
TEXTS: dict[str, Callable[[Desk], Any]] = {
    "add": lambda d: d.add(name="atom_off", body=OTHER, workspace="lab"),
    "create": lambda d: d.create(kind="atom", title="Cache", oneline="off", full=OTHER, workspace="lab"),
    "append": lambda d: d.append("atom_b", OTHER),
    "checkpoint": lambda d: d.checkpoint(PAYLOAD, workspace="lab"),
}


@pytest.fixture
def decision(desk: Desk) -> Entry:
    desk.add(name="atom_b", body="Something else.", description="b", workspace="lab")
    return desk.add(name="decision_cache", body=CACHED, description="On the cache", workspace="lab").entry


def asked(desk: Desk, verb: Callable[[], Any]) -> tuple[RequestRow, NeedsApproval]:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    return desk.request(str(caught.value.extra["request_id"])), caught.value


@pytest.mark.parametrize("verb", TEXTS)
def test_the_decision_that_a_text_contradicts_is_named(desk: Desk, agent: Desk, decision: Entry, verb: str) -> None:
    row, refusal = asked(desk, lambda: TEXTS[verb](agent))
    assert row.payload["against"] == [decision.id]
    assert "decision_cache" not in str(row.payload["reason"]), "a name may go with an erase"
    assert refusal.message == "This waits for a person: it contradicts decision_cache."
    review = desk.review(row)
    assert review.because == desk.request_reason(row) == "it contradicts decision_cache."
    assert [entry.body for entry in review.against] == [CACHED]


def test_it_is_called_what_it_is_called_now(desk: Desk, agent: Desk, decision: Entry) -> None:
    row, _ = asked(desk, lambda: TEXTS["add"](agent))
    desk.rename("decision_cache", "decision_queries")
    desk.edit("decision_queries", fields={"body": "The cache is enabled."})
    review = desk.review(row)
    assert review.because == "it contradicts decision_queries."
    assert [entry.body for entry in review.against] == ["The cache is enabled."]
    desk.erase(decision.id, f"DELETE {decision.id}")
    review = desk.review(row)
    assert (review.because, review.against) == (AGAINST, ()), "nothing names what is erased"


def test_a_proposal_against_a_decision_says_both(desk: Desk, specialist: Desk, decision: Entry) -> None:
    row, _ = asked(desk, lambda: TEXTS["add"](specialist))
    assert desk.request_reason(row) == (
        "a specialist proposes memory, it does not write it, and it contradicts decision_cache."
    )


def test_who_is_asked_which_of_two_holds_is_told_the_decision(desk: Desk, agent: Desk, decision: Entry) -> None:
    agent.add(name="atom_old", body="The cache was never enabled here.", description="o", workspace="lab")
    desk.ask_owner("atom_old", decision.id)
    (row,) = desk.requests()
    assert row.payload["against"] == [decision.id]
    review = desk.review(row)
    assert review.because == "it contradicts decision_cache."
    assert review.against == (), "it is among the entries already"


@pytest.mark.parametrize(("payload", "words"), [
    ({"verb": "add", "reason": AGAINST}, AGAINST),
    ({"verb": "add", "reason": AGAINST, "against": ["gone"]}, AGAINST),
    ({"verb": "add", "reason": AGAINST, "against": "d1"}, AGAINST),
    ({"verb": "add", "reason": AGAINST, "against": ["d1", 7, "d2"]}, "it contradicts decision_a, decision_b."),
    ({"verb": "edit", "reason": "edit here changes or removes what others rely on."},
     "it changes or removes what others rely on."),
    ({"reason": ["x"]}, ""), ({}, ""), ({"verb": 4, "reason": "a\nb"}, "a b"),
])  # fmt: skip
def test_requests_of_earlier_versions_and_other_programs(payload: dict[str, Any], words: str) -> None:
    assert because(payload, {"d1": "decision_a", "d2": "decision_b"}) == words


def test_only_what_is_found_is_named(desk: Desk, agent: Desk, decision: Entry) -> None:
    row, _ = asked(desk, lambda: agent.edit("atom_b", fields={"body": f"It reads: {random.Random(1).random()}"}))
    assert "against" not in row.payload and desk.review(row).against == ()
    assert desk.request_reason(row) == "it changes or removes what others rely on."
