"""Forty asks by agents, ten overtaken and three repeated: a reviewer empties the queue, and each ends as it should."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agents_play
import pytest
from agents_play import ANA, OVERTAKEN, Ask, Play

from memdesk.core.desk import Desk
from memdesk.core.errors import InvalidValue, MemdeskError, NotAllowed, Stale

WAITER = "import sys; from memdesk.tui.cli import main; sys.argv = ['memdesk', *sys.argv[1:]]; main()"
#: Turned down by the reviewer though it could be done.
REJECTED = 13
#: Approved by mistake, and taken back.
MISTAKEN = 10
#: Approved in the reviewer's own words.
REWORDED = 2
#: Taken back by the one who asked.
WITHDRAWN = 36


@pytest.fixture
def play(tmp_path: Path) -> Play:
    return agents_play.build(tmp_path / "store")


@pytest.fixture
def desk(play: Play, tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(tmp_path / "store", ANA) as opened:
        yield opened


def _states(desk: Desk, play: Play) -> dict[int, str]:
    rows = {row.request_id: row for row in desk.requests_of({a.request_id for a in play.asks})}
    states = desk.request_states(list(rows.values()))
    return {ask.number: states[ask.request_id] for ask in play.asks}


def test_the_play_is_as_it_says(desk: Desk, play: Play) -> None:
    assert len(play.asks) == 40
    overtaken, repeated = play.of(*OVERTAKEN), [a for a in play.asks if a.twin is not None]
    assert (len(overtaken), len(repeated)) == (10, 3)
    assert {a.verb for a in play.asks} == {
        "add", "append", "checkpoint", "create", "delete", "edit", "erase", "graduate", "link", "mend", "merge",
        "move-workspace", "reclassify", "rename", "restore", "supersede", "unlink", "verdict",
    }  # fmt: skip
    assert {a.by for a in play.asks} == {agents_play.SCOUT, agents_play.WORKER, agents_play.TESTER}
    for ask in play.asks:
        row = desk.request(ask.request_id)
        assert (row.verb, row.asked_by) == ("" if ask.fate == "erased" else ask.verb, ask.by), ask.number
        if ask.fate == "erased":
            continue
        assert row.payload["kind"] == ("proposal" if ask.by == agents_play.TESTER else "request")
        assert not ask.is_done(desk) or ask.fate == "settled", ask.number


def test_states_before_the_review(desk: Desk, play: Play) -> None:
    states = {"same": "ready", "erased": "withdrawn"}
    expected = {a.number: states.get(a.fate, a.fate) for a in play.asks}
    assert _states(desk, play) == expected
    same = {a.number: a.request_id == play.by_number[a.twin].request_id for a in play.asks if a.twin is not None}
    assert same == {38: True, 39: True, 40: False}
    assert len(desk.requests()) == 36, "two went with their entries, two were asked before"
    for ask in play.of(*OVERTAKEN):
        assert desk.why_not_ready(desk.request(ask.request_id)), "it says why"


# -- the review -----------------------------------------------------------------------------------------------------


class Review:
    """The reviewer, and the agents that wait for what becomes of their requests."""

    def __init__(self, desk: Desk, play: Play, folder: Path) -> None:
        self.desk = desk
        self.play = play
        self.folder = folder
        self.waiters: dict[int, subprocess.Popen[str]] = {}

    def wait_for(self, *numbers: int) -> None:
        """An agent's process that waits for each of these."""
        for number in numbers:
            ask = self.play.by_number[number]
            environ = {
                "MEMDESK_HOME": str(self.folder), "MEMDESK_ROLE": str(agents_play.ROLES[ask.by]),
                "MEMDESK_ACTOR": ask.by,
            }  # fmt: skip
            words = ["requests", "wait", ask.request_id, "--timeout", "50", "--json"]
            self.waiters[number] = subprocess.Popen(
                [sys.executable, "-c", WAITER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env=os.environ | environ,
            )  # fmt: skip

    def told(self, number: int) -> tuple[int, dict[str, Any]]:
        run = self.waiters.pop(number)
        out, err = run.communicate(timeout=55)
        assert err == "", err
        return run.returncode, json.loads(out)

    def approve(self, ask: Ask, **more: Any) -> Any:
        row = self.desk.request(ask.request_id)
        with pytest.raises(NotAllowed, match="shown"):
            self.desk.approve(row.request_id)
        self.desk.mark_request_shown(row)
        token = f"DELETE {row.refs[0]}" if row.verb == "erase" else None
        receipt = self.desk.approve(row.request_id, token=token, **more)
        events = self.desk.store.events_of_op(str(receipt.op_id))
        assert {(e.agent_id, e.on_behalf_of) for e in events} == {("user:ana", ask.by)}
        return receipt

    def status(self, ask: Ask) -> tuple[str, str]:
        row = self.desk.request(ask.request_id)
        return row.status, row.reason or ""


@pytest.fixture
def review(desk: Desk, play: Play, tmp_path: Path) -> Iterator[Review]:
    made = Review(desk, play, tmp_path / "store")
    yield made
    for run in made.waiters.values():
        run.kill()
        run.wait(timeout=20)


def test_the_queue_is_emptied(review: Review) -> None:
    desk, play = review.desk, review.play
    review.wait_for(1, REJECTED, 12, 21, 5, WITHDRAWN)
    _what_is_overtaken_cannot_be_approved(review)
    _the_ready_ones(review)
    _the_stale_ones(review)
    for ask in play.of("gone", "settled"):
        desk.drop(ask.request_id)
        status, reason = review.status(ask)
        assert status == "rejected"
        assert reason.startswith("It no longer applies."), ask.number
    for ask in play.of("erased"):
        status, reason = review.status(ask)
        assert status == "withdrawn" and reason.startswith("The entry it was about was erased by user:ana on ")
    _the_repeated_ones(review)
    assert desk.requests() == []
    approved = [ask for ask in play.of("ready") if review.status(ask)[0] == "approved"]
    assert [ask.number for ask in approved if not ask.is_done(desk)] == [REWORDED], "that one in other words"
    assert desk.store.check() == [] and desk.store.integrity() == []
    _what_the_agents_heard(review)


def _what_is_overtaken_cannot_be_approved(review: Review) -> None:
    for ask in review.play.of(*OVERTAKEN):
        row = review.desk.request(ask.request_id)
        review.desk.mark_request_shown(row)
        before = review.desk.log(1)
        with pytest.raises(InvalidValue if ask.fate == "erased" else Stale):
            review.desk.approve(row.request_id, token=f"DELETE {row.refs[0]}" if row.refs else None)
        assert review.desk.log(1) == before


def _the_ready_ones(review: Review) -> None:
    desk, by_number = review.desk, review.play.by_number
    special = {REJECTED, MISTAKEN, REWORDED, WITHDRAWN, 40}
    for ask in review.play.of("ready"):
        if ask.number not in special:
            assert not ask.is_done(desk), ask.number
            review.approve(ask)
            assert ask.is_done(desk), ask.number
            assert review.status(ask)[0] == "approved"
            with pytest.raises(InvalidValue):
                desk.approve(ask.request_id)
    ask = by_number[MISTAKEN]
    review.approve(ask)
    assert ask.is_done(desk)
    desk.undo()
    assert not ask.is_done(desk), "a wrong approval was taken back"
    assert review.status(ask)[0] == "pending"
    desk.reject(ask.request_id, "Approved by mistake; it stays deleted.")
    assert not ask.is_done(desk)
    ask = by_number[REWORDED]
    review.approve(ask, edited={"description": "As Ana has it"})
    assert desk.find("atom_02").description == "As Ana has it"
    desk.reject(by_number[REJECTED].request_id, "Others know it by that name.")
    assert not by_number[REJECTED].is_done(desk)
    with Desk.open(review.folder, agents_play.Actor(agents_play.TESTER, agents_play.Role.SPECIALIST)) as agent:
        agent.withdraw(by_number[WITHDRAWN].request_id, "Found it out oneself.")
    assert not by_number[WITHDRAWN].is_done(desk)


def _the_stale_ones(review: Review) -> None:
    desk, by_number = review.desk, review.play.by_number
    apart = by_number[4]
    plan = desk.plan_rebase(apart.request_id)
    assert plan.possible and [(f.field, f.conflicts) for f in plan.fields] == [("body", 0)]
    desk.rebase_request(apart.request_id)
    review.approve(apart)
    assert apart.is_done(desk), "both wordings"
    clash = by_number[5]
    assert desk.plan_rebase(clash.request_id).fields[0].conflicts == 1
    with pytest.raises(MemdeskError) as caught:
        desk.rebase_request(clash.request_id)
    assert caught.value.stable_code == "rebase_conflict"
    meant = agents_play.STEPS.replace("valve", "both valves")
    desk.rebase_request(clash.request_id, fields={"body": meant})
    review.approve(clash)
    assert desk.find("atom_05").body == meant
    for ask, why in ((by_number[8], "body"), (by_number[28], "taken"), (by_number[30], "deleted")):
        desk.drop(ask.request_id)
        status, reason = review.status(ask)
        assert status == "rejected"
        assert why in reason, reason
    assert desk.find("atom_08").state == "active"
    assert desk.find("atom_28").body == "The person was faster."


def _the_repeated_ones(review: Review) -> None:
    """The same asked twice by one agent was one request; another agent's is settled by the first."""
    play = review.play
    for number in (38, 39):
        ask = play.by_number[number]
        assert review.status(ask)[0] == "approved"
    twin = play.by_number[40]
    assert review.desk.request_state(review.desk.request(twin.request_id)) == "settled"
    review.desk.drop(twin.request_id)
    assert review.status(twin)[0] == "rejected"


def _what_the_agents_heard(review: Review) -> None:
    for number in (1, 5):
        code, said = review.told(number)
        assert (code, said["status"], said["decided_by"]) == (0, "approved", "user:ana")
    for number, status, reason in (
        (REJECTED, "rejected", "Others know it by that name."),
        (12, "withdrawn", "The entry it was about was erased"),
        (21, "rejected", "It no longer applies."),
        (WITHDRAWN, "withdrawn", "Found it out oneself."),
    ):  # fmt: skip
        code, said = review.told(number)
        assert (code, said["status"]) == (1, status)
        assert said["reason"].startswith(reason)


def test_the_script_tells_where_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents_play.main(str(tmp_path / "by_hand"))
    told = capsys.readouterr().out
    assert "40 asked for, 36 requests wait" in told
    assert told.count("req_") == 13
    with pytest.raises(SystemExit, match="not empty"):
        agents_play.main(str(tmp_path / "by_hand"))
