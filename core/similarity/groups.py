"""From pairs to groups: what a reviewer decides on in one go. Pure Python.

A chain is not a group: A like B and B like C does not make A and C one topic (CASES "Duplicates"). So two clusters join
when at least half of the links that could be between them are there, and only by a link that is not much weaker than
what holds each of them together: near copies and a distant relative of theirs are two decisions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

STRENGTH: Final = 0.5
#: A link joins two clusters only if it is at least this part of the best score in either.
_NEAR: Final = 0.6


@dataclass(frozen=True, slots=True)
class Member:
    """One of a group, with the other member that it is most like."""

    key: int
    partner: int
    score: float


@dataclass(frozen=True, slots=True)
class Group:
    """Two or more that belong together. `members` begin with the pair that is most alike.

    `score` is that of the closest pair.
    """

    members: tuple[Member, ...]
    score: float


def grouped(
    pairs: Iterable[tuple[int, int, float]], *, apart: Iterable[tuple[int, int]] = (), strength: float = STRENGTH
) -> list[Group]:
    """Groups of the keys that stand in `pairs`, the closest group first. Every key is in at least one.

    Args:
        pairs: (key, key, score), the highest score first, each pair once.
        apart: pairs of keys that are never in one group.
        strength: the part of the possible links between two clusters that must be there for them to join, 0 to 1; 0
            makes every chain one group.
    """
    ordered = list(pairs)
    clusters = _Clusters(strength)
    for one, other in apart:
        clusters.forbid(one, other)
    for one, other, score in ordered:
        clusters.link(one, other, score)
    best: dict[int, Member] = {}
    alone: dict[int, Member] = {}
    for one, other, score in ordered:
        together = clusters.of(one) == clusters.of(other)
        for key, partner in ((one, other), (other, one)):
            (best if together else alone).setdefault(key, Member(key, partner, score))
    groups: dict[int, list[Member]] = {}
    for member in best.values():
        groups.setdefault(clusters.of(member.key), []).append(member)
    found = [Group(tuple(members), members[0].score) for members in groups.values()]
    # One whose links are too few for any group still has to be seen: a row of its own, with its best partner.
    for key, member in alone.items():
        if key not in best:
            found.append(Group((member, Member(member.partner, key, member.score)), member.score))
    return sorted(found, key=lambda group: (-group.score, -len(group.members), group.members[0].key))


class _Clusters:
    """Union-find that counts the links between clusters."""

    def __init__(self, strength: float) -> None:
        self._strength = strength
        self._parent: dict[int, int] = {}
        self._size: dict[int, int] = {}
        self._links: dict[int, dict[int, int]] = {}
        self._apart: dict[int, set[int]] = {}
        self._best: dict[int, float] = {}

    def forbid(self, one: int, other: int) -> None:
        """These two never come together. Said before the first link."""
        self._apart.setdefault(one, set()).add(other)
        self._apart.setdefault(other, set()).add(one)

    def of(self, key: int) -> int:
        parent = self._parent
        root = parent.setdefault(key, key)
        while parent[root] != root:
            parent[root] = parent[parent[root]]
            root = parent[root]
        parent[key] = root
        return root

    def link(self, one: int, other: int, score: float) -> None:
        a, b = self.of(one), self.of(other)
        if a == b or b in self._apart.get(a, ()):
            return
        best = max(self._best.get(a, score), self._best.get(b, score))
        if score < _NEAR * best:
            return
        number = self._links.setdefault(a, {}).get(b, 0) + 1
        self._links[a][b] = self._links.setdefault(b, {})[a] = number
        if number >= self._strength * self._size.get(a, 1) * self._size.get(b, 1):
            self._best[a] = self._best[b] = best
            self._join(a, b)

    def _join(self, a: int, b: int) -> None:
        if len(self._links[a]) < len(self._links[b]):
            a, b = b, a
        self._parent[b] = a
        self._size[a] = self._size.get(a, 1) + self._size.pop(b, 1)
        mine = self._links[a]
        for other, number in self._links.pop(b).items():
            theirs = self._links[other]
            theirs.pop(b, None)
            if other != a:
                mine[other] = theirs[a] = mine.get(other, 0) + number
        mine.pop(b, None)
        for other in self._apart.pop(b, ()):
            self._apart[other].discard(b)
            self._apart[other].add(a)
            self._apart.setdefault(a, set()).add(other)
