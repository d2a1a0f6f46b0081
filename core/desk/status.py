"""What waits for a person: the report that the header and `memdesk status` show (DESIGN 4)."""

from __future__ import annotations

from dataclasses import replace

from ..waiting import StatusReport, by_kind, report
from .proposing import Proposing
from .reading import Reading


class Status(Proposing, Reading):
    """The verb `status`."""

    def status(self, *, workspace: str | None = None, counted: bool = True) -> StatusReport:
        """What waits for a person: requests, agents' writes about the user, lost edits, hosts out of step.

        Args:
            counted: count live threads too, and look through the contracts on the hosts for proposals; else that is
                left out, and nothing depends on the number of entries.

        Raises:
            UnknownWorkspace: no such place.
        """
        place = self.workspace_for_reading(workspace)
        found = report(self.store, self.actor.name, workspace=place, hosts=self.hosts)
        if not counted:
            return found
        counts = self.store.counts(place)
        return replace(
            found, open_threads=counts.open, carried=counts.carry_forward,
            host_proposals=by_kind(p.host for p in self.host_proposals()),
        )  # fmt: skip
