"""Swapped roles: "A replaces B" against "B replaces A", and "A replaces B" against "A is replaced by B". Pure.

Two sentences with the same words in another order mostly say the same. They do not where two names have changed places
around everything else, unless what joins them works both ways ("and", "or", "with", "is related to").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import grammar
from .lexicon import Lexicon
from .lexing import CONTENT, VALUES, Sort, Token
from .reading import Reading, key

#: Longest name that can change places, in words.
_MAX_NAME: Final = 4
# Two names around nothing but these, or anywhere beside them, can change places freely.
_BOTH_WAYS: Final = grammar.word_set(
    """and or between both with together alongside related equals same different beside near pair pairs shares share
    versus vs match matches agree conflict conflicts talk meet married y o e u entre junto juntos igual combine
    combines plus compare compares compared unlike like synonym alias integrate integrates"""
)


def swapped(left: Reading, right: Reading) -> tuple[range, range] | None:
    """Token ranges of two names of the left sentence that have changed places in the right; None where none have."""
    one, other = _spine(left), _spine(right)
    if len(one) != len(other) or len(one) < 3:
        return None
    a, b = [key(left.tokens[i]) for i in one], [key(right.tokens[j]) for j in other]
    if a == b or sorted(a) != sorted(b):
        return None
    start = next(i for i in range(len(a)) if a[i] != b[i])
    end = next(i for i in range(len(a), 0, -1) if a[i - 1] != b[i - 1])
    middle = list(range(start, end))
    for first in range(1, min(_MAX_NAME, len(middle) - 1) + 1):
        for second in range(1, min(_MAX_NAME, len(middle) - first) + 1):
            x, y = a[start : start + first], a[end - second : end]
            between = a[start + first : end - second]
            if between and b[start:end] == [*y, *between, *x]:
                names = range(one[start], one[start + first - 1] + 1), range(one[end - second], one[end - 1] + 1)
                return names if _one_way(left, names) else None
    return None


def converse(left: Reading, right: Reading, lexicon: Lexicon) -> bool:
    """Whether two names have changed places around a relation and its opposite: "A runs before B", "B runs after A"."""
    one, other = _spine(left), _spine(right)
    if len(one) != len(other) or len(one) < 3:
        return False
    a, b = [key(left.tokens[i]) for i in one], [key(right.tokens[j]) for j in other]
    turned = [k for k in range(1, len(a) - 1) if lexicon.are_opposite(a[k], b[k])]
    if len(turned) != 1:
        return False
    middle = turned[0]
    first, last = a[:middle], a[middle + 1 :]
    # What is said besides the names stays where it is: "A runs before B" keeps "runs" behind the first name.
    shared = [k for k in range(min(len(first), len(b[:middle]))) if first[k] == b[k]]
    names = [k for k in range(middle) if k not in shared]
    return bool(names) and [first[k] for k in names] == b[middle + 1 :] and [b[k] for k in names] == last


def turned(left: Reading, right: Reading) -> tuple[int, int] | None:
    """Indexes of the verb in both sentences where one is active, one passive, and the names stand in one order."""
    for one, other, flipped in ((left, right, False), (right, left, True)):
        verb = _passive(other)
        if verb is None or _passive(one) is not None:
            continue
        names = [k for k, i in zip(other.keys, other.content, strict=True) if i != verb]
        plain = [p for p, k in enumerate(one.keys) if k == key(other.tokens[verb])]
        if len(plain) == 1 and len(names) >= 2 and names == [k for p, k in enumerate(one.keys) if p != plain[0]]:
            active = one.content[plain[0]]
            if one.content[0] < active < one.content[-1]:
                return (verb, active) if flipped else (active, verb)
    return None


def _spine(reading: Reading) -> list[int]:
    """Indexes of the tokens whose order matters: all but articles, signs and words that weigh nothing."""
    return [
        i
        for i, token in enumerate(reading.tokens)
        if token.sort is not Sort.SIGN
        and not (token.sort is Sort.FUNCTION and token.folded in grammar.DETERMINERS)
        and token.folded not in _LIGHT
    ]


_LIGHT: Final = frozenset({"always", "currently", "now", "also", "still", "already", "usually", "siempre"})


def _one_way(reading: Reading, names: tuple[range, range]) -> bool:
    """Whether what joins the two names has a direction: something with content between or before them."""
    tokens = reading.tokens
    for name in names:
        if not any(tokens[i].sort in CONTENT for i in name):
            return False
    between = tokens[names[0].stop : names[1].start]
    if all(tokens[i].sort in VALUES for name in names for i in name if tokens[i].sort in CONTENT):
        # "2 in staging and 4 in production": values are told apart by what stands between them.
        return any(token.sort in CONTENT and token.sort not in VALUES for token in between)
    if any(token.folded in _BOTH_WAYS for token in [*between, *tokens[max(0, names[0].start - 3) : names[0].start]]):
        return False
    if any(token.text in (",", "/", "|", "&", "+") for token in between):
        return False
    return any(token.sort in CONTENT or token.folded in _DIRECTED for token in between)


_DIRECTED: Final = grammar.word_set(
    """before after over under than from to into a de above below behind is es without"""
)


def _passive(reading: Reading) -> int | None:
    """Index of a participle between a copula and "by"."""
    tokens: Sequence[Token] = reading.tokens
    for index in range(1, len(tokens) - 1):
        if tokens[index + 1].folded in ("by", "por") and tokens[index].sort is Sort.WORD:
            before = tokens[index - 1]
            if before.folded in grammar.COPULAS or before.folded in ("been", "being", "not"):
                return index
    return None
