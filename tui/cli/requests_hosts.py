"""What waits in a host's own queue and is about memory: shown here, decided by its own program (gaia/SPEC 9.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .call import Call, now
from .output import Column, put_indented, put_line, put_styled, put_table, warn
from .requests_telling import short_ids

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.host_approvals import HostApproval


def host_json(one: HostApproval) -> dict[str, Any]:
    """One of them for `--json`."""
    return {
        "request_id": one.id, "kind": "host", "host": one.host, "verb": one.verb, "asked_by": one.agent,
        "asked_at": one.asked_at, "session_id": one.session, "status": "pending",
        "state": "stale" if one.stale else "waits", "expiring": one.expiring,
        "refs": [{"id": e.id, "name": e.shown_name, "workspace": e.workspace} for e in one.entries],
        "missing": list(one.missing), "commands": list(one.commands), "effect": "; ".join(one.effect),
        "rationale": one.rationale, "risk": one.risk, "note": one.note,
        "approve_with": one.decide[0], "reject_with": one.decide[1],
    }  # fmt: skip


def tell_hosts(waiting: Sequence[HostApproval]) -> None:
    """A section of the list: each, and the command that decides it below."""
    from ..words import age_short, count

    put_styled(f"{count(len(waiting), 'approval')} in a host, decided by its own program", "bold")
    columns = [Column("Request", whole=True), Column("Age", right=True), Column("State"), Column("By"),
               Column("Effect", flex=True)]  # fmt: skip
    ids = [one.id for one in waiting]
    put_table(columns, [
        (short, age_short(one.asked_at, now()), "stale" if one.stale else "waits", one.agent, "; ".join(one.effect))
        for short, one in zip(short_ids(ids, ids), waiting, strict=True)
    ])  # fmt: skip
    put_styled("Read one with memdesk requests show P-…; approve and reject run that program:", "dim")
    for one in waiting:
        put_styled(f"  {one.decide[0]}", "dim")


def tell_host(one: HostApproval) -> None:
    """One of them: what it would run, the entries that it is about as they stand, and the commands that decide it."""
    from ..words import ago

    put_styled(one.id, "bold")
    where = f" in session {one.session}" if one.session else ""
    put_line(f"{one.agent or 'An agent'} asked {one.host} {ago(one.asked_at, now())} ({one.asked_at}){where}.")
    if one.stale:
        put_line("It is older than an hour, which Gaia calls stale.")
    for sentence in one.effect:
        put_line(f"Effect: {sentence}")
    if one.rationale:
        put_styled("Why, in the words of who asked", "bold")
        put_indented([one.rationale])
    if one.risk:
        put_line(f"Risk, as Gaia says: {one.risk}")
    put_styled("It would run", "bold")
    put_indented(one.commands)
    for entry in one.entries:
        put_styled(f"{entry.ref} as it stands", "bold")
        put_indented([entry.description or "", entry.body])
    for name in one.missing:
        put_line(f"There is no entry {name} there.")
    put_line(one.note)
    put_styled("Decided by the host's own program, which memdesk requests approve and reject run", "bold")
    put_indented(one.decide)


def decide_in_host(call: Call, desk: Desk, approval_id: str, approve: bool, reason: str = "") -> None:
    """Decide one through the host's program."""
    done = desk.decide_host_approval(approval_id, approve, reason)
    data = {
        "request_id": done.id, "outcome": "approved" if approve else "rejected", "host_status": done.status,
        "host_stands": done.stands, "summary": done.words, "warnings": list(done.warnings),
    }  # fmt: skip

    def tell() -> None:
        put_line(f"{done.words}.")
        for warning in done.warnings:
            warn(warning)

    call.answer(data, tell)
