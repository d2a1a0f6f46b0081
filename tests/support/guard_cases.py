"""The guard's cases: for every verb the ways to call it on one entry, and the row of DESIGN 4 that it stands in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from guard_rows import (
    AWAY,
    SPECIALIST,
    USER,
    Case,
    against_decision,
    at_once,
    decides,
    decides_there,
    grows,
    persons,
    reads,
    registers,
    replaces_it,
    t3,
    threads_only,
)

from memdesk.core.desk import Desk
from memdesk.core.events import EDIT
from memdesk.core.model import DERIVED_FROM, RELATED_TO, SUPERSEDES, Entry

NOTHING = frozenset[str]()
AGAINST = "The query cache is disabled in production for all read endpoints of the shop."
DECIDED = ("decision_cache", "The query cache is enabled in production for all read endpoints of the shop.")


def _read(verb: str, call: Callable[..., Any], before: Any = None, label: str = "") -> Case:
    return Case(verb, label, reads, NOTHING, call, before)


def _look(verb: str, call: Callable[[Desk], Any], label: str = "") -> Case:
    """A reading of the whole store."""
    return Case(verb, label, reads, NOTHING, lambda d, it, got: call(d), whole=True)


def _fresh(it: Entry) -> str:
    return f"{it.type}_fresh_{it.klass}"


def _episode(person: Desk, desk: Desk, it: Entry) -> str:
    return person.add_episode("Incident", "It happened.", workspace="me").id


READS = [
    _read("show", lambda d, it, got: d.show(it.id)),
    _read("list", lambda d, it, got: list(d.list_entries(workspace="me", status="all").entries())),
    _read("search", lambda d, it, got: d.search(it.name)),
    _read("history", lambda d, it, got: d.history(it.id)),
    _read("story", lambda d, it, got: (d.story(it.id), d.lineage_story(it.id))),
    _look("stats", lambda d: d.stats(workspace="me")),
    _look("get-relevant", lambda d: d.get_relevant("me")),
    _read("get-relevant", lambda d, it, got: d.get_relevant("me", types=[it.type]), label="by type"),
    _read("episode-show", lambda d, it, got: d.episode(got), _episode),
    _read("log", lambda d, it, got: d.log(entry_id=it.id)),
    _look("diff", lambda d: d.changed_between("1d")),
    _look("status", lambda d: d.status()),
    _look("hosts", lambda d: d.list_hosts()),
    _look("workspace", lambda d: d.workspaces()),
    _look("workspace list", lambda d: d.workspaces()),
    _look("project", lambda d: d.projects()),
    _look("project list", lambda d: d.projects()),
    _read("similar", lambda d, it, got: d.similar(it.id)),
    _look("similar", lambda d: d.similar(text=AGAINST), "to a text"),
    _look("conflicts", lambda d: d.conflicts(workspace="me")),
    _look("verdicts", lambda d: d.verdicts(workspace="me")),
    _look("export", lambda d: d.graph_of()),
    _look("export graph", lambda d: d.graph_of(workspace="me")),
    _read("tree", lambda d, it, got: d.edge_tree(it.id)),
    _look("batch", lambda d: d.batch([]), "of nothing"),
    _look("pull", lambda d: d.pull()),
    _look("push", lambda d: d.push()),
    _read("episode-add", lambda d, it, got: d.add_episode("Turn", "What it came to.", workspace="me")),
]


# -- growing --------------------------------------------------------------------------------------------------------


def _add(d: Desk, it: Entry, got: Any = None, **more: Any) -> Any:
    """An `add` of the entry's own name that leaves what is not given."""
    return d.add(**{"name": it.name, "body": it.body, "description": it.description, "workspace": "me", **more})


def _add_new(d: Desk, it: Entry, got: Any = None, **more: Any) -> Any:
    told = {"body": "Saw a heron at the lake this morning.", "description": "Heron"}
    return d.add(**{"name": _fresh(it), "klass": str(it.klass), "workspace": "me", **told, **more})


def _create(d: Desk, it: Entry, got: Any = None, **more: Any) -> Any:
    told = {"kind": it.type, "title": f"Herons of {it.klass}", "oneline": "Herons are back"}
    return d.create(**{**told, "workspace": "me", **more})


def _checkpoint(d: Desk, it: Entry, got: Any = None, *, pending: str = "Count the herons.", **more: Any) -> Any:
    record = {"name": _fresh(it), "type": it.type, "body": "The lake was mapped.", "description": "Lake", **more}
    left = {"name": f"{it.type}_left_{it.klass}", "body": pending, "description": "Left to do"}
    return d.checkpoint({"resumen": record, "pendientes": [left]}, workspace="me")


def _reclassified(role: str, it: Entry) -> set[str]:
    return {"class", "status"} if it.klass == "thread" else {"class"}


def _graduate(d: Desk, it: Entry, got: Any, body: str = "The lake is mapped.", name: str = "atom_lake") -> Any:
    return d.graduate(it.id, anchor={"name": name, "body": body, "description": "Lake"})


def _replace_edge(person: Desk, desk: Desk, it: Entry) -> Any:
    return person.supersede(it.id, by="atom_partner")


def _mend(d: Desk, it: Entry, got: Any, **edges: Any) -> Any:
    partner = d.find("atom_partner").id
    return d.mend(**{how: [(partner, kind, it.id)] for how, kind in edges.items()})


REPLACED = frozenset({f"+{SUPERSEDES}", "state"})
GROWING = [
    Case("add", "a new name", grows, frozenset({"+entry"}), _add_new, new=True),
    Case("add", "a new name, against a decision", against_decision, frozenset({"+entry"}),
         partial(_add_new, body=AGAINST), new=True),
    Case("add", "other text", t3, frozenset({"body"}), partial(_add, body="Something else.")),
    Case("add", "other description", t3, frozenset({"description"}), partial(_add, description="Something else")),
    Case("add", "another initiative", t3, frozenset({"initiative"}), partial(_add, initiative="elsewhere")),
    Case("add", "another project", t3, frozenset({"project_ref"}), partial(_add, project_ref="/repos/else/.git")),
    Case("add", "another audience", t3, frozenset({"audience"}), partial(_add, audience="executor")),
    Case("add", "a title where there was none", grows, frozenset({"title"}), partial(_add, title="Lake")),
    Case("add", "a title against a decision", against_decision, frozenset({"title"}), partial(_add, title=AGAINST)),
    Case("add", "a tag", grows, frozenset({"+tag"}), partial(_add, tags=["water"])),
    Case("add", "nothing new", grows, NOTHING, _add),
    Case("add", "a deleted name", lambda role, it: "invalid", NOTHING, _add, lambda p, d, it: p.delete(it.id)),
    Case("create", "", grows, frozenset({"+entry"}), _create, new=True),
    Case("create", "against a decision", against_decision, frozenset({"+entry"}), partial(_create, full=AGAINST),
         new=True),
    Case("create", "as a part of it", grows, frozenset({"+entry", "+child_of"}),
         lambda d, it, got: _create(d, it, kind="atom", parent=it.id)),
    Case("append", "", grows, frozenset({"body"}), lambda d, it, got: d.append(it.id, "Seen again at noon.")),
    Case("append", "against a decision", against_decision, frozenset({"body"}),
         lambda d, it, got: d.append(it.id, AGAINST)),
    Case("reclassify", "", grows, _reclassified,
         lambda d, it, got: d.reclassify(it.id, klass="anchor" if it.klass == "log" else "log")),
    Case("reclassify", "a status", grows, lambda role, it: {"status"} if it.klass == "thread" else {"class", "status"},
         lambda d, it, got: d.reclassify(it.id, klass="thread", status="closed")),
    Case("graduate", "", threads_only(grows), frozenset({"status"}), lambda d, it, got: d.graduate(it.id)),
    Case("graduate", "into one that is there", threads_only(grows), frozenset({"status", "+graduated_to"}),
         lambda d, it, got: d.graduate(it.id, into="atom_partner")),
    Case("graduate", "into a new one", threads_only(grows), frozenset({"status", "+entry", "+graduated_to"}),
         _graduate),
    Case("graduate", "into a new one, against a decision", threads_only(against_decision),
         frozenset({"status", "+entry", "+graduated_to"}), partial(_graduate, body=AGAINST)),
    Case("graduate", "over the text of one", threads_only(t3), None, partial(_graduate, name="atom_partner")),
    Case("link", "", grows, frozenset({f"+{RELATED_TO}"}),
         lambda d, it, got: d.link(it.id, RELATED_TO, "atom_partner")),
    Case("link", "a word of one's own", grows, frozenset({"+cites"}),
         lambda d, it, got: d.link(it.id, "cites", "atom_partner")),
    Case("link", "something replaces it", replaces_it, REPLACED,
         lambda d, it, got: d.link("atom_partner", SUPERSEDES, it.id)),
    Case("link", "it replaces something", grows, REPLACED, lambda d, it, got: d.link(it.id, SUPERSEDES, "atom_root")),
    Case("link", "it replaces a decision", against_decision, REPLACED,
         lambda d, it, got: d.link(it.id, "SUPERSEDES", "decision_first")),
    Case("link", "it replaces a newer decision", against_decision, REPLACED,
         lambda d, it, got: d.link(it.id, SUPERSEDES, "decision_last", force=True)),
    Case("link", "related, from the queue", grows, frozenset({f"+{RELATED_TO}"}),
         lambda d, it, got: d.relate(it.id, "atom_partner")),
    Case("unlink", "", grows, frozenset({f"-{RELATED_TO}"}),
         lambda d, it, got: d.unlink(it.id, RELATED_TO, "atom_root"),
         lambda p, d, it: p.link(it.id, RELATED_TO, "atom_root")),
    Case("unlink", "what replaces it", grows, frozenset({f"-{SUPERSEDES}"}),
         lambda d, it, got: d.unlink("atom_partner", SUPERSEDES, it.id), _replace_edge),
    Case("supersede", "", replaces_it, REPLACED, lambda d, it, got: d.supersede(it.id, by="atom_partner")),
    Case("supersede", "a decision by it", against_decision, REPLACED,
         lambda d, it, got: d.supersede("decision_first", by=it.id)),
    Case("supersede", "several at once", at_once(replaces_it), REPLACED,
         lambda d, it, got: d.replace("atom_partner", [it.id, "atom_root"])),
    Case("comment", "", grows, frozenset({"+entry", "+child_of"}), lambda d, it, got: d.comment(it.id, "A heron, too."),
         asks="create"),
    Case("comment", "against a decision", against_decision, frozenset({"+entry", "+child_of"}),
         lambda d, it, got: d.comment(it.id, AGAINST), asks="create"),
    Case("checkpoint", "", grows, frozenset({"+entry", f"+{DERIVED_FROM}"}), _checkpoint, new=True),
    Case("checkpoint", "against a decision", against_decision, frozenset({"+entry", f"+{DERIVED_FROM}"}),
         partial(_checkpoint, body=AGAINST), new=True),
    Case("checkpoint", "pending work against a decision", against_decision,
         frozenset({"+entry", f"+{DERIVED_FROM}"}), partial(_checkpoint, pending=AGAINST), new=True),
    Case("checkpoint", "over a text", t3, None, lambda d, it, got: _checkpoint(d, it, name=it.name)),
    Case("judge", "", grows, NOTHING, lambda d, it, got: d.judge(it.id, "atom_partner", "different"), asks="verdict"),
    Case("judge", "taken back", grows, NOTHING, lambda d, it, got: d.unjudge(it.id, "atom_partner"),
         lambda p, d, it: p.judge(it.id, "atom_partner", "different"), asks="verdict"),
    Case("verdict", "on a group", grows, NOTHING,
         lambda d, it, got: d.judge_group([it.id, "atom_partner", "atom_root"], "duplicate")),
    Case("judge", "against each of several", at_once(grows), NOTHING,
         lambda d, it, got: d.judge_each(it.id, [d.find("atom_partner").id, d.find("atom_root").id], "different")),
    Case("merge", "it is absorbed", replaces_it, None,
         lambda d, it, got: d.merge([it.id, "atom_partner"], into="atom_partner")),
    Case("merge", "it absorbs", grows, None, lambda d, it, got: d.merge([it.id, "atom_partner"], into=it.id)),
    Case("merge", "it absorbs a decision", against_decision, None,
         lambda d, it, got: d.merge([it.id, "decision_first"], into=it.id)),
    Case("merge", "over its text", t3, None,
         lambda d, it, got: d.merge([it.id, "atom_partner"], into=it.id, fields={"body": {"text": "Only this."}})),
    Case("mend", "a link goes", grows, frozenset({"-derived_from"}), partial(_mend, remove="derived_from"),
         lambda p, d, it: p.link("atom_partner", DERIVED_FROM, it.id)),
    Case("mend", "it is replaced", replaces_it, REPLACED, partial(_mend, add=SUPERSEDES)),
    Case("batch", "append", grows, frozenset({"body"}),
         lambda d, it, got: d.batch([{"op": "append", "ref": it.id, "text": "Noon."}]), asks="append"),
    Case("batch", "supersede", replaces_it, REPLACED,
         lambda d, it, got: d.batch([{"op": "supersede", "old": it.id, "by": "atom_partner"}]), asks="supersede"),
    Case("batch", "edit", t3, frozenset({"body"}),
         lambda d, it, got: d.batch([{"op": "edit", "ref": it.id, "fields": {"body": "Else."}}]), asks="edit"),
    Case("batch", "delete", t3, frozenset({"state"}),
         lambda d, it, got: d.batch([{"op": "delete", "ref": it.id}]), asks="delete"),
]  # fmt: skip


# -- what waits for a person, and what is a person's ----------------------------------------------------------------


def _restored(d: Desk, it: Entry, got: Any) -> Any:
    return d.restore_version(it.id, got)


def _reworded(person: Desk, desk: Desk, it: Entry) -> str:
    person.edit(it.id, fields={"description": "Newer words"})
    return person.history(it.id)[1][0].event_id


def _lost(person: Desk, desk: Desk, it: Entry) -> str:
    """The id of an edit that was overwritten by one which had not seen it."""
    seen = person.store.folded(it.id).base("description")  # type: ignore[union-attr]
    lost = person.edit(it.id, fields={"description": "The lost words"})
    with person.operation("edit", "Edited elsewhere") as op:
        patch = {"description": "The other words"}
        op.write(EDIT, {"memory_id": it.id, "patch": patch, "base": {"description": seen}})
    return next(e.event_id for e in person.store.events_of_op(str(lost.op_id)) if e.type == EDIT)


T3S = [
    Case("edit", "the lost wording taken", t3, frozenset({"description"}),
         lambda d, it, got: d.settle(it.id, got, "theirs"), _lost),
    Case("edit", "the lost wording left", t3, NOTHING, lambda d, it, got: d.settle(it.id, got, "ours"), _lost),
    Case("edit", "the lost wording kept as a comment", t3, frozenset({"+entry", "+child_of"}),
         lambda d, it, got: d.settle(it.id, got, "comment"), _lost),
    Case("edit", "", t3, frozenset({"body"}), lambda d, it, got: d.edit(it.id, fields={"body": "Other words."})),
    Case("edit", "only tags", t3, frozenset({"+tag", "-tag"}),
         lambda d, it, got: d.edit(it.id, add_tags=["water"], rm_tags=["old"])),
    Case("edit", "audience", t3, frozenset({"audience"}), lambda d, it, got: d.edit(it.id, audience="executor")),
    Case("edit", "back to active", t3, frozenset({"state"}), lambda d, it, got: d.edit(it.id, state="active"),
         _replace_edge),
    Case("edit", "an older version", t3, frozenset({"description"}), _restored, _reworded),
    Case("delete", "", t3, frozenset({"state"}), lambda d, it, got: d.delete(it.id)),
    Case("retire", "", t3, frozenset({"state"}), lambda d, it, got: d.retire(session=f"s_{it.name}", derived=False),
         asks="delete"),
    Case("restore", "", t3, frozenset({"state"}), lambda d, it, got: d.restore(it.id),
         lambda p, d, it: p.delete(it.id)),
    Case("erase", "", t3, None, lambda d, it, got: d.erase(it.id, f"DELETE {it.id}")),
    Case("rename", "", t3, frozenset({"name"}), lambda d, it, got: d.rename(it.id, f"{it.type}_renamed_{it.klass}"),
         new=True),
    Case("move-workspace", "", t3, frozenset({"workspace"}), lambda d, it, got: d.move_workspace([it.id], "other")),
]  # fmt: skip


def _done_by_another(person: Desk, desk: Desk, it: Entry) -> str:
    other = person.beside("user:bob")  # type: ignore[attr-defined]
    return str(other.append(it.id, "By Bob.").op_id)


def _undone_by_another(person: Desk, desk: Desk, it: Entry) -> str:
    other = person.beside("user:bob")  # type: ignore[attr-defined]
    other.append(it.id, "By Bob.")
    return str(other.undo().op_id)


def _by_the_person(person: Desk, desk: Desk, it: Entry) -> str:
    return str(person.append(it.id, "By Ana.").op_id)


def _own(person: Desk, desk: Desk, it: Entry) -> Any:
    """Something of the actor's own: of a specialist a request is all there can be."""
    from memdesk.core.errors import NeedsApproval

    try:
        return desk.append(it.id, "By oneself.").op_id
    except NeedsApproval as waits:
        return waits.extra["request_id"]


def _own_undone(person: Desk, desk: Desk, it: Entry) -> Any:
    _own(person, desk, it)
    return desk.undo().op_id


def _mine(role: str, it: Entry) -> set[str]:
    return set() if role == SPECIALIST else {"body"}


def _in_that_name(role: str, it: Entry) -> str:
    return "allowed" if role in (USER, AWAY) else "invalid"


def _asked(person: Desk, desk: Desk, it: Entry) -> str:
    """The id of a request about the entry that waits and that the reviewer has been shown."""
    from memdesk.core.errors import NeedsApproval

    agent = person.beside("agent:asker", "orchestrator")  # type: ignore[attr-defined]
    try:
        agent.edit(it.id, fields={"description": "As the agent has it"}, rationale="It is wrong.")
    except NeedsApproval as waits:
        row = person.request(waits.extra["request_id"])
        for reviewer in (person, desk):
            reviewer.mark_request_shown(row)
        return row.request_id
    raise AssertionError("an agent edited alone")


def _by_an_agent(person: Desk, desk: Desk, it: Entry) -> str:
    agent = person.beside("agent:asker", "orchestrator")  # type: ignore[attr-defined]
    return str(agent.append(it.id, "By an agent.").op_id)


def _proposal(it: Entry) -> dict[str, Any]:
    """As an agent's contract holds it (gaia/SPEC 9.2)."""
    one = {"operation": "append", "target": {"slug": it.name}, "append": {"body": "More."}, "rationale": "It grew."}
    return {"memory_delta": {"version": 1, "proposals": [one]}}


def _own_request(person: Desk, desk: Desk, it: Entry) -> str:
    """A request of the actor's own; a proposal waits whatever the role."""
    return str(desk.propose(_proposal(it), workspace="me").results[0]["request_id"])


def _moved(person: Desk, desk: Desk, it: Entry) -> str:
    """A stale request of somebody else."""
    request_id = _asked(person, desk, it)
    person.edit(it.id, fields={"description": "Meanwhile"})
    return request_id


def _own_moved(person: Desk, desk: Desk, it: Entry) -> str:
    request_id = _own_request(person, desk, it)
    person.edit(it.id, fields={"body": "Meanwhile."})
    return request_id


PERSONS = [
    Case("undo", "one's own", reads, _mine, lambda d, it, got: d.undo(), _own),
    Case("undo", "another's", persons, frozenset({"body"}), lambda d, it, got: d.undo(got), _done_by_another),
    Case("undo", "the newest of a person in whose name it acts", _in_that_name, frozenset({"body"}),
         lambda d, it, got: d.undo(), _by_the_person, persons_name=True),
    Case("undo", "one of a person in whose name it acts", persons, frozenset({"body"}),
         lambda d, it, got: d.undo(got), _by_the_person, persons_name=True),
    Case("redo", "one's own", reads, _mine, lambda d, it, got: d.redo(), _own_undone),
    Case("redo", "another's", persons, frozenset({"body"}), lambda d, it, got: d.undo(got), _undone_by_another),
    Case("workspace add", "", registers, NOTHING, lambda d, it, got: d.add_workspace("lake")),
    Case("project add", "", registers, NOTHING, lambda d, it, got: d.add_project("lake", workspace="me", remote="https://example.org/lake.git")),
    Case("episode-add", "in a new workspace", registers, NOTHING,
         lambda d, it, got: d.add_episode("Turn", "It went well.", workspace="lake", create_workspace=True)),
    Case("attach", "", lambda role, it: "invalid" if role in (USER, AWAY) else "refused", NOTHING,
         lambda d, it, got: d.attach("gaia", "/nowhere/gaia.db")),
    Case("detach", "", lambda role, it: "invalid" if role in (USER, AWAY) else "refused", NOTHING,
         lambda d, it, got: d.detach("gaia")),
    Case("pull --force", "", persons, NOTHING, lambda d, it, got: d.pull(force=True)),
    Case("requests", "", reads, NOTHING, lambda d, it, got: d.requests(), _asked),
    Case("requests list", "", reads, NOTHING, lambda d, it, got: d.requests(None), _asked),
    Case("requests show", "", reads, NOTHING, lambda d, it, got: d.request_state(d.request(got)), _asked),
    Case("requests wait", "", reads, NOTHING, lambda d, it, got: d.request(got).status, _asked),
    Case("requests approve", "", decides, frozenset({"description"}), lambda d, it, got: d.approve(got), _asked),
    Case("requests approve", "with edits", decides, frozenset({"description"}),
         lambda d, it, got: d.approve(got, edited={"description": "As the person has it"}), _asked),
    Case("requests approve", "one that a host keeps", decides_there, NOTHING,
         lambda d, it, got: d.decide_host_approval("P-1", True)),
    Case("requests reject", "", decides, NOTHING, lambda d, it, got: d.reject(got, "It is right."), _asked),
    Case("requests drop", "", decides, NOTHING, lambda d, it, got: d.drop(got), _moved),
    Case("requests review", "", decides, frozenset({"description"}), lambda d, it, got: d.approve_many([got]), _asked),
    Case("requests withdraw", "another's", decides, NOTHING, lambda d, it, got: d.withdraw(got), _asked),
    Case("requests withdraw", "one's own", reads, NOTHING, lambda d, it, got: d.withdraw(got), _own_request),
    Case("propose", "", reads, NOTHING, lambda d, it, got: d.propose(_proposal(it), workspace="me"), asks="append"),
    Case("propose", "what hosts keep", lambda role, it: "invalid", NOTHING, lambda d, it, got: d.take_proposals(),
         whole=True),
    Case("veto", "", reads, NOTHING, lambda d, it, got: d.agents_work(), _by_an_agent),
    Case("veto list", "", reads, NOTHING, lambda d, it, got: (d.agents_work(), d.kept_work()), _by_an_agent),
    Case("veto show", "", reads, NOTHING, lambda d, it, got: d.preview_undo(got), _by_an_agent),
    Case("veto take-back", "", persons, frozenset({"body"}), lambda d, it, got: d.veto(got), _by_an_agent),
    Case("veto keep", "", persons, NOTHING, lambda d, it, got: d.keep_work(got), _by_an_agent),
]  # fmt: skip

WORDING = [
    Case("requests edit", "another's", persons, NOTHING,
         lambda d, it, got: d.edit_request(got, {"description": "Reworded"}), _asked),
    Case("requests edit", "one's own", reads, NOTHING, lambda d, it, got: d.edit_request(got, {"text": "Reworded."}),
         _own_request),
    Case("requests rebase", "another's", persons, NOTHING,
         lambda d, it, got: d.rebase_request(got, fields={"description": "Both"}), _moved),
    Case("requests rebase", "one's own", reads, NOTHING, lambda d, it, got: d.rebase_request(got), _own_moved),
]  # fmt: skip

CASES = [*READS, *GROWING, *T3S, *PERSONS, *WORDING]

#: Verbs of the table without a command and a desk method so far; the table says already what they will be.
NOT_BUILT = frozenset({"sweep", "doctor", "doctor --fix", "sync", "sync set-up", "import"})
#: They open the screen, whose every action is one of the verbs here.
SCREENS = frozenset({"desk", "demo"})
