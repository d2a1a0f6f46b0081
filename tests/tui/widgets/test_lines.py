"""Header, meter and footer on wide and narrow screens."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.tui.widgets.header import HeaderLine, Segment
from memdesk.tui.widgets.key_footer import KeyFooter, KeyHint, key_name
from memdesk.tui.widgets.meter import Meter


def drawn(widget: Any, width: int) -> str:
    return "".join(text for text, _ in widget.parts(width)).rstrip()


LEFT = [Segment("memdesk"), Segment("billing", 1), Segment("gaia: in step", 3)]
RIGHT = [Segment("3 requests, oldest 8 weeks", 1), Segment("2 lost edits", 2), Segment("14 findings", 4)]


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (
            120,
            " memdesk  ·  billing  ·  gaia: in step"
            + " " * 22
            + "3 requests, oldest 8 weeks  ·  2 lost edits  ·  14 findings",
        ),
        (80, " memdesk · billing · gaia: in step" + " " * 4 + "3 requests, oldest 8 weeks · 2 lost edits"),
        (76, " memdesk · billing" + " " * 16 + "3 requests, oldest 8 weeks · 2 lost edits"),
        (50, " memdesk · billing" + " " * 5 + "3 requests, oldest 8 weeks"),
        (40, " memdesk · billing"),
        (6, " mem…"),
    ],
)
def test_header_drops_by_priority(width: int, text: str) -> None:
    header = HeaderLine()
    header.show(LEFT, RIGHT)
    assert drawn(header, width) == text


async def test_hostile_header_and_footer(host: Any) -> None:
    header, footer, meter = HeaderLine(), KeyFooter(), Meter(1, 2, label="[b]\x1b")
    async with host(header, footer, meter).run_test(size=(60, 5)) as pilot:
        header.show([Segment("[/red]\x1b[2J\n漢字")])
        footer.show([KeyHint("x", "[@click=app.quit]\u202e")], "\x1bnote")
        await pilot.pause()
        assert header.render_line(0).text.startswith(" [/red]␛[2J 漢字 ")
        assert footer.render_line(0).text.startswith(" x [@click=app.quit]‹U+202E›")
        assert meter.render_line(0).text.startswith(" [b]␛ 1 of 2")
        assert {widget.render_line(0).cell_length for widget in (header, footer, meter)} == {60}


@pytest.mark.parametrize(
    ("used", "limit", "width", "text"),
    [
        (0, 1500, 80, " digest 0 of 1,500 characters  ────────────────────────  0 %"),
        (1, 1500, 80, " digest 1 of 1,500 characters  ━───────────────────────  0 %"),
        (1312, 1500, 80, " digest 1,312 of 1,500 characters  ━━━━━━━━━━━━━━━━━━━━────  87 %"),
        (1499, 1500, 80, " digest 1,499 of 1,500 characters  ━━━━━━━━━━━━━━━━━━━━━━━─  99 %"),
        (1500, 1500, 80, " digest 1,500 of 1,500 characters  ━━━━━━━━━━━━━━━━━━━━━━━━  100 %"),
        (1712, 1500, 80, " digest 1,712 of 1,500 characters  ━━━━━━━━━━━━━━━━━━━━━━━━  ! 212 over"),
        (1312, 1500, 40, " digest 1,312 of 1,500  ━━━━━━━──  87 %"),
        (1312, 1500, 28, " digest 1,312 of 1,500  87 %"),
        (1312, 0, 80, " digest 1,312 characters, no limit"),
    ],
)
def test_meter_says_in_words_what_its_bar_shows(used: int, limit: int, width: int, text: str) -> None:
    assert drawn(Meter(used, limit), width) == text


def test_meter_note_gives_way_first() -> None:
    meter = Meter()
    meter.show(750, 1500, "3 groups below the cut")
    assert drawn(meter, 100).endswith("50 %  3 groups below the cut")
    assert drawn(meter, 50).endswith("50 %")


HINTS = [
    KeyHint("c", "close"),
    KeyHint("g", "graduate", False, "only threads graduate"),
    KeyHint("space", "mark"),
    KeyHint("u", "undo"),
    KeyHint("question_mark", "all keys"),
]


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (80, " c close  (g graduate)  space mark  u undo  ? all keys"),
        (50, " c close  (g graduate)  space mark  ? all keys  …"),
        (24, " c close  ? all keys  …"),
        (12, " ? all keys"),
    ],
)
def test_footer_cuts_from_the_right_but_keeps_the_help_key(width: int, text: str) -> None:
    assert drawn(KeyFooter(HINTS), width) == text


def test_footer_note_stands_at_the_right() -> None:
    footer = KeyFooter()
    footer.show(HINTS, "3 marked")
    assert drawn(footer, 80).endswith("  3 marked")
    assert len(drawn(footer, 80)) == 79


async def test_a_click_on_a_hint_reports_it(host: Any) -> None:
    footer = KeyFooter(HINTS)
    app = host(footer)
    async with app.run_test(size=(80, 3)) as pilot:
        await pilot.click(footer, offset=(12, 0))
        await pilot.click(footer, offset=(70, 0))
        assert [message.hint.key for message in app.of(KeyFooter.Chosen)] == ["g"]


def test_key_names() -> None:
    assert [key_name(key) for key in ("question_mark", "ctrl+pagedown", "escape", "A", "+")] == [
        "?",
        "ctrl+pgdn",
        "esc",
        "A",
        "+",
    ]
