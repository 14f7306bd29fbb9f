"""What was learnt: how much each level of agreement weighs. It holds no value of any person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import exp2

from mindfirl.core.errors import SettingError
from mindfirl.engine.scoring.blocking import MODES, Blocking, Mode


@dataclass(frozen=True, slots=True)
class Level:
    """A level of agreement: what it adds to the weight of a pair, and its share among strangers."""

    name: str
    weight: float
    by_chance: float = 1.0

    @property
    def by_match(self) -> float:
        """The share of the level among pairs of one person."""
        return min(1.0, self.by_chance * exp2(self.weight))


@dataclass(frozen=True, slots=True)
class Model:
    """The levels of each attribute by number (0 is missing), and how the model came about.

    A pair's weight is the prior weight and those of its levels, and for identical values how much
    rarer they are than values of the attribute are by chance. How rare each is, is not kept.
    """

    attributes: Mapping[str, tuple[Level, ...]]
    prior: float
    blocking: Blocking
    mode: Mode
    seed: int
    engine: str

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Model:
        try:
            read = json.loads(text)
            attributes = {
                name: tuple(Level(**level) for level in levels)
                for name, levels in read.pop("attributes").items()
            }
            rules = read.pop("blocking")
            blocking = Blocking(tuple(map(tuple, rules["rules"])), tuple(rules["comparisons"]))
            model = cls(attributes, blocking=blocking, **read)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _not_a_model() from None
        if model.mode not in MODES:
            raise _not_a_model()
        return model


def _not_a_model() -> SettingError:
    return SettingError("This is not a model of how pairs are scored. Score the pairs again.")


def explain(model: Model, levels: Mapping[str, int]) -> list[tuple[str, str, float]]:
    """Say what each attribute of a pair adds to its weight: level, and weight to one decimal.

    How rare an identical value is stays out: it would tell something about the value.
    """
    found = []
    for attribute, number in levels.items():
        level = model.attributes[attribute][number]
        found.append((attribute, level.name, round(level.weight, 1)))
    return found
