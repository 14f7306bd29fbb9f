"""The linked de-identified file, and the check that reads it back before anybody else does.

``rejoined``
    the sensitive values of a database, in the order of its identities again.
``coarse``
    quasi-identifiers, coarsened.
``table``
    which records are one person's, their sensitive values, in a random order.
``anonymity``
    k and l of the coarsened quasi-identifiers, where somebody chose to release any.
``files``
    the table as CSV or Parquet, and what a file holds.
``plain``
    text as it is compared.
``written_days``
    the days that a text may speak of.
``cells``
    what a cell says: words, numbers, days.
``sought``
    what must not stand in the rows of a person.
``pseudonyms``
    what is known elsewhere, and must not stand in any row.
``checking``
    the file, read back and searched; what is wrong, counted by column and kind.
"""

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
