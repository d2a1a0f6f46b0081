"""The preview screen: what will change, whole and scrollable, before it is done."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding

from ..widgets.dialog import AnsweredOnce
from ..widgets.entry_text import Block, EntryText
from ..widgets.header import HeaderLine, Segment
from ..widgets.key_footer import KeyFooter, KeyHint


class PreviewScreen(AnsweredOnce[bool]):
    """Shows blocks over the whole screen; y does it, n and esc leave it."""

    BINDINGS = [
        Binding("y", "answer(True)", "Do it", show=False, id="preview.yes"),
        Binding("n,escape,q", "answer(False)", "Leave it", show=False, id="preview.no"),
    ]

    def __init__(self, title: str, blocks: Sequence[Block], *, yes: str = "do it", able: bool = True) -> None:
        """Create the screen.

        Args:
            yes: what y does.
            able: whether there is anything to do; else y does nothing.
        """
        super().__init__()
        self._heading = title
        self._blocks = blocks
        self._yes = yes
        self._able = able

    def compose(self) -> ComposeResult:
        yield HeaderLine()
        yield EntryText(self._blocks)
        why = "" if self._able else "There is nothing that can be done."
        yield KeyFooter([
            KeyHint("y", self._yes, self._able, why), KeyHint("n", "leave it"), KeyHint("pagedown", "on"),
        ])  # fmt: skip

    def on_mount(self) -> None:
        self.query_one(HeaderLine).show([Segment(self._heading, tone="accent")])
        self.query_one(EntryText).focus()

    def action_answer(self, yes: bool) -> None:
        if self._able or not yes:
            self.dismiss(yes)

    def on_key_footer_chosen(self, message: KeyFooter.Chosen) -> None:
        message.stop()
        if message.hint.enabled:
            self.app.simulate_key(message.hint.key)
