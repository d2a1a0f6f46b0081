"""A short menu of letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual import events
from textual.widget import Widget

from .dialog import Dialog, TextBox
from .entry_text import Facts, Gap, Plain
from .key_footer import KeyHint


@dataclass(frozen=True, slots=True)
class Option:
    """One letter of a menu, what it says and what it returns; with `why_not` it cannot be taken now."""

    key: str
    label: str
    value: str
    why_not: str = ""


class Menu(Dialog[str | None]):
    """Offers a few ways to go on, one letter each."""

    DEFAULT_CSS = """
    Menu EntryText > .entry-text--label { color: $text-accent; text-style: bold; }
    Menu:ansi EntryText > .entry-text--label { color: ansi_default; text-style: bold; }
    """

    def __init__(self, title: str, options: Sequence[Option], text: str = "", *, back: str = "back") -> None:
        """Create the menu; `text` explains the choice, `back` is what esc does."""
        super().__init__(title)
        self._options = options
        self._text = text
        self._back = back

    def body(self) -> Iterable[Widget]:
        if self._text:
            yield TextBox([Gap(), Plain(self._text)])
        pairs = [
            (option.key, option.label + (f" ({option.why_not})" if option.why_not else "")) for option in self._options
        ]
        yield TextBox([Gap(), Facts(pairs)])

    def hints(self) -> Sequence[KeyHint]:
        return [KeyHint("escape", self._back)]

    def on_key(self, event: events.Key) -> None:
        for option in self._options:
            if event.key == option.key or event.character == option.key:
                event.stop()
                if option.why_not:
                    self.say(option.why_not)
                else:
                    self.dismiss(option.value)
