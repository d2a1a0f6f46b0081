"""Short ways to write into a store; imported by the tests beside it."""

from __future__ import annotations

from typing import Any

from memdesk.core.events import CREATE, EDIT
from memdesk.core.store import Store


def add(store: Store, name: str = "atom_x", *, actor: str = "user:ana", **fields: Any) -> str:
    """Create an entry in an operation of its own; returns its id."""
    with store.transaction() as tx:
        tx.begin("add", f"Added {name}", actor=actor, role="user")
        memory_id: str = fields.pop("memory_id", None) or tx.new_id()
        payload = {"workspace": "w", "name": name, "type": name.partition("_")[0], "class": "anchor", "body": "text"}
        host_ref = fields.pop("host_ref", None)
        tx.write(CREATE, {"memory_id": memory_id, **payload, **fields}, host_ref=host_ref)
    return memory_id


def edit(store: Store, memory_id: str, *, actor: str = "user:ana", undoes: str | None = None, **patch: Any) -> str:
    """Edit an entry, stating what was seen; returns the operation."""
    with store.transaction() as tx:
        op_id = tx.begin("undo" if undoes else "edit", "Changed it", actor=actor, undoes=undoes)
        folded = store.folded(memory_id)
        base = {name: folded.base(name) for name in patch} if folded else {}
        tx.write(EDIT, {"memory_id": memory_id, "patch": patch, "base": base})
    return op_id


def act(store: Store, verb: str, kind: str, payload: dict[str, Any], **envelope: Any) -> str:
    """Write one event in an operation of its own; returns the operation."""
    with store.transaction() as tx:
        op_id = tx.begin(verb, f"Did {verb}", actor=envelope.pop("actor", "user:ana"), **envelope)
        tx.write(kind, payload)
    return op_id
