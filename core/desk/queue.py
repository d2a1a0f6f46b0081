"""The conflict queue as rows: from pairs of texts to groups that one decision settles. Pure; nothing is written.

Two lanes, never one (DESIGN 6): a pair that contradicts is not offered as a duplicate, and no group holds two texts
that contradict or were judged different. Loads core/contradiction: import it only where the queue is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, product
from typing import Final

from ..contradiction import Finding, offered_as_duplicate
from ..contradiction import Lane as FindingLane
from ..similarity.groups import grouped
from ..similarity.prepared import content_hash
from ..store.pairs import KeptText
from .holding import SETTLED, Verdict, Verdicts


class Lane(StrEnum):
    """The lanes of the queue."""

    CONTRADICTION = "contradiction"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Member:
    """One text of a row.

    Attributes:
        texts: the entries that say exactly this, oldest first; more than one are copies of each other.
        partner: the entry id of the member it is most like; its own where the row holds copies only.
        score: exact Jaccard with that partner.
        findings: how it differs from that partner, conflicts first.
        verdict: what a person said of it and that partner, "" where nobody did.
    """

    texts: tuple[KeptText, ...]
    partner: str
    score: float
    findings: tuple[Finding, ...] = ()
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What is decided in one go: two or more texts.

    Attributes:
        kind: the lane.
        members: the closest pair first.
        score: exact Jaccard of the closest pair, 1.0 for copies.
        offered: whether it may be offered for merging: nothing found says that the texts tell different facts.
    """

    kind: Lane
    members: tuple[Member, ...]
    score: float
    offered: bool

    @property
    def count(self) -> int:
        """How many entries the row is about."""
        return sum(len(member.texts) for member in self.members)

    @property
    def put_off(self) -> bool:
        """Whether a person said to ask later."""
        return any(member.verdict == Verdict.LATER for member in self.members)

    @property
    def entry_ids(self) -> tuple[str, ...]:
        """The entries the row is about, each once."""
        return tuple(text.entry_id for member in self.members for text in member.texts)


# -- copies ---------------------------------------------------------------------------------------------------------

_BLANK: Final = content_hash(None, None, None)


@dataclass(slots=True)
class Nodes:
    """Texts with their exact copies as one.

    Attributes:
        texts: node (the key of its oldest text) -> its texts, oldest first.
        of: key of a scored set -> workspace (or "" across them) -> the nodes whose words it is.
        verdicts: node -> what a person said of its copies, where they stay in the queue all the same.
    """

    texts: dict[int, list[KeptText]] = field(default_factory=dict)
    of: dict[int, dict[str, list[int]]] = field(default_factory=dict)
    verdicts: dict[int, str] = field(default_factory=dict)


def nodes_of(texts: Iterable[KeptText], verdicts: Verdicts, *, across: bool) -> Nodes:
    """Put exact copies together: entries that say the same but for the name and white space (CASES "Duplicates").

    Equal words in another order are no copies: "A before B" is not "B before A".

    Args:
        texts: the oldest first.
        verdicts: copies that were judged to stay stand for themselves only once.
        across: whether copies in different workspaces are copies.
    """
    nodes = Nodes()
    by_content: dict[tuple[str, str], int] = {}
    ids: dict[int, set[str]] = {}
    for text in texts:
        scope = "" if across else text.workspace
        node = text.key if text.content == _BLANK else by_content.setdefault((scope, text.content), text.key)
        kept = nodes.texts.setdefault(node, [])
        there = ids.setdefault(node, set())
        said = verdicts.among_copies(text, there)
        if not said & SETTLED:
            kept.append(text)
            there.add(text.entry_id)
            if said:
                nodes.verdicts[node] = min(said)
        places = nodes.of.setdefault(text.same_as or text.key, {}).setdefault(scope, [])
        if text.size and node not in places:
            places.append(node)
    return nodes


def node_pairs(pairs: Iterable[tuple[int, int, float]], nodes: Nodes) -> Iterator[tuple[int, int, float]]:
    """Pairs of scored sets as pairs of nodes of one scope, the most similar first, each once."""
    seen: set[tuple[int, int]] = set()
    equal = ((key, key, 1.0) for key, places in nodes.of.items() if any(len(p) > 1 for p in places.values()))
    for left, right, score in chain(equal, pairs):
        here, there = nodes.of.get(left, {}), nodes.of.get(right, {})
        for scope in here.keys() & there.keys():
            for one, other in product(here[scope], there[scope]):
                pair = (one, other) if one < other else (other, one)
                if one != other and pair not in seen:
                    seen.add(pair)
                    yield (*pair, score)


# -- rows -----------------------------------------------------------------------------------------------------------

@dataclass(slots=True)
class Sorted:
    """Pairs of nodes by what is to become of them.

    Attributes:
        contradictions: pairs in which a conflict was found, or a person saw one; the most similar first.
        offered: pairs that may be merged. told: pairs that are alike but differ in a value.
        settled: pairs that a verdict took out of the queue.
        findings, verdicts: of every pair.
    """

    contradictions: list[tuple[int, int, float]] = field(default_factory=list)
    offered: list[tuple[int, int, float]] = field(default_factory=list)
    told: list[tuple[int, int, float]] = field(default_factory=list)
    settled: list[tuple[int, int]] = field(default_factory=list)
    findings: dict[tuple[int, int], tuple[Finding, ...]] = field(default_factory=dict)
    verdicts: dict[tuple[int, int], str] = field(default_factory=dict)

    def add(self, one: int, other: int, score: float, findings: tuple[Finding, ...], verdict: str) -> None:
        """Put one pair where it belongs; what a person said goes before what was found."""
        self.findings[one, other] = findings
        self.verdicts[one, other] = verdict
        pair = (one, other, score)
        if verdict in SETTLED:
            self.settled.append((one, other))
        elif verdict == Verdict.CONTRADICTION:
            self.contradictions.append(pair)
        elif verdict == Verdict.DUPLICATE:
            self.offered.append(pair)
        elif any(finding.lane is FindingLane.CONFLICT for finding in findings):
            self.contradictions.append(pair)
        else:
            (self.offered if offered_as_duplicate(findings) else self.told).append(pair)


def rows_of(found: Sorted, nodes: Nodes) -> list[Row]:
    """Contradictions first, then near-duplicates, then those that differ in a value; within each the closest first."""
    clash = [(one, other) for one, other, _ in found.contradictions]
    differ = [(one, other) for one, other, _ in found.told]
    never = [*clash, *differ, *found.settled]
    rows = _rows(Lane.CONTRADICTION, found.contradictions, found.settled, True, found, nodes)
    offered = _rows(Lane.DUPLICATE, found.offered, never, True, found, nodes)
    grouped_already = {member.texts[0].key for row in offered for member in row.members}
    for texts in nodes.texts.values():
        if len(texts) > 1 and texts[0].key not in grouped_already:
            copies = Member(tuple(texts), texts[0].entry_id, 1.0, verdict=nodes.verdicts.get(texts[0].key, ""))
            offered.append(Row(Lane.DUPLICATE, (copies,), 1.0, True))
    offered.sort(key=lambda row: (-row.score, -row.count, row.members[0].texts[0].key))
    told = _rows(Lane.DUPLICATE, found.told, found.settled, False, found, nodes)
    # What was put off comes last, whatever it is.
    return sorted(rows + offered + told, key=lambda row: row.put_off)


def _rows(
    kind: Lane, pairs: list[tuple[int, int, float]], apart: Iterable[tuple[int, int]], offered: bool, found: Sorted,
    nodes: Nodes,
) -> list[Row]:  # fmt: skip
    made = []
    for group in grouped(pairs, apart=apart):
        members = []
        for member in group.members:
            pair = (min(member.key, member.partner), max(member.key, member.partner))
            members.append(Member(
                tuple(nodes.texts[member.key]), nodes.texts[member.partner][0].entry_id, member.score,
                _seen_from(member.key, pair, found.findings[pair]), found.verdicts[pair],
            ))  # fmt: skip
        made.append(Row(kind, tuple(members), group.score, offered and kind is Lane.DUPLICATE))
    return made


def _seen_from(key: int, pair: tuple[int, int], findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings with the side of `key` on the left."""
    if key == pair[0]:
        return findings
    return tuple(
        Finding(f.lane, f.kind, f.right, f.left, f.right_span, f.left_span, f.reason) for f in findings
    )
