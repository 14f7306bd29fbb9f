"""A child of the benchmark of pairs: the same calls of Splink by hand, on the same records."""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings
from collections.abc import Sequence
from typing import Any, Final

import django
import duckdb

from peak import peak

django.setup()
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

import pyarrow as pa
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.scoring.blocking import Blocking, Rule
from mindfirl.engine.scoring.comparisons import Comparison, column, comparisons_of
from mindfirl.engine.scoring.normal_forms import comparable_column
from mindfirl.engine.scoring.splink_inputs import _comparison
from mindfirl.services.pairs import plan_pairs
from mindfirl.services.projects import project_named
from mindfirl.store import vault
from mindfirl.store.queries.projects import current_version, databases_of

_TOO_FEW: Final = 50
_TAUGHT: Final = 2
"""This many sessions teach each attribute, where there are rules for it."""


def _sessions(comparisons: Sequence[Comparison], blocking: Blocking) -> list[tuple[Rule, int]]:
    """Choose rules by which every attribute can learn, the strictest first: it has most matches."""
    names = {each.place: each.attribute for each in comparisons}
    partner = {
        each.attribute: next(
            (names[place] for place in (each.exchanged, each.aside) if place is not None),
            each.attribute,
        )
        for each in comparisons
    }
    taught = dict.fromkeys(names.values(), 0)
    left = {
        rule: pairs
        for rule, pairs in zip(blocking.rules, blocking.comparisons, strict=True)
        if pairs >= _TOO_FEW
    }
    chosen = []
    while left:
        teaches = {
            rule: [
                name
                for name, times in taught.items()
                if times < _TAUGHT and name not in rule and partner[name] not in rule
            ]
            for rule in left
        }
        best = max(left, key=lambda rule: (len(teaches[rule]), -left[rule], rule))
        if not teaches[best]:
            break
        chosen.append((best, left.pop(best)))
        for name in names.values():
            taught[name] += name not in best and partner[name] not in best
    return chosen


project = project_named("bench")
version = current_version(project)
assert version is not None
schema = parse_schema(version.schema, "").schema
blocking = plan_pairs(project=project).blocking
tables = []
for database in databases_of(version):
    table = vault.unseal(database.identity, schema.names)
    columns = [comparable_column(table.column(each.name), each) for each in schema.attributes]
    names = [column(place) for place in range(len(columns))]
    numbered = pa.table(columns, names=names)
    tables.append(numbered.append_column("unique_id", pa.array(range(table.num_rows))))


def unknown(comparison: Comparison) -> list[Any]:
    """Say of no level how common it is: Splink learns that."""
    return [None] * len(comparison.names)


def rule(names: tuple[str, ...]) -> Any:  # noqa: ANN401  # Splink's own class is not public
    """Write a rule as Splink's manual does."""
    return block_on(*(column(schema.place(name)) for name in names))


start = time.perf_counter()
api = DuckDBAPI(duckdb.connect())
frames = [api.register(table, dataset_display_name=f"d{at}") for at, table in enumerate(tables)]
comparisons = comparisons_of(schema)
others = {each.place: each for each in comparisons}
linker = Linker(
    frames,
    SettingsCreator(
        link_type="link_only",
        comparisons=[
            _comparison(each, others, unknown(each), unknown(each)) for each in comparisons
        ],
        blocking_rules_to_generate_predictions=[rule(names) for names in blocking.rules],
    ),
    log_level=None,
)
linker.training.estimate_u_using_random_sampling(max_pairs=1_000_000, seed=1)
for session, pairs in _sessions(comparisons, blocking):
    linker.training.estimate_parameters_using_expectation_maximisation(
        rule(session),
        estimate_without_term_frequencies=True,
        max_pairs=2_000_000 if pairs > 2_000_000 else None,  # noqa: PLR2004  # as many as we take
    )
found = linker.inference.predict(threshold_match_weight=-10).as_duckdbpyrelation().to_arrow_table()
seconds = time.perf_counter() - start
json.dump({"seconds": seconds, "peak": peak(), "pairs": found.num_rows}, sys.stdout)
