"""`conflicts`, `similar`, `merge`, `judge`, `verdicts` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli
from planted import plant

from memdesk.core.model import State


@pytest.fixture
def planted(cli: Cli) -> Cli:
    with cli.desk() as desk:
        plant(desk)
    return cli


def test_the_queue_has_gaias_keys_and_contradictions_first(planted: Cli) -> None:
    found = planted.ok("conflicts --json").json
    rows = found["conflicts"]
    assert {"file_a", "file_b", "score", "reason"} <= set(rows[0])
    assert [row["kind"] for row in rows] == ["contradiction"] * 2 + ["duplicate"] * 3
    assert {rows[0]["file_a"], rows[0]["file_b"]} == {"me/atom_rate_limit", "me/atom_rate_limit_api"}
    assert found["threshold"] == 0.3


def test_lanes_thresholds_and_workspaces_narrow_it(planted: Cli) -> None:
    assert {r["kind"] for r in planted.ok("conflicts --kind duplicate --json").json["conflicts"]} == {"duplicate"}
    assert len(planted.ok("conflicts --threshold 0.99 --json").json["conflicts"]) == 1, "only the copies"
    assert planted.ok("conflicts --workspace other --json").json["conflicts"] == []
    across = planted.ok("conflicts --all-workspaces --threshold 0.1 --json").json["conflicts"]
    assert any({row["file_a"][:3], row["file_b"][:3]} == {"me/", "oth"} for row in across)
    assert planted("conflicts --threshold 7").code == 2
    assert planted("conflicts --workspace nowhere").code == 4 or planted("conflicts --workspace nowhere").code == 1


def test_a_person_reads_the_lanes_the_reasons_and_what_to_do(planted: Cli) -> None:
    lines = planted.ok("conflicts").out.splitlines()
    assert lines[0] == "Contradictions" and "Near-duplicates" in lines
    assert any("enabled against disabled" in line or "disabled against enabled" in line for line in lines)
    assert any("(×5)" in line for line in lines)
    assert "memdesk merge A B" in lines[-1]
    with planted.desk() as desk:
        for entry in desk.list_entries().entries():
            desk.delete(entry.id)
    assert planted.ok("conflicts").out.startswith("Nothing contradicts anything")


def test_similar_looks_for_an_entry_or_a_text_not_written_yet(planted: Cli, tmp_path: Path) -> None:
    (tmp_path / "draft.md").write_text("The query cache is enabled in production for all read endpoints.")
    found = planted.ok("similar --text @draft.md --workspace me --json").json
    assert [one["name"] for one in found[:2]] == ["decision_cache_layer", "atom_cache_layer"]
    assert found[1]["contradicts"] is True
    text = planted.ok("similar atom_rate_limit").out
    assert "atom_rate_limit_api" in text and "contradicts:" in text
    assert planted("similar").code == 2
    assert planted.ok("similar --text nothingofthekind --workspace me").out.startswith("No entry")


def test_merge_says_what_it_would_do_and_then_does_it(planted: Cli) -> None:
    words = "merge project_export_paging project_invoice_export"
    plan = planted.ok(f"{words} --dry-run --json").json
    assert plan["sentence"] == "keeps project_export_paging, absorbs project_invoice_export"
    assert planted.entry("project_invoice_export").state is State.ACTIVE
    assert "Nothing was changed" in planted.ok(f"{words} --dry-run").out
    done = planted.ok(f"{words} --field body=right --field description=both --json").json
    assert done["sentence"] == plan["sentence"] and done["action"] == "merged" and done["undo"]
    kept = planted.entry("project_export_paging")
    assert kept.body.endswith("Seen in staging.") and " · " in kept.description
    assert planted.entry("project_invoice_export").state is State.SUPERSEDED
    assert planted.ok(f"{words} --json").json["changed"] is False
    planted.ok("undo")
    assert planted.entry("project_invoice_export").state is State.ACTIVE


def test_merge_takes_a_wording_of_ones_own_and_the_one_that_stays(planted: Cli, tmp_path: Path) -> None:
    (tmp_path / "merged.md").write_text("One text.")
    planted.ok("merge", "atom_payment_timeout_a", "atom_payment_timeout_b", "atom_payment_timeout_c", "--into",
               "atom_payment_timeout_b", "--text", "body=@merged.md", "--field", "description=atom_payment_timeout_c")
    kept = planted.entry("atom_payment_timeout_b")
    assert (kept.body, kept.description) == ("One text.", "Payment calls time out, evenings")


@pytest.mark.parametrize("words", [
    "merge atom_rate_limit", "merge atom_rate_limit atom_rate_limit_api --field name=left",
    "merge atom_rate_limit atom_rate_limit_api --field body", "merge",
    "merge atom_rate_limit atom_rate_limit_api --field body=left --text body=x",
    "judge atom_rate_limit atom_rate_limit_api", "judge atom_rate_limit atom_rate_limit_api nonsense",
    "judge atom_rate_limit atom_rate_limit_api later --withdraw", "judge atom_rate_limit atom_rate_limit later",
])  # fmt: skip
def test_what_makes_no_sense_is_wrong_usage(planted: Cli, words: str) -> None:
    assert planted(words).code == 2


def test_an_agent_waits_for_a_person_where_text_is_replaced(planted: Cli) -> None:
    planted.role("orchestrator")
    done = planted("merge project_export_paging project_invoice_export --field body=right --json")
    assert done.code == 3 and done.error["request_id"].startswith("req_")
    planted.role("user")
    planted.ok(f"requests show {done.error['request_id']}")


def test_a_verdict_takes_a_pair_out_of_the_queue_and_can_be_withdrawn(planted: Cli) -> None:
    def rows() -> int:
        return len(planted.ok("conflicts --json").json["conflicts"])

    planted.ok("judge atom_rate_limit atom_rate_limit_api different")
    assert rows() == 4
    (said,) = planted.ok("verdicts --json").json
    assert (said["verdict"], said["holds"]) == ("different", True)
    assert "different: me/atom_rate_limit and me/atom_rate_limit_api" in planted.ok("verdicts").out
    planted.ok("judge atom_rate_limit_api atom_rate_limit --withdraw")
    assert rows() == 5 and planted.ok("verdicts").out == "Nothing was judged yet.\n"
    planted.ok("judge atom_rate_limit atom_rate_limit_api keep_both")
    planted.ok("edit atom_rate_limit --body 'The public API allows 100 requests per minute, no key.'")
    assert "(no longer: a text has changed)" in planted.ok("verdicts").out and rows() == 5
    planted.ok("judge project_export_paging project_invoice_export related")
    assert any(kind == "related_to" for _, kind, _ in planted.edges("project_export_paging"))
    planted.ok("judge atom_rate_limit atom_rate_limit_api later")
    assert rows() == 4


def test_the_owner_of_a_decision_is_asked(planted: Cli) -> None:
    planted.role("orchestrator")
    planted.ok("append decision_cache_layer --body 'Since May.'")
    planted.role("user")
    done = planted.ok("judge decision_cache_layer atom_cache_layer ask --json").json
    (request,) = planted.ok("requests list --json").json
    assert done["request_id"] == request["request_id"]
    assert planted("judge decision_cache_layer atom_cache_layer ask").code == 1
