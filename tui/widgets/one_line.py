"""What the one-line widgets share: a line of toned texts, drawn whole or with its least important parts left out."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment as Drawn
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from ...core.text import one_line, visible
from ..safe_text import cut

TONES = ("muted", "accent", "good", "warn", "bad", "strong", "key")

#: (text, tone), the text made by one_line().
Part = tuple[str, str]


class OneLine(Widget):
    """A line of text that is drawn by its subclass as parts with tones."""

    COMPONENT_CLASSES = {f"one-line--{tone}" for tone in TONES}

    DEFAULT_CSS = """
    OneLine {
        width: 1fr;
        height: 1;
        background: $surface;
        color: $foreground;

        & > .one-line--muted { color: $text-muted; }
        & > .one-line--accent { color: $text-primary; }
        & > .one-line--good { color: $text-success; }
        & > .one-line--warn { color: $text-warning; }
        & > .one-line--bad { color: $text-error; text-style: bold; }
        & > .one-line--strong { text-style: bold; }
        & > .one-line--key { color: $text-accent; text-style: bold; }

        &:ansi > .one-line--muted { color: ansi_default; text-style: dim; }
        &:ansi > .one-line--key { color: ansi_default; text-style: bold; }
        &:ansi > .one-line--accent { color: ansi_default; text-style: bold; }
    }
    """

    def parts(self, width: int) -> Sequence[Part]:
        """Return what to draw in `width` cells, left to right."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """Draw the line; lines below the first are blank."""
        width, base = self.size.width, self.rich_style
        if y:
            return Strip.blank(width, base)
        drawn: list[Drawn] = []
        for text, tone in self.parts(width):
            # Subclasses clean what they show; whatever one forgets is made visible here.
            drawn.append(Drawn(visible(text, keep_newlines=False), base + self._tone(tone)))
        return Strip(drawn).adjust_cell_length(width, base)

    def _tone(self, tone: str) -> Style:
        if tone not in TONES:
            return Style.null()
        return self.get_component_rich_style(f"one-line--{tone}", partial=True)


class Status(OneLine):
    """One line that says something, in a tone."""

    def __init__(self, text: str = "", tone: str = "muted", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = text
        self._tone_name = tone

    def show(self, text: str, tone: str = "muted") -> None:
        """Say something else."""
        if (text, tone) != (self._text, self._tone_name):
            self._text, self._tone_name = text, tone
            self.refresh()

    def parts(self, width: int) -> Sequence[Part]:
        return [(cut(one_line(self._text, 1000), width), self._tone_name)]
