"""Made-up people with known truth. Everything comes from one seed; nobody is real.

``names``
    names put together from syllables, with realistic skew.
``people``
    persons and families, one row each.
``mishaps``
    what goes wrong when a person is written down a second time.
``slips``
    what goes wrong in ways that a reader of the values can recognise.
``look_alikes``
    two databases of people who are hard to tell apart.
``databases``
    two databases about the same people, with columns of their own, and the truth.
``practice``
    a few pairs whose answers are known, and a crowd around them.
"""
