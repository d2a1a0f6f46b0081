"""Run by the python of a bare environment: the installed wheel is whole, and its command works."""

from __future__ import annotations

import importlib
import importlib.util
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
print(f"{modules} modules of the wheel import; {run('--version').strip()}")
