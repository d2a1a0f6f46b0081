"""What differs between two aligned sentences, word by word. Pure.

The words that both hold in order are anchors; what lies between two anchors is a slot. What is left over is paired:
words that moved, words that mean the same, opposites, values, members of a class, identifiers, then one-for-one words.
What nothing pairs is the unexplained rest. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from . import grammar, quantities
from .alignment import common, likeness
from .finding import Kind
from .lexicon import Lexicon
from .lexing import VALUES, Sort, Token
from .quantities import Quantity
from .reading import Reading

#: Two words spelled so much alike are one word, misspelt or bent in a way the stemmer does not know.
SPELLING: Final = 0.85


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: positions in the content of both readings.

    `kind` is what differs; `opposite` marks the kinds that turn the statement round (antonym).
    """

    kind: Kind
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(slots=True)
class Differences:
    """All that differs between two readings.

    Attributes:
        same: pairs of positions that say the same.
        changes: differences that are understood, in the order of the left sentence.
        left_rest, right_rest: positions that nothing explains.
        moved: how many of `same` stand in another order.
    """

    same: dict[int, int] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    left_rest: list[int] = field(default_factory=list)
    right_rest: list[int] = field(default_factory=list)
    moved: int = 0


Fits = Callable[[Token, Token], bool]


def differences(left: Reading, right: Reading, lexicon: Lexicon) -> Differences:
    """Pair the content of two sentences."""
    found = Differences(same=dict(common(left.keys, right.keys)))
    pool = _Pool(left, right, found)
    found.moved = pool.take_same(lambda a, b, i, j: left.keys[i] == right.keys[j])
    pool.take_same(lambda a, b, i, j: _equal(a, b, lexicon))
    pool.take(Kind.ANTONYM, lambda a, b: _opposite(a, b, lexicon), anywhere=True)
    pool.take_values()
    pool.take(Kind.EXCLUSIVE, _exclusive, anywhere=True)
    pool.take(Kind.IDENTIFIER, _identifiers)
    pool.take_words()
    found.left_rest, found.right_rest = sorted(pool.left), sorted(pool.right)
    found.changes.sort(key=lambda change: (change.left, change.right))
    return found


class _Pool:
    """The positions that are not paired yet, with the slot each lies in."""

    def __init__(self, left: Reading, right: Reading, found: Differences) -> None:
        self.reading = (left, right)
        self.found = found
        self.left_slot = _slots(len(left.keys), sorted(found.same))
        self.right_slot = _slots(len(right.keys), sorted(found.same.values()))
        self.left = [i for i in range(len(left.keys)) if i not in found.same]
        taken = set(found.same.values())
        self.right = [j for j in range(len(right.keys)) if j not in taken]

    def take_same(self, fits: Callable[[Token, Token, int, int], bool]) -> int:
        """Pair what says the same, the same slot first; the number of pairs from different slots."""
        moved = 0
        for near in (True, False):
            for i in list(self.left):
                for j in self.right:
                    if near and self.left_slot[i] != self.right_slot[j]:
                        continue
                    if fits(self.reading[0].token(i), self.reading[1].token(j), i, j):
                        self._pair(i, j)
                        self.found.same[i] = j
                        moved += not near
                        break
        return moved

    def take(self, kind: Kind, fits: Fits, *, anywhere: bool = False) -> None:
        """Pair what differs in this way, the same slot first."""
        for near in (True, False) if anywhere else (True,):
            for i in list(self.left):
                for j in self.right:
                    if near and self.left_slot[i] != self.right_slot[j]:
                        continue
                    if fits(self.reading[0].token(i), self.reading[1].token(j)):
                        self._pair(i, j)
                        self.found.changes.append(Change(kind, (i,), (j,)))
                        break

    def take_values(self) -> None:
        """Pair numbers, versions, dates and times: in one slot, else where both count the same thing."""
        for near in (True, False):
            for i in list(self.left):
                for j in self.right:
                    one, other = self.reading[0].token(i), self.reading[1].token(j)
                    if one.sort not in VALUES or other.sort not in VALUES:
                        continue
                    kind = _value_kind(one, other)
                    if kind is None or not (self._near(i, j) if near else self._counts_alike(i, j)):
                        continue
                    self._pair(i, j)
                    self.found.changes.append(Change(kind, (i,), (j,)))
                    break

    def take_words(self) -> None:
        """Pair one-for-one words: a slot with as many words left on both sides, or a short phrase against another."""
        for slot in sorted({self.left_slot[i] for i in self.left} & {self.right_slot[j] for j in self.right}):
            lefts = [i for i in self.left if self.left_slot[i] == slot and self._weighs(0, i)]
            rights = [j for j in self.right if self.right_slot[j] == slot and self._weighs(1, j)]
            if not lefts or not rights or max(len(lefts), len(rights)) > 3:
                continue
            pairs: Iterable[tuple[tuple[int, ...], tuple[int, ...]]]
            if len(lefts) == len(rights):
                pairs = [((i,), (j,)) for i, j in zip(lefts, rights, strict=True)]
            else:
                pairs = [(tuple(lefts), tuple(rights))]
            for one, other in pairs:
                for i in one:
                    self.left.remove(i)
                for j in other:
                    self.right.remove(j)
                self.found.changes.append(Change(Kind.WORD, one, other))

    def _near(self, i: int, j: int) -> bool:
        return self.left_slot[i] == self.right_slot[j]

    def _counts_alike(self, i: int, j: int) -> bool:
        one, other = self.reading[0].token(i), self.reading[1].token(j)
        if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
            if one.value.dimension or other.value.dimension:
                return one.value.dimension == other.value.dimension
            return _noun(self.reading[0], i) == _noun(self.reading[1], j) != ""
        return one.sort is other.sort

    def _weighs(self, side: int, position: int) -> bool:
        return weight(self.reading[side].token(position)) > 0

    def _pair(self, i: int, j: int) -> None:
        self.left.remove(i)
        self.right.remove(j)


def weight(token: Token) -> int:
    """What a token counts in the unexplained rest: nothing for words whose absence changes nothing."""
    shouted = token.text.isupper() and len(token.text) > 1  # GET is a name, "get" is not
    return 0 if token.folded in grammar.NEUTRAL and not shouted else 1


def rest_share(left: Reading, right: Reading, found: Differences, *, whole: bool = False) -> float:
    """The unexplained rest as a share of the content of both sentences, one-for-one words counted as unexplained.

    Args:
        left, right: the sentences.
        found: what differs between them.
        whole: count clauses of which the other sentence says nothing as well.
    """
    total = rest = 0
    for reading, over in ((left, found.left_rest), (right, found.right_rest)):
        aside = set[int]() if whole else asides(reading, over)
        total += sum(weight(reading.token(p)) for p in range(len(reading.content)) if p not in aside)
        rest += sum(weight(reading.token(p)) for p in over if p not in aside)
    words = sum(len(c.left) + len(c.right) for c in found.changes if c.kind is Kind.WORD)
    return (rest + words) / total if total else 0.0


_CONDITION: Final = grammar.word_set(
    "if when unless except only during while until after before for in on si cuando salvo excepto durante para en"
)


def asides(reading: Reading, rest: Sequence[int]) -> set[int]:
    """Positions in clauses of which the other sentence says nothing: another statement, not a rest. Conditions stay."""
    over, found = set(rest), set[int]()
    for clause in {reading.clauses[reading.content[p]] for p in rest}:
        inside = [p for p, i in enumerate(reading.content) if reading.clauses[i] == clause]
        tokens = [t for t, number in zip(reading.tokens, reading.clauses, strict=True) if number == clause]
        opening = [t.folded for t in tokens if t.sort is not Sort.SIGN and t.folded not in grammar.CONJUNCTIONS][:1]
        if set(inside) <= over and _CONDITION.isdisjoint(opening):
            found.update(inside)
    return found


def _slots(count: int, anchors: Sequence[int]) -> list[int]:
    """For each position the number of anchors before it."""
    slots, number, held = [], 0, set(anchors)
    for position in range(count):
        slots.append(number)
        number += position in held
    return slots


def _equal(one: Token, other: Token, lexicon: Lexicon) -> bool:
    if one.value is not None and other.value is not None:
        return quantities.same(one.value, other.value)
    if one.sort is not Sort.WORD or other.sort is not Sort.WORD:
        return False
    if one.members and other.members:
        return not set(one.members).isdisjoint(other.members)
    if " " in one.folded or " " in other.folded:
        mine, theirs = set(one.folded.split()), set(other.folded.split())
        return mine <= theirs or theirs <= mine  # "Laura" is "Laura Stein"
    if one.stem == other.stem or lexicon.are_synonyms(one.stem, other.stem):
        return True
    if min(len(one.stem), len(other.stem)) < 5 or lexicon.are_opposite(one.stem, other.stem):
        return False
    return one.stem.isalpha() and other.stem.isalpha() and likeness(one.stem, other.stem) >= SPELLING


def _opposite(one: Token, other: Token, lexicon: Lexicon) -> bool:
    if one.sort is not Sort.WORD or other.sort is not Sort.WORD:
        return False
    return lexicon.are_opposite(one.stem, other.stem) or other.folded in lexicon.opposites.get(one.folded, ())


def _exclusive(one: Token, other: Token) -> bool:
    return any(name == also for name, _ in one.members for also, _ in other.members)


def _identifiers(one: Token, other: Token) -> bool:
    if one.sort in VALUES or other.sort in VALUES:
        return False
    return (one.sort is Sort.IDENTIFIER and other.sort is Sort.IDENTIFIER) or (one.code and other.code)


def _value_kind(one: Token, other: Token) -> Kind | None:
    """What differs between two values; None where they are not of one kind."""
    if one.sort is Sort.DATE and other.sort is Sort.DATE:
        return Kind.DATE
    if one.sort is Sort.TIME and other.sort is Sort.TIME:
        return Kind.TIME
    if Sort.VERSION in (one.sort, other.sort) and {one.sort, other.sort} <= {Sort.VERSION, Sort.NUMBER}:
        bare = [t.value for t in (one, other) if isinstance(t.value, Quantity)]
        return None if any(q.dimension for q in bare) else Kind.VERSION
    if isinstance(one.value, Quantity) and isinstance(other.value, Quantity):
        if one.value.dimension == other.value.dimension or not (one.value.dimension and other.value.dimension):
            return Kind.UNIT if one.value.raw == other.value.raw else Kind.NUMBER
        if one.value.raw == other.value.raw:
            return Kind.UNIT
        # A number of requests and a number of seconds do not contradict each other.
        alike = one.value.dimension.split(":")[0].split("-")[0] == other.value.dimension.split(":")[0].split("-")[0]
        return Kind.NUMBER if alike else None
    return None


def _noun(reading: Reading, position: int) -> str:
    """The stem of the content word right behind a number."""
    return reading.keys[position + 1] if position + 1 < len(reading.keys) else ""
