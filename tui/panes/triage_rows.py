"""The rows of Triage: the block in the order a session gets it, the cut where it falls, what lies below it and why.

Pure: digests in, rows out. `Board` is a snapshot for the row list; the panes' words on changes of the block are here
too, so that a preview and the desk after the deed say the same (DESIGN 5, 9).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from ...core.digest import (
    SECTIONS,
    Below,
    Digest,
    DigestRow,
    Item,
    Mode,
    PlainRow,
    Why,
    render,
    shift,
)
from ...core.model import BUILT_IN_TYPES, EntryClass, Status, role_label
from ..widgets.blocks import Block, Body, Gap, Heading, Plain, Title
from ..widgets.rows import Cell, Column, Key, Row, Rows, Section, Tone
from ..words import age_short, ago, count, listing, number

#: Signs of the roles, so that a list too narrow for the words still says what a row is for.
CARRIED, OPENED, ABOUT_YOU, KNOWN, OTHER = "»", "○", "@", "◆", "·"
#: Second sign: reviewed and kept as it is.
KEPT: Final = "="
#: A write of the entry is under way.
WRITING: Final = "…"

_SECTION_WORDS: Final = {
    "carry_forward": role_label(EntryClass.THREAD, Status.CARRY_FORWARD, ""),
    "thread_open": role_label(EntryClass.THREAD, Status.OPEN, ""),
    "user": role_label(EntryClass.ANCHOR, None, "user"),
    "anchor": role_label(EntryClass.ANCHOR, None, ""),
}
_WORKLIST: Final = "Worklist"
_NO_WORK: Final = "no thread is live: the next session starts without open work"
_BELOW_WORDS: Final = {
    Why.BUDGET: "Below the cut: over the budget",
    Why.QUOTA: "Below the cut: over the number of places",
    Why.NOT_TOP: "Below the cut: behind the freshest of its initiative",
    Why.TOO_LONG: "Never injected: too long",
    Why.EMPTY: "Never injected: no text",
}

#: The name of an entry and what it says, which is what a session reads and gets the room: the same in every pane of
#: entries, so that they stand under each other when one changes the pane.
NAME_COLUMN: Final = Column("name", flex=1, min_width=22, title="entry", middle=True)
SAYS_COLUMN: Final = Column("says", flex=6, min_width=16, title="what it says", tone="muted")
#: Name, what it says, role, age, initiative, how many stand behind it, cost. The role has a sign at the left, so its
#: words wait for a wide list.
COLUMNS: Final = (
    NAME_COLUMN,
    SAYS_COLUMN,
    Column("role", width=16, title="for", wide=140),
    Column("initiative", width=14, title="initiative", tone="accent", wide=100),
    Column("more", width=3, title="+", tone="muted"),
    Column("age", width=4, align="right", title="age"),
    Column("cost", width=5, align="right", title="chars"),
)
#: The type that nearly every thread has: its names are shown without it.
_COMMON: Final = "project"


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an entry stands.

    Attributes:
        chars: what it costs in the block; below the cut what it would cost there.
        group: its initiative as the block shows it, "" for none.
        more: live threads behind it that the block only counts.
        section: "digest", a section key or "project".
        why: why it is not in the block; None when it is.
    """

    row: DigestRow
    chars: int
    group: str
    more: int
    section: str
    why: Why | None = None

    @property
    def injected(self) -> bool:
        """Whether the next session gets it."""
        return self.why is None


class Signed(Protocol):
    """What a sign needs of a row; the store's and the digest's rows have this shape."""

    @property
    def klass(self) -> str: ...
    @property
    def status(self) -> str | None: ...
    @property
    def type(self) -> str: ...


#: Gives the titles of entries that have one.
Titles = Callable[[Sequence[str]], Mapping[str, str]]


def no_titles(ids: Sequence[str]) -> Mapping[str, str]:
    """A `Titles` that knows none."""
    return {}


class Board:
    """What a session start injects, block by block, as rows of a list. The provider of a `RowList`.

    Keys are entry ids. Only rows on screen are made; 35,000 rows below the cut cost one list of ids.
    """

    def __init__(
        self,
        blocks: Sequence[Digest],
        *,
        now: datetime,
        fits: Callable[[DigestRow], bool] | None = None,
        titles: Titles = no_titles,
        unread: int = 0,
    ) -> None:
        """Create a snapshot.

        Args:
            blocks: the blocks of the session start, in order: the worklist and the anchors, or the sections, or one
                initiative.
            now: what ages are counted from.
            fits: which rows the filter leaves in; all without one.
            titles: gives titles by id, a page at a time: the rows of a digest carry none.
            unread: older anchors that are over the number of places too, and were not read.
        """
        self.blocks = tuple(blocks)
        self.now = now
        self._filter = fits
        self._titles = titles
        self._unread = unread
        self._in = [{item.row.id: item for item in digest.items} for digest in self.blocks]
        self._below = [{below.row.id: below for below in digest.below} for digest in self.blocks]
        self._behind: dict[str, int] = {}
        self._sections = [s for digest in self.blocks for s in self._block_sections(digest)]
        if self._sections and self.main.mode is Mode.WORKLIST and not self.main.total:
            self._sections.insert(0, Section((), _WORKLIST, dividers=((0, _NO_WORK),)))
        if fits is not None and not self.shown:
            self._sections = []  # so that the list can say that nothing fits

    # -- the rows of the list ---------------------------------------------------------------------

    def sections(self) -> Sequence[Section]:
        return self._sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        titles = self._titles([str(key) for key in keys])
        return [self._row(self.spot(str(key)), titles.get(str(key), "")) for key in keys]

    # -- what the pane asks -----------------------------------------------------------------------

    @property
    def main(self) -> Digest:
        """The block that the meter measures."""
        return self.blocks[0]

    @property
    def text(self) -> str:
        """Exactly what the session gets: the blocks, a blank line between; with bodies for one initiative."""
        parts = [d.full_text for d in self.blocks if d.block]
        return "\n\n".join(parts)

    @property
    def shown(self) -> int:
        """How many rows the list has."""
        return sum(len(s.keys) for s in self._sections)

    def spot(self, entry_id: str) -> Spot | None:
        """Where an entry stands, or None when the board does not know it."""
        for digest, items, rest in zip(self.blocks, self._in, self._below, strict=True):
            item = items.get(entry_id)
            if item is not None:
                return _spot_of(digest, item)
            below = rest.get(entry_id)
            if below is not None:
                more = self._more(digest, below) if below.why in (Why.BUDGET, Why.QUOTA) else 0
                group = below.section if digest.mode is Mode.WORKLIST else below.row.initiative or ""
                return Spot(below.row, cost(below, digest, more), group, more, below.section, below.why)
        return None

    def row_of(self, entry_id: str) -> DigestRow | None:
        """The light row of an entry on the board."""
        spot = self.spot(entry_id)
        return spot.row if spot else None

    # -- making them ------------------------------------------------------------------------------

    def _block_sections(self, digest: Digest) -> list[Section]:
        made = []
        for name, items in self._named_items(digest):
            keys = self._fitting(i.row for i in items)
            if keys:
                made.append(Section(keys, name, self._note(digest, items)))
        if not digest.max_chars or not digest.total:
            return made
        divider = cut_line(digest)
        if made:
            last = made[-1]
            made[-1] = Section(last.keys, last.header, last.note, ((len(last.keys), divider),))
        else:
            made.append(Section((), dividers=((0, divider),)))
        return made + self._below_sections(digest)

    @staticmethod
    def _named_items(digest: Digest) -> list[tuple[str, list[Item]]]:
        if digest.mode is Mode.WORKLIST:
            return [(_WORKLIST, list(digest.items))]
        if digest.mode is Mode.INITIATIVE:
            group = digest.items[0].group if digest.items else ""
            return [(f"All of {group}", list(digest.items))]
        named: dict[str, list[Item]] = {}
        for key in SECTIONS:
            for item in digest.items:
                if item.section == key:
                    named.setdefault(_section_word(item.section, item.row), []).append(item)
        return list(named.items())

    def _note(self, digest: Digest, items: Sequence[Item]) -> str:
        chars = sum(i.chars for i in items)
        if digest.mode is Mode.INITIATIVE:
            chars += sum(len(i.body or "") for i in items)
            return f"{count(len(items), 'thread')}, {count(chars, 'character')} with bodies"
        if digest.mode is Mode.WORKLIST:
            # The heading and the pointer paragraph cost more than many an entry: without them the sums do not add up.
            return (
                f"{count(len(items), 'initiative')}, {number(chars)} characters + {number(digest.used - chars)} frame"
            )
        return f"{count(len(items), 'entry')}, {count(chars, 'character')}"

    def _below_sections(self, digest: Digest) -> list[Section]:
        by_why: dict[Why, list[DigestRow]] = {}
        for below in digest.below:
            by_why.setdefault(below.why, []).append(below.row)
        made = []
        for why in Why:
            rows = by_why.get(why, [])
            keys = self._fitting(rows)
            if keys:
                more = self._unread if why is Why.QUOTA and digest.mode is Mode.SECTIONS else 0
                all_of_them = len(rows) + more
                note = number(all_of_them)
                if len(keys) < all_of_them:
                    note = f"{number(len(keys))} of {note}"
                made.append(Section(keys, _BELOW_WORDS[why], note))
        return made

    def _fitting(self, rows: Iterable[DigestRow]) -> list[str]:
        fits = self._filter
        return [row.id for row in rows if fits is None or fits(row)]

    def _more(self, digest: Digest, below: Below) -> int:
        """How many threads stand behind a top that is below the cut."""
        if digest.mode is not Mode.WORKLIST:
            return 0
        if not self._behind:
            for other in digest.below:
                if other.why is Why.NOT_TOP:
                    self._behind[other.section] = self._behind.get(other.section, 0) + 1
        return self._behind.get(below.section, 0)

    def _row(self, spot: Spot | None, title: str) -> Row | None:
        if spot is None:
            return None
        row = spot.row
        says = " · ".join(part for part in (title, row.description) if part)
        lively = spot.injected and row.status == Status.CARRY_FORWARD
        return Row(
            (
                name_cell(row.name),
                says,
                Cell(role_label(row.klass, row.status, row.type), "good" if lively else ""),
                spot.group,
                _more(spot.more),
                age_short(row.updated_at, self.now),
                number(spot.chars),
            ),
            sign=role_sign(row),
            tone="" if spot.injected else "muted",
        )


class Marked:
    """Rows with what the screen alone knows: whose write is under way, what was looked at and kept. The provider
    around another."""

    def __init__(self, rows: Rows, busy: Callable[[], Collection[str]], kept: Callable[[str], bool]) -> None:
        self._rows = rows
        self._busy = busy
        self._kept = kept

    def sections(self) -> Sequence[Section]:
        return self._rows.sections()

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        busy = self._busy()
        return [
            row and replace(row, sign=self._sign(str(key), row.sign, busy))
            for key, row in zip(keys, self._rows.page(keys), strict=True)
        ]

    def _sign(self, entry_id: str, sign: str, busy: Collection[str]) -> str:
        if entry_id in busy:
            return WRITING
        return sign + KEPT if self._kept(entry_id) else sign


# -- figures and words ----------------------------------------------------------------------------------------------


def words_filter(text: str) -> Callable[[DigestRow], bool] | None:
    """Whether a row holds all words of a filter in its name, description, initiative or role; None for no filter."""
    words = text.casefold().split()

    def fits(row: DigestRow) -> bool:
        role = role_label(row.klass, row.status, row.type)
        held = f"{row.name} {row.description or ''} {row.initiative or ''} {role}".casefold()
        return all(word in held for word in words)

    return fits if words else None


def _spot_of(digest: Digest, item: Item) -> Spot:
    chars = item.chars + (len(item.body or "") if digest.mode is Mode.INITIATIVE else 0)
    group = item.group or item.row.initiative or ""
    return Spot(item.row, chars, group, max(item.pending_count - 1, 0), item.section)


def _more(behind: int) -> str:
    """How many stand behind, in three cells."""
    return "" if not behind else f"+{behind}" if behind < 100 else "99+"


def name_cell(name: str, tone: Tone = "", *, everywhere: str = "") -> Cell:
    """The name of an entry in a list: its type quieter, the most common type left out; the whole name stands at its
    right, in the view of the entry.

    Args:
        everywhere: the workspace, where entries of several are listed.
    """
    kind, _, rest = name.partition("_")
    # project_decision_x would look like decision_x, so it keeps its type.
    short = rest if kind == _COMMON and rest and rest.partition("_")[0] not in BUILT_IN_TYPES else name
    if everywhere:
        return Cell(f"{everywhere}/{short}", tone)
    # A lead is drawn as it is: only what is known to be harmless may stand there.
    return Cell(rest, tone, f"{kind}_") if short == name and rest and kind in BUILT_IN_TYPES else Cell(short, tone)


def role_sign(row: Signed) -> str:
    """The sign of an entry's role."""
    if row.klass == EntryClass.THREAD:
        return {str(Status.CARRY_FORWARD): CARRIED, str(Status.OPEN): OPENED}.get(row.status or "", OTHER)
    if row.klass == EntryClass.ANCHOR:
        return ABOUT_YOU if row.type == "user" else KNOWN
    return OTHER


def _section_word(section: str, row: DigestRow) -> str:
    return _SECTION_WORDS["user" if section == "anchor" and row.type == "user" else section]


def cut_line(digest: Digest) -> str:
    """The cut in figures: "cut: 1,312 of 1,500 characters"."""
    text = f"cut: {number(digest.used)} of {number(digest.max_chars)} characters"
    if digest.over:
        text += f", {number(digest.over)} over"
    return text if digest.below else f"{text}, nothing below it"


def cost(below: Below, digest: Digest, more: int = 0) -> int:
    """What an entry below the cut would cost in the block, in characters, its "+N more" line included.

    The block itself is asked, with this entry alone in it (and one behind it where some are counted), so that the
    figure can never differ from the block's own.
    """
    row = below.row
    if digest.mode is not Mode.WORKLIST:
        found = render([row], mode=digest.mode, wanted=(below.section,), pointer=False, max_chars=1_000_000).items
        return found[0].chars if found else row.body_chars
    rows: list[DigestRow] = [row]
    if more:
        rows.append(PlainRow("~", row.workspace, "~", "project", "thread", status="open", initiative=row.initiative))
    items = render(rows, pointer=False).items
    return items[0].chars + (len(str(more)) - 1 if more else 0)


def moved(before: Sequence[Digest], after: Sequence[Digest], decided: Collection[str] = ()) -> str:
    """What a change did to the block, in words: "project_b moved up, project_z fell below the cut"; "" for nothing.

    Args:
        before: the blocks before.
        after: the blocks after, in the same order.
        decided: ids of the entries that were decided on: that they leave needs no words.
    """
    came: list[str] = []
    lifted: list[str] = []
    fell: list[str] = []
    for old, new in zip(before, after, strict=False):
        change = shift(old, new)
        came += [i.row.name for i in change.entered if i.row.id in decided]
        lifted += [i.row.name for i in change.entered if i.row.id not in decided]
        below = {b.row.id for b in new.below} if change.left else set()
        fell += [i.row.name for i in change.left if i.row.id in below]
    parts = []
    if came:
        parts.append(f"{listing(came)} {'is' if len(came) == 1 else 'are'} in the block now")
    if lifted:
        parts.append(f"{listing(lifted)} moved up")
    if fell:
        parts.append(f"{listing(fell)} fell below the cut")
    return ", ".join(parts)


def initiative_blocks(digest: Digest, now: datetime) -> list[Block]:
    """One initiative to read in one go: every live thread with its whole text."""
    group = digest.items[0].group if digest.items else ""
    blocks: list[Block] = [Title(group, f"{count(len(digest.items), 'live thread')}, newest first")]
    for item in digest.items:
        row = item.row
        role = role_label(row.klass, row.status, row.type)
        blocks += [Gap(), Heading(row.name), Plain(f"{role}  ·  changed {ago(row.updated_at, now)}", "muted")]
        if row.description:
            blocks.append(Plain(row.description, "accent"))
        if item.body:
            blocks += [Gap(), Body(item.body)]
    return blocks
