"""Reports of what was disclosed in a project, for people outside of it."""

from mindfirl.services.report.compose import groups_of, make_report, newest_report

__all__ = ["groups_of", "make_report", "newest_report"]
