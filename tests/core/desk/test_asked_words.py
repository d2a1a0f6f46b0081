"""What was asked for is said in the same plain words everywhere, and every decision says that it is one (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.desk.asked_words import namer, verb_words, wish_words
from memdesk.core.desk.deciding import METHODS
from memdesk.core.effects import ASKS, PHRASES, effect
from memdesk.core.errors import NeedsApproval
from memdesk.core.model import Entry
from memdesk.core.store import RequestRow

#: Words of the commands and of the store that no sentence has.
COMMANDS = ("move-workspace", "supersede", "verdict", "reclassify", "create", "append", "mend ", "unlink", "retire")


@pytest.fixture
def entry(desk: Desk) -> Entry:
    desk.add(name="decision_b", body="Newer.", description="b", workspace="lab")
    desk.add(name="project_t", body="Work.", description="t", klass="thread", status="open", workspace="lab")
    desk.add(name="atom_gone", body="Gone.", description="g", workspace="lab")
    desk.delete("atom_gone")
    return desk.add(name="decision_a", body="Old text.", description="Old", workspace="lab").entry


def test_every_verb_has_words() -> None:
    assert ASKS.keys() == PHRASES.keys() and ASKS.keys() >= METHODS.keys()
    assert verb_words("frob\nnicate") == "frob nicate", "one of a later version stays as it is"


ASKED: dict[str, tuple[str, Callable[[Desk], Any], str]] = {
    "add": ("specialist", lambda d: d.add(name="atom_x", body="x", description="x", workspace="lab"),
            "proposal to add atom_x"),
    "create": ("specialist", lambda d: d.create(kind="atom", title="A title", oneline="o", workspace="lab"),
               "proposal to add A title"),
    "append": ("specialist", lambda d: d.append("decision_a", "More."), "proposal to add to decision_a"),
    "reclassify": ("specialist", lambda d: d.reclassify("project_t", status="closed"), "proposal to move project_t"),
    "link": ("specialist", lambda d: d.link("decision_b", "related_to", "project_t"),
             "proposal to link decision_b and project_t"),
    "verdict": ("specialist", lambda d: d.judge("decision_a", "decision_b", "different"),
                "proposal to judge decision_a and decision_b"),
    "checkpoint": ("specialist", lambda d: d.checkpoint(
        {"resumen": {"name": "project_p", "type": "project", "body": "b"}, "pendientes": []}, workspace="lab"),
        "proposal to write the checkpoint project_p"),
    "graduate": ("specialist", lambda d: d.graduate("project_t", into="decision_a"),
                 "proposal to graduate project_t and decision_a"),
    "edit": ("agent", lambda d: d.edit("decision_a", fields={"body": "New text."}), "request to change decision_a"),
    "supersede": ("agent", lambda d: d.supersede("decision_a", by="decision_b"),
                  "request to replace decision_a by decision_b"),
    "merge": ("agent", lambda d: d.merge(["decision_b", "decision_a"]), "request to merge decision_b and decision_a"),
    "delete": ("agent", lambda d: d.delete("decision_a"), "request to delete decision_a"),
    "restore": ("agent", lambda d: d.restore("atom_gone"), "request to bring back atom_gone"),
    "rename": ("agent", lambda d: d.rename("decision_a", "decision_c"), "request to rename decision_a"),
    "move-workspace": ("agent", lambda d: d.move_workspace(["decision_a"], "me"), "request to move decision_a"),
}  # fmt: skip


@pytest.mark.parametrize("verb", ASKED)
def test_a_decision_says_what_was_decided_on(
    request: pytest.FixtureRequest, desk: Desk, entry: Entry, verb: str
) -> None:
    who, call, words = ASKED[verb]
    asker = request.getfixturevalue(who)
    with pytest.raises(NeedsApproval) as caught:
        call(asker)
    request_id = str(caught.value.extra["request_id"])
    asked = next(iter(desk.store.operations(limit=1)))
    assert not any(word in asked.summary for word in COMMANDS)
    row = desk.request(request_id)
    assert not any(word in desk.request_reason(row) for word in COMMANDS)
    desk.mark_request_shown(row)
    receipt = desk.approve(request_id)
    assert receipt.summary == f"Approved {asker.actor.name}'s {words}"
    assert receipt.op_id is not None
    operation = desk.store.operation(receipt.op_id)
    assert operation is not None and operation.summary == receipt.summary


def row(verb: str, refs: tuple[str, ...] = (), **args: object) -> RequestRow:
    payload = {"verb": verb, "refs": list(refs), "args": args}
    return RequestRow("req_1", verb, "agent:scout", "2026-01-01T00:00:00Z", "pending", None, None, None, None, None,
                      "evt_1", payload)  # fmt: skip


def test_what_is_gone_has_no_id_for_a_name() -> None:
    gone = "01M8PBMPQ98F41HA1QP9YFTRSZ"
    merge = row("merge", ("here", gone), into="here", fields={})
    assert wish_words(merge, namer({"here": "atom_a"})) == "merge atom_a and an entry that is gone"
    assert effect("merge", {**merge.args, "refs": ["here", gone]}, {}) == "merges an entry that is gone into here"
    assert namer({})("lab/decision_x") == "decision_x", "a name of another program is one"


def test_an_add_of_a_name_that_is_there_changes_it() -> None:
    assert wish_words(row("add", ("here",), name="atom_a"), namer({"here": "atom_a"})) == "change atom_a"
    assert wish_words(row("add", name="atom_a"), namer({})) == "add atom_a"
