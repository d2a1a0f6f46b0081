"""What a batch decides when the requests moved while it was in the editor."""

from __future__ import annotations

from pathlib import Path

from approvals_pilot import LATER, ask, edit, open_as

from memdesk.tui.batch import decide, read_blocks
from memdesk.tui.batch_text import CONSENT, batch_text, read_batch


def test_a_request_is_decided_in_the_wording_that_the_editor_showed(desk_folder: Path) -> None:
    first = ask(desk_folder, edit("project_billing_export", description="One"))
    with open_as(desk_folder, "user:ana", "user") as desk, open_as(desk_folder, "user:ana", "user", seed=4) as other:
        blocks = read_blocks(desk, desk.requests(), LATER)
        other.edit_request(first, {"description": "Two"})
        other.mark_request_shown(other.request(first))  # the same person read it, at another terminal
        (outcome,) = decide(desk, blocks, read_batch(batch_text(blocks).replace(CONSENT, ""), blocks))
        assert not outcome.done and "worded" in outcome.words
        assert desk.request(first).status == "pending"
