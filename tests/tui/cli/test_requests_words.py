"""What `requests` says where something is in the way: which step is next, whose words these are, what was not found."""

from __future__ import annotations

import json
import sqlite3

import pytest
from asking import SCOUT, Scene
from command_line import Cli


@pytest.fixture
def seated(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Scene:
    scene = Scene(cli, monkeypatch)
    scene.sit_down()
    return scene


# -- several at once ----------------------------------------------------------------------------------------------


def test_what_failed_of_several_says_what_to_do(seated: Scene) -> None:
    ids = [seated.ask(f"edit decision_db --body {text}.") for text in ("One", "Two")]
    done = seated.cli("requests", "approve", *ids)
    assert done.code == 1 and done.out.count("Read it first: `memdesk requests show") == 2
    assert f"    Read it first: `memdesk requests show {ids[1]}`.\n" in done.out


@pytest.mark.parametrize("verb", ["approve", "reject", "drop", "withdraw"])
def test_an_id_and_its_beginning_are_one_request(seated: Scene, verb: str) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    seated.read(request_id)
    if verb == "drop":
        seated.cli.ok("edit", "decision_db", "--body", "MariaDB.")
    reason = ["--reason", "no"] if verb == "reject" else []
    done = seated.cli.ok("requests", verb, request_id, request_id[:24], request_id.removeprefix("req_"), *reason,
                         "--json")  # fmt: skip
    assert done.json["request_id"] == request_id and "results" not in done.json


def test_a_batch_tells_what_waits_and_what_failed(seated: Scene) -> None:
    append, edit = ({"op": "append", "ref": "atom_port", "text": "More.", "workspace": "me"},
                    {"op": "edit", "ref": "decision_db", "fields": {"body": "Postgres."}})  # fmt: skip
    waits = seated.agent("batch", "--file", "-", stdin=json.dumps([append, edit]))
    [row] = seated.cli.ok("requests list --json").json
    assert waits.code == 3 and f"2. {row['request_id']}: edit waits.\n   This waits for a person: " in waits.out
    assert "failed" not in waits.out and "1 of 2 operations done, 1 waits for a person.\n" in waits.out
    failed = seated.agent("batch", "--file", "-", stdin=json.dumps([edit, {"op": "append", "ref": "no", "text": "x"}]))
    assert failed.code == 1 and "0 of 2 operations done, 1 waits for a person, 1 not.\n" in failed.out
    assert "2. append failed [not_found]: " in failed.out and "waits for a person already" in failed.out
    data = seated.agent("batch", "--json", "--file", "-", stdin=json.dumps([append, edit])).json
    assert (data["failed"], data["waits"]) == (1, 1) and data["results"][1]["error"]["request_id"] == row["request_id"]


def test_confirm_is_for_an_erase(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    seated.read(request_id)
    refused = seated.cli("requests", "approve", request_id, "--confirm", "DELETE x")
    assert refused.code == 2 and "--confirm is for an erase" in refused.err
    assert seated.cli.entry("decision_db").body == "SQLite."


# -- lists --------------------------------------------------------------------------------------------------------


def test_a_kind_that_nothing_can_have(seated: Scene) -> None:
    seated.ask("edit decision_db --body Postgres.")
    refused = seated.cli("requests list --kind bogus")
    assert refused.code == 2 and "There is no kind 'bogus'." in refused.err and "proposal, add, " in refused.err
    assert seated.cli.ok("requests list --kind merge --json").json == []


def test_a_filter_that_leaves_nothing_says_that_others_wait(seated: Scene) -> None:
    seated.ask("edit decision_db --body Postgres.")
    assert seated.cli.ok("requests list --asker nobody").out == "No request fits; 1 other waits.\n"
    assert seated.cli.ok("requests list --all --kind delete").out == "No request fits; 1 other is there.\n"
    assert seated.cli.ok("requests list --status rejected --asker nobody").out == "There are no such requests.\n"


@pytest.mark.parametrize("line", ["--session foo", "--by nobody", "other/atom_port --by agent:scout"])
def test_a_log_that_is_filtered_does_not_say_that_nothing_was_done(cli: Cli, line: str) -> None:
    assert cli.ok(f"log {line}").out == "Nothing of that has been done here.\n"


@pytest.mark.parametrize("columns", [60, 80])
def test_ids_of_operations_are_whole_enough_to_be_typed(
    seated: Scene, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setenv("NO_COLOR", "1")
    words = ["append", "atom_port", "--workspace=me", "--body", "A long sentence that needs some room on the line."]
    assert seated.agent(*words, actor="agent:of-a-long-name").code == 0
    assert seated.agent(*words[:-1], "Another.").code == 0
    op_ids = {w["op_id"] for w in seated.cli.ok("veto list --json").json["work"]}
    seated.cli.terminal(columns)
    for command in ("veto list", "log --by agent:scout", "log --limit 1"):
        lines = seated.cli.ok(command).out.splitlines()
        shown = [word for line in lines for word in line.split() if word.startswith("op_")]
        assert shown and all(sum(i.startswith(one) for i in op_ids) == 1 for one in shown)
        assert all(len(line) <= columns for line in lines if "op_" in line)
        seated.cli.ok(f"veto show {shown[0]}")


@pytest.mark.parametrize("verb", ["take-back", "keep"])
def test_an_operation_and_the_beginning_of_its_id_are_one(seated: Scene, verb: str) -> None:
    assert seated.agent("append", "atom_port", "--workspace=me", "--body", "More.").code == 0
    [work] = seated.cli.ok("veto list --json").json["work"]
    done = seated.cli.ok("veto", verb, work["op_id"], work["op_id"][:24], "--json").json
    assert done.get("kept", [work["op_id"]]) == [work["op_id"]] and "results" not in done


# -- stale --------------------------------------------------------------------------------------------------------


def test_only_what_can_be_made_again_is_offered(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    seated.cli.ok("edit", "decision_db", "--body", "MariaDB.")
    assert f"requests rebase {request_id}" in seated.read(request_id)
    assert "requests rebase" in seated.cli(f"requests approve {request_id}").err
    seated.cli.ok("delete decision_db")
    shown = seated.read(request_id)
    assert "requests rebase" not in shown and f"requests drop {request_id}" in shown
    refused = seated.cli(f"requests approve {request_id}")
    assert refused.code == 1 and "rebase" not in refused.err and f"requests drop {request_id}" in refused.err


def test_settled_is_not_made_again(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    seated.cli.ok("edit", "decision_db", "--body", "Postgres.")
    assert "requests rebase" not in seated.read(request_id)
    assert "rebase" not in seated.cli(f"requests approve {request_id}").err


def test_a_rebase_shows_the_wording_that_was_given(seated: Scene) -> None:
    request_id = seated.ask("edit", "decision_db", "--body", "one\ntwo\nTHREE")
    seated.cli.ok("edit", "decision_db", "--body", "uno\ntwo\nthree")
    done = seated.cli.ok("requests", "rebase", request_id, "--body", "mine")
    assert "body, as you word it, against what stands now\n" in done.out and "  +mine\n" in done.out
    assert "Both" not in done.out
    again = seated.ask("edit", "project_run", "--body", "All done.", "--description", "Ran")
    seated.cli.ok("edit", "project_run", "--description", "Runs")
    shown = seated.cli.ok("requests", "rebase", again, "--body", "My body.", "--description", "Mine", "--show").out
    assert "body, as you word it, against what was asked for\n" in shown and "  +My body.\n" in shown
    assert "  +Mine\n" in shown


def test_what_was_withdrawn_is_asked_again(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    seated.cli.ok(f"requests withdraw {request_id}")
    for verb in ("edit", "rebase"):
        refused = seated.cli("requests", verb, request_id, "--body", "MariaDB.")
        assert refused.code == 1 and "ask again for what is wanted" in refused.err, verb


def test_a_summary_names_the_entry_that_was_asked_for(seated: Scene) -> None:
    words = ["create", "--kind", "user", "--title", "Likes tea", "--oneline", "Tea.", "--workspace", "me"]
    request_id = seated.ask(*words, role="specialist")
    seated.read(request_id)
    said = seated.cli.ok(f"requests approve {request_id}").out.splitlines()[-3]
    assert said.startswith("Approved agent:scout's ") and "Likes tea" in said


# -- whose words, and what was said before ------------------------------------------------------------------------


def test_reasons_are_told_as_the_words_of_who_wrote_them(seated: Scene) -> None:
    request_id = seated.ask("edit", "decision_db", "--body", "Postgres.", "--rationale", "It moved.")
    assert f"Why, in the words of {SCOUT}\n  It moved." in seated.read(request_id)
    seated.cli.ok("requests", "edit", request_id, "--body", "Postgres 16.")
    assert f"Why, in the words of {SCOUT}\n  It moved." in seated.read(request_id), "only the body was worded anew"
    seated.cli.ok("requests", "edit", request_id, "--rationale", "We agreed.")
    assert seated.agent("requests", "edit", request_id, "--body", "Postgres 17.").code == 0
    assert "Why, in the words of user:ana\n  We agreed." in seated.read(request_id)
    assert seated.cli.ok(f"requests show {request_id} --json").json["rationale_by"] == "user:ana"


def test_who_asks_again_for_what_was_turned_down_is_told_so_and_so_is_who_decides(seated: Scene) -> None:
    words = ["edit", "decision_db", "--body", "Postgres."]
    first = seated.ask(*words)
    seated.cli.ok("requests", "reject", first, "--reason", "SQLite is enough.")
    again = seated.agent(*words)
    assert again.code == 3 and "The same was turned down by user:ana on " in again.err
    assert "SQLite is enough." in again.err
    second = seated.cli.ok("requests list --json").json[0]["request_id"]
    assert second != first and "The same was turned down by user:ana on " in seated.read(second)
    assert seated.cli.ok(f"requests show {second} --json").json["turned_down"] == first
    assert "turned down" not in seated.read(first)
    assert "turned down" not in seated.agent("edit", "decision_db", "--body", "MariaDB.").err, "that is another wish"


# -- reading ------------------------------------------------------------------------------------------------------


def test_a_reading_that_cannot_be_noted_is_a_reading_all_the_same(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    writer = sqlite3.connect(seated.cli.folder / "memdesk.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    try:
        done = seated.show(request_id)
    finally:
        writer.close()
    assert done.code == 0 and "Postgres." in done.out
    assert "could not be noted" in done.err and "Error" not in done.err
    assert seated.cli("requests", "approve", request_id, "--json").error["code"] == "not_shown"


def test_wait_says_that_it_only_looked(seated: Scene) -> None:
    request_id = seated.ask("edit decision_db --body Postgres.")
    looked = seated.agent("requests", "wait", request_id)
    assert (looked.code, looked.out) == (3, "Still waiting; --timeout N waits N seconds.\n")
    row = seated.cli.ok("requests list --json").json[0]
    waited = seated.cli("requests", "wait", request_id, "--json").json
    assert {key: waited[key] for key in row if key in waited} == {key: row[key] for key in row if key in waited}
