"""The graph for other tools: each format is read back by a reader that is not ours."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

from memdesk.core.export import FORMATS, Node, as_data, dot, graphml, mermaid
from memdesk.core.model import CHILD_OF, RELATED_TO, SUPERSEDES, Edge

NASTY = 'a"b]\\n</script> [/red] \x1b[31m ]]> & #quot; `x`; %% \u202e z\u200bw \ud800'
NODES = [
    Node("1", "decision_new", "me", "decision", "What we know", "current", "2026-01-02T00:00:00Z"),
    Node("2", "decision_old", "me", "decision", "What we know", "replaced"),
    Node("missing:me/x", "x", state="missing", missing=True),
    Node("4", NASTY, "me", "atom", "What we know", "current"),
]
EDGES = [
    Edge("1", SUPERSEDES, "2", "2026-01-03T00:00:00Z"), Edge("1", RELATED_TO, "missing:me/x"), Edge("4", CHILD_OF, "1"),
    Edge("4", NASTY, "2"),
]  # fmt: skip


def test_graphml_is_xml_with_every_node_and_edge() -> None:
    root = ET.fromstring(graphml(NODES, EDGES).encode("utf-8"))
    space = {"g": "http://graphml.graphdrawing.org/xmlns"}
    names = [d.text for d in root.findall(".//g:node/g:data[@key='name']", space)]
    assert names[:3] == ["decision_new", "decision_old", "x"]
    edges = root.findall(".//g:edge", space)
    ids = {n.get("id") for n in root.findall(".//g:node", space)}
    assert len(edges) == 4 and {e.get("source") for e in edges} | {e.get("target") for e in edges} <= ids
    assert [e.get("directed") for e in edges] == [None, "false", None, None]


def test_dot_quotes_every_name() -> None:
    text = dot(NODES, EDGES)
    strings = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    assert '"' not in bare and "script" not in bare and "\x1b" not in text
    assert '"decision_old (replaced)"' in strings and 'style="rounded,dashed"' in text
    assert "n0 -> n1" in text and "n0 -> n2" in text and text.count("->") == 4


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_reads_it() -> None:
    done = subprocess.run(["dot", "-Tplain"], input=dot(NODES, EDGES).encode(), capture_output=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\nedge ") == 4


def test_mermaid_leaves_no_sign_of_a_name_to_be_read_as_its_own() -> None:
    lines = mermaid(NODES, EDGES).splitlines()
    assert lines[0] == "flowchart LR"
    assert lines[1] == '  n0["decision_new"]' and lines[2] == '  n1["decision_old #40;replaced#41;"]:::gone'
    (nasty,) = [line for line in lines if line.startswith("  n3[")]
    assert re.fullmatch(r'  n3\["[\w ./~#;-]*"\]', nasty)
    assert '  n0 -->|"replaces"| n1' in lines and '  n0 ---|"is related to"| n2' in lines


def test_json_keeps_names_as_they_are() -> None:
    text = FORMATS["json"](NODES, EDGES)
    assert text.isascii()
    data = json.loads(text)
    assert data == json.loads(json.dumps(as_data(NODES, EDGES)))
    assert data["nodes"][3]["name"] == NASTY and data["nodes"][2]["missing"] is True
    assert data["edges"][0] == {
        "from_id": "1", "to_id": "2", "src_name": "decision_new", "dst_name": "decision_old", "kind": "supersedes",
        "sentence": "replaces", "created_at": "2026-01-03T00:00:00Z",
    }  # fmt: skip


@pytest.mark.parametrize("format_", FORMATS)
def test_nothing_is_a_graph_too_and_text_can_be_written(format_: str) -> None:
    assert FORMATS[format_]([], []).strip()
    FORMATS[format_](NODES, EDGES).encode("utf-8")
