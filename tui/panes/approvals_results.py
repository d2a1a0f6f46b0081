"""Deciding on several requests with one key, and the screen that says what became of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...core.desk import Desk, Receipt
from ..review_words import about_words
from ..widgets.entry_text import Block, Gap, Heading, Line, Lines
from ..words import count, listing

if TYPE_CHECKING:
    from ...core.desk.deciding import Outcome

#: Names that are told of those that stay for the same reason.
_NAMED: Final = 12


def names_of_requests(desk: Desk, ids: Sequence[str]) -> dict[str, str]:
    """What each request is about, by its id: the names of the entries."""
    name = desk.names_by_id()
    return {row.request_id: about_words(row, name) or row.verb for row in desk.requests_of(ids)}


def as_receipt(found: Sequence[Outcome], verb: str, said: str, action: str) -> Receipt:
    """What is told of all of them: "Rejected 4 of 6 requests"."""
    done = [one.receipt for one in found if one.done and one.receipt is not None]
    entries = tuple(entry for receipt in done for entry in receipt.entries)
    told = f"{said} {len(done):,} of {count(len(found), 'request')}"
    return Receipt(done[-1].op_id if done else None, verb, told, action, entries=entries)


def undo_words(found: Sequence[Any]) -> str:
    """What the undo key does after several were decided: each is an operation of its own."""
    return "u undoes it." if sum(one.done for one in found) == 1 else "u undoes the last of them."


def results_blocks(found: Sequence[Any], names: Mapping[str, str] | None = None) -> list[Block]:
    """What became of each of a batch; those that stay for the same reason stand together, by name.

    Args:
        names: id -> what it is about, where the words of a failure do not say so.
    """
    done = [Line(one.words, "✓", "good") for one in found if one.done]
    reasons: dict[str, list[str]] = {}
    for one in found:
        if not one.done:
            reasons.setdefault(one.words, []).append((names or {}).get(getattr(one, "request_id", ""), ""))
    stay = [Line(f"{listing(about, _NAMED)}: {why}" if all(about) else why, "!", "warn")
            for why, about in reasons.items()]  # fmt: skip
    blocks: list[Block] = []
    for heading, number, lines in (
        ("Done", len(done), done), ("Stays as it is, marked", len(found) - len(done), stay)
    ):  # fmt: skip
        if lines:
            blocks += [*([Gap()] if blocks else []), Heading(f"{heading}: {number:,}"), Lines(lines)]
    return blocks
