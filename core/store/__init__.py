"""The store: one SQLite file with the log and its projection. The only package with SQL besides the hosts."""

from __future__ import annotations

from .rows import EntryRow, OperationRow, Project, Received, Report, RequestRow, Workspace
from .store import Store
from .transaction import Transaction

__all__ = [
    "EntryRow",
    "OperationRow",
    "Project",
    "Received",
    "Report",
    "RequestRow",
    "Store",
    "Transaction",
    "Workspace",
]
