"""What a person decides about an entry, the same in every pane: close, carry forward, open, graduate, to the log,
append, reword, delete, open the initiative.

A decision on a marked set is one operation. Nothing is asked: undo is the safety net (DESIGN 3.5, 9 rule 2). What is
on screen is what the verb must still find, else it refuses and shows the new value (DESIGN 9 rule 6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.desk import Desk, Receipt
from ..core.model import BODY_LIMIT_BYTES, DESCRIPTION_ADVISED_BYTES, Entry, EntryClass, Status, is_slug
from .actions import Seen
from .screens.reading import ReadingScreen, initiative_view
from .words import count
from .writing import Expected, KeptText

if TYPE_CHECKING:
    from .panes.pane import Pane

    _Base = Pane
else:
    _Base = object

#: What must still be so for a change of role.
_ROLE_FIELDS = ("class", "status", "state")


def named(targets: Sequence[Seen]) -> str:
    """`project_x`, or `3 entries`."""
    return targets[0].name if len(targets) == 1 else count(len(targets), "entry", "entries")


class EntryDecisions(_Base):
    """The handlers of `actions.ENTRY_ACTIONS`, for a Pane."""

    # -- roles ------------------------------------------------------------------------------------------------------

    def do_entry_close(self) -> None:
        self._move("Closing {}", status=Status.CLOSED)

    def do_entry_carry(self) -> None:
        self._move("Carrying {} forward", status=Status.CARRY_FORWARD)

    def do_entry_open(self) -> None:
        self._move("Opening {}", status=Status.OPEN)

    def do_entry_log(self) -> None:
        self._move("Moving {} to the log", klass=EntryClass.LOG)

    def _move(self, doing: str, **change: Any) -> None:
        targets = self.targets()
        ids = [seen.id for seen in targets]

        def call(desk: Desk, expected: Expected) -> Receipt:
            return desk.reclassify(ids, expected=expected, **change)

        self.write(doing.format(named(targets)), call, targets=targets, fields=_ROLE_FIELDS)

    def do_entry_delete(self) -> None:
        targets = self.targets()
        ids = [seen.id for seen in targets]

        def call(desk: Desk, expected: Expected) -> Receipt:
            return desk.delete(ids, expected=expected)

        self.write(f"Deleting {named(targets)}", call, targets=targets, fields=_ROLE_FIELDS)

    # -- graduate ---------------------------------------------------------------------------------------------------

    async def do_entry_graduate(self) -> None:
        from .widgets.dialogs import Menu, Option

        targets = self.targets()
        alone = "" if len(targets) == 1 else "An entry takes in one thread at a time."
        way = await self.ask(Menu(
            f"Graduate {named(targets)}",
            [
                Option("s", "Only say so: it left nothing that is not kept already", "status"),
                Option("e", "Into an entry that we have", "existing", alone),
                Option("n", "Into a new entry", "new", alone),
            ],
        ))  # fmt: skip
        if way == "status":
            self._move("Graduating {}", status=Status.GRADUATED)
        elif way == "existing":
            await self._graduate_into(targets[0])
        elif way == "new":
            await self._graduate_anew(targets[0])

    async def _graduate_into(self, thread: Seen) -> None:
        from .widgets.dialogs import Choice, Pick

        anchors = await self.desk_app.reading(_anchors, thread.workspace, "")
        into = await self.ask(Pick(
            f"What did {thread.name} become?",
            [Choice(row.id, row.name, row.description or "") for row in anchors],
            empty="No entry of what we know fits.",
        ))  # fmt: skip
        if into is not None:
            self._graduate(thread, into=str(into))

    async def _graduate_anew(self, thread: Seen) -> None:
        from .widgets.dialogs import Ask, Compose

        desk = self.desk
        source = await self.desk_app.reading(_entry, thread.id)
        if desk is None or source is None:
            self.say(f"{thread.name} is no longer there.", "warn")
            return
        types = desk.config.types

        def check(name: str) -> str:
            if not is_slug(name, types):
                return f"A name is a type and a topic in a-z, 0-9 and _, such as {source.type}_what_it_says."
            taken = desk.store.name_owner(thread.workspace, name)
            return "" if taken is None else "That name exists already."

        name = await self.ask(Ask("The new entry", "Its name", value=f"{source.type}_", check=check))
        if name is None:
            return
        description = await self.ask(Ask(
            "The new entry", "One honest line about it", value=source.description or "", allow_empty=True,
        ))  # fmt: skip
        if description is None:
            return
        path = self.draft_path(thread.id, "graduate")
        body = await self.ask(Compose(f"The text of {name}", source.body, draft=path, limit_bytes=BODY_LIMIT_BYTES))
        if body is not None:
            anchor = {"name": name, "body": body, "description": description or None}
            self._graduate(thread, anchor=anchor, draft=KeptText(path, body, source.body))

    def _graduate(self, thread: Seen, *, draft: KeptText | None = None, **target: Any) -> None:
        def call(desk: Desk, expected: Expected) -> Receipt:
            return desk.graduate(thread.id, expected=expected[thread.id], **target)

        self.write(f"Graduating {thread.name}", call, targets=[thread], fields=_ROLE_FIELDS, draft=draft)

    # -- text -------------------------------------------------------------------------------------------------------

    async def do_entry_append(self) -> None:
        from .widgets.dialogs import Compose

        (seen,) = self.targets()
        path = self.draft_path(seen.id, "append")
        text = await self.ask(Compose(
            f"Add to {seen.name}", draft=path, note="It goes after the text; the description stays as it is.",
            check=_not_blank,
        ))  # fmt: skip
        if text is not None:
            self.write(
                f"Adding to {seen.name}", lambda desk, expected: desk.append(seen.id, text), targets=[seen],
                moves=False, draft=KeptText(path, text),
            )  # fmt: skip

    async def do_entry_reword(self) -> None:
        from .widgets.dialogs import Menu, Option

        (seen,) = self.targets()
        entry = await self.desk_app.reading(_entry, seen.id)
        if entry is None:
            self.say(f"{seen.name} is no longer there.", "warn")
            return
        field = await self.ask(Menu(
            f"Reword {seen.name}",
            [
                Option("d", "The description: the one line that is injected", "description"),
                Option("b", "The text", "body"),
                Option("t", "The title", "title"),
            ],
        ))  # fmt: skip
        if field == "body":
            await self._reword_body(seen, entry)
        elif field is not None:
            await self._reword_line(seen, entry, field)

    async def _reword_body(self, seen: Seen, entry: Entry) -> None:
        from .widgets.dialogs import Compose

        path = self.draft_path(entry.id, "body")
        text = await self.ask(Compose(
            f"The text of {seen.name}", entry.body, draft=path, limit_bytes=BODY_LIMIT_BYTES, check=_not_blank,
        ))  # fmt: skip
        if text is not None and text != entry.body:
            self._edit(seen, entry, "body", text, KeptText(path, text, entry.body))

    async def _reword_line(self, seen: Seen, entry: Entry, field: str) -> None:
        from .widgets.dialogs import Ask

        before = getattr(entry, field) or ""
        hint = f"Up to {DESCRIPTION_ADVISED_BYTES} bytes are advised." if field == "description" else ""
        text = await self.ask(Ask(
            f"The {field} of {seen.name}", value=before, hint=hint, allow_empty=True,
        ))  # fmt: skip
        if text is not None and text != before:
            self._edit(seen, entry, field, text or None, KeptText(self.draft_path(entry.id, field), text, before))

    def _edit(self, seen: Seen, entry: Entry, field: str, text: str | None, draft: KeptText) -> None:
        # What the person saw is the text that the dialog opened with, not the row of the list.
        saw = {field: getattr(entry, field), "state": str(entry.state)}

        def call(desk: Desk, expected: Expected) -> Receipt:
            return desk.edit(entry.id, fields={field: text}, expected=saw)

        self.write(f"Rewording {seen.name}", call, targets=[seen], moves=False, draft=draft)

    # -- looking ----------------------------------------------------------------------------------------------------

    def do_entry_graph(self) -> None:
        from .panes.graph import GraphPane

        (seen,) = self.targets()
        self.desk_app.show_pane(GraphPane.NAME)
        self.desk_app.query_one(GraphPane).root_at(seen.id)

    async def do_entry_initiative(self) -> None:
        (seen,) = self.targets()
        title, blocks, text = await self.desk_app.reading(initiative_view, seen.id, self.now())
        await self.ask(ReadingScreen(title, blocks, text))


def _not_blank(text: str) -> str:
    return "" if text.strip() else "There is no text yet."


def _entry(desk: Desk, entry_id: str) -> Entry | None:
    return desk.store.entry(entry_id)


def _anchors(desk: Desk, workspace: str, words: str) -> Sequence[Any]:
    from ..core.store import Query

    query = Query(workspace=workspace, classes=("anchor",), text=words, order="name", limit=2000)
    return desk.store.rows(desk.store.keys(query))


#: Type of the callables that `write` takes, for panes that add their own.
Call = Callable[[Desk, Expected], Receipt]
