"""Comments that repeat nothing are hardly ever refused, even where a whole pair is open."""

from __future__ import annotations

from typing import Final

from mindfirl.core.traces.repeats import repeated
from mindfirl.synthetic.linked_databases import databases
from tests.conftest import Figure
from tests.core.traces.test_repeats import row

PEOPLE: Final = 600
MOST_REFUSED: Final = 0.015
"""Most of them say "a" or "I", and the race is coded A or I: whole values count at any length."""
COMMENTS: Final = """
the names are alike but the numbers differ
one digit of the number differs, probably a typing error
month and day may have been exchanged
first and last name may be swapped
could be twins: same address, same day of birth
could be father and son
married name? everything else is the same
one has a suffix, the other does not
not sure, please look at this one again
the year differs by exactly ten
the last 2 digits are transposed
nickname of the same first name, I think
I would need the ZIP code to decide this
the race differs, but that is often wrong in the registry
no idea. Too little is open to say anything
both rows are rare, so this can hardly be a coincidence
the hyphen is missing in one of them
3 of 4 cells agree
probably the same person, 90 % sure
an old address may explain the difference
two letters are exchanged in the surname
the spelling could be phonetic
it can't be the same person: different sex and another decade
May be a sibling. Ask the hospital in March?
seen before in pair 17, same question
""".strip().split("\n")


def test_harmless_comments_are_hardly_ever_refused(figure: Figure) -> None:
    table = databases(PEOPLE, seed=4).hospital
    names = ("first_name", "last_name", "birth_date", "ssn", "zip", "sex", "race")
    refused = tried = 0
    for person in table.select(names).to_pylist():
        month, _, rest = (person["birth_date"] or "").partition("/")
        day, _, year = rest.partition("/")
        person["birth_date"] = f"{year}/{month}/{day}"  # as rows show it
        shown = [row(value or "", date=name == "birth_date") for name, value in person.items()]
        refused += sum(repeated(comment, shown) for comment in COMMENTS)
        tried += len(COMMENTS)
    assert tried > 10_000
    assert refused <= tried * MOST_REFUSED
    figure(f"harmless comments refused: {refused:,} of {tried:,} ({refused / tried:.2%})")
