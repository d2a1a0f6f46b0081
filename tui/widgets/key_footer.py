"""The footer: the keys that work now. Fed with plain data, so that the action table stays the only source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from ...core.text import one_line
from ..safe_text import cells, cut
from .one_line import OneLine, Part

_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "full_stop": ".",
    "comma": ",",
    "colon": ":",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "exclamation_mark": "!",
    "asterisk": "*",
    "number_sign": "#",
}


@dataclass(frozen=True, slots=True)
class KeyHint:
    """One key and what it does. A key that does not work now is shown quieter and in brackets; `why_not` says why."""

    key: str
    label: str
    enabled: bool = True
    why_not: str = ""


class KeyFooter(OneLine):
    """Keys and labels, left to right by importance; those that do not fit give way to "…", the `?` key never does."""

    class Chosen(Message):
        """A hint was clicked, an unavailable one too: the app says why not."""

        def __init__(self, key_footer: KeyFooter, hint: KeyHint) -> None:
            super().__init__()
            self.key_footer = key_footer
            self.hint = hint

        @property
        def control(self) -> KeyFooter:
            return self.key_footer

    DEFAULT_CSS = """
    KeyFooter { background: $footer-background; }
    KeyFooter:ansi { background: ansi_default; }
    """

    def __init__(self, hints: Sequence[KeyHint] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._hints = hints
        self._note = ""
        self._places: list[tuple[int, int, KeyHint]] = []

    def show(self, hints: Sequence[KeyHint], note: str = "") -> None:
        """Show these keys, and at the right end a note, such as "3 marked"."""
        if (hints, note) != (self._hints, self._note):
            self._hints, self._note = hints, note
            self.refresh()

    def parts(self, width: int) -> list[Part]:
        note = cut(one_line(self._note, 200), max(width // 3, 8)) if self._note else ""
        room = width - 1 - (cells(note) + 2 if note else 0)
        kept = fit_hints(self._hints, room)
        parts: list[Part] = [(" ", "")]
        self._places = []
        x = 1
        for hint in kept:
            text = _text(hint)
            self._places.append((x, x + cells(text), hint))
            parts += _drawn(hint)
            parts.append(("  ", ""))
            x += cells(text) + 2
        if len(kept) < len(self._hints) and x <= room:
            parts.append(("…", "muted"))
            x += 1
        if note:
            parts += [(" " * max(width - x - cells(note) - 1, 0), ""), (note, "strong")]
        return parts

    def on_click(self, event: events.Click) -> None:
        for start, end, hint in self._places:
            if start <= event.x < end:
                self.post_message(self.Chosen(self, hint))


def key_name(key: str) -> str:
    """Return a key as people write it: "question_mark" is "?", "ctrl+pagedown" is "ctrl+pgdn"."""
    return "+".join(_NAMES.get(part, part) for part in key.split("+")) if key != "+" else key


def fit_hints(hints: Sequence[KeyHint], width: int) -> list[KeyHint]:
    """Return the hints that fit into `width` cells: from the left, and `?` whatever happens."""
    kept = list(hints)

    def needed() -> int:
        # The "…" that stands for the others gives way before the last key does.
        more = 3 if 1 < len(kept) < len(hints) else 0
        return sum(cells(_text(hint)) + 2 for hint in kept) - 2 + more

    while kept and needed() > width:
        last = next((hint for hint in reversed(kept) if key_name(hint.key) != "?"), kept[-1])
        kept.remove(last)
    return kept


def _text(hint: KeyHint) -> str:
    return "".join(text for text, _ in _drawn(hint))


def _drawn(hint: KeyHint) -> list[Part]:
    key, label = key_name(one_line(hint.key)), one_line(hint.label)
    if hint.enabled:
        return [(key, "key"), (f" {label}", "")]
    return [(f"({key} {label})", "muted")]
