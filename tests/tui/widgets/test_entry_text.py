"""The read view: nothing hidden, nothing obeyed, long texts at once, and knowing what has been read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.text import visible
from memdesk.tui.safe_text import cells
from memdesk.tui.widgets.diff_lines import diff_lines
from memdesk.tui.widgets.entry_text import (
    Body,
    EntryText,
    Facts,
    Fold,
    Gap,
    Heading,
    Line,
    Lines,
    Plain,
    Title,
)
from memdesk.tui.widgets.text_layout import lay_out

HOSTILE = "[/red] [@click=app.quit]bye[/] \x1b]52;c;x\x07 a\u202eb <!-- hidden --> [text](javascript:x) \u200b"


def rows(*blocks: Any, width: int = 40, folds: dict[str, bool] | None = None) -> list[str]:
    return [row.text.rstrip() for row in lay_out(blocks, width, folds or {})]


def styles(block: Any) -> list[tuple[str, str]]:
    return [span for row in lay_out([block], 200, {}) for span in row.spans]


def test_blocks() -> None:
    assert rows(
        Title("Rate limit", "decision · billing"),
        Gap(),
        Facts([("edited", "3 days ago"), ("tags", "api, limits")]),
        Facts([("", "anchor"), ("age", "3 days")], inline=True),
        Heading("Change"),
        Lines([Line("old", "-", "bad"), Line("new", "+", "good")]),
        Plain("as\nis\n"),
    ) == [
        "Rate limit",
        "decision · billing",
        "",
        "edited  3 days ago",
        "tags    api, limits",
        "anchor  ·  age 3 days",
        "Change",
        "- old",
        "+ new",
        "as",
        "is",
    ]


def test_folds_open_and_close() -> None:
    fold = Fold("internals", [Facts([("id", "01J")])])
    assert rows(fold) == ["▸ internals"]
    assert rows(fold, folds={"internals": True}) == ["▾ internals", "  id  01J"]
    assert rows(Fold("x", [Plain("y")], open=True)) == ["▾ x", "  y"]


def test_markdown_is_shown_as_typed() -> None:
    text = "# Head\n\n**bold** `code` [t](u) <!-- c -->\n\n```\n# not a heading\n```\n> quote\n- item"
    assert rows(Body(text)) == text.split("\n")
    spans = dict(styles(Body(text)))
    assert spans["# Head"] == "heading"
    assert spans["**bold**"] == "strong"
    assert spans["`code`"] == "code"
    assert spans["[t](u)"] == "link"
    assert spans["# not a heading"] == "code"
    assert spans["> quote"] == "quote"
    assert spans["- "] == "bullet"
    assert " <!-- c -->" in spans


def test_a_long_value_begins_beside_its_label_and_a_path_breaks_at_its_signs() -> None:
    facts = Facts([("host", "sqlite:/home/ana/gaia/memory.db"), ("project", "x")])
    assert rows(facts, width=24) == [
        "host     sqlite:/home/", "         ana/gaia/", "         memory.db", "project  x",
    ]  # fmt: skip


def test_wrapped_lines_keep_their_indent() -> None:
    assert rows(Body("- one two three four five"), width=16) == ["- one two three", "  four five"]
    assert rows(Facts([("label", "one two three four")]), width=18) == ["label  one two", "       three four"]
    assert rows(Lines([Line("one two three four", "+")]), width=12) == ["+ one two", "  three four"]


@given(st.text(max_size=200), st.integers(8, 60))
def test_nothing_of_a_body_is_lost_and_every_row_fits(text: str, width: int) -> None:
    shown = list(lay_out([Body(text)], width, {}))
    assert all(cells(row.text.rstrip()) <= width for row in shown)
    joined = "".join("".join(row.text.split()) for row in shown)
    assert joined == "".join(visible(text, keep_newlines=True).split())


def test_hostile_text_has_marks_in_every_block() -> None:
    blocks = [Title(HOSTILE, HOSTILE), Facts([(HOSTILE, HOSTILE)]), Body(HOSTILE), Plain(HOSTILE), Heading(HOSTILE)]
    blocks += [Lines([Line(HOSTILE, "\x1b")]), Fold(HOSTILE, [Plain(HOSTILE)], open=True)]
    text = "\n".join(rows(*blocks, width=500))
    assert not any(char in text for char in "\x1b\x07\u202e\u200b")
    assert text.count("‹U+202E›") == 9
    assert "hidden" in {style for _, style in styles(Body(HOSTILE))}


def lines(view: EntryText) -> list[str]:
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


async def test_no_row_on_screen_carries_an_action(host: Any) -> None:
    view = EntryText([Body(HOSTILE)])
    async with host(view).run_test(size=(200, 5)):
        for segment in view.render_line(0):
            assert segment.style is not None
            assert segment.style.link is None
            assert not any(key.startswith("@") for key in segment.style.meta)


async def test_a_long_body_opens_with_a_screen_of_rows_and_ends_whole(host: Any) -> None:
    view = EntryText()
    async with host(view).run_test(size=(80, 24)) as pilot:
        view.show([Body("word " * 50_000)])
        assert len(view._text_rows) < 100
        assert lines(view)[0].startswith(" word word")
        await pilot.press("end")
        assert "".join(view.plain_text().split()) == "word" * 50_000
        assert lines(view)[23].strip().endswith("word")
        await pilot.press("home")
        assert view.scroll_offset.y == 0


async def test_the_end_counts_as_seen_only_when_every_row_was_on_screen(host: Any) -> None:
    view = EntryText([Plain("\n".join(str(number) for number in range(30)))])
    app = host(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.seen == (10, 30)
        await pilot.press("end")
        assert not view.seen_end, "the rows in between were skipped"
        await pilot.press("home", "pagedown", "pagedown")
        assert not view.seen_end
        await pilot.press("pagedown")
        assert view.seen_end
        assert len(app.of(EntryText.EndSeen)) == 1
        view.show([Plain("other\n" * 30)])
        await pilot.pause()
        assert not view.seen_end


async def test_paging_faster_than_it_is_drawn_passes_nothing_over(host: Any) -> None:
    view = EntryText([Plain("\n".join(str(number) for number in range(60)))])
    view.paced = True
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        for _ in range(4):
            view.action_page_down()
        await pilot.pause()
        assert view.seen[0] >= 19
        for _ in range(12):
            view.action_page_down()
            await pilot.pause()
        assert view.seen_end


async def test_a_short_text_is_seen_at_once(host: Any) -> None:
    view = EntryText([Plain("short")])
    app = host(view)
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.seen_end
        assert len(app.of(EntryText.EndSeen)) == 1


async def test_an_opened_fold_must_be_seen_too(host: Any) -> None:
    view = EntryText([Plain("a"), Fold("more", [Plain("x\n" * 30)])])
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.seen_end
        await pilot.click(view, offset=(3, 1))
        assert lines(view)[1].strip() == "▾ more"
        assert not view.seen_end
        await pilot.press("z")
        assert lines(view)[1].strip() == "▸ more"
        assert lines(view)[2] == ""


async def test_rows_pushed_down_by_a_fold_do_not_make_its_rows_seen(host: Any) -> None:
    view = EntryText([Fold("more", [Plain("x\n" * 30)]), Plain("end")])
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.seen_end
        await pilot.press("z")
        await pilot.pause()
        assert view.seen == (10, 32)


async def test_a_half_seen_line_is_unseen_after_a_resize(host: Any) -> None:
    view = EntryText([Plain("start"), Plain("word " * 200)])
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert view.seen[0] == 10
        await pilot.resize_terminal(41, 5)
        await pilot.pause()
        assert view.seen[0] == 5


async def test_what_stays_the_same_from_the_start_on_stays_seen(host: Any) -> None:
    rows = [f"line {number}" for number in range(30)]
    view = EntryText([Plain("\n".join(rows))])
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        await pilot.press("pagedown")
        await pilot.pause()
        assert view.seen == (19, 30) and view.seen_so_far == (19, 30)
        view.show([Plain("\n".join([*rows, "more"]))], keep_place=True)
        await pilot.pause()
        assert view.seen == (19, 31)
        view.show([Plain("\n".join([*rows[:4], "changed", *rows[5:]]))], keep_place=True)
        await pilot.pause()
        assert view.seen == (4, 30)


async def test_keep_place_keeps_the_row_on_top_and_equal_blocks_change_nothing(host: Any) -> None:
    blocks = [Plain("\n".join(f"line {number}" for number in range(60)))]
    view = EntryText(blocks)
    async with host(view).run_test(size=(40, 10)) as pilot:
        await pilot.press(*["down"] * 12)
        assert lines(view)[0].strip() == "line 12"
        seen = view.seen
        view.show(list(blocks), keep_place=True)
        assert view.seen == seen
        view.show([*blocks, Plain("more")], keep_place=True)
        await pilot.pause()
        assert lines(view)[0].strip() == "line 12"
        view.show(blocks)
        await pilot.pause()
        assert lines(view)[0].strip() == "line 0"


async def test_a_resize_wraps_again_and_keeps_the_row_on_top(host: Any) -> None:
    view = EntryText([Plain("\n".join(f"line {number} " + "word " * 12 for number in range(60)))])
    async with host(view).run_test(size=(100, 10)) as pilot:
        await pilot.press(*["down"] * 12)
        await pilot.resize_terminal(30, 10)
        await pilot.pause()
        assert lines(view)[0].strip().startswith("line 12 ")


async def test_an_empty_view_says_so(host: Any) -> None:
    view = EntryText(empty="Nothing chosen.")
    async with host(view).run_test(size=(40, 5)):
        assert lines(view)[1] == " Nothing chosen."


async def test_the_mouse_selects_what_is_shown(host: Any) -> None:
    view = EntryText([Plain("alpha beta\ngamma \x1b delta")])
    app = host(view)
    async with app.run_test(size=(40, 10)) as pilot:
        plain = view.render_line(0)
        await pilot.mouse_down(view, offset=(1, 0))
        await pilot.hover(view, offset=(8, 1))
        await pilot.mouse_up(view, offset=(8, 1))
        await pilot.pause()
        assert app.screen.get_selected_text() == "alpha beta\ngamma ␛ "
        assert view.render_line(0).text == plain.text
        grounds = [(segment.text, segment.style.bgcolor) for segment in view.render_line(1) if segment.style]
        selected = next(ground for text, ground in grounds if "gamma" in text)
        rest = next(ground for text, ground in grounds if "delta" in text)
        assert selected != rest


def test_diff_signs_every_change_and_counts_what_it_leaves_out() -> None:
    before = "\n".join(str(number) for number in range(12))
    after = before.replace("10", "ten").replace("1\n", "one\n", 1)
    signs = [(line.sign, line.text) for line in diff_lines(before, after, context=1)]
    assert signs == [
        (" ", "0"),
        ("-", "1"),
        ("+", "one"),
        (" ", "2"),
        ("⋯", "6 equal lines"),
        (" ", "9"),
        ("-", "10"),
        ("+", "ten"),
        (" ", "11"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "signs"),
    [
        ("a", "a", [" "]),
        ("a\n", "a", [" ", "⋯"]),
        ("a\r\n", "a\n", [" ", "⋯"]),
        ("a ", "a", ["-", "+"]),
        ("", "a", ["+"]),
    ],
)
def test_a_diff_never_says_nothing_where_something_changed(before: str, after: str, signs: list[str]) -> None:
    assert [line.sign for line in diff_lines(before, after)] == signs
