"""What leaves a project: releases of linked data, decisions as labels, crosswalks to releases."""

from mindfirl.services.release.creation import make_release
from mindfirl.services.release.crosswalks import give_crosswalk, open_crosswalk
from mindfirl.services.release.deletion import delete_expired, delete_release
from mindfirl.services.release.findings import below_least, settle_finding, unsettled
from mindfirl.services.release.handover import Handed, check_open, download, take
from mindfirl.services.release.labels import export_labels, labels_of, take_labels
from mindfirl.services.release.release_choices import (
    Choices,
    ChoicesTyped,
    coarsen_field,
    kept_choices,
    offered,
    read_choices,
)

__all__ = [
    "Choices",
    "ChoicesTyped",
    "Handed",
    "below_least",
    "check_open",
    "coarsen_field",
    "delete_expired",
    "delete_release",
    "download",
    "export_labels",
    "give_crosswalk",
    "kept_choices",
    "labels_of",
    "make_release",
    "offered",
    "open_crosswalk",
    "read_choices",
    "settle_finding",
    "take",
    "take_labels",
    "unsettled",
]
