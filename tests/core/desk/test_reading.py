"""The reading verbs over a small memory: show, list, search, history, story, stats, digest, preview, status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.digest import Why, shift
from memdesk.core.errors import Ambiguous, NeedsApproval, NotFound, StoreLocked, UsageError


@pytest.fixture
def memory(desk: Desk) -> Desk:
    """Six entries in two workspaces, one replaced, one deleted, with edges."""

    def add(name: str, workspace: str = "me", **fields: Any) -> None:
        desk.add(
            name=name, workspace=workspace, **{"body": f"Body of {name}.", "description": f"about {name}", **fields}
        )

    add("decision_old")
    add("decision_new", tags=["storage"], initiative="store")
    add("user_tone", audience="executor")
    add("project_live", klass="thread", status="carry_forward", initiative="store", tags=["storage"])
    add("project_open", klass="thread", status="open", initiative="store")
    add("project_done", klass="thread", status="closed", initiative="store")
    add("project_other", "lab", klass="thread", status="open")
    add("atom_gone")
    desk.delete("atom_gone")
    desk.supersede("decision_old", by="decision_new")
    desk.link("project_live", "derived_from", "decision_new")
    return desk


def names(listed: Any) -> list[str]:
    return [e.name for e in listed.entries()]


# -- show, history, story --------------------------------------------------------------------------------------------


def test_show_has_edges_history_and_gaias_keys(memory: Desk) -> None:
    shown = memory.show("decision_new")
    record = shown.as_json(links=True, history=True)
    assert {
        "workspace", "name", "type", "description", "body", "project_ref", "initiative", "origin_session_id",
        "updated_at", "deleted_at", "audience", "injection_count", "deliberate_count", "last_injected_at",
        "last_deliberate_at", "class", "status", "links", "history",
    } <= record.keys()  # fmt: skip
    assert [(x["src_name"], x["dst_name"], x["kind"]) for x in record["links"]["out"]] == [
        ("decision_new", "decision_old", "supersedes")
    ]
    assert [(x["src_name"], x["dst_name"], x["kind"]) for x in record["links"]["in"]] == [
        ("project_live", "decision_new", "derived_from")
    ]
    assert [link.words for link in (*shown.links_out, *shown.links_in)] == ["replaces", "was distilled into"]
    assert [h["kind"] for h in record["history"]] == ["link", "link", "create"]
    assert record["role"] == "What we know"
    json.dumps(record)


def test_show_without_extras_and_of_a_deleted_entry(memory: Desk) -> None:
    record = memory.show("atom_gone").as_json()
    assert "links" not in record
    assert record["deleted_at"] == record["updated_at"]
    assert memory.show("user_tone").as_json()["deleted_at"] is None
    assert memory.show("user_tone").internals["class"] == "anchor"


def test_recent_are_the_last_ten_newest_first(memory: Desk) -> None:
    for i in range(12):
        memory.append("user_tone", f"more {i}")
    shown = memory.show("user_tone")
    assert len(shown.versions) == 13
    assert shown.recent == tuple(reversed(shown.versions))[:10]


def test_history_line_has_gaias_numbers(memory: Desk) -> None:
    memory.append("project_open", "1234")
    memory.reclassify("project_open", status="closed")
    newest, before, *_ = memory.show("project_open").as_json(history=True)["history"]
    assert (newest["fields_changed"], newest["status_from"], newest["status_to"]) == (["status"], "open", "closed")
    assert (before["body_delta"], before["status_from"]) == (6, None)


def test_history_replays_to_what_stands_after_undo_and_redo(memory: Desk) -> None:
    memory.edit("user_tone", fields={"description": "second"})
    memory.undo()
    memory.redo()
    entry, versions = memory.history("user_tone")
    assert [v.kind for v in versions] == ["create", "edit", "undo", "redo"]
    change = versions[-1].change("description")
    assert change is not None
    assert (change.before, change.after) == ("about user_tone", "second") == ("about user_tone", entry.description)


def test_show_names_what_waits(memory: Desk, agent: Desk) -> None:
    with pytest.raises(NeedsApproval) as caught:
        agent.edit("user_tone", fields={"description": "mine"})
    assert memory.show("user_tone").as_json()["requests"] == [caught.value.extra["request_id"]]
    assert "requests" not in memory.show("decision_new").as_json()


def test_only_asked_for_readings_are_counted(memory: Desk) -> None:
    memory.show("user_tone")
    memory.story("user_tone")
    assert memory.show("user_tone").entry.telemetry.deliberate_count == 0
    assert memory.show("user_tone", count=True).entry.telemetry.deliberate_count == 1
    memory.story("user_tone", count=True)
    before = memory.store.entry(memory.find("user_tone").id)
    assert before is not None
    assert before.telemetry.deliberate_count == 2
    assert before.telemetry.last_deliberate_at
    assert before.updated_at == memory.history("user_tone")[1][0].timestamp, "counting is no change"


def test_references_look_everywhere_and_say_what_is_meant(memory: Desk) -> None:
    memory.add(name="user_tone", workspace="lab", body="b", description="d")
    with pytest.raises(Ambiguous):
        memory.show("user_tone")
    assert memory.show("lab/user_tone").entry.workspace == memory.show("user_tone", workspace="lab").entry.workspace
    with pytest.raises(NotFound):
        memory.show("user_none")


def test_story_tells_the_neighbourhood_on_one_line(memory: Desk) -> None:
    story = memory.story("project_live")
    assert [(story.name_of(n.node), n.depth, n.role) for n in story.nodes] == [
        ("project_live", 0, "queried"), ("decision_new", 1, "source"), ("decision_old", 2, "superseded"),
    ]  # fmt: skip
    record = story.as_json()
    assert [(t["node"], t["kind"]) for t in record["timeline"]] == [
        ("decision_old", "birth"), ("decision_new", "birth"), ("project_live", "birth"),
        ("decision_new", "link"), ("project_live", "link"),
    ]  # fmt: skip
    assert record["seed"] == "project_live"
    assert [f["state"] for f in record["final_states"]] == ["active", "active", "superseded"]
    assert [(e["src_name"], e["kind"], e["dst_name"]) for e in record["edges"]] == [
        ("decision_new", "supersedes", "decision_old"), ("project_live", "derived_from", "decision_new"),
    ]  # fmt: skip
    assert len(memory.story("project_live", max_depth=1).nodes) == 2
    assert len(memory.story("project_live", max_depth=0).edges) == 0
    with pytest.raises(UsageError):
        memory.story("project_live", max_depth=-1)


def test_story_of_a_deleted_entry_and_of_a_circle(memory: Desk) -> None:
    kinds = [m.kind for m in memory.story("atom_gone").timeline]
    assert kinds == ["birth", "tombstone"]
    memory.link("project_open", "related_to", "project_live")
    memory.link("project_open", "related_to", "decision_new")
    nodes = [n.node for n in memory.story("project_open", max_depth=9).nodes]
    assert len(nodes) == len(set(nodes)) == 4


def test_story_goes_by_the_time_that_events_tell(memory: Desk) -> None:
    with memory.store.transaction() as tx:  # a pull: older facts arrive later
        tx.begin("pull", "Pulled", actor="gaia")
        old = tx.new_id()
        tx.write(
            "memory.create",
            {"memory_id": old, "workspace": "me", "name": "atom_early", "type": "atom", "class": "anchor", "body": "b"},
            timestamp="2020-01-01T00:00:00Z",
        )
        live = memory.find("project_live").id
        tx.write("memory.edge.add", {"from_id": live, "edge_kind": "derived_from", "to_id": old})
    line = memory.story("project_live", max_depth=1).timeline
    assert [(m.name, m.kind) for m in line][:2] == [("atom_early", "birth"), ("decision_new", "birth")]


# -- list ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, ["decision_new", "project_done", "project_live", "project_open", "project_other", "user_tone"]),
        ({"workspace": "lab"}, ["project_other"]),
        ({"types": ["user", "decision"]}, ["decision_new", "user_tone"]),
        ({"klass": "anchor"}, ["decision_new", "user_tone"]),
        ({"status": "open"}, ["project_open", "project_other"]),
        ({"status": "open,closed"}, ["project_done", "project_open", "project_other"]),
        ({"status": ["carry_forward"]}, ["project_live"]),
        ({"status": "purged"}, ["atom_gone"]),
        ({"status": "superseded,purged"}, ["atom_gone", "decision_old"]),
        ({"status": "all", "klass": "anchor"}, ["atom_gone", "decision_new", "decision_old", "user_tone"]),
        ({"tag": "storage"}, ["decision_new", "project_live"]),
        ({"initiative": "Store"}, ["decision_new", "project_done", "project_live", "project_open"]),
        ({"initiative": "otros"}, ["project_other", "user_tone"]),
        ({"audience": "executor"}, ["user_tone"]),
        ({"audience": "any", "limit": 2}, ["decision_new", "project_done"]),
        ({"limit": 2}, ["decision_new", "project_done"]),
        ({"limit": 0, "klass": "anchor"}, ["decision_new", "user_tone"]),
        ({"order": "desc", "limit": 2}, ["user_tone", "project_other"]),
        ({"sort": "created", "limit": 2}, ["project_other", "project_done"]),
        ({"sort": "created", "order": "asc", "limit": 1}, ["decision_new"]),
    ],
)
def test_list(memory: Desk, filters: dict[str, Any], wanted: list[str]) -> None:
    assert names(memory.list_entries(**filters)) == wanted


def test_list_total_does_not_know_the_limit(memory: Desk) -> None:
    assert memory.list_entries(limit=1).total == 6
    assert memory.list_entries(limit=1, audience="any").total == 5


def test_list_sorts_by_what_was_read_and_by_what_changed(memory: Desk) -> None:
    memory.show("user_tone", count=True)
    memory.append("decision_new", "more")
    assert names(memory.list_entries(sort="deliberate"))[0] == "user_tone"
    assert names(memory.list_entries(sort="updated"))[0] == "decision_new"


def test_list_by_project(memory: Desk) -> None:
    memory.store.add_project("me", "tool", identity="/src/tool")
    memory.add(name="atom_here", project="tool", body="b", description="d")
    assert names(memory.list_entries(project="tool")) == ["atom_here"]
    assert names(memory.list_entries(project_ref="/src/tool")) == ["atom_here"]
    with pytest.raises(UsageError):
        memory.list_entries(project="tool", project_ref="/src/tool")


@pytest.mark.parametrize(
    "filters",
    [{"klass": "thing"}, {"status": "opne"}, {"audience": "cat"}, {"sort": "size"}, {"order": "up"}],
)
def test_list_refuses_what_is_no_filter(memory: Desk, filters: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        memory.list_entries(**filters)
    assert caught.value.hint


def test_list_rows_have_gaias_keys_and_no_body(memory: Desk) -> None:
    (row,) = memory.list_entries(types=["user"]).as_json()
    assert "body" not in row
    assert {
        "name", "type", "description", "updated_at", "audience", "class", "status", "injection_count",
        "deliberate_count", "last_injected_at", "last_deliberate_at",
    } <= row.keys()  # fmt: skip


# -- search ----------------------------------------------------------------------------------------------------------


def found(memory: Desk, text: str, **filters: Any) -> list[str]:
    return sorted(h.entry_row.name for h in memory.search(text, scope="memory", **filters).hits)


def test_search_looks_at_current_entries_unless_asked(memory: Desk) -> None:
    assert found(memory, "atom_gone") == []
    assert found(memory, "atom_gone", include_purged=True) == ["atom_gone"]
    assert found(memory, "decision_old", status="all") == ["decision_old"]
    assert found(memory, "decision", include_purged=True, status="superseded") == ["decision_old"]


def test_search_by_tag_and_status(memory: Desk) -> None:
    assert found(memory, "", tag="storage") == ["decision_new", "project_live"]
    assert found(memory, "body", tag="storage", types=["project"]) == ["project_live"]
    assert found(memory, "body", status="open") == ["project_open", "project_other"]
    assert found(memory, "body", status="open", limit=1, workspace="lab") == ["project_other"]
    assert found(memory, "") == []


@pytest.mark.parametrize("text", ["", "*", "AND", '"', "C++", "don't", "#12", "NEAR(", "?", "foo-bar", "a.b/c"])
def test_search_takes_any_text(memory: Desk, text: str) -> None:
    for scope in ("memory", "episodes", "both"):
        json.dumps(memory.search(text, scope=scope).as_json())


def test_search_json_shapes(memory: Desk) -> None:
    memory.add_episode("Ledger deploy", "The ledger deploy went through.", workspace="me", tags=["ops"])
    both = memory.search("ledger").as_json()
    assert both.keys() == {"scope", "episodes", "curated"}
    assert [e["title"] for e in both["episodes"]] == ["Ledger deploy"]
    assert both["episodes"][0].keys() == {"id", "title", "rank"}
    episodes = memory.search("ledger", scope="episodes").as_json()
    assert episodes["results"][0].keys() == {"id", "title", "rank", "date", "snippet"}
    entries = memory.search("tone", scope="memory").as_json()
    assert {"name", "type", "description", "snippet", "rank"} <= entries["results"][0].keys()
    with pytest.raises(UsageError):
        memory.search("x", scope="everything")


def test_stats(memory: Desk) -> None:
    memory.add_episode("Deploy", "went well", workspace="me")
    record = memory.stats(workspace="me").as_json()
    assert record["entries"] == {"active": 5, "superseded": 1, "purged": 1}
    assert record["roles"] == {
        "For this session": 1, "Open threads": 1, "Closed": 1, "Graduated": 0, "About you": 1, "What we know": 1,
        "Log": 0,
    }  # fmt: skip
    assert record["types"] == {"project": 3, "decision": 1, "user": 1}
    assert (record["total_episodes"], record["indexed"]) == (1, 7)
    assert memory.stats().as_json()["entries"]["active"] == 6


# -- the digest ------------------------------------------------------------------------------------------------------


def test_worklist_of_one_workspace_and_of_all(memory: Desk) -> None:
    assert [i.row.name for i in memory.get_relevant("me", count=False).items] == ["project_open"]
    everywhere = memory.get_relevant(count=False)
    assert [i.row.name for i in everywhere.items] == ["project_other", "project_open"]
    assert [(b.row.name, b.why) for b in everywhere.below] == [("project_live", Why.NOT_TOP)]


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ({}, "worklist"),
        ({"sections": ["anchor"]}, "sections"),
        ({"initiative": "store"}, "initiative"),
        ({"types": ["atom"]}, "types"),
        ({"types": ["atom"], "initiative": "store", "sections": ["anchor"]}, "types"),
        ({"initiative": "store", "sections": ["anchor"]}, "initiative"),
        ({"mode": "sections"}, "sections"),
        ({"mode": "worklist", "initiative": "store"}, "worklist"),
    ],
)
def test_mode_by_what_is_given(memory: Desk, flags: dict[str, Any], mode: str) -> None:
    assert memory.get_relevant(count=False, **flags).mode == mode
    with pytest.raises(UsageError):
        memory.get_relevant(mode="everything")


def test_what_is_injected_is_counted_and_only_that(memory: Desk) -> None:
    memory.get_relevant("me")
    memory.get_relevant("me", count=False)
    memory.preview({})
    counts = {e.name: e.telemetry for e in memory.list_entries(workspace="me").entries()}
    assert counts["project_open"].injection_count == 1
    assert counts["project_live"].injection_count == 0
    memory.get_relevant("me", initiative="store")
    counts = {e.name: e.telemetry for e in memory.list_entries(workspace="me").entries()}
    assert (counts["project_open"].deliberate_count, counts["project_live"].deliberate_count) == (1, 1)
    assert counts["project_open"].injection_count == 1


def test_reading_survives_a_store_that_cannot_count(memory: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*args: object) -> None:
        raise StoreLocked("another process writes")

    monkeypatch.setattr(memory.store, "bump", locked)
    assert memory.get_relevant("me").items
    assert memory.show("user_tone", count=True).entry.name == "user_tone"


def test_sections_read_whole_bodies_and_one_initiative_carries_them(memory: Desk) -> None:
    block = memory.get_relevant("me", sections=["anchor"], count=False).block
    assert "- user_tone: Body of user_tone." in block
    assert "- decision_new: about decision_new" in block
    assert "decision_old" not in block
    bodies = {i.row.name: i.body for i in memory.get_relevant(initiative="Store", count=False).items}
    assert bodies == {"project_open": "Body of project_open.", "project_live": "Body of project_live."}


def test_types_show_current_entries(memory: Desk) -> None:
    digest = memory.get_relevant("me", types=["decision", "atom"], count=False)
    assert [i.row.name for i in digest.items] == ["decision_new"]


def test_project_narrows(memory: Desk) -> None:
    memory.store.add_project("me", "tool", identity="/src/tool")
    memory.store.add_project("me", "rig", identity="/src/rig")
    memory.add(name="project_tool", project="tool", body="b", description="d", klass="thread")
    memory.add(name="project_rig", project="rig", body="b", description="d", klass="thread")
    shown = [i.row.name for i in memory.get_relevant("me", project="tool", count=False).items]
    assert shown == ["project_tool", "project_open"]


def test_deleted_and_replaced_entries_leave_at_once(memory: Desk) -> None:
    memory.delete("project_open")
    assert [i.row.name for i in memory.get_relevant("me", count=False).items] == ["project_live"]
    memory.add(name="project_newer", workspace="me", body="b", description="d", klass="thread", initiative="store")
    memory.supersede("project_live", by="project_newer")
    assert [i.row.name for i in memory.get_relevant("me", count=False).items] == ["project_newer"]


def test_preview_is_what_the_write_then_makes(memory: Desk) -> None:
    before = memory.get_relevant("me", count=False)
    entry = memory.find("project_open")
    preview = memory.preview({entry.id: {"status": "closed"}}, workspace="me")
    assert memory.find("project_open").status == "open", "nothing is written"
    moved = shift(before, preview)
    assert [i.row.name for i in moved.left] == ["project_open"]
    assert [i.row.name for i in moved.entered] == ["project_live"]
    memory.reclassify("project_open", status="closed")
    assert memory.get_relevant("me", count=False).block == preview.block


def test_preview_of_an_entry_that_was_not_in_view(memory: Desk) -> None:
    done = memory.find("project_done")
    preview = memory.preview({done.id: {"status": "carry_forward"}}, workspace="me")
    assert [i.row.name for i in preview.items] == ["project_done"]
    away = memory.preview({memory.find("project_open").id: {"workspace": "lab"}}, workspace="me")
    assert [i.row.name for i in away.items] == ["project_live"]
    words = memory.preview({memory.find("user_tone").id: {"body": "New words."}}, workspace="me", sections=["anchor"])
    assert "- user_tone: New words." in words.block


# -- while one was away ----------------------------------------------------------------------------------------------


def test_since_last_visit(memory: Desk, agent: Desk) -> None:
    first = memory.since_last_visit()
    assert first.since is None
    assert len(first.operations) == 11
    memory.mark_visit()
    assert memory.since_last_visit().operations == ()
    agent.append("project_open", "found more")
    visit = memory.since_last_visit()
    assert visit.since is not None
    assert [(o.verb, o.actor) for o in visit.operations] == [("append", "agent:one")]
    assert [e.name for e in visit.entries.values()] == ["project_open"]
    assert len(agent.since_last_visit().operations) == 12, "each actor has its own mark"
    assert len(memory.since_last_visit(limit=1).operations) == 1


def test_status_says_what_waits(memory: Desk, agent: Desk) -> None:
    calm = memory.status()
    assert calm.calm
    assert calm.line(lambda _: "long") == "Nothing waits"
    for text in ("one", "two"):
        with pytest.raises(NeedsApproval):
            agent.edit("user_tone", fields={"description": text})
    report = memory.status()
    assert not report.calm
    assert report.line(lambda at: "3 days" if at == report.oldest_request else "?") == "2 requests wait (oldest 3 days)"
    record = report.as_json()
    assert (record["requests"], record["lost_edits"], record["hosts"]) == (2, 0, [])
    assert record["oldest_request"] == memory.store.requests("pending")[0].asked_at


def test_every_role_may_read(memory: Desk) -> None:
    for role in Role:
        reader = Desk(memory.store, Actor(f"{role}:r", role), memory.hosts, memory.config)
        assert reader.get_relevant("me", count=False).items
        assert reader.show("user_tone").entry.name == "user_tone"
        assert reader.search("body").hits
