"""The conflict queue over an attached Gaia: what is planted there heads the queue, and a verdict touches no row."""

from __future__ import annotations

from beside_gaia import assert_folded, assert_same
from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.desk.queue import Lane


def planted(desk: Desk, gaia: Gaia) -> list[str]:
    gaia.add("me", "atom_prune_on", "The prune job of the lab database is enabled.", type="atom")
    gaia.add("me", "decision_prune_off", "The prune job of the lab database is disabled.", type="decision")
    gaia.add("me", "atom_twin_alpha", "Backups of the lab run every night at two.", type="atom")
    gaia.add("me", "atom_twin_beta", "Backups of the lab run every night at two. ", type="atom")
    desk.pull()
    found = desk.conflicts()
    return [found.entries[i].name for i in found.rows[0].entry_ids] if found.rows else []


def test_the_planted_contradiction_heads_the_queue(attached: Desk, gaia: Gaia) -> None:
    assert sorted(planted(attached, gaia)) == ["atom_prune_on", "decision_prune_off"]
    found = attached.conflicts()
    assert found.rows[0].kind is Lane.CONTRADICTION
    assert ["atom_twin_alpha", "atom_twin_beta"] in [
        sorted(found.entries[i].name for i in row.entry_ids) for row in found.rows if row.offered
    ]


def test_a_verdict_leaves_the_host_as_it_is(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    rows, history, links = gaia.rows(), gaia.history(), gaia.links()
    receipt = attached.judge("atom_prune_on", "decision_prune_off", "different")
    assert receipt.warnings == ()
    assert (gaia.rows(), gaia.history(), gaia.links()) == (rows, history, links)
    assert attached.list_hosts()[0].words == "in step"
    assert not any(row.kind is Lane.CONTRADICTION for row in attached.conflicts().rows)
    attached.pull()
    assert len(attached.verdicts()) == 1
    assert_same(attached, gaia)
    assert_folded(attached)
    gaia.check_full_text()


def test_what_changes_on_the_host_is_rescored_and_ends_the_verdict(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    attached.judge("atom_twin_alpha", "atom_twin_beta", "keep_both")
    gaia.set("me", "atom_twin_beta", body="Backups of the lab run every night at two, and at noon.")
    attached.pull()
    found = attached.conflicts()
    assert (found.rescored.read, found.rescored.scored, found.rescored.whole) == (1, 1, False)
    assert [v.holds for v in attached.verdicts()] == [False]
    assert any("atom_twin_beta" in {found.entries[i].name for i in row.entry_ids} for row in found.rows)


def test_a_detached_host_is_not_compared(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    attached.detach(attached.list_hosts()[0].host_id)
    assert attached.conflicts().rows == ()
    assert attached.similar(text="The prune job of the lab database is enabled.") == []
