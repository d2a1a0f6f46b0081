"""What becomes of a request, verb by verb: settled elsewhere, gone, approved, undone, approved again (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.desk.deciding import METHODS
from memdesk.core.errors import InvalidValue, NeedsApproval, Stale
from memdesk.core.model import Entry

Wish = Callable[[Desk], Any]
TOKEN = "DELETE {}"

#: verb -> who has to ask for it, and how
WISHES: dict[str, tuple[str, Wish]] = {
    "add": ("specialist", lambda d: d.add(
        name="atom_x", body="New.", description="x", tags=["t"], klass="thread", status="open", workspace="lab")),
    "add over it": ("agent", lambda d: d.add(name="decision_a", body="New.", title="T", workspace="lab")),
    "create": ("specialist", lambda d: d.create(
        kind="atom", title="T", oneline="o", full="New.", name="atom_x", workspace="lab")),
    "append": ("specialist", lambda d: d.append("decision_a", "More.")),
    "edit": ("agent", lambda d: d.edit(
        "decision_a", fields={"body": "New.", "title": None}, klass="thread", status="open", audience="executor",
        initiative="x", project_ref="git/x", add_tags=["t"], rm_tags=["old"])),
    "clear the initiative": ("agent", lambda d: d.edit("decision_k", initiative=None)),
    "reclassify": ("specialist", lambda d: d.reclassify(["decision_a", "decision_b"], klass="log")),
    "link": ("specialist", lambda d: d.link("decision_a", "related_to", "decision_b")),
    "unlink": ("specialist", lambda d: d.unlink("decision_k", "child_of", "decision_a")),
    "supersede": ("agent", lambda d: d.supersede("decision_a", by="decision_b")),
    "delete": ("agent", lambda d: d.delete(["decision_a", "decision_b"], reason="old")),
    "restore": ("agent", lambda d: d.restore("decision_gone")),
    "rename": ("agent", lambda d: d.rename("decision_a", "decision_new")),
    "move": ("agent", lambda d: d.move_workspace(["decision_a", "decision_b"], "me")),
    "checkpoint": ("specialist", lambda d: d.checkpoint(
        {"resumen": {"name": "project_p", "type": "project", "body": "R.", "description": "r"},
         "pendientes": [{"name": "project_q", "body": "P.", "description": "q"}]}, workspace="lab")),
    "graduate": ("specialist", lambda d: d.graduate("project_t", anchor={
        "name": "atom_g", "body": "Learnt.", "description": "g"})),
    "graduate into": ("specialist", lambda d: d.graduate("project_t", into="decision_a")),
    "verdict": ("specialist", lambda d: d.judge("decision_a", "decision_b", "different")),
    "merge": ("agent", lambda d: d.merge(["decision_b", "decision_a"], fields={"body": {"text": "Both."}})),
    "mend": ("specialist", lambda d: d.mend(
        remove=[(d.find("decision_k").id, "child_of", d.find("decision_a").id)],
        add=[(d.find("decision_k").id, "child_of", d.find("decision_b").id)])),
    "comment": ("specialist", lambda d: d.comment("decision_a", "A thought.")),
    "erase": ("agent", lambda d: d.erase(d.find("decision_a").id, TOKEN.format(d.find("decision_a").id))),
}  # fmt: skip


@pytest.fixture
def desk(desk: Desk) -> Desk:
    place = {"workspace": "lab"}
    desk.add(name="decision_a", body="Old.", description="a", tags=["old"], **place)
    desk.add(name="decision_b", body="Another matter.", description="b", **place)
    desk.add(name="decision_k", body="Kept.", description="k", initiative="x", **place)
    desk.link("decision_k", "child_of", "decision_a")
    desk.add(name="decision_gone", body="Gone.", description="g", **place)
    desk.delete("decision_gone")
    desk.add(name="project_t", body="Work.", description="t", klass="thread", status="open", **place)
    return desk


def ask(verb: Callable[[], Any]) -> str:
    with pytest.raises(NeedsApproval) as caught:
        verb()
    return str(caught.value.extra["request_id"])


def shown(desk: Desk) -> dict[str, Any]:
    """What a reader sees."""
    found, names = {}, {}
    for (entry_id,) in desk.store.db.execute("SELECT id FROM entries WHERE creation_undone = 0").fetchall():
        entry = desk.store.entry(entry_id)
        assert entry is not None
        names[entry_id] = entry.ref
        found[entry.ref] = (
            entry.klass, entry.status, entry.state, entry.title, entry.description, entry.body, entry.tags,
            entry.initiative, entry.project_ref, entry.audience,
        )  # fmt: skip
    edges = sorted((names[a], kind, names[b]) for a, kind, b in (e.key for e in desk.store.edges()))
    return {"entries": found, "edges": edges, "verdicts": len(desk.verdicts())}


def approve(desk: Desk, request_id: str) -> Any:
    row = desk.request(request_id)
    desk.mark_request_shown(row)
    return desk.approve(request_id, token=TOKEN.format(row.refs[0]) if row.verb == "erase" else None)


def test_every_verb_that_can_be_asked_for_is_tried() -> None:
    # `retire` asks for a deletion, `comment` for what `create` makes.
    tried = {w.split()[0] for w in WISHES} - {"clear", "move"} | {"move-workspace", "retire"}
    assert tried == set(METHODS)


@pytest.mark.parametrize("wish", WISHES)
def test_approved_undone_and_approved_again(request: pytest.FixtureRequest, desk: Desk, wish: str) -> None:
    who, verb = WISHES[wish]
    asker = request.getfixturevalue(who)
    before = shown(desk)
    request_id = ask(lambda: verb(asker))
    row = desk.request(request_id)
    assert (desk.request_state(row), desk.why_not_ready(row)) == ("ready", ())
    approve(desk, request_id)
    after = shown(desk)
    assert after != before and desk.request(request_id).status == "approved"
    if wish == "erase":
        return
    desk.undo()
    assert shown(desk) == before
    row = desk.request(request_id)
    assert (row.status, desk.request_state(row), desk.why_not_ready(row)) == ("pending", "ready", ())
    desk.redo()
    assert shown(desk) == after and desk.request(request_id).status == "approved"
    desk.undo()
    approve(desk, request_id)
    assert shown(desk) == after
    assert desk.store.check() == []


@pytest.mark.parametrize("wish", WISHES)
def test_what_somebody_else_did_meanwhile_is_settled(request: pytest.FixtureRequest, desk: Desk, wish: str) -> None:
    who, verb = WISHES[wish]
    asker = request.getfixturevalue(who)
    request_id = ask(lambda: verb(asker))
    verb(desk)
    done = shown(desk)
    row = desk.request(request_id)
    if wish == "comment":
        assert desk.request_state(row) == "ready", "two comments may say the same"
        return
    if wish == "erase":
        assert row.status == "withdrawn"
        return
    assert desk.request_state(row) == "settled"
    (why,) = desk.why_not_ready(row)
    assert why.endswith(("already.", "there."))
    with pytest.raises(Stale, match="settled"):
        approve(desk, request_id)
    with pytest.raises(InvalidValue) as caught:
        desk.rebase_request(request_id)
    assert caught.value.stable_code == "settled"
    assert shown(desk) == done
    desk.drop(request_id)
    assert why in str(asker.request(request_id).reason)
    desk.undo()
    desk.undo()
    row = desk.request(request_id)
    assert (row.status, desk.request_state(row)) == ("pending", "ready"), "what had settled it was taken back"


@pytest.mark.parametrize("wish", [w for w in WISHES if w not in ("add", "create", "checkpoint")])
def test_without_an_entry_that_it_needs_it_is_gone(request: pytest.FixtureRequest, desk: Desk, wish: str) -> None:
    who, verb = WISHES[wish]
    asker = request.getfixturevalue(who)
    request_id = ask(lambda: verb(asker))
    row = desk.request(request_id)
    needed = row.refs[0] if row.refs else str(row.args["parent"])
    entry = desk.store.entry(needed)
    assert entry is not None
    if len(row.refs) == 1:  # an erase takes the text of such a request with it
        creation = next(e.op_id for e in desk.store.events_of(needed) if e.type == "memory.create")
        for op in [o.op_id for o in desk.log(None, entry_id=needed) if o.op_id != creation and o.undone_by is None]:
            desk.undo(op) if desk.logged(op).verb != "request" else None
        desk.undo(creation)
        wanted = f"The creation of {entry.name} was undone."
    else:
        desk.erase(needed, TOKEN.format(needed))
        wanted = f"The entry {needed} is erased."
    row = desk.request(request_id)
    assert (row.status, desk.request_state(row)) == ("pending", "gone")
    assert wanted in desk.why_not_ready(row)
    assert not desk.plan_rebase(request_id).possible
    with pytest.raises(Stale, match="gone"):
        approve(desk, request_id)
    assert desk.drop(request_id).action == "rejected"


def test_many_states_at_once_are_those_of_each(
    request: pytest.FixtureRequest, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {w: ask(lambda w=w: WISHES[w][1](request.getfixturevalue(WISHES[w][0]))) for w in WISHES}  # type: ignore[misc]
    desk.edit("decision_a", fields={"body": "Changed.", "title": "T"})
    desk.supersede("decision_a", by="decision_b")
    desk.add(name="atom_x", body="Other.", description="x", workspace="lab")
    desk.undo()
    desk.reject(asked["rename"], "no")
    rows = desk.requests(None)
    found = desk.request_states(rows)
    assert found == {row.request_id: desk.request_state(row) for row in rows}
    assert {"ready", "stale", "settled", "rejected"} == set(found.values())
    assert all(bool(desk.why_not_ready(row)) is (found[row.request_id] != "ready") for row in rows)
    # However many there are, the store is asked as often; only links between linked entries are each looked at.
    rows = [row for row in rows if row.verb not in ("link", "supersede")]
    counted: list[str] = []
    desk.store.db.set_trace_callback(counted.append)
    desk.request_states(rows)
    few = len(counted)
    counted.clear()
    desk.request_states(rows * 20)
    desk.store.db.set_trace_callback(None)
    assert len(counted) <= few


@pytest.mark.parametrize("decide", ["reject", "drop", "withdraw"])
def test_undoing_any_decision_makes_it_wait_again(desk: Desk, agent: Desk, decide: str) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New."}))
    if decide == "drop":
        desk.edit("decision_a", fields={"body": "Other."})
    receipt = {
        "reject": lambda: desk.reject(request_id, "no"), "drop": lambda: desk.drop(request_id),
        "withdraw": lambda: agent.withdraw(request_id),
    }[decide]()  # fmt: skip
    assert desk.request(request_id).status == ("withdrawn" if decide == "withdraw" else "rejected")
    assert receipt.op_id is not None
    desk.undo(receipt.op_id)
    row = desk.request(request_id)
    assert (row.status, row.decided_by, row.reason) == ("pending", None, None)
    desk.reject(request_id, "Still no.")
    assert desk.request(request_id).reason == "Still no."


def test_a_batch_does_what_is_ready_and_read_and_says_why_not_else(desk: Desk, agent: Desk) -> None:
    ids = {
        "ready": ask(lambda: agent.edit("decision_a", fields={"title": "T"})),
        "unread": ask(lambda: agent.edit("decision_b", fields={"title": "T"})),
        "stale": ask(lambda: agent.edit("decision_k", fields={"body": "New."})),
        "erase": ask(lambda: agent.erase(e := desk.find("project_t").id, TOKEN.format(e))),
        "too": ask(lambda: agent.delete("decision_b")),
    }
    for name in ("ready", "stale", "erase", "too"):
        desk.mark_request_shown(desk.request(ids[name]))
    desk.edit("decision_k", fields={"body": "Other."})
    before = len(desk.log(None))
    outcomes = dict(zip(ids, desk.approve_many([*ids.values(), ids["ready"]]), strict=True))
    assert {n: o.done for n, o in outcomes.items()} == {
        "ready": True, "unread": False, "stale": False, "erase": False, "too": True,
    }  # fmt: skip
    assert "decision_a" in outcomes["ready"].words and "shown" in outcomes["unread"].words
    assert "stale" in outcomes["stale"].words and "token" in outcomes["erase"].words
    assert len(desk.log(None)) == before + 2, "each is an operation of its own"
    assert desk.find("project_t").state == "active"
    receipt = outcomes["ready"].receipt
    assert receipt is not None
    desk.undo(receipt.op_id)
    assert desk.find("decision_a").title is None and desk.find("decision_b").state == "purged"


def test_requests_are_found_by_their_words(desk: Desk, agent: Desk, specialist: Desk) -> None:
    ids = [
        ask(lambda: agent.edit("decision_a", fields={"body": "Über den Zähler."}, rationale="Count anew.")),
        ask(lambda: specialist.add(name="atom_x", body="x", description="x", workspace="me")),
        ask(lambda: agent.delete("decision_b")),
    ]
    assert desk.request_keys() == ids
    assert desk.request_keys(text="zähler ÜBER") == desk.request_keys(text="count") == [ids[0]]
    assert desk.request_keys(text="atom_x") == desk.request_keys(workspace="me") == [ids[1]]
    assert desk.request_keys(text="agent:one") == [ids[0], ids[2]]
    assert desk.request_keys(text="decision_b delete") == [ids[2]]
    assert desk.request_keys(text="decision_b zähler") == []
    assert [r.request_id for r in desk.requests_of([ids[2], "req_none", ids[0]])] == [ids[2], ids[0]]


def test_why_it_is_not_ready_names_the_entry_where_there_are_several(desk: Desk, agent: Desk) -> None:
    request_id = ask(lambda: agent.delete(["decision_a", "decision_b"]))
    desk.edit("decision_b", fields={"title": "T"}, add_tags=["t"])
    desk.delete("decision_a")
    at = desk.log(2)[1].timestamp
    assert set(desk.why_not_ready(desk.request(request_id))) == {
        "decision_a is deleted.", "The tags of decision_b changed.",
        f"The title of decision_b was changed by user:ana on {at[:10]} at {at[11:16]} UTC.",
    }  # fmt: skip
    desk.reject(request_id, "No.")
    assert desk.why_not_ready(desk.request(request_id)) == ("It was rejected by user:ana: No.",)


def test_an_entry_changed_and_changed_back_says_what_was_asked_about(desk: Desk, agent: Desk) -> None:
    request_id = ask(lambda: agent.edit("decision_a", fields={"body": "New.", "description": "n"}))
    old: Entry = desk.find("decision_a")
    for fields in ({"body": "x", "description": "x"}, {"body": old.body, "description": old.description}):
        desk.edit("decision_a", fields=fields)
    assert desk.request_state(desk.request(request_id)) == "ready"
    desk.append("decision_a", "More.")
    assert desk.request_state(desk.request(request_id)) == "stale"
    desk.undo()
    assert desk.request_state(desk.request(request_id)) == "ready"


#: what is asked for, the link that comes meanwhile, and what then says why
FORBIDDEN: dict[str, tuple[Wish, tuple[str, str, str], str]] = {
    "a circle": (lambda d: d.supersede("decision_a", by="decision_b"), ("decision_a", "supersedes", "decision_b"),
                 "would close a circle"),
    "a longer circle": (lambda d: d.link("decision_a", "derived_from", "decision_b"),
                        ("decision_b", "derived_from", "decision_a"), "would close a circle"),
    "two parents": (lambda d: d.link("decision_b", "child_of", "decision_a"), ("decision_b", "child_of", "decision_k"),
                    "decision_b is already part of decision_k"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORBIDDEN)
def test_a_link_that_a_rule_forbids_by_now_is_stale(desk: Desk, specialist: Desk, case: str) -> None:
    wish, meanwhile, why = FORBIDDEN[case]
    request_id = ask(lambda: wish(specialist))
    row = desk.request(request_id)
    assert desk.request_state(row) == "ready" and desk.why_not_ready(row) == ()
    desk.link(*meanwhile, force=True)
    assert desk.request_states([row]) == {request_id: "stale"}
    said = desk.why_not_ready(row)[-1]
    assert why in said and desk.review(row).why[-1] == said
    assert (desk.plan_rebase(request_id).code, desk.plan_rebase(request_id).cannot) == ("cannot_rebase", said)
    desk.mark_request_shown(row)
    with pytest.raises(Stale):
        desk.approve(request_id)
    desk.undo()
    assert desk.request_state(row) == "ready"
    desk.redo()
    desk.drop(request_id)
    assert said in (desk.request(request_id).reason or "")
