"""What Triage asks the digest for, and what a decision would make of it, before anything is applied.

Pure: rows in, blocks and rows out. The patches say what the desk's verbs will write, so that the block shown before
is the block that comes (DESIGN 5: "as it would be afterwards").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...core.digest import (
    DEFAULT_MAX_CHARS,
    WHY_WORDS,
    Bodies,
    Digest,
    DigestRow,
    Item,
    Mode,
    Why,
    changed,
    patched_bodies,
    render,
    shift,
)
from ...core.model import EntryClass, State, Status, role_label
from ..widgets.rows import Cell, Column, Key, Row, Section, Tone
from ..words import count, number
from .triage_rows import role_sign

#: Budgets that one key steps through; Gaia's own command asks for 800, its session start for 1,500.
BUDGETS: Final = (400, 800, 1200, 1500, 2000, 3000, 6000)
LEAST_CHARS: Final = 80
#: The key of the anchors among the sections.
ANCHOR: Final = "anchor"
MOST_CHARS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Ask:
    """What to render.

    Attributes:
        mode: worklist (with the anchors as second block), sections, or initiative.
        max_chars: the budget of each block.
        workspace: the one looked at, None for all.
        initiative: its key, in initiative mode.
    """

    mode: Mode = Mode.WORKLIST
    max_chars: int = DEFAULT_MAX_CHARS
    workspace: str | None = None
    initiative: str = ""


def blocks_of(rows: Sequence[DigestRow], ask: Ask, bodies: Bodies) -> tuple[Digest, ...]:
    """The blocks of one session start. In worklist mode two, as Gaia's session start injects them: the worklist,
    then the anchors without a second pointer (gaia/SPEC 6, "SessionStart")."""
    where, most = ask.workspace, ask.max_chars
    if ask.mode is Mode.INITIATIVE:
        return (render(rows, mode=ask.mode, key=ask.initiative, bodies=bodies, workspace=where),)
    first = render(rows, mode=ask.mode, bodies=bodies, workspace=where, max_chars=most)
    if ask.mode is Mode.SECTIONS:
        return (first,)
    only = (ANCHOR,)
    anchors = render(
        rows, mode=Mode.SECTIONS, wanted=only, bodies=bodies, workspace=where, max_chars=most, pointer=False
    )
    return (first, anchors)


def budget_beside(max_chars: int, step: int) -> int:
    """The next larger (step 1) or smaller (-1) budget; the last one stays."""
    if step > 0:
        return next((b for b in BUDGETS if b > max_chars), max(max_chars, BUDGETS[-1]))
    return next((b for b in reversed(BUDGETS) if b < max_chars), min(max_chars, BUDGETS[0]))


def parse_budget(text: str) -> int | None:
    """A budget typed by a person ("1,500", "1500 characters"); None when it is none."""
    digits = text.lower().removesuffix("characters").replace(",", "").replace("_", "").strip()
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 7:
        return None
    value = int(digits)
    return value if LEAST_CHARS <= value <= MOST_CHARS else None


# -- decisions on a set, before they are made -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that a whole set can get.

    Attributes:
        action: the id of the action that applies it.
        key: its key, the same as in the pane.
        doing: what it does, for the head of a preview: "Close".
        done: how an entry that leaves is marked: "closed".
    """

    action: str
    key: str
    doing: str
    done: str
    patch: Mapping[str, Any]


DECISIONS: Final = (
    Decision("entry.close", "c", "Close", "closed", {"status": Status.CLOSED}),
    Decision("entry.carry", "f", "Carry forward", "carried forward", {"status": Status.CARRY_FORWARD}),
    Decision("entry.open", "o", "Open", "opened", {"status": Status.OPEN}),
    Decision("entry.graduate", "g", "Graduate", "graduated", {"status": Status.GRADUATED}),
    Decision("entry.log", "l", "Move to the log", "moved to the log", {"class": EntryClass.LOG}),
    Decision("entry.delete", "d", "Delete", "deleted", {"state": State.PURGED}),
)


def decision_of(action: str) -> Decision | None:
    """The decision that an action makes, if a set can get it."""
    return next((d for d in DECISIONS if d.action == action), None)


def as_decided(
    rows: Sequence[DigestRow], ask: Ask, bodies: Bodies, patches: Mapping[str, Mapping[str, Any]], *, now: str
) -> tuple[Digest, ...]:
    """The blocks as they would be after these patches (entry id -> patch)."""
    return blocks_of(changed(rows, patches, now=now), ask, patched_bodies(bodies, patches))


@dataclass(frozen=True, slots=True)
class Preview:
    """A decision on a set, and the blocks before and after it."""

    decision: Decision
    ids: tuple[str, ...]
    before: tuple[Digest, ...]
    after: tuple[Digest, ...]

    @property
    def used(self) -> tuple[int, int]:
        """Characters of the first block, before and after."""
        return self.before[0].used, self.after[0].used

    @property
    def sentence(self) -> str:
        """What would happen, in one line: "Close 3 entries: 1,312 → 1,240 characters, 2 leave, 1 comes in"."""
        left = sum(len(shift(b, a).left) for b, a in zip(self.before, self.after, strict=True))
        came = sum(len(shift(b, a).entered) for b, a in zip(self.before, self.after, strict=True))
        before, after = self.used
        size = f"{number(after)} characters as before"
        if before != after:
            size = f"{number(before)} → {number(after)} characters"
        parts = [f"{left} {'leaves' if left == 1 else 'leave'}"] if left else []
        parts += [f"{came} {'comes' if came == 1 else 'come'} in"] if came else []
        what = ", ".join(parts) or "the same entries"
        return f"{self.decision.doing} {count(len(self.ids), 'entry')}: {size}, {what}"


def preview(
    rows: Sequence[DigestRow], ask: Ask, bodies: Bodies, decision: Decision, ids: Sequence[str], *, now: str
) -> Preview:
    """The block before and after a decision on `ids`."""
    patches = {i: decision.patch for i in ids}
    return Preview(decision, tuple(ids), blocks_of(rows, ask, bodies), as_decided(rows, ask, bodies, patches, now=now))


PREVIEW_COLUMNS: Final = (
    Column("name", flex=5, min_width=14, title="entry"),
    Column("what", flex=3, min_width=18, title="what happens"),
    Column("initiative", flex=2, min_width=8, priority=1, title="initiative", tone="accent"),
    Column("cost", width=5, align="right", title="chars"),
)


#: What is said of a row: its sign, its words ("" for its role) and their tone.
_Says = Callable[[str], tuple[str, str, Tone]]


class PreviewRows:
    """The block as it would be: what comes in (+), what stays, what leaves (-) and where it goes.

    The provider of the preview's list. Its keys are its own: an entry may leave one block and come into the other.
    """

    def __init__(self, shown: Preview) -> None:
        self.preview = shown
        self._rows: dict[Key, Row] = {}
        self._named: set[str] = set()
        self._sections: list[Section] = []
        names = ("The block as it would be", "The anchors as they would be")
        for name, old, new in zip(names, shown.before, shown.after, strict=False):
            change = shift(old, new)
            came = {i.row.id for i in change.entered}
            self._add(name, new.items, _coming(came))
            if change.left:
                self._add(f"Leaves {name.split(' as ')[0].lower()}", change.left, self._leaving(new))
        self._elsewhere()

    def sections(self) -> Sequence[Section]:
        return self._sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        return [self._rows.get(key) for key in keys]

    def _leaving(self, new: Digest) -> _Says:
        below = {b.row.id: b.why for b in new.below}
        decided, done = set(self.preview.ids), self.preview.decision.done

        def says(entry_id: str) -> tuple[str, str, Tone]:
            if entry_id in below:
                return "-", f"falls below: {WHY_WORDS[below[entry_id]]}", "warn"
            return "-", done if entry_id in decided else "leaves", "bad"

        return says

    def _elsewhere(self) -> None:
        """The decided entries that neither were in the block nor will be."""
        done = self.preview.decision.done
        rows = {b.row.id: b.row for digest in self.preview.before for b in digest.below}
        after = {b.row.id for digest in self.preview.after for b in digest.below}
        keys: list[Key] = []
        for entry_id in self.preview.ids:
            row = rows.get(entry_id)
            if row is None or entry_id in self._named:
                continue
            text = f"{done}, still below the cut" if entry_id in after else done
            group = row.initiative or ""
            self._rows[f"x{entry_id}"] = Row((row.name, text, group, ""), sign=role_sign(row), tone="muted")
            keys.append(f"x{entry_id}")
        if keys:
            self._sections.append(Section(keys, "Not in the block, before or after", number(len(keys))))

    def _add(self, name: str, items: Sequence[Item], says: _Says) -> None:
        keys: list[Key] = []
        for item in items:
            row = item.row
            sign, text, tone = says(row.id)
            role = role_label(row.klass, row.status, row.type)
            cells = (row.name, Cell(text or role, tone), item.group or row.initiative or "", number(item.chars))
            key = f"{len(self._sections)}{row.id}"
            self._rows[key] = Row(cells, sign=sign or role_sign(row))
            self._named.add(row.id)
            keys.append(key)
        if keys:
            chars = count(sum(i.chars for i in items), "character")
            self._sections.append(Section(keys, name, f"{count(len(keys), 'entry')}, {chars}"))


def _coming(came: set[str]) -> _Says:
    def says(entry_id: str) -> tuple[str, str, Tone]:
        return ("+", "comes in", "good") if entry_id in came else ("", "", "")

    return says


# -- moving an entry up ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lift:
    """One way to bring an entry below the cut into the block.

    Attributes:
        action: the action that does it.
        key: its letter.
        label: what it does.
        patch: what it would write, as far as the block is concerned.
        why_not: why it cannot be done, "" when it can.
    """

    action: str
    key: str
    label: str
    patch: Mapping[str, Any]
    why_not: str = ""


#: A body that is given, and not known yet: the entry becomes the freshest, its shown text stays.
_TOUCH: Final[Mapping[str, Any]] = {"body": None}


def lifts(row: DigestRow, why: Why, mode: Mode) -> list[Lift]:
    """The ways up that the rules allow: only a change makes an entry fresh, and nothing changes it for the sake of
    changing (DESIGN 3.4: a change that changes nothing writes nothing)."""
    if why in (Why.TOO_LONG, Why.EMPTY):
        return [Lift("entry.reword", "e", "Shorten its text" if why is Why.TOO_LONG else "Give it a text", _TOUCH)]
    append = Lift("entry.append", "a", "Append what is new", _TOUCH)
    reword = Lift("entry.reword", "e", "Reword it", _TOUCH)
    if row.klass != EntryClass.THREAD:
        return [append, reword]
    carried = row.status == Status.CARRY_FORWARD
    carry = Lift(
        "entry.carry", "f", "Carry it forward", {"status": Status.CARRY_FORWARD},
        "it is carried forward already" if carried else "",
    )  # fmt: skip
    if mode is Mode.SECTIONS and not carried:
        # Open threads stand oldest first there: freshening one only moves it down.
        return [carry]
    return [carry, append, reword]


def pushed_out(before: Sequence[Digest], after: Sequence[Digest], entry_id: str) -> tuple[bool, list[str]]:
    """Whether the entry would be in the block, and the names of those it would push out."""
    inside = any(entry_id in d.shown_ids for d in after)
    gone = [i.row.name for b, a in zip(before, after, strict=True) for i in shift(b, a).left if i.row.id != entry_id]
    return inside, gone
