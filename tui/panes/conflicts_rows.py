"""The list of Conflicts: a row a group, below it its members where there are more than two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ...core.store import EntryRow
from ..widgets.row_list import Cell, Column, Key, Row, Section
from ..words import age, count
from .conflicts_read import SIGNS, TITLES, ConflictsView, Group, Lane, Member

_WHAT: Final = Column("what", flex=3, min_width=34)
_WHY: Final = Column("why", flex=2, min_width=18, priority=1, tone="muted")
_AGE: Final = Column("age", width=9, priority=2, align="right", tone="muted")
COLUMNS: Final = [_WHAT, _WHY, _AGE]
#: With the scores shown: next to the names, so that they never drop.
SCORED: Final = [Column("score", width=4, align="right"), *COLUMNS]
_TONES: Final = {Lane.CONTRADICTION: "bad", Lane.LOST: "warn"}


class ConflictRows:
    """The provider over one view. `off`: entry ids that are left out of their group."""

    def __init__(
        self, view: ConflictsView, off: Mapping[str, frozenset[str]], busy: frozenset[str], scores: bool
    ) -> None:
        self.view = view
        self._busy = busy
        self._scores = scores
        self._off = off
        self._groups: dict[Key, Group] = {group.key: group for group in view.groups}
        self._members: dict[Key, tuple[Group, Member]] = {}
        self._by_entry: dict[str, Key] = {}
        for group in view.groups:
            for member in group.members:
                self._members[f"{group.key}/{member.row.id}"] = (group, member)
            for entry_id in group.ids:
                self._by_entry.setdefault(entry_id, group.key)

    # -- what a key stands for ----------------------------------------------------------------------------------------

    def group(self, key: Key | None) -> Group | None:
        """The group that a row belongs to."""
        if key is None:
            return None
        return self._groups.get(key) or (self._members[key][0] if key in self._members else None)

    def member(self, key: Key | None) -> Member | None:
        """The member that a row stands for; None on the row of a group."""
        return self._members[key][1] if key in self._members else None

    def seen(self, key: Key) -> EntryRow | None:
        """The entry that a row is about: the member, or the one that a merge would keep."""
        member, group = self.member(key), self.group(key)
        chosen = member or (group.members[0] if group else None)
        return chosen.row if chosen is not None else None

    def key_of(self, entry_id: str) -> Key | None:
        """The row of the first group that an entry is in."""
        return self._by_entry.get(entry_id)

    def on(self, group: Group) -> list[Member]:
        """The members of a group that are not left out."""
        off = self._off.get(group.key, frozenset())
        return [member for member in group.members if member.row.id not in off]

    def pair(self, key: Key | None) -> tuple[Member, Member] | None:
        """A and B, the two that are compared at a row; copies of one text are a pair of themselves."""
        group, member = self.group(key), self.member(key)
        if group is None or group.lost is not None:
            return None
        on = self.on(group)
        first = on[0] if on else group.members[0]
        others = [one for one in (*on, *group.members) if one is not first]
        other = member if member is not None and member is not first else next(iter(others), first)
        return first, other

    # -- drawing ------------------------------------------------------------------------------------------------------

    def sections(self) -> Sequence[Section]:
        found = []
        for lane in Lane:
            groups = [group for group in self.view.groups if group.lane is lane]
            keys = [key for group in groups for key in self._keys(group)]
            if keys:
                found.append(Section(keys, TITLES[lane], f"{len(groups):,}"))
        return found

    def _keys(self, group: Group) -> list[Key]:
        keys: list[Key] = [group.key]
        if len(group.members) > 2:
            keys += [f"{group.key}/{member.row.id}" for member in group.members]
        return keys

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        return [self._row(key) for key in keys]

    def _row(self, key: Key) -> Row | None:
        if key in self._members:
            return self._member_row(*self._members[key])
        group = self._groups.get(key)
        return None if group is None else self._group_row(group)

    def _name(self, member: Member) -> str:
        name = member.row.ref if self.view.everywhere else member.row.name
        return f"{name} ×{len(member.ids)}" if len(member.ids) > 1 else name

    def _group_row(self, group: Group) -> Row:
        on = self.on(group)
        names = [self._name(member) for member in (on or group.members)]
        if len(group.members) == 1:
            what = names[0]
        elif len(group.members) == 2:
            what = " ↔ ".join(names)
        else:
            what = f"{count(len(on), 'text')} like {names[0]}"
        newest = max((member.row.updated_at or "" for member in group.members), default="")
        busy = not self._busy.isdisjoint(group.ids)
        sign = "…" if busy else SIGNS[group.lane]
        first: str | Cell = Cell(what, "bad") if group.lane is Lane.CONTRADICTION else what
        return Row([*self._score(group.score), first, group.reason, age(newest or None, self.view.now)], sign=sign)

    def _member_row(self, group: Group, member: Member) -> Row:
        off = member.row.id in self._off.get(group.key, frozenset())
        last = group.members[-1] is member
        lead = f" {'└' if last else '├'} {'○' if off else '●'} "
        why = "left out" if off else member.reason or (member.row.description or "")
        what = Cell(self._name(member), "muted" if off else "", lead)
        cells = [*self._score(member.score), what, why, age(member.row.updated_at, self.view.now)]
        return Row(cells, sign="…" if not self._busy.isdisjoint(member.ids) else "")

    def _score(self, score: float) -> list[str | Cell]:
        """The cell of the score, while scores are shown."""
        return [f"{score:.2f}" if score else ""] if self._scores else []
