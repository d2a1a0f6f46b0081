"""A memory with planted contradictions and near-duplicates, for tests of the queue."""

from __future__ import annotations

from typing import Any

from memdesk.core.desk import Desk

#: (name, class or type, description, body, days ago, author)
Planted = tuple[str, str, str, str]

PAIRS: list[tuple[Planted, Planted]] = [
    (
        ("decision_cache_layer", "anchor", "The query cache is enabled in production",
         "The query cache is enabled in production for all read endpoints of the shop."),
        ("atom_cache_layer", "anchor", "The query cache is disabled in production",
         "The query cache is disabled in production for all read endpoints of the shop."),
    ),
    (
        ("atom_rate_limit", "anchor", "The public API allows 100 requests per minute",
         "The public API allows 100 requests per minute and key; above it answers 429."),
        ("atom_rate_limit_api", "anchor", "The public API allows 1000 requests per minute",
         "The public API allows 1000 requests per minute and key; above it answers 429."),
    ),
    (
        ("project_export_paging", "thread", "Export of invoices stops at 500 rows",
         "The export of invoices stops at 500 rows, because the cursor is dropped after the first page."),
        ("project_invoice_export", "thread", "The invoice export stops at 500 rows",
         "The export of invoices stops at 500 rows since the cursor is dropped after the first page.\n\n"
         "Seen in staging."),
    ),
]  # fmt: skip
#: One cluster, of which the last does not quite belong.
CLUSTER: list[Planted] = [
    ("atom_payment_timeout_a", "anchor", "Payment calls time out",
     "Calls to the payment provider time out when the network of the data centre is slow in the evening."),
    ("atom_payment_timeout_b", "anchor", "Payment calls time out",
     "Calls to the payment provider time out whenever the network of the data centre is slow in the evening."),
    ("atom_payment_timeout_c", "anchor", "Payment calls time out, evenings",
     "Calls to the payment provider often time out when the network of the data centre is slow in the evening hours."),
]  # fmt: skip
COPIES = 5


def add(desk: Desk, planted: Planted, **given: Any) -> str:
    name, klass, description, body = planted
    status = {"status": "carry_forward"} if klass == "thread" else {}
    receipt = desk.add(name=name, klass=klass, description=description, body=body, workspace="me", **status, **given)
    return receipt.entry.id


def plant(desk: Desk) -> None:
    """Two contradictions, one pair of near-duplicates, one cluster of three, five copies."""
    for one, other in PAIRS:
        add(desk, one)
        add(desk, other)
    for planted in CLUSTER:
        add(desk, planted)
    for number in range(COPIES):
        add(desk, (f"feedback_flaky_login_{number}", "log", "The login test is flaky",
                   "The login test fails on Mondays, since its token was made in another time zone."))  # fmt: skip
