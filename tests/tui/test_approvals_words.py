"""A request in the few words of a row: the entry first, for each verb that can be asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memdesk.core.effects import PHRASES
from memdesk.tui.panes.approvals_words import asker_words, called, row_words

NAME = called({"A": "atom_a", "B": "atom_b", "C": "atom_c"})
_CHECKPOINT = {"resumen": {"name": "project_off", "body": "x"}, "pendientes": [{"name": "project_x", "body": "y"}]}

CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("edit", {"ref": "A"}, "changes the description", "atom_a: description changes"),
    ("edit", {"ref": "A"}, "changes the title and adds the tag x", "atom_a: changes the title and adds the tag x"),
    ("edit", {"ref": "A"}, "removes 80 % of the body", "atom_a: removes 80 % of the body"),
    ("append", {"ref": "A"}, "adds 40 % to the body", "atom_a: adds 40 % to the body"),
    ("add", {"name": "atom_n"}, "adds atom_n, 312 characters", "atom_n: new, 312 characters"),
    ("add", {"name": "atom_a"}, "replaces the whole body", "atom_a: replaces the whole body"),
    ("create", {"kind": "atom", "title": "Cache, again"}, "adds atom “Cache, again”, 7 characters, as part of atom_a",
     "Cache, again: new atom, 7 characters, as part of atom_a"),
    ("create", {"kind": "comment", "title": "On a", "parent": "A"}, "comments on atom_a, 9 characters",
     "atom_a: new comment, 9 characters"),
    ("comment", {"ref": "A"}, "comments on atom_a, 1,209 characters", "atom_a: new comment, 1,209 characters"),
    ("reclassify", {"ref": ["A", "B"]}, "moves 2 entries to “Closed”, hides 2 entries from the digest",
     "atom_a and atom_b: moved to “Closed”, hides 2 entries from the digest"),
    ("link", {"source": "A", "kind": "related_to", "target": "B"}, "links atom_a to atom_b (“is related to”)",
     "atom_a → atom_b: linked (“is related to”)"),
    ("link", {"source": "A", "kind": "supersedes", "target": "B"}, "replaces atom_b by atom_a",
     "atom_b → atom_a: replaced"),
    ("unlink", {"source": "A", "kind": "child_of", "target": "B"}, "takes back that …",
     "atom_a → atom_b: the link is taken back"),
    ("supersede", {"old": "A", "by": "B"}, "replaces atom_a by atom_b, hides 1 entry from the digest",
     "atom_a → atom_b: replaced, hides 1 entry from the digest"),
    ("delete", {"ref": ["A", "B", "C"]}, "deletes 3 entries", "atom_a, atom_b and 1 more: deleted"),
    ("restore", {"ref": "A"}, "brings back atom_a", "atom_a: comes back"),
    ("erase", {"ref": "A"}, "erases atom_a for ever, hides 1 entry from the digest",
     "atom_a: erased for ever, hides 1 entry from the digest"),
    ("rename", {"ref": "A", "name": "decision_a"}, "renames atom_a to decision_a and makes it a decision",
     "atom_a → decision_a: renamed and makes it a decision"),
    ("move-workspace", {"refs": ["A"], "to": "lab"}, "moves atom_a to the workspace lab",
     "atom_a: moved to the workspace lab"),
    ("checkpoint", {"payload": _CHECKPOINT}, "adds project_off and 1 thread, 812 characters",
     "project_off: new checkpoint and 1 thread, 812 characters"),
    ("graduate", {"ref": "A", "into": "B"}, "graduates atom_a into atom_b", "atom_a → atom_b: graduated"),
    ("retire", {"session": "s"}, "deletes 3 entries that came from session s",
     "deletes 3 entries that came from session s"),
    ("mend", {}, "removes 1 link", "atom_a: removes 1 link"),
    ("verdict", {"refs": ["A", "B"], "verdict": "duplicate"}, "says that …", "atom_a and atom_b: are duplicates"),
    ("merge", {"refs": ["A", "B"], "into": "B"}, "merges atom_a into atom_b", "atom_a → atom_b: merged"),
    ("merge", {"refs": ["01M8PCA1HZ0S31K99CFMGJK643", "B"], "into": "B"}, "merges …", "(gone) → atom_b: merged"),
    ("delete", {}, "delete, with arguments that cannot be read", "delete, with arguments that cannot be read"),
    ("fly", {}, "asks for “fly”, which this version cannot do", "atom_a: asks for “fly”, which this version cannot do"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "args", "effect", "said"), CASES)
def test_the_entry_comes_first(verb: str, args: dict[str, Any], effect: str, said: str) -> None:
    row: Any = SimpleNamespace(verb=verb, args=args, refs=("A",), erased=False, payload={})
    assert row_words(row, NAME, effect) == said
    row.payload = {"kind": "proposal"}
    assert row_words(row, NAME, effect) == f"{said} (proposal)"


def test_every_verb_has_a_case() -> None:
    assert {verb for verb, *_ in CASES} >= PHRASES.keys()


@pytest.mark.parametrize(
    ("actor", "said"), [("agent:scout", "scout"), ("user:ana", "user:ana"), ("agent:user:ana", "agent:user:ana")]
)
def test_an_agent_goes_by_its_name_and_by_nobody_elses(actor: str, said: str) -> None:
    assert asker_words(actor) == said
