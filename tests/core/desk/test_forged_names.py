"""Who did it, in which session: whatever another program wrote there, it is one line, with what hides as marks."""

from __future__ import annotations

import pytest

from memdesk.core.desk import Desk, Role
from memdesk.core.errors import CannotUndo, NeedsApproval

from .conftest import AsRole

FORGED = "agent:x\n  Asked by user:ana\x1b[1m \u202e"
SHOWN = "agent:x␊  Asked by user:ana␛[1m ‹U+202E›"


@pytest.fixture
def forger(as_role: AsRole) -> Desk:
    return as_role(Role.ORCHESTRATOR, FORGED, session_id=FORGED)


def test_in_requests_and_operations(desk: Desk, forger: Desk) -> None:
    entry = forger.add(name="atom_a", body="Text.", description="a", workspace="lab").entry
    with pytest.raises(NeedsApproval) as caught:
        forger.edit("atom_a", fields={"body": "Other."})
    row = desk.request(caught.value.extra["request_id"])
    assert (row.asked_by, row.session_id) == (SHOWN, SHOWN)
    (operation,) = [o for o in desk.log() if o.verb == "add"]
    assert (operation.actor, operation.session_id) == (SHOWN, SHOWN)
    assert [v.author for v in desk.history(entry.id)[1]] == [SHOWN]


def test_in_sentences(desk: Desk, agent: Desk, forger: Desk) -> None:
    written = desk.add(name="atom_a", body="Text.", description="a", workspace="lab")
    with pytest.raises(NeedsApproval) as caught:
        agent.edit("atom_a", fields={"body": "Other."})
    forger.append("atom_a", "More.")
    (why,) = desk.why_not_ready(desk.request(caught.value.extra["request_id"]))
    assert f"changed by {SHOWN} on" in why
    with pytest.raises(CannotUndo) as refused:
        desk.undo(written.op_id)
    assert SHOWN in refused.value.message and "\n" not in refused.value.message
