"""`status`: a line for a person, a few words for a prompt, a sentence for a hook; looking writes nothing (DESIGN 4)."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Cli

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.hosts import HostInfo
from memdesk.core.waiting import StatusReport


@pytest.fixture
def busy(cli: Cli) -> Cli:
    """Two requests and a flagged write wait."""
    with cli.desk(Actor("agent:one", Role.ORCHESTRATOR)) as agent:
        for text in ("The port is 9090.", "The port is 7070."):
            with pytest.raises(Exception, match="waits"):
                agent.edit("me/atom_port", fields={"body": text}, rationale="measured")
        agent.add(name="user_tea", body="Likes tea.", workspace="me")
    return cli


def files(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.iterdir()} if folder.exists() else {}


def test_a_prompt_gets_a_few_words_and_a_hook_a_sentence(busy: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    short, hook = busy.ok("status --short"), busy.ok("status --hook")
    assert short.out == "2 requests now · 1 flagged now\n"
    assert hook.out.startswith("memdesk: 2 requests wait (oldest just now); 1 write of an agent about you waits")
    assert hook.out.count("\n") == 1
    monkeypatch.setenv("MEMDESK_NOW", "2999-01-01T00:00:00+00:00")
    assert " 97" in busy.ok("status --short").out


def test_a_calm_store_says_nothing(cli: Cli) -> None:
    assert cli.ok("status --short").out == cli.ok("status --hook").out == ""
    assert cli.ok("status").out == "Nothing waits\n"
    data = cli.ok("status --short --json").json
    assert data["calm"] is True and data["line"] == ""


def test_the_numbers_are_the_same_in_each_form(busy: Cli) -> None:
    whole, brief = busy.ok("status --json").json, busy.ok("status --hook --json").json
    for key in ("requests", "oldest_request", "flagged", "oldest_flagged", "overruled", "lost_edits", "calm"):
        assert whole[key] == brief[key], key
    assert (whole["requests"], whole["flagged"], whole["calm"]) == (2, 1, False)
    assert whole["open"] == 0 and whole["carry_forward"] == 1


@pytest.mark.parametrize("words", ["status --json", "status --short --json", "status --hook --json"])
def test_one_workspace(busy: Cli, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    for place, numbers in (("me", (2, 1)), ("other", (0, 0))):
        data = busy.ok(f"{words} --workspace={place}").json
        assert (data["requests"], data["flagged"], data["workspace"]) == (*numbers, place)
    assert busy(f"{words} --workspace=nope").error["code"] == "unknown_workspace"
    monkeypatch.setenv("MEMDESK_WORKSPACE", "other")
    assert busy.ok(words).json["requests"] == 0


@pytest.mark.parametrize("words", ["status --short", "status --hook", "get-relevant --hook"])
def test_a_file_where_the_folder_should_be_is_a_mistake(cli: Cli, tmp_path: Path, words: str) -> None:
    (tmp_path / "file").write_text("x")
    assert cli(f"{words} --store={tmp_path / 'file'} --json").error["code"] == "store_unusable"


@pytest.mark.parametrize("flag", ["--short", "--hook"])
def test_without_a_store_there_is_nothing_to_say_and_none_is_made(cli: Cli, tmp_path: Path, flag: str) -> None:
    cli.move(tmp_path / "nowhere")
    done = cli.ok("status", flag)
    assert done.out == done.err == ""
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("flag", ["--short", "--hook"])
@pytest.mark.parametrize("in_use", [False, True])
def test_looking_changes_no_file(busy: Cli, flag: str, in_use: bool) -> None:
    other = Desk.open(busy.folder, Actor("user:ana", Role.USER)) if in_use else None
    if other is not None:
        other.append("me/atom_port", "Written meanwhile.")
    before = files(busy.folder)
    assert busy.ok("status", flag).out
    after = files(busy.folder)
    if in_use:  # the shared memory of those who have it open is no content
        before.pop("memdesk.db-shm")
        after.pop("memdesk.db-shm")
    assert after == before
    if other is not None:
        other.close()


def test_it_answers_while_another_process_writes(busy: Cli) -> None:
    conn = sqlite3.connect(busy.folder / "memdesk.db", isolation_level=None)
    conn.execute("BEGIN IMMEDIATE")
    try:
        assert busy.ok("status --short").out.startswith("2 requests")
    finally:
        conn.execute("ROLLBACK")
        conn.close()


def test_a_file_that_is_no_store_is_told_in_a_sentence(cli: Cli) -> None:
    (cli.folder / "memdesk.db").write_bytes(b"no database at all" * 100)
    done = cli("status --short")
    assert done.code == 1 and done.out == "" and "is not a database" in done.err


def test_a_prompt_loads_only_what_it_needs(busy: Cli) -> None:
    probe = (
        "import sys; from memdesk.tui.cli import main\n"
        "code = main.main(['status', '--short'], standalone_mode=False)\n"
        "heavy = {'memdesk.core.desk', 'memdesk.core.hosts', 'memdesk.core.similarity', 'memdesk.core.contradiction', "
        "'sqlite_utils', 'ulid', 'rapidfuzz', 'numpy', 'textual', 'rich', 'asyncio'}\n"
        "print(code, sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, timeout=30, check=True, env=dict(os.environ)
    )
    assert run.stdout.splitlines() == ["2 requests now · 1 flagged now", "0 []"]


# -- words ------------------------------------------------------------------------------------------------------------


def host(state: str = "attached", waiting: tuple[str, ...] = (), read_only: str = "", problem: str = "") -> HostInfo:
    return HostInfo("gaia:1", "gaia", "/g.db", state, None, None, 51, read_only, waiting, problem)


@pytest.mark.parametrize(
    ("report", "short", "line"),
    [
        (StatusReport(), "", "Nothing waits"),
        (StatusReport(hosts=(host(),)), "", "Nothing waits · gaia /g.db: in step"),
        (StatusReport(hosts=(host(read_only="newer"),)), "", "Nothing waits · gaia /g.db: read-only: newer"),
        (StatusReport(hosts=(host("detached", ("me/x",)),)), "", "Nothing waits"),
        (StatusReport(requests=1, oldest_request="t"), "1 request 3d", "1 request waits (oldest 3d)"),
        (StatusReport(flagged=2, oldest_flagged="t", overruled=1, lost_edits=1, oldest_lost_edit="t"),
         "2 flagged 3d · 1 lost edit 3d · 1 overruled",
         "2 writes of agents about you wait to be kept or vetoed (oldest 3d) · 1 lost edit (oldest 3d) · "
         "1 decision of yours was overruled"),
        (StatusReport(host_approvals={"gaia": 2}, host_proposals={"gaia": 1}), "3 in Gaia",
         "2 approvals in Gaia · 1 proposal in Gaia"),
        (StatusReport(hosts=(host("away", problem="no file"),)), "Gaia is away",
         "Nothing waits · gaia /g.db: away: no file"),
        (StatusReport(hosts=(host(waiting=("me/a", "me/b")),), waiting_events=1), "1 event · 2 not yet in Gaia",
         "1 event waits for the rest of the log · gaia /g.db: 2 not yet in Gaia"),
    ],
)  # fmt: skip
def test_words(report: StatusReport, short: str, line: str) -> None:
    assert report.short(lambda _: "3d") == short
    assert report.line(lambda _: "3d") == line
    assert bool(report.hook_line(lambda _: "3d")) == (not report.calm) == bool(short)
