"""What the dialogs share: a box with a title, a message line and the keys that work; texts are raw and untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget

from .entry_text import Block, EntryText
from .key_footer import KeyFooter, KeyHint
from .one_line import Status
from .text_layout import lay_out

Value = TypeVar("Value")


class Dialog(ModalScreen[Value]):
    """A box in the middle of the screen that returns a value. Subclasses give its body and its keys."""

    BINDINGS = [Binding("escape", "cancel", "Cancel", show=False, id="dialog.cancel")]

    DEFAULT_CSS = """
    Dialog {
        align: center middle;

        #box {
            width: 76;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            border: round $border;
            background: $surface;
        }
        #title { text-style: bold; background: $surface; margin: 0 1; }
        #message { background: $surface; margin: 0 1; }
        #keys { background: $surface; }
        EntryText { background: $surface; height: auto; }
        RowList { background: $surface; }
        RowList > .row-list--cursor { background: $primary 22%; text-style: bold; }
        RowList > .row-list--cursor-sign { color: $primary; text-style: bold; }
        SafeInput { background: $surface; margin: 0 1; border: none; height: 1; }
        SafeInput:focus { background: $foreground 8%; }

        &.-danger #box { border: round $error; }
        &:ansi #box { border: round ansi_default; background: ansi_default; }
        &:ansi RowList > .row-list--cursor { background: ansi_default; text-style: bold reverse; }
        &:ansi SafeInput:focus { background: ansi_default; text-style: underline; }
    }
    """

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def body(self) -> Iterable[Widget]:
        """Return the widgets between the title and the message line."""
        return ()

    def hints(self) -> Sequence[KeyHint]:
        """Return the keys that work now; a single letter is pressed through `on_letter`."""
        return ()

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Status(self._title, "strong", id="title")
            yield from self.body()
            yield Status(id="message")
            yield KeyFooter(self.hints(), id="keys")

    def say(self, text: str, tone: str = "warn") -> None:
        """Say something on the message line."""
        self.query_one("#message", Status).show(text, tone)

    def keys_changed(self) -> None:
        """Show the keys that work now."""
        self.query_one(KeyFooter).show(self.hints())

    async def on_key_footer_chosen(self, event: KeyFooter.Chosen) -> None:
        """A click on a key presses it."""
        event.stop()
        if event.hint.enabled:
            self.app.simulate_key(event.hint.key)
        else:
            self.say(event.hint.why_not)

    def action_cancel(self) -> None:
        self.dismiss(None)

    @property
    def inner_width(self) -> int:
        """The cells inside the box."""
        return max(min(76, self.app.size.width) - 2, 10)


class TextBox(EntryText):
    """A text inside a dialog: as high as its text, at most what the screen leaves, then it scrolls."""

    #: Rows of a dialog that are not its text: borders, title, gap, message, keys.
    FRAME = 6

    def __init__(self, blocks: Sequence[Block], *, most: int = 1000, id: str | None = None) -> None:
        super().__init__(blocks, id=id)
        self._most = most

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        dialog = self.screen
        assert isinstance(dialog, Dialog)
        room = max(min(self.app.size.height - self.FRAME, self._most), 1)
        width = dialog.inner_width - 3
        rows = 0
        for rows, _ in enumerate(lay_out(self._blocks, width, self._folds), 1):
            if rows >= room:
                break
        self.styles.height = max(rows, 1)
        self.can_focus = rows >= room
