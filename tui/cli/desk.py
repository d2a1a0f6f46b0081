"""Opening the desk on screen, and the throw-away demo of it. The screen is imported only here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...core.errors import MemdeskError
from .call import Call, this_call
from .inputs import NAME
from .output import is_terminal, put_line, put_styled
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Actor


class NoScreen(MemdeskError):
    """The full screen cannot be drawn here."""

    code = "no_screen"


@verb("desk", examples=["memdesk desk", "memdesk desk --pane threads --workspace me"])
@click.option("--pane", type=NAME, default="", help="The pane to start with.")
@click.option("--workspace", type=NAME, help="The workspace to start in.")
@click.pass_context
def desk_command(ctx: click.Context, pane: str, workspace: str | None) -> None:
    """Open the desk on this terminal. `memdesk` alone does the same."""
    call = this_call(ctx)
    _must_draw(call)
    open_screen(call.folder(), call.who(), workspace=workspace, pane=pane)


@verb("demo", examples=["memdesk demo", "memdesk demo --into /tmp/demo"])
@click.option("--into", metavar="DIR", help="Write the demo store into DIR (which must hold none) and do not open it.")
@click.pass_context
def demo_command(ctx: click.Context, into: str | None) -> None:
    """Open the desk on a made-up memory that is thrown away afterwards; nothing of yours is touched."""
    import tempfile

    call = this_call(ctx)
    if into is not None:
        folder = Path(into).expanduser().absolute()
        if (folder / "memdesk.db").exists():
            raise MemdeskError(f"{folder} holds a store already.", "Name an empty folder.", code="store_exists")
        _build(folder)
        call.answer(
            {"status": "written", "store": str(folder), "warnings": []},
            lambda: put_line(f"Wrote the demo to {folder}. Open it with memdesk --store {folder}."),
        )
        return
    _must_draw(call)
    with tempfile.TemporaryDirectory(prefix="memdesk-demo-") as name:
        folder = Path(name) / "store"
        _build(folder)
        open_screen(folder, _visitor())


def open_or_tell(ctx: click.Context, call: Call) -> None:
    """`memdesk` alone: the desk on a terminal, else how things stand and where to read on."""
    from .status import tell_status

    if not call.json and not _refusal():
        open_screen(call.folder(), call.who())
        return
    tell_status(call, None)
    if not call.json:
        put_styled("`memdesk --help` lists the commands; on a terminal `memdesk` opens the desk.", "dim")


def open_screen(folder: Path, actor: Actor, *, workspace: str | None = None, pane: str = "") -> None:
    """Run the desk until the person leaves it.

    Raises:
        MemdeskError: the store cannot be opened, or its settings are broken.
    """
    # Read by Textual when it is imported.
    os.environ.setdefault("TEXTUAL_ANIMATIONS", "none")
    from ...core.config import load
    from ..app import run_desk

    run_desk(folder, actor, config=load(folder), workspace=workspace, pane=pane)


def _refusal() -> str:
    """Why the screen cannot be drawn, or ""."""
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        return "The desk needs a terminal."
    from ..themes import screen_refusal

    return screen_refusal(os.environ, True)


def _must_draw(call: Call) -> None:
    reason = _refusal() or ("The desk is a screen; it has no JSON." if call.json else "")
    if reason:
        raise NoScreen(reason, "Use the commands instead: `memdesk --help` lists them.")


def _visitor() -> Actor:
    """The person of the demo, so that what happened since their last visit is news."""
    from ...core.demo.content import ANA
    from ...core.desk import Actor
    from ...core.policy import Role

    return Actor(ANA, Role.USER, None, True)


def _build(folder: Path) -> None:
    from ...core.demo import build

    build(folder)
