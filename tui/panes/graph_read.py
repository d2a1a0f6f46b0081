"""What the Graph pane asks for and gets: places of trees in groups, or the lineage of an entry on a time line.

`read_view` runs in the reading thread. Opening a node asks with the overview that is known (`fresh=False`), so it costs
what is open, however big the store is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from ...core.desk import Desk
from ...core.desk.graphs import Overview
from ...core.desk.stories import Moment, Story
from ...core.faults import Fault, FaultKind, down
from ...core.model import CHILD_OF, DERIVED_FROM, GRADUATED_TO, RELATED_TO, SUPERSEDES, edge_words
from ...core.store import Query
from ...core.tree import Direction, Follow, Place
from ..widgets.rows import Section
from ..words import count
from .pane import Question

#: Tops shown of one kind where all kinds are shown, and where it is the only one.
_TOPS: Final = 200
_TOPS_OF_ONE: Final = 5000
#: Entries that a filter finds.
_FOUND: Final = 300
_ALL_STATES: Final = ("active", "superseded", "purged")

#: Kind -> how a forest of it is called.
GROVES: Final = {
    CHILD_OF: "Part-of trees", SUPERSEDES: "Replacement lineages", DERIVED_FROM: "Umbrella groups",
    GRADUATED_TO: "What threads became", RELATED_TO: "Related entries",
}  # fmt: skip
_FAULTS: Final = {
    FaultKind.CIRCLE: "Circles", FaultKind.MISSING: "Missing ends", FaultKind.SECOND_PARENT: "Second parents",
    FaultKind.LONG_CHAIN: "Long chains", FaultKind.MANY_LINKS: "Many links",
}  # fmt: skip


class Show(StrEnum):
    """What the list shows."""

    FOREST = "forest"
    ROOTED = "rooted"
    FAULTS = "faults"
    STORY = "story"


@dataclass(frozen=True, slots=True)
class At:
    """Where the pane stands. `root`: the entry that a tree or a story is about."""

    show: Show = Show.FOREST
    root: str = ""


@dataclass(frozen=True, slots=True)
class GraphQuestion(Question):
    """What to read.

    Attributes:
        at: what the list shows.
        kind: only this kind of edge; "" for all.
        direction: of a tree from one entry on.
        opened: (name of the tree, node) of every open node.
        known: the overview of the last answer.
        fresh: whether to look at the store's edges again.
    """

    at: At = At()
    kind: str = ""
    direction: Direction = Direction.BOTH
    opened: frozenset[tuple[str, str]] = frozenset()
    known: Overview | None = None
    fresh: bool = True

    def opened_in(self, tree: str) -> frozenset[str]:
        """The open nodes of one tree."""
        return frozenset(node for name, node in self.opened if name == tree)


@dataclass(frozen=True)
class GraphView:
    """An answer.

    Attributes:
        sections: the list; its keys are those of `places`, or of `moments`.
        places: key -> place.
        follows: tree name -> which edges its branches follow.
        trees: key -> the name of the tree that a place stands in.
        faults: the faults of the workspace.
        story, moments: of a time line.
    """

    question: GraphQuestion
    overview: Overview
    sections: tuple[Section, ...] = ()
    places: dict[int, Place] = field(default_factory=dict)
    follows: dict[str, Follow] = field(default_factory=dict)
    trees: dict[int, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    story: Story | None = None
    moments: dict[str, Moment] = field(default_factory=dict)


def read_view(desk: Desk, question: GraphQuestion) -> GraphView:
    """Read what the pane shows.

    Raises:
        NotFound: the entry that a tree or a story is about is gone.
    """
    overview = question.known
    if overview is None or question.fresh:
        overview = desk.overview(overview)
    view = GraphView(replace(question, known=None), overview, faults=tuple(overview.faults(question.workspace)))
    if question.at.show is Show.STORY:
        return _story(desk, view)
    if question.at.show is Show.ROOTED:
        kinds = frozenset({question.kind}) if question.kind else None
        follow = Follow(kinds, question.direction)
        return _planted(desk, view, [("", "", [question.at.root], 0, follow)])
    if question.at.show is Show.FAULTS:
        return _planted(desk, view, _fault_trees(view))
    if question.filter:
        return _planted(desk, view, _found(desk, view))
    return _planted(desk, view, _groves(view))


#: (name of the tree, header, tops, how many more tops there are, which edges it follows)
_Tree = tuple[str, str, Sequence[str], int, Follow]


def _planted(desk: Desk, view: GraphView, trees: Sequence[_Tree]) -> GraphView:
    sections = []
    for name, header, tops, more, follow in trees:
        places = desk.branches(tops, view.question.opened_in(name), follow, name)
        keys = [place.key for place in places]
        view.places.update(zip(keys, places, strict=True))
        view.trees.update(dict.fromkeys(keys, name))
        view.follows[name] = follow
        rest = [(len(keys), f"and {count(more, 'more tree')}: / finds them")] if more else []
        sections.append(Section(keys, header, f"{len(tops) + more:,}" if header else "", rest))
    return replace(view, sections=tuple(sections))


def _groves(view: GraphView) -> list[_Tree]:
    question, overview = view.question, view.overview
    kinds = [question.kind] if question.kind else overview.kinds()
    most = _TOPS_OF_ONE if question.kind else _TOPS
    found = []
    for kind in kinds:
        tops = overview.tops(kind, question.workspace)
        follow = Follow(frozenset({kind}), Direction(down(kind)))
        found.append((kind, grove_title(kind), tops[:most], max(len(tops) - most, 0), follow))
    return [tree for tree in found if tree[2]]


def grove_title(kind: str) -> str:
    """What a forest of one kind is called."""
    return GROVES.get(kind, f"“{edge_words(kind)}”")


def _fault_trees(view: GraphView) -> list[_Tree]:
    """A group for each kind of fault; circles and chains by kind of edge, and walked along it."""
    found: dict[tuple[FaultKind, str], dict[str, None]] = {}
    for fault in view.faults:
        if not view.question.kind or fault.edge_kind in ("", view.question.kind):
            along = fault.edge_kind if fault.kind in (FaultKind.CIRCLE, FaultKind.LONG_CHAIN) else ""
            found.setdefault((fault.kind, along), {})[fault.node] = None
    trees: list[_Tree] = []
    for (kind, along), nodes in found.items():
        header = f"{_FAULTS[kind]}: “{edge_words(along)}”" if along else _FAULTS[kind]
        follow = Follow(frozenset({along}), Direction.OUT) if along else Follow()
        rest = max(len(nodes) - _TOPS_OF_ONE, 0)
        trees.append((f"{kind} {along}", header, list(nodes)[:_TOPS_OF_ONE], rest, follow))
    return trees


def _found(desk: Desk, view: GraphView) -> list[_Tree]:
    question = view.question
    query = Query(
        workspace=question.workspace, states=_ALL_STATES, text=question.filter, order="relevance", limit=_FOUND
    )
    ids = [row.id for row in desk.store.rows(desk.store.keys(query))]
    kinds = frozenset({question.kind}) if question.kind else None
    return [("found", "Found", ids, 0, Follow(kinds))] if ids else []


def _story(desk: Desk, view: GraphView) -> GraphView:
    story = desk.lineage_story(view.question.at.root)
    moments = {f"{moment.event_id} {moment.entry_id}": moment for moment in story.timeline}
    header = f"How {story.seed.shown_name} came to be, and what became of it"
    section = Section(list(moments), header, count(len(story.entries), "entry"))
    return replace(view, sections=(section,), story=story, moments=moments)
