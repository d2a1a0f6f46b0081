"""Two wordings of one text, each made from the same older one, brought together line by line. Pure.

A stretch that only one side changed is taken from that side; a stretch that both changed in the same way is taken once;
where they differ both stand between marks, and a person chooses. No line that either side wrote is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from .diff import compare, lines_of

#: The marks round two wordings of one stretch, in the manner of git: first what was asked for, then what stands.
OPEN: Final = "<<<<<<< asked"
BETWEEN: Final = "======="
CLOSE: Final = ">>>>>>> now"


@dataclass(frozen=True, slots=True)
class Merged:
    """Two wordings brought together.

    Attributes:
        text: the result; each conflict stands in it with both wordings between marks.
        conflicts: stretches that both changed, each in its own way.
    """

    text: str
    conflicts: int = 0


def three_way(base: str | None, asked: str | None, now: str | None) -> Merged:
    """Bring two wordings together.

    Args:
        base: the text that both were made from.
        asked, now: the two wordings.
    """
    old, one, other = lines_of(base), lines_of(asked), lines_of(now)
    lines: list[str] = []
    conflicts = 0
    for a, b, c, d, e, f in _stretches(base, asked, now):
        was, ours, theirs = old[a:b], one[c:d], other[e:f]
        if ours == theirs or theirs == was:
            lines += ours
        elif ours == was:
            lines += theirs
        else:
            conflicts += 1
            lines += _both(ours, theirs)
    return Merged("\n".join(lines), conflicts)


def has_marks(text: str) -> bool:
    """Whether a text still holds a conflict that nobody has settled."""
    lines = lines_of(text)
    return OPEN in lines and CLOSE in lines


def _stretches(base: str | None, asked: str | None, now: str | None) -> Iterator[tuple[int, int, int, int, int, int]]:
    """(from, to) in the base, in `asked` and in `now` of each stretch, in order: those that both sides kept, and what
    lies between them."""
    kept_by_asked = [(s.a, s.b, s.c) for s in compare(base, asked).steps if s.same]
    kept_by_now = [(s.a, s.b, s.c) for s in compare(base, now).steps if s.same]
    at = (0, 0, 0)
    for start, stop, in_asked, in_now in _common(kept_by_asked, kept_by_now):
        if (start, in_asked, in_now) != at:
            yield at[0], start, at[1], in_asked, at[2], in_now
        length = stop - start
        yield start, stop, in_asked, in_asked + length, in_now, in_now + length
        at = (stop, in_asked + length, in_now + length)
    yield at[0], len(lines_of(base)), at[1], len(lines_of(asked)), at[2], len(lines_of(now))


def _common(
    one: Sequence[tuple[int, int, int]], other: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[int, int, int, int]]:
    """(from, to, place in one, place in the other) of the lines of the base that both kept."""
    i = j = 0
    while i < len(one) and j < len(other):
        (a, b, c), (d, e, f) = one[i], other[j]
        start, stop = max(a, d), min(b, e)
        if start < stop:
            yield start, stop, c + start - a, f + start - d
        if b <= e:
            i += 1
        else:
            j += 1


def _both(ours: list[str], theirs: list[str]) -> list[str]:
    """Both wordings of one stretch between marks; what they share at the ends stands once, outside."""
    most = min(len(ours), len(theirs))
    head = next((k for k in range(most) if ours[k] != theirs[k]), most)
    tail = next((k for k in range(most - head) if ours[-1 - k] != theirs[-1 - k]), most - head)
    mine, yours = ours[head : len(ours) - tail], theirs[head : len(theirs) - tail]
    return [*ours[:head], OPEN, *mine, BETWEEN, *yours, CLOSE, *ours[len(ours) - tail :]]
