"""Comments that repeat nothing are hardly ever refused, even where a whole pair is open."""

from __future__ import annotations

import random
from typing import Final

from mindfirl.core.traces.normal_form import COMMENTS as FROM_COMMENTS
from mindfirl.core.traces.normal_form import ELSEWHERE
from mindfirl.core.traces.repeats import comment_traces, merge, read_text, repeated, repeats
from mindfirl.synthetic.linked_databases import databases
from tests.conftest import Figure
from tests.core.traces.test_repeats import Row, row

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


OPEN_PAIRS: Final = 100
MOST_REFUSED_OF_THOUSAND: Final = 30
SUBJECTS: Final = """
the street; the road; the house number; the first name; the last name; the surname; the birth date
the year; the month; the postcode; the phone number; the e-mail address; the middle initial
the spelling; one letter; one digit; the suffix; the maiden name; the whole address
everything else; the second row; the upper record
"""
VERBS: Final = """
differs in one record; looks like a typing error; could be a nickname; is missing in the other
agrees; was probably changed by marriage; is cut off after some letters; is hard to read
has been swapped with another field; is written without an accent; tells nothing here
moved to another place, perhaps in May or June; is common in this town; is only an abbreviation
might be an old one from January or December; should be checked by the hospital
belongs to a relative, maybe a brother, sister, mother or grandson
points to twins who live together in one house on the same street
"""
ENDS: Final = """
so I am fairly sure; please look again; but I cannot tell; and the rest agrees; as in pair 12
therefore different people; which is rare; which happens often in the registry
ask the data manager before closing this; so about 80 percent sure; maybe married in April
so probably the same person; no further comment
"""


def phrases(listed: str) -> list[str]:
    return [each.strip() for line in listed.strip().split("\n") for each in line.split(";")]


def people() -> list[list[Row]]:
    """Return the rows of people, as they are shown where all is open."""
    table = databases(PEOPLE, seed=4).hospital
    found = []
    names = ("first_name", "last_name", "birth_date", "ssn", "zip", "sex", "race")
    for person in table.select(names).to_pylist():
        month, _, rest = (person["birth_date"] or "").partition("/")
        day, _, year = rest.partition("/")
        person["birth_date"] = f"{year}/{month}/{day}"  # as rows show it
        found.append([row(text or "", date=name == "birth_date") for name, text in person.items()])
    return found


def test_harmless_comments_are_hardly_ever_refused(figure: Figure) -> None:
    everybody, comments = people(), [read_text(comment) for comment in COMMENTS]
    found = []
    for shown in everybody:
        traces = comment_traces(shown, FROM_COMMENTS)  # once for all comments about them
        found.append([any(repeats(comment, traces, FROM_COMMENTS)) for comment in comments])
    tried, refused = sum(map(len, found)), sum(map(sum, found))
    assert [repeated(each, everybody[0]) for each in COMMENTS] == found[0], "as when one is saved"
    assert tried > 10_000
    assert refused <= tried * MOST_REFUSED
    figure(f"harmless comments refused: {refused:,} of {tried:,} ({refused / tried:.2%})")


def test_a_thousand_comments_beside_a_hundred_open_pairs(figure: Figure) -> None:
    everybody, dice = people(), random.Random(9)
    open_pairs = [one + other for one, other in zip(everybody[::2], everybody[1::2], strict=False)]
    elsewhere = merge(comment_traces(rows, ELSEWHERE) for rows in open_pairs[:OPEN_PAIRS])
    comments = [
        " ".join(dice.choice(phrases(part)) for part in (SUBJECTS, VERBS, ENDS))
        for _ in range(1_000)
    ]
    assert len(set(comments)) > 800
    refused = [
        comment
        for place, comment in enumerate(comments)
        if repeated(comment, open_pairs[place % OPEN_PAIRS], elsewhere)
    ]
    assert len(refused) <= MOST_REFUSED_OF_THOUSAND
    figure(f"harmless comments refused beside {OPEN_PAIRS} open pairs: {len(refused)} of 1,000")
