"""Every command line of the three seeds is run, and its effect looked at (tests/seed_commands.tsv).

Columns: the seed; the line as it stands there with the program's name replaced; the line that is run ("=" for the same;
placeholders filled, `{name}` is an entry's id); the role; what is set up before; the exit code; the effect; and where
memdesk does otherwise, "differs because …". Lines with a pipe, a here-document or several commands run in a shell.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.desk import Actor, Desk
from memdesk.core.events import Clock
from memdesk.core.policy import Role
from memdesk.tui.cli import main
from memdesk.tui.cli.shell import MODULES

TABLE = Path(__file__).with_name("seed_commands.tsv")
SEEDS = Path(__file__).resolve().parents[2] / "shared" / "seeds"
FILES = {
    "mechanics": "gaia-memory-mechanics.txt",
    "skill": "gaia-memory-skill.txt",
    "maintenance": "thrum-memory-maintenance.txt",
}
ANA = Actor("user:ana", Role.USER, None, True)
#: Verbs of the seeds that come in a later issue.
LATER = frozenset({"conflicts"})
START_MS = 1_790_000_000_000


@dataclass(frozen=True)
class Row:
    number: int
    seed: str
    line: str
    run: str
    role: str
    setup: str
    exit: int
    effect: str
    differs: str


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def _rows() -> list[Row]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = []
    for number, cells in enumerate(table, 2):
        line = _unescape(cells["line"])
        run = line if cells["run"] == "=" else _unescape(cells["run"])
        rows.append(Row(
            number, cells["seed"], line, run, cells["role"], cells["setup"], int(cells["exit"]), cells["effect"],
            cells["differs"],
        ))  # fmt: skip
    return rows


ROWS = _rows()


# -- the prepared store -------------------------------------------------------------------------------------------

#: name, type, class, status, description, body, and what else there is
ENTRIES: tuple[tuple[str, str, str, str | None, str, str, dict[str, Any]], ...] = (
    ("atom_topic", "atom", "anchor", None, "Caching topic", "Caching: keep it small.", {}),
    ("atom_narrow", "atom", "anchor", None, "Narrow", "One fact.", {}),
    ("atom_broad", "atom", "anchor", None, "Broad", "Both facts.", {}),
    ("atom_node_20", "atom", "anchor", None, "Node", "Node 20 is used.", {}),
    ("negative_path", "negative", "anchor", None, "Closed path", "Tried, failed.", {}),
    ("decision_old", "decision", "anchor", None, "Old choice", "Chose Postgres.", {}),
    ("decision_new", "decision", "anchor", None, "New choice", "Chose SQLite.", {}),
    ("user_about", "user", "anchor", None, "About the user", "Likes tea.", {}),
    ("project_running", "project", "thread", "carry_forward", "Running work", "Running notes.",
     {"initiative": "x", "tags": ["running"]}),
    ("project_anchored_thread", "project", "thread", "open", "Anchored work", "Anchored notes.",
     {"initiative": "x", "project_ref": "/repos/x/.git"}),
    ("project_of_y", "project", "thread", "open", "Work of y", "Notes of y.", {"project_ref": "/repos/y/.git"}),
    ("project_anchored", "project", "anchor", None, "Anchored", "Older.", {"project_ref": "/repos/x/.git"}),
    ("project_noise", "project", "log", None, "Noise", "Pure noise.", {}),
    ("feedback_gaia", "feedback", "thread", "carry_forward", "A rub", "It rubs.", {"initiative": "gaia_system"}),
    # names as only a host brings them; the seeds' examples use them
    ("thread_handoff", "project", "thread", "open", "Handoff", "Hand it over.", {}),
    ("thread_promoted", "project", "thread", "graduated", "Promoted", "Became knowledge.", {}),
    ("thread_old", "project", "thread", "open", "Old", "Long done.", {}),
    ("anchor_routing", "project", "anchor", None, "Routing", "Routes live in one file.", {}),
    ("a", "atom", "anchor", None, "A", "Text of a.", {}),
    ("b", "atom", "anchor", None, "B", "Text of b.", {}),
)  # fmt: skip


def _prepare(folder: Path) -> None:
    now = START_MS

    def tick() -> int:
        nonlocal now
        now += 60_000
        return now

    with Desk.open(folder, ANA, clock=Clock(tick)) as desk:
        for name in ("me", "other"):
            desk.add_workspace(name)
        for workspace, name, identity in (("me", "x", "/repos/x/.git"), ("other", "y", "/repos/y/.git"),
                                          ("me", "noid", None)):  # fmt: skip
            desk.store.add_project(workspace, name, identity=identity)
        for name, type_, klass, status, description, body, more in ENTRIES:
            with desk.operation("add", f"Added {name}") as op:
                op.create({
                    "workspace": "me", "name": name, "type": type_, "class": klass, "status": status,
                    "description": description, "body": body, **more,
                })  # fmt: skip
        desk.add(name="atom_elsewhere", body="Elsewhere.", description="Elsewhere", workspace="other")
        desk.link("a", "related_to", "b")
        desk.add_episode("Cache incident", "The caching layer was cold.", workspace="me")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared") / "store"
    _prepare(folder)
    return folder


# -- running ------------------------------------------------------------------------------------------------------


@dataclass
class Done:
    code: int
    out: str
    err: str


class Bench:
    """One copy of the prepared store, and a folder in which lines are run."""

    def __init__(self, prepared: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.store = folder / "store"
        shutil.copytree(prepared, self.store)
        self.place = folder / "place"
        self.place.mkdir()
        self.tmp = folder / "tmp"
        self.tmp.mkdir()
        self.capsys = capsys

    @contextmanager
    def desk(self) -> Iterator[Desk]:
        with Desk.open(self.store, ANA) as desk:
            yield desk

    def run(self, line: str, role: str) -> Done:
        with self.desk() as desk:
            ids = {name: desk.find(name).id for name in re.findall(r"\{(\w+)\}", line)}
        for name, entry_id in ids.items():
            line = line.replace("{" + name + "}", entry_id)
        line = line.replace("/tmp/", f"{self.tmp}/").replace("ep_1", self._episode())
        environ = {
            "MEMDESK_HOME": str(self.store), "MEMDESK_ROLE": role,
            "MEMDESK_ACTOR": "user:ana" if role == "user" else f"agent:{role}",
        }  # fmt: skip
        joined = line.replace("\\\n", " ")
        if "\n" in joined or "|" in joined or "<<" in joined:
            return self._shell(line, environ)
        return self._inside(shlex.split(joined), environ)

    def _episode(self) -> str:
        with self.desk() as desk:
            return desk.store.own_episodes()[0].id

    def _inside(self, words: list[str], environ: dict[str, str]) -> Done:
        assert words[0] == "memdesk"
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            patch.chdir(self.place)
            self.capsys.readouterr()
            code = main.main(words[1:], standalone_mode=False)
        captured = self.capsys.readouterr()
        return Done(code, captured.out, captured.err)

    def _shell(self, line: str, environ: dict[str, str]) -> Done:
        """The line in a real shell, with a `memdesk` of this interpreter on the path."""
        bin_ = self.tmp / "bin"
        if not bin_.exists():
            bin_.mkdir()
            script = bin_ / "memdesk"
            script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memdesk_shim "$@"\n')
            script.chmod(0o755)
            (bin_ / "memdesk_shim.py").write_text("from memdesk.tui.cli import main\nmain()\n")
        env = os.environ | environ | {"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(bin_)}
        run = subprocess.run(
            ["sh", "-ec", line], cwd=self.place, env=env, capture_output=True, text=True, timeout=50, check=False
        )
        return Done(run.returncode, run.stdout, run.stderr)

    # -- setting up -----------------------------------------------------------------------------------------------

    def set_up(self, setup: str) -> None:
        for step in filter(None, (s.strip() for s in setup.split(" ; "))):
            kind, _, rest = step.partition(" ")
            if kind == "run":
                done = self.run(rest, "user")
                assert done.code == 0, done.err
            elif kind == "limits":
                (self.store / "config.toml").write_text("[memory.limits]\n" + rest.replace("=", " = ") + "\n")
            else:
                self._file(rest).write_text(PAYLOADS[kind])

    def _file(self, name: str) -> Path:
        return self.tmp / name.removeprefix("/tmp/") if name.startswith("/tmp/") else self.place / name


PAYLOADS = {
    "file": "From a file: `code`, $signs and \"quotes\".\n",
    "milestone": json.dumps({
        "resumen": {"name": "project_milestone", "type": "project", "body": "It works.", "description": "Milestone"},
        "pendientes": [{"name": "project_left", "body": "Polish it.", "description": "Left to do"}],
    }),
    "broken-milestone": json.dumps({
        "resumen": {"name": "project_milestone", "type": "project", "body": "It works."},
        "pendientes": [{"name": "project_left"}],
    }),
    "batch": json.dumps([
        {"op": "append", "ref": "project_running", "text": "From a batch."},
        {"op": "append", "ref": "project_nowhere", "text": "x"},
    ]),
}  # fmt: skip


# -- effects ------------------------------------------------------------------------------------------------------


def _value(desk: Desk, name: str, field: str) -> str:
    entry = desk.find(name)
    value = getattr(entry, "klass" if field == "class" else field)
    if isinstance(value, tuple):
        return ",".join(value)
    return "null" if value is None else str(value)


def _edge(desk: Desk, spec: str) -> bool:
    source, kind, target = spec.split(">")
    return bool(desk.store.edges(kind=kind, source=desk.find(source).id, target=desk.find(target).id))


def _code_of(done: Done) -> str:
    if done.out.startswith("{"):
        return str(json.loads(done.out)["error"]["code"])
    found = re.search(r"^Error \[(\w+)\]: ", done.err, re.MULTILINE)
    return found[1] if found else ""


def _check(effect: str, done: Done, desk: Desk, written: int) -> None:
    """One effect, such as `atom_x.class=anchor`, `edge:a>related_to>b`, `out~text`, `error=code`."""
    simple: dict[str, Callable[[str], bool]] = {
        "out~": lambda text: text in done.out,
        "out!~": lambda text: text not in done.out,
        "err~": lambda text: text in done.err,
        "error=": lambda code: _code_of(done) == code,
        "absent:": lambda name: not desk.store.lookup(name) or desk.store.lookup(name)[0].body == "",
        "edge:": lambda spec: _edge(desk, spec),
        "noedge:": lambda spec: not _edge(desk, spec),
        "request=": lambda verb: [r.verb for r in desk.requests()] == [verb],
        "written=": lambda no: written == 0,
        "json=": lambda kind: kind in ("any", type(json.loads(done.out)).__name__),
        "versions:": lambda spec: len(desk.history(spec.partition("=")[0])[1]) == int(spec.partition("=")[2]),
    }
    for start, holds in simple.items():
        if effect.startswith(start):
            assert holds(effect[len(start) :].replace("\\n", "\n")), (effect, done)
            return
    name, dot, rest = effect.partition(".")
    assert dot, f"no such effect: {effect}"
    field, sign, wanted = re.fullmatch(r"(\w+)([=~])(.*)", rest).groups()  # type: ignore[union-attr]
    wanted = wanted.replace("\\n", "\n")
    value = _value(desk, name, field)
    assert (value == wanted) if sign == "=" else (wanted in value), (effect, value)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"line{r.number}")
def test_the_line_does_what_the_table_says(
    row: Row, prepared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(prepared, tmp_path, capsys)
    bench.set_up(row.setup)
    with bench.desk() as desk:
        before = len(desk.log(None))
    done = bench.run(row.run, row.role)
    assert done.code == row.exit, (row.run, done)
    assert "Traceback" not in done.err
    with bench.desk() as desk:
        written = len(desk.log(None)) - before
        for effect in filter(None, row.effect.split(" ; ")):
            _check(effect, done, desk, written)


# -- completeness -------------------------------------------------------------------------------------------------


def test_every_row_has_an_effect_or_a_reason() -> None:
    assert [r.number for r in ROWS if not r.effect and not r.differs] == []
    assert {r.seed for r in ROWS} == set(FILES)
    assert all(r.differs.startswith("differs because ") for r in ROWS if r.differs)
    assert all(r.role in set(Role) for r in ROWS)


def _mentioned(seed: str) -> list[str]:
    """Every `gaia memory VERB …` and `thrum memory VERB …` of a seed, to the end of its quotation or line."""
    text = (SEEDS / FILES[seed]).read_text(encoding="utf-8")
    return re.findall(r"(?:gaia|thrum) memory ([a-z-]+[^\n`#]*)", text)


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the seeds are not beside this checkout")
@pytest.mark.parametrize("seed", FILES)
def test_no_command_line_of_a_seed_is_missing(seed: str) -> None:
    """A line counts as listed when one of the table has its verb and its first two flags."""
    listed = [re.sub(r"\s+", " ", r.line.replace("\\\n", " ")) for r in ROWS if r.seed == seed]
    missing = []
    for found in _mentioned(seed):
        verb = re.match(r"[a-z-]+", found)[0]  # type: ignore[index]
        if verb not in MODULES and verb not in LATER:
            assert verb in ("entries", "subcommand"), f"a verb that memdesk does not know: {found}"
            continue
        sentence = re.split(r"\.\s|,|\(|\)|;", found)[0]
        flags = re.findall(r"--[a-z-]+", sentence)[:2]
        if not any(re.search(rf"memdesk {verb}\b", line) and all(f in line for f in flags) for line in listed):
            missing.append(found)
    assert missing == []
