"""Attach and pull: rows, history, links and tombstones become events, once (DESIGN 7, gaia/SPEC 2, 8)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import gaia_fixture
import pytest
from beside_gaia import assert_folded, assert_same, entry, events_of, log_size, versions
from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.errors import HostError, Stale
from memdesk.core.events import CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT
from memdesk.core.model import State

SAMPLE = Path(__file__).resolve().parents[4] / "shared" / "gaia" / "make_sample.py"


def test_attach_shows_what_the_host_holds(desk: Desk, gaia: Gaia) -> None:
    pulled = desk.attach("gaia", gaia.path).pulled
    assert (pulled.entries, pulled.purged, pulled.edges, pulled.history) == (9, 1, 4, 9)
    assert (pulled.created, pulled.versions, len(pulled.dangling)) == (9, 8, 1)
    assert "atom_scratch" in pulled.dangling[0]
    assert pulled.sentence == "9 entries (1 purged), 4 edges (1 dangling), versions from 9 history rows"
    assert_same(desk, gaia)


def test_attaching_and_pulling_again_changes_nothing(attached: Desk, gaia: Gaia) -> None:
    before = log_size(attached)
    assert not attached.attach("gaia", gaia.path).pulled.news
    assert not attached.pull()[0].news
    assert not attached.hosts.refresh()
    assert log_size(attached) == before


def test_no_amount_of_looking_changes_a_byte_or_a_counter(desk: Desk, gaia: Gaia) -> None:
    before, rows = gaia.digest(), gaia.rows()
    desk.attach("gaia", gaia.path)
    desk.pull()
    desk.push()
    desk.list_hosts()
    desk.hosts.refresh()
    desk.hosts.episodes()
    desk.hosts.search_episodes("deploy")
    desk.hosts.episode("ep_1")
    for found in desk.store.lookup("project_launch"):
        desk.hosts.before_write([found], {found.id: ["body"]})
    assert gaia.digest() == before
    assert gaia.rows() == rows


def test_versions_have_the_times_of_the_host(attached: Desk) -> None:
    found = entry(attached, "project_launch")
    assert versions(attached, found.id) == [
        (CREATE, "2026-09-01T10:00:00Z", None),
        (EDIT, "2026-09-02T10:00:00Z", {"class": "thread", "status": "open"}),
        (EDIT, "2026-09-03T10:00:00Z", {"body": "Pick a date.\n\nNot a Monday."}),
        (EDIT, "2026-09-04T10:00:00Z", {"status": "carry_forward"}),
    ]
    assert {e.agent_id for e in attached.store.events_of(found.id)} == {"gaia"}


def test_a_restored_row_has_its_deletion_in_the_history(attached: Desk) -> None:
    found = entry(attached, "atom_cache")
    kinds = [kind for kind, _, _ in versions(attached, found.id)]
    assert kinds == [CREATE, DELETE, EDIT]
    assert versions(attached, found.id)[2][2] == {"description": "Cache time", "state": "active"}


def test_a_moved_row_keeps_its_versions(attached: Desk) -> None:
    found = entry(attached, "me/feedback_misfiled")
    first, move = attached.store.events_of(found.id)
    assert (first.payload["workspace"], move.payload["patch"]) == ("lab", {"workspace": "me"})


def test_a_row_that_is_gone_is_reported_and_its_link_is_dangling(attached: Desk) -> None:
    (report,) = [r for r in attached.store.reports() if r.kind == "host_remains"]
    assert "me/atom_scratch" in report.detail
    assert [e for e in attached.store.edges() if e.source == "missing:me/atom_scratch"]
    assert attached.store.lookup("atom_scratch") == []


def test_telemetry_is_shown_and_added_up(attached: Desk, gaia: Gaia) -> None:
    found = entry(attached, "user_tone")
    assert (found.telemetry.injection_count, found.telemetry.deliberate_count) == (4, 2)
    assert found.telemetry.last_injected_at == "2026-10-02T08:00:00Z"
    attached.store.bump([found.id], "injection")
    gaia.run("UPDATE memory SET injection_count = 7 WHERE name = 'user_tone'")
    before = log_size(attached)
    attached.pull()
    assert entry(attached, "user_tone").telemetry.injection_count == 8
    assert log_size(attached) == before, "telemetry is never an event"


def test_workspaces_and_projects_of_the_host(attached: Desk) -> None:
    host = attached.list_hosts()[0].host_id
    places = {w.name: (w.identity, w.host) for w in attached.store.workspaces()}
    assert places == {"me": ("github.com/acme/me", host), "lab": ("lab", host)}
    (project,) = attached.store.projects("me")
    assert (project.name, project.identity, project.host) == ("site", "/x/site/.git", host)


def test_a_history_row_becomes_one_version(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", "2026-11-02T10:00:00Z", status="closed")
    gaia.set("me", "project_launch", "2026-11-03T10:00:00Z", body="Done.", description="Launched")
    pulled = attached.pull()[0]
    assert (pulled.changed, pulled.versions) == (1, 2)
    assert versions(attached, entry(attached, "project_launch").id)[-2:] == [
        (EDIT, "2026-11-02T10:00:00Z", {"status": "closed"}),
        (EDIT, "2026-11-03T10:00:00Z", {"body": "Done.", "description": "Launched"}),
    ]
    assert_same(attached, gaia)


def test_what_leaves_no_history_is_still_seen(attached: Desk, gaia: Gaia) -> None:
    gaia.run("UPDATE memory SET audience = 'orchestrator' WHERE name = 'user_tone'")
    gaia.run("UPDATE memory SET updated_at = '2026-11-04T10:00:00Z' WHERE name = 'decision_static'")
    gaia.run("UPDATE memory SET updated_at = NULL WHERE name = 'user_lab'")
    assert attached.pull()[0].changed == 3
    assert_same(attached, gaia)
    assert not attached.pull()[0].news


def test_a_change_past_the_triggers_is_a_finding_and_an_edit(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", "2026-11-02T10:00:00Z", status="closed")
    with gaia.db() as conn:
        sql = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'trg_memory_history'").fetchone()[0]
        conn.execute("DROP TRIGGER trg_memory_history")
        conn.execute("UPDATE memory SET status = 'open' WHERE name = 'project_launch'")
        conn.execute(sql)
    pulled = attached.pull()[0]
    assert ["does not join" in f for f in pulled.findings] == [True]
    assert_same(attached, gaia)
    assert not attached.pull()[0].findings, "said once"


@pytest.mark.parametrize("verb", ["rename", "move"])
def test_a_rename_and_a_move_keep_the_entry(attached: Desk, gaia: Gaia, verb: str) -> None:
    before = entry(attached, "me/decision_dynamic").id
    fields = {"name": "decision_rendered"} if verb == "rename" else {"workspace": "lab"}
    gaia.set("me", "decision_dynamic", "2026-11-02T10:00:00Z", **fields)
    gaia.set(fields.get("workspace", "me"), fields.get("name", "decision_dynamic"), "2026-11-03T10:00:00Z", body="B")
    attached.pull()
    after = entry(attached, f"{fields.get('workspace', 'me')}/{fields.get('name', 'decision_dynamic')}")
    assert (after.id, after.body) == (before, "B")
    assert_same(attached, gaia)


def test_a_rename_leaves_the_link_dangling_as_it_does_in_gaia(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "decision_dynamic", "2026-11-02T10:00:00Z", name="decision_rendered")
    pulled = attached.pull()[0]
    assert len(pulled.dangling) == 2
    assert entry(attached, "decision_rendered").state is State.ACTIVE
    gaia.set("me", "decision_rendered", "2026-11-03T10:00:00Z", name="decision_dynamic")
    attached.pull()
    assert entry(attached, "decision_dynamic").state is State.SUPERSEDED


def test_a_new_tenant_of_a_name_is_a_new_entry(attached: Desk, gaia: Gaia) -> None:
    old = entry(attached, "me/atom_cache").id
    gaia.set("me", "atom_cache", "2026-11-02T10:00:00Z", name="atom_store")
    gaia.add("me", "atom_cache", "Another one.", created_at="2026-11-03T10:00:00Z")
    gaia.set("me", "atom_cache", "2026-11-04T10:00:00Z", body="Another text.")
    attached.pull()
    assert entry(attached, "me/atom_store").id == old
    assert entry(attached, "me/atom_cache").id != old
    assert_same(attached, gaia)


def test_new_rows_links_and_tombstones(attached: Desk, gaia: Gaia) -> None:
    gaia.add("me", "atom_new", "New.", created_at="2026-11-01T10:00:00Z", updated_at="2026-11-01T10:00:00Z")
    gaia.link("me", "atom_new", "supersedes", "atom_cache")
    gaia.unlink("me", "decision_static", "supersedes", "decision_dynamic")
    gaia.set("me", "user_tone", "2026-11-02T10:00:00Z", deleted_at="2026-11-02T10:00:00Z")
    pulled = attached.pull()[0]
    assert (pulled.created, pulled.changed, pulled.linked, pulled.unlinked) == (1, 1, 1, 1)
    assert entry(attached, "atom_cache").state is State.SUPERSEDED
    assert entry(attached, "decision_dynamic").state is State.ACTIVE
    assert entry(attached, "user_tone").state is State.PURGED
    assert_same(attached, gaia)
    assert not attached.pull()[0].news


def test_a_link_that_comes_goes_and_comes_again(attached: Desk, gaia: Gaia) -> None:
    for round_ in range(3):
        gaia.unlink("me", "decision_static", "supersedes", "decision_dynamic")
        attached.pull()
        assert entry(attached, "decision_dynamic").state is State.ACTIVE, round_
        gaia.link("me", "decision_static", "supersedes", "decision_dynamic")
        attached.pull()
        assert entry(attached, "decision_dynamic").state is State.SUPERSEDED, round_
    refs = [e.host_ref for e in attached.store.events() if e.type in (EDGE_ADD, EDGE_REMOVE)]
    assert len(set(refs)) == len(refs)


def test_both_directions_of_a_relation_are_one_edge(attached: Desk, gaia: Gaia) -> None:
    gaia.link("me", "decision_static", "relates_to", "project_launch")
    assert attached.pull()[0].linked == 0
    gaia.unlink("me", "project_launch", "relates_to", "decision_static")
    assert attached.pull()[0].unlinked == 0
    gaia.unlink("me", "decision_static", "relates_to", "project_launch")
    assert attached.pull()[0].unlinked == 1


def test_a_row_that_is_gone_becomes_deleted_and_comes_back_as_itself(attached: Desk, gaia: Gaia) -> None:
    before = entry(attached, "decision_static").id
    gaia.delete("me", "decision_static")
    assert attached.pull()[0].deleted == 1
    gone = entry(attached, "decision_static")
    assert gone.state is State.PURGED
    assert attached.store.events_of(gone.id)[-1].payload["reason"] == "No longer in the Gaia database."
    assert not attached.pull()[0].news
    gaia.add("me", "decision_static", "Pages are static again.", created_at="2026-11-01T10:00:00Z")
    attached.pull()
    back = entry(attached, "decision_static")
    assert (back.id, back.state, back.body) == (before, State.ACTIVE, "Pages are static again.")
    assert not attached.pull()[0].news
    assert_folded(attached)


def test_a_row_edited_and_then_removed_keeps_the_edit(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "decision_static", "2026-11-01T10:00:00Z", body="Last words.")
    gaia.delete("me", "decision_static")
    attached.pull()
    found = entry(attached, "decision_static")
    assert (found.state, found.body) == (State.PURGED, "Last words.")


def test_many_rows_gone_at_once_stop_the_pull(desk: Desk, gaia: Gaia) -> None:
    gaia_fixture.many(gaia, 40)
    desk.attach("gaia", gaia.path)
    before = log_size(desk)
    gaia.run("DELETE FROM memory WHERE name LIKE 'project_bulk_%' AND name < 'project_bulk_00006'")
    gaia.set("me", "user_tone", body="Changed too.")
    with pytest.raises(HostError) as caught:
        desk.pull()
    assert caught.value.stable_code == "host_mass_delete"
    assert (len(caught.value.extra["gone"]), caught.value.extra["total"]) == (6, 49)
    assert log_size(desk) == before, "nothing at all is pulled"
    assert not desk.hosts.refresh()
    assert "gone from Gaia" in next(iter(desk.hosts.problems.values()))
    assert desk.pull(force=True)[0].deleted == 6
    assert_same(desk, gaia)


@pytest.mark.parametrize(("gone", "rows"), [(5, 20), (6, 80)], ids=["five are few", "a tenth is not passed"])
def test_few_rows_gone_do_not_stop_it(desk: Desk, gaia: Gaia, gone: int, rows: int) -> None:
    gaia_fixture.many(gaia, rows)
    desk.attach("gaia", gaia.path)
    gaia.run("DELETE FROM memory WHERE name LIKE 'project_bulk_%' AND name < ?", f"project_bulk_{gone:05d}")
    assert desk.pull()[0].deleted == gone


def test_a_wiped_history_changes_nothing(attached: Desk, gaia: Gaia) -> None:
    before = log_size(attached)
    gaia.run("DELETE FROM memory_history WHERE workspace = 'me'")
    assert not attached.pull()[0].news
    gaia.set("me", "user_tone", "2026-11-02T10:00:00Z", body="After the wipe.")
    assert attached.pull()[0].versions == 1
    assert log_size(attached)[0] == before[0] + 2


def test_values_that_gaia_itself_would_not_write(desk: Desk, gaia: Gaia) -> None:
    gaia.run("UPDATE memory SET status = 'weird' WHERE name = 'project_launch'")
    gaia.run("UPDATE memory SET description = CAST(x'ff41' AS TEXT), audience = NULL WHERE name = 'user_tone'")
    gaia.run("UPDATE memory SET initiative = 7 WHERE name = 'atom_cache'")
    desk.attach("gaia", gaia.path)
    assert entry(desk, "project_launch").status is None
    assert entry(desk, "user_tone").description == "\ufffdA"
    assert entry(desk, "atom_cache").initiative == "7"
    assert not desk.pull()[0].news
    before = gaia.digest()
    desk.push()
    gaia.settle()
    assert gaia.row("me", "project_launch")["status"] == "weird"
    assert gaia.digest() == before


def test_odd_names_are_kept(attached: Desk) -> None:
    assert entry(attached, "lab/notes: año / thread_handoff").body == "Kept as it is."


def test_another_store_that_heard_of_the_rows_makes_no_second_entries(
    attached: Desk, gaia: Gaia, other: Desk
) -> None:
    other.store.receive(list(attached.store.events()))
    known = entry(other, "me/user_tone").id
    pulled = other.attach("gaia", gaia.path).pulled
    assert (pulled.created, pulled.news) == (0, False)
    assert entry(other, "me/user_tone").id == known
    gaia.set("me", "user_tone", "2026-11-02T10:00:00Z", body="Seen by both.")
    other.pull()
    attached.pull()
    attached.store.receive(list(other.store.events()))
    assert_same(attached, gaia)
    assert entry(attached, "me/user_tone").edit_count == entry(other, "me/user_tone").edit_count == 2


def test_two_stores_that_attached_alone_become_one(attached: Desk, gaia: Gaia, other: Desk) -> None:
    other.attach("gaia", gaia.path)
    attached.store.receive(list(other.store.events()))
    assert len(attached.store.lookup("me/user_tone")) == 1
    assert_same(attached, gaia)
    assert not attached.pull()[0].news
    gaia.set("me", "user_tone", "2026-11-02T10:00:00Z", body="Later.")
    attached.pull()
    assert_same(attached, gaia)


def test_an_entry_that_became_an_alias_of_its_twin_is_still_pushed(attached: Desk, gaia: Gaia, other: Desk) -> None:
    other.attach("gaia", gaia.path)
    other.store.receive(list(attached.store.events()))
    assert entry(other, "me/project_launch").id == entry(attached, "me/project_launch").id
    other.reclassify("project_launch", status="closed")
    other.unlink("project_launch", "related_to", "decision_static")
    assert gaia.row("me", "project_launch")["status"] == "closed"
    assert not {link for link in gaia.links() if "project_launch" in link}
    assert not other.pull()[0].news
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", status="open")
    with pytest.raises(Stale):
        other.reclassify("project_launch", status="graduated")
    assert_same(other, gaia)


def test_five_thousand_rows(desk: Desk, gaia: Gaia) -> None:
    gaia_fixture.many(gaia, 5000)
    pulled = desk.attach("gaia", gaia.path).pulled
    assert (pulled.entries, pulled.created) == (5009, 5009)
    assert len({e.op_id for e in events_of(desk, CREATE)}) == 1, "one operation"
    assert not desk.pull()[0].news


def test_a_newer_schema_is_attached_for_reading(desk: Desk, gaia: Gaia) -> None:
    gaia.run("INSERT INTO schema_version VALUES (60, '2026-11-01T00:00:00Z', NULL)")
    found = desk.attach("gaia", gaia.path)
    assert found.pulled.entries == 9
    assert ["newer" in w for w in found.warnings] == [True]
    assert desk.list_hosts()[0].words.startswith("read-only")


def test_schema_48(desk: Desk, tmp_path: Path) -> None:
    gaia = gaia_fixture.empty(tmp_path / "old.db", version=48)
    gaia.run("INSERT INTO memory (workspace, name, type, body) VALUES ('me', 'atom_a', 'atom', 'b')")
    desk.attach("gaia", gaia.path)
    found = entry(desk, "atom_a")
    assert (found.created_at, found.updated_at, found.audience) == (None, None, "any")
    desk.append("atom_a", "More.")
    assert gaia.row("me", "atom_a")["body"] == "b\n\nMore."
    desk.add(name="atom_b", body="New.", description="n", workspace="me")
    assert gaia.row("me", "atom_b")["body"] == "New."


def test_a_locked_or_missing_host_is_said(attached: Desk, gaia: Gaia) -> None:
    gaia.path.rename(gaia.path.with_suffix(".away"))
    with pytest.raises(HostError) as caught:
        attached.pull()
    assert caught.value.stable_code == "host_away"
    info = attached.list_hosts()[0]
    assert (info.state, info.words.startswith("away: ")) == ("away", True)
    assert not attached.hosts.refresh()
    assert attached.hosts.episodes() == []


def test_another_database_at_the_same_place_is_not_pulled(attached: Desk, gaia: Gaia) -> None:
    gaia.run("UPDATE schema_version SET applied_at = '2020-01-01T00:00:00Z'")
    with pytest.raises(HostError):
        attached.pull()


# -- the sample that Gaia's own tools wrote -----------------------------------------------------------------------


@pytest.mark.skipif(not SAMPLE.exists(), reason="the sample is not beside this checkout")
def test_the_sample(desk: Desk, tmp_path: Path) -> None:
    scope: dict[str, object] = {"__name__": "sample", "__file__": str(SAMPLE)}
    exec(compile(SAMPLE.read_text(encoding="utf-8"), str(SAMPLE), "exec"), scope)
    scope["build"](tmp_path / "s.db")  # type: ignore[operator]
    sample = Gaia(tmp_path / "s.db")
    before = sample.digest()
    pulled = desk.attach("gaia", sample.path).pulled
    assert pulled.sentence == "39 entries (1 purged), 15 edges (1 dangling), versions from 48 history rows"
    assert (pulled.created, pulled.linked, pulled.versions) == (39, 15, 47)
    assert_same(desk, sample)
    size = log_size(desk)
    assert not desk.attach("gaia", sample.path).pulled.news
    assert not desk.pull()[0].news
    assert log_size(desk) == size
    assert sample.digest() == before
    assert len(desk.hosts.episodes()) == len(_table(sample, "episodes"))


def _table(gaia: Gaia, name: str) -> list[sqlite3.Row]:
    with gaia.db() as conn:
        return conn.execute(f"SELECT * FROM {name}").fetchall()


def test_every_event_of_a_pull_says_where_it_comes_from(attached: Desk) -> None:
    events = [e for e in attached.store.events() if e.type != "desk.operation"]
    refs = [e.host_ref for e in events]
    assert None not in refs
    assert len(set(refs)) == len(refs)
    assert all(json.loads(e.line())["host_ref"].startswith("gaia:") for e in events)
