"""What Conflicts shows: the queue in sections, worst first, each row what one decision settles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from ...core.desk import Desk
from ...core.merge import keeper_first
from ...core.store import EntryRow
from .pane import Question

if TYPE_CHECKING:
    from ...core.contradiction import Finding
    from ...core.desk.conflicting import Conflicts
    from ...core.desk.queue import Row as QueueRow
    from ...core.fold import LostEdit
    from ...core.store import RequestRow


class Lane(StrEnum):
    """The sections, in the order in which they stand."""

    CONTRADICTION = "contradiction"
    DUPLICATE = "duplicate"
    DIFFERS = "differs"
    NAME = "name"
    LOST = "lost"
    LATER = "later"


TITLES: Final[Mapping[Lane, str]] = {
    Lane.CONTRADICTION: "Contradictions",
    Lane.DUPLICATE: "Near-duplicates",
    Lane.DIFFERS: "Alike, but for a value",
    Lane.NAME: "Same name",
    Lane.LOST: "Overwritten unseen",
    Lane.LATER: "Put off",
}
#: Signs beside the words, so that nothing is told by colour alone.
SIGNS: Final[Mapping[Lane, str]] = {
    Lane.CONTRADICTION: "≠", Lane.DUPLICATE: "≈", Lane.DIFFERS: "~", Lane.NAME: "=", Lane.LOST: "↯", Lane.LATER: "·",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """One text of a group: the entries that say exactly it, the first of them as a row.

    Attributes:
        contents: entry id -> hash of what it said when it was compared.
        reason: how it differs from the text it is most like.
        score: how like that it is, 0 to 1.
    """

    row: EntryRow
    ids: tuple[str, ...]
    contents: Mapping[str, str]
    reason: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """One row of the queue.

    Attributes:
        key: names it within the list.
        members: the one that a merge is offered to keep first.
        reason: why it is here.
        findings: what tells the closest pair apart.
        asked: the request about it that waits for its owner, "" for none.
        lost: the edit that was overwritten unseen.
    """

    key: str
    lane: Lane
    members: tuple[Member, ...]
    reason: str
    score: float = 0.0
    findings: tuple[Finding, ...] = ()
    asked: str = ""
    lost: LostEdit | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Every entry it is about."""
        return tuple(i for member in self.members for i in member.ids)

    def has_decision(self) -> bool:
        """Whether a decision is among them."""
        return any(member.row.type == "decision" for member in self.members)


@dataclass(frozen=True, slots=True)
class ConflictsView:
    """The queue as shown.

    Attributes:
        contradictions: how many wait, whatever the filter shows.
        uncompared: pairs that were not compared yet.
        everywhere: whether names need their workspace.
        stopped: the person stopped the scoring; `groups` is what was known before.
    """

    groups: tuple[Group, ...]
    now: datetime
    contradictions: int = 0
    texts: int = 0
    uncompared: int = 0
    everywhere: bool = False


def read_view(
    desk: Desk, question: Question, progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> ConflictsView:  # fmt: skip
    """Read the queue: what changed is scored, what did not is not.

    Raises:
        similarity.Stopped: `stop` said so.
    """
    found = desk.conflicts(workspace=question.workspace, progress=progress, stop=stop)
    asked = _asked(desk)
    groups = [_group(found, row, asked) for row in found.rows]
    groups += _same_names(desk, question.workspace)
    groups += _lost_edits(desk, question.workspace)
    contradictions = sum(group.lane is Lane.CONTRADICTION for group in groups)
    shown = [group for group in groups if _fits(group, question.filter)]
    order = {lane: place for place, lane in enumerate(Lane)}
    shown.sort(key=lambda group: order[group.lane])  # stable: within a section the worst stays first
    return ConflictsView(
        tuple(_with_keys(shown)), question.now, contradictions, found.texts, found.uncompared,
        question.workspace is None,
    )  # fmt: skip


def _group(found: Conflicts, row: QueueRow, asked: Sequence[tuple[RequestRow, frozenset[str]]]) -> Group:
    members = []
    for member in row.members:
        ids = tuple(text.entry_id for text in member.texts if text.entry_id in found.entries)
        if not ids:
            continue
        contents = {text.entry_id: text.content for text in member.texts}
        reason = "; ".join(dict.fromkeys(f.reason for f in member.findings[:2]))
        kept = keeper_first([found.entries[i] for i in ids])[0]
        ordered = (kept.id, *(i for i in ids if i != kept.id))
        members.append(Member(kept, ordered, contents, reason, member.score))
    lane = _lane(row)
    if lane is Lane.CONTRADICTION:  # of two that cannot both hold, the newer one is likelier to
        members.sort(key=lambda member: member.row.updated_at or "", reverse=True)
    else:
        first = keeper_first([member.row for member in members])
        members.sort(key=lambda member: first.index(member.row))
    about = {i for member in members for i in member.ids}
    waits = next((request.request_id for request, refs in asked if len(refs & about) > 1), "")
    if waits or all(member.verdict == "later" for member in row.members):
        lane = Lane.LATER
    reason = "the owner is asked" if waits else found.reason(row)
    return Group("", lane, tuple(members), reason, row.score, row.members[0].findings, waits)


def _lane(row: QueueRow) -> Lane:
    if str(row.kind) == Lane.CONTRADICTION:
        return Lane.CONTRADICTION
    return Lane.DUPLICATE if row.offered else Lane.DIFFERS


def _asked(desk: Desk) -> list[tuple[RequestRow, frozenset[str]]]:
    rows = desk.store.requests("pending")
    return [(row, frozenset(row.refs)) for row in rows if row.verb == "supersede"]


def _same_names(desk: Desk, workspace: str | None) -> Iterable[Group]:
    for _, name, ids in desk.store.name_clashes(workspace):
        rows = _rows(desk, ids)
        if len(rows) > 1:
            members = tuple(Member(row, (row.id,), {}) for row in rows)
            yield Group("", Lane.NAME, members, f"{len(rows)} entries are called {name}")


def _lost_edits(desk: Desk, workspace: str | None) -> Iterable[Group]:
    for edit in desk.store.lost_edits(workspace):
        for row in _rows(desk, [edit.entry_id]):
            reason = f"{edit.author} wrote another {edit.field}, unseen"
            yield Group("", Lane.LOST, (Member(row, (row.id,), {}),), reason, lost=edit)


def _rows(desk: Desk, ids: Sequence[str]) -> list[EntryRow]:
    """The rows of these entries, in their order."""
    keys = [key for i in ids if (key := desk.store.row_of(i)) is not None]
    rows = {row.id: row for row in desk.store.rows(keys)}
    return [rows[i] for i in ids if i in rows]


def _with_keys(groups: Iterable[Group]) -> Iterable[Group]:
    """Keys that stay as long as the first entry of a group stays in it."""
    from dataclasses import replace

    seen: dict[str, int] = {}
    for group in groups:
        stem = f"{group.lane}:{group.lost.event_id if group.lost else group.members[0].row.id}"
        seen[stem] = seen.get(stem, 0) + 1
        yield replace(group, key=stem if seen[stem] == 1 else f"{stem}:{seen[stem]}")


def _fits(group: Group, words: str) -> bool:
    wanted = words.casefold().split()
    if not wanted:
        return True
    said = " ".join(
        f"{member.row.ref} {member.row.title or ''} {member.row.description or ''}" for member in group.members
    )
    text = f"{said} {group.reason}".casefold()
    return all(word in text for word in wanted)
