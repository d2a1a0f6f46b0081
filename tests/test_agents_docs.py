"""What ships for agents is tried: the hook as a real process, and every command line of the skill text."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from documented import commands, run

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.policy import VERBS, Facts, rule
from memdesk.core.policy import Role as PolicyRole

FOLDER = Path(__file__).parent.parent / "docs" / "agents"
HOOK = FOLDER / "session-start.sh"
SKILL = (FOLDER / "SKILL.md").read_text(encoding="utf-8")
ANA = Actor("user:ana", Role.USER, None, True)
BIN = Path(sys.executable).parent

needs_shell = pytest.mark.skipif(shutil.which("sh") is None, reason="the hook is a shell script")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The store of a lab: a decision, a thread, an entry about the person."""
    folder = tmp_path / "memdesk"
    with Desk.open(folder, ANA) as desk:
        desk.add_workspace("lab")
        desk.add(name="decision_lab_database", body="SQLite, because one file is enough.", workspace="lab",
                 description="The lab keeps its data in SQLite")  # fmt: skip
        desk.add(name="project_lab_backup", body="Nobody has tried a restore.", workspace="lab", klass="thread",
                 initiative="backup", description="Backups were never restored")  # fmt: skip
        desk.add(name="user_ana", body="Likes tea.", workspace="lab")
    return folder


def busy(folder: Path) -> None:
    """A request waits, and a write about the person."""
    with Desk.open(folder, Actor("agent:scout", Role.ORCHESTRATOR)) as agent:
        with pytest.raises(NeedsApproval):
            agent.edit("project_lab_backup", fields={"description": "Backups are fine"}, rationale="seen")
        agent.append("user_ana", "Also coffee.")


# -- the hook -----------------------------------------------------------------------------------------------------


def hook(path: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    found = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}" if path is None else path, **environ}
    return subprocess.run(
        ["/bin/sh", str(HOOK)], capture_output=True, text=True, timeout=50, check=False, env=found, stdin=None
    )


@needs_shell
def test_a_session_gets_the_digest_and_one_line_of_what_waits(home: Path) -> None:
    busy(home)
    done = hook()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Backups were never restored" in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("memdesk: 1 request waits (oldest just now); 1 write of an agent about you waits")
    assert len([line for line in done.stdout.splitlines() if line.startswith("memdesk: ")]) == 1


@needs_shell
def test_a_calm_store_gives_the_digest_alone(home: Path) -> None:
    done = hook()
    assert (done.returncode, done.stderr) == (0, "")
    assert "Backups were never restored" in done.stdout and "memdesk: " not in done.stdout


@needs_shell
def test_the_budget_and_the_workspace_of_the_digest_can_be_set(home: Path) -> None:
    with Desk.open(home, ANA) as desk:
        desk.add(name="project_lab_fan", body="x", workspace="lab", klass="thread", initiative="fan", description="x")
    assert "project_lab_fan" in hook().stdout and "project_lab_backup" in hook().stdout
    assert "project_lab_backup" not in hook(MEMDESK_HOOK_CHARS="10").stdout
    assert "could not be read" in hook(MEMDESK_WORKSPACE="nowhere").stdout


@needs_shell
def test_without_a_store_nothing_is_said_and_none_is_made(tmp_path: Path) -> None:
    done = hook()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "memdesk").exists()


@needs_shell
def test_without_memdesk_nothing_is_said(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for done in (hook(path=str(empty)), hook(MEMDESK="memdesk-that-is-not-there")):
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    conn = sqlite3.connect(folder / "memdesk.db", isolation_level=None)
    conn.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        conn.execute("ROLLBACK")
        conn.close()


@needs_shell
def test_a_store_that_another_process_writes_to_is_read_all_the_same(home: Path) -> None:
    busy(home)
    with locked(home):
        done = hook()
    assert done.returncode == 0
    assert "Backups were never restored" in done.stdout and "memdesk: 1 request waits" in done.stdout


@needs_shell
def test_a_memory_that_cannot_be_read_is_not_taken_for_an_empty_one(home: Path) -> None:
    (home / "memdesk.db").write_bytes(b"no database" * 1000)
    done = hook()
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(UNREAD + r" `memdesk status` in a terminal says more\.\n", done.stdout)


#: One line, with the reason.
UNREAD = r"memdesk: the memory could not be read: \S.*\."


@needs_shell
@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"MEMDESK_WORKSPACE": "nope"}, UNREAD.replace(r"\S.*\.", r"There is no workspace 'nope'\..*")),
        ({"MEMDESK_HOME": __file__}, UNREAD.replace(r"\S.*\.", r".*test_agents_docs\.py is a file.*")),
        ({"MEMDESK_HOOK_CHARS": "abc"}, r"memdesk: MEMDESK_HOOK_CHARS is no number; 1500 is used\."),
        ({"MEMDESK_HOOK_SECONDS": "x"}, r"memdesk: MEMDESK_HOOK_SECONDS is no number; 10 is used\."),
    ],
)
def test_a_wrong_setting_is_named(home: Path, setting: dict[str, str], said: str) -> None:
    done = hook(**setting)
    first, *rest = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "") and re.fullmatch(said, first), first
    assert ("Backups were never restored" in "\n".join(rest)) is ("HOOK" in next(iter(setting)))


# -- the skill text -------------------------------------------------------------------------------------------------


def test_every_command_of_the_skill_does_what_it_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMDESK_ROLE", "orchestrator")
    blocks = re.findall(r"```json\n(.*?)```", SKILL, re.DOTALL)
    for name, block in zip(("contract.json", "suggestions.json"), blocks, strict=True):
        (tmp_path / name).write_text(block, encoding="utf-8")
    told = commands(SKILL)
    assert len(told) == 20
    for one in run(told, monkeypatch, capsys):
        assert one.code == one.expected, (one.line, one.said)
    said = {one.line: one.said for one in told}
    assert "project_lab_backup" in said['memdesk search "restore" --workspace lab']
    assert "4 proposed" in said["memdesk --role specialist propose --file contract.json --workspace lab"]
    with Desk.open(home, ANA) as desk:
        assert desk.find("project_lab_backup").description == "Backups were never restored", "nothing was changed"
        kinds = [(row.verb, row.payload["kind"]) for row in desk.requests()]
        assert len(kinds) == 6 and {kind for _, kind in kinds} == {"proposal"}
        assert all(row.asked_by == "agent:scout" for row in desk.requests(None))
        assert {op.session_id for op in desk.log(None, by="agent:scout")} == {"session-41"}


def test_the_verbs_that_it_calls_free_are_free_and_the_others_wait() -> None:
    free, waits = (SKILL.split(f"## {head}")[1].split("\n## ")[0] for head in ("What is free", "What waits"))
    named = set(re.findall(r"`(?:memdesk )?([a-z-]+)", free)) & set(VERBS)
    assert named == {
        "add", "append", "comment", "reclassify", "graduate", "link", "unlink", "supersede", "checkpoint", "judge",
        "undo",
    }  # fmt: skip
    for verb in named:
        assert rule(PolicyRole.ORCHESTRATOR, verb).allowed, verb
    asked = set(re.findall(r"`([a-z-]+)", waits.split("each becomes")[0])) & set(VERBS)
    assert asked == {"edit", "delete", "restore", "rename", "move-workspace", "retire", "add", "merge"}
    for verb in asked:
        facts = Facts(replaces_text=verb in ("add", "merge"))
        assert rule(PolicyRole.ORCHESTRATOR, verb, facts).waits, verb
    t3 = {verb for verb, kind in VERBS.items() if kind == "t3" and " " not in verb}
    assert t3 - {"erase"} <= asked, "erase is told as `delete --hard`"
