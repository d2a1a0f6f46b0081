"""What Approvals shows, read in the reading thread: which requests wait, and all of those that are on screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from ...core.desk import Desk
from ...core.store import RequestRow
from ..review_words import VERBS, about_words
from .approvals_words import called, row_words
from .pane import Question

if TYPE_CHECKING:
    from ...core.desk.deciding import Overruled
    from ...core.desk.host_approvals import HostApproval

#: Prefixes of the keys of rows that are no requests.
OVERRULED: Final = "overruled:"
IN_HOST: Final = "host:"
#: What a request asks for, where the words of the screen are others than those of the commands; the column is narrow.
_VERBS: Final = {verb: words for verb, words in VERBS.items() if " " not in words}


@dataclass(frozen=True, slots=True)
class ApprovalsQuestion(Question):
    """What to read.

    Attributes:
        near: the requests on screen, which are read whole.
        flags: revision -> what its text was flagged for, as far as that is known: a revision never changes.
    """

    near: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filled:
    """One request as the list shows it.

    Attributes:
        state: ready, stale, gone, settled, or how it was decided.
        what: to which entry approving would do what, in a few words.
        flags: what its text is flagged for, in words; "" for nothing.
        shown: whether this wording has been on screen whole.
    """

    row: RequestRow
    state: str
    what: str
    flags: str
    shown: bool = False

    @property
    def kind(self) -> str:
        """What is asked for, in a word."""
        if self.row.payload.get("kind") == "proposal":
            return "proposal"
        return _VERBS.get(self.row.verb, self.row.verb)


@dataclass(frozen=True, slots=True)
class ApprovalsView:
    """What was read.

    Attributes:
        ids: every request that waits, the oldest first.
        filled: those on screen.
        left: requests that were on screen and wait no more.
        overruled: decisions of this person that lost to another one.
        in_host: approvals that wait in a host.
        about: request id -> the entries of the overruled ones.
        proposals: how many proposals a host has for the queue, and its name.
        flagged: where nothing else waits, how many writes about the person wait to be kept or vetoed.
    """

    ids: Sequence[str]
    filled: Mapping[str, Filled]
    now: datetime
    left: tuple[RequestRow, ...] = ()
    overruled: tuple[Overruled, ...] = ()
    in_host: tuple[HostApproval, ...] = ()
    proposals: tuple[int, str] = (0, "")
    flagged: int = 0
    about: Mapping[str, str] = field(default_factory=dict)


def read_view(desk: Desk, question: ApprovalsQuestion) -> ApprovalsView:
    """Read the list. Its cost does not depend on how many requests wait, but for their ids."""
    ids = desk.request_keys("pending", text=question.filter, workspace=question.workspace)
    waiting = set(ids)
    near = [i for i in question.near if i in waiting] or ids[: len(question.near) or _FIRST]
    filled = fill(desk, near, question.flags)
    gone = [i for i in question.near if i not in waiting]
    left = tuple(row for row in desk.requests_of(gone) if row.status != "pending") if gone else ()
    if desk.looks_at is not None:
        return ApprovalsView(ids, filled, question.now, left)
    proposals = desk.host_proposals()
    where = proposals[0].host.partition(":")[0].capitalize() if proposals else ""
    in_host = tuple(desk.host_approvals(now=question.now))
    overruled = desk.overruled()
    calm = not (ids or overruled or in_host)
    flagged = len(desk.agents_keys(workspace=question.workspace)[0]) if calm else 0
    lost = [one.row for one in overruled]
    name = names_of(desk, lost)
    about = {row.request_id: about_words(row, name) for row in lost}
    return ApprovalsView(
        ids, filled, question.now, left, overruled, in_host, (len(proposals), where), flagged, about
    )


#: An argument of so many characters is a text.
_ID: Final = 200
#: Requests read before the list has said which ones are on screen.
_FIRST: Final = 24


def fill(desk: Desk, ids: Sequence[str], flags: Mapping[str, str]) -> dict[str, Filled]:
    """Read some requests whole, in batches.

    Args:
        flags: as in `ApprovalsQuestion`.
    """
    from ...core.screening import flags_summary

    rows = desk.requests_of(ids)
    states, effects = desk.request_states(rows), desk.request_effects(rows)
    name = names_of(desk, rows)
    filled: dict[str, Filled] = {}
    for row in rows:
        known = flags.get(row.revision_id)
        words = flags_summary(desk.request_flags(row)) if known is None else known
        what = row_words(row, name, effects[row.request_id])
        filled[row.request_id] = Filled(row, states[row.request_id], what, words, desk.was_shown(row))
    return filled


def names_of(desk: Desk, rows: Iterable[RequestRow]) -> Callable[[str], str]:
    """What to call the entries that some requests name, read at once."""
    ids = {i for row in rows for i in (*row.refs, *_strings(row.args))}
    return called({e.id: e.shown_name for e in desk.store.entries_of(ids)})


def _strings(args: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that may be ids."""
    for value in args.values():
        if isinstance(value, str) and len(value) < _ID:
            yield value
