"""The rows of DESIGN 4, written out anew: they do not look at `core/policy.py`. And what a case of the guard is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memdesk.core.desk import Desk
from memdesk.core.model import Entry

USER, AWAY = "user", "user without a terminal"
ORCHESTRATOR, OPERATOR, SPECIALIST = "orchestrator", "operator", "specialist"
ROLES = (USER, AWAY, ORCHESTRATOR, OPERATOR, SPECIALIST)

# -- the rows of DESIGN 4: what becomes of a call -------------------------------------------------------------------

Row = Callable[[str, Entry], str]


def _about_user(it: Entry) -> bool:
    return it.type == "user" or it.name.startswith("user_")


def _decision(it: Entry) -> bool:
    return it.type == "decision" or it.name.startswith("decision_")


def reads(role: str, it: Entry) -> str:
    """any read, similar, conflicts, sweep, export, own undo: yes for all"""
    return "allowed"


def grows(role: str, it: Entry) -> str:
    """add of a new name, append, reclassify, link, …: reported; on user_* flagged; a specialist proposes"""
    if role in (USER, AWAY):
        return "allowed"
    if role == SPECIALIST:
        return "proposal"
    return "flagged" if _about_user(it) else "allowed"


def against_decision(role: str, it: Entry) -> str:
    """supersede or absorb a decision, or write text that contradicts an active one: ask first"""
    return "allowed" if role in (USER, AWAY) else "proposal" if role == SPECIALIST else "request"


def replaces_it(role: str, it: Entry) -> str:
    """the entry is replaced: ask first where it is a decision"""
    return against_decision(role, it) if _decision(it) else grows(role, it)


def at_once(row: Row) -> Row:
    """The row for several at once, which no request can ask for: what would wait is refused."""
    return lambda role, it: "refused" if row(role, it) in ("request", "proposal") else row(role, it)


def t3(role: str, it: Entry) -> str:
    """edit, delete, restore, erase, rename, move, and any add or merge that would replace existing text"""
    return "allowed" if role in (USER, AWAY) else "request"


def decides_there(role: str, it: Entry) -> str:
    """the same of an approval that a host keeps; there is none here"""
    return "invalid" if role == USER else "refused"


def persons(role: str, it: Entry) -> str:
    """undo another's operation; attach, sync set-up, import, doctor --fix"""
    return "allowed" if role in (USER, AWAY) else "refused"


def decides(role: str, it: Entry) -> str:
    """decide a request: role user and a controlling terminal"""
    return "allowed" if role == USER else "refused"


def registers(role: str, it: Entry) -> str:
    """names a place on this machine: not a specialist's"""
    return "refused" if role == SPECIALIST else "allowed"


def threads_only(row: Row) -> Row:
    """The row for a thread; for any other entry the verb means nothing, whoever calls it."""
    return lambda role, it: row(role, it) if it.klass == "thread" else "invalid"


# -- what a case is -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """One way to call a verb.

    Attributes:
        verb: as in `policy.VERBS`.
        label: which of its ways; "" for the only one.
        row: role, entry -> allowed, flagged, request, proposal, refused, invalid (wrong whoever calls).
        changes: what an allowed call changes (`Scene.changes`), or None: something.
        call: the desk of the role, the entry, and what `before` gave.
        before: a person's desk, the desk of the role, and the entry: what happens beforehand.
        asks: the verb of the request, where it is another.
        persons_name: the role acts under the person's name.
        new: the case makes an entry of the type and class, and so does not touch the given one.
        whole: the call is about the whole store, so that one entry stands for all.
    """

    verb: str
    label: str
    row: Row
    changes: frozenset[str] | Callable[[str, Entry], set[str]] | None
    call: Callable[..., Any]
    before: Callable[[Desk, Desk, Entry], Any] | None = None
    asks: str = ""
    persons_name: bool = False
    new: bool = False
    whole: bool = False

    def __str__(self) -> str:
        return f"{self.verb}: {self.label}" if self.label else self.verb

    def expected(self, role: str, it: Entry) -> set[str] | None:
        """What an allowed call changes."""
        return set(self.changes) if isinstance(self.changes, frozenset) else self.changes and self.changes(role, it)
