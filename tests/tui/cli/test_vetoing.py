"""`veto`: what agents did on their own, kept or taken back (DESIGN 4)."""

from __future__ import annotations

import pytest
from command_line import ANA, Cli

from memdesk.core.desk import Actor, Role

SCOUT = Actor("agent:scout", Role.ORCHESTRATOR, "s-1")


@pytest.fixture
def ops(cli: Cli) -> list[str]:
    """A flagged append on an entry about the user, another one, and one that is not about them; oldest first."""
    with cli.desk() as desk:
        desk.add(name="user_ana", body="Likes tea.", workspace="me")
        desk.mark_visit()
    with cli.desk(SCOUT) as agent:
        done = [
            agent.append("user_ana", "Also coffee."),
            agent.add(name="user_bo", body="\x1b[31mBo\u202e.", workspace="me"),
            agent.append("me/atom_port", "Or 8081."),
        ]
    return [str(receipt.op_id) for receipt in done]


def test_it_lists_what_waits_with_the_flagged_on_top(cli: Cli, ops: list[str]) -> None:
    data = cli.ok("veto --json").json
    assert [(w["op_id"], w["flagged"]) for w in data["work"]] == [(ops[1], True), (ops[0], True), (ops[2], False)]
    assert (data["flagged"], data["rest"]) == (2, 1)
    assert data["work"][1]["names"] == ["user_ana"] and data["work"][1]["session_id"] == "s-1"
    said = cli.ok("veto").out
    assert said.index(ops[1]) < said.index(ops[0]) < said.index("since you were at the desk") < said.index(ops[2])
    assert f"!  {ops[0]}" in said and "agent:scout" in said
    flagged = cli.ok("veto list --flagged").out
    assert ops[0] in flagged and ops[2] not in flagged
    assert "1 more; --limit 0 lists all" in cli.ok("veto list --flagged --limit 1").out
    assert cli.ok("veto list --workspace other --json").json["work"] == []


def test_nothing_waits(cli: Cli) -> None:
    with cli.desk() as desk:
        desk.mark_visit()
    assert cli.ok("veto").out == "Nothing here waits for a look.\n"


@pytest.mark.parametrize("words", ["veto {}", "veto take-back {}"])
def test_a_veto_takes_it_back_and_redo_brings_it_again(cli: Cli, ops: list[str], words: str) -> None:
    data = cli.ok(words.format(ops[0]) + " --json").json
    assert data["action"] == "vetoed" and data["undo"] == "memdesk redo"
    assert cli.entry("user_ana").body == "Likes tea."
    assert [w["op_id"] for w in cli.ok("veto list --flagged --json").json["work"]] == [ops[1]]
    cli.ok("redo")
    assert cli.entry("user_ana").body.endswith("Also coffee.")


def test_several_each_with_its_result(cli: Cli, ops: list[str]) -> None:
    with cli.desk() as desk:
        desk.edit("user_ana", fields={"body": "Likes nothing."})
    done = cli("veto", ops[0], ops[1], "--json")
    assert done.code == 1
    first, second = done.json["results"]
    assert (first["op_id"], first["done"]) == (ops[1], True) and first["receipt"]["action"] == "vetoed"
    assert (second["op_id"], second["done"]) == (ops[0], False) and "user:ana at " in second["said"]
    again = cli("veto", ops[0], ops[2])
    assert again.code == 1 and "Left as it is: " in again.out and "Vetoed agent:scout's work: " in again.out


def test_keep_takes_it_off_the_list(cli: Cli, ops: list[str]) -> None:
    assert cli.ok("veto", "keep", ops[0], ops[1]).out.count("Kept: ") == 2
    assert cli.ok("veto list --flagged").out == "Nothing here waits for a look.\n"
    kept = cli.ok("veto list --kept --json").json
    assert {w["op_id"] for w in kept["work"]} == set(ops[:2]) and all(w["kept"] for w in kept["work"])
    mixed = cli("veto", "keep", ops[2], "op_none", "--json")
    assert mixed.code == 1
    assert mixed.json["kept"] == [ops[2]] and mixed.json["failed"][0]["code"] == "not_found"
    assert cli("veto keep op_none").code == 4


def test_show_tells_the_difference_and_what_a_veto_would_do(cli: Cli, ops: list[str]) -> None:
    said = cli.ok("veto", "show", ops[0]).out
    assert "+Also coffee." in said and f"memdesk veto {ops[0]}" in said and "in the role orchestrator" in said
    cli.terminal(120)
    shown = cli.ok("veto", "show", ops[1]).out
    assert "\x1b[31m" not in shown and "\u202e" not in shown and "‹U+202E›" in shown
    with cli.desk() as desk:
        desk.edit("user_ana", fields={"body": "Likes nothing."})
    data = cli.ok("veto", "show", ops[0], "--json").json
    assert data["refusal"]["blockers"][0]["author"] == ANA.name
    assert "A veto is refused: " in cli.ok("veto", "show", ops[0]).out


@pytest.mark.parametrize("role", ["orchestrator", "operator", "specialist"])
def test_an_agent_may_look_and_no_more(cli: Cli, ops: list[str], role: str) -> None:
    cli.role(role)
    assert cli.ok("veto --json").json["flagged"] == 2
    for words in (f"veto {ops[0]}", f"veto take-back {ops[0]} {ops[1]}", f"veto keep {ops[0]}"):
        done = cli(words)
        assert done.code == 1 and "Only a person" in done.err
    cli.role("user")
    assert cli.ok("veto --json").json["flagged"] == 2


def test_a_persons_work_is_for_undo(cli: Cli, ops: list[str]) -> None:
    with cli.desk() as desk:
        mine = str(desk.append("me/atom_port", "Mine.").op_id)
    done = cli("veto", mine, "--json")
    assert done.code == 1 and done.error["hint"] == f"Use `memdesk undo {mine}`."
    assert cli("veto nonsense").code == 2


def test_a_workspace_that_is_not_there(cli: Cli) -> None:
    assert cli("veto list --workspace=nope --json").error["code"] == "unknown_workspace"
