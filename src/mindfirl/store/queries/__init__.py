"""What screens, reports and services read, one file per stage.

``projects``
    the newest version of a project, and its databases.
``plans``
    the plan of a project, what it must fit, and which pairs were given out.
``pairs``
    the scored pairs of the newest version.
``agreement``
    what reviewers say of the same pairs.
"""
