"""Two texts as the signed lines of a diff. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from .blocks import Line


def diff_lines(before: str, after: str, *, context: int = 3) -> list[Line]:
    """Return the lines that differ, signed "-" and "+", amid `context` equal lines; "⋯" counts the equal
    lines left out.

    A change is never left out, however small: line ends and trailing spaces count, and a note says so where
    nothing else differs.
    """
    old, new = _split(before), _split(after)
    # Junk detection takes a line that is repeated often, such as an empty one, for no match: a worse diff,
    # but without it very long texts of equal lines take seconds.
    steps = SequenceMatcher(None, old, new, autojunk=len(old) > 1500).get_opcodes()
    lines: list[Line] = []
    for number, (kind, a, b, c, d) in enumerate(steps):
        if kind == "equal":
            first, last = number == 0, number == len(steps) - 1
            lines += _equal(old[a:b], 0 if first else context, 0 if last else context)
        else:
            lines += [Line(line, "-", "bad") for line in old[a:b]]
            lines += [Line(line, "+", "good") for line in new[c:d]]
    if old == new and before != after:
        lines.append(Line("only line ends differ", "⋯", "muted"))
    return lines


def _equal(lines: Sequence[str], head: int, tail: int) -> Iterator[Line]:
    hidden = len(lines) - head - tail
    if hidden < 2:
        yield from (Line(line, " ", "muted") for line in lines)
        return
    yield from (Line(line, " ", "muted") for line in lines[:head])
    yield Line(f"{hidden:,} equal lines", "⋯", "muted")
    yield from (Line(line, " ", "muted") for line in lines[len(lines) - tail :])


def _split(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines
