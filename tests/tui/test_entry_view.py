"""The entry view: role words, links as sentences, missing ends, ages, history in words, internals folded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from on_screen import put_cursor, screen_text

from memdesk.core.model import Edge, Entry, EntryClass, State, Status, Telemetry
from memdesk.tui.entry_view import entry_blocks, role_words
from memdesk.tui.widgets.entry_text import Fold, Lines, Title

from .conftest import NOW, open_at


def entry(**given: Any) -> Entry:
    fields: dict[str, Any] = {
        "id": "01JX", "workspace": "me", "name": "project_x", "type": "project", "klass": EntryClass.THREAD,
        "status": Status.OPEN, "state": State.ACTIVE, "title": None, "description": None, "summary": None,
        "body": "Text.",
        "tags": (), "project_ref": None, "initiative": None, "audience": "any", "created_at": "2025-06-01T12:00:00Z",
        "created_by": "agent:a", "updated_at": "2025-06-12T12:00:00Z", "last_edited_by": "agent:b", "edit_count": 1,
    }  # fmt: skip
    return Entry(**(fields | given))


def shown(one: Entry, **given: Any) -> Any:
    from memdesk.core.desk.shown import Shown

    parts: dict[str, Any] = {"links_out": (), "links_in": (), "versions": (), "requests": (), "lost": ()}
    return Shown(entry=one, **(parts | given))


def words(blocks: Any) -> str:
    from memdesk.tui.widgets.text_layout import lay_out

    return "\n".join(row.text for row in lay_out(blocks, 100, {}))


def test_role_words_never_name_storage() -> None:
    assert role_words(entry(status=Status.CARRY_FORWARD)) == "For this session"
    assert role_words(entry(klass=EntryClass.ANCHOR, status=None, type="user")) == "About you"
    assert role_words(entry(state=State.SUPERSEDED)) == "Open threads (replaced)"
    assert role_words(entry(state=State.PURGED)) == "Open threads (deleted)"


def test_a_whole_entry() -> None:
    one = entry(
        title="Crossing", description="How to cross", summary="Cross.", tags=("a", "b"), initiative="walk",
        project_ref="github.com/x/y", telemetry=Telemetry(3, 1),
    )  # fmt: skip
    text = words(entry_blocks(shown(one), NOW))
    for line in (
        "Crossing", "project_x · Open threads · 3 days ago by agent:b", "How to cross", "Text.", "In short", "Cross.",
        "walk", "github.com/x/y", "a and b", "3 times", "1 time",
    ):  # fmt: skip
        assert line in text
    assert "open" not in text.replace("Open", ""), "storage words stand only in the internals"


def test_links_are_sentences_and_missing_ends_are_marked() -> None:
    from memdesk.core.desk.shown import Link

    other = entry(id="01JY", name="atom_old", state=State.SUPERSEDED)
    links = (
        Link(Edge("01JX", "supersedes", "01JY"), False, other),
        Link(Edge("01JX", "derived_from", "missing:me/gone"), False, None),
    )
    inbound = (Link(Edge("01JZ", "child_of", "01JX"), True, entry(id="01JZ", name="comment_note")),)
    blocks = entry_blocks(shown(entry(), links_out=links, links_in=inbound), NOW)
    (lines,) = [b for b in blocks if isinstance(b, Lines)]
    assert [(line.sign, line.text, line.tone) for line in lines.lines] == [
        ("→", "replaces atom_old (replaced)", "muted"),
        ("?", "was distilled from gone (missing)", "warn"),
        ("→", "has the part comment_note", ""),
    ]


def test_the_short_history_is_in_the_order_of_its_times() -> None:
    from memdesk.core.history import Version

    def version(timestamp: str, summary: str) -> Any:
        blank = dict.fromkeys(Version.__dataclass_fields__)
        return Version(**(blank | {"timestamp": timestamp, "author": "ana", "summary": summary}))

    given = [
        version("2025-06-14T12:00:00Z", "linked"), version("2025-06-01 12:00:00", "created"),
        version("2025-06-15T11:00:00+01:00", "edited"), version("2025-06-14T12:00:00Z", "linked again"),
    ]  # fmt: skip
    blocks = entry_blocks(shown(entry(), versions=tuple(given)), NOW)
    (lines,) = [b for b in blocks if isinstance(b, Lines)]
    assert [line.text.split("  ")[-1] for line in lines.lines] == ["edited", "linked again", "linked", "created"]


def test_internals_are_folded_and_last() -> None:
    blocks = entry_blocks(shown(entry()), NOW)
    assert isinstance(blocks[0], Title)
    fold = blocks[-1]
    assert isinstance(fold, Fold) and not fold.open
    assert "01JX" not in words(blocks)


async def test_the_short_history_is_in_words(
    make_app: Callable[..., Any], settle: Any, desk_folder: Path
) -> None:
    with open_at(desk_folder, actor="user:bob") as desk:
        for number in range(6):
            desk.append("project_billing_export", f"line {number}")
        desk.reclassify("project_billing_export", status="open")
    app = make_app()
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_billing_export")
        await settle(pilot)
        text = app.pane.detail.text.plain_text()
        lately = text[text.index("Lately") :].splitlines()[1:6]
        assert lately[0].strip() == "just now  user:bob  moved to “Open threads”"
        assert all("added 6 characters to the text" in line for line in lately[1:])
        assert "created" not in text, "five versions, the newest first"


async def test_moving_on_quickly_shows_the_last_entry_only(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("down", "down", "down", "down", "up")
        await settle(pilot)
        assert app.pane.detail.entry.name == "project_checkout_retries"
        assert "Cap is 3." in screen_text(app)
