"""Who may do what: DESIGN 4's table. Pure.

A convention that keeps honest agents honest, not a wall: whoever can write the file can write anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from .errors import UsageError
from .text import has_marks


class Role(StrEnum):
    """In whose place the actor stands."""

    USER = "user"
    ORCHESTRATOR = "orchestrator"
    OPERATOR = "operator"
    SPECIALIST = "specialist"


#: How the name of an agent begins.
_AGENT: Final = "agent:"
#: The most characters of the name of an actor or a session.
NAME_LIMIT: Final = 200
_POWER: Final = {Role.SPECIALIST: 0, Role.OPERATOR: 1, Role.ORCHESTRATOR: 1, Role.USER: 2}


class Decision(StrEnum):
    """What becomes of a verb. ASK, T3 and PROPOSE store a request that waits for a person."""

    ALLOW = "allow"
    ASK = "ask"
    T3 = "t3"
    PROPOSE = "propose"
    DENY = "deny"


class Kind(StrEnum):
    """The rows of the table: which verbs are judged alike."""

    OPEN = "open"  # reads, and what writes no curated memory
    UNDO = "undo"  # open on one's own operation, the person's alone on another's
    ADD = "add"  # grows, classifies or connects memory
    T3 = "t3"  # replaces or removes what later readers see
    REGISTER = "register"  # names a workspace or a project on this machine
    DECIDE = "decide"  # the decision on a request
    HOUSE = "house"  # attach, sync set-up, import, repairs


#: Every verb, by its command words, with the row it stands in. Sub-commands carry both words.
VERBS: Final[Mapping[str, Kind]] = {
    # reads
    "show": Kind.OPEN,
    "list": Kind.OPEN,
    "search": Kind.OPEN,
    "history": Kind.OPEN,
    "story": Kind.OPEN,
    "stats": Kind.OPEN,
    "get-relevant": Kind.OPEN,
    "episode-show": Kind.OPEN,
    "log": Kind.OPEN,
    "diff": Kind.OPEN,
    "status": Kind.OPEN,
    "hosts": Kind.OPEN,
    "demo": Kind.OPEN,
    "desk": Kind.OPEN,
    "workspace": Kind.OPEN,
    "workspace list": Kind.OPEN,
    "project": Kind.OPEN,
    "project list": Kind.OPEN,
    "requests": Kind.OPEN,
    "requests list": Kind.OPEN,
    "requests show": Kind.OPEN,
    "requests wait": Kind.OPEN,
    # it stores requests, whatever the role: a person decides each
    "propose": Kind.OPEN,
    # these word or take back a request, which is no memory: the asker its own, a person anybody's; the desk checks it
    "requests edit": Kind.OPEN,
    "requests rebase": Kind.OPEN,
    "requests withdraw": Kind.OPEN,
    "veto": Kind.OPEN,
    "veto list": Kind.OPEN,
    "veto show": Kind.OPEN,
    "similar": Kind.OPEN,
    "conflicts": Kind.OPEN,
    "verdicts": Kind.OPEN,
    "sweep": Kind.OPEN,
    "export": Kind.OPEN,
    "export graph": Kind.OPEN,
    "tree": Kind.OPEN,
    "doctor": Kind.OPEN,
    # an episode is evidence, not curated memory (memory seed, "The three floors")
    "episode-add": Kind.OPEN,
    # each operation of a batch is judged on its own
    "batch": Kind.OPEN,
    # these carry facts that were decided elsewhere
    "pull": Kind.OPEN,
    "push": Kind.OPEN,
    "sync": Kind.OPEN,
    "undo": Kind.UNDO,
    "redo": Kind.UNDO,
    # growing memory
    "add": Kind.ADD,
    "create": Kind.ADD,
    "append": Kind.ADD,
    "reclassify": Kind.ADD,
    "graduate": Kind.ADD,
    "link": Kind.ADD,
    "unlink": Kind.ADD,
    "supersede": Kind.ADD,
    "comment": Kind.ADD,
    "checkpoint": Kind.ADD,
    "verdict": Kind.ADD,
    "judge": Kind.ADD,
    "merge": Kind.ADD,
    "mend": Kind.ADD,
    "workspace add": Kind.REGISTER,
    "project add": Kind.REGISTER,
    # T3
    "edit": Kind.T3,
    "delete": Kind.T3,
    "retire": Kind.T3,
    "restore": Kind.T3,
    "erase": Kind.T3,
    "rename": Kind.T3,
    "move-workspace": Kind.T3,
    # the person's alone
    "requests approve": Kind.DECIDE,
    "requests reject": Kind.DECIDE,
    "requests drop": Kind.DECIDE,
    "requests review": Kind.DECIDE,
    "veto take-back": Kind.HOUSE,
    "veto keep": Kind.HOUSE,
    "attach": Kind.HOUSE,
    "detach": Kind.HOUSE,
    "pull --force": Kind.HOUSE,  # takes many rows gone at once for meant, which plain `pull` stops at
    "sync set-up": Kind.HOUSE,
    "import": Kind.HOUSE,
    "doctor --fix": Kind.HOUSE,
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What the table needs to know about one call of a verb.

    Attributes:
        types: types of the entries touched, or about to be made.
        names: their names (a host may keep a `user_…` entry under another type).
        replaces_text: existing text would be replaced: an upsert of it, or a merge.
        supersedes_decision: a `decision_*` would be superseded or absorbed.
        contradicts_decision: the contradiction check finds the text against an active `decision_*`.
        against: the ids of those, where they are known.
        own_operation: for undo and redo, whether the operation is the actor's own (`is_own`).
        decides: the call decides a request.
        terminal: whether a controlling terminal is there.
    """

    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    replaces_text: bool = False
    supersedes_decision: bool = False
    contradicts_decision: bool = False
    against: tuple[str, ...] = ()
    own_operation: bool = True
    decides: bool = False
    terminal: bool = False

    @property
    def about_user(self) -> bool:
        """Whether an entry about the user is touched."""
        return "user" in self.types or any(n.startswith("user_") for n in self.names)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the table says.

    Attributes:
        reason: "" when allowed; a sentence when denied; else what a person is asked about.
        flagged: allowed, and named at the top of the report for the person's veto.
        against: ids of the decisions that the text contradicts.
    """

    decision: Decision
    reason: str = ""
    flagged: bool = False
    against: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the verb may go on now."""
        return self.decision is Decision.ALLOW

    @property
    def waits(self) -> bool:
        """Whether it becomes a request."""
        return self.decision in (Decision.ASK, Decision.T3, Decision.PROPOSE)


_ALLOW: Final = Ruling(Decision.ALLOW)
#: Why a text waits that contradicts a decision; who tells it names which.
AGAINST: Final = "it contradicts a decision that stands."


def rule(role: Role, verb: str, facts: Facts | None = None) -> Ruling:
    """Judge one call of a verb (DESIGN 4).

    Args:
        role: the role that results from `resolve_role`.
        verb: the command words, as in `VERBS`.
        facts: what it touches.

    Raises:
        KeyError: the verb does not stand in the table; a verb without a row must not run.
    """
    facts = facts or Facts()
    kind = Kind.DECIDE if facts.decides else VERBS[verb]
    if kind is Kind.OPEN:
        return _ALLOW
    if kind is Kind.DECIDE:
        return _decide(role, facts)
    if role is Role.USER:
        return _ALLOW
    if kind is Kind.UNDO:
        if facts.own_operation:
            return _ALLOW
        return Ruling(Decision.DENY, f"Only a person may {verb} what somebody else did; your role is {role}.")
    if kind is Kind.HOUSE:
        return Ruling(Decision.DENY, f"Only a person may run {verb}; your role is {role}.")
    if kind is Kind.REGISTER:
        if role is not Role.SPECIALIST:
            return _ALLOW
        return Ruling(Decision.DENY, f"A specialist proposes memory; it may not run {verb}.")
    if kind is Kind.T3 or facts.replaces_text:
        return Ruling(Decision.T3, "it changes or removes what others rely on.", against=facts.against)
    if role is Role.SPECIALIST:
        why = "a specialist proposes memory, it does not write it."
        return Ruling(Decision.PROPOSE, why, against=facts.against)
    if facts.supersedes_decision:
        return Ruling(Decision.ASK, "it would replace a decision.", against=facts.against)
    if facts.contradicts_decision:
        return Ruling(Decision.ASK, AGAINST, against=facts.against)
    return Ruling(Decision.ALLOW, flagged=facts.about_user)


def _decide(role: Role, facts: Facts) -> Ruling:
    if role is not Role.USER:
        return Ruling(Decision.DENY, f"Only a person may decide a request; your role is {role}.")
    if not facts.terminal:
        return Ruling(Decision.DENY, "A request is decided at a terminal, by the person sitting there.")
    return _ALLOW


# -- who is it ------------------------------------------------------------------------------------------------------


def parse_role(text: str, source: str) -> Role:
    """A role by its name.

    Args:
        text: what was given.
        source: where, for the message: `--role` or `MEMDESK_ROLE`.

    Raises:
        UsageError: no such role.
    """
    try:
        return Role(text.strip().lower())
    except ValueError:
        raise UsageError(f"{source} says {text!r}, which is no role.", f"Use one of: {', '.join(Role)}.") from None


def resolve_role(
    flag: str | None, environ: Mapping[str, str], *, stderr_is_terminal: bool, actor: str = ""
) -> Role:  # fmt: skip
    """The role that results (DESIGN 4): `MEMDESK_ROLE`, else user at a terminal and orchestrator elsewhere.

    Who is named as an agent is an orchestrator at a terminal too: agents are run in pseudo-terminals.

    `--role` may lower it, never raise it: asking for more leaves it as it is (`role_note` says so).

    Args:
        flag: the value of `--role`, or None.
        environ: the environment.
        stderr_is_terminal: whether standard error is a terminal.
        actor: the name that results from `resolve_actor`.

    Raises:
        UsageError: the flag or the variable names no role.
    """
    given = environ.get("MEMDESK_ROLE", "").strip()
    if given:
        base = parse_role(given, "MEMDESK_ROLE")
    else:
        person = stderr_is_terminal and not actor.casefold().startswith(_AGENT)
        base = Role.USER if person else Role.ORCHESTRATOR
    if flag is None:
        return base
    asked = parse_role(flag, "--role")
    return asked if _POWER[asked] <= _POWER[base] else base


def is_own(actor: str, role: Role, by: str, by_role: str | None) -> bool:
    """Whether an operation counts as the actor's own, so that it may take it back (DESIGN 4, "own undo").

    The name alone does not make it so: names are free to choose, and a lower role under a person's name, or under that
    of an agent that could do more, would undo what it may not do.

    Args:
        actor, role: who wants to take it back.
        by, by_role: who did it, and in which role; None or an unknown word where that is not told.
    """
    if by != actor:
        return False
    made = Role(by_role) if by_role in set(Role) else Role.USER
    return _POWER[made] <= _POWER[role]


def role_note(flag: str | None, role: Role) -> str:
    """One sentence when `--role` asked for more than it got, else ""."""
    if flag is None or _POWER[parse_role(flag, "--role")] <= _POWER[role]:
        return ""
    return f"--role cannot raise the role, which is {role} here; set MEMDESK_ROLE=user in a person's own script."


def resolve_actor(flag: str | None, environ: Mapping[str, str], login: str) -> str:
    """The actor's name (DESIGN 4): `--actor`, else `MEMDESK_ACTOR`, else `user:<login>`.

    Args:
        flag: the value of `--actor`, or None.
        environ: the environment.
        login: the login name.

    Raises:
        UsageError: the name is blank, too long, or holds a line end or another control character.
    """
    if flag is not None:
        name, source = flag, "--actor"
    elif environ.get("MEMDESK_ACTOR"):
        name, source = environ["MEMDESK_ACTOR"], "MEMDESK_ACTOR"
    else:
        name, source = f"user:{login}", "The login name"
    return _plain(name, source, "a plain name, such as agent:scout")


def resolve_session(flag: str | None, environ: Mapping[str, str]) -> str | None:
    """The session that a call belongs to: `--session-id`, else `MEMDESK_SESSION_ID`, else None.

    Args:
        flag: the value of `--session-id`, or None.
        environ: the environment.

    Raises:
        UsageError: it is blank, too long, or holds a line end or another control character.
    """
    if flag:
        return _plain(flag, "--session-id", "the id of one session")
    given = environ.get("MEMDESK_SESSION_ID")
    return _plain(given, "MEMDESK_SESSION_ID", "the id of one session") if given else None


def _plain(name: str, source: str, instead: str) -> str:
    """A name that everybody will read beside what was done: one line, nothing hidden in it, no page of text."""
    name = name.strip()
    if not name or not name.isprintable() or has_marks(name):
        raise UsageError(f"{source} is blank or holds control characters.", f"Give {instead}.")
    if len(name) > NAME_LIMIT:
        raise UsageError(f"{source} has {len(name):,} characters; {NAME_LIMIT} are allowed.", f"Give {instead}.")
    return name
