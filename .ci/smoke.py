"""Run by the python of a bare environment: the installed wheel is whole, and its command works."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import pkgutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

checkout = Path(sys.argv[1])
config = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))

for tool in ("pytest", "mypy", "ruff", "hypothesis"):
    assert importlib.util.find_spec(tool) is None, f"{tool} is here: this is not a bare environment"

modules = 0
for top in ("core", "tui", "styles"):
    package = importlib.import_module(f"memdesk.{top}")
    here = Path(package.__path__[0])
    assert checkout not in here.parents, f"memdesk.{top} comes from the checkout, not from the wheel"
    for pattern in ("*.py", "*.tcss", "py.typed"):
        want = {f.relative_to(checkout / top) for f in (checkout / top).rglob(pattern)}
        have = {f.relative_to(here) for f in here.rglob(pattern)}
        assert want == have, f"{top}: wheel and checkout differ in {sorted(map(str, want ^ have))}"
    for found in pkgutil.walk_packages(package.__path__, f"memdesk.{top}."):
        # Importing a __main__ would run it.
        if not found.name.endswith(".__main__"):
            importlib.import_module(found.name)
            modules += 1

command = Path(sys.executable).with_name("memdesk")


def run(*args: str) -> str:
    """What `memdesk ARGS` prints; it must succeed."""
    done = subprocess.run([command, *args], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, f"{args} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


assert version("memdesk") == config["project"]["version"]
assert config["project"]["version"] in run("--version")
assert "Usage" in run("--help")
run("workspace", "add", "lab")
run("add", "project_a", "--workspace", "lab", "--class", "thread", "--body", "Text.", "--description", "One thing")
assert "project_a" in run("get-relevant", "--workspace", "lab")
run("reclassify", "project_a", "--status", "closed")
assert "project_a" not in run("get-relevant", "--workspace", "lab")
run("undo")
assert "project_a" in run("get-relevant", "--workspace", "lab")


async def first_frame() -> str:
    """The name under the cursor in the desk's first frame: styles and word tables came with the wheel."""
    from memdesk.core.desk import Actor, Desk
    from memdesk.tui.app import MemdeskApp

    app = MemdeskApp(lambda: Desk.open(Path(os.environ["MEMDESK_HOME"]), Actor("user:smoke")), live=False)
    async with app.run_test(size=(120, 40)):
        for _ in range(600):
            if app.pane.list.cursor_row is not None:
                return str(app.pane.list.cursor_row)
            await asyncio.sleep(0.05)
    raise AssertionError("the desk showed no row within 30 s")


assert "project_a" in asyncio.run(first_frame()) or "One thing" in asyncio.run(first_frame())
from memdesk.core.contradiction import compare  # noqa: E402 - its word tables are package data

assert compare("The prune is enabled.", "The prune is disabled.")
print(f"{modules} modules of the wheel import; {run('--version').strip()}")
