"""A desk to test the screen on: some forty entries of known age, a frozen clock, counted ids, and a pilot that waits on
facts instead of the clock."""

from __future__ import annotations

import random
import shutil
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from memdesk.core.desk import Desk
    from memdesk.tui.app import MemdeskApp

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
NASTY_NAME = "project_nasty"
NASTY_TITLE = "[/red] x [@click=app.quit]bye[/]"
NASTY_BODY = "\x1b]52;c;cHduZWQ=\x07 \x1b[31mred\x1b[0m zero\u200bwidth \u202eevil\u202c tag\U000e0041 [[wikilink]] [/]"
NASTY_DESCRIPTION = "[bold]not bold[/] and \u200b hidden"

#: name, class, status, initiative, age in days, description, body
_THREADS: list[tuple[str, str, str | None, str | None, float, str, str]] = [
    ("project_checkout_retries", "thread", "carry_forward", "checkout", 0.02, "Retry the payment call, with a cap",
     "Cap is 3."),
    ("project_checkout_refunds", "thread", "open", "checkout", 3, "Refunds over two currencies",
     "Still open:\n- [ ] rounding"),
    ("project_checkout_webhooks", "thread", "open", "checkout", 12, "Webhooks arrive twice", "Idempotency key needed."),
    ("project_search_typos", "thread", "carry_forward", "search", 1, "Typos of one letter find nothing", "Trigrams."),
    ("project_search_cjk", "thread", "open", "search", 40, "Search for 検索 finds nothing", "Tokenise per character."),
    ("project_billing_export", "thread", "carry_forward", "billing", 8, "Export of invoices stops at 500", "Paging."),
    ("project_billing_tax", "thread", "open", "billing", 100, "Tax of Norway", "Ask the accountant."),
    ("project_migrate_ci", "thread", "open", None, 20, "Move the build to the new runners", "Half of it is done."),
    ("project_flaky_login", "thread", "open", None, 200, "The login test fails on Mondays", "Time zones?"),
    ("decision_drop_python_310", "thread", "carry_forward", None, 2, "When to drop 3.10", "After the summer."),
    ("project_old_dashboard", "thread", "closed", "search", 60, "The old dashboard", "Removed."),
    ("project_rate_limits", "thread", "closed", "billing", 90, "Rate limits", "Done."),
    (NASTY_NAME, "thread", "open", None, 0.5, NASTY_DESCRIPTION, NASTY_BODY),
    ("project_lab_only", "thread", "open", None, 0.6, "Only in the lab", "In the lab."),
    ("project_spike_vectors", "thread", "graduated", "search", 50, "Vector spike", "Became a decision."),
]  # fmt: skip
_OTHERS: list[tuple[str, str, str | None, str | None, float, str, str]] = [
    ("user_prefers_short_answers", "anchor", None, None, 300, "Short answers, no preamble",
     "Answer in the first line."),
    ("user_writes_tests_first", "anchor", None, None, 250, "Tests come first",
     "Write the failing test, then the code."),
    ("decision_sqlite_for_cache", "anchor", None, "search", 45, "SQLite over Postgres for the cache", "One file."),
    ("decision_trigram_index", "anchor", None, "search", 30, "Trigrams for typos", "Considered edit distance."),
    ("negative_no_redis", "anchor", None, "checkout", 120, "Redis is a closed path", "Lost writes on failover."),
    ("atom_payment_timeout", "anchor", None, "checkout", 25, "The payment call times out after 8 s", "8 seconds."),
    ("project_repo_layout", "anchor", None, None, 80, "Where things are", "# Layout\n\n- core\n- tui\n\n`make test`"),
    ("feedback_wrong_branch", "log", None, None, 70, "Pushed to the wrong branch", "Check the branch first."),
]  # fmt: skip


class Wall:
    """A wall clock that a test sets."""

    def __init__(self, moment: datetime = NOW) -> None:
        self.moment = moment

    def __call__(self) -> int:
        return int(self.moment.timestamp() * 1000)

    def back(self, days: float) -> None:
        self.moment = NOW - timedelta(days=days)


def open_at(
    folder: Path, moment: datetime = NOW, *, actor: str = "user:ana", role: str = "user", seed: int = 7
) -> Desk:
    """The desk of a folder, as one actor, with a clock that stands still and counted ids."""
    from memdesk.core.desk import Actor, Desk, Role
    from memdesk.core.events import Clock

    clock = Clock(Wall(moment), random.Random(seed).randbytes)
    return Desk.open(folder, Actor(actor, Role(role), on_terminal=True), clock=clock)


def _fill(folder: Path) -> None:
    from memdesk.core.desk import Actor, Desk
    from memdesk.core.events import Clock

    wall = Wall()
    rows = sorted([*_THREADS, *_OTHERS], key=lambda row: -row[4])
    wall.back(400)
    with Desk.open(folder, Actor("agent:planner"), clock=Clock(wall, random.Random(1).randbytes)) as desk:
        desk.add_workspace("me")
        desk.add_workspace("lab")
        for name, klass, status, initiative, days, description, body in rows:
            wall.back(days)
            given: dict[str, Any] = {"status": status} if status else {}
            if name == NASTY_NAME:
                given["title"] = NASTY_TITLE
            desk.add(
                name=name, klass=klass, body=body, description=description, initiative=initiative,
                workspace="lab" if name == "project_lab_only" else "me", **given,
            )  # fmt: skip
        desk.link("project_spike_vectors", "graduated_to", "decision_trigram_index")
        desk.link("project_search_typos", "derived_from", "decision_sqlite_for_cache")


@pytest.fixture
def quick_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilot looks every 5 ms instead of every 20 ms whether the app has come to rest: twice a key, so it adds up."""
    from textual import _wait

    monkeypatch.setattr(_wait, "SLEEP_GRANULARITY", 1 / 200)


@pytest.fixture(scope="session")
def desk_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The filled store, made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("template") / "store"
    _fill(folder)
    return folder


@pytest.fixture(scope="session")
def big_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of 3,000 threads, only to be looked at."""
    from memdesk.core.events import CREATE

    folder = tmp_path_factory.mktemp("big") / "store"
    with open_at(folder) as desk, desk.store.transaction() as tx:
        tx.begin("add", "Added 3,000 threads", actor="agent:planner", role="user")
        for number in range(3000):
            tx.write(CREATE, {
                "memory_id": tx.new_id(), "workspace": "me", "name": f"project_thread_{number:04d}", "type": "project",
                "class": "thread", "status": ("open", "carry_forward", "closed")[number % 3], "body": f"Work {number}.",
                "description": f"Thread number {number}", "initiative": f"initiative_{number % 50}",
            })  # fmt: skip
    return folder


@pytest.fixture
def desk_folder(desk_template: Path, tmp_path: Path) -> Path:
    """A store of some forty entries, this test's own."""
    folder = tmp_path / "store"
    shutil.copytree(desk_template, folder)
    return folder


@pytest.fixture
def open_desk(desk_folder: Path) -> Iterator[Callable[..., Desk]]:
    """Opens another desk on the test's store: what another process would do."""
    opened: list[Desk] = []

    def open_one(actor: str = "user:bob", moment: datetime = NOW + timedelta(minutes=1)) -> Desk:
        desk = open_at(desk_folder, moment, actor=actor, seed=len(opened) + 100)
        opened.append(desk)
        return desk

    yield open_one
    for desk in opened:
        desk.close()


@pytest.fixture
def make_app(desk_folder: Path, quick_waits: None) -> Iterator[Callable[..., MemdeskApp]]:
    """Makes the app on the test's store: time stands still, polling is off."""
    from memdesk.tui.app import MemdeskApp

    made: list[MemdeskApp] = []

    def make(folder: Path = desk_folder, **given: Any) -> MemdeskApp:
        moment = given.pop("moment", NOW)
        settings: dict[str, Any] = {
            "workspace": "me", "now": lambda: moment, "live": False, "environ": {}, "pane": "threads", **given,
        }  # fmt: skip
        app = MemdeskApp(settings.pop("opener", None) or (lambda: open_at(folder, moment)), **settings)
        made.append(app)
        return app

    yield make
    for app in made:
        assert app.live.faults == []
        app.live.close()
        if app.live.desk is not None:
            app.live.desk.close()


@pytest.fixture
def settle() -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Waits until nothing is under way: keys are handled, writes have landed, views are read and drawn."""

    async def wait(pilot: Pilot[Any]) -> None:
        app: Any = pilot.app
        calm = 0
        while calm < 2:
            await app.settle()
            await pilot.pause()
            calm = calm + 1 if app.is_settled else 0

    return wait
