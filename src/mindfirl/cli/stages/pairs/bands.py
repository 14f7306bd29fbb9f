"""``mindfirl pairs bands``: the two thresholds that cut candidate pairs into three bands."""

from __future__ import annotations

import click

from mindfirl.cli.stages.pairs.pair_summary import print_summary
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.core.errors import SettingError
from mindfirl.engine.bands import Bands, bands_for_pairs, bands_for_rates
from mindfirl.services import pairs, projects
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.workspace.open_pairs import open_pairs


@click.command()
@click.argument("name")
@click.option("--lower", type=float, help="Below this weight a pair is not linked.")
@click.option("--upper", type=float, help="From this weight on a pair is linked.")
@click.option(
    "--pairs", "count", type=click.IntRange(min=0), help="Send about this many pairs to people."
)
@click.option("--false-links", type=float, help="Or allow this share of false automatic links.")
@click.option("--missed-links", type=float, help="And this share of links to be missed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def bands(
    name: str,
    lower: float | None,
    upper: float | None,
    count: int | None,
    false_links: float | None,
    missed_links: float | None,
    as_json: bool,
) -> None:
    """Show or move the two thresholds that cut pairs into three bands.

    Give both thresholds as match weights, or how many pairs people can review, or the shares of
    errors that are allowed: the thresholds are then chosen by what the model expects.

    \b
    For example:
      mindfirl pairs bands study
      mindfirl pairs bands study --lower -2 --upper 9
      mindfirl pairs bands study --pairs 500
    """
    check_installation()
    project = projects.project_named(name)
    found = open_pairs(project)
    wanted = None
    if lower is not None or upper is not None:
        if lower is None or upper is None or count is not None:
            raise SettingError("Give both --lower and --upper, and no other wish.")
        wanted = Bands(lower, upper)
    elif count is not None:
        wanted = bands_for_pairs(found.candidates, count)
    elif false_links is not None or missed_links is not None:
        rates = {"false_links": false_links, "missed_links": missed_links}
        given = {key: rate for key, rate in rates.items() if rate is not None}
        wanted = bands_for_rates(found.candidates, **given)
    if wanted:
        with stage_bars() as progress:
            pairs.set_bands(project=project, bands=wanted, progress=progress)
        found = open_pairs(project)
    print_summary(found, as_json=as_json)
