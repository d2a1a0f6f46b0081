"""Workspaces and projects: what is known of them, and the scope that a call means (DESIGN 3.4, 5; gaia/SPEC 5).

Writes name their scope; reads fall back to what is usual. The directory one stands in never matters.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from .. import projects as identities
from ..errors import InvalidValue, NotFound, UnknownWorkspace
from ..policy import Facts
from ..scope import Places, Scope, check_workspace, refuse_project_anchor, resolve, resolve_project
from ..store import Project, Workspace
from .session import Receipt, Session

__all__ = ["WORKSPACE_VARIABLE", "Scope", "Scopes"]

#: Names the workspace of reads that name none.
WORKSPACE_VARIABLE: Final = "MEMDESK_WORKSPACE"


class Scopes(Session):
    """Resolving scopes, and the registry of workspaces and projects (local to this machine, never events)."""

    # -- what is known --------------------------------------------------------------------------------------------

    def workspaces(self) -> list[Workspace]:
        """Every workspace, registered here, of a host, or received with entries; by name."""
        return self.store.workspaces()

    def projects(self, workspace: str | None = None) -> list[Project]:
        """Registered projects, of one workspace or of all.

        Raises:
            UnknownWorkspace: it does not exist.
        """
        if workspace is not None:
            check_workspace(self._names(), workspace, reading=True)
        return self.store.projects(workspace)

    def usual_workspace(self) -> str | None:
        """The workspace of a call that names none: `MEMDESK_WORKSPACE`, else the only one there is, else None.

        Raises:
            UnknownWorkspace: the variable names one that does not exist.
        """
        names = self._names()
        given = os.environ.get(WORKSPACE_VARIABLE, "").strip()
        if not given:
            return names[0] if len(names) == 1 else None
        try:
            check_workspace(names, given)
        except UnknownWorkspace as error:
            hint = f"{WORKSPACE_VARIABLE} names it: correct or unset it."
            raise UnknownWorkspace(error.message, hint, **error.extra) from None
        return given

    def workspace_for_reading(self, workspace: str | None = None) -> str | None:
        """The workspace that a reading verb looks at; None means all of them.

        Raises:
            UnknownWorkspace: the given one, or the one that the environment names, does not exist.
        """
        if workspace is None or not workspace.strip():
            return self.usual_workspace()
        check_workspace(self._names(), workspace, reading=True)
        return workspace

    def _names(self) -> list[str]:
        return [w.name for w in self.store.workspaces()]

    # -- scope of a write -----------------------------------------------------------------------------------------

    def resolve_scope(
        self,
        *,
        workspace: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        initiative: str | None = None,
        create_workspace: bool = False,
    ) -> Scope:
        """The scope that the flags of `add` and `checkpoint` name; see `core.scope.resolve` for rules and errors."""
        return resolve(
            self._places(),
            workspace=workspace,
            project=project,
            project_ref=project_ref,
            initiative=initiative,
            create_workspace=create_workspace,
        )

    def resolve_project(self, project: str, workspace: str | None = None) -> str:
        """The identity of a registered project.

        Args:
            project: its name.
            workspace: look only there; None looks everywhere.

        Raises:
            ScopeError: `project_unresolved`, `project_workspace_mismatch`, `project_no_identity`.
        """
        return resolve_project(self._places(), project, workspace).identity or ""

    def refuse_project_anchor(self, initiative: str | None, project_ref: str | None) -> None:
        """Stop where an initiative of the whole host would be anchored to a project.

        Raises:
            ScopeError: `host_scoped_initiative`.
        """
        refuse_project_anchor(self.config.host_scoped, initiative, project_ref)

    def _places(self) -> Places:
        # A variable that names a missing workspace must not stop a call that says where it belongs.
        try:
            usual = self.usual_workspace()
        except UnknownWorkspace:
            usual = None
        return Places(self._names(), self.store.projects(None), usual, self.config.host_scoped)

    # -- registering ----------------------------------------------------------------------------------------------

    def require_workspace(self, name: str, create: bool = False) -> None:
        """Stop unless the workspace exists or may be made.

        Raises:
            UnknownWorkspace: it does not exist and `create` is false. InvalidName: it cannot have that name.
        """
        check_workspace(self._names(), name, create=create)

    def ensure_workspace(self, name: str, create: bool = False) -> bool:
        """Register the workspace if it is new; inside an operation this is part of it. Whether it was new.

        Raises:
            UnknownWorkspace: it does not exist and `create` is false. InvalidName: it cannot have that name.
        """
        names = self._names()
        if name in names:
            return False
        check_workspace(names, name, create=create)
        self.store.add_workspace(name)
        return True

    def add_workspace(self, name: str, *, identity: str | None = None) -> Receipt:
        """Register a workspace; nothing happens when it exists.

        Args:
            name: printable, without a slash.
            identity: what the workspace is elsewhere, such as the remote of its root.

        Raises:
            NotAllowed: a specialist. InvalidName: it cannot have that name.
        """
        self.gate("workspace add", Facts(), args={"name": name, "identity": identity})
        known = name in self._names()
        check_workspace(self._names(), name, create=True)
        if not known or identity is not None:
            self.store.add_workspace(name, identity=identity)
        said = f"{name} exists already" if known else f"Registered the workspace {name}"
        return Receipt(None, "workspace add", said, "noop" if known and identity is None else _action(known))

    def add_project(
        self,
        name: str,
        *,
        workspace: str | None = None,
        path: str | Path | None = None,
        remote: str | None = None,
        create_workspace: bool = False,
    ) -> Receipt:
        """Register a project, or give a known one its identity.

        Args:
            name: its name in the workspace; what `--project` takes.
            workspace: None means the usual one.
            path: its directory; the identity is read from there.
            remote: its remote, where there is no directory on this machine.
            create_workspace: the workspace may be new.

        Raises:
            NotAllowed: a specialist. UnknownWorkspace, InvalidValue: no usable workspace or name.
            InputError: the identity cannot be read.
        """
        self.gate("project add", Facts(), args={"name": name, "workspace": workspace})
        if not name.strip() or not name.isprintable():
            raise InvalidValue("The project needs a printable name.", "Give it a name.", field="name")
        place = workspace or self.usual_workspace()
        if place is None:
            raise NotFound("No workspace is named, and there is not just one.", "Add --workspace NAME.")
        self.require_workspace(place, create_workspace)
        found = identities.identify(path, remote)
        before = next((p for p in self.store.projects(place) if p.name == name), None)
        project = Project(place, name, found.identity, found.path, found.remote_url, before.host if before else None)
        if before == project:
            return Receipt(None, "project add", f"{place}/{name} is registered already", "noop")
        if before is not None and before.host is not None:
            raise InvalidValue(
                f"Project {name} is registered by its host; memdesk does not change it there.",
                "Register it under another name, or change it in the host.", project=name, workspace=place,
            )  # fmt: skip
        self.ensure_workspace(place, create_workspace)
        self.store.add_project(
            place, name, identity=found.identity, path=found.path, remote_url=found.remote_url, host=project.host
        )
        said = f"Registered the project {place}/{name} as {found.identity}"
        return Receipt(None, "project add", said, _action(before is not None))


def _action(known: bool) -> str:
    return "updated" if known else "inserted"
