"""Agents that ask for forty things, of which ten are overtaken by events and three are asked twice (DESIGN 4).

As a script it fills a store for a review by hand:

    python tests/support/agents_play.py FOLDER
    MEMDESK_HOME=FOLDER MEMDESK_ROLE=user MEMDESK_ACTOR=user:ana memdesk desk --pane approvals
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval, NotFound
from memdesk.core.model import Entry, State, Status

ANA = Actor("user:ana", Role.USER, None, True)
SCOUT, WORKER, TESTER = "agent:scout", "agent:worker", "agent:tester"
ROLES = {SCOUT: Role.ORCHESTRATOR, WORKER: Role.OPERATOR, TESTER: Role.SPECIALIST}
STEPS = "First the valve is closed.\nThen the tank is drained.\nAt last the filter is changed.\n"
#: What became of the ten.
OVERTAKEN = ("stale", "gone", "settled", "erased")
CACHED = "The query cache is enabled in production for all read endpoints of the shop."
AGAINST = "The query cache is disabled in production for all read endpoints of the shop."


@dataclass
class Ask:
    """One thing that an agent asks for.

    Attributes:
        by: who asks.
        verb: of the request.
        how: the call on the agent's desk, or the words of a command line ({name} being an entry's id).
        fate: what becomes of it before the review: ready, stale, gone, settled, erased (its text with the entry), or
            same (as `twin`).
        later: what the person does meanwhile.
        done: whether it was carried out.
        twin: number of the one that it repeats.
        request_id: set once it is asked.
    """

    by: str
    verb: str
    how: Callable[[Desk], Any] | Sequence[str]
    fate: str = "ready"
    later: Callable[[Desk], Any] | None = None
    done: Callable[[Desk], bool] = lambda desk: False
    twin: int | None = None
    request_id: str = ""
    number: int = 0

    def is_done(self, desk: Desk) -> bool:
        """Whether it was carried out, as far as memory shows."""
        try:
            return self.done(desk)
        except NotFound:  # what it would make is not there
            return False


@dataclass
class Play:
    """All of it, after it was asked."""

    asks: list[Ask]
    by_number: dict[int, Ask] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.by_number = {ask.number: ask for ask in self.asks}

    def of(self, *fates: str) -> list[Ask]:
        return [ask for ask in self.asks if ask.fate in fates]


def _body(name: str, text: str) -> Callable[[Desk], bool]:
    return lambda d: text in d.find(name).body


def _state(name: str, state: State) -> Callable[[Desk], bool]:
    return lambda d: d.find(name).state is state


def _edge(source: str, kind: str, target: str, there: bool = True) -> Callable[[Desk], bool]:
    return lambda d: bool(d.store.edges(kind=kind, source=d.find(source).id, target=d.find(target).id)) is there


def _named(desk: Desk, name: str) -> Entry | None:
    return desk.store.name_owner("me", name)


def _erase(desk: Desk, name: str) -> Any:
    return desk.erase(name, f"DELETE {desk.find(name).id}")


def _title_of(name: str) -> Callable[[Desk], bool]:
    return lambda d: (d.find(name).title, "kept" in d.find(name).tags) == ("Filters", True)


MILESTONE = {
    "resumen": {"name": "project_cache_off", "type": "project", "body": AGAINST, "description": "Cache off"},
    "pendientes": [{"name": "project_cache_left", "body": "Tell the shop.", "description": "Left to do"}],
}


def asks() -> list[Ask]:
    """The forty, in the order in which they are asked."""
    return [Ask(**{**vars(one), "number": number}) for number, one in enumerate(_asks(), 1)]


def _asks() -> list[Ask]:
    gone, active = State.PURGED, State.ACTIVE
    return [
        Ask(SCOUT, "edit", lambda d: d.edit("atom_01", fields={"body": "Pumps run at night."}, rationale="Measured."),
            done=_body("atom_01", "at night")),
        Ask(SCOUT, "edit", ["edit", "atom_02", "--description", "As scout has it", "--rationale", "It was vague."],
            done=lambda d: d.find("atom_02").description == "As scout has it"),
        Ask(SCOUT, "edit", lambda d: d.edit("atom_03", fields={"title": "Filters"}, add_tags=["kept"]),
            done=_title_of("atom_03")),
        Ask(SCOUT, "edit", lambda d: d.edit("atom_04", fields={"body": STEPS.replace("valve", "main valve")}), "stale",
            lambda d: d.edit("atom_04", fields={"body": STEPS.replace("filter", "old filter")}),
            lambda d: "main valve" in d.find("atom_04").body and "old filter" in d.find("atom_04").body),
        Ask(SCOUT, "edit", lambda d: d.edit("atom_05", fields={"body": STEPS.replace("valve", "main valve")}), "stale",
            lambda d: d.edit("atom_05", fields={"body": STEPS.replace("valve", "side valve")}),
            _body("atom_05", "both valves")),
        Ask(SCOUT, "edit", lambda d: d.edit("atom_06", fields={"description": "Of one mind"}), "settled",
            lambda d: d.edit("atom_06", fields={"description": "Of one mind"})),
        Ask(SCOUT, "delete", lambda d: d.delete("atom_07", rationale="Nobody reads it."), done=_state("atom_07", gone)),
        Ask(SCOUT, "delete", ["delete", "atom_08", "--reason", "noise"], "stale",
            lambda d: d.append("atom_08", "And yet it was needed today.")),
        Ask(SCOUT, "delete", lambda d: d.delete(["atom_09", "atom_09_b"]), done=_state("atom_09_b", gone)),
        Ask(SCOUT, "restore", lambda d: d.restore("atom_10"), done=_state("atom_10", active)),
        Ask(SCOUT, "erase", lambda d: _erase(d, "atom_11"), done=lambda d: _named(d, "atom_11") is None),
        Ask(SCOUT, "erase", ["delete", "{atom_12}", "--hard", "--confirm", "DELETE {atom_12}"], "erased",
            lambda d: _erase(d, "atom_12")),
        Ask(SCOUT, "rename", lambda d: d.rename("atom_13", "atom_thirteen"),
            done=lambda d: _named(d, "atom_thirteen") is not None),
        Ask(SCOUT, "rename", ["rename", "atom_14", "atom_fourteen"],
            done=lambda d: _named(d, "atom_fourteen") is not None),
        Ask(SCOUT, "move-workspace", ["move-workspace", "atom_15", "--to", "other"],
            done=lambda d: d.find("atom_15").workspace == "other"),
        Ask(SCOUT, "add", ["add", "atom_16", "--body", "Written over.", "--workspace", "me"],
            done=_body("atom_16", "Written over.")),
        Ask(SCOUT, "add", lambda d: d.add(name="atom_17", body="Written over.", workspace="me"), "erased",
            lambda d: _erase(d, "atom_17")),
        Ask(SCOUT, "supersede", lambda d: d.supersede("decision_18", by="decision_18_new"),
            done=_state("decision_18", State.SUPERSEDED)),
        Ask(SCOUT, "supersede", ["supersede", "decision_19", "--by", "decision_19_new"], "settled",
            lambda d: d.supersede("decision_19", by="decision_19_new")),
        Ask(SCOUT, "merge", lambda d: d.merge(["atom_20", "decision_20"], into="atom_20"),
            done=_state("decision_20", State.SUPERSEDED)),
        Ask(SCOUT, "merge", lambda d: d.merge(["atom_21", "decision_21"], into="atom_21"), "gone",
            lambda d: _erase(d, "decision_21")),
        Ask(WORKER, "append", lambda d: d.append("atom_22", AGAINST), done=_body("atom_22", AGAINST)),
        Ask(WORKER, "create", lambda d: d.create(kind="atom", title="Cache", oneline="The cache", full=AGAINST,
                                                 workspace="me"),
            done=lambda d: (e := _named(d, "atom_cache")) is not None and e.body == AGAINST),
        Ask(WORKER, "checkpoint", lambda d: d.checkpoint(MILESTONE, workspace="me"),
            done=lambda d: _edge("project_cache_left", "derived_from", "project_cache_off")(d)),
        Ask(WORKER, "mend", lambda d: d.mend(
                add=[(d.find("decision_25_new").id, "supersedes", d.find("decision_25").id)], rationale="It was lost."),
            done=_edge("decision_25_new", "supersedes", "decision_25")),
        Ask(WORKER, "delete", ["retire", "--session", "s-bad"], done=_state("atom_26", gone)),
        Ask(TESTER, "add", lambda d: d.add(name="atom_27", body="Found out.", description="F", workspace="me"),
            done=lambda d: _named(d, "atom_27") is not None),
        Ask(TESTER, "add", lambda d: d.add(name="atom_28", body="Found out.", description="F", workspace="me"), "stale",
            lambda d: d.add(name="atom_28", body="The person was faster.", description="P", workspace="me")),
        Ask(TESTER, "append", ["append", "atom_29", "--body", "Seen again at noon."],
            done=_body("atom_29", "Seen again at noon.")),
        Ask(TESTER, "append", lambda d: d.append("atom_30", "Seen again."), "stale", lambda d: d.delete("atom_30")),
        Ask(TESTER, "reclassify", ["reclassify", "project_31", "--status", "closed"],
            done=lambda d: d.find("project_31").status is Status.CLOSED),
        Ask(TESTER, "link", lambda d: d.link("atom_32", "related_to", "atom_01"),
            done=lambda d: len(d.store.edges_of(d.find("atom_32").id)) == 1),
        Ask(TESTER, "unlink", lambda d: d.unlink("atom_33", "child_of", "atom_02"),
            done=_edge("atom_33", "child_of", "atom_02", there=False)),
        Ask(TESTER, "create", ["comment", "atom_34", "It leaks."],
            done=lambda d: len(d.store.edges_of(d.find("atom_34").id)) == 1),
        Ask(TESTER, "graduate", lambda d: d.graduate("project_35", anchor={"name": "atom_35", "body": "Known now."}),
            done=lambda d: d.find("project_35").status is Status.GRADUATED and _named(d, "atom_35") is not None),
        Ask(TESTER, "verdict", lambda d: d.judge("atom_36", "atom_34", "different"),
            done=lambda d: any(v.verdict == "different" for v in d.store.verdicts())),
        Ask(TESTER, "append", ["propose", "--workspace", "me", "--file", "CONTRACT"],
            done=_body("atom_37", "It grew.")),
        Ask(SCOUT, "edit", lambda d: d.edit("atom_01", fields={"body": "Pumps run at night."}), "same", twin=1),
        Ask(TESTER, "append", ["append", "atom_29", "--body", "Seen again at noon."], "same", twin=29),
        Ask(WORKER, "delete", lambda d: d.delete("atom_07"), twin=7),
    ]  # fmt: skip


CONTRACT = {"memory_delta": {"version": 1, "proposals": [
    {"operation": "append", "target": {"slug": "atom_37"}, "append": {"body": "It grew."}, "rationale": "Measured."},
]}}  # fmt: skip


def _fill(folder: Path) -> None:
    names = [f"atom_{n:02}" for n in (*range(1, 18), *(20, 21, 22, 29, 30, 32, 33, 34, 36, 37))]
    decisions = ["18", "18_new", "19", "19_new", "20", "21", "25", "25_new"]
    with Desk.open(folder, ANA) as desk:
        for place in ("me", "other"):
            desk.add_workspace(place)
        for name in [*names, "atom_09_b", *(f"decision_{d}" for d in decisions)]:
            body = STEPS if name in ("atom_04", "atom_05") else f"What is known of {name}, as first written down."
            desk.add(name=name, body=body, description=f"On {name}", workspace="me")
        desk.add(name="decision_cache", body=CACHED, description="Cache", workspace="me")
        for name in ("project_31", "project_35"):
            desk.add(name=name, body=f"Work on {name}.", description=name, workspace="me", klass="thread",
                     status="open")  # fmt: skip
        desk.link("atom_33", "child_of", "atom_02")
        desk.delete("atom_10")
    with Desk.open(folder, Actor("agent:bad", Role.ORCHESTRATOR, "s-bad")) as desk:
        desk.add(name="atom_26", body="Nonsense.", description="Nonsense", workspace="me")


def _ask(folder: Path, ask: Ask) -> str:
    if callable(ask.how):
        with Desk.open(folder, Actor(ask.by, ROLES[ask.by], "s-play")) as desk:
            try:
                ask.how(desk)
            except NeedsApproval as waits:
                return str(waits.extra["request_id"])
        raise AssertionError(f"{ask.number} was not asked for")
    return _by_command(folder, ask, ask.how)


def _by_command(folder: Path, ask: Ask, words: Sequence[str]) -> str:
    """The id of the request that a command line became: exit 3, or what `propose` says."""
    from memdesk.tui.cli import main

    with Desk.open(folder, ANA) as desk:
        ids = {e.name: e.id for e in desk.list_entries(status="all").entries()}
    contract = folder / "contract.json"
    contract.write_text(json.dumps(CONTRACT))
    told = [str(contract) if w == "CONTRACT" else w.format(**ids) for w in words]
    before = dict(os.environ)
    os.environ |= {
        "MEMDESK_HOME": str(folder), "MEMDESK_ROLE": str(ROLES[ask.by]), "MEMDESK_ACTOR": ask.by,
        "MEMDESK_SESSION_ID": "s-play",
    }  # fmt: skip
    out, err = io.StringIO(), io.StringIO()
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main.main([*told, "--json"], standalone_mode=False)
    finally:
        os.environ.clear()
        os.environ |= before
        contract.unlink()
    said = json.loads(out.getvalue())
    if code == 3:
        return str(said["error"]["request_id"])
    assert (code, words[0]) == (0, "propose"), (told, said, err.getvalue())
    return str(said["results"][0]["request_id"])


def build(folder: Path) -> Play:
    """Fill an empty folder: entries, forty asks, and what happened to ten of them since."""
    _fill(folder)
    play = Play(asks())
    for ask in play.asks:
        ask.request_id = _ask(folder, ask)
    with Desk.open(folder, ANA) as desk:
        for ask in play.asks:
            if ask.later is not None:
                ask.later(desk)
    return play


def main(folder: str) -> None:
    place = Path(folder)
    if place.exists() and any(place.iterdir()):
        sys.exit(f"{place} is not empty.")
    play = build(place)
    with Desk.open(place, ANA) as desk:
        print(f"{len(play.asks)} asked for, {len(desk.requests())} requests wait in {place}.")
    print("\nTen whose entries have changed or gone since:")
    for ask in play.of(*OVERTAKEN):
        print(f"  {ask.number:2}  {ask.fate:8} {ask.request_id}  {ask.by} {ask.verb}")
    print("\nThree asked twice:")
    for ask in play.asks:
        if ask.twin is not None:
            first = play.by_number[ask.twin]
            what = "the same request" if ask.fate == "same" else "another agent's; settled when the first is approved"
            print(f"  {ask.number:2}  as {first.number:2}: {ask.request_id}  {ask.by} {ask.verb} ({what})")
    print(f"\nMEMDESK_HOME={place} MEMDESK_ROLE=user MEMDESK_ACTOR=user:ana memdesk desk --pane approvals")


if __name__ == "__main__":
    main(*sys.argv[1:])
