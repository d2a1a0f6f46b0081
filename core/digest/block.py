"""What a digest is: the injected block, its items with their cost, the cut, and what lies below it and why. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal, NamedTuple

from .rows import DigestRow

DEFAULT_MAX_CHARS: Final = 1500
#: Fewer characters than this are never asked of a block, however long the pointer (gaia/SPEC 6).
LEAST_BUDGET: Final = 80
ELLIPSIS: Final = "…"

#: The paragraph under every block. Its length is part of the format (436 characters, gaia/SPEC 6): a Gaia session and a
#: memdesk session given one budget must show the same items.
POINTER: Final = (
    "> This block is a worklist under a budget, not the whole memory: more may be open than it shows. "
    "Read one entry whole with `memdesk show <name>` (the name stands after `- `), all that an initiative still "
    "owes with `memdesk get-relevant --initiative <key>`, anything else with `memdesk search`. "
    "Search before you write, keep one concern an entry, and close a thread as soon as it is resolved: "
    "`memdesk reclassify <name> --status closed`."
)
POINTER_RESERVE: Final = 438


class Mode(StrEnum):
    """The four ways to read memory at a session start (gaia/SPEC 6)."""

    WORKLIST = "worklist"
    SECTIONS = "sections"
    INITIATIVE = "initiative"
    TYPES = "types"


class Why(StrEnum):
    """Why a live entry is not in the block."""

    BUDGET = "budget"
    QUOTA = "quota"
    NOT_TOP = "not_top"
    TOO_LONG = "too_long"
    EMPTY = "empty"


WHY_WORDS: Final = {
    Why.BUDGET: "over the budget",
    Why.QUOTA: "over the number of places",
    Why.NOT_TOP: "not the freshest of its initiative",
    Why.TOO_LONG: "its text is too long to inject",
    Why.EMPTY: "it has no text to inject",
}


class Below(NamedTuple):
    """An entry that is live and not in the block: its row, the group or section it would stand in, and why not."""

    row: DigestRow
    section: str
    why: Why


@dataclass(frozen=True, slots=True)
class Item:
    """One entry in the block.

    Attributes:
        section: "digest", "project", a section key, or the type (types mode).
        group: the initiative bucket as shown (`otros` for none); "" where the mode has no groups.
        description: the text as shown in the block (verbatim in initiative mode).
        text: its lines in the block, "+N más en …" included.
        chars: what they cost in characters, line ends included.
        pending_count: how many live threads its initiative has (worklist), else 0.
        body: the whole body where the mode carries it, else None.
    """

    row: DigestRow
    section: str
    group: str
    description: str
    text: str
    chars: int
    pending_count: int = 0
    body: str | None = None

    @property
    def entry_id(self) -> str:
        """The entry's id."""
        return self.row.id

    def as_json(self) -> dict[str, Any]:
        """The item of `--json`, with Gaia's keys for its mode (gaia/SPEC 6)."""
        row = self.row
        if self.section == "digest":
            return {
                "name": row.name, "type": row.type, "initiative": self.group, "memory_status": row.status,
                "section": "digest", "description": self.description, "pending_count": self.pending_count,
                "chars": self.chars,
            }  # fmt: skip
        if self.section == "project":
            return {
                "name": row.name, "type": row.type, "initiative": self.group, "class": row.klass,
                "memory_status": row.status, "section": "project", "description": self.description,
                "body": self.body or "",
            }  # fmt: skip
        if self.section == row.type:
            return {"name": row.name, "type": row.type, "description": self.description, "chars": self.chars}
        return {
            "name": row.name, "type": row.type, "class": row.klass, "memory_status": row.status,
            "section": self.section, "description": self.description, "project_ref": row.project_ref,
            "chars": self.chars,
        }  # fmt: skip


@dataclass(frozen=True)
class Digest:
    """What a session start would inject, and what not.

    Attributes:
        mode: which of the four.
        workspace: the workspace it was made for, None for all of them.
        items: the entries in the block, in its order. The cut falls after the last of them.
        block: the exact text; "" when there is nothing.
        max_chars: the budget asked for; 0 where the mode has none (initiative).
        overflow_projects: initiatives that are not shown (worklist).
        overflow: entries left out by the trim or the carry_forward cap (sections, types), as Gaia counts them.
        carry_forward_dropped: of these, carry_forward threads over their cap (sections).
        total: live entries looked at, in the block or below it.
        counter: which access counter showing this moves: "injection" or "deliberate".
    """

    mode: Mode
    workspace: str | None
    items: tuple[Item, ...] = ()
    block: str = ""
    max_chars: int = 0
    overflow_projects: int = 0
    overflow: int = 0
    carry_forward_dropped: int = 0
    total: int = 0
    counter: Literal["injection", "deliberate"] = "injection"
    _rest: Callable[[], Sequence[Below]] = field(default=tuple, repr=False, compare=False)

    @property
    def used(self) -> int:
        """Length of the block in characters."""
        return len(self.block)

    @property
    def over(self) -> int:
        """By how many characters the block is over the budget, 0 if it fits (a first group always stays)."""
        return max(0, self.used - self.max_chars) if self.max_chars else 0

    @property
    def below(self) -> Sequence[Below]:
        """What is live and not in the block, what would move up next first; made when asked for."""
        cached: Sequence[Below] | None = self.__dict__.get("_below")
        if cached is None:
            cached = self._rest()
            object.__setattr__(self, "_below", cached)
        return cached

    @property
    def shown_ids(self) -> tuple[str, ...]:
        """Ids of the entries in the block: those whose counter moves."""
        return tuple(i.row.id for i in self.items)

    def place_of(self, entry_id: str) -> Item | Below | None:
        """The entry's item, or its place below the cut; None when the digest does not know it."""
        for item in self.items:
            if item.row.id == entry_id:
                return item
        return next((b for b in self.below if b.row.id == entry_id), None)

    @property
    def full_text(self) -> str:
        """What the text form of the command prints: the block; for one initiative with the bodies (DESIGN 5)."""
        if self.mode is not Mode.INITIATIVE or not self.items:
            return self.block
        parts = [self.block.split("\n", 1)[0]]
        for item in self.items:
            body = "\n".join(f"  {line}".rstrip() for line in (item.body or "").splitlines())
            parts.append(f"{item.text}\n\n{body}".rstrip())
        return "\n\n".join(parts)

    def as_json(self, below: int = 20) -> dict[str, Any]:
        """The object of `--json`: Gaia's keys (gaia/SPEC 6), then the cut and the first `below` entries under it."""
        record: dict[str, Any] = {
            "workspace": self.workspace, "items": [i.as_json() for i in self.items], "block": self.block,
        }  # fmt: skip
        if not self.items:
            return record
        if self.mode is Mode.WORKLIST:
            record["overflow_projects"] = self.overflow_projects
        else:
            record["overflow"] = self.overflow
        if self.mode is Mode.SECTIONS:
            record["carry_forward_dropped"] = self.carry_forward_dropped
        if self.max_chars:
            rest = self.below
            record |= {
                "used": self.used, "max_chars": self.max_chars, "below_total": len(rest),
                "below": [{"name": b.row.name, "section": b.section, "why": str(b.why)} for b in rest[:below]],
            }  # fmt: skip
        return record


class Shift(NamedTuple):
    """What a change does to the block: who comes in, who goes out."""

    entered: tuple[Item, ...]
    left: tuple[Item, ...]


def shift(before: Digest, after: Digest) -> Shift:
    """Compare two digests by entry: what moved into the block and what it pushed out (CASES "Injection budget")."""
    old, new = set(before.shown_ids), set(after.shown_ids)
    return Shift(
        tuple(i for i in after.items if i.row.id not in old), tuple(i for i in before.items if i.row.id not in new)
    )


# -- text -----------------------------------------------------------------------------------------------------------


def flat(text: str | None) -> str:
    """The text on one line: every line end one space, ends stripped (gaia/SPEC 6)."""
    return " ".join((text or "").splitlines()).strip()


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, then an ellipsis."""
    return text if len(text) <= limit else text[:limit].rstrip() + ELLIPSIS


def cut_at_word(text: str, limit: int) -> str:
    """As `cut`, at a word boundary where one lies past 60 % of the limit (gaia/SPEC 6, sections)."""
    if len(text) <= limit:
        return text
    head = text[:limit]
    space = len(head) if text[limit] == " " else head.rfind(" ")
    return (head[:space] if space > limit * 0.6 else head).rstrip() + ELLIPSIS


def bullet(label: str, text: str) -> str:
    """`- label: text`, without the colon when there is no text."""
    return f"- {label}: {text}" if text else f"- {label}"


def budget_of(max_chars: int, pointer: bool) -> int:
    """Characters left for the lines once the pointer has its place, never under 80 (gaia/SPEC 6)."""
    return max(LEAST_BUDGET, max_chars - POINTER_RESERVE) if pointer else max_chars


def with_pointer(block: str, pointer: bool) -> str:
    """The block with the pointer paragraph under it."""
    return f"{block}\n\n{POINTER}" if pointer else block


def count_by_why(below: Iterable[Below]) -> Mapping[Why, int]:
    """How many entries are below the cut for each reason."""
    counts: dict[Why, int] = {}
    for entry in below:
        counts[entry.why] = counts.get(entry.why, 0) + 1
    return counts
