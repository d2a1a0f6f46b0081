"""Workspaces and projects at the desk: what reads fall back to, what writes demand, what is registered (DESIGN 3.4)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.desk import Desk
from memdesk.core.errors import InvalidName, InvalidValue, NotAllowed, NotFound, ScopeError, UnknownWorkspace
from memdesk.core.store import Store


def add(desk: Desk, name: str, **flags: Any) -> Any:
    return desk.add(name=name, body="text", description="one line", **flags)


# -- reads -----------------------------------------------------------------------------------------------------------


def test_given_workspace_wins_over_the_variable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_WORKSPACE", "lab")
    assert desk.workspace_for_reading("me") == "me"
    assert desk.workspace_for_reading() == "lab"
    assert desk.workspace_for_reading(" ") == "lab"


def test_several_workspaces_mean_all_of_them(desk: Desk) -> None:
    assert desk.workspace_for_reading() is None


def test_the_only_workspace_is_meant(tmp_path: Path, as_role: Callable[..., Desk], desk: Desk) -> None:
    store = Store.open(tmp_path / "other")
    store.add_workspace("solo")
    other = Desk(store, desk.actor, desk.hosts, desk.config)
    assert other.workspace_for_reading() == "solo"
    store.close()


@pytest.mark.parametrize("given", ["mee", "nowhere"])
def test_unknown_workspace_is_an_error_for_reads_too(desk: Desk, given: str) -> None:
    for read in (desk.get_relevant, lambda w: desk.list_entries(workspace=w), lambda w: desk.search("x", workspace=w)):
        with pytest.raises(UnknownWorkspace) as caught:
            read(given)
        assert "--create-workspace" not in caught.value.hint, "a reading verb has no such flag"
        assert ("Did you mean me?" in caught.value.hint) is (given == "mee")


def test_variable_that_names_nothing_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_WORKSPACE", "gone")
    with pytest.raises(UnknownWorkspace) as caught:
        desk.workspace_for_reading()
    assert "MEMDESK_WORKSPACE" in caught.value.hint


def test_directory_one_stands_in_never_matters(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add(desk, "project_a", workspace="me", klass="thread")
    add(desk, "project_b", workspace="lab", klass="thread")
    blocks = []
    for place in ("me", "lab", "elsewhere"):
        (tmp_path / place).mkdir()
        monkeypatch.chdir(tmp_path / place)
        blocks.append(desk.get_relevant(count=False).block)
    assert blocks[0] == blocks[1] == blocks[2]


# -- writes ----------------------------------------------------------------------------------------------------------


def test_variable_alone_is_no_explicit_scope(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_WORKSPACE", "me")
    with pytest.raises(ScopeError) as caught:
        add(desk, "project_a")
    assert caught.value.stable_code == "missing_scope"
    assert desk.store.count() == 0


def test_broken_variable_does_not_stop_an_explicit_scope(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_WORKSPACE", "gone")
    assert add(desk, "project_a", workspace="me").entry.workspace == "me"


@pytest.fixture
def anchored(desk: Desk) -> Desk:
    desk.store.add_project("me", "tool", identity="/src/tool/.git")
    desk.store.add_project("me", "young")
    desk.store.add_project("lab", "rig", identity="/src/rig")
    return desk


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ({"project": "toool"}, "project_unresolved"),
        ({"workspace": "lab", "project": "tool"}, "project_workspace_mismatch"),
        ({"project": "young"}, "project_no_identity"),
        ({"project": "tool", "initiative": "gaia_system"}, "host_scoped_initiative"),
    ],
)
def test_refused_scope_writes_nothing(anchored: Desk, flags: dict[str, str], code: str) -> None:
    for write in (
        lambda: add(anchored, "project_a", **flags),
        lambda: anchored.checkpoint(
            {"resumen": {"name": "project_a", "type": "project", "body": "b", "description": "d"}, "pendientes": []},
            **{k: v for k, v in flags.items() if k != "initiative"},
        ),
    ):
        if code == "host_scoped_initiative" and write.__code__.co_names[0] != "add":
            continue
        with pytest.raises(ScopeError) as caught:
            write()
        assert caught.value.stable_code == code
    assert anchored.store.count() == 0
    assert anchored.store.operations() == []


def test_project_gives_workspace_identity_and_initiative(anchored: Desk) -> None:
    entry = add(anchored, "project_a", project="tool").entry
    assert (entry.workspace, entry.project_ref, entry.initiative) == ("me", "/src/tool/.git", "tool")


def test_new_workspace_needs_its_flag_and_is_registered_with_the_entry(desk: Desk) -> None:
    with pytest.raises(UnknownWorkspace):
        add(desk, "project_a", workspace="fresh")
    assert [w.name for w in desk.workspaces()] == ["lab", "me"]
    add(desk, "project_a", workspace="fresh", create_workspace=True)
    assert [w.name for w in desk.workspaces()] == ["fresh", "lab", "me"]
    assert add(desk, "project_b", workspace="fresh").entry.workspace == "fresh"


# -- registering -----------------------------------------------------------------------------------------------------


def test_workspace_is_registered_once(desk: Desk) -> None:
    first, second = desk.add_workspace("new"), desk.add_workspace("new")
    assert (first.action, second.action) == ("inserted", "noop")
    assert desk.add_workspace("new", identity="github.com/a/b").action == "updated"
    assert next(w.identity for w in desk.workspaces() if w.name == "new") == "github.com/a/b"
    assert desk.store.operations() == [], "the registry is local, never an event"


@pytest.mark.parametrize("name", ["a/b", "", " ", "x\ny"])
def test_workspace_name_that_cannot_be_typed_is_refused(desk: Desk, name: str) -> None:
    with pytest.raises(InvalidName):
        desk.add_workspace(name)


def test_specialist_registers_nothing(specialist: Desk) -> None:
    with pytest.raises(NotAllowed):
        specialist.add_workspace("new")
    with pytest.raises(NotAllowed):
        specialist.add_project("tool", workspace="me", remote="https://example.org/a/b")
    assert [w.name for w in specialist.workspaces()] == ["lab", "me"]


def test_project_from_a_repository_and_its_renewal(desk: Desk, tmp_path: Path) -> None:
    repo = tmp_path / "tool"
    repo.mkdir()
    desk.store.add_project("me", "tool")
    plain = desk.add_project("tool", workspace="me", path=repo)
    assert plain.action == "updated"
    assert desk.resolve_project("tool") == os.path.realpath(repo)
    subprocess.run(["git", "-C", str(repo), "init", "-q"], check=True, timeout=30)
    assert desk.add_project("tool", workspace="me", path=repo).action == "updated"
    assert desk.add_project("tool", workspace="me", path=repo).action == "noop"
    assert desk.resolve_project("tool") == os.path.realpath(repo / ".git")
    assert desk.add_project("far", workspace="lab", remote="git@example.org:a/far.git").action == "inserted"
    assert [(p.workspace, p.name, p.identity) for p in desk.projects("lab")] == [("lab", "far", "example.org/a/far")]
    with pytest.raises(UnknownWorkspace):
        desk.projects("nowhere")


def test_project_needs_a_name_and_a_place(desk: Desk) -> None:
    with pytest.raises(InvalidValue):
        desk.add_project(" ", workspace="me", remote="https://example.org/a/b")
    with pytest.raises(NotFound):
        desk.add_project("tool", remote="https://example.org/a/b")
    with pytest.raises(UnknownWorkspace):
        desk.add_project("tool", workspace="nowhere", remote="https://example.org/a/b")


def test_project_of_a_host_is_left_to_the_host(desk: Desk) -> None:
    desk.store.add_project("me", "tool", identity="/x/.git", host="gaia:/x")
    with pytest.raises(InvalidValue):
        desk.add_project("tool", workspace="me", remote="https://example.org/a/b")
    assert desk.resolve_project("tool") == "/x/.git"
