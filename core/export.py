"""The graph in formats of other tools: Graphviz dot, GraphML, Mermaid, JSON. Pure.

Names and titles are untrusted: each format gets them quoted by its own rules, and hidden characters as visible marks
(but JSON, which is ASCII and keeps them as they are).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from .model import ACYCLIC_KINDS, SYMMETRIC_KINDS, Edge, edge_words
from .text import one_line


@dataclass(frozen=True, slots=True)
class Node:
    """A node as it is exported. `role` and `state` are the words of the screen; `missing`: no entry is there."""

    id: str
    name: str
    workspace: str = ""
    type: str = ""
    role: str = ""
    state: str = ""
    updated_at: str | None = None
    missing: bool = False


def dot(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """Graphviz: `dot -Tsvg`. What is no longer current is dashed, what is missing dotted."""
    ids = _numbers(nodes)
    lines = ["digraph memory {", "  rankdir=LR;", '  node [shape=box, style="rounded", fontname="sans-serif"];']
    for node in nodes:
        style = "dotted" if node.missing else "" if node.state == "current" else "dashed"
        look = f', style="rounded,{style}"' if style else ""
        lines.append(f"  {ids[node.id]} [label={_quoted(_label(node))}{look}];")
    for edge in edges:
        arrow = ", dir=none" if edge.kind in SYMMETRIC_KINDS else ""
        rank = "" if edge.kind in ACYCLIC_KINDS else ", constraint=false"
        words = _quoted(one_line(edge_words(edge.kind)))
        lines.append(f"  {ids[edge.source]} -> {ids[edge.target]} [label={words}{arrow}{rank}];")
    return "\n".join([*lines, "}"]) + "\n"


def graphml(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """GraphML, as Gephi, yEd and networkx read it."""
    ids = _numbers(nodes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(f'  <key id="{k}" for="node" attr.name="{k}" attr.type="string"/>' for k in _NODE_KEYS),
        '  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>',
        '  <key id="created_at" for="edge" attr.name="created_at" attr.type="string"/>',
        '  <graph id="memory" edgedefault="directed">',
    ]
    for node in nodes:
        lines.append(f"    <node id={quoteattr(ids[node.id])}>")
        lines += [_data(key, str(getattr(node, key) or "")) for key in _NODE_KEYS]
        lines.append("    </node>")
    for edge in edges:
        directed = ' directed="false"' if edge.kind in SYMMETRIC_KINDS else ""
        ends = f"source={quoteattr(ids[edge.source])} target={quoteattr(ids[edge.target])}"
        lines += [f"    <edge {ends}{directed}>", _data("kind", edge.kind), _data("created_at", edge.created_at or "")]
        lines.append("    </edge>")
    return "\n".join([*lines, "  </graph>", "</graphml>"]) + "\n"


def mermaid(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """A Mermaid flowchart, as Markdown renderers draw it."""
    ids = _numbers(nodes)
    lines = ["flowchart LR"]
    for node in nodes:
        style = ":::missing" if node.missing else "" if node.state == "current" else ":::gone"
        lines.append(f'  {ids[node.id]}["{_entities(_label(node))}"]{style}')
    for edge in edges:
        line, words = "---" if edge.kind in SYMMETRIC_KINDS else "-->", _entities(one_line(edge_words(edge.kind)))
        lines.append(f'  {ids[edge.source]} {line}|"{words}"| {ids[edge.target]}')
    lines += ["  classDef gone stroke-dasharray: 6 3", "  classDef missing stroke-dasharray: 1 3"]
    return "\n".join(lines) + "\n"


def as_data(nodes: Sequence[Node], edges: Sequence[Edge]) -> dict[str, object]:
    """The graph as plain values, under the keys of Gaia's edges (gaia/SPEC 4)."""
    names = {n.id: n.name for n in nodes}
    return {
        "nodes": [
            {
                "id": n.id, "name": n.name, "workspace": n.workspace, "type": n.type, "role": n.role, "state": n.state,
                "updated_at": n.updated_at, "missing": n.missing,
            }
            for n in nodes
        ],
        "edges": [
            {
                "from_id": e.source, "to_id": e.target, "src_name": names[e.source], "dst_name": names[e.target],
                "kind": e.kind, "sentence": edge_words(e.kind), "created_at": e.created_at,
            }
            for e in edges
        ],
    }  # fmt: skip


def as_json(nodes: Sequence[Node], edges: Sequence[Edge]) -> str:
    """`as_data` as JSON text."""
    return json.dumps(as_data(nodes, edges), indent=2, ensure_ascii=True) + "\n"


#: Name of a format -> what writes it.
FORMATS: Final[Mapping[str, Callable[[Sequence[Node], Sequence[Edge]], str]]] = {
    "dot": dot, "graphml": graphml, "mermaid": mermaid, "json": as_json,
}  # fmt: skip

_NODE_KEYS: Final = ("name", "workspace", "type", "role", "state", "updated_at")


def _numbers(nodes: Iterable[Node]) -> dict[str, str]:
    """Node id -> a plain word: ids of hosts and missing ends may hold anything."""
    return {node.id: f"n{number}" for number, node in enumerate(nodes)}


def _label(node: Node) -> str:
    state = "missing" if node.missing else "" if node.state in ("current", "") else node.state
    return one_line(node.name) + (f" ({state})" if state else "")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _data(key: str, text: str) -> str:
    return f'      <data key="{key}">{escape(one_line(text))}</data>'


def _entities(text: str) -> str:
    """Every sign that Mermaid or HTML might read as its own, as a numbered entity of Mermaid (`#35;`)."""
    return "".join(c if c.isalnum() or c in " _-./~" else f"#{ord(c)};" for c in text)
