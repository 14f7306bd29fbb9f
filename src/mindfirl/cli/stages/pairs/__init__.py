"""``mindfirl pairs``: score pairs or upload them, move the thresholds, check against the truth."""

from __future__ import annotations

import click

from mindfirl.cli.stages.pairs.bands import bands
from mindfirl.cli.stages.pairs.evaluate import evaluate
from mindfirl.cli.stages.pairs.scoring import score, upload


@click.group()
def pairs() -> None:
    """Score candidate pairs or upload them, and decide which of them people review.

    Two thresholds cut the pairs into three bands: linked automatically, for people, not linked.
    """


for _command in (score, upload, bands, evaluate):
    pairs.add_command(_command)
