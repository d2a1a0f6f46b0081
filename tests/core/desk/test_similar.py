"""The conflict queue and the verdicts on it: found exactly, proposed, never acted on (DESIGN 6, CASES "Duplicates")."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.desk.conflicting import Conflicts
from memdesk.core.desk.holding import Verdicts
from memdesk.core.desk.queue import Lane, Row, nodes_of
from memdesk.core.errors import InvalidValue, NeedsApproval, Stale, StoreLocked, UsageError
from memdesk.core.events import from_record
from memdesk.core.hosts import Hosts
from memdesk.core.similarity.running import Stopped
from memdesk.core.store import Store
from memdesk.core.store.pairs import Judged, KeptText

AsRole = Callable[..., Desk]


def add(desk: Desk, name: str, body: str, **given: Any) -> Any:
    return desk.add(**{"name": name, "body": body, "description": None, "workspace": "lab", **given})


def names(found: Conflicts, row: Row) -> set[str]:
    return {found.entries[i].name for i in row.entry_ids}


def queue(desk: Desk, **given: Any) -> list[tuple[str, set[str]]]:
    found = desk.conflicts(**given)
    return [(str(row.kind), names(found, row)) for row in found.rows]


CACHE = "The build cache of the staging host is warmed by the nightly job before the first deploy."
CACHE_2 = "The build cache of the staging host is warmed by the nightly job ahead of the first deploy."


@pytest.fixture
def twins(desk: Desk) -> Desk:
    add(desk, "atom_cache_one", CACHE)
    add(desk, "atom_cache_two", CACHE_2)
    return desk


# -- what is in the queue -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The build image of the service runs on Node 18.", "The build image of the service runs on Node 20."),
        ("The limit of the public gateway is 100 req/min.", "The limit of the public gateway is 1000 req/min."),
        ("Use tabs in the makefiles of every service.", "Do not use tabs in the makefiles of every service."),
        ("The prune job of the lab database is enabled.", "The prune job of the lab database is disabled."),
    ],
)
def test_what_contradicts_is_never_a_near_duplicate(desk: Desk, one: str, other: str) -> None:
    add(desk, "atom_a", one)
    add(desk, "decision_b", other)
    found = desk.conflicts()
    assert [(row.kind, row.offered) for row in found.rows] == [(Lane.CONTRADICTION, False)]
    assert found.rows[0].members[0].findings[0].reason in found.reason(found.rows[0])
    assert queue(desk, kind="duplicate") == []
    assert queue(desk, kind="contradiction") == [("contradiction", {"atom_a", "decision_b"})]


def test_the_findings_of_a_member_are_seen_from_its_side(desk: Desk) -> None:
    bodies = {add(desk, "atom_a", "The prune job of the lab database is enabled.").entry.id: "enabled",
              add(desk, "atom_b", "The prune job of the lab database is disabled.").entry.id: "disabled"}  # fmt: skip
    for _ in range(2):  # made anew, and as kept
        (row,) = desk.conflicts().rows
        for member in row.members:
            assert bodies[member.texts[0].entry_id] in member.findings[0].left.split(".")[0]


def test_what_chose_something_else_is_not_offered(desk: Desk) -> None:
    add(desk, "decision_cache_choice", "Chose SQLite over Postgres for the cache of the desk service.")
    add(desk, "decision_vector_choice", "Chose fastembed over OpenAI for the cache of the desk service.")
    assert not any(row.offered for row in desk.conflicts().rows)


def test_forty_copies_are_one_row_with_a_count(desk: Desk) -> None:
    for number in range(40):
        add(desk, f"atom_copy_{number}", "The agent stored this in a loop, again and again.")
    add(desk, "atom_other", "Nothing to do with it.")
    found = desk.conflicts()
    (row,) = found.rows
    assert (row.count, len(row.members), row.offered, row.score) == (40, 1, True, 1.0)
    assert found.reason(row) == "the same text 40 times"
    assert found.pairs == 0
    assert queue(desk)[0][1] == {f"atom_copy_{n}" for n in range(40)}


@pytest.mark.parametrize("other", [f"{CACHE}  \n", CACHE.replace(" ", "\u00a0"), CACHE.replace("d by", "d\r\nby")])
def test_white_space_makes_no_other_text(desk: Desk, other: str) -> None:
    add(desk, "atom_a", CACHE)
    add(desk, "atom_b", other)
    (row,) = desk.conflicts().rows
    assert (row.count, len(row.members)) == (2, 1)


def test_the_same_words_in_another_order_are_no_copies(desk: Desk) -> None:
    add(desk, "atom_a", "Staging replaces production in the runbook.", workspace="lab")
    add(desk, "atom_a", "Production replaces staging in the runbook.", workspace="me")
    found = desk.conflicts(all_workspaces=True)
    assert all(len(row.members) == 2 for row in found.rows)
    assert found.pairs == 1


def test_near_copies_and_copies_are_one_group(twins: Desk) -> None:
    add(twins, "atom_cache_three", CACHE)
    (row,) = twins.conflicts().rows
    assert row.count == 3
    assert sorted(len(member.texts) for member in row.members) == [1, 2]
    (copies,) = [member.texts for member in row.members if len(member.texts) == 2]
    assert copies[0].entry_id == twins.find("atom_cache_one").id, "the oldest leads"


def test_what_is_replaced_deleted_or_a_comment_is_not_compared(twins: Desk) -> None:
    assert len(twins.conflicts().rows) == 1
    twins.comment("atom_cache_one", CACHE)
    assert [r[1] for r in queue(twins)] == [{"atom_cache_one", "atom_cache_two"}]
    twins.supersede("atom_cache_one", by="atom_cache_two")
    assert queue(twins) == []
    twins.undo()
    assert len(queue(twins)) == 1
    twins.delete("atom_cache_two")
    assert queue(twins) == []
    twins.restore("atom_cache_two")
    assert len(queue(twins)) == 1


def test_workspaces_are_compared_alone_unless_asked(desk: Desk) -> None:
    add(desk, "atom_a", CACHE)
    add(desk, "atom_b", CACHE, workspace="me")
    add(desk, "atom_c", CACHE_2, workspace="me")
    assert queue(desk) == [("duplicate", {"atom_b", "atom_c"})]
    assert queue(desk, workspace="lab") == []
    assert queue(desk, workspace="me") == [("duplicate", {"atom_b", "atom_c"})]
    assert queue(desk, all_workspaces=True) == [("duplicate", {"atom_a", "atom_b", "atom_c"})]


def test_the_threshold_is_strict_and_may_go_below_what_is_kept(desk: Desk) -> None:
    add(desk, "atom_a", "alpha beta gamma delta epsilon zeta eta", type="atom")
    add(desk, "atom_b", "alpha beta theta iota kappa lambda mu", type="atom")
    score = desk.evidence("atom_a", "atom_b").score
    assert 0.1 < score < 0.3
    assert queue(desk) == []
    assert queue(desk, threshold=score) == []
    assert len(queue(desk, threshold=score - 0.01)) == 1


@pytest.mark.parametrize("threshold", [-0.1, 1, 3])
def test_a_threshold_outside_is_refused(desk: Desk, threshold: float) -> None:
    with pytest.raises(UsageError):
        desk.conflicts(threshold=threshold)
    with pytest.raises(UsageError):
        desk.similar(text="x y", threshold=threshold)


def test_an_unknown_kind_is_refused(desk: Desk) -> None:
    with pytest.raises(UsageError):
        desk.conflicts(kind="merge")


def test_a_second_look_scores_and_compares_nothing(twins: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = twins.conflicts()
    assert first.rescored.scored == 2
    monkeypatch.setattr("memdesk.core.desk.conflicting.compare", lambda *_: pytest.fail("compared again"))
    again = twins.conflicts()
    assert (again.rescored.read, again.rescored.scored, again.rescored.pairs) == (0, 0, 0)
    assert again.rows == first.rows


def test_one_call_compares_so_many_and_says_what_is_left(desk: Desk) -> None:
    for number in range(6):
        add(desk, f"atom_n{number}", f"{CACHE} Seen by watcher w{number}.")
    first = desk.conflicts(most=10)
    assert (first.pairs, first.uncompared) == (15, 5)
    second = desk.conflicts(most=10)
    assert (second.pairs, second.uncompared) == (15, 0)


def test_progress_and_stopping(twins: Desk) -> None:
    parts: list[float] = []
    twins.conflicts(progress=parts.append)
    assert parts == sorted(parts)
    with pytest.raises(Stopped):
        twins.conflicts(stop=lambda: True)


def test_reading_writes_nothing_to_the_log(twins: Desk) -> None:
    before = [e.event_id for e in twins.store.events()]
    twins.conflicts()
    twins.similar("atom_cache_one")
    assert [e.event_id for e in twins.store.events()] == before


def test_a_store_that_cannot_be_written_gives_the_same(twins: Desk) -> None:
    add(twins, "atom_copy", CACHE)
    wanted = queue(twins, all_workspaces=True)
    near = [(a.entry.name, a.score, a.same) for a in twins.similar("atom_cache_one")]
    twins.store.forget_texts()
    with Store.open(twins.store.folder, read_only=True) as store:
        reader = Desk(store, Actor("user:ana", Role.USER), Hosts(store), twins.config)
        assert queue(reader, all_workspaces=True) == wanted
        assert sorted((a.entry.name, a.score, a.same) for a in reader.similar("atom_cache_one")) == sorted(near)
        assert store.count_texts() == 0


def test_json_has_gaias_keys(twins: Desk) -> None:
    data = json.loads(json.dumps(twins.conflicts().as_json()))
    (row,) = data["conflicts"]
    assert {row["file_a"], row["file_b"]} == {"lab/atom_cache_one", "lab/atom_cache_two"}
    assert row["score"] == round(row["score"], 4) > 0.5
    assert row["reason"]
    assert [len(member["ids"]) for member in row["members"]] == [1, 1]


# -- search before you write ----------------------------------------------------------------------------------------


def test_similar_to_an_entry_to_a_text_and_to_nothing(twins: Desk) -> None:
    add(twins, "atom_far", "Reviews need two people and a plan.")
    add(twins, "atom_cache_elsewhere", CACHE, workspace="me")
    assert [a.entry.name for a in twins.similar("atom_cache_one")] == ["atom_cache_two"]
    assert {a.entry.name for a in twins.similar("atom_cache_one", all_workspaces=True)} == {
        "atom_cache_two", "atom_cache_elsewhere",
    }  # fmt: skip
    by_text = twins.similar(text=CACHE, workspace="lab")
    assert [(a.entry.name, a.same) for a in by_text] == [("atom_cache_one", True), ("atom_cache_two", False)]
    assert by_text[0].score == 1.0 > by_text[1].score > 0.5
    assert twins.similar(text="nobody ever wrote such words") == []
    assert len(twins.similar(text=CACHE, limit=1)) == 1
    json.dumps([a.as_json() for a in by_text])


def test_similar_says_what_contradicts(desk: Desk) -> None:
    add(desk, "atom_a", "The prune job of the lab database is enabled.")
    (found,) = desk.similar(text="The prune job of the lab database is disabled.")
    assert (found.contradicts, found.duplicate) == (True, False)


@pytest.mark.parametrize("given", [{}, {"ref": "atom_cache_one", "text": "x"}])
def test_similar_needs_one_of_the_two(twins: Desk, given: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        twins.similar(**given)


def test_a_blank_text_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidValue):
        desk.similar(text=" \n")


def hints(receipt: Any) -> list[str]:
    return [w for w in receipt.warnings if "nearly the same" in w]


def test_add_names_near_matches_and_never_refuses(desk: Desk) -> None:
    assert hints(add(desk, "atom_a", CACHE)) == []
    assert hints(add(desk, "atom_far", "Reviews need two people and a plan.")) == []
    (said,) = hints(add(desk, "atom_b", CACHE_2))
    assert "1 entry says" in said and "atom_a" in said
    (said,) = hints(add(desk, "atom_c", CACHE))
    assert "2 entries say" in said and "atom_a (the same text)" in said
    for name in "defg":
        add(desk, f"atom_{name}", CACHE)
    (said,) = hints(add(desk, "atom_h", CACHE))
    assert "7 entries say" in said and "and 4 more" in said
    assert hints(add(desk, "atom_i", CACHE, workspace="me")) == []


def test_add_says_what_it_contradicts(desk: Desk) -> None:
    add(desk, "atom_a", "The prune job of the lab database is enabled.")
    (said,) = hints(add(desk, "atom_b", "The prune job of the lab database is disabled."))
    assert "atom_a (contradicts: " in said


def test_add_stands_when_the_look_around_fails(twins: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(*_: Any, **__: Any) -> int:
        raise StoreLocked("Another process holds the lock.")

    monkeypatch.setattr(twins.store, "read_texts", locked)
    receipt = add(twins, "atom_third", CACHE)
    assert receipt.action == "inserted"
    assert hints(receipt) == []


# -- verdicts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def judged(twins: Desk) -> Iterator[Desk]:
    twins.judge("atom_cache_one", "atom_cache_two", "different")
    yield twins


def test_a_verdict_takes_a_pair_out_until_either_text_changes(judged: Desk) -> None:
    found = judged.conflicts()
    assert (found.rows, found.settled) == ((), 1)
    judged.edit("atom_cache_two", fields={"body": f"{CACHE_2} \n"})
    assert queue(judged) == [], "white space is no change"
    judged.reclassify("atom_cache_two", klass="log")
    judged.rename("atom_cache_two", "atom_cache_too")
    assert queue(judged) == [], "nor is a class or a name"
    judged.edit("atom_cache_too", fields={"body": f"{CACHE_2} Always."})
    assert len(queue(judged)) == 1
    (shown,) = judged.verdicts()
    assert (shown.judged.verdict, shown.holds) == ("different", False)


@pytest.mark.parametrize(
    ("verdict", "lanes", "offered"),
    [
        ("different", [], []),
        ("keep_both", [], []),
        ("keep-both", [], []),
        ("duplicate", ["duplicate"], [True]),
        ("contradiction", ["contradiction"], [False]),
        ("later", ["duplicate"], [True]),
    ],
)
def test_each_verdict(twins: Desk, verdict: str, lanes: list[str], offered: list[bool]) -> None:
    receipt = twins.judge("atom_cache_two", "atom_cache_one", verdict)
    assert receipt.action == "judged"
    rows = twins.conflicts().rows
    assert [row.kind for row in rows] == lanes
    assert [row.offered for row in rows] == offered
    assert [m.verdict for row in rows for m in row.members] == [verdict] * 2 * len(rows)


def test_what_is_put_off_comes_last(twins: Desk) -> None:
    add(twins, "atom_far_one", "Reviews need two people and a plan for the night before a release.")
    add(twins, "atom_far_two", "Reviews need two people and a plan for the day before a release party.")
    first = queue(twins)
    assert len(first) == 2
    closest = sorted(first[0][1])
    twins.judge(*closest, "later")
    assert queue(twins) == [first[1], first[0]]


def test_a_person_overrules_what_was_found(desk: Desk) -> None:
    add(desk, "atom_a", "The prune job of the lab database is enabled.")
    add(desk, "atom_b", "The prune job of the lab database is disabled.")
    desk.judge("atom_a", "atom_b", "duplicate")
    assert [(row.kind, row.offered) for row in desk.conflicts().rows] == [(Lane.DUPLICATE, True)]


def test_a_verdict_holds_for_copies_and_copies_can_be_kept_on_purpose(judged: Desk) -> None:
    add(judged, "atom_cache_copy", CACHE)
    (row,) = judged.conflicts().rows
    assert (len(row.members), row.count) == (1, 2)
    add(judged, "atom_cache_third", CACHE)
    judged.judge_group(["atom_cache_one", "atom_cache_copy", "atom_cache_third"], "keep_both")
    assert queue(judged) == []
    add(judged, "atom_cache_fourth", CACHE)
    (row,) = judged.conflicts().rows
    assert row.count == 2


def test_a_group_without_one_of_it(desk: Desk) -> None:
    for name in ("ann", "bob", "cid"):
        add(desk, f"atom_{name}", f"{CACHE} Seen by watcher {name}.")
    assert queue(desk) == [("duplicate", {"atom_ann", "atom_bob", "atom_cid"})]
    desk.judge("atom_cid", "atom_ann", "different")
    desk.judge("atom_bob", "atom_cid", "different")
    assert queue(desk) == [("duplicate", {"atom_ann", "atom_bob"})]


def test_withdrawing_undoing_and_judging_again(judged: Desk) -> None:
    assert judged.judge("atom_cache_one", "atom_cache_two", "different").action == "noop"
    judged.unjudge("atom_cache_two", "atom_cache_one")
    assert (len(queue(judged)), judged.verdicts()) == (1, [])
    assert judged.unjudge("atom_cache_two", "atom_cache_one").action == "noop"
    judged.undo()
    assert [v.judged.verdict for v in judged.verdicts()] == ["different"]
    assert queue(judged) == []
    judged.undo()
    assert judged.verdicts() == []
    judged.redo()
    assert [v.judged.verdict for v in judged.verdicts()] == ["different"]
    assert judged.store.check() == []


def test_verdicts_are_listed_with_who_and_when(judged: Desk, agent: Desk) -> None:
    (shown,) = judged.verdicts(workspace="lab")
    data = shown.as_json()
    assert {data["one"]["ref"], data["other"]["ref"]} == {"lab/atom_cache_one", "lab/atom_cache_two"}
    assert (data["verdict"], data["by"], data["holds"]) == ("different", "user:ana", True)
    assert judged.verdicts(workspace="me") == []
    judged.delete("atom_cache_one")
    assert len(agent.verdicts()) == 1


def test_judging_what_the_caller_no_longer_sees_is_refused(twins: Desk) -> None:
    (row,) = twins.conflicts().rows
    seen = {text.entry_id: text.content for member in row.members for text in member.texts}
    twins.edit("atom_cache_one", fields={"body": "Something else by now."})
    with pytest.raises(Stale):
        twins.judge("atom_cache_one", "atom_cache_two", "duplicate", seen=seen)
    assert twins.verdicts() == []


@pytest.mark.parametrize(("a", "b", "verdict"), [
    ("atom_cache_one", "atom_cache_one", "different"), ("atom_cache_one", "atom_cache_two", "equal"),
])  # fmt: skip
def test_wrong_use(twins: Desk, a: str, b: str, verdict: str) -> None:
    with pytest.raises(UsageError):
        twins.judge(a, b, verdict)


def test_a_specialist_proposes_a_verdict(twins: Desk, specialist: Desk) -> None:
    with pytest.raises(NeedsApproval) as caught:
        specialist.judge("atom_cache_one", "atom_cache_two", "different")
    assert len(queue(twins)) == 1
    row = twins.request(caught.value.extra["request_id"])
    twins.mark_request_shown(row)
    twins.approve(row.request_id)
    assert queue(twins) == []


def test_an_erased_entry_takes_its_verdicts_along(judged: Desk) -> None:
    entry = judged.find("atom_cache_one")
    judged.delete(entry.id)
    judged.erase(entry.id, confirm=f"DELETE {entry.id}")
    assert judged.verdicts() == []
    assert queue(judged) == []
    assert judged.store.check() == []


def test_evidence_and_alignment(twins: Desk) -> None:
    found = twins.evidence("atom_cache_one", "atom_cache_two")
    assert found.left_only and found.right_only and found.score > 0.5
    (one,) = twins.aligned("atom_cache_one", "atom_cache_two")
    assert one.left == (0, len(CACHE))
    assert twins.differences("atom_cache_one", "atom_cache_one") == []


def test_the_settings_add_opposites_to_what_the_queue_sees(store: Store) -> None:
    a = "Builds for the desk run on the frob runner each night."
    b = a.replace("frob", "twid")
    plain = Desk(store, Actor("user:ana"), Hosts(store), Config())
    words = {"antonyms": [["frob", "twid"]]}
    taught = Desk(store, Actor("user:ana"), Hosts(store), Config(contradiction=words))
    for name, body in (("atom_a", a), ("atom_b", b)):
        plain.add(name=name, body=body, description="Export", workspace="lab")
    assert [r.kind for r in plain.conflicts(workspace="lab").rows] != ["contradiction"]
    assert [r.kind for r in taught.conflicts(workspace="lab").rows] == ["contradiction"]
    assert any(f.lane == "conflict" for f in taught.differences("atom_a", "atom_b"))


def test_thousands_of_copies_are_not_compared_with_each_other_for_verdicts() -> None:
    looked: list[str] = []

    class Counting(Verdicts):
        def on(self, one: KeptText, other: KeptText) -> str:
            looked.append(other.entry_id)
            return super().on(one, other)

    texts = [KeptText(n, None if n == 1 else 1, 5, "the same", n, f"id{n:04}", "lab") for n in range(1, 2001)]
    event = from_record({"event_id": f"evt_{'0' * 26}", "type": "desk.verdict", "timestamp": "2026-01-01T00:00:00Z",
                         "agent_id": "user:ana"})  # fmt: skip
    said = [Judged("id0001", "id0007", "different", "the same", "the same", event),
            Judged("id0002", "id0003", "later", "the same", "the same", event)]  # fmt: skip
    nodes = nodes_of(texts, Counting(said, {t.entry_id: t.content for t in texts}), across=False)
    assert len(looked) <= len(texts)
    (kept,) = nodes.texts.values()
    assert len(kept) == 1999 and "id0007" not in {t.entry_id for t in kept}
    assert nodes.verdicts == {1: "later"}
