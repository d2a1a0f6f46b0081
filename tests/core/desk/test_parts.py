"""The desk is the sum of its parts (DESIGN 2): no part may hide a method of another by having one of the same name."""

from __future__ import annotations

from memdesk.core.desk import Desk

#: Overridden on purpose: each calls what it overrides.
MEANT = {"gate"}


def test_no_part_hides_a_method_of_another() -> None:
    owners: dict[str, list[str]] = {}
    for part in Desk.__mro__[:-1]:
        for name in vars(part):
            if not (name.startswith("__") and name.endswith("__")):
                owners.setdefault(name, []).append(part.__name__)
    twice = {name: parts for name, parts in owners.items() if len(parts) > 1 and name not in MEANT}
    assert twice == {}
