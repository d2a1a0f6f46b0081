"""Every command: help, examples that parse, a row in the policy table, its place in docs/commands.md."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from memdesk.core.policy import VERBS
from memdesk.tui.cli import main
from memdesk.tui.cli.reference import page, walk
from memdesk.tui.cli.shell import FAMILIES, MODULES

DOCS = Path(__file__).resolve().parents[3] / "docs" / "commands.md"


def _all() -> list[tuple[str, click.Command]]:
    found = []
    for name in MODULES:
        command = main.get_command(click.Context(main), name)
        assert command is not None, name
        found += list(walk(name, command))
    return found


ALL = _all()
IDS = [path for path, _ in ALL]


@pytest.mark.parametrize(("path", "command"), ALL, ids=IDS)
def test_command_has_help_and_an_example(path: str, command: click.Command) -> None:
    assert command.help and command.help.strip().split("\n")[0].endswith((".", ":"))
    assert getattr(command, "examples", ()), "an example for the help page"
    assert all(p.help for p in command.params if isinstance(p, click.Option)), "help for every option"
    assert {"--json", "--store", "--actor", "--role", "--session-id"} <= {o for p in command.params for o in p.opts}


@pytest.mark.parametrize(("path", "command"), ALL, ids=IDS)
def test_help_page_is_printed(
    path: str, command: click.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main([*path.split(), "--help"], standalone_mode=False) == 0
    shown = capsys.readouterr().out
    assert f"Usage: memdesk {path}" in shown
    assert "Example" in shown and "--json" in shown


@pytest.mark.parametrize("path", IDS)
def test_command_stands_in_the_policy_table(path: str) -> None:
    assert path in VERBS


@pytest.mark.parametrize(("path", "command"), ALL, ids=IDS)
def test_examples_parse(path: str, command: click.Command) -> None:
    """Every `memdesk …` of an example names flags that exist."""
    for example in getattr(command, "examples", ()):
        words = shlex.split(example)
        starts = [i for i, word in enumerate(words) if word == "memdesk"]
        assert starts, example
        for start in starts:
            context = click.Context(main, info_name="memdesk", resilient_parsing=True)
            found: click.Command | None = main
            rest = words[start + 1 :]
            while isinstance(found, click.Group) and rest:
                _, found, rest = found.resolve_command(click.Context(found, parent=context), rest)
            assert found is not None
            found.make_context("memdesk", rest, parent=context, resilient_parsing=True)


def test_the_page_is_current() -> None:
    told = DOCS.read_text(encoding="utf-8")
    assert told == page(), "run: python -m memdesk.tui.cli.reference docs/commands.md"
    assert set(IDS) == set(re.findall(r"^### `(.+)`$", told, re.MULTILINE))


def test_families_name_every_verb_once() -> None:
    named = [verb for verbs in FAMILIES.values() for verb in verbs]
    assert len(named) == len(set(named)) == len(MODULES)
    summaries = [summary for verbs in FAMILIES.values() for _, summary in verbs.values()]
    assert all(s.endswith(".") and len(s) <= 61 for s in summaries), "one line of the help page at 80 columns"


def test_the_help_of_memdesk_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["--help"], standalone_mode=False) == 0
    shown = capsys.readouterr().out
    assert [v for v in MODULES if not re.search(rf"^  {v} ", shown, re.MULTILINE)] == []
    assert "_MEMDESK_COMPLETE=bash_source" in shown
