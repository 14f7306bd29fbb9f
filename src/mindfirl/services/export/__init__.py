"""What leaves a project: releases of linked data, decisions as labels, crosswalks to releases."""

from mindfirl.services.export.blocking import below_least, settle_finding, unsettled
from mindfirl.services.export.choices import (
    Choices,
    ChoicesTyped,
    coarsen_field,
    kept_choices,
    offered,
    read_choices,
)
from mindfirl.services.export.crosswalks import give_crosswalk, open_crosswalk
from mindfirl.services.export.deleting import delete_expired, delete_release
from mindfirl.services.export.handing_over import Handed, check_open, download, take
from mindfirl.services.export.labels import export_labels, labels_of, take_labels
from mindfirl.services.export.making import make_release

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
