"""Asking twice for the same finds the request that waits already (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.model import Entry


@pytest.fixture
def entry(desk: Desk) -> Entry:
    desk.add(name="decision_b", body="Newer.", description="b", workspace="lab")
    return desk.add(name="decision_a", body="Old text.", description="Old", workspace="lab").entry


def ask(verb: Callable[[], Any]) -> NeedsApproval:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    return caught.value


ASKED: dict[str, Callable[[Desk], Any]] = {
    "edit": lambda d: d.edit("decision_a", fields={"body": "New text."}, add_tags=["x"]),
    "add over it": lambda d: d.add(name="decision_a", body="New text.", workspace="lab"),
    "delete": lambda d: d.delete("decision_a", reason="old"),
    "rename": lambda d: d.rename("decision_a", "decision_c"),
    "move": lambda d: d.move_workspace(["decision_a"], "me"),
    "supersede": lambda d: d.supersede("decision_a", by="decision_b"),
    "erase": lambda d: d.erase(e := d.find("decision_a").id, f"DELETE {e}"),
    "merge": lambda d: d.merge(["decision_b", "decision_a"], fields={"body": {"text": "Both."}}),
}
PROPOSED: dict[str, Callable[[Desk], Any]] = {
    "add": lambda d: d.add(name="atom_x", body="x", description="x", workspace="lab"),
    "append": lambda d: d.append("decision_a", "more"),
    "comment": lambda d: d.comment("decision_a", "A thought."),
    "create": lambda d: d.create(kind="atom", title="T", oneline="o", workspace="lab"),
    "reclassify": lambda d: d.reclassify("decision_a", klass="log"),
    "link": lambda d: d.link("decision_b", "related_to", "decision_a"),
    "checkpoint": lambda d: d.checkpoint(
        {"resumen": {"name": "project_p", "type": "project", "body": "b"}, "pendientes": []}, workspace="lab"
    ),
    "verdict": lambda d: d.judge("decision_a", "decision_b", "different"),
}  # fmt: skip
CASES = [pytest.param("agent", ASKED[v], id=v) for v in ASKED] + [
    pytest.param("specialist", PROPOSED[v], id=v) for v in PROPOSED
]


@pytest.mark.parametrize(("who", "verb"), CASES)
def test_the_same_again_is_the_same_request(
    request: pytest.FixtureRequest, desk: Desk, entry: Entry, who: str, verb: Callable[[Desk], Any]
) -> None:
    asker = request.getfixturevalue(who)
    first = ask(lambda: verb(asker))
    row = desk.request(first.extra["request_id"])
    again = ask(lambda: verb(asker))
    assert again.exit_code == 3
    assert again.extra["request_id"] == row.request_id
    assert first.extra["waits_since"] is None and again.extra["waits_since"] == row.asked_at
    assert row.asked_at[:10] in again.message and "already" in again.message and row.request_id in again.hint
    assert desk.requests() == [row], "nothing was written"
    desk.reject(row.request_id, "no")
    assert ask(lambda: verb(asker)).extra["request_id"] != row.request_id, "a decided one is no hindrance"


def test_another_asker_or_another_wish_is_another_request(desk: Desk, agent: Desk, as_role: Any, entry: Entry) -> None:
    ids = {
        ask(lambda: agent.edit("decision_a", fields={"body": "One."})).extra["request_id"],
        ask(lambda: agent.edit("decision_a", fields={"body": "Two."})).extra["request_id"],
        ask(lambda: agent.edit("decision_b", fields={"body": "One."})).extra["request_id"],
        ask(lambda: as_role(Role.OPERATOR, "agent:two").edit("decision_a", fields={"body": "One."})).extra[
            "request_id"
        ],
    }
    assert len(ids) == 4


def test_a_new_session_asks_the_same(desk: Desk, as_role: Any, entry: Entry) -> None:
    found = [
        ask(lambda s=s: as_role(Role.SPECIALIST, "agent:two", session_id=s).add(  # type: ignore[misc]
            name="atom_x", body="x", description="x", workspace="lab"
        )).extra["request_id"]
        for s in ("s1", "s2")
    ]  # fmt: skip
    assert found[0] == found[1]
    assert desk.request(found[0]).session_id == "s1"


def test_asking_again_after_it_moved_asks_against_what_stands(desk: Desk, agent: Desk, entry: Entry) -> None:
    def wish(why: str = "") -> str:
        return str(
            ask(lambda: agent.edit("decision_a", fields={"body": "New text."}, rationale=why)).extra["request_id"]
        )

    request_id = wish("First reason.")
    before = desk.request(request_id)
    desk.edit("decision_a", fields={"description": "Another field"})
    assert wish("Unread.") == request_id and desk.request(request_id) == before, "that is not what it would write"
    desk.edit("decision_a", fields={"body": "Changed meanwhile."})
    assert desk.request_state(desk.request(request_id)) == "stale"
    assert wish() == request_id
    row = desk.request(request_id)
    assert (row.rationale, row.asked_at, row.revised_by) == ("First reason.", before.asked_at, "agent:one")
    assert row.revision_id != before.revision_id
    assert desk.request_state(row) == "ready"
    desk.edit("decision_a", fields={"body": "Changed once more."})
    assert wish("Second reason.") == request_id
    assert desk.request(request_id).rationale == "Second reason."
    assert len(desk.requests(None)) == 1
