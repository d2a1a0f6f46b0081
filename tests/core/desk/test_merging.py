"""What a merge does to texts, tags, edges, the digest and the search; who may do it; what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import EdgeRefused, ErrMemoryEdgeChainTooDeep, InvalidValue, NeedsApproval, Stale, UsageError
from memdesk.core.graph import lineage
from memdesk.core.model import State
from memdesk.core.policy import Role


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with Desk.open(tmp_path / "store", Actor("user:ana", Role.USER, on_terminal=True)) as desk:
        desk.add_workspace("me")
        for name, body in (("a", "Shared.\n\nOnly a."), ("b", "Shared.\n\nOnly b."), ("c", "Shared.")):
            add(desk, name, body)
        yield desk


def add(desk: Desk, name: str, body: str = "Text.", **given: Any) -> str:
    given = {"klass": "anchor", "description": f"About {name}", **given}
    return desk.add(name=name if "_" in name else f"project_{name}", body=body, workspace="me", **given).entry.id


def edges(desk: Desk) -> set[tuple[str, str, str]]:
    name = desk.names_by_id()
    return {tuple(s.removeprefix("project_") for s in (name(e.source), e.kind, name(e.target)))  # type: ignore[misc]
            for e in desk.store.edges()}  # fmt: skip


def state(desk: Desk, name: str) -> State:
    return desk.find(f"project_{name}").state


def dropped(desk: Desk, *names: str) -> list[str]:
    plan = desk.merge_plan([f"project_{n}" for n in names])
    return [line for line in plan.lines(desk.names_by_id()) if line.startswith("link not")]


def test_it_says_what_it_does_before_and_after(desk: Desk) -> None:
    refs = ["project_a", "project_b", "project_c"]
    assert desk.merge_plan(refs).sentence == "keeps project_a, absorbs project_b, project_c"
    receipt = desk.merge(refs)
    assert receipt.summary == "Kept project_a, absorbed project_b, project_c"
    assert [state(desk, n) for n in "abc"] == [State.ACTIVE, State.SUPERSEDED, State.SUPERSEDED]
    assert desk.find("project_b").body == "Shared.\n\nOnly b.", "the absorbed keeps its own text"


def test_merging_twice_changes_nothing(desk: Desk) -> None:
    desk.merge(["project_a", "project_b"])
    before = len(list(desk.store.events()))
    again = desk.merge(["project_b", "project_a"], into="project_a")
    assert (again.op_id, again.action, len(list(desk.store.events()))) == (None, "noop", before)


@pytest.mark.parametrize(("choice", "body"), [
    (None, "Shared.\n\nOnly a.\n\nOnly b."),
    ("left", "Shared.\n\nOnly a."),
    ("right", "Shared.\n\nOnly b."),
    ("both", "Shared.\n\nOnly a.\n\nOnly b."),
    ("project_b", "Shared.\n\nOnly b."),
    ({"text": "Reworded."}, "Reworded."),
])  # fmt: skip
def test_each_field_can_be_chosen(desk: Desk, choice: Any, body: str) -> None:
    desk.merge(["project_a", "project_b"], fields={"body": choice} if choice else None)
    assert desk.find("project_a").body == body


def test_left_is_the_first_named_also_when_the_second_survives(desk: Desk) -> None:
    desk.merge(["project_a", "project_b"], into="project_b", fields={"body": "left", "description": "both"})
    entry = desk.find("project_b")
    assert (entry.body, entry.description) == ("Shared.\n\nOnly a.", "About b · About a")


def test_a_longer_text_that_holds_the_shorter_is_taken_whole(desk: Desk) -> None:
    desk.merge(["project_c", "project_a"])
    assert desk.find("project_c").body == "Shared.\n\nOnly a."


def test_a_field_that_the_survivor_lacks_is_filled(desk: Desk) -> None:
    desk.edit("project_b", fields={"title": "The title", "summary": "In short"})
    desk.merge(["project_a", "project_b"])
    entry = desk.find("project_a")
    assert (entry.title, entry.summary, entry.description) == ("The title", "In short", "About a")


def test_a_block_of_code_comes_whole(desk: Desk) -> None:
    add(desk, "x", "Run:\n\n```\nmake\n\ntest\n```")
    add(desk, "y", "Run:\n\n```\nmake\n\nbench\n```")
    desk.merge(["project_x", "project_y"])
    assert desk.find("project_x").body == "Run:\n\n```\nmake\n\ntest\n```\n\n```\nmake\n\nbench\n```"


def test_tags_and_edges_come_along_and_what_pointed_at_the_absorbed_points_at_the_survivor(desk: Desk) -> None:
    for name in "pqrs":
        add(desk, name)
    desk.edit("project_a", add_tags=["one"])
    desk.edit("project_b", add_tags=["one", "two"])
    desk.link("project_p", "child_of", "project_b")
    desk.link("project_b", "derived_from", "project_q")
    desk.link("project_r", "related_to", "project_b")
    desk.link("project_b", "blocks", "project_s")
    desk.merge(["project_a", "project_b"])
    assert set(desk.find("project_a").tags) == {"one", "two"}
    found = edges(desk)
    assert ("a", "supersedes", "b") in found
    assert ("p", "child_of", "a") in found and ("p", "child_of", "b") not in found
    assert ("a", "derived_from", "q") in found and ("a", "blocks", "s") in found
    assert {("a", "related_to", "r"), ("r", "related_to", "a")} & found
    assert not {("b", "related_to", "r"), ("r", "related_to", "b")} & found


@pytest.mark.parametrize(("links", "reason"), [
    ([("a", "child_of", "p"), ("b", "child_of", "q")], "it would be a second parent"),
    ([("a", "derived_from", "p"), ("p", "derived_from", "b")], "it would close a circle"),
    ([("a", "derived_from", "b")], "it would lead to itself"),
])  # fmt: skip
def test_an_edge_that_cannot_come_along_is_named_with_the_reason(
    desk: Desk, links: list[tuple[str, str, str]], reason: str
) -> None:
    for name in "pq":
        add(desk, name)
    for source, kind, target in links:
        desk.link(f"project_{source}", kind, f"project_{target}")
    told = dropped(desk, "a", "b")
    assert [line for line in told if reason in line], told
    desk.merge(["project_a", "project_b"])
    assert state(desk, "b") is State.SUPERSEDED


def test_the_sixty_fifth_edge_is_named_and_left_out(desk: Desk) -> None:
    for number in range(62):
        desk.link("project_a", "about", add(desk, f"project_a{number}"))
    for number in range(3):
        desk.link("project_b", "about", add(desk, f"project_b{number}"))
    told = dropped(desk, "a", "b")
    assert len(told) == 2 and all("past the limit of 64 links" in line for line in told)
    desk.merge(["project_a", "project_b"])
    assert desk.store.out_degree(desk.find("project_a").id) == 64


def test_more_copies_than_an_entry_has_room_for_are_all_absorbed(desk: Desk) -> None:
    ids = [add(desk, f"project_copy_{number}", "The same.") for number in range(70)]
    desk.merge(ids)
    assert [desk.find(i).state for i in ids] == [State.ACTIVE, *[State.SUPERSEDED] * 69]
    replaced, _ = lineage(ids[0], desk.store.edges())
    assert set(replaced) == set(ids[1:]), "the history of each is reached from the one that stays"


def test_a_link_that_was_removed_does_not_come_back(desk: Desk) -> None:
    add(desk, "p")
    desk.link("project_a", "about", "project_p")
    desk.unlink("project_a", "about", "project_p")
    desk.link("project_b", "about", "project_p")
    desk.link("project_b", "related_to", "project_c")
    desk.unlink("project_b", "related_to", "project_c")
    assert ["that link was removed before" in line for line in dropped(desk, "a", "b")] == [True]
    desk.merge(["project_a", "project_b"])
    found = edges(desk)
    assert ("a", "about", "p") not in found and not [e for e in found if e[1] == "related_to"]


def test_an_older_entry_may_absorb_a_newer_one(desk: Desk) -> None:
    assert desk.merge(["project_a", "project_c"]).changed, "no supersede_direction stop"


def test_a_merge_never_retires_anything_but_the_absorbed(desk: Desk) -> None:
    add(desk, "old")
    desk.supersede("project_old", by="project_b")
    desk.restore("project_old")
    told = dropped(desk, "a", "b")
    assert any("is current again" in line for line in told), told
    desk.merge(["project_a", "project_b"])
    assert state(desk, "old") is State.ACTIVE


def test_what_was_replaced_and_brought_back_can_be_absorbed_again(desk: Desk) -> None:
    desk.merge(["project_a", "project_b"])
    desk.restore("project_b")
    assert desk.merge(["project_a", "project_b"]).changed
    assert state(desk, "b") is State.SUPERSEDED


def test_the_replaced_one_brought_back_may_absorb_what_replaced_it(desk: Desk) -> None:
    desk.merge(["project_a", "project_b"])
    desk.restore("project_b")
    desk.merge(["project_b", "project_a"])
    assert (state(desk, "a"), state(desk, "b")) == (State.SUPERSEDED, State.ACTIVE)
    assert ("b", "supersedes", "a") in edges(desk) and ("a", "supersedes", "b") not in edges(desk)


def test_a_longer_lineage_the_wrong_way_round_is_refused(desk: Desk) -> None:
    desk.supersede("project_b", by="project_c")
    desk.supersede("project_c", by="project_a")
    desk.restore("project_b")
    with pytest.raises(EdgeRefused) as refused:
        desk.merge(["project_b", "project_a"])
    assert refused.value.stable_code == "edge_cycle"
    assert desk.merge(["project_a", "project_b"]).changed


def test_a_lineage_past_the_limit_is_refused(desk: Desk) -> None:
    chain = [add(desk, f"project_chain_{number}") for number in range(34)]
    for older, newer in itertools.pairwise(chain[:33]):
        desk.supersede(older, by=newer)
    with pytest.raises(ErrMemoryEdgeChainTooDeep):
        desk.merge([chain[33], chain[32]])


@pytest.mark.parametrize(("refs", "given", "error"), [
    (["project_a"], {}, UsageError),
    (["project_a", "project_a"], {}, UsageError),
    (["project_a", "project_b"], {"into": "project_c"}, UsageError),
    (["project_a", "project_b"], {"fields": {"name": "left"}}, UsageError),
    (["project_a", "project_b"], {"fields": {"body": {"text": "x", "y": 1}}}, UsageError),
    (["project_a", "project_b"], {"fields": {"body": 3}}, UsageError),
    (["project_a", "project_b"], {"fields": {"body": "project_c"}}, InvalidValue),
    (["project_a", "project_b"], {"fields": {"body": {"text": " "}}}, InvalidValue),
])  # fmt: skip
def test_what_makes_no_merge_is_refused(
    desk: Desk, refs: list[str], given: dict[str, Any], error: type[Exception]
) -> None:
    before = len(list(desk.store.events()))
    with pytest.raises(error):
        desk.merge(refs, **given)
    assert len(list(desk.store.events())) == before


def test_the_deleted_and_the_replaced_are_not_merged(desk: Desk) -> None:
    desk.delete("project_c")
    with pytest.raises(InvalidValue, match="deleted"):
        desk.merge(["project_a", "project_c"])
    with pytest.raises(InvalidValue, match="not current"):
        desk.merge(["project_c", "project_a"])
    desk.supersede("project_b", by="project_a")
    add(desk, "d")
    with pytest.raises(InvalidValue, match="replaced already"):
        desk.merge(["project_d", "project_b"])


def test_a_member_that_changed_meanwhile_is_not_merged(desk: Desk) -> None:
    entry = desk.find("project_b")
    desk.edit("project_b", fields={"body": "New."})
    with pytest.raises(Stale):
        desk.merge(["project_a", "project_b"], expected={entry.id: {"body": entry.body}})
    assert state(desk, "b") is State.ACTIVE


def test_the_digest_and_the_search_show_the_survivor_at_once(desk: Desk) -> None:
    for name, body in (("keep", "Trigram search."), ("gone", "Postgres trigrams: slowpath.")):
        add(desk, name, body, klass="thread", status="carry_forward", initiative=name)
    desk.merge(["project_keep", "project_gone"])
    shown = desk.get_relevant("me", count=False).block
    assert "About keep" in shown and "About gone" not in shown
    assert [hit.entry_row.name for hit in desk.search("slowpath", workspace="me").hits] == ["project_keep"]


def test_a_live_thread_that_goes_into_the_log_is_told(desk: Desk) -> None:
    add(desk, "live", klass="thread", status="open")
    notes = desk.merge_plan(["project_a", "project_live"]).notes
    assert notes == ("project_live stands under “Open threads”, project_a stays under “What we know”",)


@pytest.mark.parametrize(("role", "fields", "asks"), [
    (Role.ORCHESTRATOR, None, False),
    (Role.ORCHESTRATOR, {"body": "right"}, True),
    (Role.SPECIALIST, None, True),
])  # fmt: skip
def test_an_agent_asks_before_text_is_replaced(
    desk: Desk, tmp_path: Path, role: Role, fields: dict[str, str] | None, asks: bool
) -> None:
    with Desk.open(tmp_path / "store", Actor("agent:x", role)) as agent:
        if not asks:
            assert agent.merge(["project_a", "project_b"], fields=fields).changed
            return
        with pytest.raises(NeedsApproval) as waits:
            agent.merge(["project_a", "project_b"], fields=fields)
    request = desk.request(waits.value.extra["request_id"])
    assert state(desk, "b") is State.ACTIVE
    desk.mark_request_shown(request)
    desk.approve(request.request_id)
    assert state(desk, "b") is State.SUPERSEDED
    assert desk.find("project_a").body == ("Shared.\n\nOnly b." if fields else "Shared.\n\nOnly a.\n\nOnly b.")


def test_an_agent_asks_before_it_absorbs_a_decision(desk: Desk, tmp_path: Path) -> None:
    add(desk, "decision_x", "Shared.")
    with Desk.open(tmp_path / "store", Actor("agent:x", Role.ORCHESTRATOR)) as agent:
        with pytest.raises(NeedsApproval, match="decision"):
            agent.merge(["project_a", "decision_x"])
        assert agent.merge(["decision_x", "project_c"]).changed, "a decision may take something in"


def test_relating_two_takes_them_out_of_the_queue_in_one_operation(desk: Desk) -> None:
    receipt = desk.relate("project_a", "project_b")
    assert any(kind == "related_to" for _, kind, _ in edges(desk))
    assert [(v.judged.verdict, v.holds) for v in desk.verdicts()] == [("different", True)]
    assert desk.undo().changed and not edges(desk) and not desk.verdicts()
    assert receipt.op_id is not None


def test_the_owner_of_a_decision_that_an_agent_touched_can_be_asked(desk: Desk, tmp_path: Path) -> None:
    add(desk, "decision_x", "The cache is on.")
    assert desk.why_not_ask("project_a", "project_b") == "None of them is a decision; settle it here."
    assert "No agent" in desk.why_not_ask("decision_x", "project_a")
    with Desk.open(tmp_path / "store", Actor("agent:x", Role.ORCHESTRATOR)) as agent:
        agent.add(name="atom_new", body="The cache is off.", description="Off", workspace="me")
    receipt = desk.ask_owner("decision_x", "atom_new", why="on against off")
    (request,) = desk.requests()
    assert "on against off" in request.payload["rationale"] and receipt.op_id is not None
    assert "asked already" in desk.why_not_ask("atom_new", "decision_x")
    desk.mark_request_shown(request)
    desk.approve(request.request_id)
    assert desk.find("decision_x").state is State.SUPERSEDED


def test_an_agent_asks_before_a_merge_adds_what_contradicts_a_decision(desk: Desk, tmp_path: Path) -> None:
    add(desk, "decision_x", "The cache is on.")
    body = desk.find("project_a").body
    text = {"text": f"{body}\n\nThe cache is off."}
    with (
        Desk.open(tmp_path / "store", Actor("agent:x", Role.ORCHESTRATOR)) as agent,
        pytest.raises(NeedsApproval, match="contradicts"),
    ):
        agent.merge(["project_a", "project_b"], fields={"body": text})
    assert desk.find("project_a").body == body


def test_texts_that_contradict_each_other_do_not_both_go_into_the_survivor(desk: Desk) -> None:
    add(desk, "on", "The nightly image prune is enabled on all nodes.")
    add(desk, "off", "The nightly image prune is disabled on all nodes since the incident of the 20th.")
    assert desk.merge_plan(["project_off", "project_on"]).patch.get("body") is None
    desk.merge(["project_off", "project_on"])
    kept = desk.find("project_off").body
    assert "disabled" in kept and "enabled" not in kept
    desk.undo()
    both = desk.merge(["project_off", "project_on"], fields={"body": "both"}).entries
    assert any("enabled" in e.body and "disabled" in e.body for e in both), "what is chosen is done"


def test_whether_a_long_list_says_more_looks_only_at_lines_that_could_hold_it() -> None:
    from memdesk.core import wording

    looked = []
    real = wording._runs_through
    one = "\n".join(f"Shard {n} is kept on node {n % 7} of the rack" for n in range(2_000))
    other = "\n".join(f"Shard {n} is held on node {n % 7} of the rack" for n in range(2_000))
    try:
        wording._runs_through = lambda said, line: bool(looked.append(1)) or real(said, line)  # type: ignore[assignment]
        assert wording.says_more(one, other)
        assert not wording.says_more(one, one)
        assert not wording.says_more("Shard 1 is kept", one)
    finally:
        wording._runs_through = real
    assert len(looked) < 10_000
