"""The one table of actions: bindings, footer, key overlay, palette, remapping and docs/keys.md all read it. Pure.

An action that does not work at the moment is shown quieter, never hidden, and says why when its key is pressed
(DESIGN 9, STYLE 1.7 and 1.8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from textual.binding import Binding

from ..core.model import EntryClass, Status, role_label
from .words import count

#: desk: works in every pane. pane: only where a pane lists it. widget: a widget's own binding of the same id.
Scope = Literal["desk", "pane", "widget"]


class Seen(Protocol):
    """A row as it stands on screen: what an action applies to. The store's and the digest's rows have this shape."""

    @property
    def id(self) -> str: ...
    @property
    def workspace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def klass(self) -> str: ...
    @property
    def status(self) -> str | None: ...
    @property
    def state(self) -> str: ...
    @property
    def description(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class OtherSeen:
    """A row that is no entry, such as an operation or a request; `id` is the key of the row."""

    id: str
    name: str
    workspace: str = ""
    type: str = ""
    klass: str = ""
    status: str | None = None
    state: str = ""
    description: str | None = None


@dataclass(frozen=True)
class Situation:
    """The facts that decide which actions work now.

    Attributes:
        opened: the store is open.
        pane: the name of the pane in front.
        targets: the marked rows in list order, else the row at the cursor.
        marked: how many rows are marked.
        filtered: a filter narrows the list.
        copied: something was copied, so that it can be written to a file.
        past: the desk shows the memory as it was.
        refused: action id -> why the pane in front says it does not work now.
    """

    opened: bool = True
    pane: str = ""
    targets: Sequence[Seen] = ()
    marked: int = 0
    filtered: bool = False
    copied: bool = False
    past: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)


WhyNot = Callable[[Situation], str]

#: Why nothing can be changed while one looks back.
PAST: Final = "This is the memory as it was; nothing can be changed there. T or esc goes back to now."


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a person can do with a key.

    Attributes:
        id: stable name, also the key of the `[keys]` table of config.toml.
        keys: the default keys, the first one is shown.
        label: one or two words for the footer.
        help: one sentence for the overlay, the palette and the docs.
        section: heading under which it is listed.
        scope: see `Scope`.
        why_not: the reason it does not work now, or "".
        footer: place in the footer, 0 for not there; small numbers first.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    section: str
    scope: Scope = "desk"
    why_not: WhyNot = lambda situation: ""
    footer: int = 0


# -- why an action does not work now ------------------------------------------------------------------------------


def needs_desk(now: Situation) -> str:
    return "" if now.opened else "The store is still being opened."


def needs_entry(now: Situation) -> str:
    return needs_desk(now) or ("" if now.targets else "There is no entry here.")


def needs_one(now: Situation) -> str:
    if now.marked > 1:
        return f"{count(now.marked, 'entry')} are marked; this works on one at a time (esc takes the marks away)."
    return needs_entry(now)


def needs_marks(now: Situation) -> str:
    return needs_desk(now) or ("" if now.marked else "Nothing is marked; space marks the entry at the cursor.")


def needs_thread(now: Situation) -> str:
    reason = needs_entry(now)
    if reason:
        return reason
    others = [seen for seen in now.targets if seen.klass != EntryClass.THREAD]
    if not others:
        return ""
    first = others[0]
    role = role_label(first.klass, first.status, first.type)
    return f"Only threads have a status; {first.name} is under {role!r}."


def _not_all(status: Status, already: str) -> WhyNot:
    def why_not(now: Situation) -> str:
        reason = needs_thread(now)
        if not reason and all(seen.status == status for seen in now.targets):
            return already if len(now.targets) == 1 else already.replace("It is", "They all are")
        return reason

    return why_not


def needs_not_log(now: Situation) -> str:
    reason = needs_entry(now)
    if not reason and all(seen.klass == EntryClass.LOG for seen in now.targets):
        return "It is in the log already."
    return reason


def needs_copy(now: Situation) -> str:
    return "" if now.copied else "Nothing was copied yet; y copies the text of the entry."


# -- the table ----------------------------------------------------------------------------------------------------

MOVE: Final = "Moving about"
READ: Final = "In the text of the entry"
DECIDE: Final = "Deciding about the entry, or about all that are marked"
WRITE: Final = "Writing"
LOOK: Final = "Looking closer"
TRIAGE: Final = "In Triage"
THREADS: Final = "In Threads"
CONFLICTS: Final = "In Conflicts"
GRAPH: Final = "In Graph"
HISTORY: Final = "In History"
APPROVALS: Final = "In Approvals"
DESK: Final = "The desk"
#: In the order in which they are listed.
SECTIONS: Final = (DECIDE, WRITE, TRIAGE, THREADS, CONFLICTS, GRAPH, HISTORY, APPROVALS, LOOK, MOVE, READ, DESK)

TABLE: Final[tuple[Action, ...]] = (
    Action("pane.triage", ("1",), "Triage", "What the next session will have injected.", DESK),
    Action("pane.threads", ("2",), "Threads", "Live work, by status, initiative or age.", DESK),
    Action("pane.conflicts", ("3",), "Conflicts", "What contradicts, and what says the same twice.", DESK),
    Action("pane.graph", ("4",), "Graph", "How entries are linked, and what is wrong with the links.", DESK),
    Action("pane.history", ("5",), "History", "What was done, by whom; how an entry came to be; the memory as it was.",
           DESK),
    Action("pane.approvals", ("6",), "Approvals", "What agents ask a person for, the oldest first; and what they did "
           "on their own.", DESK),
    # -- the list and the text answer these themselves
    Action("list.up", ("up", "k"), "Up", "One row up.", MOVE, "widget"),
    Action("list.down", ("down", "j"), "Down", "One row down.", MOVE, "widget"),
    Action("list.page_up", ("pageup",), "Page up", "One page up.", MOVE, "widget"),
    Action("list.page_down", ("pagedown",), "Page down", "One page down.", MOVE, "widget"),
    Action("list.first", ("home",), "First", "To the first row.", MOVE, "widget"),
    Action("list.last", ("end",), "Last", "To the last row.", MOVE, "widget"),
    Action("list.mark", ("space",), "Mark", "Mark the entry, or take its mark away, and go one down.", MOVE, "widget",
           needs_entry, footer=60),
    Action("list.select", ("enter",), "Open", "Go into the text of the entry.", MOVE, "widget", needs_entry),
    Action("text.up", ("up", "k"), "Up", "One line up.", READ, "widget"),
    Action("text.down", ("down", "j"), "Down", "One line down.", READ, "widget"),
    Action("text.page_up", ("pageup",), "Page up", "One page up.", READ, "widget"),
    Action("text.page_down", ("pagedown", "space"), "Page down", "One page down.", READ, "widget"),
    Action("text.home", ("home",), "Start", "To its start.", READ, "widget"),
    Action("text.end", ("end",), "End", "To its end.", READ, "widget"),
    # -- everywhere
    Action("desk.mark_all", ("*",), "Mark all", "Mark all that the list shows.", MOVE, "desk", needs_entry),
    Action("desk.filter", ("/",), "Filter", "Narrow the list as you type; esc clears it.", MOVE, "desk", needs_desk,
           footer=65),
    Action("desk.detail", ("v",), "Text", "Go between the list and the text of the entry.", MOVE, "desk", needs_entry,
           footer=75),
    Action("desk.next", ("tab",), "Next part", "Go to the next part of the screen.", MOVE),
    Action("desk.back", ("escape",), "Back", "Step back: leave the text, then clear the filter, then the marks.", MOVE),
    Action("text.folds", ("z",), "Internals", "Unfold the internals of the entry: ids, storage words, counters.", LOOK),
    Action("desk.copy", ("y",), "Copy", "Copy the text of the entry; hidden characters come as visible marks.", LOOK,
           "desk", needs_one),
    Action("desk.copy_file", ("Y",), "Copy to a file", "Write what was copied to a file, for a terminal that "
           "blocks the clipboard.", LOOK, "desk", needs_copy),
    Action("desk.history", ("h",), "History", "From an entry to its versions; in History, from an operation to an "
           "entry that it touched.", LOOK, "desk", needs_entry, footer=70),
    Action("desk.past", ("T",), "As it was", "Show the memory as it was at a time or an operation, in every pane; "
           "again: back to now.", LOOK, "desk", needs_desk),
    Action("desk.workspace", ("w",), "Workspace", "Choose the workspace, or all of them.", DESK, "desk", needs_desk,
           footer=80),
    Action("desk.theme", ("t",), "Theme", "Change between dark and light.", DESK),
    Action("desk.palette", (":", "ctrl+p"), "Palette", "Find an action, or an entry, by typing a part of it.", DESK,
           "desk", needs_desk),
    Action("desk.keys", ("?",), "Keys", "Show every key.", DESK, footer=1),
    Action("desk.quit", ("q",), "Quit", "Leave, after what is being written has landed.", DESK, footer=90),
    # -- decisions, the same in every pane that lists entries
    Action("entry.close", ("c",), "Close", "Close the thread: its work is done with, it is injected no more.", DECIDE,
           "pane", _not_all(Status.CLOSED, "It is closed already."), footer=10),
    Action("entry.carry", ("f",), "Carry", "Carry the thread forward: it must reach the next session.", DECIDE,
           "pane", _not_all(Status.CARRY_FORWARD, "It is carried forward already."), footer=15),
    Action("entry.open", ("o",), "Open", "Open the thread (again): live work without a date.", DECIDE, "pane",
           _not_all(Status.OPEN, "It is open already."), footer=20),
    Action("entry.graduate", ("g",), "Graduate", "Graduate the thread: it left knowledge, which an entry may keep.",
           DECIDE, "pane", _not_all(Status.GRADUATED, "It is graduated already."), footer=25),
    Action("entry.log", ("l",), "Log", "Move to the log: kept for audit, never injected.", DECIDE, "pane",
           needs_not_log, footer=35),
    Action("entry.delete", ("d",), "Delete", "Delete: it leaves every list; its text stays and undo brings it back.",
           DECIDE, "pane", needs_entry, footer=40),
    Action("desk.undo", ("u",), "Undo", "Undo the last thing that you did.", DECIDE, "desk", needs_desk, footer=50),
    Action("desk.redo", ("U", "ctrl+r"), "Redo", "Do again what was undone.", DECIDE, "desk", needs_desk),
    Action("entry.append", ("a",), "Append", "Add text after the body.", WRITE, "pane", needs_one, footer=28),
    Action("entry.reword", ("e",), "Reword", "Reword the description, the title or the body.", WRITE, "pane", needs_one,
           footer=30),
    Action("entry.initiative", ("i",), "Initiative", "Open the whole initiative: all that is live in it, with texts.",
           LOOK, "pane", needs_one, footer=55),
    # -- Triage
    Action("triage.keep", ("x",), "Keep", "Keep it as it is: looked at (=), go on to the next.", TRIAGE, "pane",
           needs_entry, footer=5),
    Action("triage.preview", ("p",), "Preview", "Preview the block as it would be after a decision on what is marked.",
           TRIAGE, "pane", needs_marks, footer=45),
    Action("triage.block", ("b",), "Copy block", "Copy the block that a session start injects.", TRIAGE, "pane",
           needs_desk, footer=58),
    Action("triage.sections", ("s",), "Sections", "Change between the worklist and the sections.", TRIAGE, "pane",
           needs_desk, footer=59),
    Action("triage.since", ("n",), "News", "What others changed since you were last here.", TRIAGE, "pane", needs_desk,
           footer=62),
    Action("triage.lift", ("+",), "Move up", "Move what is below the cut up into the block, by a change that the rules "
           "allow.", TRIAGE, "pane", needs_one, footer=57),
    Action("triage.less", ("[",), "Smaller", "A smaller budget.", TRIAGE, "pane", needs_desk),
    Action("triage.more", ("]",), "Larger", "A larger budget.", TRIAGE, "pane", needs_desk),
    Action("triage.budget", ("m",), "Budget", "Set the budget: what a session start asks for, or another.", TRIAGE,
           "pane", needs_desk, footer=63),
    # -- Threads
    Action("threads.group", ("s",), "Group", "Group by status, by initiative, or by age.", THREADS, "pane", needs_desk,
           footer=45),
    # -- Conflicts
    Action("conflicts.merge", ("m",), "Merge", "Merge them into one: choose the wording of each field, and which one "
           "stays; the line above the list says what will be done.", CONFLICTS, "pane", needs_desk, footer=2),
    Action("conflicts.a", ("a",), "A stays", "A replaces B; of an overwritten edit, what stands stays.",
           CONFLICTS, "pane", needs_desk, footer=3),
    Action("conflicts.b", ("b",), "B stays", "B replaces A; of an overwritten edit, the other wording is taken.",
           CONFLICTS, "pane", needs_desk, footer=4),
    Action("conflicts.relate", ("r",), "Relate", "They are related, and both stay.", CONFLICTS, "pane", needs_desk,
           footer=5),
    Action("conflicts.different", ("d",), "Different", "They are different: not shown again until a text changes. On a "
           "member of a group: it does not belong there.", CONFLICTS, "pane", needs_desk, footer=6),
    Action("conflicts.keep_both", ("x",), "Keep both", "Alike on purpose: not shown again until a text changes.",
           CONFLICTS, "pane", needs_desk, footer=7),
    Action("conflicts.later", ("l",), "Later", "Not now: it goes to the end of the queue.", CONFLICTS, "pane",
           needs_desk, footer=8),
    Action("conflicts.ask", ("o",), "Ask owner", "Ask the owner of a decision which of the two holds: a request "
           "that waits for them.", CONFLICTS, "pane", needs_desk, footer=9),
    Action("conflicts.member", ("-",), "Leave out", "Leave a member out of its group, or take it in again; space does "
           "it, too.", CONFLICTS, "pane", needs_desk, footer=11),
    Action("conflicts.next", ("n",), "Next", "To the next conflict.", CONFLICTS, "pane", needs_desk),
    Action("conflicts.previous", ("p",), "Previous", "To the conflict before.", CONFLICTS, "pane", needs_desk),
    Action("conflicts.score", ("s",), "Scores", "Show how alike they are, or hide it: a score sways who looks at it.",
           CONFLICTS, "pane", needs_desk, footer=13),
    Action("conflicts.scan", ("c",), "Go on", "Go on comparing, after esc stopped it.", CONFLICTS, "pane", needs_desk),
    # -- Graph
    Action("entry.graph", ("G",), "Graph", "Show the entry in the graph: all its links, both ways.", LOOK, "pane",
           needs_one, footer=68),
    Action("graph.open", ("right",), "Open", "Open the links of the row; on one that is shown above, go there.", GRAPH,
           "pane", needs_desk, footer=2),
    Action("graph.shut", ("left",), "Close", "Close the links of the row, or go to the row above it.", GRAPH, "pane",
           needs_desk, footer=3),
    Action("graph.root", ("r",), "Re-root", "Start a tree at this entry: all its links, both ways.", GRAPH, "pane",
           needs_one, footer=4),
    Action("graph.link", ("+",), "Link", "Link it: choose a sentence, then the other end by typing.", WRITE, "pane",
           needs_one, footer=5),
    Action("graph.unlink", ("-",), "Unlink", "Remove the link that the row stands for.", WRITE, "pane", needs_desk,
           footer=6),
    Action("graph.mend", ("m",), "Mend", "Mend what is wrong with the links of the row.", WRITE, "pane", needs_desk,
           footer=7),
    Action("graph.faults", ("!",), "Faults", "List what is wrong with the links: circles, missing ends, second "
           "parents, long chains, too many links.", GRAPH, "pane", needs_desk, footer=8),
    Action("graph.kind", ("s",), "Kinds", "Show one kind of links only, or all.", GRAPH, "pane", needs_desk, footer=9),
    Action("graph.direction", ("b",), "Direction", "Follow links both ways, only from the entry, or only towards it.",
           GRAPH, "pane", needs_desk, footer=11),
    Action("graph.story", ("S",), "Story", "Walk the lineage of the entry as a time line.", GRAPH, "pane", needs_one,
           footer=13),
    Action("graph.picture", ("p",), "Picture", "Draw what is linked to the entry.", GRAPH, "pane", needs_one,
           footer=17),
    # -- History
    Action("history.side", ("s",), "Columns", "Show the difference in two columns, or in one.", HISTORY, "pane",
           needs_desk, footer=16),
    Action("history.next", ("n",), "Next change", "To the next change in the text at the right.", HISTORY, "pane",
           needs_desk, footer=12),
    Action("history.previous", ("p",), "Previous", "To the previous change in the text at the right.", HISTORY, "pane",
           needs_desk),
    Action("history.current", ("c",), "With now", "Compare the version with the entry as it is now, or with the "
           "version before it; two that are marked are compared with each other.", HISTORY, "pane", needs_one,
           footer=14),
    Action("history.blame", ("b",), "Blame", "Show who wrote each line of the text, and when.", HISTORY, "pane",
           needs_one, footer=18),
    Action("history.restore", ("r",), "Restore", "Write this version again: a new edit, which undo takes back.",
           HISTORY, "pane", needs_one, footer=20),
    Action("history.field", ("f",), "One field", "Write one field of this version again.", HISTORY, "pane", needs_one,
           footer=22),
    Action("history.as_of", ("a",), "As of this", "Show the memory as it was right after this, in every pane.",
           HISTORY, "pane", needs_one, footer=24),
    Action("history.moments", ("m",), "Since", "List what changed in the memory since this, or between two that are "
           "marked.", HISTORY, "pane", needs_entry, footer=26),
    Action("history.take_back", ("x",), "Take back", "Undo this operation alone, or do it again; a refusal says what "
           "stands on top.", HISTORY, "pane", needs_one, footer=28),
    Action("history.walk", ("g",), "Go back here", "Undo (or redo) up to this operation; what will change is shown "
           "first.", HISTORY, "pane", needs_one, footer=30),
    Action("history.retire", ("R",), "Retire all", "Retire everything that came from this session or author, and what "
           "was made from it; shown first.", HISTORY, "pane", needs_one, footer=32),
    # -- Approvals
    Action("approvals.approve", ("a",), "Approve", "Approve what was read to its end: it is done at once, in one "
           "operation. With marks: all those that are ready and were read; the results are listed.", APPROVALS, "pane",
           needs_desk, footer=2),
    Action("approvals.edit", ("e",), "Word it", "Approve with your own wording of a text; ctrl+e opens $EDITOR.",
           APPROVALS, "pane", needs_desk, footer=3),
    Action("approvals.reject", ("r",), "Reject", "Reject with a reason, which who asked can read.", APPROVALS, "pane",
           needs_desk, footer=4),
    Action("approvals.skip", ("x",), "Skip", "Leave it waiting and go on to the next; what an agent did is kept, what "
           "was only told is put away.", APPROVALS, "pane", needs_desk, footer=5),
    Action("approvals.rebase", ("b",), "Rebase", "Compare a stale request with what has moved since, and make it anew "
           "against that; it must be read again.", APPROVALS, "pane", needs_desk, footer=6),
    Action("approvals.drop", ("d",), "Drop", "Drop a request that is stale, gone or settled elsewhere; who asked reads "
           "why.", APPROVALS, "pane", needs_desk, footer=7),
    Action("approvals.view", ("s",), "Done alone", "Change between what agents ask for and what they did on their own.",
           APPROVALS, "pane", needs_desk, footer=8),
    Action("approvals.veto", ("V",), "Veto", "Take back what an agent did, whole; with marks: each of them.", APPROVALS,
           "pane", needs_desk, footer=9),
    Action("approvals.take", ("p",), "Take", "Take the proposals that wait in a host into the list, once each.",
           APPROVALS, "pane", needs_desk, footer=11),
    Action("approvals.editor", ("E",), "In $EDITOR", "Decide what is marked, or all in the list, in your editor: a "
           "block that stays is approved, one that is deleted is rejected; only what is ready is in it.", APPROVALS,
           "pane", needs_desk, footer=12),
)  # fmt: skip

#: Sections and single actions that change the memory: none of them works on the memory as it was.
_CHANGING: Final = frozenset({DECIDE, WRITE})
_CHANGES: Final = frozenset({
    "triage.lift", "conflicts.merge", "conflicts.a", "conflicts.b", "conflicts.relate", "conflicts.different",
    "conflicts.keep_both", "conflicts.later", "conflicts.ask",
    "history.restore", "history.field", "history.take_back", "history.walk", "history.retire",
    "approvals.approve", "approvals.edit", "approvals.reject", "approvals.rebase", "approvals.drop", "approvals.veto",
    "approvals.take", "approvals.editor",
})  # fmt: skip

BY_ID: Final[Mapping[str, Action]] = {action.id: action for action in TABLE}

#: What EntryDecisions answers; a pane of entries puts them into its ACTIONS.
ENTRY_ACTIONS: Final = (
    "entry.close", "entry.carry", "entry.open", "entry.graduate", "entry.log", "entry.append", "entry.reword",
    "entry.delete", "entry.initiative", "entry.graph",
)  # fmt: skip


def bindings(ids: Iterable[str], *, method: str = "act") -> list[Binding]:
    """The bindings of these actions; each calls `action_<method>(id)`."""
    return [
        Binding(",".join(action.keys), f"{method}('{action.id}')", action.label, show=False, id=action.id)
        for action in (BY_ID[one] for one in ids)
    ]


def desk_ids() -> list[str]:
    """The actions that work in every pane."""
    return [action.id for action in TABLE if action.scope == "desk"]


def why_not(action: Action, now: Situation) -> str:
    """Why the action does not work now: by the table, else by the pane in front; "" when it does."""
    if now.past and (action.section in _CHANGING or action.id in _CHANGES):
        return PAST
    return action.why_not(now) or now.refused.get(action.id, "")
