"""What agents did, as the Approvals pane reads it: the list, a screenful of rows, and the right side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memdesk.core.desk import Actor, Desk, Role
from memdesk.tui.panes.approvals_veto import WorkRows, names_of, read_work, work_sheet
from memdesk.tui.panes.pane import Question
from memdesk.tui.widgets.diff_view import DiffBlock, SheetBlock
from memdesk.tui.widgets.entry_text import Heading, Lines, Plain, Title

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def ana(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(tmp_path / "store", Actor("user:ana", Role.USER, None, True)) as desk:
        desk.add_workspace("me")
        desk.add_workspace("lab")
        desk.add(name="user_ana", body="Likes tea.", workspace="me")
        desk.mark_visit()
        yield desk


@pytest.fixture
def ops(ana: Desk, tmp_path: Path) -> list[str]:
    with Desk.open(tmp_path / "store", Actor("agent:scout", Role.ORCHESTRATOR)) as agent:
        done = [
            agent.append("user_ana", "Also coffee."),
            agent.add(name="atom_port", body="The port is 8080.", workspace="lab"),
            agent.link("user_ana", "related_to", "atom_port"),
        ]
    return [str(receipt.op_id) for receipt in done]


def question(workspace: str | None = None, words: str = "") -> Question:
    return Question(workspace, words, NOW)


def plain(blocks: list[SheetBlock]) -> str:
    said = []
    for block in blocks:
        if isinstance(block, Title | Plain | Heading):
            said.append(getattr(block, "text", "") + " " + getattr(block, "note", ""))
        elif isinstance(block, Lines):
            said += [line.text for line in block.lines]
    return "\n".join(said)


def test_flagged_work_is_on_top_and_each_section_says_how_many(ana: Desk, ops: list[str]) -> None:
    view = read_work(ana, question())
    assert [list(s.keys) for s in view.sections] == [[ops[2], ops[0]], [ops[1]]]
    assert [s.note for s in view.sections] == ["2", "1"]
    assert "since you were here" in view.sections[1].header and view.flagged == {ops[0], ops[2]}
    assert not view.empty


def test_the_filter_and_the_workspace_narrow_it(ana: Desk, ops: list[str]) -> None:
    assert [list(s.keys) for s in read_work(ana, question("lab")).sections] == [[ops[1]]]
    assert [list(s.keys) for s in read_work(ana, question(words="related scout")).sections] == [[ops[2]]]
    assert read_work(ana, question(words="nobody")).empty


def test_rows_are_read_for_the_keys_asked_for(ana: Desk, ops: list[str]) -> None:
    rows = WorkRows(ana, read_work(ana, question()))
    drawn = rows.page([ops[0], "op_gone", ops[1]])
    assert drawn[1] is None
    first, last = drawn[0], drawn[2]
    assert first is not None and last is not None
    assert (first.sign, first.tone, last.sign, last.tone) == ("!", "warn", "", "")
    assert list(first.cells)[1:] == ["agent:scout", "Added to user_ana", "user_ana"]
    work = rows.work(ops[2])
    assert work is not None and work.flagged and names_of(work) == "user_ana and atom_port"
    assert rows.work("op_gone") is None


def test_a_row_says_what_became_of_it(ana: Desk, ops: list[str]) -> None:
    rows = WorkRows(ana, read_work(ana, question()))
    ana.veto(ops[0])
    ana.keep_work(ops[1])
    vetoed, kept = rows.page(ops[:2])
    assert vetoed is not None and kept is not None
    assert [getattr(row.cells[2], "text", "").partition(")")[0] for row in (vetoed, kept)] == ["(undone", "(kept"]
    assert read_work(ana, question()).sections[0].keys == [ops[2]]


def test_the_sheet_says_why_it_is_listed_and_what_it_did(ana: Desk, ops: list[str]) -> None:
    blocks = work_sheet(ana, ops[0], NOW)
    said = plain(blocks)
    assert "Added to user_ana" in said and "stays here until you keep or veto it" in said
    assert "in the role orchestrator" in said
    [diff] = [b for b in blocks if isinstance(b, DiffBlock)]
    assert [line for line in diff.diff.new if line] == ["Likes tea.", "Also coffee."]
    both = plain(work_sheet(ana, ops[2], NOW))
    assert "A veto takes back all of it, on 2 entries." in both


def test_the_sheet_names_who_stands_in_the_way_of_a_veto(ana: Desk, ops: list[str]) -> None:
    ana.edit("user_ana", fields={"body": "Likes nothing."})
    said = plain(work_sheet(ana, ops[0], NOW))
    assert "A veto is refused" in said and "user:ana at " in said
    ana.undo()
    ana.veto(ops[0])
    said = plain(work_sheet(ana, ops[0], NOW))
    assert "Undone by user:ana" in said and "A veto" not in said
