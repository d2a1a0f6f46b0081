"""Graph: how entries are linked, as trees that open row by row; what is wrong with the links, and what mends it."""

from __future__ import annotations

from functools import partial

from textual import events
from textual.app import ComposeResult

from ...core.desk import Desk
from ...core.errors import NotFound
from ...core.tree import Direction, Follow
from ..actions import ENTRY_ACTIONS, Seen
from ..decisions import EntryDecisions
from ..live import background
from ..screens.reading import ReadingScreen
from ..widgets.entry_text import Body
from ..widgets.one_line import Status
from ..widgets.row_list import Key, RowList
from ..words import count, number
from .graph_links import GraphLinks
from .graph_picture import Ego, Picture, draw, plain, read_ego
from .graph_read import At, GraphQuestion, GraphView, Show, grove_title, read_view
from .graph_rows import STORY_COLUMNS, TREE_COLUMNS, GraphRows
from .pane import Pane

_EMPTY = {
    Show.FOREST: "No two entries are linked here yet.\n\n"
    "/ finds an entry to start from; memdesk link A supersedes B says that A replaces B.",
    Show.ROOTED: "This entry is no longer there. esc goes back.",
    Show.FAULTS: "Nothing is wrong with the links: no circle, no missing end, no second parent, no chain or entry "
    "near its limit.\n\nesc goes back.",
    Show.STORY: "Nothing is told of this entry. esc goes back.",
}
_DIRECTIONS = (Direction.BOTH, Direction.OUT, Direction.IN)
_WAYS = {Direction.BOTH: "both ways", Direction.OUT: "what it points at", Direction.IN: "what points at it"}
_REST = 0.08
#: Rows of a screen that has room for the picture beside the list.
_ROOMY = 34


class GraphPane(GraphLinks, EntryDecisions, Pane):
    """The pane."""

    NAME = "graph"
    TITLE = "Graph"
    EMPTY = "Reading the links…"
    ACTIONS = (
        *(action for action in ENTRY_ACTIONS if action != "entry.graph"),
        "graph.open", "graph.shut", "graph.root", "graph.kind", "graph.direction", "graph.faults", "graph.mend",
        "graph.link", "graph.unlink", "graph.story", "graph.picture",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.at = At()
        self.kind = ""
        self.direction = Direction.BOTH
        self.opened: frozenset[tuple[str, str]] = frozenset()
        #: Where one came from, and the key of the row one stood on there.
        self._before: list[tuple[At, Key | None]] = []
        self._rows: GraphRows | None = None
        self._fresh = True
        self._follows: dict[str, Follow] = {}
        self._cursor: Key | None = None
        self._where = Status(id="graph-where")
        self._what = Status(id="graph-what")
        self.picture = Picture()

    def make_list(self) -> RowList:
        return RowList(TREE_COLUMNS, empty="Opening the store…")

    def compose_top(self) -> ComposeResult:
        yield self._where
        yield self._what

    def on_mount(self) -> None:
        self.detail.mount(self.picture, before=0)

    def on_resize(self, event: events.Resize) -> None:
        # On a low screen the entry itself needs the room; a key draws the picture over the desk there.
        self.set_class(self.app.size.height >= _ROOMY, "-roomy")

    # -- reading ------------------------------------------------------------------------------------------------------

    def refresh_view(self) -> None:
        self._fresh = True
        super().refresh_view()

    def _reopen(self) -> None:
        """Read again what is open; the overview of the edges stays as it is known."""
        fresh = self._fresh
        super().refresh_view()
        self._fresh = fresh and self._reading

    def question(self) -> GraphQuestion:
        known = self._rows.view.overview if self._rows else None
        fresh, self._fresh = self._fresh, False
        return GraphQuestion(
            self.workspace, self.filter_text, self.now(), self.at, self.kind, self.direction, self.opened, known, fresh
        )

    def read(self, desk: Desk, question: GraphQuestion) -> GraphView:
        try:
            return read_view(desk, question)
        except NotFound:
            return GraphView(question, question.known or desk.overview())

    def present(self, view: GraphView) -> None:
        assert self.desk is not None
        turned = self._rows is None or self._rows.view.question.at != view.question.at
        # Directions and kinds change what leads on, so nothing is kept then.
        same = self._rows is not None and not view.question.fresh and not turned and self._follows == view.follows
        self._follows = view.follows
        rows = GraphRows(self.desk, view, self.busy, view.question.now, self._rows if same else None)
        self.list.set_empty("Nothing fits the filter; esc clears it." if view.question.filter else _EMPTY[self.at.show])
        if turned:
            self.list.set_columns(STORY_COLUMNS if self.at.show is Show.STORY else TREE_COLUMNS)
        self._rows = rows
        cursor, self._cursor = self._cursor, None
        if cursor is None and turned:
            cursor = next((key for section in view.sections for key in section.keys), None)
        self.list.show(rows, cursor=cursor)
        self._where.show(*self._where_words(view))
        self._tell_row()

    def on_screen(self, key: Key) -> Seen | None:
        return self._rows.line(key) if self._rows is not None else None

    def targets(self) -> list[Seen]:
        # An entry may stand in several rows.
        return list({seen.id: seen for seen in super().targets()}.values())

    def key_of(self, entry_id: str) -> Key | None:
        if self._rows is None:
            return None
        places = self._rows.view.places.values()
        return next((place.key for place in places if place.node == entry_id and place.first is None), None)

    # -- the lines above the list -------------------------------------------------------------------------------------

    def _where_words(self, view: GraphView) -> tuple[str, str]:
        question = view.question
        faults = f" · ! {count(len(view.faults), 'fault')}" if view.faults else ""
        only = f" · only {grove_title(question.kind).lower()}" if question.kind else ""
        if question.at.show is Show.ROOTED:
            name = self._called(question.at.root)
            return f"‹ {name}, {_WAYS[question.direction]}{only} · esc goes back", "accent"
        if question.at.show is Show.STORY:
            return "‹ The lineage, oldest first: every row opens its entry · esc goes back", "accent"
        if question.at.show is Show.FAULTS:
            wrong = count(len(view.faults), "fault")
            return f"‹ What is wrong with the links: {wrong}{only} · esc goes back", "accent"
        if question.filter:
            return f"Entries that fit the filter, with all their links{only}", "accent"
        tops = sum(1 for place in view.places.values() if place.parent is None)
        linked = f"{number(len(view.overview.linked))} linked entries"
        return f"{count(tops, 'tree')} over {linked}{only}{faults}", "warn" if faults else "muted"

    def _tell_row(self) -> None:
        text, tone = self._rows.what(self.list.cursor_key) if self._rows is not None else ("", "muted")
        self._what.show(text, tone)

    def _called(self, node: str) -> str:
        if self._rows is None:
            return node
        overview = self._rows.view.overview
        if node in overview.linked:
            return overview.name(node)
        seen = self._rows.seen_of([node])
        return seen[0].name if seen else overview.name(node)

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        self._tell_row()
        self.desk_app.later("graph.picture", _REST, self._read_picture)

    # -- the picture --------------------------------------------------------------------------------------------------

    def _read_picture(self) -> None:
        background(self, partial(self._load_picture, self.list.cursor_key), "graph.picture", exclusive=True)

    async def _load_picture(self, key: Key | None) -> None:
        self.picture.show(await self._ego(key))

    async def _ego(self, key: Key | None) -> Ego | None:
        node = self._rows.node(key) if self._rows is not None else ""
        return await self.desk_app.reading(read_ego, node, self.now()) if node and self.desk is not None else None

    async def do_graph_picture(self) -> None:
        ego = await self._ego(self.list.cursor_key)
        if ego is None:
            self.say("This entry is linked to nothing.", "warn", "+ links it.")
            return
        width, height = self.app.size
        text = plain(draw(ego, width - 4, max(height - 4, 12)))
        await self.ask(ReadingScreen(f"Around {ego.name}", [Body(text)], text))

    # -- opening and closing ------------------------------------------------------------------------------------------

    def why_not(self, action_id: str) -> str:
        if not action_id.startswith("graph."):
            return ""
        rows, key = self._rows, self.list.cursor_key
        name = action_id.removeprefix("graph.")
        if rows is None:
            return "The links are still being read."
        if name in ("open", "shut", "unlink", "direction") and self.at.show is Show.STORY:
            return "This is a time line, not a tree; esc goes back to the tree."
        place = rows.place(key)
        if name == "open" and (place is None or (place.first is None and not place.opened and not rows.further(key))):
            return "Nothing is linked to it further on." if place else "There is nothing to open here."
        if name == "shut" and (place is None or (place.parent is None and not place.opened)):
            return "It is closed already." if place else "There is nothing to close here."
        if name == "unlink" and (place is None or place.step is None):
            return "This row is where a tree starts, not a link; → opens its links."
        if name == "direction" and self.at.show is not Show.ROOTED:
            return "Only a tree from one entry on has a direction; r makes one."
        if name == "mend" and not rows.view.overview.survey.at.get(rows.node(key)):
            return "Nothing is wrong with the links of this entry; ! lists what is."
        return ""

    def do_graph_open(self) -> None:
        assert self._rows is not None
        place = self._rows.place(self.list.cursor_key)
        if place is None:
            return
        if place.first is not None and not place.opened:
            self.list.move_to(place.first)
        elif place.opened:
            self.list.action_cursor_down()
        else:
            self._open(place.node)

    def do_graph_shut(self) -> None:
        assert self._rows is not None
        place = self._rows.place(self.list.cursor_key)
        if place is None:
            return
        if place.opened:
            self.opened -= {(self._rows.view.trees[place.key], place.node)}
            self._reopen()
        elif place.parent is not None:
            self.list.move_to(place.parent.key)

    def _open(self, node: str) -> None:
        assert self._rows is not None
        key = self.list.cursor_key
        assert isinstance(key, int)
        self.opened |= {(self._rows.view.trees[key], node)}
        self._reopen()

    # -- going elsewhere ----------------------------------------------------------------------------------------------

    def root_at(self, entry_id: str) -> None:
        """Show the tree from one entry on."""
        self._go(At(Show.ROOTED, entry_id))

    def _go(self, at: At) -> None:
        if at == self.at:
            return
        self._before.append((self.at, self.list.cursor_key))
        self._turn(at)

    def _turn(self, at: At, cursor: Key | None = None) -> None:
        self.at = at
        # A tree from one entry on starts with its own links open.
        self.opened = frozenset(pair for pair in self.opened if pair[0])
        if at.show is Show.ROOTED:
            self.opened |= {("", at.root)}
        self._cursor = cursor
        self.refresh_view()

    def step_back(self) -> bool:
        if not self._before:
            return False
        at, cursor = self._before.pop()
        self._turn(at, cursor)
        return True

    def do_graph_root(self) -> None:
        (seen,) = self.targets()
        self.root_at(seen.id)

    def do_graph_story(self) -> None:
        (seen,) = self.targets()
        self._go(At(Show.STORY, seen.id))

    def do_graph_faults(self) -> None:
        if self.at.show is Show.FAULTS:
            self.step_back()
        else:
            self._go(At(Show.FAULTS))

    def do_graph_direction(self) -> None:
        place = _DIRECTIONS.index(self.direction)
        self.direction = _DIRECTIONS[(place + 1) % len(_DIRECTIONS)]
        self.say(f"Links shown: {_WAYS[self.direction]}.")
        self._reopen()

    async def do_graph_kind(self) -> None:
        from ..widgets.dialogs import Choice, Pick

        assert self._rows is not None
        overview = self._rows.view.overview
        choices = [Choice("=", "all kinds of links")]
        for kind in overview.kinds():
            tops = len(overview.tops(kind, self.workspace))
            choices.append(Choice(f"={kind}", grove_title(kind), count(tops, "tree")))
        picked = await self.ask(Pick("Which links?", choices, current=f"={self.kind}"))
        if picked is not None:
            self.kind = str(picked)[1:]
            self._reopen()
