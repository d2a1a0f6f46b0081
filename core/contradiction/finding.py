"""What a comparison says: findings, each in one of two lanes, and the verdict over them.

Pure values. Source: DESIGN 6 (two queues, never one).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

Span = tuple[int, int]


class Lane(StrEnum):
    """Where a finding shows."""

    CONFLICT = "conflict"  # both statements cannot hold: an alarm
    SLOT = "slot"  # the texts differ in one place and may both hold: information


class Kind(StrEnum):
    """What differs."""

    NEGATION = "negation"
    ANTONYM = "antonym"
    NUMBER = "number"
    VERSION = "version"
    DATE = "date"
    TIME = "time"
    UNIT = "unit"
    EXCLUSIVE = "exclusive"
    CHOICE = "choice"
    ROLES = "roles"
    IDENTIFIER = "identifier"
    WORD = "word"


class Verdict(StrEnum):
    """The outcome for a pair."""

    CONFLICT = "conflict"  # a contradiction, never offered as a duplicate
    DIFFERS = "differs"  # no alarm, but the row says what differs
    CLEAR = "clear"  # nothing found that tells the two apart


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between two texts.

    Attributes:
        lane: conflict or slot.
        kind: what differs.
        left: the sentence of the first text, as it stands there.
        right: the sentence of the second text.
        left_span: start and end of the differing words, as offsets into the whole first text. Start equals end where
        the
            first text lacks the words: the place where they would stand.
        right_span: the same for the second text.
        reason: one phrase for a reader, such as "100 req/min against 1000 req/min".
        apart: the words are two names, or tell what the sentences are about: not one fact written twice.
    """

    lane: Lane
    kind: Kind
    left: str
    right: str
    left_span: Span
    right_span: Span
    reason: str
    apart: bool = False


# Differences that change what a text says, whether or not both statements may hold: such a pair is not one memory
# written twice. A differing word or identifier alone may also be another wording, so that pair is offered, with a
# remark.
VALUE_KINDS: Final = frozenset(Kind) - {Kind.IDENTIFIER, Kind.WORD}


def verdict(findings: Iterable[Finding]) -> Verdict:
    """The outcome for a pair with these findings (DESIGN 6)."""
    lanes = {finding.lane for finding in findings}
    if Lane.CONFLICT in lanes:
        return Verdict.CONFLICT
    return Verdict.DIFFERS if lanes else Verdict.CLEAR


def offered_as_duplicate(findings: Iterable[Finding]) -> bool:
    """Whether the pair may be proposed for merging (DESIGN 6: similarity only proposes).

    It may not where a conflict was found, where a value or a name differs, or where they speak of different things. A
    pair for which this is true can still have slot findings of kind word or identifier; its row must name them.
    """
    return not any(f.lane is Lane.CONFLICT or f.kind in VALUE_KINDS or f.apart for f in findings)
