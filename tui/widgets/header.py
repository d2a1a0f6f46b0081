"""The header line: segments at the left and at the right, which get shorter and then drop on a narrow screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...core.text import one_line
from ..safe_text import cells, cut
from .one_line import OneLine, Part
from .rows import Tone

SEPARATOR = "  ·  "
#: Where room is short the pieces stand closer, in the same order as `Segment.shortens`.
NARROW = " · "
NARROWS = 6


@dataclass(frozen=True, slots=True)
class Segment:
    """One piece of the header. The one with the highest `priority` number above 0 drops first, 0 never.

    Attributes:
        shorter: what it says where room is short; "" for a piece that has no shorter form.
        shortens: when it takes the shorter form, in the same order as `priority`; all pieces of one number do together.
        longer: what it said before it took the shorter form.
    """

    text: str
    priority: int = 0
    tone: Tone = ""
    shorter: str = ""
    shortens: int = 0
    longer: str = ""


class HeaderLine(OneLine):
    """One line: where the desk stands at the left, what waits at the right."""

    DEFAULT_CSS = """
    HeaderLine { background: $panel; text-style: bold; }
    HeaderLine:ansi { text-style: bold; }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._left: Sequence[Segment] = ()
        self._right: Sequence[Segment] = ()

    def show(self, left: Sequence[Segment], right: Sequence[Segment] = ()) -> None:
        """Show these segments; equal ones change nothing."""
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.refresh()

    def parts(self, width: int) -> list[Part]:
        left, right, separator = fit_segments(self._left, self._right, width - 2)
        used = line_width(left, separator) + line_width(right, separator)
        gap = max(width - 2 - used, 1 if right else 0)
        return [(" ", ""), *_joined(left, separator), (" " * gap, ""), *_joined(right, separator), (" ", "")]


def fit_segments(
    left: Sequence[Segment], right: Sequence[Segment], width: int
) -> tuple[list[Segment], list[Segment], str]:
    """Return the segments of both sides that fit into `width` cells, and what stands between them; the last that may
    not drop is cut."""
    sides = [[_clean(segment) for segment in side if segment.text] for side in (left, right)]
    separator = SEPARATOR

    def excess() -> int:
        gap = 2 if sides[0] and sides[1] else 0
        return line_width(sides[0], separator) + line_width(sides[1], separator) + gap - width

    while excess() > 0:
        shortens = max((segment.shortens for side in sides for segment in side if segment.shorter), default=0)
        narrows = NARROWS if separator is SEPARATOR else 0
        droppable = [
            (segment.priority, number, place)
            for number, side in enumerate(sides)
            for place, segment in enumerate(side)
            if segment.priority > 0
        ]
        drops = max(droppable, default=(0,))[0]
        if narrows > shortens and narrows > drops:
            separator = NARROW
        elif shortens and shortens >= drops:
            sides = [[_shortened(segment, shortens) for segment in side] for side in sides]
        elif droppable:
            _, number, place = max(droppable)
            del sides[number][place]
        else:
            break
    for place, segment in sorted(enumerate(sides[1]), key=lambda item: item[1].priority):
        # What became shorter in vain, since more had to go, is told in full again: what matters most first.
        if segment.longer and excess() <= cells(segment.text) - cells(segment.longer):
            sides[1][place] = replace(segment, text=segment.longer, longer="")
    for side in sides:
        if excess() > 0 and side:
            last = side[-1]
            room = max(cells(last.text) - excess(), 1)
            side[-1] = Segment(cut(last.text, room), last.priority, last.tone)
    return sides[0], sides[1], separator


def line_width(segments: Sequence[Segment], separator: str = SEPARATOR) -> int:
    """Return the cells that the segments take with their separators."""
    texts = sum(cells(segment.text) for segment in segments)
    return texts + cells(separator) * max(len(segments) - 1, 0)


def _clean(segment: Segment) -> Segment:
    return replace(segment, text=one_line(segment.text, 500), shorter=one_line(segment.shorter, 500))


def _shortened(segment: Segment, number: int) -> Segment:
    """The shorter form, of a segment whose turn it is."""
    its_turn = segment.shorter and segment.shortens == number
    return replace(segment, text=segment.shorter, shorter="", longer=segment.text) if its_turn else segment


def _joined(segments: Sequence[Segment], separator: str) -> list[Part]:
    parts: list[Part] = []
    for number, segment in enumerate(segments):
        if number:
            parts.append((separator, "muted"))
        parts.append((segment.text, segment.tone))
    return parts
