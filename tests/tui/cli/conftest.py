"""The commands against a small store of their own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command_line import ANA, Cli

from memdesk.core.desk import Desk


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspaces me and other, a project, and four entries; copied for each test."""
    folder = tmp_path_factory.mktemp("template") / "store"
    with Desk.open(folder, ANA) as desk:
        for name in ("me", "other"):
            desk.add_workspace(name)
        desk.store.add_project("me", "x", identity="/repos/x/.git")
        desk.add(name="atom_port", body="The port is 8080.", description="Port", workspace="me", tags=("net",))
        desk.add(name="decision_db", body="SQLite.", description="Database", workspace="me")
        desk.add(name="project_run", body="Half done.", description="Running", workspace="me", klass="thread",
                 status="carry_forward", initiative="launch")  # fmt: skip
        desk.add(name="atom_port", body="Another port.", description="Other port", workspace="other")
    return folder


@pytest.fixture
def cli(template: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The commands as user:ana, on a copy of the template."""
    made = Cli(tmp_path / "memdesk", capsys, monkeypatch)
    shutil.copytree(template, made.folder)
    made.role("user")
    monkeypatch.chdir(tmp_path)
    return made
