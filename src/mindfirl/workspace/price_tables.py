"""The price table of a version: drawn once, kept in its vault, and the same for every question."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

import pyarrow as pa

from mindfirl.core.progress import Progress
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.kapr import UNITS
from mindfirl.engine.bands.dealing import start_of
from mindfirl.engine.bands.price_table import (
    PriceTable,
    draw_reference_pairs,
    price_columns,
    price_table_of,
    rounded_up,
    work_out_prices,
)
from mindfirl.store import vault
from mindfirl.store.crypto.keys import keyed_number
from mindfirl.workspace.open_version import OpenVersion, SingleFlightCache

_tables: Final[SingleFlightCache[PriceTable]] = SingleFlightCache(size=8)
_starting: Final[SingleFlightCache[float]] = SingleFlightCache(size=32)


def draw_price_table(data: OpenVersion, progress: Progress) -> pa.Table:
    """Draw the reference pairs of a version, and work out what they cost as usually displayed."""
    index, project = data.index(), data.version.project
    seed = keyed_number(project.id, project.identity_key, f"prices of version {data.version.pk}")
    pairs = draw_reference_pairs([column.codes for column in index.columns], seed=seed)
    found = work_out_prices(index, pairs, "paper", progress=partial(progress, "price table"))
    return price_columns(found)


def price_table(data: OpenVersion, terms: Terms) -> PriceTable:
    """Return the prices of a version under the display and accounting of some terms."""
    display = _display(terms)
    return _tables.get(
        (data.version.project_id, display),
        (data.version.pk,),
        lambda: _worked_out(data, display),
    )


def starting_price(data: OpenVersion, terms: Terms) -> float:
    """Return K of the starting levels, over the reference pairs; two digits, rounded up."""
    if not terms.starting:
        return 0.0
    display = replace(_display(terms), starting=terms.starting, kappa=terms.kappa)
    return _starting.get(
        (data.version.project_id, display), (data.version.pk,), lambda: _start(data, display)
    )


def usual_terms(data: OpenVersion) -> Terms:
    return Terms(date_swaps=data.schema.settings.date_swap)


def _display(terms: Terms) -> Terms:
    return Terms(
        accounting=terms.accounting,
        date_swaps=terms.date_swaps,
        frequency_bands=terms.frequency_bands,
    )


def _worked_out(data: OpenVersion, display: Terms) -> PriceTable:
    kept = price_table_of(vault.unseal(data.version.required_prices), data.schema.names)
    # The published score does not count what the frequency of a hidden value tells.
    if replace(display, frequency_bands=False) == usual_terms(data):
        return kept
    return work_out_prices(data.index(display), kept.pairs, display.accounting)


def _start(data: OpenVersion, terms: Terms) -> float:
    pairs, index = price_table(data, terms).pairs, data.index(terms)
    levels = dict(terms.starting)
    charge = sum(
        start_of(index, pair, levels, kappa=terms.kappa, accounting=terms.accounting).charge
        for pair in pairs
    )
    rows = 2 * max(len(pairs), 1) * len(data.schema.names)
    return rounded_up(terms.kappa * charge / (rows * UNITS))
