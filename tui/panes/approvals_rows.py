"""The rows of Approvals: requests by their ids, each drawn whole once it was read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from ...core.events import ulid_ms
from ...core.text import one_line
from ..actions import OtherSeen
from ..widgets.row_list import Cell, Column, Key, Row, Section
from ..words import age_short
from .approvals_read import IN_HOST, OVERRULED, ApprovalsView, Filled
from .approvals_words import asker_words

COLUMNS: Final = [
    Column("state", width=7),
    Column("age", width=4, tone="muted", align="right"),
    Column("who", width=8, priority=3, tone="accent", middle=True),
    Column("what", flex=1, min_width=18),
    Column("flag", width=1, tone="warn"),
]
#: State -> sign and tone. Its word stands beside it.
STATES: Final = {
    "ready": ("○", ""), "stale": ("↻", "warn"), "gone": ("×", "bad"), "settled": ("=", "muted"),
}  # fmt: skip
#: What is written where a row was not read yet.
_UNREAD: Final = "…"


class ApprovalRows:
    """What waits, the oldest first, after what was overruled and before what waits in a host."""

    def __init__(
        self, view: ApprovalsView, filled: Mapping[str, Filled], fresh: Collection[str],
        busy: Callable[[], Collection[str]] = tuple,
    ) -> None:  # fmt: skip
        """Create the rows.

        Args:
            filled: the requests that were read, also those that are read while this is shown.
            fresh: those of them whose state was read since the store moved.
            busy: tells the requests with a decision under way.
        """
        self.view = view
        self._filled = filled
        self._fresh = fresh
        self._busy = busy
        self._overruled = {f"{OVERRULED}{one.row.request_id}": one for one in view.overruled}
        self._in_host = {f"{IN_HOST}{one.id}": one for one in view.in_host}

    def sections(self) -> Sequence[Section]:
        made = []
        if self._overruled:
            note = "another decision came first; x puts it away"
            made.append(Section(list(self._overruled), "Overruled", note))
        others = bool(self._overruled or self._in_host)
        if self.view.ids:
            made.append(Section(self.view.ids, "Waits for you" if others else "", f"{len(self.view.ids):,}"))
        if self._in_host:
            hosts = sorted({one.host.partition(":")[0].capitalize() for one in self._in_host.values()})
            made.append(Section(list(self._in_host), f"In {', '.join(hosts)}", "decided by its own program"))
        return made

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        busy = self._busy()
        return [self._row(str(key), key in busy) for key in keys]

    def seen(self, key: Key) -> OtherSeen:
        """The row for an action."""
        filled = self._filled.get(str(key))
        name = str(key) if filled is None else f"{filled.row.asked_by}'s {filled.kind}"
        return OtherSeen(str(key), name)

    def _row(self, key: str, busy: bool) -> Row | None:
        if key in self._overruled:
            return self._overruled_row(key)
        if key in self._in_host:
            return self._host_row(key)
        filled = self._filled.get(key)
        if filled is None:
            return Row([Cell(_UNREAD, "muted"), self._age(key), "", "", ""])
        known = key in self._fresh and not busy
        sign, tone = STATES.get(filled.state, ("", "")) if known else (_UNREAD, "muted")
        state = Cell(filled.state if known else _UNREAD, tone)  # type: ignore[arg-type]
        cells: list[str | Cell] = [
            state, age_short(filled.row.asked_at, self.view.now), asker_words(filled.row.asked_by),
            Cell(filled.what, "muted") if filled.state in ("gone", "settled") else filled.what,
            "!" if filled.flags else "",
        ]  # fmt: skip
        return Row(cells, sign=sign)

    def _age(self, request_id: str) -> str:
        try:
            asked = ulid_ms(request_id.removeprefix("req_"))
        except (ValueError, KeyError):
            return ""
        return age_short(datetime.fromtimestamp(asked / 1000, UTC), self.view.now)

    def _overruled_row(self, key: str) -> Row:
        one = self._overruled[key]
        stands = f"{one.stands_by} had {one.stands_outcome} it first" if one.stands_by else "it waits again"
        about = self.view.about.get(one.row.request_id, "")
        said = f"{about}: " if about else ""
        said += f"you {one.mine_outcome} it; {stands}"
        return Row(
            [Cell("told", "warn"), age_short(one.mine_at, self.view.now), asker_words(one.row.asked_by), said, ""],
            sign="!",
        )

    def _host_row(self, key: str) -> Row:
        one = self._in_host[key]
        effect = "; ".join(one.effect) or (one.commands[0] if one.commands else one.note)
        name = one.entry.shown_name if one.entry is not None else ""
        about = f"{name}: {effect}" if name and name not in effect else effect
        return Row(
            [
                Cell("stale", "warn") if one.stale else "waits", age_short(one.asked_at, self.view.now),
                asker_words(one.agent), one_line(about, 200), "",
            ],
            sign="↻" if one.stale else "○",
        )  # fmt: skip
