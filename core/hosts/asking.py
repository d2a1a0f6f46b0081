"""What agents ask for on a host itself: contracts that hold proposals, and approvals that wait there (gaia/SPEC 9)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Handoff:
    """A contract that an agent handed in on a host, and that may hold proposals.

    Attributes:
        id: its number there.
        contract_id: the agent's own id of it, or "".
        agent, session: who handed it in, "" where the host does not say.
        workspace: where the agent worked, or None.
        created_at: as the host tells it.
        text: the contract, JSON.
    """

    host_id: str
    id: int
    contract_id: str
    agent: str
    session: str
    workspace: str | None
    created_at: str
    text: str


@dataclass(frozen=True, slots=True)
class Touch:
    """What one command of a host's own program does to memory.

    Attributes:
        verb: delete, edit, add, append, reclassify, link, checkpoint, move-memory or wipe.
        names: the entries that it names.
        workspace: where, or None where the command leaves that to the directory it is run in.
        to: where entries are moved, or None.
        hard: whether text is removed for ever.
    """

    verb: str
    names: tuple[str, ...] = ()
    workspace: str | None = None
    to: str | None = None
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """An approval that waits on a host, and that concerns memory.

    Attributes:
        id: `P-…`.
        agent, session: who asks, "" where the host does not say.
        asked_at: as the host tells it.
        commands: what the agent wants to run.
        touches: what of it concerns memory.
        rationale, risk: in the host's words.
        ordered_set: several commands approved as one; then the host's program also grants them.
        decide: (to approve, to reject) the commands that decide it.
    """

    host_id: str
    id: str
    agent: str
    session: str
    asked_at: str
    commands: tuple[str, ...]
    touches: tuple[Touch, ...]
    rationale: str
    risk: str
    ordered_set: bool
    decide: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a host's own program said of a decision.

    Attributes:
        status: as its answer names it.
        stands: the status that its database shows now; "" where that cannot be read.
    """

    id: str
    status: str
    stands: str
