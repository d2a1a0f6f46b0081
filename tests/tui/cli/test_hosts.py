"""attach, pull, push, detach, hosts; and that the other commands work on a Gaia database in place (DESIGN 7)."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Cli
from gaia_fixture import Gaia, build

from memdesk.core.hosts import Hosts

SAMPLE = Path(__file__).resolve().parents[4] / "shared" / "gaia"


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    return build(tmp_path / "gaia" / "gaia.db")


@pytest.fixture
def hosted(cli: Cli, gaia: Gaia, tmp_path: Path) -> Cli:
    """A store of its own with the host attached."""
    cli.move(tmp_path / "hosted")
    cli.ok(f"attach gaia {gaia.path}")
    return cli


def test_attach_says_what_it_found_and_twice_changes_nothing(cli: Cli, gaia: Gaia, tmp_path: Path) -> None:
    store = f"--store={tmp_path / 'fresh'}"
    before = gaia.digest()
    data = cli.ok(f"{store} attach gaia {gaia.path} --json").json
    assert {k: data[k] for k in ("status", "entries", "purged", "edges", "history_rows", "created")} == {
        "status": "attached", "entries": 9, "purged": 1, "edges": 4, "history_rows": 9, "created": 9,
    }  # fmt: skip
    assert len(data["dangling"]) == 1 and data["workspaces"] == ["lab", "me"]
    again = cli.ok(f"{store} attach gaia {gaia.path} --json").json
    assert (again["op_id"], again["created"], again["entries"]) == (None, 0, 9)
    pulled = cli.ok(f"{store} pull --json").json
    assert pulled["hosts"][0]["op_id"] is None
    shown = cli.ok(f"{store} attach gaia {gaia.path}").out
    assert "9 entries (1 purged), 4 edges (1 dangling), versions from 9 history rows." in shown
    assert gaia.digest() == before


def test_attach_finds_the_database_as_its_own_tools_do(
    cli: Cli, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAIA_DB", str(gaia.path))
    assert cli.ok(f"--store={tmp_path / 'fresh'} attach gaia --json").json["path"] == str(gaia.path)


def test_looking_changes_no_byte_of_the_host(hosted: Cli, gaia: Gaia) -> None:
    before = gaia.digest()
    for line in ("list", "show project_launch", "search monday", "get-relevant --workspace=me", "story project_launch",
                 "history project_launch --diff", "stats", "status", "hosts", "episode-show ep_1", "log"):  # fmt: skip
        hosted.ok(line)
    assert gaia.digest() == before
    wal = gaia.path.with_name(gaia.path.name + "-wal")
    assert not wal.exists() or wal.stat().st_size == 0


def test_writing_and_undoing_reach_the_host(hosted: Cli, gaia: Gaia) -> None:
    history = gaia.history()
    hosted.ok("reclassify project_launch --status=closed")
    row = gaia.row("me", "project_launch")
    assert (row["status"], gaia.history()) == ("closed", history + 1)
    assert row["updated_at"] != "2026-09-04T10:00:00Z"
    hosted.ok("undo")
    assert (gaia.row("me", "project_launch")["status"], gaia.history()) == ("carry_forward", history + 2)
    gaia.check_full_text()


def test_what_the_host_cannot_hold_is_said(hosted: Cli) -> None:
    data = hosted.ok("edit project_launch --title=Launch --add-tag=x --json").json
    assert [w for w in data["warnings"] if "title" in w] and [w for w in data["warnings"] if "tags" in w]
    linked = hosted.ok("link project_launch child_of decision_static --json").json
    assert any("child_of" in w for w in linked["warnings"])


def test_pull_brings_what_changed_in_gaia(hosted: Cli, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", description="Changed in Gaia")
    hosted.ok("pull")
    assert hosted.entry("project_launch").description == "Changed in Gaia"


def test_episodes_of_the_host_are_found(hosted: Cli) -> None:
    data = hosted.ok("search deploy --scope=episodes --json").json
    assert [r["title"] for r in data["results"]] == ["Deploy the site"]
    assert hosted.ok("episode-show ep_1 --json").json["tags"] == ["deploy", "site"]
    hosted.ok("episode-add --title='Deploy again' --body='It went well.' --workspace=me")
    both = hosted.ok("search deploy --scope=episodes --json").json
    assert {r["title"] for r in both["results"]} == {"Deploy the site", "Deploy again"}
    assert hosted.ok("stats --json").json["total_episodes"] == 3


def test_a_locked_host_keeps_the_change_and_push_sends_it(
    hosted: Cli, gaia: Gaia, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hosts, "wait_ms", property(lambda hosts: 30, lambda hosts, ms: None), raising=False)
    other = sqlite3.connect(gaia.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        data = hosted.ok("reclassify project_launch --status=closed --json").json
        assert any("Not yet in Gaia" in w for w in data["warnings"])
        listed = hosted.ok("hosts --json").json[0]
        assert (listed["in_step"], listed["waiting"]) == (False, ["me/project_launch"])
        assert hosted("push --json").code == 1
        assert "not yet in Gaia" in hosted.ok("status").out
        assert hosted("detach --json").error["code"] == "host_pending"
    finally:
        other.close()
    assert hosted.entry("project_launch").status == "closed"
    pushed = hosted.ok("push --json").json
    assert pushed["hosts"][0]["pushed"] == ["me/project_launch"]
    assert gaia.row("me", "project_launch")["status"] == "closed"


def test_detach_hides_and_attach_brings_back(hosted: Cli, gaia: Gaia) -> None:
    assert int(hosted.ok("list --format=count").out) > 0
    assert hosted.ok("detach gaia --json").json["state"] == "detached"
    assert hosted.ok("list --format=count").out == "0\n"
    assert hosted.ok("hosts --json").json[0]["state"] == "detached"
    hosted.ok(f"attach gaia {gaia.path}")
    assert int(hosted.ok("list --format=count").out) > 0


def test_agents_may_not_attach(cli: Cli, gaia: Gaia) -> None:
    cli.role("orchestrator")
    assert cli(f"attach gaia {gaia.path} --json").error["code"] == "not_allowed"
    assert cli("detach --json").error["code"] in ("not_allowed", "not_found")


def test_without_a_host_it_says_so(cli: Cli) -> None:
    for verb in ("hosts", "pull", "push"):
        assert "No host is attached." in cli.ok(verb).out
    assert cli.ok("hosts --json").json == []


def test_a_file_that_is_no_gaia_database(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database")
    sqlite3.connect(tmp_path / "y.db").execute("CREATE TABLE t (a)").connection.close()
    for name in ("x.db", "y.db", "."):
        error = cli(f"attach gaia {name} --json").error
        assert error["code"].startswith("host_"), error


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="the sample is not beside this checkout")
def test_the_sample_as_the_issue_asks(cli: Cli, tmp_path: Path) -> None:
    subprocess.run([sys.executable, SAMPLE / "make_sample.py", tmp_path / "g.db"], check=True, timeout=60)
    store = f"--store={tmp_path / 'sampled'}"
    shown = cli.ok(f"{store} attach gaia {tmp_path / 'g.db'}").out
    assert "39 entries (1 purged), 15 edges (1 dangling), versions from 48 history rows." in shown
    short = cli.ok(f"{store} get-relevant --workspace=me --max-chars=800 --json").json
    assert (len(short["items"]), short["overflow_projects"]) == (3, 3)
    full = cli.ok(f"{store} get-relevant --workspace=me --max-chars=1500 --json").json
    assert (len(full["items"]), full["overflow_projects"]) == (6, 0)
    assert json.dumps(full["items"][:3], sort_keys=True) == json.dumps(short["items"], sort_keys=True)


def test_a_reading_command_sees_what_gaia_wrote_since(hosted: Cli, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", description="Reworded over there")
    assert hosted.ok("show me/project_launch --json").json["description"] == "Reworded over there"
