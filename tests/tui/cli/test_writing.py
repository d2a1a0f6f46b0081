"""Flags of the writing commands -> what is stored, and the keys of their answers (gaia/SPEC 4, both seeds)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from command_line import Cli

#: command line -> the entry to look at and the values it must have afterwards
EFFECTS: list[tuple[str, str, dict[str, Any]]] = [
    ("add --name=atom_a --type=atom --body=B --description=D --workspace=me", "me/atom_a",
     {"body": "B", "description": "D", "klass": "anchor", "status": None, "type": "atom", "audience": "any"}),
    ("add atom_a --body=B --workspace=me", "me/atom_a", {"body": "B", "description": None}),
    ("add atom_a --body=B --oneline=D --short=S --title=T --tag=x,y --add-tag=z --workspace=me", "me/atom_a",
     {"description": "D", "summary": "S", "title": "T", "tags": ("x", "y", "z")}),
    ("add atom_a --body=B --class=thread --workspace=me", "me/atom_a", {"klass": "thread", "status": "carry_forward"}),
    ("add atom_a --body=B --class=thread --status=open --workspace=me", "me/atom_a", {"status": "open"}),
    ("add atom_a --body=B --class=log --status=null --workspace=me", "me/atom_a", {"klass": "log", "status": None}),
    ("add feedback_a --body=B --workspace=me", "me/feedback_a", {"klass": "log"}),
    ("add atom_a --body=B --audience=executor --initiative='Big Thing' --workspace=me", "me/atom_a",
     {"audience": "executor", "initiative": "big_thing"}),
    ("add atom_a --body=B --project=x", "me/atom_a", {"project_ref": "/repos/x/.git", "initiative": "x"}),
    ("add atom_a --body=B --project-ref=/else --workspace=me", "me/atom_a", {"project_ref": "/else"}),
    ("add atom_a --body=B --workspace=fresh --create-workspace", "fresh/atom_a", {"workspace": "fresh"}),
    ("add atom_a --body=B --workspace=me --session-id=s1", "me/atom_a", {"origin_session_id": "s1"}),
    ("--session-id=s2 add atom_a --body=B --workspace=me", "me/atom_a", {"origin_session_id": "s2"}),
    ("--actor=agent:scout add atom_a --body=B --workspace=me", "me/atom_a", {"created_by": "agent:scout"}),
    ("add decision_db --body=Postgres. --workspace=me", "decision_db",
     {"body": "Postgres.", "description": "Database"}),
    ("add decision_db --body=SQLite. --description='' --workspace=me", "decision_db", {"description": None}),
    ("create --kind=atom --title='A thing' --oneline=One --short=S --full=F --tag=t --workspace=me", "atom_a_thing",
     {"title": "A thing", "description": "One", "summary": "S", "body": "F", "tags": ("t",)}),
    ("create --kind=atom --title=T --oneline=One --workspace=me", "atom_t", {"body": "One"}),
    ("create --kind=comment --title=T --oneline=One --parent=decision_db", "comment_t",
     {"workspace": "me", "klass": "log"}),
    ("append decision_db --body=More.", "decision_db", {"body": "SQLite.\n\nMore.", "description": "Database"}),
    ("edit decision_db --body=New.", "decision_db", {"body": "New."}),
    ("edit decision_db --full=New.", "decision_db", {"body": "New."}),
    ("edit --name=decision_db --field=body --content=New.", "decision_db", {"body": "New."}),
    ("edit --name=decision_db --field=description --content=New.", "decision_db", {"description": "New."}),
    ("edit --name=decision_db --field=oneline --content=New.", "decision_db", {"description": "New."}),
    ("edit --name=decision_db --field=short --content=New.", "decision_db", {"summary": "New."}),
    ("edit decision_db --description=''", "decision_db", {"description": None, "body": "SQLite."}),
    ("edit decision_db --title=T --short=S --add-tag=a --add-tag=b", "decision_db",
     {"title": "T", "summary": "S", "tags": ("a", "b")}),
    ("edit me/atom_port --rm-tag=net", "me/atom_port", {"tags": ()}),
    ("edit decision_db --class=thread --status=open", "decision_db", {"klass": "thread", "status": "open"}),
    ("edit project_run --status=closed", "project_run", {"status": "closed"}),
    ("edit project_run --class=anchor --status=null", "project_run", {"klass": "anchor", "status": None}),
    ("edit decision_db --audience=orchestrator", "decision_db", {"audience": "orchestrator"}),
    ("edit decision_db --project=x", "decision_db", {"project_ref": "/repos/x/.git"}),
    ("edit decision_db --project-ref=/y", "decision_db", {"project_ref": "/y"}),
    ("edit project_run --initiative=other", "project_run", {"initiative": "other"}),
    ("edit project_run --initiative=null", "project_run", {"initiative": None}),
    ("edit decision_db --status=purged", "decision_db", {"state": "purged"}),
    ("edit --append decision_db --body=More.", "decision_db", {"body": "SQLite.\n\nMore."}),
    ("reclassify project_run --status=graduated", "project_run", {"status": "graduated"}),
    ("reclassify project_run --class=log", "project_run", {"klass": "log", "status": None}),
    ("reclassify me/atom_port decision_db --class=thread --status=open", "decision_db", {"status": "open"}),
    ("graduate project_run", "project_run", {"status": "graduated", "klass": "thread"}),
    ("graduate project_run --into=decision_db", "project_run", {"status": "graduated"}),
    ("graduate project_run --name=atom_learnt --body=Known. --description=D", "atom_learnt",
     {"body": "Known.", "klass": "anchor", "initiative": "launch"}),
    ("delete decision_db --yes --reason=noise", "decision_db", {"state": "purged"}),
    ("delete me/atom_port other/atom_port", "other/atom_port", {"state": "purged"}),
    ("rename decision_db decision_store", "decision_store", {"type": "decision"}),
    ("rename decision_db atom_db", "atom_db", {"type": "atom"}),
    ("move-workspace decision_db --to=other", "decision_db", {"workspace": "other"}),
    ("move-workspace --from=me --to=third --name=decision_db --create-workspace", "decision_db",
     {"workspace": "third"}),
    ("supersede decision_db --by=me/atom_port", "decision_db", {"state": "superseded"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "ref", "values"), EFFECTS, ids=[e[0] for e in EFFECTS])
def test_flags_are_stored_and_undo_takes_them_back(cli: Cli, line: str, ref: str, values: dict[str, Any]) -> None:
    before = {e.id: (e.body, e.klass, e.status, e.state, e.name) for e in _everything(cli)}
    done = cli.ok(line)
    entry = cli.entry(ref)
    assert {k: getattr(entry, k) for k in values} == values
    assert "Undo with memdesk undo." in done.out
    # Plain undo takes back what the same actor did.
    cli.ok("undo", *re.findall(r"--actor=\S+", line))
    after = {e.id: (e.body, e.klass, e.status, e.state, e.name) for e in _everything(cli)}
    assert {k: v for k, v in after.items() if k in before} == before
    assert all(state == "purged" for k, (_, _, _, state, _) in after.items() if k not in before)


def _everything(cli: Cli) -> list[Any]:
    with cli.desk() as desk:
        return list(desk.list_entries(status="all").entries())


COMMON = {"status", "action", "op_id", "verb", "summary", "changed", "flagged", "warnings", "undo"}

#: command line -> keys that Gaia answers with (gaia/SPEC 4) besides the common ones, and some values
ANSWERS: list[tuple[str, set[str], dict[str, Any]]] = [
    ("add atom_a --body=B --description=D --workspace=me",
     {"id", "name", "type", "description", "workspace", "body_preview", "updated_at", "class", "memory_status",
      "project_ref", "initiative", "audience"}, {"status": "applied", "action": "inserted", "body_preview": "B"}),
    ("add decision_db --body=X --workspace=me", {"id", "body_preview"}, {"action": "updated"}),
    ("add decision_db --body=SQLite. --workspace=me", {"id"}, {"action": "noop", "op_id": None, "undo": None}),
    ("create --kind=atom --title=T --oneline=O --workspace=me", {"id", "name"}, {"action": "inserted"}),
    ("append decision_db --body=B", {"id", "name", "workspace", "field", "updated_at"},
     {"action": "appended", "field": "body"}),
    ("edit decision_db --body=B", {"name", "workspace", "field_update", "reclassify", "reanchor", "audience"},
     {"reclassify": None, "reanchor": None, "audience": None}),
    ("edit decision_db --project=x --audience=executor", {"reanchor", "audience"}, {
        "reanchor": {"before_project_ref": None, "after_project_ref": "/repos/x/.git"},
        "audience": {"before_audience": "any", "after_audience": "executor"}, "field_update": None}),
    ("edit project_run --status=closed", {"reclassify"}, {"field_update": None}),
    ("reclassify project_run --status=closed", {"workspace", "name", "class", "memory_status", "updated_at", "entries"},
     {"class": "thread", "memory_status": "closed"}),
    ("link me/atom_port related_to decision_db", {"workspace", "src_name", "dst_name", "kind", "created_at"},
     {"action": "inserted", "src_name": "atom_port", "dst_name": "decision_db", "kind": "related_to"}),
    ("link me/atom_port decision_db --kind=relates_to", {"kind"}, {"kind": "related_to"}),
    ("unlink me/atom_port related_to decision_db", {"src_name"}, {"action": "noop", "changed": False}),
    ("supersede decision_db --by me/atom_port", {"src_name"}, {"src_name": "atom_port", "kind": "supersedes"}),
    ("delete decision_db", {"deleted", "mode", "name", "workspace", "previous_type"},
     {"deleted": True, "mode": "tombstone", "previous_type": "decision"}),
    ("restore decision_db", {"state"}, {"action": "noop"}),
    ("rename decision_db decision_store", {"before_name"}, {"before_name": "decision_db", "name": "decision_store"}),
    ("comment decision_db --body=Yes", {"id", "name"}, {"name": "comment_decision_db", "type": "comment"}),
    ("graduate project_run --into decision_db", {"memory_status"}, {"memory_status": "graduated"}),
    ("undo", {"entries", "steps"}, {"undo": "memdesk redo", "verb": "undo"}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "keys", "values"), ANSWERS, ids=[a[0] for a in ANSWERS])
def test_answers_in_json(cli: Cli, line: str, keys: set[str], values: dict[str, Any]) -> None:
    data = cli.ok(f"{line} --json").json
    assert set(data) >= COMMON | keys
    assert {k: data[k] for k in values} == values


def test_both_spellings_of_a_link_and_their_removal(cli: Cli) -> None:
    cli.ok("link me/atom_port derived_from decision_db")
    cli.ok("link decision_db project_run --kind=relates_to")
    assert cli.edges("decision_db") == {
        ("atom_port", "derived_from", "decision_db"), ("decision_db", "related_to", "project_run"),
    }  # fmt: skip
    data = cli.ok("link me/atom_port decision_db --kind=derived_from --delete --json").json
    assert data["action"] == "deleted" and "created_at" not in data
    cli.ok("unlink project_run relates_to decision_db")
    assert cli.edges("decision_db") == set()


def test_supersede_direction_stops_and_force_goes_on(cli: Cli) -> None:
    """decision_db is older than project_run: it cannot replace it by mistake."""
    error = cli("link decision_db supersedes project_run --json").error
    assert error["code"] == "supersede_direction"
    assert error["commands"][0] == "memdesk link project_run supersedes decision_db"
    assert cli.entry("project_run").state == "active"
    cli.ok("link decision_db supersedes project_run --force")
    assert cli.entry("project_run").state == "superseded"


def test_erase_needs_the_exact_token_and_never_asks_without_a_terminal(cli: Cli) -> None:
    entry_id = cli.entry("decision_db").id
    for line in ("delete decision_db --hard", "delete decision_db --hard --yes",
                 "delete decision_db --hard --confirm 'DELETE decision_db'"):  # fmt: skip
        assert cli(f"{line} --json", stdin="DELETE it\n").error["code"] == "confirmation_needed"
    assert cli.entry("decision_db").state == "active"
    data = cli.ok("delete", "decision_db", "--hard", "--confirm", f"DELETE {entry_id}", "--json").json
    assert (data["mode"], data["deleted"], data["undo"]) == ("hard", True, None)
    assert cli("show decision_db").code == 4


def test_confirm_without_hard_is_wrong_usage(cli: Cli) -> None:
    assert cli("delete decision_db --confirm 'DELETE x' --json").code == 2


def test_restore_and_the_status_spelling_bring_back(cli: Cli) -> None:
    for line in ("restore decision_db", "edit decision_db --status active"):
        cli.ok("delete decision_db")
        cli.ok(line)
        assert cli.entry("decision_db").state == "active"


def test_adding_a_deleted_name_names_restore(cli: Cli) -> None:
    cli.ok("delete decision_db")
    done = cli("add decision_db --body=B --workspace=me")
    assert done.code == 1 and "memdesk restore decision_db" in done.err


def test_comment_takes_its_text_any_way(cli: Cli) -> None:
    cli.ok("comment", "decision_db", "As an argument.")
    cli.ok("comment decision_db --body 'As a flag.'")
    cli.ok("comment decision_db --body-file=-", stdin="From stdin.")
    bodies = {cli.entry(n).body for n in ("comment_decision_db", "comment_decision_db_2", "comment_decision_db_3")}
    assert bodies == {"As an argument.", "As a flag.", "From stdin."}
    assert cli("comment decision_db one --body two").code == 2
    assert cli("comment decision_db").code == 2


PAYLOAD = {
    "resumen": {"name": "project_done", "type": "project", "body": "Done.", "description": "Done"},
    "pendientes": [{"name": "project_rest", "body": "Rest.", "description": "Rest"}],
}


def test_checkpoint_answers_with_gaias_keys(cli: Cli) -> None:
    data = cli.ok("checkpoint --file=- --workspace=me --json", stdin=json.dumps(PAYLOAD)).json
    assert set(data) >= {"status", "workspace", "anchor", "threads", "links", "warnings", "updated_at", "project_ref"}
    assert data["anchor"] | {"id": ""} == {
        "id": "", "name": "project_done", "action": "inserted", "class": "anchor", "memory_status": None,
    }  # fmt: skip
    assert [t["memory_status"] for t in data["threads"]] == ["carry_forward"]
    assert data["links"] == [
        {"src_name": "project_rest", "dst_name": "project_done", "kind": "derived_from", "action": "inserted"}
    ]
    again = cli.ok("checkpoint --file=- --workspace=me --json", stdin=json.dumps(PAYLOAD)).json
    assert again["links"][0]["action"] == "noop" and not again["changed"]


def test_checkpoint_warns_of_a_hidden_pending(cli: Cli) -> None:
    payload = {"resumen": {**PAYLOAD["resumen"], "body": "- [ ] todo"}, "pendientes": []}  # type: ignore[dict-item]
    data = cli.ok("checkpoint --file=- --workspace=me --json", stdin=json.dumps(payload)).json
    assert any("hidden pending" in w for w in data["warnings"])


def test_batch_gives_one_result_an_operation(cli: Cli) -> None:
    operations = [
        {"op": "append", "ref": "decision_db", "text": "More."},
        {"op": "reclassify", "ref": "project_run", "status": "closed"},
        {"op": "append", "ref": "atom_none", "text": "x"},
        {"op": "link", "from": "decision_db", "kind": "related_to", "to": "project_run"},
    ]
    done = cli("batch --file=- --json", stdin=json.dumps(operations))
    assert done.code == 1
    assert [r["ok"] for r in done.json["results"]] == [True, True, False, True]
    assert done.json["results"][2]["error"]["code"] == "not_found"
    assert (done.json["total"], done.json["failed"]) == (4, 1)
    assert cli.entry("project_run").status == "closed"


def test_batch_that_only_waits_exits_3(cli: Cli) -> None:
    cli.role("orchestrator")
    done = cli("batch --file=- --json", stdin=json.dumps([{"op": "delete", "ref": "decision_db"}]))
    assert done.code == 3 and done.json["results"][0]["exit_code"] == 3


# -- roles ----------------------------------------------------------------------------------------------------------


def test_an_agents_edit_becomes_a_request_and_its_id_is_in_the_answer(cli: Cli) -> None:
    cli.role("orchestrator")
    done = cli("edit decision_db --body=Other. --rationale='It moved' --json")
    assert done.code == 3
    assert done.error["code"] == "needs_approval"
    listed = cli.ok("requests --json").json
    assert [r["request_id"] for r in listed] == [done.error["request_id"]]
    assert (listed[0]["verb"], listed[0]["rationale"], listed[0]["state"]) == ("edit", "It moved", "ready")
    assert cli.entry("decision_db").body == "SQLite."
    shown = cli.ok(f"requests show {listed[0]['request_id']}").out
    assert "-SQLite." in shown and "+Other." in shown and "It moved" in shown


def test_a_request_is_decided_at_a_terminal_only(cli: Cli) -> None:
    cli.role("orchestrator")
    request_id = cli("delete decision_db --json").error["request_id"]
    cli.role("user")
    for line in (f"requests approve {request_id}", f"requests reject {request_id} --reason no"):
        assert cli(f"{line} --json").error["code"] == "not_allowed"
    assert cli.ok("requests list --status all --json").json[0]["status"] == "pending"


def test_role_flag_lowers_and_never_raises(cli: Cli) -> None:
    assert cli("--role=orchestrator delete decision_db").code == 3
    assert cli("delete decision_db --role=specialist").code == 3
    cli.role("orchestrator")
    done = cli("--role=user delete decision_db")
    assert done.code == 3
    assert cli("--role=king list --json").code == 2


def test_writing_about_the_user_is_flagged_first(cli: Cli) -> None:
    cli.role("orchestrator")
    done = cli.ok("add user_tea --body='Likes tea.' --description=Tea --workspace=me")
    assert done.out.splitlines()[0] == "For your veto: this is about the user."
    assert cli.ok("append user_tea --body=Green. --json").json["flagged"] is True


def test_waiting_for_a_decision(cli: Cli) -> None:
    cli.role("orchestrator")
    request_id = cli("delete decision_db --json").error["request_id"]
    waiting = cli(f"requests wait {request_id} --json")
    assert (waiting.code, waiting.json["status"]) == (3, "pending")
    with cli.desk() as desk:
        desk.reject(request_id, "still true")
    decided = cli(f"requests wait {request_id} --timeout 5 --json")
    assert (decided.code, decided.json["status"], decided.json["reason"]) == (1, "rejected", "still true")


def test_every_operation_of_a_batch_as_its_help_says(cli: Cli) -> None:
    operations: list[dict[str, Any]] = [
        {"op": "add", "name": "atom_one", "body": "B", "description": "D", "class": "thread", "status": "open",
         "tags": ["t"], "workspace": "me"},
        {"op": "create", "kind": "atom", "title": "Two", "oneline": "O", "parent": "atom_one"},
        {"op": "append", "ref": "atom_one", "text": "more", "workspace": "me"},
        {"op": "comment", "ref": "atom_one", "text": "yes", "title": "T"},
        {"op": "edit", "ref": "atom_one", "fields": {"title": "T"}, "add_tags": ["u"], "rm_tags": ["t"],
         "class": "thread", "status": "carry_forward", "audience": "executor", "project": "x", "initiative": "i"},
        {"op": "reclassify", "ref": ["atom_one", "atom_two"], "class": "anchor"},
        {"op": "link", "from": "atom_one", "kind": "related_to", "to": "atom_two"},
        {"op": "unlink", "from": "atom_one", "kind": "related_to", "to": "atom_two"},
        {"op": "supersede", "old": "atom_one", "by": "atom_two"},
        {"op": "restore", "ref": "atom_one"},
        {"op": "rename", "ref": "atom_one", "name": "atom_first"},
        {"op": "edit", "ref": "atom_two", "state": "superseded"},
        {"op": "delete", "ref": "atom_first", "reason": "noise"},
    ]  # fmt: skip
    data = cli.ok("batch --file=- --json", stdin=json.dumps(operations)).json
    assert [r["op"] for r in data["results"] if not r["ok"]] == []
    entry = cli.entry("atom_first")
    assert (entry.title, entry.tags, entry.audience, entry.project_ref, entry.initiative, entry.state) == (
        "T", ("u",), "executor", "/repos/x/.git", "i", "purged",
    )  # fmt: skip


def test_add_without_a_text_names_the_command_for_other_fields(cli: Cli) -> None:
    refused = cli("add decision_db --description=Else --workspace=me")
    assert refused.code == 2 and "`memdesk edit`" in refused.err
