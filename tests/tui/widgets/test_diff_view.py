"""The diff view: what it lays out is the diff, at any width, whatever the text; and it opens without laying out all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.app import App, ComposeResult

from memdesk.core.diff import compare, lines_of
from memdesk.core.text import visible
from memdesk.tui.safe_text import cells
from memdesk.tui.widgets.diff_layout import lay_out_sheet
from memdesk.tui.widgets.diff_view import BlameBlock, BlameLine, DiffBlock, DiffView
from memdesk.tui.widgets.entry_text import CHUNK, Heading, Plain, Title

LINE = st.sampled_from([
    "", "a", "two words", "two other words", "検索 wide text", "\x1b[31m esc \u202e", "tab\there", "x" * 90,
    "👩‍👩‍👧 emoji", "trailing   ",
    "a very long line of many words that has to be wrapped more than once at these widths",
])  # fmt: skip
TEXT = st.lists(LINE, max_size=12).map("\n".join)


def sheet(old: str, new: str, width: int, *, side: bool = False, opened: Any = None) -> list[Any]:
    return list(lay_out_sheet([DiffBlock("t", "Text", compare(old, new))], width, {}, opened, side))


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, st.integers(30, 120), st.booleans())
def test_every_row_fits_and_fills_the_width(old: str, new: str, width: int, side: bool) -> None:
    for row in sheet(old, new, width, side=side)[1:]:
        if any(style.startswith("diff-") for _, style in row.spans):
            assert cells(row.text) <= width
            if any(style in ("diff-gone", "diff-new") for _, style in row.spans[1:]) and not side:
                assert cells(row.text) == width


@settings(max_examples=150, deadline=None)
@given(TEXT, TEXT, st.integers(40, 120))
def test_read_from_the_rows_the_shown_diff_turns_the_old_text_into_the_new(old: str, new: str, width: int) -> None:
    """What is on screen: signs and text alone, wrapped rows joined again, folds open."""
    gone: list[str] = []
    came: list[str] = []
    last = None
    for row in sheet(old, new, width)[1:]:
        if not row.spans or row.text.strip() == "nothing differs":
            continue
        gutter = row.spans[0][0]
        text = "".join(t for t, _ in row.spans[1:])
        if row.line != last:
            sign = gutter[-2]
            for lines, signs in ((gone, " -"), (came, " +")):
                if sign in signs:
                    lines.append("")
        for lines, signs in ((gone, " -"), (came, " +")):
            if sign in signs:
                lines[-1] += text
        last = row.line
    for lines, original in ((gone, old), (came, new)):
        wanted = ["".join(visible(line, keep_newlines=False).split()) for line in lines_of(original)]
        assert [_without_notes(line) for line in lines] == wanted


def _without_notes(line: str) -> str:
    return "".join(line.partition("⇄")[0].split())  # the note may be wrapped anywhere


def test_signs_stand_beside_every_colour_and_changed_words_are_marked() -> None:
    gone, came = sheet("same\nlimit 100", "same\nlimit 1000", 60)[2:4]
    assert [t for t, style in gone.spans if style == "diff-gone-word"] == ["100"] and gone.text.startswith("- ")
    assert [t for t, style in came.spans if style == "diff-new-word"] == ["1000"] and came.text.startswith("+ ")


def test_two_columns_only_where_there_is_room() -> None:
    assert any("│" in row.text for row in sheet("a", "b", 100, side=True))
    assert not any("│" in row.text for row in sheet("a", "b", 60, side=True))


def test_a_moved_paragraph_says_where_it_went() -> None:
    long = "A paragraph that is long enough to be told from others."
    text = "\n".join(row.text for row in sheet(f"{long}\n\nb\n\nc", f"b\n\nc\n\n{long}", 100))
    assert "⇄ moved to line 5" in text and "⇄ moved from line 1" in text


class Screen(App[None]):
    def __init__(self, blocks: list[Any], side: bool = False) -> None:
        super().__init__()
        self.view = DiffView()
        self.view.side = side
        self.blocks = blocks

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.show_sheet(self.blocks)


def big(lines: int = 40_000) -> list[Any]:
    old = "\n".join(f"line {n}" for n in range(lines))
    new = "\n".join(f"LINE {n}" if n % 10 == 0 else f"line {n}" for n in range(lines))
    return [Title("Big", "note"), DiffBlock("t", "Text", compare(old, new))]


async def test_only_the_first_screen_is_laid_out_before_it_is_shown() -> None:
    app = Screen(big())
    async with app.run_test(size=(80, 24)):
        laid_out = len(app.view._text_rows)
        assert 24 <= laid_out < 30_000
        while app.view._pending is not None:
            await app.view.workers.wait_for_complete()
        assert len(app.view._text_rows) > 30_000
        assert laid_out <= 24 * 2 + 1 + 40 * CHUNK


@pytest.mark.parametrize("side", [False, True])
async def test_jumping_reaches_every_change_and_stops_at_the_ends(side: bool) -> None:
    app = Screen(big(200), side)
    async with app.run_test(size=(100, 20)) as pilot:
        await pilot.pause()
        jumps = 0
        while app.view.jump(1):
            jumps += 1
            await pilot.pause()
        assert jumps == 20
        while app.view.jump(-1):
            jumps -= 1
            await pilot.pause()
        assert jumps == 1


async def test_a_fold_opens_by_itself_and_all_of_them_at_once() -> None:
    old = "\n".join(f"line {n}" for n in range(60))
    app = Screen([DiffBlock("t", "Text", compare(old, old.replace("line 30", "changed")))])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        folds = [row.fold for row in app.view._text_rows if row.fold]
        assert len(folds) == 2
        app.view.toggle_fold(folds[1])
        await pilot.pause()
        assert [row.fold for row in app.view._text_rows if row.fold] == folds[:1]
        app.view.toggle_fold()
        assert "equal lines" not in app.view.plain_text()
        app.view.toggle_fold()
        assert app.view.plain_text().count("equal lines") == 2


async def test_lines_of_a_fold_that_opens_or_closes_are_unseen() -> None:
    old = "\n".join(f"line {n}" for n in range(60))
    app = Screen([DiffBlock("t", "Text", compare(old, old.replace("line 30", "changed")))])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.view.seen_end
        app.view.toggle_fold()
        await pilot.pause()
        seen, rows = app.view.seen
        assert not app.view.seen_end and seen < 24 + 2 and rows > 60
        app.view.toggle_fold()
        await pilot.pause()
        assert app.view.seen_end


async def test_a_line_of_a_diff_that_was_half_on_screen_is_unseen_after_a_resize() -> None:
    app = Screen([DiffBlock("t", "Text", compare("", "word " * 1500))])
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        assert app.view.seen[0] == 12
        await pilot.resize_terminal(60, 8)
        await pilot.pause()
        assert app.view.seen[0] == 8


async def test_a_whole_diff_folds_nothing_away() -> None:
    old = "\n".join(f"line {n}" for n in range(60))
    app = Screen([DiffBlock("t", "Text", compare(old, f"{old}\nmore"), whole=True)])
    async with app.run_test(size=(80, 12)) as pilot:
        await pilot.pause()
        text = app.view.plain_text()
        assert "line 0" in text and "line 30" in text and "equal lines" not in text
        app.view.toggle_fold()
        assert "line 30" in app.view.plain_text()


async def test_ordinary_blocks_and_blame_stand_between_diffs() -> None:
    blame = BlameBlock([BlameLine("user:ana", "2 h", "first"), BlameLine("user:ana", "2 h", "second"),
                        BlameLine("agent:x", "1 h", "third")])  # fmt: skip
    app = Screen([Heading("One"), blame, Plain("[/red] raw"), DiffBlock("a", "Text", compare("x", "y"))])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        lines = app.view.plain_text().splitlines()
        assert lines[0] == "One"
        assert lines[1].split() == ["user:ana", "2", "h", "│", "first"]
        assert lines[2].split() == ["│", "second"]
        assert lines[3].split() == ["agent:x", "1", "h", "│", "third"]
        assert lines[4] == "[/red] raw" and lines[6:8] == ["- x", "+ y"]
