"""The right side of Conflicts: two texts beside each other, what hangs on each, and what each key would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from ...core.desk import Desk
from ...core.diff import compare
from ...core.errors import MemdeskError
from ...core.model import STATE_LABELS, TEXT_FIELDS, Entry, State, role_label
from ...core.wording import FIELD_WORDS
from ..widgets.diff_blocks import DiffBlock, SheetBlock
from ..widgets.entry_text import Fold, Gap, Heading, Line, Lines, Plain
from ..words import ago, count
from .conflicts_read import Group, Lane

if TYPE_CHECKING:
    from ...core.desk.reading import Shown

#: Links of one entry that are told.
_LINKS = 6


@dataclass(frozen=True, slots=True)
class SheetAsked:
    """What to show.

    Attributes:
        a, b: the ids of the two that are compared; one and the same for copies.
        on: every entry that a merge would take, the one that stays first.
    """

    group: Group
    a: str
    b: str
    on: tuple[str, ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was read: the blocks, and the sentence that says what a merge would do."""

    blocks: Sequence[SheetBlock]
    sentence: str
    tone: str = ""


def read_sheet(desk: Desk, asked: SheetAsked) -> Sheet:
    """Read the sheet of a row. Raises NotFound where an entry is no longer there."""
    if asked.group.lost is not None:
        return _lost_sheet(desk, asked)
    one, other = desk.show(asked.a), desk.show(asked.b)
    sentence, tone, plan = _plan(desk, asked)
    blocks: list[SheetBlock] = [Lines([*_head("A", one, asked.now), *_head("B", other, asked.now)])]
    reasons = _reasons(asked.group)
    if reasons:
        blocks.append(Lines(reasons))
    blocks.append(Gap())
    blocks += _diffs(one.entry, other.entry)
    blocks += [Heading("Links"), Lines([*_links("A", one), *_links("B", other)])]
    blocks += [Gap(), Heading("What the keys do"), Lines(key_lines(asked.group, one.entry, other.entry, sentence))]
    if len(plan) > 1:
        blocks += [Gap(), Heading("The merge in full"), Lines([Line(text, "·") for text in plan[1:]])]
    if asked.group.lane is Lane.CONTRADICTION and not tone:
        a, b = one.entry.shown_name, other.entry.shown_name
        return Sheet(blocks, f"a {a} replaces {b}  ·  b the other way round  ·  m makes one of them")
    return Sheet(blocks, f"m {sentence}" if not tone else sentence, tone)


def _plan(desk: Desk, asked: SheetAsked) -> tuple[str, str, list[str]]:
    if len(asked.on) < 2:
        return "Nothing to merge: all others are left out.", "muted", []
    try:
        plan = desk.merge_plan(list(asked.on))
    except MemdeskError as error:
        return error.message, "warn", []
    return plan.sentence, "", plan.lines(desk.names_by_id())


def key_lines(group: Group, a: Entry, b: Entry, merging: str) -> list[Line]:
    """What each deciding key would do, one sentence each."""
    lines = [
        Line(merging, "m", "accent"),
        Line(f"{a.shown_name} replaces {b.shown_name}", "a"),
        Line(f"{b.shown_name} replaces {a.shown_name}", "b"),
        Line(f"{a.shown_name} and {b.shown_name} are related; both stay", "r"),
        Line("they are different; not shown again until a text changes", "d"),
        Line("alike on purpose; both stay, not shown again until a text changes", "x"),
        Line("not now; stays at the end of the queue", "l"),
    ]
    if group.lane is Lane.CONTRADICTION and group.has_decision():
        lines.append(Line("ask the owner which of them holds", "o"))
    return lines


def _head(side: str, shown: Shown, now: datetime) -> list[Line]:
    entry = shown.entry
    role = role_label(entry.klass, entry.status, entry.type)
    state = "" if entry.state is State.ACTIVE else f" ({STATE_LABELS[entry.state]})"
    used = entry.telemetry.injection_count
    facts = [
        f"{role}{state}", f"{ago(entry.updated_at, now)} by {entry.last_edited_by}",
        f"injected {count(used, 'time')}" if used else "never injected",
        count(len(shown.links_out) + len(shown.links_in), "link"),
    ]  # fmt: skip
    return [Line(entry.shown_name, side, "accent"), Line(" · ".join(facts), "", "muted")]


def _reasons(group: Group) -> list[Line]:
    told = dict.fromkeys((f.reason, str(f.lane)) for f in group.findings)
    lines = [Line(reason, "≠" if lane == "conflict" else "~", "bad" if lane == "conflict" else "warn")
             for reason, lane in told]  # fmt: skip
    if not lines and group.reason:
        lines = [Line(group.reason, "≈", "muted")]
    return lines


def _diffs(one: Entry, other: Entry) -> list[SheetBlock]:
    blocks: list[SheetBlock] = []
    for name in TEXT_FIELDS:
        left, right = getattr(one, name) or "", getattr(other, name) or ""
        if left or right:
            heading = f"The {FIELD_WORDS[name]}"
            same = left == right
            blocks.append(DiffBlock(name, heading, compare(left, right), "the same" if same else "- A   + B"))
    return blocks


def _links(side: str, shown: Shown) -> list[Line]:
    links = (*shown.links_out, *shown.links_in)
    if not links:
        return [Line("nothing", side, "muted")]
    lines = [
        Line(f"{link.words} {link.other_name}", side if place == 0 else "", "" if link.other else "warn")
        for place, link in enumerate(links[:_LINKS])
    ]
    if len(links) > _LINKS:
        lines.append(Line(f"and {len(links) - _LINKS} more", "", "muted"))
    return lines


def _lost_sheet(desk: Desk, asked: SheetAsked) -> Sheet:
    lost = asked.group.lost
    assert lost is not None
    shown = desk.show(asked.a)
    stands = getattr(shown.entry, "klass" if lost.field == "class" else lost.field)
    name = FIELD_WORDS.get(lost.field, lost.field)
    sentence = f"a keeps the {name} that stands, b takes the one of {lost.author}, x keeps both"
    blocks: list[SheetBlock] = [
        Lines([
            *_head("A", shown, asked.now),
            Line(f"what {lost.author} wrote {ago(lost.timestamp, asked.now)}, without having seen A", "B", "accent"),
        ]),
        Gap(), DiffBlock("lost", f"The {name}", compare(_text(stands), _text(lost.value)), "- A   + B"),
        Heading("What the keys do"),
        Lines([
            Line(f"the {name} stays as it stands", "a"),
            Line(f"the {name} that {lost.author} wrote is taken", "b"),
            Line(f"the {name} stays, the other wording is kept as a comment", "x"),
        ]),
    ]  # fmt: skip
    if lost.field == "body" and shown.entry.body:
        blocks.append(Fold("the entry", [Plain(shown.entry.body)]))
    return Sheet(blocks, sentence)


def _text(value: object) -> str:
    return "" if value is None else str(value)
