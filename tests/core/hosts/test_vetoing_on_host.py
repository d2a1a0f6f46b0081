"""What a pull brings counts as agents' work, since Gaia does not note who wrote; its veto is the undo of the pull."""

from __future__ import annotations

import pytest
from gaia_asks import add_tables, approval, handoff
from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.errors import CannotUndo


def test_what_was_there_when_the_host_was_attached_is_no_work(attached: Desk) -> None:
    assert attached.find("user_tone")
    assert attached.agents_work().flagged == () and attached.agents_work().rest == ()


def test_a_pulled_write_about_the_user_is_flagged_and_its_veto_reaches_the_host(attached: Desk, gaia: Gaia) -> None:
    before = attached.find("user_tone").body
    attached.mark_visit()
    gaia.set("me", "user_tone", "2026-11-01T10:00:00Z", body="Shout.")
    gaia.set("me", "atom_cache", "2026-11-01T10:00:00Z", body="The cache holds a day.")
    attached.pull()
    [work] = attached.agents_work().flagged
    assert work.op.verb == "pull" and work.names == ("user_tone", "atom_cache")
    assert attached.agents_work().rest == ()
    assert attached.find("user_tone").body == "Shout."
    receipt = attached.veto(work.op.op_id)
    assert "Gaia" in receipt.summary and receipt.action == "vetoed"
    assert attached.find("user_tone").body == before == gaia.row("me", "user_tone")["body"]
    assert gaia.row("me", "atom_cache")["body"] == "The cache holds an hour."
    assert attached.agents_work().flagged == ()
    attached.pull()
    assert attached.find("user_tone").body == before, "pulled again it stays vetoed"
    assert attached.agents_work().flagged == ()


def test_a_pull_about_others_is_work_of_the_rest(attached: Desk, gaia: Gaia) -> None:
    attached.mark_visit()
    gaia.set("me", "atom_cache", "2026-11-01T10:00:00Z", body="The cache holds a day.")
    attached.pull()
    assert attached.agents_work().flagged == ()
    assert [w.op.verb for w in attached.agents_work().rest] == ["pull"]
    attached.mark_visit()
    assert attached.agents_work().rest == ()


def test_a_veto_of_what_was_changed_since_says_by_whom(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "user_tone", "2026-11-01T10:00:00Z", body="Shout.")
    attached.pull()
    attached.edit("user_tone", fields={"body": "Speak."})
    [work] = attached.agents_work().flagged
    with pytest.raises(CannotUndo, match="user:ana at "):
        attached.veto(work.op.op_id)
    assert gaia.row("me", "user_tone")["body"] == "Speak."


def test_attaching_itself_cannot_be_vetoed_and_says_what_to_do(attached: Desk) -> None:
    [row] = [op for op in attached.log(None) if op.verb == "attach"]
    with pytest.raises(CannotUndo) as refusal:
        attached.veto(row.op_id)
    assert "memdesk detach" in refusal.value.hint


def test_entries_of_a_detached_host_are_flagged_no_more(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "user_tone", "2026-11-01T10:00:00Z", body="Shout.")
    attached.pull()
    assert attached.status().flagged == 1
    attached.detach(str(gaia.path))
    assert attached.status().flagged == 0
    attached.attach("gaia", gaia.path)
    assert attached.status().flagged == 1


def test_what_waits_in_the_host_is_counted(attached: Desk, gaia: Gaia) -> None:
    add_tables(gaia)
    assert attached.status().calm
    approval(gaia, 1, "gaia memory delete project_launch")
    append = {"operation": "append", "target": {"slug": "project_launch"}, "append": {"body": "Soon."}}
    handoff(gaia, {"memory_delta": {"version": 1, "proposals": [append]}}, contract_id="c1")
    report = attached.status()
    assert (report.host_approvals, report.host_proposals) == ({"gaia": 1}, {"gaia": 1})
    assert not report.calm and report.short(str) == "2 in Gaia"
    assert "1 approval in Gaia · 1 proposal in Gaia" in report.line(str)
    brief = attached.status(counted=False)
    assert (brief.host_approvals, brief.host_proposals) == ({"gaia": 1}, {}), "contracts take time to look through"
    attached.take_proposals()
    assert attached.status().host_proposals == {} and attached.status().requests == 1
