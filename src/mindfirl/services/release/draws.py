"""The persons that a release is made of: those of a linkage, or of one drawn from it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mindfirl.core.errors import SettingError
from mindfirl.store import vault
from mindfirl.store.models import Linkage
from mindfirl.workspace.outcomes.standing import current_standing, drawn_persons


def persons_of(linkage: Linkage, draw: int) -> pa.Table:
    """Return for each record its person and how it was linked; 0 draws nothing.

    A drawn linkage does not say how sure a person is: it is one of several that are possible.
    """
    kept = vault.unseal(linkage.persons)
    if not draw:
        return kept
    standing = current_standing(linkage.project)
    same = np.array_equal(standing.persons.person, kept.column("person").to_numpy())
    if standing.version != linkage.version or not same:
        raise SettingError(
            f"Weights or decisions have changed since linkage {linkage.number}. Link the records "
            "again, then draw."
        )
    drawn = drawn_persons(standing, draw, seed=linkage.number)
    return pa.table({"person": drawn.person, "how": drawn.origin})
