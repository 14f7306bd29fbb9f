"""Print the record ids of every pair that was given out, as who has the keys can."""

from __future__ import annotations

import json
import sys

import django

django.setup()

from mindfirl.engine.separation.separate import RECORD
from mindfirl.store import vault
from mindfirl.store.models import AssignedPair, Version


def main() -> None:
    version = Version.objects.get()
    ids = [
        each
        for member in version.members.order_by("first")
        for each in vault.unseal(member.database.identity, [RECORD]).column(RECORD).to_pylist()
    ]
    pairs = AssignedPair.objects.values_list("token", "left", "right")
    json.dump([[token, ids[left], ids[right]] for token, left, right in pairs], sys.stdout)


main()
