"""From the differences of two aligned sentences to findings: what is a conflict, and what only tells two facts apart.
Pure.

Two statements conflict where all but one thing is the same, and that thing can have one value only. They do not where
the
subject, or the condition under which they hold, differs as well: then they are two facts of one template. And the
unexplained rest may be at most a fifth of the content words. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from . import roles
from .choices import is_choice, rejects
from .differences import Change, differences, rest_share
from .finding import Kind, Lane, Span
from .lexicon import Lexicon
from .lexing import Token
from .placing import (
    Pair,
    class_of,
    is_additive,
    is_adjunct,
    is_label,
    is_list,
    is_listed_number,
    is_verb,
    labels_reference,
    named,
)
from .polarity import Flip, flips
from .reading import Reading
from .topics import is_key, mixed, scoped_alone

#: Largest share of content words that may be left unexplained in a conflict.
REST: Final = 0.2
#: Share from which an unexplained rest is worth a remark by itself.
REMARKED: Final = 0.25


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding with spans inside the two sentences."""

    lane: Lane
    kind: Kind
    left: Span
    right: Span
    reason: str
    #: Keys of the two sides where the difference names what the sentence is about; ("", "") elsewhere.
    about: tuple[str, str] = ("", "")
    #: Whether the difference shows two things: a sure one of that sort, or another name.
    apart: bool = False


def judge(left: Reading, right: Reading, lexicon: Lexicon, *, loose: bool = False) -> list[Judged]:
    """The findings of two aligned sentences.

    Args:
        left, right: the two sentences.
        lexicon: the word tables.
        loose: the alignment is weak: nothing is a conflict, and only values are worth telling.
    """
    if not loose and (found := _roles(left, right)):
        return [found]
    if roles.converse(left, right, lexicon):
        return []
    pair = Pair(left, right, differences(left, right, lexicon), lexicon)
    turned = flips(left, right, pair.found)
    keys = [change for change in pair.found.changes if is_key(pair, change)]
    apart = bool(keys) or scoped_alone(pair) or mixed(pair, turned)
    judged = [_turned(pair, flip) for flip in turned]
    judged += [_changed(pair, change, keys) for change in pair.found.changes if change.kind is not Kind.ANTONYM]
    judged += [_changed(pair, change, keys) for change in _attributes(pair, turned)]
    share = rest_share(left, right, pair.found)
    if not judged and rest_share(left, right, pair.found, whole=True) >= REMARKED:
        judged.append(_rest(pair))
    return [_settled(pair, item, apart or loose, share) for item in judged if not loose or item.kind not in _VAGUE]


_VAGUE: Final = frozenset({Kind.WORD, Kind.IDENTIFIER})


def _settled(pair: Pair, item: Judged, apart: bool, share: float) -> Judged:
    """The finding in its final lane."""
    if item.lane is Lane.CONFLICT and (apart or share > REST + _own_share(pair, item)):
        return replace(item, lane=Lane.SLOT)
    return item


def _rest(pair: Pair) -> Judged:
    """What only one of the sentences says, where nothing else differs."""
    left = [pair.left.token(i) for i in pair.found.left_rest]
    right = [pair.right.token(j) for j in pair.found.right_rest]
    if left and right:
        reason = f"{_words(left)} against {_words(right)}"
    else:
        reason = f"only one says “{_words(left or right)}”"
    end = len(pair.left.text), len(pair.right.text)
    spans = [_span(side) if side else (last, last) for side, last in zip((left, right), end, strict=True)]
    return Judged(Lane.SLOT, Kind.WORD, spans[0], spans[1], reason)


def _own_share(pair: Pair, item: Judged) -> float:
    """What the words of a named choice themselves add to the unexplained rest: they are its explanation."""
    if item.kind is not Kind.CHOICE:
        return 0.0
    total = len(pair.left.keys) + len(pair.right.keys)
    words = sum(len(c.left) + len(c.right) for c in pair.found.changes if c.kind is Kind.WORD)
    return words / total if total else 0.0


def _turned(pair: Pair, flip: Flip) -> Judged:
    left = [pair.left.tokens[i] for i in flip.left] + [pair.left.token(c.left[0]) for c in flip.opposites]
    right = [pair.right.tokens[j] for j in flip.right] + [pair.right.token(c.right[0]) for c in flip.opposites]
    if flip.opposites and not flip.left and not flip.right:
        reason = f"{left[0].text} against {right[0].text}"
        return Judged(Lane.CONFLICT, Kind.ANTONYM, _span(left), _span(right), reason)
    spans = [_span(side) if side else _answer(pair, flip, which) for which, side in enumerate((left, right))]
    said = (left or right)[0].text
    reason = f"only one says “{said}”" if len(left) + len(right) == 1 else "denied on one side"
    return Judged(Lane.CONFLICT, Kind.NEGATION, spans[0], spans[1], reason)


def _answer(pair: Pair, flip: Flip, side: int) -> Span:
    """Where the side without a negation says what the other denies."""
    reading, other = (pair.left, pair.right) if side == 0 else (pair.right, pair.left)
    denied = dict(other.denied)
    for index in flip.right if side == 0 else flip.left:
        position = denied.get(index, -1)
        partners = {j: i for i, j in pair.found.same.items()} if side == 0 else pair.found.same
        if position in partners:
            return _span([reading.token(partners[position])])
    return (0, 0)


def _attributes(pair: Pair, turned: Sequence[Flip]) -> list[Change]:
    """Opposites that no clause is turned round by, but that name what the sentences are about."""
    told = {id(change) for flip in turned for change in flip.opposites}
    return [
        change
        for change in pair.found.changes
        if change.kind is Kind.ANTONYM and id(change) not in told and not pair.left.denied and not pair.right.denied
    ]


def _changed(pair: Pair, change: Change, keys: Sequence[Change]) -> Judged:
    left = [pair.left.token(i) for i in change.left]
    right = [pair.right.token(j) for j in change.right]
    reason = f"{_words(left)} against {_words(right)}"
    is_key = any(change is key for key in keys)
    about = (left[0].stem, right[0].stem) if is_key else ("", "")
    sure = change.kind is not Kind.WORD or named(pair, change) or _differ_again(pair, change)
    apart = _are_names(pair, change) or (is_key and sure)
    lane, kind = _lane(pair, change)
    if kind is Kind.EXCLUSIVE:
        reason += f" ({class_of(pair, change)})"
    return Judged(lane, kind, _span(left), _span(right), reason, about, apart)


def _are_names(pair: Pair, change: Change) -> bool:
    """Whether both sides are proper names: a capital that no start of a sentence explains."""
    if change.kind is not Kind.WORD or 0 in pair.indexes(change):
        return False
    return all(token.capital and not token.code for token in pair.ends(change))


def _differ_again(pair: Pair, key: Change) -> bool:
    """Whether something besides a key differs, other than one verb for another."""
    return any(
        change is not key and not (change.kind is Kind.WORD and all(is_verb(pair, t) for t in pair.ends(change)))
        for change in pair.found.changes
    )


def _lane(pair: Pair, change: Change) -> tuple[Lane, Kind]:
    """The lane of a change by itself, before the rest of the sentence is looked at."""
    here, there = pair.indexes(change)
    if change.kind in (Kind.WORD, Kind.EXCLUSIVE, Kind.IDENTIFIER) and is_choice(pair, change):
        return Lane.CONFLICT, Kind.EXCLUSIVE if change.kind is Kind.EXCLUSIVE and not rejects(pair) else Kind.CHOICE
    if change.kind is Kind.WORD or change.kind is Kind.IDENTIFIER:
        return Lane.SLOT, change.kind
    if change.kind is Kind.ANTONYM:
        return Lane.SLOT, Kind.ANTONYM
    if change.kind is Kind.EXCLUSIVE:
        free = is_additive(pair, change) or is_adjunct(pair, change)
        listed = is_list(pair.left, change.left[0]) or is_list(pair.right, change.right[0])
        return (Lane.SLOT if free or listed else Lane.CONFLICT), Kind.EXCLUSIVE
    if is_label(pair.left, here) and is_label(pair.right, there) and labels_reference(pair.left, here):
        return Lane.SLOT, Kind.IDENTIFIER
    if is_listed_number(pair.left, here) or is_listed_number(pair.right, there):
        return Lane.SLOT, change.kind
    return Lane.CONFLICT, change.kind


def _roles(left: Reading, right: Reading) -> Judged | None:
    if names := roles.swapped(left, right):
        said = [" ".join(left.tokens[i].text for i in name) for name in names]
        first, second = left.tokens[names[0].start], left.tokens[names[1].stop - 1]
        kind = Kind.CHOICE if left.rejected and right.rejected else Kind.ROLES
        where = next((t.start for t in right.tokens if t.start >= 0), 0)
        span = (where, len(right.text.rstrip(" .")))
        return Judged(Lane.CONFLICT, kind, (first.start, second.end), span, f"{said[0]} and {said[1]} change places")
    if verbs := roles.turned(left, right):
        one, other = left.tokens[verbs[0]], right.tokens[verbs[1]]
        reason = f"“{one.text}” one way and the other"
        return Judged(Lane.CONFLICT, Kind.ROLES, (one.start, one.end), (other.start, other.end), reason)
    return None


def _span(tokens: Iterable[Token]) -> Span:
    found = list(tokens)
    return min(t.start for t in found), max(t.end for t in found)


def _words(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)
