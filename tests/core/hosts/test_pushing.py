"""Writes on a Gaia host: the row, its history, its links; concurrent changes, locks and crashes (DESIGN 7, SPEC 3)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from beside_gaia import assert_folded, assert_same, entry, log_size, shown
from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.errors import CannotUndo, HostError, Stale, StoreLocked
from memdesk.core.hosts import Hosts
from memdesk.core.hosts.gaia import database, pushing
from memdesk.core.model import State
from memdesk.core.store import Store

Act = Callable[[Desk], object]


def in_step(desk: Desk) -> bool:
    return desk.list_hosts()[0].words == "in step"


@contextmanager
def locked(gaia: Gaia) -> Iterator[None]:
    """Another process holds the write lock until the block ends."""
    code = (
        "import sqlite3, sys\n"
        f"db = sqlite3.connect({str(gaia.path)!r}, isolation_level=None)\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


# -- one write ------------------------------------------------------------------------------------------------------

WRITES: dict[str, tuple[Act, str, dict[str, Any], int]] = {
    "close": (
        lambda d: d.reclassify("project_launch", status="closed"), "project_launch", {"status": "closed"}, 1,
    ),
    "leave thread": (
        lambda d: d.reclassify("project_launch", klass="log"), "project_launch", {"class": "log", "status": None}, 1,
    ),
    "append": (
        lambda d: d.append("project_launch", "Booked."), "project_launch",
        {"body": "Pick a date.\n\nNot a Monday.\n\nBooked."}, 1,
    ),
    "edit two fields": (
        lambda d: d.edit("atom_cache", fields={"body": "Two hours.", "description": "Longer"}), "atom_cache",
        {"body": "Two hours.", "description": "Longer"}, 1,
    ),
    "clear the description": (
        lambda d: d.edit("atom_cache", fields={"description": None}), "atom_cache", {"description": None}, 1,
    ),
    "audience": (lambda d: d.edit("user_tone", audience="any"), "user_tone", {"audience": "any"}, 0),
    "initiative": (lambda d: d.edit("atom_cache", initiative="Site"), "atom_cache", {"initiative": "site"}, 1),
    "project": (
        lambda d: d.edit("atom_cache", project="site"), "atom_cache", {"project_ref": "/x/site/.git"}, 1,
    ),
    "tags only": (lambda d: d.edit("atom_cache", add_tags=["x"]), "atom_cache", {}, 0),
}  # fmt: skip


@pytest.mark.parametrize("case", list(WRITES))
def test_a_write_changes_that_row_and_adds_its_history(attached: Desk, gaia: Gaia, case: str) -> None:
    act, name, expected, history = WRITES[case]
    before, rows, others = gaia.history(), gaia.row("me", name), [r for r in gaia.rows() if r["name"] != name]
    act(attached)
    after = gaia.row("me", name)
    assert {c: v for c, v in after.items() if v != rows[c] and c != "updated_at"} == expected
    assert gaia.history() == before + history
    assert after["updated_at"] > rows["updated_at"]
    assert len(after["updated_at"]) == len("2026-11-30T09:08:51Z"), "whole seconds"
    assert [r for r in gaia.rows() if r["name"] != name] == others
    gaia.check_full_text()
    assert_same(attached, gaia)
    assert in_step(attached)
    size = log_size(attached)
    assert not attached.pull()[0].news, "our own history row is recognised"
    assert log_size(attached) == size


@pytest.mark.parametrize("case", [c for c, (_, _, fields, _) in WRITES.items() if fields])
def test_undo_and_redo_put_the_row_back(attached: Desk, gaia: Gaia, case: str) -> None:
    act, name, _, history = WRITES[case]
    before, rows = gaia.history(), gaia.row("me", name)
    act(attached)
    done = gaia.row("me", name)
    attached.undo()
    assert gaia.row("me", name) == rows, "with the time that it had"
    assert gaia.history() == before + 2 * history
    attached.redo()
    assert gaia.row("me", name) == done
    assert not attached.pull()[0].news
    gaia.check_full_text()
    assert_same(attached, gaia)


def test_full_text_follows(attached: Desk, gaia: Gaia) -> None:
    attached.edit("atom_cache", fields={"body": "Xylophone."})
    assert gaia.found("xylophone") == {"atom_cache"}
    assert gaia.found("holds") == set()


def test_delete_and_restore(attached: Desk, gaia: Gaia) -> None:
    attached.delete("atom_cache", reason="old")
    row = gaia.row("me", "atom_cache")
    assert row["deleted_at"] == row["updated_at"]
    attached.restore("atom_cache")
    assert gaia.row("me", "atom_cache")["deleted_at"] is None
    attached.restore("negative_cdn")
    assert gaia.row("me", "negative_cdn")["deleted_at"] is None
    assert not attached.pull()[0].news
    assert_same(attached, gaia)


def test_a_new_entry_is_inserted(attached: Desk, gaia: Gaia) -> None:
    before = gaia.history()
    attached.add(name="project_new", body="New.", description="A new one", klass="thread", status="open",
                 workspace="me", initiative="Site", audience="executor")  # fmt: skip
    row = gaia.row("me", "project_new")
    assert (row["class"], row["status"], row["initiative"], row["audience"]) == ("thread", "open", "site", "executor")
    assert row["created_at"] == row["updated_at"]
    assert gaia.history() == before, "an insert leaves no history"
    assert gaia.found("new") == {"project_new"}
    gaia.check_full_text()
    assert not attached.pull()[0].news
    assert_same(attached, gaia)


def test_undoing_an_addition_deletes_the_row(attached: Desk, gaia: Gaia) -> None:
    attached.add(name="atom_new", body="New.", description="n", workspace="me")
    attached.undo()
    assert gaia.row("me", "atom_new")["deleted_at"] is not None
    assert not attached.pull()[0].news
    attached.redo()
    assert gaia.row("me", "atom_new")["deleted_at"] is None
    assert not attached.pull()[0].news


def test_a_new_entry_and_its_edge_in_one_operation(attached: Desk, gaia: Gaia) -> None:
    attached.graduate("project_launch", anchor={"name": "atom_launched", "body": "It flew.", "description": "Flown"})
    assert gaia.row("me", "project_launch")["status"] == "graduated"
    assert ("me", "project_launch", "graduated_to", "atom_launched") in gaia.links()
    attached.undo()
    assert gaia.row("me", "project_launch")["status"] == "carry_forward"
    assert ("me", "project_launch", "graduated_to", "atom_launched") not in gaia.links()
    assert not attached.pull()[0].news


def test_many_entries_in_one_operation(attached: Desk, gaia: Gaia) -> None:
    before = gaia.history()
    attached.delete(["user_tone", "atom_cache", "lab/user_lab"])
    assert gaia.history() == before + 3
    attached.undo()
    assert gaia.history() == before + 6
    assert_same(attached, gaia)


# -- names and edges --------------------------------------------------------------------------------------------------


def test_rename_takes_the_links_along(attached: Desk, gaia: Gaia) -> None:
    attached.rename("decision_static", "decision_fixed")
    assert gaia.row("me", "decision_fixed")["body"] == "Pages are static."
    assert gaia.links() == {
        ("me", "decision_fixed", "supersedes", "decision_dynamic"),
        ("me", "atom_cache", "derived_from", "decision_fixed"),
        ("me", "project_launch", "relates_to", "decision_fixed"),
        ("me", "atom_scratch", "relates_to", "atom_cache"),
    }
    gaia.check_full_text()
    assert not attached.pull()[0].news
    gaia.set("me", "decision_fixed", "2027-02-01T10:00:00Z", body="Changed after the rename.")
    attached.pull()
    assert entry(attached, "decision_fixed").body == "Changed after the rename."
    attached.undo()
    assert gaia.row("me", "decision_static")["body"] == "Changed after the rename."
    assert not attached.pull()[0].news
    assert_same(attached, gaia)


def test_a_name_of_a_type_that_gaia_lacks_is_refused(attached: Desk, gaia: Gaia) -> None:
    with pytest.raises(HostError) as caught:
        attached.rename("decision_static", "comment_static")
    assert caught.value.stable_code == "host_cannot_hold"
    assert gaia.row("me", "decision_static")["type"] == "decision"


def test_a_name_that_is_taken_there_meanwhile_stays_here(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.rename("decision_static", "decision_fixed")
    gaia.add("me", "decision_fixed", "Another one.", created_at="2027-02-01T10:00:00Z")
    (sent,) = attached.push()
    assert sent.waiting == ("me/decision_fixed",)
    assert gaia.row("me", "decision_static")["body"] == "Pages are static."
    assert gaia.row("me", "decision_fixed")["body"] == "Another one."


def test_a_move_leaves_its_links_in_memdesk(attached: Desk, gaia: Gaia) -> None:
    edges = len(attached.store.edges())
    attached.move_workspace(["me/atom_cache"], "lab")
    assert gaia.row("lab", "atom_cache")["body"] == "The cache holds an hour."
    assert {link for link in gaia.links() if "atom_cache" in link} == set()
    assert len(attached.store.edges()) == edges
    assert not attached.pull()[0].news
    attached.undo()
    assert ("me", "atom_cache", "derived_from", "decision_static") in gaia.links()
    assert not attached.pull()[0].news


def test_both_ends_moved_together_keep_their_link(attached: Desk, gaia: Gaia) -> None:
    attached.move_workspace(["me/atom_cache", "me/decision_static"], "lab")
    assert ("lab", "atom_cache", "derived_from", "decision_static") in gaia.links()
    assert ("me", "atom_cache", "derived_from", "decision_static") not in gaia.links()
    assert not attached.pull()[0].news


def test_a_workspace_that_the_host_lacks_is_refused(attached: Desk) -> None:
    attached.store.add_workspace("home")
    before = log_size(attached)
    with pytest.raises(HostError) as caught:
        attached.move_workspace(["me/atom_cache"], "home")
    assert caught.value.stable_code == "host_cannot_hold"
    assert log_size(attached) == before


@pytest.mark.parametrize(
    ("kind", "stored"),
    [("related_to", "relates_to"), ("relates_to", "relates_to"), ("supersedes", "supersedes"),
     ("derived_from", "derived_from"), ("graduated_to", "graduated_to")],
)  # fmt: skip
def test_link_and_unlink(attached: Desk, gaia: Gaia, kind: str, stored: str) -> None:
    before, links = gaia.history(), gaia.links()
    attached.link("user_tone", kind, "atom_cache", force=True)
    assert gaia.links() - links == {("me", "user_tone", stored, "atom_cache")}
    assert not attached.pull()[0].news
    attached.unlink("user_tone", kind, "atom_cache")
    assert gaia.links() == links
    attached.undo()
    assert gaia.links() - links == {("me", "user_tone", stored, "atom_cache")}
    assert gaia.history() == before
    assert not attached.pull()[0].news
    assert in_step(attached)


def test_unlinking_a_relation_removes_either_direction(attached: Desk, gaia: Gaia) -> None:
    gaia.link("me", "decision_static", "relates_to", "project_launch")
    attached.pull()
    attached.unlink("decision_static", "related_to", "project_launch")
    assert {link for link in gaia.links() if "project_launch" in link} == set()
    assert not attached.pull()[0].news


def test_what_gaia_cannot_hold_is_said_and_kept_here(attached: Desk, gaia: Gaia) -> None:
    links = gaia.links()
    said = attached.link("user_tone", "child_of", "atom_cache").warnings
    assert any("child_of" in s and "memdesk only" in s for s in said)
    said = attached.link("user_tone", "related_to", "lab/user_lab").warnings
    assert any("cross workspaces" in s for s in said)
    said = attached.edit("atom_cache", fields={"title": "T", "summary": "S"}, add_tags=["t"]).warnings
    assert sum("memdesk only" in s for s in said) == 3
    assert gaia.links() == links
    found = entry(attached, "atom_cache")
    assert (found.title, found.summary, found.tags) == ("T", "S", ("t",))
    assert in_step(attached)
    assert not attached.pull()[0].news


def test_a_comment_lives_in_memdesk(attached: Desk, gaia: Gaia) -> None:
    rows = gaia.rows()
    attached.comment("atom_cache", "Is it still so?")
    (comment,) = [e for e in map(attached.store.entry, _ids(attached)) if e and e.type == "comment"]
    assert comment.host is None
    assert gaia.rows() == rows
    assert in_step(attached)


def _ids(desk: Desk) -> list[str]:
    return [str(e.memory_id) for e in desk.store.events() if e.type == "memory.create"]


def test_an_entry_is_replaced_exactly_while_an_edge_says_so(attached: Desk, gaia: Gaia) -> None:
    assert entry(attached, "decision_dynamic").state is State.SUPERSEDED
    before = log_size(attached)
    with pytest.raises(HostError) as caught:
        attached.edit("decision_dynamic", state="active")
    assert caught.value.stable_code == "superseded_by_edge"
    with pytest.raises(HostError):
        attached.edit("atom_cache", state="superseded")
    assert log_size(attached) == before
    attached.unlink("decision_static", "supersedes", "decision_dynamic")
    assert entry(attached, "decision_dynamic").state is State.ACTIVE
    attached.supersede("decision_dynamic", by="decision_static")
    assert entry(attached, "decision_dynamic").state is State.SUPERSEDED
    assert ("me", "decision_static", "supersedes", "decision_dynamic") in gaia.links()
    assert_folded(attached)


# -- somebody else writes too -----------------------------------------------------------------------------------------


def test_the_same_field_changed_meanwhile_is_refused(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", status="closed")
    rows = gaia.rows()
    with pytest.raises(Stale) as caught:
        attached.reclassify("project_launch", status="open")
    assert caught.value.extra["current"] == {"status": "closed"}
    assert gaia.rows() == rows
    assert entry(attached, "project_launch").status == "closed", "the desk shows the new value"
    attached.reclassify("project_launch", status="open")
    assert gaia.row("me", "project_launch")["status"] == "open"


def test_another_field_changed_meanwhile_goes_through(attached: Desk, gaia: Gaia) -> None:
    before = gaia.history()
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", description="By the agent")
    attached.reclassify("project_launch", status="closed")
    row = gaia.row("me", "project_launch")
    assert (row["status"], row["description"]) == ("closed", "By the agent")
    assert gaia.history() == before + 2
    assert not attached.pull()[0].news
    assert_same(attached, gaia)


def test_an_append_goes_after_what_is_there_now(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", body="Rewritten.")
    attached.append("project_launch", "Added.")
    assert gaia.row("me", "project_launch")["body"] == "Rewritten.\n\nAdded."
    assert not attached.pull()[0].news


@pytest.mark.parametrize(
    "write",
    [
        lambda d: d.delete("project_launch"),
        lambda d: d.edit("project_launch", fields={"description": "Nobody would read this."}),
        lambda d: d.append("project_launch", "Nobody would read this."),
        lambda d: d.reclassify("project_launch", status="closed"),
    ],
)
def test_a_row_that_is_gone_is_noticed_before_it_is_written(attached: Desk, gaia: Gaia, write: Act) -> None:
    gaia.delete("me", "project_launch")
    with pytest.raises(Stale):
        write(attached)
    assert entry(attached, "project_launch").state is State.PURGED
    assert "Nobody" not in str(entry(attached, "project_launch"))


def test_a_name_that_the_host_got_meanwhile_is_an_update(attached: Desk, gaia: Gaia) -> None:
    gaia.add("me", "atom_new", "By the agent.", description="theirs")
    receipt = attached.add(name="atom_new", body="By the person.", workspace="me")
    assert receipt.action == "updated"
    assert gaia.row("me", "atom_new")["description"] == "theirs"
    assert gaia.row("me", "atom_new")["body"] == "By the person."


@contextmanager
def unpushed(desk: Desk) -> Iterator[None]:
    """What is written inside is committed to the log and then the process dies: nothing is pushed."""
    hosts = desk.hosts

    class Dead(Hosts):
        def after_commit(self, op_id: str) -> Any:
            return type("Nothing", (), {"sentences": []})()

    desk.hosts = Dead(desk.store)
    try:
        yield
    finally:
        desk.hosts = hosts


def test_a_change_in_the_gap_becomes_a_lost_edit(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.reclassify("project_launch", status="closed")
        attached.edit("project_launch", fields={"description": "Ours"})
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", status="open")
    (sent,) = attached.push()
    assert sent.waiting == ("me/project_launch",)
    row = gaia.row("me", "project_launch")
    assert (row["status"], row["description"]) == ("open", "Ours"), "left alone; the other field arrives"
    attached.pull()
    (lost,) = attached.store.lost_edits()
    assert (lost.field, lost.value, lost.author) == ("status", "closed", "user:ana")
    assert entry(attached, "project_launch").status == "open"
    attached.push()
    assert in_step(attached)
    assert gaia.row("me", "project_launch")["status"] == "open"
    assert not attached.pull()[0].news


def test_an_append_in_the_gap_stays_beside_a_rewritten_body(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.append("project_launch", "Ours.")
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", body="Rewritten.")
    attached.push()
    attached.pull()
    attached.push()
    assert gaia.row("me", "project_launch")["body"] == "Rewritten.\n\nOurs."
    assert in_step(attached)
    assert_folded(attached)


def test_class_and_status_go_together_or_not_at_all(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.reclassify("project_launch", klass="log")
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", **{"class": "anchor"})
    attached.push()
    row = gaia.row("me", "project_launch")
    assert (row["class"], row["status"]) == ("anchor", "carry_forward")


def test_a_name_taken_in_the_gap_is_one_memory_and_a_finding(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.add(name="atom_new", body="Ours.", description="ours", workspace="me")
    gaia.add("me", "atom_new", "Theirs.", description="theirs")
    (sent,) = attached.push()
    assert sent.waiting == ("me/atom_new",)
    attached.hosts.refresh()
    attached.hosts.refresh()
    assert gaia.row("me", "atom_new")["body"] == "Theirs."
    found = entry(attached, "atom_new")
    assert (found.body, found.description) == ("Theirs.", "theirs")
    assert any("written here and in Gaia" in r.detail for r in attached.store.reports())
    assert [e.payload["body"] for e in attached.store.events_of(found.id) if e.type == "memory.create"] == ["Ours."]
    assert in_step(attached)


# -- locks, crashes, absence ------------------------------------------------------------------------------------------


def test_a_locked_host_loses_nothing(attached: Desk, gaia: Gaia) -> None:
    with locked(gaia):
        receipt = attached.reclassify("project_launch", status="closed")
        assert any("Not yet in Gaia: me/project_launch" in w for w in receipt.warnings)
        assert attached.list_hosts()[0].words == "1 not yet in Gaia"
        assert not attached.hosts.refresh()
        attached.append("project_launch", "While it was locked.")
        assert attached.push()[0].waiting == ("me/project_launch",)
    before = gaia.history()
    assert attached.hosts.refresh()
    row = gaia.row("me", "project_launch")
    assert (row["status"], row["body"][-20:]) == ("closed", "While it was locked.")
    assert gaia.history() == before + 1, "one push, one history row"
    assert in_step(attached)
    assert not attached.pull()[0].news


def test_a_short_lock_is_waited_for(attached: Desk, gaia: Gaia) -> None:
    attached.hosts.wait_ms = 30_000
    size = log_size(attached)[0]
    code = (  # lets go once the log has the change, so while the push is waiting
        "import sqlite3\n"
        f"db = sqlite3.connect({str(gaia.path)!r}, isolation_level=None)\n"
        "db.execute('BEGIN IMMEDIATE')\n"
        f"log = sqlite3.connect({str(attached.store.path)!r})\n"
        "print('held', flush=True)\n"
        f"while log.execute('SELECT count(*) FROM events').fetchone()[0] == {size}:\n"
        "    pass\n"
        "db.execute('COMMIT')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        receipt = attached.reclassify("project_launch", status="closed")
    assert receipt.warnings == ()
    assert gaia.row("me", "project_launch")["status"] == "closed"


def test_a_store_that_is_locked_while_the_push_is_noted_denies_nothing(
    attached: Desk, gaia: Gaia, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("memdesk.core.hosts.gaia.link.book", _locked)
        receipt = attached.reclassify("project_launch", status="closed")
        attached.hosts.refresh()
    assert [w for w in receipt.warnings if "with the next push" in w]
    assert gaia.row("me", "project_launch")["status"] == "closed"
    attached.push()
    assert in_step(attached)
    assert not attached.pull()[0].news


def _locked(*_: object) -> None:
    raise StoreLocked("Another process holds the lock.")


def test_a_host_that_is_away_gets_it_when_it_is_back(attached: Desk, gaia: Gaia) -> None:
    away = gaia.path.with_suffix(".away")
    gaia.settle()
    gaia.path.rename(away)
    receipt = attached.reclassify("project_launch", status="closed")
    assert any("Not yet in Gaia" in w for w in receipt.warnings)
    away.rename(gaia.path)
    assert attached.push()[0].done == ("me/project_launch",)
    assert gaia.row("me", "project_launch")["status"] == "closed"


def test_a_crash_before_the_push_is_made_good(attached: Desk, gaia: Gaia, store: Store) -> None:
    with unpushed(attached):
        attached.reclassify("project_launch", status="closed")
    assert gaia.row("me", "project_launch")["status"] == "carry_forward"
    assert attached.list_hosts()[0].words == "1 not yet in Gaia", "also without a note of it"
    size = log_size(attached)
    attached.push()
    assert gaia.row("me", "project_launch")["status"] == "closed"
    assert not attached.pull()[0].news
    assert log_size(attached) == size


@pytest.mark.parametrize("then", ["push", "pull", "refresh", "write"])
@pytest.mark.parametrize("what", ["close", "append", "add", "rename", "link", "delete"])
def test_a_crash_after_the_push_repeats_nothing(
    attached: Desk, gaia: Gaia, monkeypatch: pytest.MonkeyPatch, what: str, then: str
) -> None:
    acts: dict[str, Act] = {
        "close": lambda d: d.reclassify("project_launch", status="closed"),
        "append": lambda d: d.append("project_launch", "More."),
        "add": lambda d: d.add(name="atom_new", body="New.", description="n", workspace="me"),
        "rename": lambda d: d.rename("decision_static", "decision_fixed"),
        "link": lambda d: d.link("user_tone", "related_to", "atom_cache"),
        "delete": lambda d: d.delete("user_tone"),
    }
    attached.push()
    with monkeypatch.context() as patch:
        patch.setattr("memdesk.core.hosts.gaia.link.book", _die)
        with pytest.raises(KeyboardInterrupt):
            acts[what](attached)
    history, rows, links, size = gaia.history(), gaia.rows(), gaia.links(), log_size(attached)
    if then == "write":
        attached.reclassify("lab/user_lab", klass="log")
        rows, history, size = gaia.rows(), history + 1, log_size(attached)
    else:
        getattr(attached.hosts, then)()
    assert (gaia.history(), gaia.rows(), gaia.links()) == (history, rows, links)
    attached.push()
    assert not attached.pull()[0].news
    assert (gaia.history(), gaia.rows(), gaia.links()) == (history, rows, links)
    assert log_size(attached) == size
    assert in_step(attached)
    assert_same(attached, gaia)


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_crash_inside_the_host_transaction_changes_nothing_there(
    attached: Desk, gaia: Gaia, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = gaia.rows()
    send = pushing.send

    def half(*args: Any) -> None:
        send(*args)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("memdesk.core.hosts.gaia.link.send", half)
        with pytest.raises(KeyboardInterrupt):
            attached.reclassify("project_launch", status="closed")
    assert gaia.rows() == rows
    attached.push()
    assert gaia.row("me", "project_launch")["status"] == "closed"


def test_somebody_elses_change_after_our_unnoted_push(
    attached: Desk, gaia: Gaia, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("memdesk.core.hosts.gaia.link.book", _die)
        with pytest.raises(KeyboardInterrupt):
            attached.reclassify("project_launch", status="closed")
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", status="open")
    attached.pull()
    assert entry(attached, "project_launch").status == "open"
    assert attached.store.lost_edits() == [], "they had seen ours"
    attached.push()
    assert gaia.row("me", "project_launch")["status"] == "open"


# -- read-only, detached, erased ----------------------------------------------------------------------------------


def test_a_newer_schema_refuses_every_write(attached: Desk, gaia: Gaia) -> None:
    gaia.run("INSERT INTO schema_version VALUES (60, '2026-11-01T00:00:00Z', NULL)")
    before, rows = log_size(attached), gaia.rows()
    acts: list[Act] = [
        lambda d: d.reclassify("project_launch", status="closed"),
        lambda d: d.append("project_launch", "x"),
        lambda d: d.delete("user_tone"),
        lambda d: d.restore("negative_cdn"),
        lambda d: d.link("user_tone", "related_to", "atom_cache"),
        lambda d: d.unlink("decision_static", "supersedes", "decision_dynamic"),
        lambda d: d.rename("decision_static", "decision_fixed"),
        lambda d: d.add(name="atom_new", body="x", description="d", workspace="me"),
    ]
    for act in acts:
        with pytest.raises(HostError) as caught:
            act(attached)
        assert caught.value.stable_code == "host_read_only"
        assert "newer" in caught.value.message
    assert (log_size(attached), gaia.rows()) == (before, rows)


def test_a_schema_that_became_newer_keeps_what_waits(attached: Desk, gaia: Gaia) -> None:
    with unpushed(attached):
        attached.reclassify("project_launch", status="closed")
    gaia.run("INSERT INTO schema_version VALUES (60, '2026-11-01T00:00:00Z', NULL)")
    (sent,) = attached.push()
    assert (sent.waiting, "newer" in sent.reason) == (("me/project_launch",), True)
    assert gaia.row("me", "project_launch")["status"] == "carry_forward"


def test_detach_and_attach_again(attached: Desk, gaia: Gaia) -> None:
    attached.store.add_workspace("home")
    attached.add(name="atom_mine", body="Mine.", description="m", workspace="home")
    size, host = log_size(attached), attached.list_hosts()[0].host_id
    info = attached.detach(host)
    assert (info.state, info.words) == ("detached", "detached")
    assert attached.store.lookup("project_launch") == []
    assert attached.store.search("date") == []
    assert [e.name for e in attached.store.lookup("atom_mine")] == ["atom_mine"]
    assert attached.hosts.attached() == []
    assert not attached.hosts.refresh()
    assert not attached.attach("gaia", gaia.path).pulled.news
    assert log_size(attached) == size
    assert_same(attached, gaia)


def test_detach_says_what_has_not_arrived(attached: Desk, gaia: Gaia) -> None:
    host = attached.list_hosts()[0].host_id
    with unpushed(attached):
        attached.reclassify("project_launch", status="closed")
    with pytest.raises(HostError) as caught:
        attached.detach(host)
    assert (caught.value.stable_code, caught.value.extra["waiting"]) == ("host_pending", ["me/project_launch"])
    attached.detach(host, force=True)
    attached.attach("gaia", gaia.path)
    assert gaia.row("me", "project_launch")["status"] == "closed"


def test_what_stands_in_gaia_cannot_be_erased_here(attached: Desk, gaia: Gaia) -> None:
    found = entry(attached, "user_tone")
    with pytest.raises(HostError) as caught:
        attached.hosts.before_erase(found)
    assert caught.value.stable_code == "host_erase"
    gaia.delete("me", "user_tone")
    attached.pull()
    attached.hosts.before_erase(found)
    waiting = json.dumps([list(r) for r in attached.store.db.execute("SELECT * FROM host_shadow")])
    assert found.id not in waiting


def test_erasing_an_entry_that_left_gaia(attached: Desk, gaia: Gaia) -> None:
    found = entry(attached, "user_tone")
    with pytest.raises(HostError) as caught:
        attached.erase(found.id, f"DELETE {found.id}")
    assert caught.value.stable_code == "host_erase"
    gaia.delete("me", "user_tone")
    attached.pull()
    attached.erase(found.id, f"DELETE {found.id}")
    assert not attached.pull()[0].news
    assert attached.store.lookup("user_tone") == []
    assert in_step(attached)


def test_attaching_is_not_undone_and_a_pulled_change_is_put_back(attached: Desk, gaia: Gaia) -> None:
    rows = gaia.rows()
    (attaching,) = {e.op_id for e in attached.store.events()}
    with pytest.raises(CannotUndo):
        attached.undo(attaching)
    gaia.set("me", "user_tone", "2027-02-01T10:00:00Z", body="By an agent.")
    attached.undo(attached.pull()[0].op_id)
    assert gaia.rows() == rows, "a person may take back what an agent wrote"
    assert not attached.pull()[0].news
    assert_same(attached, gaia)


def test_an_agents_pull_is_not_the_persons_to_undo(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", "2027-02-01T10:00:00Z", status="closed")
    attached.pull()
    with pytest.raises(CannotUndo):
        attached.undo()


def test_foreign_keys_hold_while_writing(gaia: Gaia) -> None:
    with pytest.raises(HostError), database.writing(gaia.path) as db:
        db.execute("INSERT INTO memory (workspace, name, type, body) VALUES ('nowhere', 'atom_a', 'atom', 'b')")
    assert all(row["workspace"] != "nowhere" for row in gaia.rows())


def test_what_waits_holds_no_text(attached: Desk, gaia: Gaia) -> None:
    with locked(gaia):
        attached.edit("atom_cache", fields={"body": "A secret sentence."})
        (row,) = attached.store.db.execute("SELECT wanted, last_error FROM host_pending").fetchall()
    assert "secret" not in f"{row[0]}{row[1]}"
    assert json.loads(row[0]) == ["body"]


def test_entries_of_another_store_reach_the_host_through_this_one(attached: Desk, gaia: Gaia, other: Desk) -> None:
    other.store.receive(list(attached.store.events()))
    with unpushed(other):
        folded = other.store.folded(entry(attached, "me/user_tone").id)
        assert folded is not None
        with other.store.transaction() as tx:
            tx.begin("edit", "Edited", actor="user:bo")
            edit = {"patch": {"description": "From afar"}, "base": {"description": folded.base("description")}}
            tx.write("memory.edit", {"memory_id": folded.entry.id, **edit, "updated_at": "2027-03-01T10:00:00Z"})
    attached.store.receive(list(other.store.events()))
    attached.push()
    assert gaia.row("me", "user_tone")["description"] == "From afar"
    assert shown(entry(attached, "user_tone"))["updated_at"] == gaia.row("me", "user_tone")["updated_at"]
    assert not attached.pull()[0].news
