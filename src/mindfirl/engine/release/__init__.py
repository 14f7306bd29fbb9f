"""The linked de-identified file, and the check that reads it back before it leaves."""

from mindfirl.engine.release.anonymity import Anonymity, anonymity, check_anonymity
from mindfirl.engine.release.coarse_columns import coarse, coarse_name, coarsenable
from mindfirl.engine.release.file_check import Finding, Leak, Secrets, check
from mindfirl.engine.release.identifying_values import Identifier, Identities
from mindfirl.engine.release.pseudonyms import Pseudonyms, pseudonyms
from mindfirl.engine.release.rejoined import rejoined
from mindfirl.engine.release.release_files import FORMS, Form, write
from mindfirl.engine.release.table import (
    DATABASE,
    LINKED,
    OURS,
    PERSON,
    WAYS,
    Part,
    Release,
    Way,
    release,
)

__all__ = [
    "DATABASE",
    "FORMS",
    "LINKED",
    "OURS",
    "PERSON",
    "WAYS",
    "Anonymity",
    "Finding",
    "Form",
    "Identifier",
    "Identities",
    "Leak",
    "Part",
    "Pseudonyms",
    "Release",
    "Secrets",
    "Way",
    "anonymity",
    "check",
    "check_anonymity",
    "coarse",
    "coarse_name",
    "coarsenable",
    "pseudonyms",
    "rejoined",
    "release",
    "write",
]
