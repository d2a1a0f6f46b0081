"""Explicit scope: what each combination of flags means, and each refusal with its code (DESIGN 3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from memdesk.core.errors import InvalidName, MemdeskError, ScopeError, UnknownWorkspace, UsageError
from memdesk.core.scope import Places, Scope, check_workspace, resolve


@dataclass(frozen=True)
class P:
    workspace: str
    name: str
    identity: str | None = None


GAIA = "/home/mara/ws/me/gaia/.git"
PROJECTS = (
    P("me", "gaia", GAIA),
    P("me", "Diagram Builder", "/home/mara/ws/me/Diagram Builder"),
    P("me", "shared", "/x/shared/.git"),
    P("qxo", "shared", "/y/shared/.git"),
    P("qxo", "century", "github.com/qxo/century"),
    P("qxo", "young"),
    P("lab", "gaia-system", "/z/gaia-system/.git"),
)
PLACES = Places({"me", "qxo", "lab"}, PROJECTS, host_scoped=("gaia_system",))
USUAL = Places({"me", "qxo", "lab"}, PROJECTS, usual="qxo", host_scoped=("gaia_system",))


@pytest.mark.parametrize(
    ("places", "flags", "wanted"),
    [
        (PLACES, {"workspace": "me"}, Scope("me")),
        (PLACES, {"workspace": "me", "initiative": "Release 5.4"}, Scope("me", None, "release_5_4")),
        (PLACES, {"workspace": "me", "initiative": "gaia_system"}, Scope("me", None, "gaia_system")),
        (PLACES, {"workspace": "me", "project": "gaia"}, Scope("me", GAIA, "gaia")),
        (PLACES, {"project": "gaia"}, Scope("me", GAIA, "gaia")),
        (USUAL, {"project": "gaia"}, Scope("me", GAIA, "gaia")),
        (USUAL, {"project": "shared"}, Scope("qxo", "/y/shared/.git", "shared")),
        (PLACES, {"project": "Diagram Builder"}, Scope("me", "/home/mara/ws/me/Diagram Builder", "diagram_builder")),
        (PLACES, {"project": "gaia", "initiative": "Other Key"}, Scope("me", GAIA, "other_key")),
        (PLACES, {"project": "century"}, Scope("qxo", "github.com/qxo/century", "century")),
        (PLACES, {"workspace": "lab", "project_ref": "/any/where.git"}, Scope("lab", "/any/where.git", "where")),
        (PLACES, {"project_ref": GAIA}, Scope("me", GAIA, "gaia")),
        (USUAL, {"project_ref": "/un/known"}, Scope("qxo", "/un/known", "known")),
        (PLACES, {"workspace": "me", "project": "", "project_ref": " "}, Scope("me")),
        (PLACES, {"workspace": "new", "create_workspace": True}, Scope("new")),
        (PLACES, {"project": "gaia-system", "initiative": "tooling"}, Scope("lab", "/z/gaia-system/.git", "tooling")),
    ],
)
def test_scope(places: Places, flags: dict[str, Any], wanted: Scope) -> None:
    assert resolve(places, **flags) == wanted


@pytest.mark.parametrize(
    ("places", "flags", "code", "extra"),
    [
        (PLACES, {}, "missing_scope", {}),
        (USUAL, {}, "missing_scope", {}),
        (USUAL, {"workspace": ""}, "missing_scope", {}),
        (USUAL, {"initiative": "gaia"}, "missing_scope", {}),
        (PLACES, {"project_ref": "/un/known"}, "missing_scope", {"found_in": []}),
        (PLACES, {"project": "gaja"}, "project_unresolved", {"project": "gaja", "workspace": None}),
        (PLACES, {"workspace": "me", "project": "gaja"}, "project_unresolved", {"workspace": "me"}),
        (PLACES, {"project": "shared"}, "project_unresolved", {"found_in": ["me", "qxo"]}),
        (PLACES, {"workspace": "qxo", "project": "gaia"}, "project_workspace_mismatch", {"found_in": ["me"]}),
        (PLACES, {"workspace": "lab", "project": "shared"}, "project_workspace_mismatch", {"found_in": ["me", "qxo"]}),
        (PLACES, {"project": "young"}, "project_no_identity", {"project": "young", "workspace": "qxo"}),
        (PLACES, {"workspace": "qxo", "project": "young"}, "project_no_identity", {}),
        (PLACES, {"project": "gaia", "initiative": "gaia_system"}, "host_scoped_initiative", {}),
        (PLACES, {"project": "gaia", "initiative": "Gaia System"}, "host_scoped_initiative", {}),
        (PLACES, {"workspace": "me", "project_ref": "/q", "initiative": "gaia_system"}, "host_scoped_initiative", {}),
        (PLACES, {"project": "gaia-system"}, "host_scoped_initiative", {"initiative": "gaia_system"}),
    ],
)
def test_refusals(places: Places, flags: dict[str, Any], code: str, extra: dict[str, Any]) -> None:
    with pytest.raises(ScopeError) as caught:
        resolve(places, **flags)
    record = caught.value.as_dict()
    assert record["code"] == code
    assert {k: record[k] for k in extra} == extra
    assert record["hint"]
    assert caught.value.exit_code == 1


def test_project_and_identity_exclude_each_other() -> None:
    with pytest.raises(UsageError) as caught:
        resolve(PLACES, workspace="me", project="gaia", project_ref="/x")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "flags", [{"workspace": "mee"}, {"workspace": "Me"}, {"workspace": "mee", "project_ref": "/x"}]
)
def test_unknown_workspace_is_refused_with_the_near_one(flags: dict[str, Any]) -> None:
    with pytest.raises(UnknownWorkspace) as caught:
        resolve(PLACES, **flags)
    assert caught.value.stable_code == "unknown_workspace"
    assert "--create-workspace" in caught.value.hint
    if flags["workspace"] == "mee":
        assert "Did you mean me?" in caught.value.hint


def test_a_mistyped_project_is_named_with_the_near_one() -> None:
    with pytest.raises(ScopeError) as caught:
        resolve(PLACES, project="gaja")
    assert "Did you mean gaia" in caught.value.hint


@pytest.mark.parametrize("name", ["a/b", "a\nb", " a", "a\x1b"])
def test_names_that_no_new_workspace_can_have(name: str) -> None:
    with pytest.raises(InvalidName):
        check_workspace(["me"], name, create=True)
    check_workspace([name], name)  # a host's own workspace may be called anything


def test_create_workspace_does_not_make_a_project() -> None:
    with pytest.raises(MemdeskError) as caught:
        resolve(PLACES, workspace="new", project="gaia", create_workspace=True)
    assert caught.value.stable_code == "project_workspace_mismatch"
