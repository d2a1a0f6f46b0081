"""Verdicts: what the curator said of a pair, kept as events, held until either text changes (DESIGN 3.2, 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from ..errors import Stale, UsageError
from ..events import VERDICT
from ..model import Entry
from ..store.pairs import Judged
from .finding import Finding
from .holding import Verdict, holds
from .nearby import content_of
from .session import Operation, Receipt, facts_of

_SUMMARIES = {
    Verdict.DIFFERENT: "Judged {} different",
    Verdict.DUPLICATE: "Judged {} duplicates",
    Verdict.CONTRADICTION: "Judged {} a contradiction",
    Verdict.KEEP_BOTH: "Kept {} on purpose",
    Verdict.LATER: "Put off {}",
    Verdict.WITHDRAWN: "Took back the verdict on {}",
}


@dataclass(frozen=True, slots=True)
class VerdictShown:
    """A verdict as `verdicts` lists it.

    Attributes:
        one, other: the entries; None where one is no longer there.
        holds: whether both texts still say what was judged.
    """

    judged: Judged
    one: Entry | None
    other: Entry | None
    holds: bool

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        event = self.judged.event
        return {
            "one": {"id": self.judged.one, "ref": self.one.ref if self.one else None},
            "other": {"id": self.judged.other, "ref": self.other.ref if self.other else None},
            "verdict": self.judged.verdict, "holds": self.holds, "by": event.agent_id, "at": event.timestamp,
            "op_id": event.op_id,
        }  # fmt: skip


class Judging(Finding):
    """The verbs on verdicts."""

    def judge(
        self, a: str, b: str, verdict: str, *, workspace: str | None = None, seen: Mapping[str, str] | None = None
    ) -> Receipt:
        """Say what two entries are to each other.

        Args:
            a, b: the two entries.
            verdict: different, keep_both (both leave the queue), duplicate, contradiction (the lane they belong to),
                later (it stays in the queue, at its end), or withdrawn.
            workspace: look for them only there.
            seen: entry id -> content hash (`KeptText.content`) that the caller judged by.

        Raises:
            UsageError: no such verdict, or the two are one.
            Stale: a text is not what the caller saw. NeedsApproval: this role proposes only.
        """
        return self.judge_group([a, b], verdict, workspace=workspace, seen=seen)

    def judge_group(
        self, refs: Sequence[str], verdict: str, *, workspace: str | None = None, seen: Mapping[str, str] | None = None
    ) -> Receipt:
        """Say the same of every pair among some entries, in one operation. Raises as `judge` does."""
        entries = self.find_all(list(refs), workspace)
        said = _parse(verdict)
        if len(entries) < 2:
            raise UsageError("A verdict is about two different entries.", "Name both.")
        names = " and ".join(e.shown_name for e in entries) if len(entries) == 2 else f"{len(entries)} entries"
        args = {"refs": [e.id for e in entries], "verdict": str(said)}
        ruling = self.gate("verdict", facts_of(entries), refs=entries, args=args)
        with self.operation("verdict", _SUMMARIES[said].format(names)) as op:
            now = [op.folded(e.id).entry for e in entries]
            _must_be(now, seen)
            known = {(one.one, one.other): one for one in self.store.verdicts()}
            for one, other in combinations(sorted(now, key=lambda e: e.id), 2):
                _write(op, one, other, said, known.get((one.id, other.id)))
        return self.receipt(op, flagged=ruling.flagged, action="judged" if op.op_id else "noop")

    def unjudge(self, a: str, b: str, *, workspace: str | None = None) -> Receipt:
        """Take back the verdict on two entries; their pair is judged anew. Raises as `judge` does."""
        return self.judge(a, b, Verdict.WITHDRAWN, workspace=workspace)

    def verdicts(self, *, workspace: str | None = None) -> list[VerdictShown]:
        """The verdicts that were not withdrawn, newest first, with whether they still hold.

        Args:
            workspace: only those on an entry of this one.
        """
        judged = [one for one in self.store.verdicts() if one.verdict != Verdict.WITHDRAWN]
        ids = sorted({i for one in judged for i in (one.one, one.other)})
        entries = {entry.id: entry for entry in self.store.entries_of(ids)}
        contents = {entry.id: content_of(entry) for entry in entries.values()}
        shown = [
            VerdictShown(one, entries.get(one.one), entries.get(one.other), holds(one, contents))
            for one in reversed(judged)
        ]
        if workspace is None:
            return shown
        return [one for one in shown if any(e is not None and e.workspace == workspace for e in (one.one, one.other))]


def _write(op: Operation, one: Entry, other: Entry, said: Verdict, known: Judged | None) -> None:
    """Write one verdict, unless it stands already."""
    contents = {e.id: content_of(e) for e in (one, other)}
    if known is None and said is Verdict.WITHDRAWN:
        return
    if known is not None and known.verdict == said and (said is Verdict.WITHDRAWN or holds(known, contents)):
        return
    payload = {"memory_id": one.id, "to_id": other.id, "verdict": str(said), "contents": contents}
    op.write(VERDICT, payload)


def _must_be(entries: Sequence[Entry], seen: Mapping[str, str] | None) -> None:
    moved = [e for e in entries if seen and e.id in seen and seen[e.id] != content_of(e)]
    if moved:
        raise Stale(
            f"{moved[0].shown_name} changed meanwhile ({moved[0].last_edited_by}, {moved[0].updated_at}).",
            "Nothing was written. Look at the new text and judge again.", entry=moved[0].id,
        )  # fmt: skip


def _parse(verdict: str) -> Verdict:
    try:
        return Verdict(verdict.strip().lower().replace("-", "_"))
    except ValueError:
        raise UsageError(f"{verdict!r} is no verdict.", f"Use one of: {', '.join(Verdict)}.") from None
