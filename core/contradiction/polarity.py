"""Whether a statement is turned round: negations and opposites counted clause by clause. Pure.

An even number of flips cancels: "not enabled" says "disabled". Flips in two clauses do not cancel each other: "it
caches and does not retry" against "it does not cache and retries" is turned round twice. Source: SIMILARITY
"Contradictions".
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from .differences import Change, Differences
from .finding import Kind
from .reading import Reading


@dataclass(slots=True)
class Flip:
    """The flips of one clause.

    Attributes:
        left, right: indexes of the negations, in the tokens of each sentence.
        opposites: the antonym changes.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    opposites: list[Change] = field(default_factory=list)

    @property
    def odd(self) -> bool:
        """Whether the clause says the reverse."""
        return (len(self.left) + len(self.right) + len(self.opposites)) % 2 == 1


def flips(left: Reading, right: Reading, found: Differences) -> list[Flip]:
    """The clauses of the left sentence in which something is turned round an odd number of times."""
    partner = _clause_map(left, right, found)
    groups: defaultdict[int, Flip] = defaultdict(Flip)
    cancelled = _cancelled(left, right, found)
    for index, position in left.denied:
        if index not in cancelled[0] and not _alone(left, position, set(found.left_rest)):
            groups[left.clauses[index]].left.append(index)
    for index, position in right.denied:
        if index not in cancelled[1] and not _alone(right, position, set(found.right_rest)):
            clause = _clause_of_denied(left, right, found, position)
            groups[partner.get(right.clauses[index], 0) if clause is None else clause].right.append(index)
    for change in found.changes:
        if change.kind is Kind.ANTONYM:
            groups[left.clauses[left.content[change.left[0]]]].opposites.append(change)
    return [flip for _, flip in sorted(groups.items()) if flip.odd]


def _cancelled(left: Reading, right: Reading, found: Differences) -> tuple[set[int], set[int]]:
    """Negations that both sentences put on the same content."""
    there: defaultdict[int, list[int]] = defaultdict(list)
    for index, position in right.denied:
        there[position].append(index)
    gone: tuple[set[int], set[int]] = (set(), set())
    for index, position in left.denied:
        partner = found.same.get(position)
        if partner is not None and there.get(partner):
            gone[0].add(index)
            gone[1].add(there[partner].pop())
    return gone


def _clause_map(left: Reading, right: Reading, found: Differences) -> dict[int, int]:
    """For each clause of the right sentence, the clause of the left that shares most with it."""
    votes: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for i, j in found.same.items():
        votes[right.clauses[right.content[j]]][left.clauses[left.content[i]]] += 1
    return {clause: counts.most_common(1)[0][0] for clause, counts in votes.items()}


def _clause_of_denied(left: Reading, right: Reading, found: Differences, position: int) -> int | None:
    for i, j in found.same.items():
        if j == position:
            return left.clauses[left.content[i]]
    return None


def _alone(reading: Reading, position: int, rest: set[int]) -> bool:
    """Whether a negation belongs to something that the other sentence does not speak of at all."""
    if position < 0 or position not in rest:
        return False
    clause = reading.clauses[reading.content[position]]
    mine = [p for p, i in enumerate(reading.content) if reading.clauses[i] == clause]
    return 2 * sum(p in rest for p in mine) > len(mine)
