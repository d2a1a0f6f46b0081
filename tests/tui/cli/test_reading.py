"""The reading commands: what they print, the keys of their JSON (gaia/SPEC 4 and 6), and that they write nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli

from memdesk.core.errors import StoreUnusable
from memdesk.core.store import opening

LIST_KEYS = {
    "name", "type", "description", "updated_at", "audience", "class", "status", "injection_count", "deliberate_count",
    "last_injected_at", "last_deliberate_at", "id", "workspace", "state",
}  # fmt: skip
SHOW_KEYS = {
    "workspace", "name", "type", "description", "body", "project_ref", "initiative", "origin_session_id", "updated_at",
    "deleted_at", "audience", "injection_count", "deliberate_count", "last_injected_at", "last_deliberate_at", "class",
    "status", "id", "created_at", "created_by", "last_edited_by", "edit_count", "tags", "state",
}  # fmt: skip


@pytest.fixture
def rich(cli: Cli) -> Cli:
    """More states: one deleted, one replaced, one closed thread."""
    cli.ok("add atom_gone --body=Gone. --description=Gone --workspace=me")
    cli.ok("delete atom_gone")
    cli.ok("add decision_next --body=DuckDB. --description=Next --workspace=me")
    cli.ok("supersede decision_db --by decision_next")
    cli.ok("add project_old --body=Old. --description=Old --class=thread --status=closed --workspace=me")
    return cli


#: flags of list -> the names that it shows
LISTS: list[tuple[str, list[str]]] = [
    ("--workspace=me", ["atom_port", "decision_next", "project_old", "project_run"]),
    ("--workspace=me --type=atom", ["atom_port"]),
    ("--workspace=me --type=atom,decision", ["atom_port", "decision_next"]),
    ("--workspace=me --type=atom --kind=project", ["atom_port", "project_old", "project_run"]),
    ("--workspace=me --class=thread", ["project_old", "project_run"]),
    ("--workspace=me --status=closed", ["project_old"]),
    ("--workspace=me --status=carry_forward,closed", ["project_old", "project_run"]),
    ("--workspace=me --status=active --class=thread", ["project_old", "project_run"]),
    ("--workspace=me --status=superseded", ["decision_db"]),
    ("--workspace=me --status=purged", ["atom_gone"]),
    ("--workspace=me --status=all --type=decision", ["decision_db", "decision_next"]),
    ("--workspace=me --status=* --type=decision", ["decision_db", "decision_next"]),
    ("--workspace=me --include-purged --type=atom", ["atom_gone", "atom_port"]),
    ("--workspace=me --status=closed --include-purged", ["project_old"]),
    ("--workspace=me --initiative=Launch", ["project_run"]),
    ("--workspace=me --tag=net", ["atom_port"]),
    ("--workspace=me --tag=none", []),
    ("--workspace=me --sort=created --order=asc --limit=2", ["atom_port", "project_run"]),
    ("--workspace=me --sort=name --order=desc --limit=1", ["project_run"]),
    ("--workspace=me --limit=0 --type=atom", ["atom_port"]),
    ("--type=atom", ["atom_port", "atom_port"]),
]


@pytest.mark.parametrize(("flags", "names"), LISTS, ids=[row[0] for row in LISTS])
def test_list_filters(rich: Cli, flags: str, names: list[str]) -> None:
    data = rich.ok(f"list {flags} --json").json
    assert [row["name"] for row in data] == names
    assert all(set(row) >= LIST_KEYS for row in data)
    assert rich.ok(f"list {flags} --format=count").out in (f"{len(names)}\n",) or "--limit" in flags
    table = rich.ok(f"list {flags}").out
    assert all(name in table for name in names)
    assert ("Nothing fits." in table) is (not names)


def test_list_speaks_of_roles_not_storage(rich: Cli) -> None:
    table = rich.ok("list --workspace=me --status=all").out
    for words in ("For this session", "Closed", "What we know", "What we know (replaced)", "What we know (deleted)"):
        assert words in table
    assert not {"carry_forward", "anchor", "superseded", "purged"} & set(table.split())


def test_list_of_several_workspaces_names_them(cli: Cli) -> None:
    assert "Workspace" in cli.ok("list").out.splitlines()[0]
    assert "Workspace" not in cli.ok("list --workspace=me").out.splitlines()[0]


def test_list_formats_exclude_each_other(cli: Cli) -> None:
    assert cli("list --json --format=table").code == 2
    assert cli.ok("list --format=json").json == cli.ok("--json list").json
    assert cli.ok("list --format=count").out == "4\n"


def test_show_whole_and_in_part(cli: Cli) -> None:
    cli.ok("edit me/atom_port --title=Heading --short='The short one.'")
    text = cli.ok("show me/atom_port").out
    assert "me/atom_port  Heading" in text and "The short one." in text and "The port is 8080." in text
    assert "The port is 8080." not in cli.ok("show me/atom_port --zoom short").out
    assert "The short one." not in cli.ok("show me/atom_port --zoom oneline").out
    data = cli.ok("show me/atom_port --format json").json
    assert set(data) >= SHOW_KEYS and "links" not in data and "history" not in data
    assert "body" not in cli.ok("show me/atom_port --zoom short --json").json
    assert {"summary", "body"}.isdisjoint(cli.ok("show me/atom_port --zoom oneline --json").json)


def test_show_links_and_history(cli: Cli) -> None:
    cli.ok("link me/atom_port derived_from decision_db")
    cli.ok("edit me/atom_port --description=Changed")
    text = cli.ok("show me/atom_port --links --history").out
    assert "was distilled from decision_db" in text and "changed the description" in text
    assert "The port is 8080." not in text
    data = cli.ok("show me/atom_port --links --history --json").json
    assert data["links"]["out"][0] | {"created_at": ""} == {
        "src_name": "atom_port", "dst_name": "decision_db", "kind": "derived_from", "created_at": "",
        "other_id": cli.entry("decision_db").id, "missing": False,
    }  # fmt: skip
    assert data["links"]["in"] == []
    assert set(data["history"][0]) >= {"changed_at", "fields_changed", "body_delta", "status_from", "status_to"}


def test_show_reaches_deleted_entries_and_any_way_to_name_one(cli: Cli) -> None:
    entry = cli.entry("decision_db")
    cli.ok("delete decision_db")
    for ref in ("decision_db", "me/decision_db", entry.id, entry.id[:20]):
        assert cli.ok(f"show {ref} --json").json["id"] == entry.id
    assert cli.ok("show decision_db --json").json["deleted_at"] is not None


def test_two_fits_are_an_error_that_lists_them(cli: Cli) -> None:
    error = cli("show atom_port --json").error
    assert error["code"] == "ambiguous"
    assert [c["ref"] for c in error["candidates"]] == ["me/atom_port", "other/atom_port"]
    assert cli.ok("show atom_port --workspace=other --json").json["workspace"] == "other"


def test_show_counts_as_deliberate_and_list_does_not(cli: Cli) -> None:
    cli.ok("list")
    cli.ok("search port")
    before = cli.entry("me/atom_port")
    assert before.telemetry.deliberate_count == 0
    cli.ok("show me/atom_port")
    after = cli.entry("me/atom_port")
    assert (after.telemetry.deliberate_count, after.updated_at) == (1, before.updated_at)


SEARCHES: list[tuple[str, set[str]]] = [
    ("search port --scope=memory --workspace=me", {"atom_port"}),
    ("search sqlite --scope=curated", set()),
    ("search sqlite --scope=memory --status=all", {"decision_db"}),
    ("search sqlite --scope=memory --status=*", {"decision_db"}),
    ("search gone --scope=memory", set()),
    ("search gone --scope=memory --include-purged", {"atom_gone"}),
    ("search --tag=net", {"atom_port"}),
    ("search --tag=net port", {"atom_port"}),
    ("search --tag=net nothing", set()),
    ("search port --scope=memory --type=decision", set()),
]


@pytest.mark.parametrize(("line", "names"), SEARCHES, ids=[row[0] for row in SEARCHES])
def test_search(rich: Cli, line: str, names: set[str]) -> None:
    data = rich.ok(f"{line} --json").json
    hits = data["results"] if "results" in data else data["curated"]
    assert {h["name"] for h in hits} == names
    assert all(set(h) >= {"name", "type", "description", "snippet", "rank", "id"} for h in hits)
    text = rich.ok(line).out
    assert all(name in text for name in names)
    assert ("No text is worded like this." in text) is (not names)


ODD_QUERIES = [
    "", " ", "?", "foo-bar", "don't", "C++", "a.b/c", "#12", "node.js", "AND", "*", '"', "NEAR(", "NOT", "a OR", "(",
    ":", "^x", "-", "--", "東", "💥", "%", "_", "\\",
]  # fmt: skip


@pytest.mark.parametrize("query", ODD_QUERIES)
@pytest.mark.parametrize("scope", ["both", "memory", "episodes"])
def test_search_never_fails_on_odd_text(cli: Cli, query: str, scope: str) -> None:
    data = cli.ok("search", f"--scope={scope}", "--json", "--", query).json
    assert data["scope"] == scope


def test_an_empty_query_is_not_everything(cli: Cli) -> None:
    assert cli.ok("search", "", "--json").json == {"scope": "both", "episodes": [], "curated": []}


def test_episodes_are_kept_found_and_shown(cli: Cli) -> None:
    made = cli.ok("episode-add --title=Incident --body='The cache was cold.' --tag=ops --workspace=me --json").json
    cli.ok("episode-add --title=Elsewhere --body='The cache was warm.' --workspace=other")
    cli.ok("episode-add --title=Anywhere --body='The cache was there.'")
    data = cli.ok("search cache --scope=episodes --workspace=me --json").json
    assert {r["title"] for r in data["results"]} == {"Incident", "Anywhere"}
    assert set(data["results"][0]) == {"id", "title", "rank", "date", "snippet"}
    both = cli.ok("search cache --json").json
    assert set(both["episodes"][0]) == {"id", "title", "rank"}
    shown = cli.ok(f"episode-show {made['id']} --json").json
    assert {k: shown[k] for k in ("title", "content", "tags", "age_days")} == {
        "title": "Incident", "content": "The cache was cold.", "tags": ["ops"], "age_days": 0,
    }  # fmt: skip
    assert cli("episode-show ep_none --json").error["code"] == "not_found"
    assert "The cache was cold." in cli.ok(f"episode-show {made['id'][:26]}").out
    assert cli.ok("stats --json").json["total_episodes"] == 3
    assert cli.ok("get-relevant --workspace=me --json").json["items"][0]["name"] == "project_run"


@pytest.mark.parametrize(
    ("flags", "code"), [("--title=' ' --body=B", 1), ("--title=T --body=' '", 1), ("--title=T", 2)]
)
def test_a_blank_episode_is_refused(cli: Cli, flags: str, code: int) -> None:
    assert cli(f"episode-add {flags}").code == code


def test_get_relevant_modes_and_keys(cli: Cli) -> None:
    cli.ok("add user_tea --body='Likes tea.' --description=Tea --workspace=me")
    data = cli.ok("get-relevant --workspace=me --max-chars=800 --json").json
    assert set(data) >= {"workspace", "items", "block", "overflow_projects", "used", "max_chars", "below"}
    assert set(data["items"][0]) >= {
        "name", "type", "initiative", "memory_status", "section", "description", "pending_count", "id",
    }  # fmt: skip
    assert data["items"][0]["section"] == "digest" and data["max_chars"] == 800
    sections = cli.ok("get-relevant --workspace=me --sections=anchor --json").json
    assert {i["section"] for i in sections["items"]} == {"anchor"} and "carry_forward_dropped" in sections
    every = cli.ok("get-relevant --workspace=me --sections= --json").json
    assert {i["section"] for i in every["items"]} == {"carry_forward", "anchor"}
    whole = cli.ok("get-relevant --initiative=launch --json").json
    assert [(i["name"], i["body"], i["section"]) for i in whole["items"]] == [("project_run", "Half done.", "project")]
    types = cli.ok("get-relevant --types=decision --json").json
    assert [i["name"] for i in types["items"]] == ["decision_db"]
    assert cli.ok("get-relevant --initiative=nothing").out == ""
    assert cli.ok("get-relevant --initiative=nothing --json").json["items"] == []


def test_get_relevant_pointer_and_counting(cli: Cli) -> None:
    with_pointer = cli.ok("get-relevant --workspace=me").out
    assert "memdesk get-relevant --initiative" in with_pointer
    assert cli.entry("project_run").telemetry.injection_count == 1
    without = cli.ok("get-relevant --workspace=me --no-pointer --no-count").out
    assert "memdesk get-relevant" not in without and "project_run" in without
    assert cli.entry("project_run").telemetry.injection_count == 1
    assert cli("get-relevant --initiative= --json").error["code"] == "usage"


def test_the_directory_never_matters(cli: Cli, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here = cli.ok("get-relevant --workspace=me --no-count --json").json
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert cli.ok("get-relevant --workspace=me --no-count --json").json == here


def test_history_and_its_diff(cli: Cli) -> None:
    cli.ok("edit decision_db --body=Postgres.")
    cli.ok("undo")
    data = cli.ok("history decision_db --json").json
    assert [v["kind"] for v in data["versions"]] == ["create", "edit", "undo"]
    assert data["versions"][1]["undone"] is True and "changes" not in data["versions"][1]
    diff = cli.ok("history decision_db --diff").out
    assert "-SQLite." in diff and "+Postgres." in diff
    with_diff = cli.ok("history decision_db --diff --json").json["versions"][1]
    assert with_diff["changes"] == [{"field": "body", "before": "SQLite.", "after": "Postgres."}]
    assert with_diff["diff"][-2:] == ["-SQLite.", "+Postgres."]


def test_story_keys(cli: Cli) -> None:
    cli.ok("link project_run graduated_to decision_db")
    data = cli.ok("story project_run --json").json
    assert set(data) == {"seed", "nodes", "edges", "timeline", "final_states"}
    assert {(n["name"], n["role"]) for n in data["nodes"]} >= {("project_run", "queried")}
    assert {n["name"] for n in data["nodes"]} == {"project_run", "decision_db"}
    alone = cli.ok("story project_run --max-depth=0 --json").json
    assert [n["name"] for n in alone["nodes"]] == ["project_run"]
    assert "decision_db" in cli.ok("story project_run").out
    assert cli("story project_run --max-depth=-1").code == 2


def test_stats_log_and_status(cli: Cli) -> None:
    assert set(cli.ok("stats --json").json) >= {"total_episodes", "indexed", "warnings", "entries", "roles"}
    assert "What we know" in cli.ok("stats").out
    cli.ok("append decision_db --body=More. --session-id=s9")
    rows = cli.ok("log --limit=1 --json").json
    assert set(rows[0]) >= {"op_id", "verb", "summary", "actor", "timestamp", "undone_by", "entries"}
    assert (rows[0]["verb"], rows[0]["session_id"], rows[0]["entries"][0]["name"]) == ("append", "s9", "decision_db")
    assert [r["verb"] for r in cli.ok("log decision_db --json").json] == ["append", "add"]
    assert cli.ok("log --by=agent:none --json").json == []
    assert cli.ok("log --limit=0 --json").json != []
    assert cli.ok("status").out == "Nothing waits\n"
    report = cli.ok("status --json").json
    assert report["calm"] is True and report["store"] == str(cli.folder)
    cli.role("orchestrator")
    cli("delete decision_db")
    assert cli.ok("status").out.startswith("1 request waits (oldest just now)")
    assert cli.ok("--json").json["requests"] == 1


def test_workspaces_and_projects(cli: Cli, tmp_path: Any) -> None:
    assert [w["name"] for w in cli.ok("workspace list --json").json] == ["me", "other"]
    assert cli.ok("workspace --json").json == cli.ok("workspace list --json").json
    assert cli.ok("workspace add third --json").json["action"] == "inserted"
    assert cli.ok("workspace add third --json").json["action"] == "noop"
    folder = tmp_path / "plain"
    folder.mkdir()
    made = cli.ok("project", "add", "plain", "--workspace=me", f"--path={folder}", "--json").json
    assert (made["identity"], made["workspace"]) == (str(folder.resolve()), "me")
    remote = cli.ok("project add far --workspace=me --remote=git@github.com:Acme/far.git --json").json
    assert remote["identity"] == "github.com/Acme/far"
    assert {p["name"] for p in cli.ok("project list --workspace=me --json").json} == {"x", "plain", "far"}
    assert "plain" in cli.ok("project").out
    assert cli("project add none --workspace=me --json").error["code"] == "bad_input"
    assert cli("project list --workspace=nope --json").error["code"] == "unknown_workspace"


READS = [
    "list", "list --json", "show decision_db", "search port", "history decision_db --diff", "story decision_db",
    "stats", "get-relevant", "get-relevant --sections=", "get-relevant --initiative=launch", "log", "status", "hosts",
    "workspace list", "project list", "requests list", "requests list --all", "",
]  # fmt: skip


@pytest.mark.parametrize("line", READS)
def test_reads_write_no_event(cli: Cli, line: str) -> None:
    with cli.desk() as desk:
        before = [e.event_id for e in desk.store.events()]
    cli.ok(*line.split() or ("status",))
    with cli.desk() as desk:
        assert [e.event_id for e in desk.store.events()] == before


def test_undo_redo_by_steps_and_by_name(cli: Cli) -> None:
    cli.ok("append decision_db --body=One.")
    op_id = cli.ok("append me/atom_port --body=Two. --json").json["op_id"]
    cli.ok("append decision_db --body=Three.")
    cli.ok("undo", op_id[:20])
    assert cli.entry("me/atom_port").body == "The port is 8080."
    data = cli.ok("undo --steps=2 --json").json
    assert [s["summary"] for s in data["steps"]] == ["Undid: Added to decision_db", "Undid: Added to decision_db"]
    assert cli.entry("decision_db").body == "SQLite."
    cli.ok("redo --steps=2")
    assert cli.entry("decision_db").body == "SQLite.\n\nOne.\n\nThree."
    assert cli("undo op_nothing --json").error["code"] == "not_found"
    assert cli("undo --steps=0").code == 2


def test_nothing_to_undo_says_so(cli: Cli) -> None:
    done = cli("--actor=user:new undo --json")
    assert (done.code, done.error["code"]) == (1, "nothing_to_undo")


def test_the_block_as_it_would_be(cli: Cli) -> None:
    cli.ok("add project_next --body=Next. --description=Next --class=thread --workspace=me")
    now = cli.ok("get-relevant --workspace=me --no-count --json").json
    assert {i["name"] for i in now["items"]} == {"project_run", "project_next"}
    for change, names in (
        ("project_run=closed", {"project_next"}), ("project_run=log", {"project_next"}),
        ("project_run=deleted,project_next=graduated", set()),
        ("decision_db=carry_forward", {"project_run", "project_next", "decision_db"}),
    ):  # fmt: skip
        data = cli.ok(f"get-relevant --workspace=me --with {change} --json").json
        assert {i["name"] for i in data["items"]} >= names - {"decision_db", "project_next"}, change
        assert ("project_run" in {i["name"] for i in data["items"]}) is ("project_run" in names)
    assert cli.entry("project_run").status == "carry_forward"
    assert cli.entry("project_run").telemetry.injection_count == 0, "a preview counts nothing"
    assert cli("get-relevant --with project_run=gone --json").error["code"] == "usage"
    assert cli("get-relevant --with none=closed --json").error["code"] == "not_found"


def test_what_others_did_since_the_last_visit(cli: Cli) -> None:
    with cli.desk() as desk:
        desk.mark_visit()
    assert cli.ok("log --new").out == "Nothing new.\n"
    cli.ok("append decision_db --body=Mine.")
    cli.ok("--actor=agent:scout append decision_db --body=Theirs.")
    assert [r["actor"] for r in cli.ok("log --new --json").json] == ["agent:scout"]
    assert cli.ok("log --new --by=agent:other --json").json == []
    assert cli.ok("log --new project_run --json").json == []
    assert len(cli.ok("log --new decision_db --json").json) == 1


def test_a_request_with_hidden_characters_is_flagged(cli: Cli) -> None:
    cli.role("orchestrator")
    request_id = cli("edit", "decision_db", "--body", "safe\u202eevil", "--json").error["request_id"]
    assert "right-to-left override" in cli.ok("requests --json").json[0]["flags"]
    assert "1 text marked ! needs a second look" in cli.ok("requests").out
    shown = cli.ok(f"requests show {request_id}").out
    assert "Look out (1)" in shown and "right-to-left override" in shown


def test_a_request_that_would_remove_most_of_a_text_says_so(cli: Cli) -> None:
    cli.ok("edit", "decision_db", "--body", "x" * 100)
    cli.role("orchestrator")
    request_id = cli("edit", "decision_db", "--body", "x" * 20, "--json").error["request_id"]
    assert "-80 %" in cli.ok(f"requests show {request_id}").out


@pytest.mark.parametrize(("kind", "holds"), [("zsh_source", "_memdesk_completion"), ("zsh_complete", "get-relevant")])
def test_tab_completion(cli: Cli, monkeypatch: pytest.MonkeyPatch, kind: str, holds: str) -> None:
    monkeypatch.setenv("_MEMDESK_COMPLETE", kind)
    monkeypatch.setenv("COMP_WORDS", "memdesk get")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert holds in cli("status").out


@pytest.mark.parametrize("words", [
    "list", "show atom_port --workspace me", "status", "requests list", "veto list", "log", "get-relevant --hook",
])  # fmt: skip
def test_a_folder_in_which_nothing_may_be_put_is_read(cli: Cli, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    connect = opening.connect

    def refused(path: Path, *, read_only: bool, wait_ms: int, at_rest: bool = False) -> sqlite3.Connection:
        if not (read_only and at_rest):  # SQLite would put a file beside it
            raise StoreUnusable("It is read-only here.", "")
        return connect(path, read_only=read_only, wait_ms=wait_ms, at_rest=at_rest)

    monkeypatch.setattr(opening, "connect", refused)
    done = cli(words)
    assert done.code == 0 and done.out and "The store cannot be written to" in done.err
    assert cli("append atom_port --workspace me --body More. --json").error["code"] == "store_unusable"
