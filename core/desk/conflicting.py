"""Making the conflict queue: the texts, their pairs, what tells each pair apart, and the rows that come of it.

Loads core/contradiction and the scoring: import it only where the queue is made. Scores and findings are kept
(core/store/pairs.py), so a second look costs what changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ..contradiction import Finding, Kind, Lane, Settings, compare
from ..similarity.running import Progress, Stop, Stopped, sharing
from ..store import Store
from ..store.pairs import KeptText
from ..store.rows import EntryRow
from ..tokens import TOKENS_VERSION
from .holding import SETTLED, Verdicts
from .nearby import finding_json, full_text
from .queue import Lane as RowLane
from .queue import Nodes, Row, Sorted, node_pairs, nodes_of, rows_of
from .scoring import Rescored, Scorer, live_texts, scored_pairs

#: Raised whenever `contradiction.compare` may say something else of the same texts.
RULES_VERSION: Final = 1
_KEEP_AT_ONCE: Final = 250
_SCORING: Final = 0.5


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The queue.

    Attributes:
        rows: contradictions first, then near-duplicates, those that differ in a value last; the closest first.
        entries: every entry that a row names, by id.
        threshold: pairs strictly above it were looked at.
        texts: entries compared. pairs: pairs above the threshold, copies counted once.
        settled: pairs left out because a verdict on them holds.
        uncompared: pairs left out because one call compares so many only; call again.
        rescored: what bringing the scores up to date took.
    """

    rows: tuple[Row, ...]
    entries: Mapping[str, EntryRow]
    threshold: float
    texts: int
    pairs: int
    settled: int
    uncompared: int
    rescored: Rescored

    def as_json(self) -> dict[str, Any]:
        """For `--json`; `conflicts` holds the closest pair of each row under the keys of gaia/SPEC 7."""
        return {
            "conflicts": [self._row_json(row) for row in self.rows], "threshold": self.threshold, "texts": self.texts,
            "pairs": self.pairs, "settled": self.settled, "uncompared": self.uncompared,
        }  # fmt: skip

    def _row_json(self, row: Row) -> dict[str, Any]:
        first = row.members[0]
        ids = row.entry_ids
        other = first.partner if first.partner != ids[0] else ids[1]
        return {
            "file_a": self._ref(ids[0]), "file_b": self._ref(other), "score": round(row.score, 4),
            "reason": self.reason(row), "kind": str(row.kind), "offered": row.offered, "count": row.count,
            "members": [
                {
                    "ids": [text.entry_id for text in member.texts],
                    "refs": [self._ref(text.entry_id) for text in member.texts], "partner": member.partner,
                    "score": round(member.score, 4), "verdict": member.verdict or None,
                    "findings": [finding_json(f) for f in member.findings],
                }
                for member in row.members
            ],
        }  # fmt: skip

    def reason(self, row: Row) -> str:
        """Why a row is in the queue, in a few words."""
        if len(row.members) == 1:
            return f"the same text {row.count} times"
        said = [f.reason for member in row.members[:2] for f in member.findings]
        if row.kind is RowLane.CONTRADICTION:
            said = [f.reason for m in row.members[:2] for f in m.findings if f.lane is Lane.CONFLICT] or said
        return "; ".join(dict.fromkeys(said[:3])) or "nearly the same words"

    def _ref(self, entry_id: str) -> str:
        entry = self.entries.get(entry_id)
        return entry.ref if entry is not None else entry_id


def findings_version(words: Mapping[str, Any]) -> str:
    """Under which version findings are kept: the rules, the tokens, and the words that the settings add."""
    own = hashlib.sha256(json.dumps(words, sort_keys=True, default=str).encode()).hexdigest()[:12] if words else ""
    return f"{TOKENS_VERSION}.{RULES_VERSION}{'.' if own else ''}{own}"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the queue is made of.

    Attributes:
        threshold: pairs strictly above it. workspace: only this one. kind: all, contradiction or duplicate.
        across: whether pairs across workspaces count.
        most: new pairs compared sentence by sentence at most.
        words: the `[contradiction]` table of the settings: further opposites and exclusive classes.
    """

    threshold: float
    workspace: str | None
    kind: str
    across: bool
    most: int
    words: Mapping[str, Any]


class Making:
    """One making of the queue."""

    def __init__(
        self, store: Store, scorer: Scorer, asked: Asked, progress: Progress | None, stop: Stop | None
    ) -> None:
        self._store = store
        self._scorer = scorer
        self._asked = asked
        self._progress = progress
        self._stop = stop
        self._settings = Settings.from_table(asked.words)
        self._version = findings_version(asked.words)

    def run(self) -> Conflicts:
        """Score what changed, compare what is alike, and put it in rows.

        Raises:
            Stopped: the caller asked to stop.
        """
        asked, store = self._asked, self._store
        scoring = _part(self._progress, 0, _SCORING)
        rescored = self._scorer.refresh(scoring, self._stop)
        texts = self._texts(asked.workspace)
        verdicts = Verdicts(store.verdicts(), {text.entry_id: text.content for text in texts})
        nodes = nodes_of(texts, verdicts, across=asked.across)
        pairs = list(node_pairs(scored_pairs(store, asked.threshold, texts, scoring, self._stop), nodes))
        found, uncompared = self._sorted(pairs, nodes, verdicts)
        rows = tuple(row for row in rows_of(found, nodes) if asked.kind in ("all", row.kind))
        named = [text.row for row in rows for member in row.members for text in member.texts]
        entries = {row.id: row for row in store.rows(dict.fromkeys(named))}
        return Conflicts(
            rows, entries, asked.threshold, len(texts), len(pairs), len(found.settled), uncompared, rescored
        )

    def _texts(self, workspace: str | None) -> list[KeptText]:
        if self._store.read_only:
            return [text for text, _ in live_texts(self._store, workspace)]
        return sorted(self._store.texts(workspace), key=lambda text: text.row)

    def _sorted(
        self, pairs: list[tuple[int, int, float]], nodes: Nodes, verdicts: Verdicts
    ) -> tuple[Sorted, int]:
        """Every pair by what is to become of it, and how many were not compared."""
        found, progress = Sorted(), _part(self._progress, _SCORING, 1)
        kept = {} if self._store.read_only else self._store.findings(self._version)
        fresh: list[tuple[int, int, str]] = []
        compared = uncompared = 0
        with sharing():
            for place, (one, other, score) in enumerate(pairs):
                if place % 64 == 0:
                    _watch(progress, self._stop, place / len(pairs))
                verdict = verdicts.on(nodes.texts[one][0], nodes.texts[other][0])
                known = kept.get((one, other))
                if verdict in SETTLED:
                    found.add(one, other, score, (), verdict)
                elif known is not None:
                    found.add(one, other, score, _loaded(known), verdict)
                elif compared < self._asked.most:
                    compared += 1
                    findings = self._compared(nodes.texts[one][0], nodes.texts[other][0])
                    found.add(one, other, score, findings, verdict)
                    fresh.append((one, other, _dumped(findings)))
                    if len(fresh) >= _KEEP_AT_ONCE:
                        self._keep(fresh)
                        fresh = []
                else:
                    uncompared += 1
            self._keep(fresh)
        return found, uncompared

    def _compared(self, one: KeptText, other: KeptText) -> tuple[Finding, ...]:
        fields = self._store.full_texts((one.row, other.row))
        if len(fields) < 2:  # one of them was erased this moment
            return ()
        return tuple(compare(full_text(fields[one.row]), full_text(fields[other.row]), self._settings))

    def _keep(self, fresh: list[tuple[int, int, str]]) -> None:
        if fresh and not self._store.read_only:
            self._store.keep_findings(self._version, fresh)


def _dumped(findings: Iterable[Finding]) -> str:
    return json.dumps([
        [str(f.lane), str(f.kind), f.left, f.right, f.left_span, f.right_span, f.reason] for f in findings
    ])  # fmt: skip


def _loaded(text: str) -> tuple[Finding, ...]:
    return tuple(
        Finding(Lane(lane), Kind(kind), left, right, (a[0], a[1]), (b[0], b[1]), reason)
        for lane, kind, left, right, a, b, reason in json.loads(text)
    )


def _part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """A progress that fills only a part of another one."""
    return None if progress is None else (lambda part: progress(begin + (end - begin) * part))


def _watch(progress: Progress | None, stop: Stop | None, part: float) -> None:
    if stop is not None and stop():
        raise Stopped
    if progress is not None:
        progress(part)
