"""diff, --as-of, undo --to, retire: what they print, their JSON, and that looking writes nothing (issue 4)."""

from __future__ import annotations

import pytest
from command_line import Cli


@pytest.fixture
def storied(cli: Cli) -> Cli:
    """An entry reworded and closed, one deleted; and a session of an agent."""
    cli.ok("edit project_run --body=Reworded. --description=Newly")
    cli.ok("reclassify project_run --status=closed")
    cli.ok("--session-id=s-bad add atom_bad --body=Bad. --description=Bad --workspace=me")
    cli.ok("link decision_db derived_from atom_bad")
    return cli


def ops(cli: Cli, *flags: str) -> list[str]:
    """Operations, the newest first."""
    return [row["op_id"] for row in cli("log", "--limit=0", "--json", *flags).json]


def test_show_as_of_shows_the_old_text_and_says_so(storied: Cli) -> None:
    then = ops(storied, "project_run")[-1]
    shown = storied(f"show project_run --as-of {then}")
    assert shown.out.startswith("As of 2") and "right after: " in shown.out and "Reworded." not in shown.out
    data = storied(f"show project_run --as-of {then} --json").json
    assert data["as_of"]["op_id"] == then and data["body"] != "Reworded."
    assert "Reworded." in storied("show project_run").out
    assert "as_of" not in storied("show project_run --json").json


def test_list_as_of_lists_what_there_was(storied: Cli) -> None:
    before = ops(storied)[4]
    rows = storied(f"list --workspace=me --as-of {before} --format json").json
    assert [r["name"] for r in rows] == ["atom_port", "decision_db", "project_run"]
    assert "atom_bad" in storied("list --workspace=me").out
    assert storied(f"list --as-of {before} --workspace=me").out.startswith("As of 2")


def test_looking_at_the_past_counts_as_no_reading(storied: Cli) -> None:
    count = storied("show decision_db --json").json["deliberate_count"]
    storied.ok(f"show decision_db --as-of {ops(storied)[0]}")
    assert storied("show decision_db --json").json["deliberate_count"] == count + 1


def test_diff_lists_what_changed_by_kind(storied: Cli) -> None:
    done = ops(storied)
    told = storied(f"diff {done[4]}").out
    for line in (
        "Added: 1", "  + me/atom_bad", "Reworded: 1", "  ~ me/project_run  reworded: description", "Relinked: 1",
    ):  # fmt: skip
        assert line in told
    rows = storied(f"diff {done[4]} {done[2]} --json").json
    assert [(r["name"], r["kinds"]) for r in rows] == [("project_run", ["reworded", "moved"])]
    assert {f["field"] for f in rows[0]["fields"]} >= {"body", "description", "status"}
    patch = storied(f"diff {done[4]} {done[2]} --text --json").json[0]["patch"]
    assert "+++ b/project_run/body\n" in patch and "+Reworded.\n" in patch
    assert storied(f"diff {done[0]}").out == "Nothing changed.\n"
    assert storied(f"diff {done[4]} --workspace=me --json").json
    assert storied("diff nonsense --json").error["code"] == "usage"


def test_undo_to_shows_first_and_then_goes(storied: Cli) -> None:
    done = ops(storied)
    told = storied(f"undo --to {done[3]} --dry-run").out
    for line in ("Would be done, in this order", "What would change", "me/atom_bad  retired"):
        assert line in told
    data = storied(f"undo --to {done[3]} --dry-run --json").json
    assert [s["op_id"] for s in data["walk"]] == done[:3] and data["direction"] == "undo"
    assert ops(storied) == done
    answer = storied(f"undo --to {done[3]} --json").json
    assert [s["op_id"] for s in answer["walk"]] == done[:3] and len(answer["steps"]) == 3
    assert storied("show project_run --json").json["status"] != "closed"
    assert storied(f"undo --to {done[0]} --json").error["code"] == "usage"
    storied.ok(f"redo --to {done[0]}")
    assert storied("show project_run --json").json["status"] == "closed"


def test_undo_dry_run_of_one_operation(storied: Cli) -> None:
    done = ops(storied)
    assert storied(f"undo {done[2]} --dry-run --json").json["changes"][0]["name"] == "project_run"
    assert storied("undo --dry-run --json").json["walk"][0]["op_id"] == done[0]
    assert storied("redo --dry-run").out == "There is nothing to do: that is how things stand.\n"
    assert ops(storied) == done


def test_a_refusal_in_a_walk_names_author_and_time(storied: Cli) -> None:
    storied.ok("--actor=user:bob append project_run --body=On.top")
    done = ops(storied, "project_run")
    told = storied(f"undo --to {done[3]} --dry-run")
    assert "Would stay" in told.out and "user:bob at 2" in told.out


@pytest.mark.parametrize(
    "words", ["undo --everybody", "undo op_01JABCDEF --to op_01JABCDEF", "retire", "retire --session=a --author=b"]
)
def test_flags_that_do_not_fit_together(storied: Cli, words: str) -> None:
    assert storied(f"{words} --json").error["code"] == "usage"


def test_log_of_a_session_with_the_entries_it_touched(storied: Cli) -> None:
    assert [r["session_id"] for r in storied("log --session=s-bad --json").json] == ["s-bad"]
    assert "atom_bad" in storied("log --session=s-bad --entries").out.splitlines()[1]


def test_retire_shows_first_and_one_undo_brings_it_back(storied: Cli) -> None:
    done = ops(storied)
    told = storied("retire --session=s-bad --dry-run").out
    assert "  - me/atom_bad  written there" in told and "  - me/decision_db  was distilled from atom_bad" in told
    assert ops(storied) == done
    assert len(storied("retire --session=s-bad --not-derived --dry-run --json").json["retired"]) == 1
    answer = storied("retire --session=s-bad --json").json
    assert [r["name"] for r in answer["retired"]] == ["atom_bad", "decision_db"]
    assert storied("show decision_db --json").json["state"] == "purged"
    storied.ok("undo")
    assert storied("show decision_db --json").json["state"] == "active"
