"""What agents did, for the Approvals pane: read and worked out in the reading thread. The pane wires the keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ...core.desk import Desk
from ...core.desk.vetoing import Work
from ...core.errors import MemdeskError
from ..widgets.diff_view import SheetBlock
from ..widgets.entry_text import Gap, Heading, Line, Lines, Plain
from ..widgets.row_list import Cell, Column, Key, Row, Section
from ..words import age_short, ago, count, listing
from .history_read import operation_sheet
from .pane import Question

COLUMNS: Final = [
    Column("age", width=4, tone="muted"),
    Column("who", width=14, priority=2, tone="accent"),
    Column("what", flex=2, min_width=20),
    Column("on", flex=1, min_width=12, priority=1, middle=True),
]
FLAG: Final = "!"
EMPTY: Final = "Agents did nothing that you have not looked at."


@dataclass(frozen=True, slots=True)
class WorkView:
    """What was read. Rows are read later, those on screen only (`WorkRows`).

    Attributes:
        sections: flagged operations, then the rest; the keys are operation ids, newest first.
        flagged: the ids of the first section.
        since: the person's last visit, RFC 3339; None for a first one.
    """

    sections: tuple[Section, ...]
    now: datetime
    flagged: frozenset[str] = frozenset()
    since: str | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to look through."""
        return not any(section.keys for section in self.sections)


def read_work(desk: Desk, question: Question) -> WorkView:
    """Read which operations of agents wait for a look; of each the id alone."""
    flagged, rest = desk.agents_keys(workspace=question.workspace, words=question.filter)
    since = desk.store.last_seen_at(desk.actor.name)
    when = f"since you were here {ago(since, question.now)}" if since else "so far"
    sections = (
        Section(flagged, "On entries about you, until you keep or veto them", f"{len(flagged):,}"),
        Section(rest, f"What else agents did {when}", f"{len(rest):,}"),
    )
    return WorkView(tuple(s for s in sections if s.keys), question.now, frozenset(flagged), since)


class WorkRows:
    """The rows of a `WorkView`, a screenful at a time."""

    def __init__(self, desk: Desk, view: WorkView) -> None:
        self._desk = desk
        self._view = view
        self._seen: dict[Key, Work] = {}

    def sections(self) -> Sequence[Section]:
        return self._view.sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        found: Mapping[Key, Work] = {w.op.op_id: w for w in self._desk.work_of([str(key) for key in keys])}
        self._seen.update(found)
        return [self._row(found[key]) if key in found else None for key in keys]

    def work(self, key: Key) -> Work | None:
        """The operation as it was drawn."""
        if key not in self._seen:
            self.page([key])
        return self._seen.get(key)

    def _row(self, work: Work) -> Row:
        op = work.op
        what = op.summary or op.verb
        gone = "undone" if op.undone_by else "void" if op.ignored else "kept" if work.kept else ""
        cells = [
            age_short(op.timestamp, self._view.now), op.actor, Cell(f"({gone}) {what}", "muted") if gone else what,
            names_of(work),
        ]  # fmt: skip
        return Row(cells, sign=FLAG if work.flagged else "", tone="warn" if work.flagged else "")


def names_of(work: Work) -> str:
    """The entries that an operation touched: `user_profile, atom_port and 12 more`."""
    if work.more:
        return f"{', '.join(work.names[:3])} and {len(work.names[3:]) + work.more:,} more"
    return listing(work.names)


def work_sheet(desk: Desk, op_id: str, now: datetime) -> list[SheetBlock]:
    """The right side: why it is listed, what the operation did as a diff, and what a veto would take back with it.

    Raises:
        NotFound: the operation is no longer there.
    """
    title, *did = operation_sheet(desk, op_id, now)
    [work] = desk.work_of([op_id])
    blocks: list[SheetBlock] = [title, Gap()]
    if work.flagged:
        blocks.append(Plain(f"{FLAG} It writes about you, and stays here until you keep or veto it.", "warn"))
    elif work.kept:
        blocks.append(Plain("✓ You have let it stand; a veto is still possible.", "muted"))
    blocks.append(Plain(_role_words(work), "muted"))
    return [*blocks, *_veto_words(desk, work), *did]


def _role_words(work: Work) -> str:
    if work.op.verb == "pull":
        return "It was written in the host, which does not note by whom; it counts as agents' work."
    return f"An agent did it in the role {work.op.role}." if work.op.role else "Nothing says in which role it was done."


def _veto_words(desk: Desk, work: Work) -> list[SheetBlock]:
    """What a veto would do: worked out as the undo that it is, nothing is written."""
    if work.op.undone_by or work.op.ignored:
        return []
    try:
        [step] = desk.preview_undo(work.op.op_id).steps
    except MemdeskError as refusal:
        return [Plain(f"A veto cannot be told: {refusal.message}", "warn")]
    if step.refusal is not None:
        lines = [Line(step.refusal.message, "!", "warn"), *([Line(step.refusal.hint)] if step.refusal.hint else [])]
        return [Gap(), Heading("A veto is refused"), Lines(lines)]
    number = len(work.op.entries)
    if number > 1:
        return [Plain(f"A veto takes back all of it, on {count(number, 'entry')}.", "muted")]
    return []
