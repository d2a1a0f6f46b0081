"""The message line: what just happened, with its undo key, or what went wrong in plain words."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from .safe_text import safe_content
from .widgets.rows import Tone

_SIGNS = {"good": "✓ ", "warn": "! ", "bad": "✗ "}


class MessageLine(Static):
    """Up to three lines above the footer."""

    DEFAULT_CSS = """
    MessageLine {
        width: 1fr;
        height: auto;
        min-height: 1;
        max-height: 3;
        padding: 0 1;
        background: $background;
        color: $text-muted;

        &.-good { color: $text-success; }
        &.-warn { color: $text-warning; }
        &.-bad { color: $text-error; text-style: bold; }
        &:ansi.-bad { text-style: bold; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="message")
        self.message = ""
        self.hint = ""
        self.tone: Tone = ""

    def say(self, text: str, tone: Tone = "", hint: str = "") -> None:
        """Say something; `hint` is what to do, in a quieter voice."""
        self.message, self.tone, self.hint = text, tone, hint
        for name in ("good", "warn", "bad"):
            self.set_class(tone == name, f"-{name}")
        content = safe_content(_SIGNS.get(tone, "") + text, keep_newlines=False) if text else Content("")
        if hint:
            content = Content.assemble(content, "  ", safe_content(hint, "dim", keep_newlines=False))
        self.update(content)
