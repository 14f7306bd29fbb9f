"""What was learnt about pairs: classes, the levels of their attributes, and what a pair weighs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from math import exp2, log2
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.engine.pairs.candidates import Weights
from mindfirl.engine.scoring.blocking import MODES, Blocking, Mode

ClassKind = Literal["matches", "dirty records", "strangers", "other people", "unclear"]
"""Of one person are *matches* and *dirty records*; of *unclear* pairs nobody knows."""
OF_ONE_PERSON: Final[tuple[ClassKind, ...]] = ("matches", "dirty records")
_FORMAT: Final = 2
LEAST_SHARE: Final = 1e-4
"""No level is rarer than this among records of one person: nothing speaks against it for ever."""


_MOST_BITS: Final = 60.0
"""Others have no smaller part in a pair than this: a weight stays finite."""


@dataclass(frozen=True, slots=True)
class Level:
    """A level of agreement: what it adds to the weight of a pair, and its share among strangers."""

    name: str
    weight: float
    by_chance: float = 1.0

    @property
    def by_match(self) -> float:
        return min(1.0, self.by_chance * exp2(self.weight))


@dataclass(frozen=True, slots=True)
class LearntClass:
    """A class of pairs: its share of all pairs, and by attribute the shares of its levels."""

    kind: ClassKind
    share: float
    levels: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Model:
    """The levels of each attribute by number (0 is missing), and how the model came about.

    ``attributes`` compare pairs of one person with strangers. A pair's weight compares all
    ``classes`` of one person with all others, and knows how much rarer identical values are than
    values of the attribute are by chance. How rare each is, is not kept. ``self_check`` is how many
    links two classes find for each one that all of them find. ``false_links`` are how many to
    expect from each whole weight on, by pairs inside databases that hold each person at most once.
    ``least_uncompared`` is how many links at least no rule finds, by how many rules find others.
    ``rival_bits`` were added to all weights, since a record can be only one of its rivals.
    Where the model ``cannot_tell``, nothing may be linked automatically: it is a sentence that says
    why.
    """

    attributes: Mapping[str, tuple[Level, ...]]
    prior: float
    classes: tuple[LearntClass, ...]
    self_check: float
    blocking: Blocking
    mode: Mode
    seed: int
    engine: str
    false_links: tuple[tuple[int, float], ...] = ()
    least_uncompared: float = 0.0
    rival_bits: float = 0.0
    warnings: tuple[str, ...] = ()
    cannot_tell: str = ""

    def to_json(self) -> str:
        return json.dumps({"format": _FORMAT, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Model:
        try:
            read = json.loads(text)
            if read.pop("format") != _FORMAT:
                raise _not_a_model()
            attributes = {
                name: tuple(Level(**level) for level in levels)
                for name, levels in read.pop("attributes").items()
            }
            classes = tuple(_read_class(each) for each in read.pop("classes"))
            false_links = tuple((int(at), float(links)) for at, links in read.pop("false_links"))
            warnings = tuple(map(str, read.pop("warnings")))
            rules = read.pop("blocking")
            blocking = Blocking(tuple(map(tuple, rules["rules"])), tuple(rules["comparisons"]))
            model = cls(
                attributes,
                classes=classes,
                blocking=blocking,
                false_links=false_links,
                warnings=warnings,
                **read,
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _not_a_model() from None
        if model.mode not in MODES:
            raise _not_a_model()
        return model

    @property
    def match_share(self) -> float:
        """The share of all pairs that are of one person."""
        return sum(each.share for each in self.classes if each.kind in OF_ONE_PERSON)

    def false_links_above(self, weight: float) -> float | None:
        """Return how many pairs of different people to expect from a weight on; None if unknown.

        It is counted by whole weights: between them it is the number from the lower one on.
        """
        if not self.false_links:
            return None
        below = [links for at, links in self.false_links if at <= weight]
        return 0.0 if weight > self.false_links[-1][0] else below[-1] if below else None

    def two_class_weights(self, levels: Sequence[NDArray[Any]]) -> Weights:
        """Weigh pairs as if they were matches or strangers, and all values equally rare."""
        tables = [np.array([level.weight for level in each]) for each in self.attributes.values()]
        found: Any = self.prior
        for table, numbers in zip(tables, levels, strict=True):
            found = found + table[numbers]
        return np.asarray(found)

    def weights(self, levels: Sequence[NDArray[Any]], rarity: Weights | float = 0.0) -> Weights:
        """Weigh pairs by their levels, and by how many bits rarer than usual their values are."""
        of_one: list[Weights] = []
        of_others: list[Weights] = []
        for each in self.classes:
            weight = log2(each.share) + self._class_weights(each, levels)
            if each.kind == "strangers":
                weight = weight - rarity
            (of_one if each.kind in OF_ONE_PERSON else of_others).append(weight)
        found: Weights = reduce(np.logaddexp2, of_one) - reduce(np.logaddexp2, of_others)
        return found

    @property
    def unclear_share(self) -> float:
        """The share of all pairs of which nobody knows whether they are of one person."""
        return sum(each.share for each in self.classes if each.kind == "unclear")

    def weights_if_unclear_match(self, levels: Sequence[NDArray[Any]], weight: Weights) -> Weights:
        """Weigh pairs again as if unclear ones were of one person, given their weights.

        With M, U and O the likelihoods of one person, unclear and others, the weight is
        log2 M / (U + O), and the new one log2 (M + U) / O.
        """
        of_one, unclear = (
            reduce(
                np.logaddexp2,
                [
                    log2(each.share) + self._class_weights(each, levels)
                    for each in self.classes
                    if each.kind in kinds
                ],
            )
            for kinds in (OF_ONE_PERSON, ("unclear",))
        )
        others = np.exp2(np.clip(of_one - weight - unclear, -_MOST_BITS, _MOST_BITS)) - 1
        rest = np.log2(np.maximum(others, np.exp2(-_MOST_BITS))) + unclear
        found: Weights = np.logaddexp2(of_one, unclear) - rest
        return found

    def _class_weights(self, learnt: LearntClass, levels: Sequence[NDArray[Any]]) -> Weights:
        found: Any = 0.0
        for table, numbers in zip(learnt.levels, levels, strict=True):
            found = found + np.log2(np.maximum((1.0, *table), _floor(learnt.kind)))[numbers]
        return np.asarray(found)


def _floor(kind: ClassKind) -> float:
    return LEAST_SHARE if kind in OF_ONE_PERSON else 1e-12


def _read_class(read: dict[str, Any]) -> LearntClass:
    if read["kind"] not in get_args(ClassKind):
        raise ValueError
    levels = tuple(tuple(map(float, shares)) for shares in read["levels"])
    return LearntClass(read["kind"], float(read["share"]), levels)


def _not_a_model() -> SettingError:
    return SettingError("This is not a model of how pairs are scored. Score the pairs again.")


@dataclass(frozen=True, slots=True)
class Parts:
    """What a weight is made of: what holds before anything is compared, then by attribute."""

    start: float
    by_attribute: tuple[tuple[str, str, float], ...]


def explain(model: Model, levels: Mapping[str, int]) -> Parts:
    """Say what each attribute of a pair adds to its weight: level, and weight in bits.

    All classes of one person speak for it, each by its part in that, and all others against it. How
    rare an identical value is stays out: it would tell something about the value.
    """
    numbers = [np.array([levels[name]]) for name in model.attributes]
    for_one = [each for each in model.classes if each.kind in OF_ONE_PERSON]
    against = [each for each in model.classes if each.kind not in OF_ONE_PERSON]
    speaks, start = np.zeros(len(numbers)), 0.0
    for classes, sign in ((for_one, 1), (against, -1)):
        logs = np.array([_bits(each, numbers) for each in classes])
        joint = logs.sum(axis=1) + np.log2([each.share for each in classes])
        parts = np.exp2(joint - np.logaddexp2.reduce(joint))
        entropy = -float(parts @ np.log2(np.maximum(parts, 1e-300)))
        start += sign * (float(parts @ np.log2([each.share for each in classes])) + entropy)
        speaks += sign * (parts @ logs)
    return Parts(
        start,
        tuple(
            (name, model.attributes[name][levels[name]].name, float(bits))
            for name, bits in zip(model.attributes, speaks, strict=True)
        ),
    )


def _bits(learnt: LearntClass, numbers: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    tables = (np.maximum((1.0, *table), _floor(learnt.kind)) for table in learnt.levels)
    found = [float(np.log2(table)[place][0]) for table, place in zip(tables, numbers, strict=True)]
    return np.array(found)
