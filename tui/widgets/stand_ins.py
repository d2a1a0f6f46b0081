"""Editing text that holds hidden characters: each has a stand-in of one cell while it is edited, and comes
back on saving.

An editor widget draws its characters as they are, so an ESC in a body would reach the terminal. Showing
marks instead would save the marks. A stand-in is one private-use character for one hidden character: it can
be seen, moved over and deleted.
"""

from __future__ import annotations

import re

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Edit, EditResult

from ...core.text import marks

_FIRST = 0xF0000
_LAST = 0xFFFFD
_STAND_IN = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
#: Drawn for a hidden character that has no picture of its own.
BOX = "▯"
_REVERSE = Style(reverse=True)


class StandIns:
    """One editor's table of hidden characters and the characters that stand in for them."""

    def __init__(self) -> None:
        self._to: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def put(self, text: str) -> str:
        """Return the text with stand-ins for everything hidden, its own private-use characters included."""
        found = {mark.start: mark.char for mark in marks(text)}
        found.update((own.start(), own[0]) for own in _STAND_IN.finditer(text) if own[0] not in self._back)
        if not found:
            return text
        chars = list(text)
        for index, char in found.items():
            chars[index] = self._stand_in(char)
        return "".join(chars)

    def take(self, text: str) -> str:
        """Return the text as it was, for `put` and anything edited since."""
        return _STAND_IN.sub(lambda found: self._back.get(found[0], found[0]), text)

    def draw(self, text: Text) -> Text:
        """Return a line for the screen: stand-ins as pictures of what they stand for, in reverse."""
        plain = text.plain
        if _STAND_IN.search(plain) is None:
            return text
        drawn = text.copy()
        drawn.plain = _STAND_IN.sub(lambda found: self._picture(found[0]), plain)
        drawn.spans = list(text.spans)
        for found in _STAND_IN.finditer(plain):
            drawn.stylize(_REVERSE, found.start(), found.end())
        return drawn

    def count(self, text: str) -> int:
        """Return how many stand-ins an edited text holds."""
        return len(_STAND_IN.findall(text))

    def _stand_in(self, char: str) -> str:
        if char not in self._to:
            stand_in = chr(_FIRST + len(self._to))
            self._to[char], self._back[stand_in] = stand_in, char
        return self._to[char]

    def _picture(self, stand_in: str) -> str:
        char = self._back.get(stand_in, "")
        return chr(0x2400 + ord(char)) if char and ord(char) < 0x20 else BOX


class SafeTextArea(TextArea):
    """A text area for untrusted text; read and write it by `raw`, not by `text`."""

    BINDINGS = [
        Binding("ctrl+end", "to_end", "The end of the text", show=False),
        Binding("ctrl+home", "to_start", "The start of the text", show=False),
    ]

    def __init__(self, raw: str = "", *, id: str | None = None) -> None:
        self._stand_ins = StandIns()
        super().__init__(self._stand_ins.put(raw), id=id, soft_wrap=True, show_line_numbers=False)

    @property
    def raw(self) -> str:
        """The text, hidden characters included."""
        return self._stand_ins.take(self.text)

    def load(self, raw: str) -> None:
        """Put another text in; the cursor goes to its start."""
        self.load_text(self._stand_ins.put(raw))

    def to_end(self) -> None:
        """Put the cursor behind the text."""
        self.move_cursor(self.document.end)

    def action_to_end(self) -> None:
        self.to_end()

    def action_to_start(self) -> None:
        self.move_cursor((0, 0))

    @property
    def hidden(self) -> int:
        """How many hidden characters the text holds."""
        return self._stand_ins.count(self.text)

    def get_line(self, line_index: int) -> Text:
        return self._stand_ins.draw(super().get_line(line_index))

    def edit(self, edit: Edit) -> EditResult:
        # Terminals paste line ends as CR; one typed or pasted is never meant as a character of the text.
        edit.text = self._stand_ins.put(edit.text.replace("\r\n", "\n").replace("\r", "\n"))
        return super().edit(edit)


class SafeInput(Input):
    """A one-line input for untrusted text; read and write it by `raw`, not by `value`."""

    def __init__(self, raw: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        self._stand_ins = StandIns()
        super().__init__(
            self._stand_ins.put(_flat(raw)), placeholder=placeholder, id=id, compact=True, select_on_focus=False
        )

    @property
    def raw(self) -> str:
        """The text, hidden characters included."""
        return self._stand_ins.take(self.value)

    @property
    def _value(self) -> Text:
        return self._stand_ins.draw(super()._value)

    def replace(self, text: str, start: int, end: int) -> None:
        super().replace(self._stand_ins.put(text), start, end)

    def _on_paste(self, event: events.Paste) -> None:
        """A paste of several lines comes as one, whole; Textual's own takes the first line only."""
        event.stop()
        event.prevent_default()
        line = _flat(event.text.rstrip("\r\n"))
        if line:
            start, end = sorted(self.selection)
            self.replace(line, start, end)


def _flat(text: str) -> str:
    """Put a text on one line: an input would draw a line end or a tab as it is."""
    return text.replace("\r\n", " ").replace("\r", " ").replace("\n", " ").replace("\t", " ")
