"""What screens, reports and services read, one file per stage.

``projects``
    the newest version of a project, and its databases.
``pairs``
    the scored pairs of the newest version.
"""
