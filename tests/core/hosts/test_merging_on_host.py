"""Merging on an attached Gaia: both sides end with the same, also after undo."""

from __future__ import annotations

import pytest
from beside_gaia import assert_folded, assert_same
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.model import State


def planted(desk: Desk, gaia: Gaia) -> None:
    for name, body in (("a", "Shared.\n\nOnly a."), ("b", "Shared.\n\nOnly b."), ("c", "Shared."), ("far", "Far.")):
        gaia.add("me", f"atom_{name}", body, type="atom")
    desk.pull()
    desk.link("atom_far", "derived_from", "atom_b")
    desk.link("atom_c", "related_to", "atom_far")


def test_a_merge_and_its_undo_reach_the_host(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    links = gaia.links()
    attached.merge(["atom_a", "atom_b", "atom_c"])
    assert [attached.find(f"atom_{n}").state for n in "abc"] == [State.ACTIVE, State.SUPERSEDED, State.SUPERSEDED]
    assert_same(attached, gaia)
    assert_folded(attached)
    gaia.check_full_text()
    attached.undo()
    assert [attached.find(f"atom_{n}").state for n in "abc"] == [State.ACTIVE] * 3
    assert sorted(gaia.links()) == sorted(links)
    assert_same(attached, gaia)
    assert_folded(attached)
    gaia.check_full_text()
    attached.pull()
    assert_folded(attached)


def test_it_is_told_before_that_a_host_goes_on_showing_what_another_place_absorbs(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    attached.add_workspace("own")
    attached.add(name="atom_own", body="Shared.", description="Own", workspace="own")
    told = attached.merge_plan(["atom_own", "atom_b"]).notes
    assert [note for note in told if "the host of atom_b cannot hold what replaces it" in note]
    assert not [note for note in attached.merge_plan(["atom_a", "atom_b"]).notes if "host" in note]
    attached.merge(["atom_own", "atom_b"])
    attached.pull()
    assert attached.find("atom_b").state is State.SUPERSEDED
    attached.undo()
    assert attached.find("atom_b").state is State.ACTIVE
    assert_same(attached, gaia)


def test_replacing_several_copies_reads_the_host_first(attached: Desk, gaia: Gaia) -> None:
    planted(attached, gaia)
    gaia.set("me", "atom_b", body="Somebody wrote on.")
    attached.replace("atom_a", ["atom_b", "atom_c"])
    assert attached.find("atom_b").body == "Somebody wrote on."
    assert [attached.find(f"atom_{n}").state for n in "bc"] == [State.SUPERSEDED] * 2
    assert_same(attached, gaia)


def test_an_agent_asks_before_a_decision_that_a_host_calls_otherwise_is_replaced(attached: Desk, gaia: Gaia) -> None:
    gaia.add("me", "decision_kept", "Shared.", type="project")
    planted(attached, gaia)
    agent = Desk(attached.store, Actor("agent:x", Role.ORCHESTRATOR), attached.hosts, Config())
    for ask in (
        lambda: agent.merge(["atom_a", "decision_kept"]),
        lambda: agent.supersede("decision_kept", by="atom_a"),
        lambda: agent.link("atom_a", "supersedes", "decision_kept", force=True),
    ):
        with pytest.raises(NeedsApproval, match="decision"):
            ask()
    assert attached.find("decision_kept").state is State.ACTIVE
