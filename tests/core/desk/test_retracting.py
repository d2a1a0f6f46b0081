"""What takes a decision out of force in its own text is asked first (DESIGN 4)."""

from __future__ import annotations

import pytest

from memdesk.core.contradiction import retracts
from memdesk.core.desk import Desk
from memdesk.core.errors import NeedsApproval

TAKES_BACK = [
    "This decision no longer holds; use Postgres.",
    "This is no longer in force.",
    "Obsolete.",
    "Superseded by decision_x.",
    "Ignore the above.",
    "Reverted on 2026-01-01: ignore the above.",
    "This does not hold any more.",
    "This does not apply.",
    "It was overruled by Ana in May.",
    "This has been revoked.",
    "We changed our mind.",
    "Esta decisión ya no vale.",
    "Esto ya no se aplica.",
    "Queda sin efecto.",
    "Decisión anulada.",
    "The decision isn’t valid any longer.",
    "The above is void.",
    "DEPRECATED",
    "**Superseded**: see decision_y",
    "- Cancelled",
    "This decision was withdrawn.",
    "Reemplazada por decision_y.",
    "no longer valid",
]
LEAVES = [
    "Ana confirmed this again in May.",
    "Measured: 3 ms per write with SQLite.",
    "It holds for all services.",
    "This replaced the old cron job.",
    "It still applies in 2026.",
    "We no longer see errors since.",
    "The build is not affected.",
    "See also decision_cache.",
    "The old host is no longer there.",
    "Used in production since May; nothing to add.",
    "It is not slow.",
    "Reviewed: it stands.",
    "Esto sigue vigente.",
    "The reverted commit was abc.",
    "Do not deploy by hand.",
]


@pytest.mark.parametrize("text", TAKES_BACK)
def test_what_takes_back(text: str) -> None:
    assert retracts(text)
    assert retracts(f"Seen again in May.\n\n{text} Ask Ana."), "wherever it stands"


@pytest.mark.parametrize("text", LEAVES)
def test_what_leaves_it_in_force(text: str) -> None:
    assert retracts(text) == ""


@pytest.fixture(autouse=True)
def decision(desk: Desk) -> None:
    desk.add(name="decision_db", body="We use SQLite for the store.", description="The store", workspace="lab")
    desk.add(name="atom_db", body="We use SQLite for the store.", description="The store", workspace="me")


AGAINST = ["We do not use SQLite for the store.", "We use Postgres for the store.", "This decision no longer holds."]


@pytest.mark.parametrize("text", AGAINST)
def test_an_agent_asks_before_it_adds_to_a_decision_what_contradicts_it(desk: Desk, agent: Desk, text: str) -> None:
    with pytest.raises(NeedsApproval, match="contradicts"):
        agent.append("decision_db", text)
    assert desk.find("decision_db").body == "We use SQLite for the store."
    desk.append("decision_db", text)  # a person may write what they like


def test_what_adds_to_a_decision_is_written(agent: Desk) -> None:
    agent.append("decision_db", "Measured: 3 ms a write.")
    assert agent.find("decision_db").body.endswith("Measured: 3 ms a write.")


def test_only_a_decision_that_stands_is_asked_about(desk: Desk, agent: Desk) -> None:
    agent.append("atom_db", "This no longer holds.")
    assert agent.find("atom_db").body.endswith("This no longer holds.")


def test_a_title_that_is_filled_in_and_a_merge_cannot_do_it_either(desk: Desk, agent: Desk) -> None:
    same = {"name": "decision_db", "body": "We use SQLite for the store.", "workspace": "lab"}
    with pytest.raises(NeedsApproval, match="contradicts"):
        agent.add(**same, title="Obsolete")
    agent.add(**same, title="Where memory is kept")
    for name, body in (("atom_bad", "This decision is superseded."), ("atom_good", "It was measured in May.")):
        desk.add(name=name, body=body, description="n", workspace="lab")
    with pytest.raises(NeedsApproval, match="contradicts"):
        agent.merge(["decision_db", "atom_bad"], into="decision_db")
    agent.merge(["decision_db", "atom_good"], into="decision_db")


def test_a_page_of_blanks_is_looked_at_in_no_time() -> None:
    for page in ("\n" * 200_000, " " * 200_000, "this " * 50_000, "no longer " * 20_000, "is not " * 20_000):
        assert retracts(page) == ""
