"""A receipt as a person reads it and as `--json` gives it: what happened, what to know, how to undo it (DESIGN 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.model import STATE_LABELS, Entry, State, role_label
from .output import put_line, put_styled, warn

if TYPE_CHECKING:
    from ...core.desk import Receipt
    from .call import Call

_PREVIEW = 80


def give(call: Call, receipt: Receipt, *, gaia: dict[str, Any] | None = None, lines: Sequence[str] = ()) -> None:
    """Answer a write with its receipt.

    Args:
        gaia: the keys that Gaia's command of the same name answers with (gaia/SPEC 4).
        lines: further lines for a person, after the sentence.
    """
    call.answer(receipt_json(receipt, gaia), lambda: _tell(receipt, lines))


def receipt_json(receipt: Receipt, gaia: dict[str, Any] | None = None) -> dict[str, Any]:
    """The JSON of a receipt: Gaia's keys first, then memdesk's own."""
    data: dict[str, Any] = {"status": "applied", "action": receipt.action}
    if receipt.entries:
        entry = receipt.entries[0]
        data |= {"id": entry.id, "name": entry.shown_name, "workspace": entry.workspace}
    data |= gaia or {}
    return data | {
        "op_id": receipt.op_id, "verb": receipt.verb, "summary": receipt.summary, "changed": receipt.changed,
        "flagged": receipt.flagged, "warnings": list(receipt.warnings),
        "undo": _undo_command(receipt),
    }  # fmt: skip


def entry_json(entry: Entry) -> dict[str, Any]:
    """An entry in a list of affected ones."""
    return {
        "id": entry.id, "name": entry.shown_name, "workspace": entry.workspace, "type": entry.type,
        "class": str(entry.klass), "memory_status": str(entry.status) if entry.status else None,
        "state": str(entry.state), "updated_at": entry.updated_at,
    }  # fmt: skip


def written_json(entry: Entry) -> dict[str, Any]:
    """What Gaia's `add` answers with, for an entry as read back."""
    preview = entry.body if len(entry.body) <= _PREVIEW else entry.body[:_PREVIEW]
    return {
        "name": entry.shown_name, "type": entry.type, "description": entry.description, "workspace": entry.workspace,
        "body_preview": preview, "class": str(entry.klass),
        "memory_status": str(entry.status) if entry.status else None, "state": str(entry.state),
        "project_ref": entry.project_ref, "initiative": entry.initiative, "audience": entry.audience,
        "tags": list(entry.tags), "updated_at": entry.updated_at,
    }  # fmt: skip


def place_line(entry: Entry) -> str:
    """Where an entry stands, in the words of DESIGN 1: `me/project_x · For this session · 01J…`."""
    state = "" if entry.state is State.ACTIVE else f" ({STATE_LABELS[entry.state]})"
    return f"{entry.ref} · {role_label(entry.klass, entry.status, entry.type)}{state} · {entry.id}"


def _tell(receipt: Receipt, lines: Sequence[str]) -> None:
    if receipt.flagged and receipt.changed:
        put_styled("For your veto: this is about the user.", "bold")
    if receipt.changed:
        put_line(f"{receipt.summary}.")
    else:
        put_line("Nothing to change: it stands like this already.")
    shown = [place_line(entry) for entry in receipt.entries] if receipt.action != "erased" else []
    for line in (*shown, *lines):
        put_styled(f"  {line}", "dim")
    for warning in receipt.warnings:
        warn(warning)
    undo = _undo_command(receipt)
    if undo:
        put_styled(f"{'Redo' if receipt.verb == 'undo' else 'Undo'} with {undo}.", "dim")


def _undo_command(receipt: Receipt) -> str | None:
    if not receipt.changed or receipt.final:
        return None
    return "memdesk redo" if receipt.verb == "undo" else "memdesk undo"
