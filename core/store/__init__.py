"""The store: one SQLite file with the log and its projection. The only package with SQL besides the hosts."""

from __future__ import annotations

from .listing import Query
from .past import PastStore, open_past
from .rows import Counts, EntryRow, Hit, OperationRow, Project, Received, Report, RequestRow, Workspace
from .store import Store
from .transaction import Transaction

__all__ = [
    "Counts",
    "EntryRow",
    "Hit",
    "OperationRow",
    "PastStore",
    "Project",
    "Query",
    "Received",
    "Report",
    "RequestRow",
    "Store",
    "Transaction",
    "Workspace",
    "open_past",
]
