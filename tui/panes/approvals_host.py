"""The sheet of an approval that waits in a host: what is to be run, the row that it concerns, how it is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.desk import Desk
from ..entry_view import role_words
from ..widgets.diff_blocks import SheetBlock
from ..widgets.entry_text import Body, Gap, Heading, Line, Lines, Plain, Title
from ..words import listing
from .approvals_sheet import Sheet
from .history_read import exactly

if TYPE_CHECKING:
    from ...core.desk.host_approvals import HostApproval


def host_sheet(desk: Desk, one: HostApproval) -> Sheet:
    """What is asked for in a host, with the entry as it stands here."""
    where = one.host.partition(":")[0].capitalize()
    parts = (exactly(one.asked_at) if one.asked_at else "", f"session {one.session}" if one.session else "", one.id)
    note = " · ".join(part for part in parts if part)
    blocks: list[SheetBlock] = [Title(f"{one.agent or 'An agent'} waits in {where} for a decision", note), Gap()]
    blocks += [Lines([Line(effect, "▸", "accent") for effect in one.effect])] if one.effect else []
    if one.note:
        blocks.append(Plain(one.note, "warn"))
    blocks += [Gap(), Heading("Why, in the asker's words")]
    blocks.append(Plain(one.rationale) if one.rationale else Plain("No reason was given.", "muted"))
    blocks += [Plain(f"Its risk, as told there: {one.risk}", "muted")] if one.risk else []
    blocks += [Gap(), Heading("It wants to run"), Lines([Line(command, "$") for command in one.commands]), Gap()]
    blocks += [
        Heading("How it is decided"),
        Plain(f"Approving in {where} grants and executes there, so only its own program decides it. a and r run it "
              "where it is installed; else run in a terminal, to approve and to reject:", "muted"),
        Lines([Line(command, "$", "accent") for command in one.decide]),
    ]  # fmt: skip
    if one.missing:
        blocks += [Gap(), Plain(f"! {listing(one.missing)} is no entry that is here.", "warn")]
    for entry in one.entries:
        blocks += [Gap(), Heading(entry.shown_name), Plain(role_words(entry), "muted")]
        blocks += [Plain(entry.description, "accent")] if entry.description else []
        blocks += [Gap(), Body(entry.body)]
    return Sheet(blocks)
