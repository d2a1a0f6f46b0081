"""Failures: one sentence with a stable code and an exit code; with --json one object on stdout and nothing else."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Cli, Done

from memdesk.core.desk import Desk
from memdesk.core.errors import StoreLocked, StoreUnusable
from memdesk.tui.cli import main, output, shell

#: command line -> exit code and code
FAILURES: list[tuple[str, int, str]] = [
    ("nonsense", 2, "usage"),
    ("lst", 2, "usage"),
    ("list --nonsense", 2, "usage"),
    ("list --limit=many", 2, "usage"),
    ("list --status=bogus", 2, "usage"),
    ("list --class=bogus", 2, "usage"),
    ("list --sort=bogus", 2, "usage"),
    ("list --workspace=nope", 1, "unknown_workspace"),
    ("list --project=nope", 1, "project_unresolved"),
    ("list extra", 2, "usage"),
    ("show", 2, "usage"),
    ("show nothing", 4, "not_found"),
    ("show atom_port", 1, "ambiguous"),
    ("show ''", 4, "not_found"),
    ("add --body=B --workspace=me", 2, "usage"),
    ("add atom_a --name=atom_b --body=B --workspace=me", 2, "usage"),
    ("add atom_a --workspace=me", 2, "usage"),
    ("add atom_a --body=B --body-file=x --workspace=me", 2, "usage"),
    ("add atom_a --body=B", 1, "missing_scope"),
    ("add atom_a --body=B --project=nope", 1, "project_unresolved"),
    ("add atom_a --body=B --project=x --workspace=other", 1, "project_workspace_mismatch"),
    ("add atom_a --body=B --project=x --project-ref=y", 2, "usage"),
    ("add atom_a --body=B --workspace=nope", 1, "unknown_workspace"),
    ("add atom_a --body=B --workspace=a/b --create-workspace", 1, "invalid_name"),
    ("add nonsense --body=B --workspace=me", 1, "invalid_name"),
    ("add atom_a --type=decision --body=B --workspace=me", 1, "invalid_name"),
    ("add atom_a --body=' ' --workspace=me", 1, "invalid_value"),
    ("add atom_a --body='# H' --workspace=me", 1, "invalid_value"),
    ("add atom_a --body=B --class=bogus --workspace=me", 1, "invalid_value"),
    ("add atom_a --body=B --status=open --workspace=me", 1, "invalid_value"),
    ("add atom_a --body=B --class=thread --status=bogus --workspace=me", 1, "invalid_value"),
    ("add atom_a --body=B --audience=all --workspace=me", 1, "invalid_value"),
    ("create --kind=atom --title=T", 2, "usage"),
    ("create --kind=atom --title=' ' --oneline=O --workspace=me", 1, "invalid_value"),
    ("create --kind=atom --title=T --oneline=O --parent=none", 4, "not_found"),
    ("append decision_db", 2, "usage"),
    ("append decision_db --body=' '", 1, "invalid_value"),
    ("append none --body=x", 4, "not_found"),
    ("edit decision_db", 2, "usage"),
    ("edit", 2, "usage"),
    ("edit decision_db --content=x", 2, "usage"),
    ("edit decision_db --field=body", 2, "usage"),
    ("edit decision_db --field=bogus --content=x", 2, "usage"),
    ("edit decision_db --field=body --content=x --body=y", 2, "usage"),
    ("edit decision_db --append --title=x", 2, "usage"),
    ("edit decision_db --append --body=x --add-tag=y", 2, "usage"),
    ("edit decision_db --body=''", 1, "invalid_value"),
    ("edit decision_db --status=bogus", 1, "invalid_value"),
    ("edit decision_db --status=open", 1, "invalid_value"),
    ("reclassify decision_db", 2, "usage"),
    ("reclassify --status=open", 2, "usage"),
    ("graduate project_run --into=decision_db --name=atom_x --body=y", 2, "usage"),
    ("graduate project_run --name=atom_x", 2, "usage"),
    ("graduate project_run --body=x", 2, "usage"),
    ("link decision_db", 2, "usage"),
    ("link decision_db project_run", 2, "usage"),
    ("link decision_db supersedes project_run --kind=related_to", 2, "usage"),
    ("link decision_db related_to decision_db", 1, "edge_refused"),
    ("link decision_db related_to none", 4, "not_found"),
    ("supersede decision_db", 2, "usage"),
    ("delete", 2, "usage"),
    ("delete none", 4, "not_found"),
    ("delete decision_db project_run --hard", 2, "usage"),
    ("delete decision_db --hard", 1, "confirmation_needed"),
    ("rename decision_db nonsense", 1, "invalid_name"),
    ("rename decision_db project_run", 1, "name_taken"),
    ("move-workspace decision_db", 2, "usage"),
    ("move-workspace --to=other", 2, "usage"),
    ("move-workspace me/atom_port --to=other", 1, "name_taken"),
    ("move-workspace decision_db --to=nope", 1, "unknown_workspace"),
    ("checkpoint --workspace=me", 2, "usage"),
    ("checkpoint --file=none.json --workspace=me", 1, "bad_input"),
    ("batch --file=none.json", 1, "bad_input"),
    ("search --tag=x --scope=episodes", 2, "usage"),
    ("search x --scope=bogus", 2, "usage"),
    ("episode-show ep_x", 4, "not_found"),
    ("undo op_x", 4, "not_found"),
    ("redo", 1, "nothing_to_redo"),
    ("log none", 4, "not_found"),
    ("requests show req_x", 4, "not_found"),
    ("requests approve req_x", 4, "not_found"),
    ("requests reject req_x", 2, "usage"),
    ("requests bogus", 2, "usage"),
    ("workspace bogus", 2, "usage"),
    ("attach bogus", 2, "usage"),
    ("attach gaia none.db", 1, "host_away"),
    ("detach", 4, "not_found"),
    ("pull nothing", 4, "not_found"),
    ("desk", 1, "no_screen"),
    ("demo", 1, "no_screen"),
    ("--role=king list", 2, "usage"),
    ("--actor='' list", 2, "usage"),
    ("--store", 2, "usage"),
]


@pytest.mark.parametrize(("line", "exit_code", "code"), FAILURES, ids=[f[0] for f in FAILURES])
def test_code_and_exit_code(cli: Cli, line: str, exit_code: int, code: str) -> None:
    with cli.desk() as desk:
        before = [e.event_id for e in desk.store.events()]
    plain = cli(line)
    assert plain.code == exit_code, plain
    assert plain.out == ""
    first = plain.err.splitlines()[0]
    assert first.startswith(f"Error [{code}]: ") and first.endswith((".", "?")), plain.err
    as_json = cli(f"--json {line}")
    assert as_json.code == exit_code
    assert set(as_json.error) >= {"code", "message", "hint"}
    assert as_json.error["code"] == code
    assert f"Error [{code}]: {as_json.error['message']}" == first
    with cli.desk() as desk:
        assert [e.event_id for e in desk.store.events()] == before, "nothing is written"


def test_a_mistyped_verb_names_the_nearest(cli: Cli) -> None:
    assert "Did you mean 'list'?" in cli("lst").err


# -- texts from files and streams -----------------------------------------------------------------------------------


def _files(folder: Path) -> dict[str, str]:
    (folder / "text.md").write_text("From a file.\n", encoding="utf-8")
    (folder / "bom.md").write_bytes(b"\xef\xbb\xbfMarked.")
    (folder / "latin").write_bytes(b"caf\xe9")
    (folder / "nul").write_bytes(b"a\0b")
    (folder / "folder").mkdir()
    (folder / "broken.json").write_text('{"resumen": ', encoding="utf-8")
    (folder / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    (folder / "nan.json").write_text("[NaN]", encoding="utf-8")
    (folder / "half.json").write_text('[{"op": "append", "ref": "decision_db", "text": "a\\ud800"}]', encoding="utf-8")
    (folder / "nul.json").write_text('[{"op": "append", "ref": "decision_db", "text": "a\\u0000"}]', encoding="utf-8")
    return {p.name: str(p) for p in folder.iterdir()}


BAD_INPUT = [
    *(f"append decision_db --body-file={name}" for name in ("missing.md", "folder", "latin", "nul", "''")),
    *(f"append decision_db --body=@{name}" for name in ("missing.md", "folder", "latin", "nul")),
    "edit decision_db --title=@missing.md",
    *(f"batch --file={name}" for name in ("broken.json", "deep.json", "nan.json", "half.json", "nul.json", "folder")),
    "checkpoint --workspace=me --file=broken.json",
]  # fmt: skip


@pytest.mark.parametrize("line", BAD_INPUT)
def test_bad_input_is_one_sentence(cli: Cli, tmp_path: Path, line: str) -> None:
    _files(tmp_path)
    done = cli(f"{line} --json")
    assert (done.code, done.error["code"]) == (1, "bad_input")
    assert cli.entry("decision_db").body == "SQLite."


@pytest.mark.parametrize("payload", ["[]", "1", '"x"', "{}", '{"resumen": []}', '{"resumen": {}, "more": 1}', "null"])
def test_a_payload_of_another_shape(cli: Cli, payload: str) -> None:
    done = cli("checkpoint --workspace=me --file=- --json", stdin=payload)
    assert (done.code, done.error["code"]) == (1, "bad_shape")


@pytest.mark.parametrize("payload", ["{}", "1", '"x"', "null"])
def test_a_batch_of_another_shape(cli: Cli, payload: str) -> None:
    done = cli("batch --file=- --json", stdin=payload)
    assert (done.code, done.error["code"]) == (1, "bad_shape")


def test_every_way_to_give_a_text(cli: Cli, tmp_path: Path) -> None:
    _files(tmp_path)
    for line, stdin, body in (
        ("--body-file=text.md", "", "From a file.\n"),
        ("--body-file=bom.md", "", "Marked."),
        ("--body-file=-", "From stdin ✓", "From stdin ✓"),
        ("--body=@text.md", "", "From a file.\n"),
        ("--body=@-", "From stdin", "From stdin"),
        ("--body=@@handle", "", "@handle"),
        ("--body=@", "", "@"),
        ("--field=body --content=@text.md", "", "From a file.\n"),
        ("--field=body --body-file=-", "From stdin", "From stdin"),
    ):
        cli.ok(f"edit decision_db {line}", stdin=stdin)
        assert cli.entry("decision_db").body == body, line
    cli.ok("edit decision_db --field=description --body-file=text.md")
    assert cli.entry("decision_db").description == "From a file."


@pytest.mark.parametrize("words", [
    ("append", "decision_db", "--body", "a\0b"), ("append", "decision_db", "--body", "a\udcff"), ("show", "\udcff"),
    ("add", "--name", "atom_\udc80", "--body", "x", "--workspace", "me"), ("search", "\udcff"),
    ("--actor", "\udcff", "list"), ("append", "decision_db", "--body-file", "\udcff"),
])  # fmt: skip
def test_bytes_that_are_no_text(cli: Cli, words: tuple[str, ...]) -> None:
    """An argument with other bytes arrives as lone surrogates."""
    done = cli(*words, "--json")
    assert (done.code, done.error["code"]) == (1, "bad_input")
    assert done.out.isascii()
    assert cli(*words).err.encode("utf-8"), "the message itself can be printed"


# -- the store ------------------------------------------------------------------------------------------------------


def test_a_store_locked_by_another(cli: Cli) -> None:
    other = sqlite3.connect(cli.folder / "memdesk.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert cli.ok("list --format=count").out == "4\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(Desk.open.__func__.__kwdefaults__, "wait_ms", 50)
            done = cli("append decision_db --body=More. --json")
    finally:
        other.close()
    assert (done.code, done.error["code"]) == (1, "store_locked")
    assert cli.entry("decision_db").body == "SQLite."


@pytest.mark.parametrize("make", [
    lambda f: f.write_bytes(b"no database at all, by any means" * 40),
    lambda f: sqlite3.connect(f).execute("CREATE TABLE notes (text)").connection.commit(),
    lambda f: f.mkdir(),
], ids=["garbage", "foreign", "folder"])  # fmt: skip
@pytest.mark.parametrize("line", ["list", "add atom_a --body=B --workspace=me --create-workspace", "status", "undo"])
def test_a_file_that_is_no_store(cli: Cli, tmp_path: Path, make: Callable[[Path], object], line: str) -> None:
    folder = tmp_path / "foreign"
    folder.mkdir()
    make(folder / "memdesk.db")
    done = cli(f"--store={folder} {line} --json")
    assert (done.code, done.error["code"]) == (1, "store_unusable")


def test_a_store_of_a_newer_program(cli: Cli) -> None:
    conn = sqlite3.connect(cli.folder / "memdesk.db")
    conn.execute("PRAGMA user_version = 999")
    conn.close()
    assert cli("list --json").error["code"] == "store_unusable"


def test_a_broken_setting_is_said(cli: Cli) -> None:
    (cli.folder / "config.toml").write_text("types = 7\n", encoding="utf-8")
    assert cli("list --json").error["code"] == "bad_input"


def test_a_place_that_is_a_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert cli(f"--store={tmp_path / 'file'} list --json").error["code"] == "store_unusable"


@pytest.mark.parametrize(("error", "code"), [
    (sqlite3.OperationalError("database or disk is full"), "store_unusable"),
    (OSError(28, "No space left on device"), "system"),
    (StoreUnusable("The disk is full.", "Make room."), "store_unusable"),
    (StoreLocked("Locked.", ""), "store_locked"),
    (KeyboardInterrupt(), "interrupted"),
    (RuntimeError("what nobody thought of"), "internal"),
])  # fmt: skip
def test_nothing_becomes_a_traceback(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("memdesk.core.desk.Desk.open", fail)
    assert cli("list --json").error["code"] == code
    assert f"Error [{code}]: " in cli("list").err


# -- streams --------------------------------------------------------------------------------------------------------


def _real(cli: Cli, line: str, **more: object) -> Done:
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    script = f"import sys; from memdesk.tui.cli import main; sys.argv = ['memdesk', *{line.split()!r}]; main()"
    run = subprocess.run(
        [sys.executable, "-c", script], env=env, stderr=subprocess.PIPE, timeout=50, check=False, **more  # type: ignore[call-overload]
    )
    return Done(run.returncode, "", run.stderr.decode())


def test_a_reader_that_goes_away(cli: Cli) -> None:
    with cli.desk() as desk:
        for number in range(40):
            desk.append("decision_db", "x" * 4000 + str(number))
    read, write = os.pipe()
    os.close(read)
    done = _real(cli, "show decision_db", stdout=write)
    os.close(write)
    assert (done.code, done.err) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("line", ["list", "list --json", "append decision_db --body=More --json"])
def test_an_output_that_is_full(cli: Cli, line: str) -> None:
    """What was asked for may be done: it is not to be tried again unseen."""
    with open("/dev/full", "wb") as full:
        done = _real(cli, line, stdout=full)
    assert done.code == 1
    assert done.err.startswith("Error [answer_lost]: The answer could not be written") and "Traceback" not in done.err
    assert "may be done all the same" in done.err and "try again" not in done.err.replace("before you try again", "")
    assert ("More" in cli.entry("decision_db").body) == line.startswith("append")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_too_long_for_a_full_output(cli: Cli) -> None:
    cli.ok("append", "decision_db", "--body", "x" * 100_000)
    with open("/dev/full", "wb") as full:
        assert _real(cli, "show decision_db", stdout=full).err.startswith("Error [answer_lost]: ")


def test_closed_streams(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main.main(["append", "decision_db", "--body-file=-"], standalone_mode=False) == 1
    monkeypatch.setattr(sys, "stdout", None)
    assert main.main(["list"], standalone_mode=False) == 0


def test_an_output_of_another_encoding(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.ok("edit decision_db --body='Grüße 東'")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    assert main.main(["show", "decision_db"], standalone_mode=False) == 0
    assert b"Gr\\xfc\\xdfe \\u6771" in raw.getvalue()


def test_json_is_ascii(cli: Cli) -> None:
    cli.ok("edit", "decision_db", "--body", "Grüße \u202e \x9b")
    shown = cli.ok("show decision_db --json").out
    assert shown.isascii() and json.loads(shown)["body"] == "Grüße \u202e \x9b"


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--version"], standalone_mode=False) == 0
    assert capsys.readouterr().out.startswith("memdesk, version ")


def test_json_flag_is_seen_wherever_it_stands() -> None:
    for words, wanted in (
        (["--json", "list"], True), (["list", "--json"], True), (["list"], False), (["search", "--", "--json"], False),
        (["show", "x", "--format=json"], True), (["show", "x", "--format", "json"], True), (["show", "json"], False),
    ):  # fmt: skip
        assert shell._wants_json(words) is wanted, words


def test_start_does_not_load_the_screen(cli: Cli) -> None:
    """The verbs of every day start without Textual, Rich or sqlite-utils (STYLE 3, start-up)."""
    script = (
        "import sys; from memdesk.tui.cli import main\n"
        "code = main.main(['list'], standalone_mode=False)\n"
        "heavy = ('textual', 'rich', 'sqlite_utils', 'rapidfuzz', 'numpy')\n"
        "print(code, sorted(m for m in heavy if m in sys.modules))\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50, check=True)
    assert run.stdout.splitlines()[-1] == "0 []"
    assert output  # the module under test is this one
