"""Two whole texts compared: sentence by sentence, then as texts that may be about different things. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from .alignment import Partner, align, unmatched
from .finding import Finding, Kind, Lane, Span
from .judging import Judged, judge
from .lexicon import Lexicon, Settings, lexicon
from .quantities import Quantity, same
from .reading import Reading, read
from .relations import contradicting, facts
from .sentences import Sentence, split

#: Least likeness of two sentences that answer each other.
ALIGNED: Final = 0.5
#: Least likeness at which a differing value is still worth telling, though not as a conflict.
LOOSE: Final = 0.3
#: Sentences of each text that are compared once those both hold are dropped.
MAX_COMPARED: Final = 400
_TITLE_WORDS: Final = 14


@dataclass(frozen=True, slots=True)
class _Matched:
    """Two aligned sentences and what was found between them."""

    left: Sentence
    right: Sentence
    left_index: int
    right_index: int
    judged: tuple[Judged, ...]


def compare(a: str, b: str, config: Settings | None = None) -> list[Finding]:
    """Say how two texts differ, conflicts first.

    Sentences that stand verbatim in the other text are left out; the rest is aligned one to one, and each aligned pair
    is read for negations, opposites, values, members of exclusive classes, named choices and swapped roles.

    Args:
        a, b: the texts, such as `tokens.entry_text` gives; Markdown is understood.
        config: words added to the built-in tables.
    """
    if a == b:
        return []
    tables = lexicon(config)
    left, right = _sentences(a), _sentences(b)
    lefts, rights = unmatched(left, right)
    one = [(i, read(left[i].text, tables)) for i in lefts[:MAX_COMPARED]]
    other = [(j, read(right[j].text, tables)) for j in rights[:MAX_COMPARED]]
    partners = align(one, other, ALIGNED)
    matched = _judged(left, right, dict(one), dict(other), partners, tables, loose=False)
    found = [_finding(m, item) for m in _demoted(matched) for item in m.judged]
    used = {p.left for p in partners}, {p.right for p in partners}
    free = [(i, r) for i, r in one if i not in used[0]], [(j, r) for j, r in other if j not in used[1]]
    found += _facts(left, right, lefts, rights, found, tables)
    loose = align(*free, LOOSE)
    for m in _judged(left, right, dict(one), dict(other), loose, tables, loose=True):
        found += [_finding(m, item) for item in m.judged]
    if not found:
        found = _stray_numbers(left, right, *free)
    return sorted(found, key=lambda f: (f.lane is not Lane.CONFLICT, f.left_span))


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(split(text))


def _judged(
    left: Sequence[Sentence],
    right: Sequence[Sentence],
    one: dict[int, Reading],
    other: dict[int, Reading],
    partners: Iterable[Partner],
    tables: Lexicon,
    *,
    loose: bool,
) -> list[_Matched]:
    return [
        _Matched(
            left[p.left],
            right[p.right],
            p.left,
            p.right,
            tuple(judge(one[p.left], other[p.right], tables, loose=loose)),
        )
        for p in sorted(partners, key=lambda p: p.left)
    ]


def _demoted(matched: Sequence[_Matched]) -> list[_Matched]:
    """Conflicts lowered to slots where the texts, not the sentences, are about different things.

    That is so where their headings differ, where the first line of both names another thing, and where one name stands
    for another throughout.
    """
    names = Counter(item.about for m in matched for item in m.judged if item.about != ("", ""))
    repeated = {about for about, count in names.items() if count > 1}
    first = {
        item.about
        for m in matched
        if m.left_index == 0 and m.right_index == 0 and len(m.left.text.split()) <= _TITLE_WORDS
        for item in m.judged
        if item.about != ("", "")
    }
    apart = repeated | (first if len(matched) > 1 else set())
    return [_lowered(m) if apart or _other_heading(m) else m for m in matched]


def _other_heading(m: _Matched) -> bool:
    mine, theirs = m.left.heading.casefold(), m.right.heading.casefold()
    return bool(mine and theirs) and mine != theirs


def _lowered(m: _Matched) -> _Matched:
    return replace(m, judged=tuple(replace(item, lane=Lane.SLOT) for item in m.judged))


def _finding(m: _Matched, item: Judged) -> Finding:
    return Finding(
        item.lane,
        item.kind,
        m.left.text,
        m.right.text,
        _moved(item.left, m.left.start),
        _moved(item.right, m.right.start),
        item.reason,
        item.apart,
    )


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _facts(
    left: Sequence[Sentence],
    right: Sequence[Sentence],
    lefts: Sequence[int],
    rights: Sequence[int],
    found: Sequence[Finding],
    tables: Lexicon,
) -> list[Finding]:
    """Facts about a person that both texts state, each with another value."""
    told = {(f.left, f.right) for f in found if f.lane is Lane.CONFLICT}
    here = [(left[i], facts(left[i].text, tables)) for i in lefts[:MAX_COMPARED]]
    there = [(right[j], facts(right[j].text, tables)) for j in rights[:MAX_COMPARED]]
    made: list[Finding] = []
    for one, mine in here:
        for other, theirs in there if mine else ():
            pair = contradicting(mine, theirs)
            if pair is None or (one.text, other.text) in told:
                continue
            values = [s.text[slice(*fact.span)] for s, fact in zip((one, other), pair, strict=True)]
            reason = f"{values[0]} against {values[1]} ({pair[0].relation.split()[0]})"
            spans = _moved(pair[0].span, one.start), _moved(pair[1].span, other.start)
            made.append(Finding(Lane.CONFLICT, Kind.CHOICE, one.text, other.text, *spans, reason))
    return made


def _stray_numbers(
    left: Sequence[Sentence],
    right: Sequence[Sentence],
    one: Sequence[tuple[int, Reading]],
    other: Sequence[tuple[int, Reading]],
) -> list[Finding]:
    """A number on each side that the other lacks, in sentences too unlike to align: told, so that none gets lost."""
    mine = [(left[i], t) for i, r in one for t in r.tokens if isinstance(t.value, Quantity)]
    theirs = [(right[j], t) for j, r in other for t in r.tokens if isinstance(t.value, Quantity)]
    lone = [(s, t) for s, t in mine if not any(t.value and u.value and same(t.value, u.value) for _, u in theirs)]
    back = [(s, t) for s, t in theirs if not any(t.value and u.value and same(t.value, u.value) for _, u in mine)]
    for sentence, token in lone:
        for answer, number in back:
            if isinstance(token.value, Quantity) and isinstance(number.value, Quantity):
                if token.value.dimension != number.value.dimension:
                    continue
                spans = (
                    _moved((token.start, token.end), sentence.start),
                    _moved((number.start, number.end), answer.start),
                )
                reason = f"{token.text} against {number.text}"
                return [Finding(Lane.SLOT, Kind.NUMBER, sentence.text, answer.text, *spans, reason)]
    return []
