"""The scored pairs of a version, opened and settled once for all who work with them."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Final

from mindfirl.core.errors import SettingError, VaultShredded
from mindfirl.core.merging.merged_persons import MergedPersons
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.burden import Bands, Curve, burden_curve
from mindfirl.engine.bands.merged_candidates import merge_candidates
from mindfirl.engine.bands.settlement import Settlement, settle_candidates
from mindfirl.engine.bands.weight_bins import WeightBins, weight_bins
from mindfirl.engine.pairs.candidates import Candidates, Weights, candidates_of
from mindfirl.store import vault
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.plans import scoring_of
from mindfirl.workspace.open_version import OpenVersion, SingleFlightCache, open_version

_COLUMNS: Final = ["left", "right", "weight"]
_candidates: Final[SingleFlightCache[Candidates]] = SingleFlightCache(size=4)
_graded: Final[SingleFlightCache[Candidates]] = SingleFlightCache(size=1)
_curves: Final[SingleFlightCache[Curve]] = SingleFlightCache(size=4)
_bins: Final[SingleFlightCache[WeightBins]] = SingleFlightCache(size=4)
_merged_persons: Final[SingleFlightCache[MergedPersons]] = SingleFlightCache(size=8)
_settlements: Final[SingleFlightCache[Settlement]] = SingleFlightCache(size=8)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenPairs:
    """Scored pairs, heaviest first, and the two thresholds that cut them into bands."""

    data: OpenVersion
    scoring: Scoring
    candidates: Candidates
    bands: Bands

    @property
    def version(self) -> Version:
        return self.data.version

    @property
    def attributes(self) -> int:
        return len(self.data.schema.names)

    @property
    def settlement(self) -> Settlement:
        return _settlements.get(
            *self._source(self.scoring.candidates_id, self.bands),
            lambda: self.settle(self.bands),
        )

    @property
    def curve(self) -> Curve:
        source = self._source(self.scoring.candidates_id)
        return _curves.get(*source, lambda: burden_curve(self.candidates))

    @property
    def bins(self) -> WeightBins | None:
        """The bins of weights of our own; brought weights are known to whoever brought them."""
        if not self.scoring.model:
            return None
        source = self._source(self.scoring.candidates_id)
        return _bins.get(*source, lambda: weight_bins(self.candidates))

    @property
    def shown_weights(self) -> Weights:
        """The weights as figures may tell them: those of our own as the means of their bins."""
        return self.bins.shown_weights() if self.bins else self.candidates.weight

    def snapped(self, bands: Bands) -> Bands:
        """Return the bands at the nearest edges of bins."""
        return self.bins.snapped(bands) if self.bins else bands

    def settle(self, bands: Bands) -> Settlement:
        return settle_candidates(self.candidates, bands, merged=self._merged(bands.divide))

    @property
    def merged(self) -> MergedPersons:
        """The persons that weights alone make, before anybody decided anything."""
        return self._merged(self.bands.divide)

    def _merged(self, divide: float) -> MergedPersons:
        once = self.data.without_duplicates
        return _merged_persons.get(
            *self._source(self.scoring.candidates_id, divide),
            lambda: merge_candidates(self.candidates, once, divide=divide),
        )

    def graded(self) -> Candidates:
        """Return the pairs with their levels of agreement, where a model weighed them."""
        return _graded.get(
            *self._source(self.scoring.candidates_id),
            lambda: candidates_of(vault.unseal(self.scoring.candidates)),
        )

    def pair(self, number: int) -> Pair:
        return Pair(int(self.candidates.left[number]), int(self.candidates.right[number]))

    def _source(self, *source: object) -> tuple[object, tuple[object, ...]]:
        return self.version.project_id, source


def open_pairs(project: Project) -> OpenPairs:
    """Open the scored pairs of a project's newest version; refuse if there are none."""
    if project.shredded:
        raise VaultShredded  # though some of it may be cached
    return open_scoring(required_scoring(project))


def open_scoring(scoring: Scoring) -> OpenPairs:
    candidates = _candidates.get(
        scoring.version.project_id,
        (scoring.candidates_id,),
        lambda: candidates_of(vault.unseal(scoring.candidates, _COLUMNS)),
    )
    bands = Bands(scoring.lower, scoring.upper)
    return OpenPairs(open_version(scoring.version), scoring, candidates, bands)


def required_scoring(project: Project) -> Scoring:
    scoring = scoring_of(project)
    if scoring is None:
        raise SettingError("The pairs of this project have not been found yet. Find them first.")
    return scoring


def scoring_with(scoring: Scoring, bands: Bands) -> Scoring:
    """Return a scoring as if it had other thresholds, to ask what these would lead to."""
    other = copy(scoring)
    other.lower, other.upper = bands.lower, bands.upper
    return other


def forget_pairs(project: Project) -> None:
    for cache in (_candidates, _graded, _curves, _bins, _merged_persons, _settlements):
        cache.forget(project.id)
