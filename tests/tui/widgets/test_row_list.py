"""The list on a screen: keys, marks, refresh, hostile texts, failures; counts instead of times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.tui.widgets.row_list import Column, Key, Row, RowList, Section, StaticRows

COLUMNS = [Column("title", flex=1, title="Entry"), Column("age", width=6, priority=1, align="right", title="Age")]


def rows_of(*keys: str, **more: Any) -> StaticRows:
    return StaticRows([Section(keys, **more)], {key: Row([f"Entry {key}", "3 days"]) for key in keys})


def lines(row_list: RowList) -> list[str]:
    return [row_list.render_line(y).text.rstrip() for y in range(row_list.size.height)]


GROUPS = StaticRows(
    [
        Section(["a", "b"], "For this session", "2"),
        Section([], "About you", "0"),
        Section(["c", "d", "e"], "Open threads", "2 of 3", dividers=[(2, "cut: 1,312 of 1,500")]),
    ],
    {key: Row([f"Entry {key}", "3 days"]) for key in "abcde"},
)


async def test_headers_and_dividers_are_drawn_and_skipped(host: Any) -> None:
    row_list = RowList(COLUMNS, GROUPS)
    async with host(row_list).run_test(size=(40, 12)) as pilot:
        assert lines(row_list) == [
            " For this session" + " " * 21 + "2",
            "▌   Entry a                      3 days",
            "    Entry b                      3 days",
            " About you" + " " * 28 + "0",
            " Open threads                    2 of 3",
            "    Entry c                      3 days",
            "    Entry d                      3 days",
            " ──── cut: 1,312 of 1,500 ─────────────",
            "    Entry e                      3 days",
            "",
            "",
            "",
        ]
        visited = [row_list.cursor_key]
        for _ in range(5):
            await pilot.press("down")
            visited.append(row_list.cursor_key)
        assert visited == ["a", "b", "c", "d", "e", "e"]
        await pilot.press("k", "up")
        assert row_list.cursor_key == "c"
        await pilot.press("j")
        assert row_list.cursor_key == "d"
        await pilot.press("home")
        assert (row_list.cursor_key, row_list.position) == ("a", (1, 5))
        await pilot.press("end")
        assert (row_list.cursor_key, row_list.position) == ("e", (5, 5))


async def test_the_cursor_is_a_sign_and_bold_in_every_theme(host: Any) -> None:
    for theme in ("memdesk-dark", "memdesk-light", "ansi-dark", "ansi-light"):
        row_list = RowList(COLUMNS, rows_of("a", "b"))
        async with host(row_list, theme=theme).run_test(size=(40, 5)) as pilot:
            await pilot.pause()
            first, second = row_list.render_line(0), row_list.render_line(1)
            assert first.text[0] == "▌"
            assert second.text[0] == " "
            title = next(segment for segment in first if "Entry" in segment.text)
            assert title.style is not None
            assert title.style.bold
            assert bool(title.style.reverse) == theme.startswith("ansi")


async def test_page_keys_move_by_a_screen_and_land_on_rows(host: Any) -> None:
    row_list = RowList(COLUMNS, StaticRows([Section(range(50), "A"), Section(range(50, 100), "B")]))
    async with host(row_list).run_test(size=(40, 10)) as pilot:
        await pilot.press("pagedown")
        assert row_list.cursor_key == 9
        await pilot.press("pagedown", "pagedown", "pagedown", "pagedown", "pagedown")
        assert row_list.cursor_key == 53
        await pilot.press("pageup")
        assert row_list.cursor_key == 45
        await pilot.press("end", "pageup", "pageup")
        assert row_list.cursor_key == 81
        await pilot.press("home", "pageup")
        assert row_list.cursor_key == 0
        assert row_list.scroll_offset.y == 0


async def test_the_header_above_the_first_row_of_a_section_comes_into_view(host: Any) -> None:
    row_list = RowList(COLUMNS, StaticRows([Section(range(20), "A"), Section(range(20, 40), "B")]))
    async with host(row_list).run_test(size=(40, 6)) as pilot:
        await pilot.press("end", *["up"] * 19)
        assert row_list.cursor_key == 20
        assert lines(row_list)[0].strip() == "B"


@pytest.mark.parametrize(
    ("before", "at", "after", "stands"),
    [
        ("abcde", "c", "xabcde", "c"),
        ("abcde", "c", "cab", "c"),
        ("abcde", "c", "abde", "d"),
        ("abcde", "e", "abcd", "d"),
        ("abcde", "c", "ae", "e"),
        ("abcde", "d", "ab", "b"),
        ("abcde", "c", "vwxyz", "x"),
    ],
)
async def test_the_cursor_follows_its_entry(host: Any, before: str, at: str, after: str, stands: str) -> None:
    row_list = RowList(COLUMNS, rows_of(*before))
    app = host(row_list)
    async with app.run_test(size=(40, 8)) as pilot:
        row_list.move_to(at)
        await pilot.pause()
        app.seen.clear()
        row_list.show(rows_of(*after))
        await pilot.pause()
        assert row_list.cursor_key == stands
        told = [message.key for message in app.of(RowList.Highlighted)]
        assert told == ([stands] if stands != at else [])
        assert lines(row_list)[row_list.cursor].startswith(f"▌   Entry {stands}")


async def test_an_emptied_list_says_so_and_finds_back_to_its_place(host: Any) -> None:
    row_list = RowList(COLUMNS, rows_of(*"abcde"), empty="All triaged.\nPress w for another workspace.")
    app = host(row_list)
    async with app.run_test(size=(40, 8)) as pilot:
        row_list.move_to("c")
        row_list.show(rows_of())
        await pilot.pause()
        assert row_list.cursor_key is None
        assert row_list.targets() == []
        assert lines(row_list)[:4] == ["", "  All triaged.", "  Press w for another workspace.", ""]
        assert app.of(RowList.Highlighted)[-1].key is None
        await pilot.press("down", "space", "enter", "home", "pagedown")
        row_list.show(rows_of(*"abcde"))
        await pilot.pause()
        assert row_list.cursor_key == "c"


async def test_the_screen_line_of_the_cursor_stays_through_a_refresh(host: Any) -> None:
    row_list = RowList(COLUMNS, StaticRows([Section(range(100, 200))]))
    async with host(row_list).run_test(size=(40, 10)) as pilot:
        row_list.move_to(150)
        await pilot.press("up", "up")
        place = row_list.cursor - row_list.scroll_offset.y
        row_list.show(StaticRows([Section(range(200))]))
        await pilot.pause()
        assert row_list.cursor_key == 148
        assert row_list.cursor - row_list.scroll_offset.y == place


async def test_scrolled_away_by_wheel_a_refresh_keeps_what_is_on_screen(host: Any) -> None:
    row_list = RowList(COLUMNS, StaticRows([Section(range(100, 200))]))
    async with host(row_list).run_test(size=(40, 10)) as pilot:
        row_list.scroll_to(y=50, animate=False)
        await pilot.pause()
        row_list.show(StaticRows([Section(range(200))]))
        await pilot.pause()
        assert row_list.cursor_key == 100
        assert row_list.scroll_offset.y == 150


async def test_marks_follow_their_keys_and_fall_away_with_them(host: Any) -> None:
    row_list = RowList(COLUMNS, rows_of(*"abcde"))
    app = host(row_list)
    async with app.run_test(size=(40, 8)) as pilot:
        assert row_list.targets() == ["a"]
        await pilot.press("down", "space", "space", "down", "space")
        assert row_list.marked == {"b", "c", "e"}
        assert row_list.cursor_key == "e"
        assert row_list.targets() == ["b", "c", "e"]
        assert [line[1:2] for line in lines(row_list)[:5]] == [" ", "✓", "✓", " ", "✓"]
        row_list.show(rows_of(*"ecab"))
        await pilot.pause()
        assert row_list.targets() == ["e", "c", "b"]
        app.seen.clear()
        row_list.show(rows_of(*"xa"))
        await pilot.pause()
        assert row_list.marked == frozenset()
        assert [message.count for message in app.of(RowList.MarksChanged)] == [0]
        row_list.mark_all()
        assert row_list.targets() == ["x", "a"]
        row_list.clear_marks()
        assert row_list.targets() == [row_list.cursor_key]
        row_list.mark("gone")
        assert row_list.marked == frozenset()


async def test_enter_and_the_mouse_choose(host: Any) -> None:
    row_list = RowList(COLUMNS, GROUPS)
    app = host(row_list)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("down", "enter")
        assert [message.key for message in app.of(RowList.Selected)] == ["b"]
        await pilot.click(row_list, offset=(10, 5))
        assert row_list.cursor_key == "c"
        assert app.of(RowList.Highlighted)[-1].by_user
        await pilot.click(row_list, offset=(10, 4))
        await pilot.click(row_list, offset=(10, 10))
        assert row_list.cursor_key == "c"
        await pilot.click(row_list, offset=(10, 8), times=2)
        assert [message.key for message in app.of(RowList.Selected)] == ["b", "e"]
        await pilot.click(row_list, offset=(1, 5))
        assert row_list.marked == {"c"}


HOSTILE = [
    "[/red]",
    "[b]x[/",
    "[[wiki]]",
    "[@click=app.quit]bye[/]",
    "\x1b]52;c;x\x07",
    "\x9b31m",
    "a\u202eb\u200b",
    "漢字" * 30,
]


async def test_hostile_texts_are_shown_as_typed(host: Any) -> None:
    table: dict[Key, Row] = {number: Row([text, text], sign=text) for number, text in enumerate(HOSTILE)}
    sections = [Section(list(table), HOSTILE[0], HOSTILE[6], dividers=[(1, HOSTILE[4])])]
    row_list = RowList(COLUMNS, StaticRows(sections, table), empty=HOSTILE[3], titles=True)
    async with host(row_list).run_test(size=(60, 14)) as pilot:
        row_list.set_banner(f"stale {HOSTILE[4]}")
        await pilot.pause()
        drawn = [row_list.render_line(y) for y in range(14)]
        text = "\n".join(strip.text for strip in drawn)
        assert not any(char in text for char in "\x1b\x9b\x07\u202e\u200b")
        assert "[@click=app.quit]bye[/]" in text
        assert "a‹U+202E›b‹U+200B›" in text
        assert "␛]52;c;x␇" in text
        assert {strip.cell_length for strip in drawn} == {60}
        row_list.show(StaticRows())
        await pilot.pause()
        assert "[@click=app.quit]bye[/]" in row_list.render_line(3).text


async def test_banner_and_titles_stay_while_rows_scroll(host: Any) -> None:
    row_list = RowList(
        COLUMNS, StaticRows([Section(range(50))], {n: Row([f"Entry {n}"]) for n in range(50)}), titles=True
    )
    async with host(row_list).run_test(size=(40, 10)) as pilot:
        row_list.set_banner("stale: the store is locked")
        await pilot.press("end")
        drawn = lines(row_list)
        assert drawn[0] == " ! stale: the store is locked"
        assert drawn[1].split() == ["Entry", "Age"]
        assert drawn[2].strip() == "Entry 42"
        assert drawn[9].startswith("▌   Entry 49")
        row_list.set_banner("")
        await pilot.pause()
        assert lines(row_list)[0].split() == ["Entry", "Age"]
        await pilot.click(row_list, offset=(10, 5))
        assert row_list.cursor_key == row_list.scroll_offset.y + 4


class Failing:
    """A provider whose store breaks down."""

    def __init__(self, broken: set[str]) -> None:
        self.broken = broken

    def sections(self) -> Sequence[Section]:
        if "sections" in self.broken:
            raise OSError("disk gone")
        return [Section(["a", "b"])]

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        if "page" in self.broken:
            raise OSError("disk gone")
        return [Row(["Entry a"]), None]


@pytest.mark.parametrize("broken", ["sections", "page"])
async def test_a_refresh_that_fails_keeps_the_old_view(host: Any, broken: str) -> None:
    row_list = RowList(COLUMNS, rows_of("a", "b", "c"))
    async with host(row_list).run_test(size=(40, 5)) as pilot:
        row_list.move_to("c")
        before = lines(row_list)
        with pytest.raises(OSError, match="disk gone"):
            row_list.show(Failing({broken}))
        await pilot.pause()
        assert lines(row_list) == before
        assert row_list.cursor_key == "c"


async def test_rows_that_cannot_be_read_say_so_and_the_list_lives_on(host: Any) -> None:
    provider = Failing(set())
    row_list = RowList(COLUMNS, provider)
    app = host(row_list)
    async with app.run_test(size=(40, 5)) as pilot:
        assert "(not readable)" in lines(row_list)[1]
        provider.broken.add("page")
        row_list.invalidate()
        await pilot.press("down")
        assert ["(not readable)" in line for line in lines(row_list)[:3]] == [True, True, False]
        await pilot.pause()
        assert app.of(RowList.FetchFailed)
        assert row_list.cursor_key == "b"
        provider.broken.clear()
        row_list.invalidate("a")
        assert lines(row_list)[0] == "    Entry a"


class Big:
    """100,000 rows that count how many of them are read."""

    def __init__(self) -> None:
        self.read = 0

    def sections(self) -> Sequence[Section]:
        return [Section(range(100_000))]

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        self.read += len(keys)
        return [Row([f"Entry {key}"]) for key in keys]


async def test_100_000_rows_read_and_draw_only_what_is_seen(host: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    draw = RowList._row_strip
    monkeypatch.setattr(RowList, "_row_strip", lambda self, *args: drawn.append(args[0]) or draw(self, *args))
    provider = Big()
    row_list = RowList(COLUMNS, provider)
    async with host(row_list).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert provider.read == 64
        assert set(drawn) == set(range(24))
        drawn.clear()
        await pilot.press("down")
        assert sorted(drawn) == [0, 1]
        await pilot.press("end")
        assert provider.read <= 64 * 3
        assert row_list.cursor_key == 99_999


async def test_a_resize_keeps_the_cursor_in_view(host: Any) -> None:
    row_list = RowList(COLUMNS, StaticRows([Section(range(100))]))
    async with host(row_list).run_test(size=(80, 40)) as pilot:
        row_list.move_to(35)
        await pilot.pause()
        await pilot.resize_terminal(50, 10)
        await pilot.pause()
        top = row_list.scroll_offset.y
        assert row_list.cursor_key == 35
        assert top <= 35 < top + 10


async def test_another_theme_redraws_the_rows(host: Any) -> None:
    row_list = RowList(COLUMNS, rows_of("a", "b"))
    app = host(row_list)
    async with app.run_test(size=(40, 5)) as pilot:
        before = list(row_list.render_line(1))[-1].style
        app.theme = "memdesk-light"
        await pilot.pause()
        assert list(row_list.render_line(1))[-1].style != before


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.integers(0, 15), unique=True, max_size=16), min_size=1, max_size=8), st.data())
async def test_cursor_and_marks_through_random_changes(host: Any, steps: list[list[int]], data: st.DataObject) -> None:
    keys = list(range(16))
    row_list = RowList(COLUMNS, StaticRows([Section(keys)]))
    async with host(row_list).run_test(size=(40, 6)):
        for step in steps:
            if keys:
                at = data.draw(st.sampled_from(keys))
                row_list.move_to(at)
                row_list.mark(data.draw(st.sampled_from(keys)))
            marked, cursor = row_list.marked, row_list.cursor_key
            after = keys[max(row_list.cursor, 0) :]
            row_list.show(StaticRows([Section(step)]))
            if cursor is not None and step:
                left = [key for key in after if key in step]
                if left:
                    assert row_list.cursor_key == left[0]
            assert (row_list.cursor_key is None) == (not step)
            assert row_list.marked == marked & set(step)
            if step:
                top = row_list.scroll_offset.y
                assert top <= row_list.cursor < top + 6
            keys = step


async def test_a_parent_that_refreshes_the_list_is_told_of_the_new_key(host: Any) -> None:
    row_list = RowList(COLUMNS, rows_of("a", "b"))
    app = host(row_list)
    async with app.run_test(size=(40, 5)) as pilot:
        app.seen.clear()
        app.screen.call_later(row_list.show, rows_of("b"))
        await pilot.pause()
        assert [message.key for message in app.of(RowList.Highlighted)] == ["b"]


async def test_a_provider_that_fails_at_once_leaves_an_empty_list(host: Any) -> None:
    row_list = RowList(COLUMNS, Failing({"sections"}), empty="Nothing here.")
    app = host(row_list)
    async with app.run_test(size=(40, 5)) as pilot:
        await pilot.pause()
        assert lines(row_list)[1] == "  Nothing here."
        assert str(app.of(RowList.FetchFailed)[0].error) == "disk gone"
