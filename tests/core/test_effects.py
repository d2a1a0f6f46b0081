"""What a request would do, in one phrase: every verb, against the text that stands."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.desk.deciding import METHODS
from memdesk.core.effects import PHRASES, body_effect, effect, injected
from memdesk.core.history import size_change
from memdesk.core.model import Entry, EntryClass, State, Status
from memdesk.tui.words import change


def entry(name: str, **values: Any) -> Entry:
    plain: dict[str, Any] = {
        "workspace": "lab", "type": name.partition("_")[0], "klass": EntryClass.ANCHOR, "status": None,
        "state": State.ACTIVE, "title": None, "description": "A line", "summary": None, "body": "one two three four",
        "tags": ("old",), "project_ref": None, "initiative": None, "audience": "any", "created_at": None,
        "created_by": "user:ana", "updated_at": None, "last_edited_by": "user:ana", "edit_count": 0,
    }  # fmt: skip
    return Entry(id=name.upper(), name=name, **(plain | values))


ATOM = entry("atom_a")
DECISION = entry("decision_b")
USER = entry("user_c")
OPEN = entry("project_d", klass=EntryClass.THREAD, status=Status.OPEN)
CLOSED = entry("project_e", klass=EntryClass.THREAD, status=Status.CLOSED)
ALL = {e.id: e for e in (ATOM, DECISION, USER, OPEN, CLOSED)}
HIDES = ", hides 1 entry from the digest"

PHRASED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "add": [
        ({"name": "atom_x", "body": "x" * 312, "workspace": "lab"}, "adds atom_x, 312 characters"),
        ({"name": "atom_a", "body": "one two three four", "description": "Else"}, "changes the description"),
        ({"name": "atom_a", "body": "one"}, "removes 83 % of the body"),
        ({"name": "atom_a", "body": "one two three four", "tags": ["new"]}, "adds the tag new"),
    ],
    "create": [
        ({"kind": "atom", "title": "A title", "oneline": "A line"}, "adds atom “A title”, 6 characters"),
        ({"kind": "atom", "title": "T", "oneline": "o", "name": "atom_t", "full": "body", "parent": "ATOM_A"},
         "adds atom_t, 4 characters, as part of atom_a"),
        ({"kind": "comment", "title": "Note", "oneline": "o", "full": "noted", "parent": "ATOM_A"},
         "comments on atom_a, 5 characters"),
    ],
    "comment": [({"ref": "ATOM_A", "text": "noted"}, "comments on atom_a, 5 characters")],
    "append": [
        ({"ref": "ATOM_A", "text": "123456789"}, "adds 61 % to the body"),
        ({"ref": "ATOM_A", "text": "x" * 360}, "makes the body 21 times as long"),
        ({"ref": "GONE", "text": "x"}, "adds 1 character to the body"),
    ],
    "edit": [
        ({"ref": "ATOM_A", "fields": {"body": "one"}}, "removes 83 % of the body"),
        ({"ref": "ATOM_A", "fields": {"body": "other words stand here"}}, "replaces the whole body"),
        ({"ref": "ATOM_A", "fields": {"description": "Else"}}, "changes the description"),
        ({"ref": "ATOM_A", "fields": {"description": None}}, "clears the description"),
        ({"ref": "ATOM_A", "fields": {"title": "A title", "summary": "s"}}, "adds a title and adds a short form"),
        ({"ref": "ATOM_A", "fields": {"description": "A line"}}, "changes nothing"),
        ({"ref": "ATOM_A", "add_tags": ["new", "old"]}, "adds the tag new"),
        ({"ref": "ATOM_A", "rm_tags": ["old"], "add_tags": ["x", "y"]}, "adds 2 tags and removes the tag old"),
        ({"ref": "PROJECT_D", "status": "closed"}, "moves it to “Closed”" + HIDES),
        ({"ref": "PROJECT_D", "klass": "log"}, "moves it to “Log”" + HIDES),
        ({"ref": "PROJECT_D", "status": "carry_forward"}, "moves it to “For this session”"),
        ({"ref": "PROJECT_D", "status": "open"}, "changes nothing"),
        ({"ref": "USER_C", "klass": "log"}, "moves it to “Log”" + HIDES),
        ({"ref": "ATOM_A", "state": "superseded"}, "makes it replaced"),
        ({"ref": "PROJECT_D", "state": "purged"}, "makes it deleted" + HIDES),
        ({"ref": "ATOM_A", "audience": "orchestrator"}, "shows it to orchestrators only"),
        ({"ref": "ATOM_A", "project": "p"}, "moves it to the project p"),
        ({"ref": "ATOM_A", "initiative": "atlas"}, "moves it to atlas"),
        ({"ref": "ATOM_A", "initiative": None}, "changes nothing"),
    ],
    "reclassify": [
        ({"ref": ["PROJECT_D"], "status": "closed"}, "moves project_d to “Closed”" + HIDES),
        ({"ref": ["PROJECT_D", "USER_C"], "klass": "log"}, "moves 2 entries to “Log”, hides 2 entries from the digest"),
        ({"ref": ["PROJECT_E"], "status": "open"}, "moves project_e to “Open threads”"),
        ({"ref": ["PROJECT_E"], "status": "closed"}, "leaves project_e where it is"),
    ],
    "link": [
        ({"source": "ATOM_A", "kind": "related_to", "target": "DECISION_B"},
         "links atom_a to decision_b (“is related to”)"),
        ({"source": "ATOM_A", "kind": "supersedes", "target": "PROJECT_D"}, "replaces project_d by atom_a" + HIDES),
    ],
    "unlink": [
        ({"source": "ATOM_A", "kind": "child_of", "target": "DECISION_B"},
         "takes back that atom_a is part of decision_b"),
    ],
    "supersede": [
        ({"old": "DECISION_B", "by": "ATOM_A"}, "replaces decision_b by atom_a"),
        ({"old": "USER_C", "by": "ATOM_A"}, "replaces user_c by atom_a" + HIDES),
    ],
    "delete": [
        ({"ref": ["PROJECT_D"]}, "deletes project_d" + HIDES),
        ({"ref": ["PROJECT_E", "ATOM_A"]}, "deletes 2 entries"),
        ({"ref": ["PROJECT_D"], "reason": "came from session s-9"},
         "deletes project_d, with the reason “came from session s-9”" + HIDES),
        ({"ref": ["PROJECT_E"], "reason": ["x"]}, "deletes project_e"),
    ],
    "retire": [({"session": "s1"}, "deletes 5 entries that came from session s1, hides 2 entries from the digest")],
    "restore": [({"ref": ["ATOM_A"]}, "brings back atom_a")],
    "erase": [({"ref": "DECISION_B"}, "erases decision_b for ever"), ({"ref": "PROJECT_D"},
              "erases project_d for ever" + HIDES)],
    "rename": [
        ({"ref": "ATOM_A", "name": "atom_b"}, "renames atom_a to atom_b"),
        ({"ref": "ATOM_A", "name": "decision_z"}, "renames atom_a to decision_z and makes it a decision"),
    ],
    "move-workspace": [({"refs": ["ATOM_A", "USER_C"], "to": "me"}, "moves 2 entries to the workspace me")],
    "checkpoint": [
        ({"payload": {"resumen": {"name": "project_x", "body": "12345"},
          "pendientes": [{"name": "project_y", "body": "123"}]}},
         "adds project_x and 1 thread, 8 characters"),
        ({"payload": {"resumen": {"name": "atom_a", "body": "12345"}}},
         "rewrites atom_a, 5 characters, writes over 1 entry"),
    ],
    "graduate": [
        ({"ref": "PROJECT_D", "into": "ATOM_A"}, "graduates project_d into atom_a" + HIDES),
        ({"ref": "PROJECT_E", "anchor": {"name": "atom_n", "body": "1234"}},
         "graduates project_e into atom_n, 4 characters"),
        ({"ref": "PROJECT_D"}, "graduates project_d" + HIDES),
    ],
    "mend": [
        ({"remove": [["A", "child_of", "B"]], "add": [["A", "supersedes", "PROJECT_D"]]},
         "removes 1 link and adds 1 link" + HIDES),
    ],
    "verdict": [
        ({"refs": ["ATOM_A", "DECISION_B"], "verdict": "duplicate"}, "says that atom_a and decision_b are duplicates"),
        ({"refs": ["A", "B", "C"], "verdict": "different"}, "says that 3 entries are different things"),
    ],
    "merge": [
        ({"refs": ["ATOM_A", "DECISION_B"], "into": "ATOM_A"}, "merges decision_b into atom_a"),
        ({"refs": ["ATOM_A", "PROJECT_D", "PROJECT_E"], "into": "ATOM_A"}, "merges 2 entries into atom_a" + HIDES),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("verb", "args", "phrase"), [(v, a, p) for v, rows in PHRASED.items() for a, p in rows])
def test_the_phrase_of_a_verb(verb: str, args: dict[str, Any], phrase: str) -> None:
    assert effect(verb, args, ALL) == phrase


@pytest.mark.parametrize("verb", sorted(METHODS))
def test_every_verb_that_can_be_asked_for_has_a_phrase(verb: str) -> None:
    assert verb in PHRASES and PHRASED[verb]
    for args, _ in PHRASED[verb]:
        assert effect(verb, args, {}), "entries that are gone are no hindrance"


@pytest.mark.parametrize("verb", [*sorted(PHRASES), "fly", ""])
@pytest.mark.parametrize(
    "args", [{}, {"ref": None}, {"ref": 5, "fields": 3, "payload": "x", "refs": {}, "name": ["n"]}]
)
def test_arguments_of_another_program_are_no_crash(verb: str, args: dict[str, Any]) -> None:
    assert effect(verb, args, ALL).strip()


LINES = [f"Line says something of its own: {chr(97 + n) * 9}." for n in range(10)]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (LINES, LINES[:2], "removes 80 % of the body"),
        (LINES, LINES[:5], "removes 50 % of the body"),
        (LINES[:5], LINES[:7], "adds 40 % to the body"),
        (LINES[:5], LINES[:5] * 2, "adds 100 % to the body"),
        (LINES[:1], LINES, "adds 921 % to the body"),
        (LINES, [], "removes the whole body"),
        ([], LINES[:1], "adds a body, 42 characters"),
        (LINES, list(reversed(LINES)), "changes the order or the layout of the body"),
        (LINES, ["", *LINES], "changes the order or the layout of the body"),
        (LINES, [*LINES[:9], LINES[9].replace("own", "sole")], "changes a few words of the body"),
        (LINES, [*LINES[:7], *(line.upper() for line in LINES[7:])], "rewrites 28 % of the body"),
        (LINES, [*LINES[:2], *(line.upper() for line in LINES[2:])], "rewrites most of the body"),
        (LINES, ["Nothing the same."], "replaces the whole body"),
        (LINES, [*LINES[:1], LINES[1].upper(), LINES[2].upper()], "removes 70 % of the body and rewrites 19 %"),
        (LINES[:4], [LINES[0].upper(), *LINES[1:7]], "rewrites 6 % of the body and adds 75 %"),
        (LINES[:2], [LINES[0].upper(), *LINES[1:]], "rewrites 12 % of the body and adds 405 %"),
        (LINES, LINES, ""),
        (["日本語の長い文章です。"], ["日本語"], "removes 73 % of the body"),
    ],
)
def test_what_becomes_of_a_body(before: list[str], after: list[str], said: str) -> None:
    assert body_effect("\n".join(before), "\n".join(after)) == said


def test_what_a_session_start_has_a_place_for() -> None:
    assert {e.name for e in ALL.values() if injected(e)} == {"user_c", "project_d"}
    assert not injected(entry("user_x", state=State.PURGED))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(LINES[:5]), "\n".join(LINES[:7])), ("\n".join(LINES), "\n".join(LINES[:2])),
        ("\n".join(LINES[:4]), "\n".join([LINES[0].upper(), *LINES[1:7]])),
        ("\n".join(LINES), "\n".join([LINES[0], LINES[1].upper(), LINES[2].upper()])),
        ("A short text.", "A short text. " + "More words. " * 40), ("a", "a " * 400_000), ("Short.", "Long. " * 5_000),
    ],
)  # fmt: skip
def test_how_much_longer_or_shorter_is_one_figure_everywhere(before: str, after: str) -> None:
    told = body_effect(before, after)
    figure = size_change(before, after).strip("+−")
    assert figure in told or told == "replaces the whole body"
    assert change(len(before), len(after)).strip("+-") == figure
    assert len(figure) <= len("more than 100 times as long"), "no number of seven digits"


def test_what_is_added_is_told_by_the_same_measure() -> None:
    there = entry("atom_a", body="x" * 40)
    for text in ("123456789", "y" * 360, "y" * 100_000):
        said = effect("append", {"ref": there.id, "text": text}, {there.id: there})
        assert size_change(there.body, f"{there.body}\n\n{text}").strip("+") in said
