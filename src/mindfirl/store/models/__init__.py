"""The tables of the database. No personal value stands in any of them.

``projects``
    projects, their import versions and databases, and the files of the vault.
``pairs``
    scored pairs of a version, and their bands.
"""

from mindfirl.store.models.pairs import Scoring
from mindfirl.store.models.projects import Database, Member, Project, SealedFile, Version

__all__ = ["Database", "Member", "Project", "Scoring", "SealedFile", "Version"]
