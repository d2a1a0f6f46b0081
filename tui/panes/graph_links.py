"""Linking, unlinking and mending from a row of the Graph pane: the sentence is shown before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.desk import Desk, Receipt
from ...core.desk.wishes import Offer, Wish
from ...core.faults import Fault, FaultKind, Fix
from ...core.model import CHILD_OF, DERIVED_FROM, GRADUATED_TO, RELATED_TO, SUPERSEDES, edge_words
from ..actions import Seen
from ..words import count
from ..writing import Expected
from .graph_rows import GraphRows

if TYPE_CHECKING:
    from .pane import Pane

    _Base = Pane
else:
    _Base = object

#: Letter, kind, and whether the link will point at the entry: "X replaces …", "X is replaced by …".
_SENTENCES = (
    ("r", SUPERSEDES, False), ("b", SUPERSEDES, True), ("p", CHILD_OF, False), ("h", CHILD_OF, True),
    ("f", DERIVED_FROM, False), ("i", DERIVED_FROM, True), ("c", GRADUATED_TO, False), ("g", GRADUATED_TO, True),
    ("k", RELATED_TO, False),
)  # fmt: skip
_LETTERS = "123456789abcdefghijklmnopqrstuvwxyz"


class GraphLinks(_Base):
    """The handlers that write edges, for the Graph pane."""

    _rows: GraphRows | None

    # -- adding -------------------------------------------------------------------------------------------------------

    async def do_graph_link(self) -> None:
        from ..widgets.dialogs import Ask, Menu, Option

        (seen,) = self.targets()
        options = [
            Option(letter, f"{seen.name} {edge_words(kind, inbound=inbound)} …", f"{kind} {'in' if inbound else 'out'}")
            for letter, kind, inbound in _SENTENCES
        ]
        way = await self.ask(Menu(f"Link {seen.name}", [*options, Option("o", "another word …", "other")]))
        if way == "other":
            word = await self.ask(Ask("The word between the two", f"{seen.name} … another entry", hint="blocks"))
            way = f"{word.strip().replace(' ', '_')} out" if word else None
        if way is not None:
            kind, _, side = way.rpartition(" ")
            await self._link(seen, kind, inbound=side == "in")

    async def _link(self, seen: Seen, kind: str, *, inbound: bool) -> None:
        wish = await self.desk_app.reading(_wish, seen.id, kind, inbound)
        if wish.reason:
            self.say(f"There can be no such link: {wish.reason}", "warn", "- on the link that stands removes it.")
            return
        far = await self._pick(wish)
        if far is not None:
            near = (seen.id, seen.name)
            source, target = (far, near) if inbound else (near, far)
            await self._make(source, kind, target)

    async def _pick(self, wish: Wish) -> tuple[str, str] | None:
        """Let the person choose the far end by typing; each choice is the sentence that would be made."""
        from ..widgets.dialogs import Choice, Pick

        desk = self.desk
        assert desk is not None
        known: dict[str, Offer] = {}

        def search(text: str) -> Sequence[Choice]:
            offers = desk.offers(wish, text, workspace=self.workspace)
            known.update((offer.row.id, offer) for offer in offers)
            # What cannot be linked comes last: it is there to say why.
            offers = sorted(offers, key=lambda offer: bool(offer.why_not))
            return [Choice(o.row.id, o.sentence, "not offered" if o.why_not else "", o.why_not) for o in offers]

        first = await self.desk_app.reading(lambda _: search(""))
        title = f"{wish.sentence('…')}  (type to find it)"
        picked = await self.ask(Pick(title, first, empty="No entry fits.", search=search))
        return None if picked is None else (str(picked), known[str(picked)].row.name)

    async def _make(self, source: tuple[str, str], kind: str, target: tuple[str, str]) -> None:
        from ..widgets.dialogs import Menu, Option

        (a, a_name), (b, b_name) = source, target
        force = False
        turned = kind == SUPERSEDES and await self.desk_app.reading(_older_first, a, b)
        if turned:
            way = await self.ask(Menu(
                "Which one is out of date?",
                [
                    Option("s", f"{b_name} replaces {a_name}: the older one goes", "turn"),
                    Option("f", f"{a_name} replaces {b_name}: as chosen, though {a_name} is older", "force"),
                ],
                f"{a_name} is older than {b_name}.",
            ))  # fmt: skip
            if way is None:
                return
            force = way == "force"
            if way == "turn":
                (a, a_name), (b, b_name) = target, source
        self.write(
            f"Linking {a_name}", lambda desk, expected: desk.link(a, kind, b, force=force), targets=self._seen_of(a, b),
            moves=False,
        )  # fmt: skip

    # -- removing -----------------------------------------------------------------------------------------------------

    def do_graph_unlink(self) -> None:
        assert self._rows is not None
        place = self._rows.place(self.list.cursor_key)
        if place is None or place.step is None:
            return
        edge, overview = place.step.edge, self._rows.view.overview
        if all(node in overview.linked for node in (edge.source, edge.target)):

            def call(desk: Desk, expected: Expected) -> Receipt:
                return desk.unlink(edge.source, edge.kind, edge.target)
        else:

            def call(desk: Desk, expected: Expected) -> Receipt:
                return desk.mend(remove=[edge.key])

        name = overview.name(edge.source)
        self.write(f"Unlinking {name}", call, targets=self._seen_of(edge.source, edge.target), moves=False)

    # -- mending ------------------------------------------------------------------------------------------------------

    async def do_graph_mend(self) -> None:
        assert self._rows is not None
        view = self._rows.view
        faults = view.overview.survey.at.get(self._rows.node(self.list.cursor_key), ())
        ways = [(fault, fix) for fault in faults for fix in view.overview.fixes(fault)]
        if len(ways) == 1 and not any(f.kind is FaultKind.MANY_LINKS for f in faults):
            self._mend(ways[0][1])
            return
        await self._choose_fix(faults, ways)

    async def _choose_fix(self, faults: Sequence[Fault], ways: Sequence[tuple[Fault, Fix]]) -> None:
        from ..widgets.dialogs import Menu, Option

        assert self._rows is not None
        overview = self._rows.view.overview
        options = [
            Option(letter, fix.label, str(number))
            for number, (letter, (_, fix)) in enumerate(zip(_LETTERS, ways, strict=False))
        ]
        crowded = next((f for f in faults if f.kind is FaultKind.MANY_LINKS), None)
        if crowded is not None:
            options.append(Option("z", "Choose the links to remove", "choose"))
        told = "\n".join(f"{overview.words(fault)}." for fault in faults)
        way = await self.ask(Menu("What mends it?", options, told, back="leave it"))
        if way == "choose" and crowded is not None:
            await self._thin_out(crowded)
        elif way is not None:
            self._mend(ways[int(way)][1])

    async def _thin_out(self, fault: Fault) -> None:
        from ..widgets.dialogs import Choice, PickMany

        assert self._rows is not None
        overview = self._rows.view.overview
        choices = [
            Choice(number, f"{edge_words(edge.kind)} {overview.name(edge.target)}",
                   "no longer current" if overview.retired(edge.target) else "")
            for number, edge in enumerate(fault.edges)
        ]  # fmt: skip
        picked = await self.ask(PickMany(f"Remove links of {overview.name(fault.node)}", choices))
        if isinstance(picked, list) and picked:
            edges = tuple(fault.edges[int(number)] for number in picked)
            self._mend(Fix(f"Remove {count(len(edges), 'link')}", edges))

    def _mend(self, fix: Fix) -> None:
        remove, add = [e.key for e in fix.remove], [e.key for e in fix.add]
        ends = [end for edge in (*fix.remove, *fix.add) for end in (edge.source, edge.target)]
        self.write(
            f"Mending: {fix.label}", lambda desk, expected: desk.mend(remove=remove, add=add),
            targets=self._seen_of(*ends), moves=False,
        )  # fmt: skip

    def _seen_of(self, *nodes: str) -> list[Seen]:
        """The entries among these nodes, so that their rows show that a write is under way."""
        assert self._rows is not None
        return self._rows.seen_of(nodes)


def _wish(desk: Desk, entry_id: str, kind: str, inbound: bool) -> Wish:
    return desk.wish(entry_id, kind, inbound=inbound)


def _older_first(desk: Desk, source: str, target: str) -> bool:
    """Whether `link source supersedes target` would let the older entry replace the newer."""
    ends = {e.id: e for e in desk.store.entries_of([source, target])}
    if len(ends) < 2:
        return False
    a, b = ends[source].created_at, ends[target].created_at
    return bool(a and b and a < b)

