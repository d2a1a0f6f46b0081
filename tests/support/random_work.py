"""Random work on a few entries, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from pen import Pen

IDS = ("A", "B", "C")
_entry = st.sampled_from(IDS)
_text = st.sampled_from(["x", "y", "z"])
STEP = st.one_of(
    st.tuples(st.just("create"), _entry),
    st.tuples(st.just("edit"), _entry, st.sampled_from(["title", "description", "body", "name"]), _text),
    st.tuples(st.just("status"), _entry, st.sampled_from(["open", "closed"])),
    st.tuples(st.just("class"), _entry, st.sampled_from(["thread", "anchor", "log"])),
    st.tuples(st.just("append"), _entry, _text),
    st.tuples(st.just("tag"), _entry, st.booleans(), st.sampled_from(["t1", "t2"])),
    st.tuples(st.just("delete"), _entry),
    st.tuples(st.just("state"), _entry, st.sampled_from(["active", "superseded", "purged"])),
    st.tuples(st.just("link"), _entry, st.sampled_from(["supersedes", "related_to", "child_of"]), _entry),
    st.tuples(st.just("unlink"), _entry, st.sampled_from(["supersedes", "related_to", "child_of"]), _entry),
)


def act(pen: Pen, step: tuple[Any, ...]) -> None:
    """One verb, as a desk would write it: nothing on an entry that is not there, nothing that changes nothing."""
    verb, entry_id, *rest = step
    present = {i for i, f in pen.memory().entries.items() if not f.creation_undone}
    if verb == "create":
        if entry_id not in pen.memory().entries:
            pen.create(entry_id, klass="thread", status="open", tags=["t1"])
        return
    if entry_id not in present or (verb in ("link", "unlink") and (rest[1] not in present or rest[1] == entry_id)):
        return
    if verb == "edit":
        pen.edit(entry_id, **{rest[0]: rest[1]})
    elif verb in ("status", "class", "state"):
        pen.edit(entry_id, **{verb: rest[0]})
    elif verb == "append":
        pen.append(entry_id, rest[0])
    elif verb == "tag":
        pen.edit(entry_id, **({"add": [rest[1]]} if rest[0] else {"rm": [rest[1]]}))
    elif verb == "delete":
        pen.delete(entry_id)
    elif verb == "link":
        pen.link(entry_id, rest[0], rest[1])
    elif verb == "unlink":
        pen.unlink(entry_id, rest[0], rest[1])


def work(pen: Pen, groups: list[list[tuple[Any, ...]]]) -> list[str]:
    """Each group is one operation; returns the operations that wrote something."""
    ops = []
    for group in groups:
        with pen.operation() as op:
            for step in group:
                act(pen, step)
        mine = [e for e in pen.log.values() if e.op_id == op]
        if len(mine) > 1:
            ops.append(op)
        else:
            for event in mine:
                del pen.log[event.event_id]
    return ops


GROUPS = st.lists(st.lists(STEP, min_size=1, max_size=3), min_size=1, max_size=8)
