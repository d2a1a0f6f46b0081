"""A few pictures of the widgets together, at the sizes and in the themes people use. The logic has its own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal

import memdesk.styles
from memdesk.tui.themes import register
from memdesk.tui.widgets.diff_lines import diff_lines
from memdesk.tui.widgets.entry_text import Body, EntryText, Facts, Fold, Gap, Heading, Lines, Title
from memdesk.tui.widgets.header import HeaderLine, Segment
from memdesk.tui.widgets.key_footer import KeyFooter, KeyHint
from memdesk.tui.widgets.meter import Meter
from memdesk.tui.widgets.row_list import Column, Row, RowList, Section, StaticRows

STYLES = Path(memdesk.styles.__file__).parent

COLUMNS = [
    Column("title", flex=1, min_width=16, title="Entry"),
    Column("initiative", width=11, priority=3, tone="muted", title="Initiative"),
    Column("chars", width=6, priority=2, align="right", tone="muted", title="Chars"),
    Column("age", width=8, priority=1, align="right", tone="muted", title="Age"),
]
TITLES = [
    "Export API allows 100 req/min",
    "Müller asked for 漢字 in titles",
    "[/red] is no markup",
    "An \x1b[31mescape and a \u202ebidi mark",
    "Postgres stays for billing",
    "Use tabs, not spaces",
    "Node 20 is the floor",
    "A title that will not fit into any list however wide the screen may be made by its owner",
]
BODY = """# Limits

The export API allows **100 req/min** a tenant, see [[billing_limits]].

- wrapped points hang below their first word, also
  when they are long
- `code` and *emphasis* <!-- and nothing is hidden -->

> quoted

```
curl --max-time 5
```
"""
HINTS = [
    KeyHint("c", "close"),
    KeyHint("g", "graduate", False, "only threads graduate"),
    KeyHint("space", "mark"),
    KeyHint("slash", "filter"),
    KeyHint("u", "undo"),
    KeyHint("question_mark", "all keys"),
]


def rows() -> StaticRows:
    keys = list(range(24))
    table = {
        key: Row(
            [TITLES[key % 8], ["billing", "search", "auth"][key % 3], str(40 + 7 * key), f"{key + 2} days"],
            sign="!" if key % 8 == 3 else "",
            tone="muted" if key > 13 else "",
        )
        for key in keys
    }
    sections = [
        Section(keys[:5], "For this session", "5 of 5"),
        Section(keys[5:9], "About you", "4"),
        Section(keys[9:], "Open threads", "5 of 15", dividers=[(5, "cut: 1,312 of 1,500 characters")]),
    ]
    return StaticRows(sections, table)


class Together(App[None]):
    """Every widget of the layer on one screen."""

    ENABLE_COMMAND_PALETTE = False
    CSS_PATH = [STYLES / "tokens.tcss"]
    CSS = "RowList { width: 11fr; } EntryText { width: 9fr; }"

    def __init__(self, theme: str) -> None:
        super().__init__()
        register(self)
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield HeaderLine()
        yield Meter(1312, 1500)
        with Horizontal():
            yield RowList(COLUMNS, rows(), titles=True)
            changed = BODY.replace("100", "1,000")
            blocks = [
                Title("Export API allows 100 req/min", "decision · For this session · billing"),
                Gap(),
                Facts([("edited", "3 days ago by user:ana"), ("tags", "api, limits")]),
                Gap(),
                Body(BODY),
                Gap(),
                Heading("Asked change"),
                Lines(diff_lines(BODY, changed, context=1)),
                Gap(),
                Fold("internals", [Facts([("id", "01J8ZQ")])]),
            ]
            yield EntryText(blocks, classes="edge-left")
        yield KeyFooter(HINTS)

    def on_mount(self) -> None:
        self.query_one(HeaderLine).show(
            [Segment("memdesk"), Segment("billing", 1, "accent"), Segment("gaia in step", 3, "good")],
            [Segment("3 requests, oldest 8 weeks", 1, "warn"), Segment("2 lost edits", 2), Segment("9 findings", 4)],
        )
        self.query_one(KeyFooter).show(HINTS, "2 marked")


@pytest.mark.parametrize(
    ("theme", "size"),
    [
        ("memdesk-dark", (160, 45)),
        ("memdesk-dark", (80, 24)),
        ("memdesk-light", (80, 24)),
        ("ansi-dark", (80, 24)),
        ("memdesk-light", (60, 16)),
    ],
)
def test_together(snap_compare: Any, theme: str, size: tuple[int, int]) -> None:
    assert snap_compare(Together(theme), press=["down", "space", "space", "down"], terminal_size=size)
