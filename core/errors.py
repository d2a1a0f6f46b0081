"""One exception type per kind of failure, each with its stable code (DESIGN 10).

The message is one plain sentence; `hint` says what to do next; `extra` holds machine-readable details that `--json`
prints beside them. Exit codes: 1 refused or failed, 2 wrong usage, 3 waits for approval, 4 not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class MemdeskError(Exception):
    """Anything that stops a verb. `code` is stable; `exit_code` is the process exit code.

    Args:
        message: one plain sentence for a person.
        hint: what to do next, or "".
        code: overrides the class's code where one kind of failure has several (e.g. the scope errors).
        extra: JSON-serialisable details.
    """

    code: ClassVar[str] = "failed"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "", *, code: str | None = None, **extra: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.stable_code = code or self.code
        self.extra = extra

    def as_dict(self) -> dict[str, Any]:
        """The `error` object of `--json`."""
        return {"code": self.stable_code, "message": self.message, "hint": self.hint, **self.extra}


class UsageError(MemdeskError):
    """Flags that do not fit together, or a value outside its enumeration."""

    code = "usage"
    exit_code = 2


class NotFound(MemdeskError):
    """No entry, operation, request, host or project answers to the given reference."""

    code = "not_found"
    exit_code = 4


class Ambiguous(MemdeskError):
    """A reference fits several entries; `candidates` in `extra` lists them (DESIGN 3.4)."""

    code = "ambiguous"


class InvalidName(MemdeskError):
    """A slug that does not follow the rules, or disagrees with its type (DESIGN 3.4)."""

    code = "invalid_name"


class InvalidValue(MemdeskError):
    """A field value that a rule forbids: blank body, status without thread, text over its limit."""

    code = "invalid_value"


class NameTaken(MemdeskError):
    """The name belongs to a purged entry, or a rename or move would clash."""

    code = "name_taken"


class ScopeError(MemdeskError):
    """`missing_scope project_unresolved project_workspace_mismatch project_no_identity` (DESIGN 3.4)."""

    code = "missing_scope"


class UnknownWorkspace(MemdeskError):
    """The workspace does not exist and `--create-workspace` was not given."""

    code = "unknown_workspace"


class BadShape(MemdeskError):
    """A checkpoint or batch payload that is not what gaia/SPEC 4 describes."""

    code = "bad_shape"


class EdgeRefused(MemdeskError):
    """A self edge, a cycle (`edge_cycle`), a second parent (`second_parent`), or `supersede_direction`."""

    code = "edge_refused"


class ErrMemoryEdgeChainTooDeep(EdgeRefused):
    """A chain longer than `memory.limits.edge_depth`, or an entry past `memory.limits.edges_per_memory`."""

    code = "ErrMemoryEdgeChainTooDeep"


class NotAllowed(MemdeskError):
    """The policy table says no for this role (DESIGN 4)."""

    code = "not_allowed"


class NeedsApproval(MemdeskError):
    """The write became a request that waits for a person; `request_id` in `extra` (DESIGN 4)."""

    code = "needs_approval"
    exit_code = 3


class Stale(MemdeskError):
    """What the caller saw is no longer what is stored; `current` in `extra` shows the new value (DESIGN 7, 9.6)."""

    code = "stale"


class CannotUndo(MemdeskError):
    """Something stands on top of the operation, or it cannot be undone; names who and when (DESIGN 3.5)."""

    code = "cannot_undo"


class ConfirmationNeeded(MemdeskError):
    """Erasing without the exact token `DELETE <id>` (DESIGN 3.4)."""

    code = "confirmation_needed"


class StoreLocked(MemdeskError):
    """Another process held the write lock past the bounded wait; nothing was lost (CASES "SQLite")."""

    code = "store_locked"


class StoreUnusable(MemdeskError):
    """The file is foreign, damaged, read-only, newer than this program knows, or the disk is full."""

    code = "store_unusable"


class HostError(MemdeskError):
    """A host is missing, of a newer schema, locked, or cannot hold what is written (DESIGN 7)."""

    code = "host_error"


class InputError(MemdeskError):
    """A file or stream given by the user cannot be read or parsed."""

    code = "bad_input"


def listed(items: Sequence[str], limit: int = 8) -> str:
    """`a, b, c and 4 more`: a short list for an error sentence."""
    shown = ", ".join(items[:limit])
    return f"{shown} and {len(items) - limit} more" if len(items) > limit else shown
