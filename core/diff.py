"""Two texts compared: which lines went, came, changed or moved, and which words inside a changed line. Pure.

What a diff shows is complete: `applied` on the old text gives the new one, whatever is folded away. Time stays in
proportion to the texts: lines that stand once in each text anchor the comparison, small stretches between them are
aligned exactly, and two long stretches that share nothing are shown as one block out, one block in.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Final, Literal

#: Pairs of lines up to which a stretch is aligned exactly, and up to which at all.
_EXACT: Final = 40_000
_ALIGNED: Final = 1_000_000
#: Pairs of lines of one change that are compared by their words; characters and pairs of words of one line that are.
_PAIRED: Final = 900
_WORDED: Final = 4_000
_WORD_PAIRS: Final = 40_000
#: The least likeness by which two lines are one line that changed, and the longest line that is weighed for it.
_ALIKE: Final = 0.4
_WEIGHED: Final = 4_000
#: The fewest characters of a paragraph that can be said to have moved.
_MOVES: Final = 20
_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_WORD_SIGN: Final = re.compile(r"\w")

Kind = Literal["same", "gone", "new", "fold"]
#: (text, whether it differs) pieces of a line; joined they are the line.
Spans = list[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Step:
    """A stretch of the comparison: old lines `a` to `b` and new lines `c` to `d`, equal ones or not."""

    same: bool
    a: int
    b: int
    c: int
    d: int


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a unified diff. Line numbers count from 0; -1 where the line is not on that side.

    Attributes:
        text: the line; "" for a fold.
        count: how many equal lines a fold stands for.
        beside: the line of the other side that this one changed from or into, -1 for none.
        moved: the line of the other side where the same paragraph stands, -1 for none.
    """

    kind: Kind
    old: int
    new: int
    text: str = ""
    count: int = 1
    beside: int = -1
    moved: int = -1


@dataclass(frozen=True, slots=True)
class Pair:
    """One row of a side-by-side diff; `kind` "change" has a line on both sides that differ."""

    kind: Literal["same", "gone", "new", "change", "fold"]
    old: int
    new: int
    left: str = ""
    right: str = ""
    count: int = 1
    moved: int = -1


@dataclass(frozen=True, slots=True)
class Diff:
    """A comparison of two texts.

    Attributes:
        steps: equal and differing stretches in order, neither ever twice in a row.
        moves: old line -> new line, of paragraphs that stand elsewhere now.
        beside: old line -> new line, of lines that changed.
    """

    old: Sequence[str]
    new: Sequence[str]
    steps: tuple[Step, ...]
    moves: dict[int, int] = field(default_factory=dict)
    beside: dict[int, int] = field(default_factory=dict)

    @property
    def changes(self) -> list[Step]:
        """The stretches that differ."""
        return [step for step in self.steps if not step.same]

    @property
    def counts(self) -> tuple[int, int]:
        """(lines gone, lines new)."""
        return sum(s.b - s.a for s in self.changes), sum(s.d - s.c for s in self.changes)


def lines_of(text: str | None) -> list[str]:
    """The lines of a text without their ends; none for null and for the empty text."""
    return text.split("\n") if text else []


def compare(old: str | None, new: str | None) -> Diff:
    """Compare two texts line by line. A change is never left out: trailing spaces and line ends count."""
    a, b = lines_of(old), lines_of(new)
    steps = tuple(_steps(a, b))
    moves = _moves(a, b, steps)
    beside: dict[int, int] = {}
    arrived = set(moves.values())
    for step in steps:
        if not step.same:
            left = [i for i in range(step.a, step.b) if i not in moves]
            right = [j for j in range(step.c, step.d) if j not in arrived]
            beside.update(_pairs(a, left, b, right))
    return Diff(a, b, steps, moves, beside)


# -- what is shown ------------------------------------------------------------------------------------------------


def rows(diff: Diff, *, context: int = 3, opened: Collection[int] | None = ()) -> Iterator[Row]:
    """The rows of a unified diff.

    Args:
        context: equal lines shown around a change; longer stretches are folded.
        opened: first old lines of folds that are open; None opens all.
    """
    came_from = {new: old for old, new in diff.beside.items()}
    moved_from = {new: old for old, new in diff.moves.items()}
    for step in diff.steps:
        if step.same:
            for i, j, count in _folded(diff, step, context, opened):
                yield Row("same", i, j, diff.old[i]) if not count else Row("fold", i, j, count=count)
        else:
            for i in range(step.a, step.b):
                yield Row("gone", i, -1, diff.old[i], beside=diff.beside.get(i, -1), moved=diff.moves.get(i, -1))
            for j in range(step.c, step.d):
                yield Row("new", -1, j, diff.new[j], beside=came_from.get(j, -1), moved=moved_from.get(j, -1))


def pairs(diff: Diff, *, context: int = 3, opened: Collection[int] | None = ()) -> Iterator[Pair]:
    """The rows of a side-by-side diff; arguments as for `rows`."""
    moved_from = {new: old for old, new in diff.moves.items()}
    for step in diff.steps:
        if step.same:
            for i, j, count in _folded(diff, step, context, opened):
                line = diff.old[i] if not count else ""
                yield Pair("fold" if count else "same", i, j, line, line, count or 1)
            continue
        i, j = step.a, step.c
        for old, new in [*((o, n) for o, n in diff.beside.items() if step.a <= o < step.b), (step.b, step.d)]:
            for k in range(i, old):
                yield Pair("gone", k, -1, diff.old[k], moved=diff.moves.get(k, -1))
            for k in range(j, new):
                yield Pair("new", -1, k, right=diff.new[k], moved=moved_from.get(k, -1))
            if old < step.b:
                yield Pair("change", old, new, diff.old[old], diff.new[new])
            i, j = old + 1, new + 1


def applied(old: str | None, shown: Iterable[Row]) -> str:
    """The new text, made from the old one and the rows of a unified diff.

    Raises:
        ValueError: the rows do not fit the old text.
    """
    source, made, at = lines_of(old), list[str](), 0
    for row in shown:
        if row.kind == "new":
            made.append(row.text)
            continue
        lines = source[at : at + row.count]
        if len(lines) != row.count or (row.kind != "fold" and lines != [row.text]):
            raise ValueError(f"line {at + 1} of the text is not what the diff shows")
        at += row.count
        if row.kind != "gone":
            made += lines
    if at != len(source):
        raise ValueError(f"the diff ends at line {at} of {len(source)}")
    return "\n".join(made)


def as_patch(name: str, old: str | None, new: str | None, *, context: int = 3) -> str:
    """The difference in the unified format that `git apply` and `patch` read; "" where nothing differs."""
    a, b = _ended(old), _ended(new)
    steps = _steps(a, b)
    if all(step.same for step in steps):
        return ""
    parts = [f"--- a/{name}\n+++ b/{name}\n"]
    for hunk in _hunks(steps, context):
        a0, a1, b0, b1 = hunk[0].a, hunk[-1].b, hunk[0].c, hunk[-1].d
        parts.append(f"@@ -{a0 + (a1 > a0)},{a1 - a0} +{b0 + (b1 > b0)},{b1 - b0} @@\n")
        for step in hunk:
            if step.same:
                parts += [_marked(" ", line) for line in a[step.a : step.b]]
            else:
                parts += [_marked("-", line) for line in a[step.a : step.b]]
                parts += [_marked("+", line) for line in b[step.c : step.d]]
    return "".join(parts)


def _folded(diff: Diff, step: Step, context: int, opened: Collection[int] | None) -> Iterator[tuple[int, int, int]]:
    """(old line, new line, 0) of equal lines shown, (…, count) of a stretch that is folded."""
    length = step.b - step.a
    head = context if step.a or step.c else 0
    tail = context if step.b < len(diff.old) or step.d < len(diff.new) else 0
    hidden = length - head - tail
    first = step.a + head
    if hidden < 2 or opened is None or first in opened:
        yield from ((step.a + k, step.c + k, 0) for k in range(length))
        return
    yield from ((step.a + k, step.c + k, 0) for k in range(head))
    yield first, step.c + head, hidden
    yield from ((step.a + k, step.c + k, 0) for k in range(length - tail, length))


def _hunks(steps: Sequence[Step], context: int) -> Iterator[list[Step]]:
    hunk: list[Step] = []
    for number, step in enumerate(steps):
        if not step.same:
            hunk.append(step)
            continue
        length = step.b - step.a
        last = number == len(steps) - 1
        if hunk and (last or length > 2 * context):
            keep = min(context, length)
            yield [*hunk, Step(True, step.a, step.a + keep, step.c, step.c + keep)]
            hunk = []
        if not last:
            keep = length if hunk else min(context, length)
            hunk.append(Step(True, step.b - keep, step.b, step.d - keep, step.d))
    if any(not step.same for step in hunk):
        yield hunk


def _ended(text: str | None) -> list[str]:
    """The lines of a text with their ends, as the unified format counts them."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text or "")


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


# -- words --------------------------------------------------------------------------------------------------------


def words(old: str, new: str) -> tuple[Spans, Spans]:
    """The two sides of a changed line in pieces, those that differ marked; of a huge difference only where it lies."""
    head = _shared_start(old, new)
    tail = _shared_end(old, new, min(len(old), len(new)) - head)
    one, other = old[head : len(old) - tail], new[head : len(new) - tail]
    a, b = [one] if one else [], [other] if other else []
    if len(one) + len(other) <= _WORDED:
        cut = _WORD.findall(one), _WORD.findall(other)
        a, b = cut if len(cut[0]) * len(cut[1]) <= _WORD_PAIRS else (a, b)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    inner = _bridged(_joined(matcher.get_matching_blocks(), len(a), len(b)), a, b)
    left: Spans = [(old[:head], False)] if head else []
    right = list(left)
    for step in inner:
        for spans, text in ((left, "".join(a[step.a : step.b])), (right, "".join(b[step.c : step.d]))):
            if text:
                spans.append((text, not step.same))
    rest: Spans = [(old[len(old) - tail :], False)] if tail else []
    return _merged(left + rest), _merged(right + rest)


def _merged(spans: Spans) -> Spans:
    made: Spans = []
    for text, differs in spans:
        if made and made[-1][1] == differs:
            made[-1] = (made[-1][0] + text, differs)
        else:
            made.append((text, differs))
    return made


def _shared_start(a: str, b: str) -> int:
    """How many characters two lines share at their start, up to the last end of a word."""
    low, high = 0, min(len(a), len(b))
    while low < high:  # compared in halves: the text itself is compared in one go
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[low:middle] == b[low:middle] else (low, middle - 1)
    while low and _in_word(a, low) | _in_word(b, low):
        low -= 1
    return low


def _shared_end(a: str, b: str, most: int) -> int:
    """How many characters they share at their end, at most `most`, from the first start of a word on."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        same = a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    while low and _in_word(a, len(a) - low) | _in_word(b, len(b) - low):
        low -= 1
    return low


def _in_word(text: str, at: int) -> bool:
    """Whether a cut before character `at` goes through a word."""
    return 0 < at < len(text) and _WORD_SIGN.match(text[at - 1]) is not None and _WORD_SIGN.match(text[at]) is not None


def _bridged(steps: Sequence[Step], a: list[str], b: list[str]) -> list[Step]:
    """Two changes with only a space between them read as one."""
    made: list[Step] = []
    for number, step in enumerate(steps):
        inside = 0 < number < len(steps) - 1
        same = step.same and not (inside and "".join(a[step.a : step.b]).isspace())
        if made and made[-1].same == same:
            made[-1] = Step(same, made[-1].a, step.b, made[-1].c, step.d)
        else:
            made.append(Step(same, step.a, step.b, step.c, step.d))
    return made


# -- who wrote what -----------------------------------------------------------------------------------------------


def blame(texts: Sequence[str | None]) -> list[int]:
    """For each line of the last text, the place in `texts` of the one that brought it.

    Args:
        texts: the versions of one text, oldest first.
    """
    before: list[str] = []
    origin: list[int] = []
    for number, text in enumerate(texts):
        lines = lines_of(text)
        if lines != before:
            made: list[int] = []
            for step in _steps(before, lines):
                made += origin[step.a : step.b] if step.same else [number] * (step.d - step.c)
            before, origin = lines, made
    return origin


# -- aligning -----------------------------------------------------------------------------------------------------


def _steps(a: Sequence[str], b: Sequence[str]) -> list[Step]:
    """Equal and differing stretches of two sequences of lines."""
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(a), 0, len(b))]
    while todo:
        a0, a1, b0, b1 = todo.pop()
        head, tail = _ends(a[a0:a1], b[b0:b1])
        found += [(a0, b0, head), (a1 - tail, b1 - tail, tail)]
        a0, a1, b0, b1 = a0 + head, a1 - tail, b0 + head, b1 - tail
        if a0 == a1 or b0 == b1:
            continue
        size = (a1 - a0) * (b1 - b0)
        anchors = _anchors(a, b, a0, a1, b0, b1) if size > _EXACT else []
        if anchors:
            i, j = a0, b0
            for x, y in [*anchors, (a1, b1)]:
                todo.append((i, x, j, y))
                i, j = x, y
        elif size <= _ALIGNED:
            matcher = SequenceMatcher(None, a[a0:a1], b[b0:b1], autojunk=size > _EXACT)
            found += [(a0 + i, b0 + j, n) for i, j, n in matcher.get_matching_blocks()]
    return _joined(sorted(found), len(a), len(b))


def _joined(blocks: Iterable[tuple[int, int, int]], a_end: int, b_end: int) -> list[Step]:
    """Matching blocks in order -> steps, neighbours of one kind joined."""
    steps: list[Step] = []
    i = j = 0
    for x, y, n in [*blocks, (a_end, b_end, 0)]:
        if x > i or y > j:
            steps.append(Step(False, i, x, j, y))
        if n:
            if steps and steps[-1].same:
                steps[-1] = Step(True, steps[-1].a, x + n, steps[-1].c, y + n)
            else:
                steps.append(Step(True, x, x + n, y, y + n))
        i, j = x + n, y + n
    return steps


def _ends(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[int, int]:
    """How many items two sequences share at their beginning and, of what is left, at their end."""
    most = min(len(a), len(b))
    head = 0
    while head < most and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < most - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, tail


def _anchors(a: Sequence[str], b: Sequence[str], a0: int, a1: int, b0: int, b1: int) -> list[tuple[int, int]]:
    """Lines that stand exactly once on each side, the longest run of them in the same order (patience)."""
    left, right = Counter(a[a0:a1]), Counter(b[b0:b1])
    place = {b[j]: j for j in range(b0, b1) if right[b[j]] == 1}
    ends: list[int] = []
    tips: list[int] = []
    found: list[tuple[int, int]] = []
    back: list[int] = []
    for i in range(a0, a1):
        j = place.get(a[i], -1) if left[a[i]] == 1 else -1
        if j < 0:
            continue
        at = bisect_left(ends, j)
        back.append(tips[at - 1] if at else -1)
        found.append((i, j))
        if at == len(ends):
            ends.append(j)
            tips.append(len(found) - 1)
        else:
            ends[at], tips[at] = j, len(found) - 1
    chain: list[tuple[int, int]] = []
    at = tips[-1] if tips else -1
    while at >= 0:
        chain.append(found[at])
        at = back[at]
    return chain[::-1]


def _pairs(a: Sequence[str], left: Sequence[int], b: Sequence[str], right: Sequence[int]) -> list[tuple[int, int]]:
    """Which lines of a change are one line that changed: the most alike ones, in order."""
    if len(left) == 1 and len(right) == 1:
        return [(left[0], right[0])]
    if not left or not right:
        return []
    if len(left) * len(right) > _PAIRED:
        return list(zip(left, right, strict=True)) if len(left) == len(right) else []
    weights = [[_alike(x, y) for y in _bags(b, right)] for x in _bags(a, left)]
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            taken = weights[i][j] + best[i + 1][j + 1] if weights[i][j] >= _ALIKE else 0.0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if weights[i][j] >= _ALIKE and best[i][j] == weights[i][j] + best[i + 1][j + 1]:
            found.append((left[i], right[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _bags(lines: Sequence[str], chosen: Sequence[int]) -> list[Counter[str]]:
    return [Counter(w for w in _WORD.findall(lines[k][:_WEIGHED]) if not w.isspace()) for k in chosen]


def _alike(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _moves(a: Sequence[str], b: Sequence[str], steps: Iterable[Step]) -> dict[int, int]:
    """Paragraphs that went in one place and came, as they were, in another."""
    gone: dict[tuple[str, ...], list[int]] = {}
    came: dict[tuple[str, ...], list[int]] = {}
    for step in steps:
        if not step.same:
            for at, lines in _paragraphs(a, step.a, step.b):
                gone.setdefault(lines, []).append(at)
            for at, lines in _paragraphs(b, step.c, step.d):
                came.setdefault(lines, []).append(at)
    moves: dict[int, int] = {}
    for lines, places in gone.items():
        targets = came.get(lines, [])
        if len(places) == 1 and len(targets) == 1:
            moves.update((places[0] + k, targets[0] + k) for k in range(len(lines)))
    return moves


def _paragraphs(lines: Sequence[str], start: int, stop: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Runs of lines between blank ones that are long enough to tell from others."""
    first = start
    for at in range(start, stop + 1):
        if at == stop or not lines[at].strip():
            paragraph = tuple(lines[first:at])
            if sum(map(len, paragraph)) >= _MOVES:
                yield first, paragraph
            first = at + 1
