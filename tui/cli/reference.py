"""Writes docs/commands.md from the commands: `python -m memdesk.tui.cli.reference docs/commands.md`.

Built from the commands themselves and not from their help pages, whose layout follows click's version.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from .shell import FAMILIES, main, shared_flags

_INTRO = """# Commands

Everything that the desk can do, a command can do too. Every command takes `--json`, before or after its name, and
answers with one JSON value on standard output; a failure is `{"error": {"code", "message", "hint", ...}}` there.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 waits for approval (the request's id is in the answer),
4 not found, 130 stopped with ctrl+c. `push` exits 1 while something waits, `batch` where an operation failed.

An entry is named by its name, by `workspace/name`, by its id, or by the beginning of its id (six characters or more).
Wherever a text is taken, `@FILE` reads it from a file and `@-` from standard input; `@@` is the sign itself.

Text is cut to the terminal's width and shows hidden characters as marks; in a pipe it is whole and as it is.
`NO_COLOR` turns styles off.
"""

_ROLES = """
## Who acts

The actor is `--actor`, else `MEMDESK_ACTOR`, else `user:<login>`. The role is `MEMDESK_ROLE`, else `user` where
standard error is a terminal and the actor is not named `agent:…`, else `orchestrator`; `--role` may lower it and never
raises it, so a person's own script sets `MEMDESK_ROLE=user`. What a role may not do alone becomes a request and exits
3 (`memdesk requests`). This keeps honest agents honest; it is no wall against others. Approving and rejecting need the
role `user` and a terminal, and the request must have been shown there whole.
"""


def page() -> str:
    """The text of docs/commands.md as it should be now."""
    parts = [_INTRO, "## Options of every command\n", _options(shared_flags()), _ROLES]
    for family, verbs in FAMILIES.items():
        parts.append(f"\n## {family}\n")
        for name in verbs:
            command = main.get_command(click.Context(main), name)
            assert command is not None
            for path, found in walk(name, command):
                parts.append(_section(path, found))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The command and, of a group, its sub-commands, each with its words."""
    yield path, command
    if isinstance(command, click.Group):
        for name, found in command.commands.items():
            yield from walk(f"{path} {name}", found)


def _section(path: str, command: click.Command) -> str:
    own = getattr(command, "own_params", command.params)
    arguments = [_argument(p) for p in own if isinstance(p, click.Argument)]
    usage = " ".join(["memdesk", path, *(["[OPTIONS]"] if any(_shown(p) for p in own) else []), *arguments])
    if isinstance(command, click.Group):
        usage = f"memdesk {path} [COMMAND]"
    lines = [f"### `{path}`\n", f"    {usage}\n", _help(command)]
    options = _options(own)
    if options:
        lines.append(f"\n{options}")
    examples = getattr(command, "examples", ())
    if examples:
        lines.append("\n```sh\n" + "\n".join(examples) + "\n```")
    return "\n".join(lines) + "\n"


def _help(command: click.Command) -> str:
    """The help text as Markdown: what click prints as it stands becomes a code block."""
    parts = []
    for block in inspect.cleandoc(command.help or "").split("\n\n"):
        if block.startswith("\b\n"):
            parts.append("\n".join(f"    {line}".rstrip() for line in block[2:].split("\n")))
        else:
            parts.append(_plain(block))
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """Angle brackets and stars as signs, not as markup."""
    return text.replace("<", "\\<").replace("*", "\\*")


def _options(params: list[click.Parameter]) -> str:
    lines = []
    for param in params:
        if not _shown(param):
            continue
        assert isinstance(param, click.Option)
        flags = ", ".join(f"`{o}`" for o in param.opts)
        value = "" if param.is_flag else f" `{_value(param)}`"
        more = " Required." if param.required else ""
        lines.append(f"- {flags}{value}: {_plain(param.help or '')}{more}")
    return "\n".join(lines)


def _argument(param: click.Argument) -> str:
    name = (param.name or "").rstrip("_").upper()
    return param.metavar or (name if param.required else f"[{name}]")


def _value(param: click.Option) -> str:
    if isinstance(param.type, click.Choice):
        return "|".join(map(str, param.type.choices))
    return param.metavar or param.type.name.upper().replace(" RANGE", "")


def _shown(param: click.Parameter) -> bool:
    return isinstance(param, click.Option) and not param.hidden


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else "docs/commands.md").write_text(page(), encoding="utf-8")
