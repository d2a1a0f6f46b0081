"""The reading screen: something long over the whole desk, such as an initiative with its texts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from textual.app import ComposeResult
from textual.binding import Binding

from ...core.desk import Desk
from ...core.errors import NotFound
from ...core.model import role_label
from ..widgets.dialog import AnsweredOnce
from ..widgets.entry_text import Block, Body, EntryText, Gap, Heading, Plain, Title
from ..widgets.header import HeaderLine, Segment
from ..widgets.key_footer import KeyFooter, KeyHint
from ..words import ago, count

#: Title, blocks, and the text that is copied.
View = tuple[str, Sequence[Block], str]


class ReadingScreen(AnsweredOnce[None]):
    """Shows blocks over the whole screen until esc. `y` copies `text`, or what is shown where there is none."""

    BINDINGS = [
        Binding("escape,q", "dismiss", "Back", show=False, id="reading.back"),
        Binding("y", "copy", "Copy", show=False, id="reading.copy"),
    ]

    def __init__(self, title: str, blocks: Sequence[Block], text: str) -> None:
        super().__init__()
        self._heading = title
        self._blocks = blocks
        self._text = text

    def compose(self) -> ComposeResult:
        yield HeaderLine()
        yield EntryText(self._blocks, empty="There is nothing to read.")
        yield KeyFooter([
            KeyHint("escape", "back"), KeyHint("y", "copy"), KeyHint("pagedown", "on"), KeyHint("pageup", "back up"),
        ])  # fmt: skip

    def on_mount(self) -> None:
        self.query_one(HeaderLine).show([Segment(self._heading, tone="accent")])
        self.query_one(EntryText).focus()

    async def action_dismiss(self, result: None = None) -> None:
        self.dismiss(None)

    def action_copy(self) -> None:
        from ..app import MemdeskApp

        assert isinstance(self.app, MemdeskApp)
        self.app.copy_text(self._text or self.query_one(EntryText).plain_text(), self._heading)
        self.query_one(KeyFooter).show([KeyHint("escape", "back")], note="copied")

    def on_key_footer_chosen(self, message: KeyFooter.Chosen) -> None:
        message.stop()
        self.app.simulate_key(message.hint.key)


def initiative_view(desk: Desk, entry_id: str, now: datetime) -> View:
    """Everything live in the initiative of an entry, uncapped, with texts (DESIGN 5, "one initiative").

    Raises:
        NotFound: the entry is gone, or belongs to no initiative.
    """
    entry = desk.store.entry(entry_id)
    if entry is None:
        raise NotFound("The entry is no longer there.", "")
    if not entry.initiative:
        raise NotFound(f"{entry.shown_name} belongs to no initiative.", "Give it one with `memdesk edit --initiative`.")
    digest = desk.get_relevant(entry.workspace, mode="initiative", initiative=entry.initiative, count=False)
    total = count(len(digest.items), "live entry", "live entries")
    blocks: list[Block] = [Title(entry.initiative, f"{total} in {entry.workspace}")]
    for item in digest.items:
        row = item.row
        role = role_label(row.klass, row.status, row.type)
        blocks += [Gap(), Heading(row.name), Plain(f"{role}  ·  changed {ago(row.updated_at, now)}", "muted")]
        if row.description:
            blocks.append(Plain(row.description, "accent"))
        if item.body:
            blocks += [Gap(), Body(item.body)]
    return f"Initiative {entry.initiative}", blocks, digest.full_text
