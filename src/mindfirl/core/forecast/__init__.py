"""What a budget buys: how well pairs can be decided, against what deciding them discloses.

``paths``
    the ways of many pairs from masked to open, step by step; how far a price allows to go.
``measures``
    how good decisions are: accuracy, precision, recall, and how sure one can be of the figures.
``people``
    how often a person is right, given what the machine reviewer thinks and what is still hidden.
``reviewers``
    how good people are together: who agree, who decide a pair more than once, who settle the rest.
``priority``
    which pairs matter most, where not all can be reviewed.
``stopping``
    what is expected of a linkage if its review stopped now, and if it were finished.
``forecast``
    the whole answer: points of the frontier, fixed levels beside it, the smallest budget that does.
"""
