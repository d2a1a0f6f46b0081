"""Whether two sentences speak of different things: then a value that differs denies nothing. Pure.

"The billing service listens on 8080" and "the auth service listens on 8081" are two facts of one template. What tells
them apart is called a key here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import grammar
from .choices import is_choice
from .differences import Change
from .finding import Kind
from .lexing import Sort
from .placing import (
    Pair,
    attributive,
    class_of,
    in_subject,
    is_adjunct,
    is_label,
    is_list,
    is_verb,
    labels_reference,
    names_release,
    states_role,
)
from .polarity import Flip
from .reading import Reading


def is_key(pair: Pair, change: Change) -> bool:
    """Whether a change says that the sentences are about different things."""
    one, other = pair.ends(change)
    here, there = pair.indexes(change)
    about = in_subject(pair.left, here) or in_subject(pair.right, there)
    if not pair.left.verbal and not pair.right.verbal and change.kind not in (Kind.NUMBER, Kind.UNIT):
        return _qualifies(pair, change)
    if change.kind in (Kind.NUMBER, Kind.VERSION, Kind.DATE, Kind.TIME, Kind.UNIT):
        if is_label(pair.left, here) and is_label(pair.right, there):
            return about or labels_reference(pair.left, here)
        if about and names_release(pair.left, here) and names_release(pair.right, there):
            return not states_role(pair, change)
        return (
            change.kind is not Kind.NUMBER and change.kind is not Kind.UNIT and about and not states_role(pair, change)
        )
    if change.kind is Kind.EXCLUSIVE:
        return about and not states_role(pair, change)
    if change.kind is Kind.ANTONYM:
        return about and _names_thing(pair, change)
    if is_verb(pair, one) and is_verb(pair, other):
        return False
    if about:
        return not states_role(pair, change)
    return len(pair.found.changes) > 1 and not is_choice(pair, change)


def _qualifies(pair: Pair, change: Change) -> bool:
    """Whether a change in a title tells two things apart: "help (French)", "headers for Linux 6.1", "Redis port"."""
    if change.kind in (Kind.WORD, Kind.IDENTIFIER) or len(pair.left.content) == len(pair.right.content) == 1:
        return True
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        tokens = reading.tokens
        before = tokens[index - 1] if index else None
        if before is not None and before.members and index > 1:
            before = tokens[index - 2]  # "for Linux 6.1"
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        bound = before is not None and (before.folded in grammar.PREPOSITIONS or before.text == "(")
        names = after is not None and after.sort in (Sort.WORD, Sort.IDENTIFIER, Sort.NUMBER, Sort.VERSION)
        if not bound and not (names and change.kind is not Kind.ANTONYM and change.kind is not Kind.VERSION):
            return False
    return True


def _names_thing(pair: Pair, change: Change) -> bool:
    """Whether an opposite in the subject belongs to what is spoken of: "upload limits" and "download limits"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        if index + 1 < reading.subject[1] or index < reading.scope[1] or _has_predicate(reading):
            return True
    return False


def _has_predicate(reading: Reading) -> bool:
    return any(t.folded in grammar.FINITE or t.text in (":", "=") for t in reading.tokens[reading.subject[1] :][:1])


def scoped_alone(pair: Pair) -> bool:
    """Whether one side alone is bound to a place or a time: "the API" against "the staging API"."""
    for reading, rest in ((pair.left, pair.found.left_rest), (pair.right, pair.found.right_rest)):
        for position in rest:
            token = reading.token(position)
            if any(name in pair.lexicon.scopes for name, _ in token.members) and not is_list(reading, position):
                return True
    return False


def mixed(pair: Pair, turned: Sequence[Flip]) -> bool:
    """Whether differences of several sorts stand together, one of them a condition: two facts, not one denied."""
    kinds = {change.kind for change in pair.found.changes}
    values = kinds & {Kind.NUMBER, Kind.VERSION, Kind.UNIT}
    if Kind.DATE in kinds and (values or kinds & {Kind.EXCLUSIVE, Kind.WORD, Kind.IDENTIFIER}):
        return True
    others = [c for c in pair.found.changes if c.kind is Kind.EXCLUSIVE and is_adjunct(pair, c)]
    if others and (values or turned or len(pair.found.changes) > len(others)):
        return True
    if values and any(c.kind is Kind.EXCLUSIVE and class_of(pair, c) in _WHEN for c in pair.found.changes):
        return True
    return bool(values) and any(
        attributive(pair, change) for change in pair.found.changes if change.kind is Kind.ANTONYM
    )


_WHEN: Final = frozenset({"weekday", "month", "season", "daypart", "frequency"})
