"""`tree`, `mend`, `export graph` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli

from memdesk.core.events import EDGE_ADD


@pytest.fixture
def graph(cli: Cli) -> Cli:
    """A lineage, a part, a circle, a second parent and a missing end."""
    with cli.desk() as desk:
        for name in ("atom_a", "atom_b", "decision_new", "project_group"):
            desk.add(name=name, body=name, description=f"about {name}", workspace="me")
        desk.link("decision_new", "supersedes", "decision_db")
        desk.link("project_run", "child_of", "project_group")
        ids = {e.ref: e.id for e in desk.list_entries(status="all").entries()}
        with desk.store.transaction() as tx:
            tx.begin("receive", "Merged", actor="user:bob", role="user")
            for a, kind, b in (
                ("me/atom_a", "derived_from", "me/atom_b"), ("me/atom_b", "derived_from", "me/atom_a"),
                ("me/project_run", "child_of", "me/decision_new"), ("me/atom_a", "related_to", "missing:me/atom_gone"),
            ):  # fmt: skip
                tx.write(EDGE_ADD, {"from_id": ids[a], "edge_kind": kind, "to_id": ids.get(b, b)})
    return cli


def shown(done: Any) -> list[str]:
    return [line.rsplit(" · ", 1)[0] for line in done.out.splitlines()]


def test_a_tree_is_printed_with_roles_states_and_what_is_wrong(graph: Cli) -> None:
    assert graph.ok("tree decision_db").out.splitlines() == [
        "decision_db · What we know · replaced · just now",
        "╰─ is replaced by decision_new · What we know · just now",
        "   ╰─ has the part project_run · For this session · just now",
        "      ╰─ is part of project_group · What we know · just now",
        "",
        "What is wrong",
        "! project_run is part of project_group and decision_new; an entry has one parent.",
        "  memdesk mend project_run",
    ]


def test_kind_direction_and_depth_narrow_it(graph: Cli) -> None:
    assert shown(graph.ok("tree decision_new --kind supersedes")) == [
        "decision_new · What we know", "╰─ replaces decision_db · What we know · replaced",
    ]  # fmt: skip
    assert len(graph.ok("tree decision_new --direction in --json").json["nodes"]) == 2
    assert graph.ok("tree decision_new --depth 0").out.startswith("decision_new · What we know · just now (+2)")
    nodes = graph.ok("tree atom_a --json").json["nodes"]
    assert [(n["name"], n["state"], n["depth"], n["closes_circle"]) for n in nodes] == [
        ("atom_a", "current", 0, False), ("atom_b", "current", 1, False), ("atom_a", "current", 2, True),
        ("atom_b", "current", 1, False), ("atom_gone", "missing", 1, False),
    ]  # fmt: skip
    assert [n["shown_at"] for n in nodes] == [None, None, 0, 1, None]
    assert [f["code"] for f in nodes[0]["faults"]] == ["circle", "missing_end"]
    assert graph("tree atom_a --depth -1").code == 2
    assert graph("tree atom_nothing --json").error["code"] == "not_found"
    cut = graph.ok("tree decision_db --limit 2 --json").json
    assert len(cut["nodes"]) == 2 and "first 2 rows" in cut["warnings"][0]


def test_what_is_wrong_is_listed_and_mended(graph: Cli) -> None:
    found = graph.ok("mend --json").json["faults"]
    assert [(f["code"], f["name"], f["broken"]) for f in found] == [
        ("circle", "atom_a", True), ("missing_end", "atom_gone", True), ("second_parent", "project_run", True),
    ]  # fmt: skip
    assert "memdesk mend project_run" in graph.ok("mend").out
    listed = graph.ok("mend project_run").out
    assert "--fix 1  Keep project_group as its parent" in listed and "--fix 2  Keep decision_new" in listed
    done = graph.ok("mend project_run --fix 2 --json").json
    assert done["summary"] == "Removed “project_run is part of project_group”" and done["action"] == "mended"
    assert graph.ok("mend atom_gone --fix 1").out.startswith("Removed “atom_a is related to atom_gone”")
    assert graph.ok("mend atom_a --fix 1").code == 0
    assert graph.ok("mend").out == "Nothing is wrong with the links.\n"
    for _ in range(3):
        graph.ok("undo")
    assert len(graph.ok("mend --json").json["faults"]) == 3, "undo brings each back"


def test_a_mend_that_makes_no_sense_is_refused(graph: Cli) -> None:
    assert graph("mend --fix 1 --json").error["code"] == "usage"
    assert "no fix 9" in graph("mend project_run --fix 9 --json").error["message"]
    assert graph("mend atom_nothing --json").error["code"] == "not_found"
    graph.role("specialist")
    assert graph("mend project_run --fix 1").code == 3, "a specialist proposes"
    graph.role("orchestrator")
    assert graph("mend project_run --fix 1").code == 0


def test_the_graph_is_exported(graph: Cli, tmp_path: Path) -> None:
    assert graph.ok("export graph").out.startswith("digraph memory {")
    assert graph.ok("export graph --format mermaid --kind supersedes").out.splitlines()[:4] == [
        "flowchart LR", '  n0["decision_db #40;replaced#41;"]:::gone', '  n1["decision_new"]',
        '  n1 -->|"replaces"| n0',
    ]  # fmt: skip
    data = graph.ok("export graph --format json").json
    assert (data["format"], len(data["nodes"]), len(data["edges"])) == ("json", 7, 6)
    assert json.loads(graph.ok("export graph --json").out)["text"].startswith("digraph")
    assert graph.ok("export graph --format json --workspace other").json["edges"] == []
    path = tmp_path / "memory.graphml"
    assert graph.ok("export", "graph", "--format", "graphml", "--output", str(path), "--json").json["edges"] == 6
    assert path.read_text(encoding="utf-8").startswith("<?xml") and path.stat().st_mode & 0o777 == 0o600
    again = graph("export", "graph", "--output", str(path), "--json")
    assert again.error["code"] == "bad_input", "a file that is there is left alone"
    assert graph("export --json").error["code"] == "usage"
