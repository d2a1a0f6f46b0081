"""A project's identity: git common directory > normalised remote > real path (memory-mechanics seed)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memdesk.core import projects
from memdesk.core.errors import InputError
from memdesk.core.projects import identify, normalise_remote, without_credentials


def git(place: Path, *args: str) -> None:
    subprocess.run(
        ["git", "-C", str(place), "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", *args],
        check=True, capture_output=True, timeout=30,
    )  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "tool"
    place.mkdir()
    git(place, "init", "-q")
    return place


def test_repository_is_known_by_its_common_directory(repo: Path) -> None:
    found = identify(repo)
    assert found.identity == os.path.realpath(repo / ".git")
    assert (found.path, found.remote_url) == (os.path.realpath(repo), None)


def test_remote_does_not_replace_the_common_directory(repo: Path) -> None:
    git(repo, "remote", "add", "upstream", "https://ana:secret@example.org/acme/tool.git")
    found = identify(repo)
    assert found.identity == os.path.realpath(repo / ".git")
    assert found.remote_url == "https://example.org/acme/tool.git"
    git(repo, "remote", "add", "origin", "git@example.org:ana/tool.git")
    assert identify(repo).remote_url == "git@example.org:ana/tool.git"


def test_subdirectory_link_and_work_tree_are_one_project(repo: Path, tmp_path: Path) -> None:
    (repo / "deep" / "er").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(repo)
    git(repo, "commit", "-q", "--allow-empty", "-m", "first")
    git(repo, "worktree", "add", "-q", str(tmp_path / "other"))
    wanted = identify(repo).identity
    assert {identify(p).identity for p in (repo / "deep" / "er", link, tmp_path / "other")} == {wanted}


def test_plain_directory_is_known_by_its_real_path(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.mkdir()
    (tmp_path / "way").symlink_to(place)
    assert identify(tmp_path / "way").identity == os.path.realpath(place)
    assert identify(place, remote="git@Example.org:ana/notes.git").identity == "example.org/ana/notes"


def test_project_elsewhere_is_known_by_its_remote() -> None:
    found = identify(remote="https://ana:t0ken@example.org/acme/tool.git")
    assert (found.identity, found.path) == ("example.org/acme/tool", None)
    assert found.remote_url == "https://example.org/acme/tool.git"


def test_git_variables_of_a_hook_do_not_answer_for_another_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert identify(repo).identity == os.path.realpath(repo / ".git")


@pytest.mark.parametrize("path", ["missing", "file"])
def test_no_directory_is_refused(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a directory"):
        identify(tmp_path / path)


def test_nothing_given_is_refused() -> None:
    with pytest.raises(InputError):
        identify()
    with pytest.raises(InputError):
        identify(remote="  ")


def test_broken_repository_is_an_error_not_another_identity(repo: Path) -> None:
    (repo / ".git" / "HEAD").unlink()
    with pytest.raises(InputError):
        identify(repo)


def test_without_git_a_repository_is_refused_and_a_plain_directory_is_not(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert shutil.which("git") is None
    with pytest.raises(InputError, match="git is not installed"):
        identify(repo)
    plain = tmp_path / "plain"
    plain.mkdir()
    assert identify(plain).identity == os.path.realpath(plain)


def test_git_that_stalls_is_an_error(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stall(*args: object, **kwargs: object) -> None:
        raise subprocess.TimeoutExpired("git", 1)

    monkeypatch.setattr(projects.subprocess, "run", stall)
    with pytest.raises(InputError, match="did not answer"):
        identify(repo)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("git@github.com:acme/tool.git", "github.com/acme/tool"),
        ("github.com:acme/tool", "github.com/acme/tool"),
        ("https://github.com/acme/tool.git", "github.com/acme/tool"),
        ("https://GitHub.com/acme/tool/", "github.com/acme/tool"),
        ("https://ana:s3cret@github.com/acme/tool.git", "github.com/acme/tool"),
        ("ssh://git@github.com:22/acme/tool.git", "github.com/acme/tool"),
        ("git+ssh://git@example.org/a/b/c", "example.org/a/b/c"),
        ("  https://github.com/acme/tool  ", "github.com/acme/tool"),
        ("https://example.org", "example.org"),
        ("", ""),
        ("../relative", "../relative"),
    ],
)
def test_normalised_remote(url: str, wanted: str) -> None:
    assert normalise_remote(url) == wanted


def test_remote_on_this_machine_is_its_real_path(tmp_path: Path) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "way").symlink_to(tmp_path / "bare")
    real = os.path.realpath(tmp_path / "bare")
    assert normalise_remote(str(tmp_path / "way")) == real
    assert normalise_remote(f"file://{tmp_path}/way") == real


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://ana:s3cret@example.org/a", "https://example.org/a"),
        ("https://example.org/a@b", "https://example.org/a@b"),
        ("git@example.org:a/b", "git@example.org:a/b"),
    ],
)
def test_credentials_are_dropped(url: str, wanted: str) -> None:
    assert without_credentials(url) == wanted
