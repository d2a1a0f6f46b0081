"""What the dialogs share: a box with a title, a message line and the keys that work; texts are raw and untrusted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TypeVar

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget

from .entry_text import EntryText
from .key_footer import KeyFooter, KeyHint
from .one_line import Status
from .stand_ins import SafeInput
from .text_layout import lay_out

Value = TypeVar("Value")

BOX_WIDTH = 76
#: Rows of a dialog besides its body: two borders, title, message, keys.
FRAME = 5


class AnsweredOnce(ModalScreen[Value]):
    """A screen over the desk that gives one answer: what is typed or comes after it changes nothing."""

    BINDINGS = [Binding("ctrl+c", "app.help_quit", show=False), Binding("ctrl+q", "app.quit", show=False)]

    _answered = False

    @property
    def answered(self) -> bool:
        """Whether the answer was given."""
        return self._answered

    def dismiss(self, result: Value | None = None) -> AwaitComplete:
        """Answer and go. Every further answer is ignored."""
        if self._answered:
            return AwaitComplete.nothing()
        self._answered = True
        return super().dismiss(result)

    async def on_event(self, event: events.Event) -> None:
        """A key that comes after the answer ends here: the desk below must not take it."""
        if self._answered and isinstance(event, events.InputEvent):
            event.stop()
            event.prevent_default()
            return
        await super().on_event(event)


class Dialog(AnsweredOnce[Value]):
    """A box in the middle of the screen that returns a value. Subclasses give its body and its keys."""

    BINDINGS = [Binding("escape", "cancel", "Cancel", show=False, id="dialog.cancel")]

    DEFAULT_CSS = """
    Dialog {
        align: center middle;

        #box {
            width: 76;  /* BOX_WIDTH */
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

    def on_resize(self) -> None:
        self.fit_texts()

    def fit_texts(self) -> None:
        """Share the height of the screen among the texts: the longest gives way, the keys stay on screen."""
        boxes = list(self.query(TextBox))
        width, height = min(BOX_WIDTH, self.app.size.width) - 2, self.app.size.height
        wanted = [box.rows_wanted(width, height) for box in boxes]
        given = list(wanted)
        room = height - FRAME - len(self.query(SafeInput))
        while sum(given) > room and max(given, default=1) > 1:
            given[given.index(max(given))] -= 1
        for box, rows, want in zip(boxes, given, wanted, strict=True):
            box.fit(rows, want)


class TextBox(EntryText, inherit_bindings=False):
    """A text inside a dialog, as high as the dialog lets it be. It takes no letters: those belong to the dialog."""

    BINDINGS = [
        Binding("up", "scroll_up", "Up", show=False),
        Binding("down", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "Start", show=False),
        Binding("end", "scroll_end", "End", show=False),
    ]

    def rows_wanted(self, width: int, most: int) -> int:
        """Return how many rows the text takes in `width` cells, counting no further than `most`."""
        rows = lay_out(self._blocks, self.width_in(width), self._folds)
        return max(sum(1 for _ in islice(rows, most)), 1)

    def fit(self, height: int, wanted: int) -> None:
        """Take this height; a text that does not fit can be scrolled, and so takes the focus."""
        self.styles.height = height
        self.can_focus = wanted > height
