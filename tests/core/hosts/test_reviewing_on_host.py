"""Looking at a request about entries of a host: the host is neither written nor pulled, and what is shown happens."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from beside_gaia import log_size
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.hosts import Hosts
from memdesk.core.store import RequestRow

Verb = Callable[[Desk], Any]

ASKED: dict[str, tuple[Role, Verb]] = {
    "edit": (Role.ORCHESTRATOR, lambda d: d.edit("user_tone", fields={"body": "Shout.", "description": "Loud"})),
    "delete": (Role.ORCHESTRATOR, lambda d: d.delete("atom_cache")),
    "append": (Role.SPECIALIST, lambda d: d.append("atom_cache", "More of it.")),
    "add": (Role.SPECIALIST, lambda d: d.add(name="atom_new", body="New.", description="n", workspace="me")),
    "link": (Role.SPECIALIST, lambda d: d.link("atom_cache", "related_to", "user_tone")),
    "rename": (Role.ORCHESTRATOR, lambda d: d.rename("atom_cache", "atom_cached")),
}


def asked(desk: Desk, verb: str) -> RequestRow:
    role, act = ASKED[verb]
    agent = Desk(desk.store, Actor("agent:one", role), Hosts(desk.store, wait_ms=50), Config())
    with pytest.raises(NeedsApproval) as caught:
        act(agent)
    return desk.request(caught.value.extra["request_id"])


def print_of(gaia: Gaia) -> str:
    return hashlib.sha256(gaia.path.read_bytes()).hexdigest()


@pytest.mark.parametrize("verb", sorted(ASKED))
def test_looking_leaves_the_host_and_the_log_alone(attached: Desk, gaia: Gaia, verb: str) -> None:
    row = asked(attached, verb)
    gaia.set("me", "atom_cache", "2026-11-01T10:00:00Z", description="Changed in Gaia, not pulled yet.")
    file, log = print_of(gaia), log_size(attached)
    notes = attached.store.db.execute("SELECT * FROM host_pending").fetchall()
    review = attached.review(row)
    assert (print_of(gaia), log_size(attached)) == (file, log)
    assert attached.store.db.execute("SELECT * FROM host_pending").fetchall() == notes
    assert review.state == "ready" and review.why == ()
    assert review.changes or review.links


@pytest.mark.parametrize("verb", sorted(ASKED))
def test_what_is_shown_comes_true(attached: Desk, gaia: Gaia, verb: str) -> None:
    row = asked(attached, verb)
    review = attached.review(row)
    attached.mark_request_shown(row)
    attached.approve(row.request_id)
    for change in review.changes:
        entry = attached.find(change.name if change.field != "name" else change.after)
        value = {"role": None, "state": "deleted" if entry.state == "purged" else "current"}
        if change.field in ("body", "description", "name"):
            assert getattr(entry, change.field) == change.after
        elif value.get(change.field):
            assert value[change.field] == change.after
    assert {link.sentence for link in review.links} == (
        {"atom_cache is related to user_tone"} if verb == "link" else set()
    )


def test_a_host_that_is_away_does_not_stop_a_reader(attached: Desk, gaia: Gaia) -> None:
    rows = [asked(attached, verb) for verb in ("edit", "delete", "add")]
    gaia.path.rename(gaia.path.with_suffix(".away"))
    for row in rows:
        assert attached.review(row).changes
