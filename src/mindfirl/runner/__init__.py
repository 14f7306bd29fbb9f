"""The process that does long work; a worker is a person here.

``python -m mindfirl.runner`` takes jobs as they come, and starts a process for each, so that one
that is cancelled, runs out of memory or is broken ends alone.
"""
