"""The conflict queue: contradictions and near-duplicates, found exactly, proposed, never acted on (DESIGN 6).

Nothing here changes an entry, and nothing heavy is loaded before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..similarity import THRESHOLD
from .judging import Judging
from .nearby import Nearby, check_threshold, prepared, text_of

if TYPE_CHECKING:
    from ..contradiction import Finding as Difference
    from ..similarity.evidence import Aligned, Evidence
    from ..similarity.running import Progress, Stop
    from .conflicting import Conflicts
    from .scoring import Rescored

#: Pairs that one call compares sentence by sentence at most, the most similar first: about a millisecond each. What
#: was compared is kept, so the next call goes on from there.
MOST_COMPARED: Final = 5000

KINDS: Final = ("all", "contradiction", "duplicate")


class Similar(Nearby, Judging):
    """The queue and what belongs to it."""

    def rescore(self, *, progress: Progress | None = None, stop: Stop | None = None) -> Rescored:
        """Bring the scores up to date: what did not change is not read or scored again. For a worker thread.

        Raises:
            Stopped: `stop` said so.
        """
        return self.scorer.refresh(progress, stop)

    def conflicts(
        self, *, threshold: float = THRESHOLD, workspace: str | None = None, kind: str = "all",
        all_workspaces: bool = False, progress: Progress | None = None, stop: Stop | None = None,
        most: int = MOST_COMPARED,
    ) -> Conflicts:  # fmt: skip
        """What contradicts, and what says nearly the same. For a worker thread where there are many entries.

        Args:
            threshold: 0 to 1; pairs whose Jaccard is strictly above it are looked at.
            workspace: only in this one; None for each workspace by itself.
            kind: all, contradiction or duplicate.
            all_workspaces: compare across workspaces too.
            progress, stop: see `similarity.Progress`, `similarity.Stop`.
            most: new pairs that are compared sentence by sentence at most.

        Raises:
            UsageError: a threshold outside 0 to 1, or no such kind. Stopped: `stop` said so.
        """
        check_threshold(threshold)
        if kind not in KINDS:
            raise UsageError(f"{kind!r} is no kind of conflict.", f"Use one of: {', '.join(KINDS)}.")
        from .conflicting import Asked, Making

        asked = Asked(threshold, workspace, kind, all_workspaces, most, self.config.contradiction)
        return Making(self.store, self.scorer, asked, progress, stop).run()

    def evidence(self, a: str, b: str) -> Evidence:
        """How alike two entries are, in numbers and words. Raises NotFound, Ambiguous."""
        from ..similarity.evidence import evidence

        one, other = self.find(a), self.find(b)
        return evidence(prepared(one).words, prepared(other).words, one.title, other.title)

    def aligned(self, a: str, b: str) -> list[Aligned]:
        """The sentences of two bodies that answer each other, with where they differ. Raises NotFound, Ambiguous."""
        from ..similarity.evidence import align

        return align(self.find(a).body, self.find(b).body)

    def differences(self, a: str, b: str) -> list[Difference]:
        """What tells two entries apart, conflicts first. Raises NotFound, Ambiguous."""
        return self.told_apart(text_of(self.find(a)), text_of(self.find(b)))
