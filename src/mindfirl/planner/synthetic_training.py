"""Made-up people to learn from where a project has no labels: what is learnt promises nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.population.index import index_columns
from mindfirl.core.values.column_values import concatenate_columns
from mindfirl.core.values.schema import Schema
from mindfirl.engine.bands.burden import bands_for_rates
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.scoring.blocking import choose_blocking, default_most
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.engine.separation.separate import kept_columns
from mindfirl.planner.reviewer.pair_features import Looks, look_at
from mindfirl.synthetic import individuals
from mindfirl.synthetic.look_alikes import look_alikes

PERSONS: Final = 6_000
_SEED: Final = 1
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeUp:
    """Uncertain pairs of made-up people, as a project would draw them, and the truth."""

    looks: Looks
    left: Positions
    right: Positions
    same: NDArray[np.bool_]


def made_up_pairs(schema: Schema) -> MadeUp:
    """Make up people with those attributes of a schema that made-up people have.

    What they do not have stays untold; so nothing is learnt of it, and nobody is told to open it.
    """
    places = _shared(schema)
    attributes = [schema.attributes[place] for place in places]
    names = {attribute.name for attribute in attributes}
    settings = {name: getattr(schema.settings, name) for name in _SETTINGS}
    groups = [group for group in schema.swap_groups if set(group) <= names]
    shared = Schema(attributes, swap_groups=groups, **settings)
    made = look_alikes(PERSONS, seed=_SEED)
    identities = made.identities()
    parts = [kept_columns(table, shared.names) for table in identities]
    columns = {name: concatenate_columns([part[name] for part in parts]) for name in shared.names}
    sizes = [table.num_rows for table in identities]
    most = default_most(sum(sizes))
    blocking = choose_blocking(shared, columns, [0, sizes[0]], mode="link", most=most)
    found, _ = score_pairs(
        identities, shared, blocking, mode="link", engine=DuckDBEngine(), seed=_SEED
    )
    sent = settle_candidates(found, bands_for_rates(found), np.repeat([0, 1], sizes)).sent
    left, right = found.left[sent], found.right[sent]
    looks = look_at(index_columns(shared, columns), left, right)
    same = np.asarray(made.person[left] == made.person[right])
    return MadeUp(looks.spread(places, len(schema.attributes)), left, right, same)


_SETTINGS: Final = (
    "date_order", "date_swap", "case", "string_limit", "fixed_limit", "date_limit", "latest_year",
)  # fmt: skip


def _shared(schema: Schema) -> list[int]:
    """Return the attributes that made-up people have too, by name and kind."""
    known = {attribute.name: attribute.kind for attribute in individuals.SCHEMA.attributes}
    places = [
        place
        for place, attribute in enumerate(schema.attributes)
        if known.get(attribute.name) == attribute.kind
    ]
    if len(places) < _FEWEST:
        words = ", ".join(f"{name} ({kind})" for name, kind in known.items())
        raise SettingError(
            f"Made-up people have {words}. This project shares too few of these attributes to "
            f"learn anything from them. Give a truth file, or review pairs first."
        )
    return places
