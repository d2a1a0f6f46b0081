"""Where an entry belongs: the explicit-scope rules of `add` and `checkpoint` (DESIGN 3.4, gaia/SPEC 5). Pure.

Scope is never guessed from the directory: the caller names a workspace, a project, or a project's identity.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from .errors import InvalidName, ScopeError, UnknownWorkspace, UsageError, listed
from .model import initiative_of_project, normalise_initiative


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an entry goes: its workspace, the project it is anchored to, and its initiative."""

    workspace: str
    project_ref: str | None = None
    initiative: str | None = None


class KnownProject(Protocol):
    """A registered project, as the store keeps it."""

    @property
    def workspace(self) -> str:
        """The workspace it is registered in."""

    @property
    def name(self) -> str:
        """Its name there."""

    @property
    def identity(self) -> str | None:
        """What stays when it moves (`projects.identify`), or None while unknown."""


@dataclass(frozen=True, slots=True)
class Places:
    """What is known of workspaces and projects when a scope is resolved.

    Attributes:
        workspaces: every known workspace.
        projects: every registered project.
        usual: the workspace of a call that names none (`MEMDESK_WORKSPACE`, or the only one there is), or None. It
            completes a `--project` or `--project-ref`; alone it is no explicit scope.
        host_scoped: initiatives that refuse a project anchor.
    """

    workspaces: Collection[str]
    projects: Sequence[KnownProject] = ()
    usual: str | None = None
    host_scoped: Collection[str] = ()


def resolve(
    places: Places,
    *,
    workspace: str | None = None,
    project: str | None = None,
    project_ref: str | None = None,
    initiative: str | None = None,
    create_workspace: bool = False,
) -> Scope:
    """The scope that explicit flags name.

    Args:
        places: what is known.
        workspace: `--workspace`; alone it makes a note about the workspace as a whole.
        project: `--project`, the name of a registered project.
        project_ref: `--project-ref`, an identity, taken as it is.
        initiative: `--initiative`; None derives it from the project.
        create_workspace: a new workspace may be made.

    Raises:
        UsageError: both `project` and `project_ref`.
        ScopeError: `missing_scope`, `project_unresolved`, `project_workspace_mismatch` (with `found_in`),
            `project_no_identity`, or `host_scoped_initiative`.
        UnknownWorkspace: it does not exist and `create_workspace` is false.
        InvalidName: a new workspace whose name cannot be used.
    """
    workspace, project, project_ref = _given(workspace), _given(project), _given(project_ref)
    if project and project_ref:
        raise UsageError("--project and --project-ref exclude each other.", "Give the one you mean.")
    if not (workspace or project or project_ref):
        raise ScopeError(
            "Nothing says where this belongs; it is never guessed from the directory.",
            "Give --project NAME, or --workspace NAME for a note about the workspace as a whole.",
        )
    if project:
        found = resolve_project(places, project, workspace)
        workspace, project_ref = found.workspace, found.identity
    elif project_ref and not workspace:
        workspace = _workspace_of(places, project_ref)
    assert workspace is not None
    check_workspace(places.workspaces, workspace, create=create_workspace)
    key = normalise_initiative(initiative) if initiative else initiative_of_project(project_ref)
    refuse_project_anchor(places.host_scoped, key, project_ref)
    return Scope(workspace, project_ref, key)


def resolve_project(places: Places, project: str, workspace: str | None = None) -> KnownProject:
    """The registered project that a name means.

    Without a workspace the name decides, and the usual workspace only where several have it.

    Raises:
        ScopeError: `project_unresolved`, `project_workspace_mismatch` (with `found_in`), `project_no_identity`.
    """
    named = [p for p in places.projects if p.name == project]
    found_in = sorted({p.workspace for p in named})
    if workspace is None and len(found_in) > 1:
        if places.usual not in found_in:
            raise ScopeError(
                f"Several workspaces have a project {project!r}: {listed(found_in)}.",
                "Say which with --workspace.",
                code="project_unresolved", project=project, found_in=found_in,
            )  # fmt: skip
        workspace = places.usual
    here = [p for p in named if workspace is None or p.workspace == workspace]
    if not here and named:
        raise ScopeError(
            f"Project {project!r} is not in workspace {workspace!r} but in {listed(found_in)}.",
            f"Use --workspace {found_in[0]}, or correct the project's name.",
            code="project_workspace_mismatch", project=project, workspace=workspace, found_in=found_in,
        )  # fmt: skip
    if not here:
        known = sorted({p.name for p in places.projects if workspace is None or p.workspace == workspace})
        raise ScopeError(
            f"No project is named {project!r}" + (f" in workspace {workspace!r}." if workspace else "."),
            _near(project, known, "See `memdesk project list`; register one with `memdesk project add`."),
            code="project_unresolved", project=project, workspace=workspace,
        )  # fmt: skip
    if not here[0].identity:
        raise ScopeError(
            f"Project {project!r} has no identity yet, so nothing can be anchored to it.",
            f"Give it one with `memdesk project add {project} --path DIRECTORY`, then run this again.",
            code="project_no_identity", project=project, workspace=here[0].workspace,
        )  # fmt: skip
    return here[0]


def refuse_project_anchor(host_scoped: Collection[str], initiative: str | None, project_ref: str | None) -> None:
    """Stop where an initiative that belongs to the whole host meets a project (memory seed, "one-line test").

    Raises:
        ScopeError: `host_scoped_initiative`.
    """
    if project_ref and initiative in host_scoped:
        raise ScopeError(
            f"The initiative {initiative} belongs to the whole host and takes no project.",
            "Leave out the project and give --workspace, or choose another --initiative.",
            code="host_scoped_initiative", initiative=initiative,
        )  # fmt: skip


def check_workspace(known: Collection[str], name: str, *, create: bool = False, reading: bool = False) -> None:
    """Stop at a workspace that does not exist: a mistyped name must not quietly make one (gaia/SPEC 12, trap 15).

    Args:
        known: the workspaces that exist.
        create: a new one may be made.
        reading: the caller only looks, so making one would not help.

    Raises:
        UnknownWorkspace: it does not exist and `create` is false. InvalidName: a new one cannot have that name.
    """
    if name in known:
        return
    if not create:
        way_out = "See `memdesk workspace list`." if reading else "Add --create-workspace to make it."
        raise UnknownWorkspace(
            f"There is no workspace {name!r}.", _near(name, sorted(known), way_out),
            workspace=name, known=sorted(known)[:20],
        )  # fmt: skip
    if not name or "/" in name or not name.isprintable() or name != name.strip():
        raise InvalidName(
            f"{name!r} cannot be the name of a workspace.", "Use printable characters without a slash.", workspace=name
        )


def _workspace_of(places: Places, project_ref: str) -> str:
    """The workspace of an identity given alone: where it is registered, else the usual one."""
    registered = sorted({p.workspace for p in places.projects if p.identity == project_ref})
    if len(registered) == 1:
        return registered[0]
    if places.usual is not None and (not registered or places.usual in registered):
        return places.usual
    raise ScopeError(
        "An identity alone does not say which workspace this belongs to.", "Add --workspace NAME.",
        project_ref=project_ref, found_in=registered,
    )  # fmt: skip


def _given(value: str | None) -> str | None:
    """An empty flag is one that was not given: it must not make a nameless workspace."""
    return value if value and value.strip() else None


def _near(name: str, known: Sequence[str], otherwise: str) -> str:
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    return f"Did you mean {listed(close)}? {otherwise}" if close else otherwise
