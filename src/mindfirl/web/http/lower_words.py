"""Phrases of the layers below that pages show, and their sentences with figures, for translation.

Whole sentences without figures need no line here: ``make messages`` finds them in those layers.
``tests/web/http/test_error_words.py`` fails when the layers below no longer say a line of these.
"""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_noop as _

PHRASES: Final = (
    # what marks mean
    _("same: both rows hold the same value"),
    _("different: too little in common to mark single characters"),
    _("missing: one row, or both, has no value (or not all parts of a date)"),
    _("swapped: the value stands in the other column of its group"),
    _("substitution: another character in the same place"),
    _("insertion or deletion: a character that the other row does not have"),
    _("transposition: two neighbours have changed places"),
    _("month and day have changed places"),
    # the stages of long work
    _("assigning pairs"),
    _("building the population index"),
    _("combining records"),
    _("comparing"),
    _("comparing with the last version"),
    _("composing the report"),
    _("counting what was shown"),
    _("creating synthetic people"),
    _("deriving rules"),
    _("joining links"),
    _("learning"),
    _("opening the identities"),
    _("opening the pairs"),
    _("picking pairs"),
    _("reading the ledger"),
    _("reading the pairs"),
    _("setting starting levels"),
    # what the model cannot tell
    _("the records that have most in common differ as two people do"),
    _(
        "Compare more attributes, such as first names and birth dates, or let people review the "
        "pairs"
    ),
    _("records that agree as much as any can still be of different people"),
    _("Compare more attributes"),
    _("Let people review the pairs"),
    _("Check that no database declared without duplicates has any"),
    # what a column looks like
    _("empty"),
    _("taken for the first name, since it has fewer different values: check it"),
    _("taken for the last name, since it has more different values: check it"),
    _("taken for the last name, since the first name has its own column"),
    _("taken for the record ID, though its heading does not say so: check it"),
    _("dates that nearly tell people apart: the month is kept"),
    _("nearly unique: it tells people apart in the linked data"),
    _("looks like a number or code of a person"),
    _("free text: it may name people"),
    _("unknown heading: make sure that it names nobody, or leave it out"),
    _("headed like a date, but few values can be read as one"),
    _("constant: it tells nobody apart"),
    _("nearly unique: it identifies rather than describes"),
    _("two-digit years: latest_year decides the century"),
    _("left out: it repeats other columns in another database"),
)

WITH_FIGURES: Final = (
    # what a column looks like
    _("no record id: %(missing)s are missing and %(repeated)s repeat others"),
    _("%(missing)s will be taken for missing"),
    _("%(wrong)s cannot be a date in this order"),
    _("mixed date orders: %(others)s can only be read otherwise than as %(order)s"),
    _("ambiguous: nothing tells day from month, taken as %(order)s"),
    _("left out: it repeats %(others)s, and would count twice"),
    _("contains %(others)s: it names people in the linked data"),
    _("contains %(others)s: compared without their words, which would count twice"),
    _("contains %(other)s: compared without its words, which would count twice"),
    _("left out: %(column)s has the whole date"),
    _("left out: %(columns)s have this date and are filled more often"),
    # how a list of pairs was read, and what the model cannot tell
    _("pairs of the columns %(one)s and %(other)s; %(kind)s from %(column)s"),
    _("pairs of the columns %(one)s and %(other)s; without scores, all at weight 0"),
    _("pairs within one database, left out: %(left_out)s"),
    _("Nothing is linked automatically unless you set the thresholds: %(why)s. %(what)s."),
    _("about %(expected)s links are expected, too few to learn from"),
    _("about %(share)s of the links would be false"),
    _(
        "A simpler model would make %(check)s times as many links: many different people may look "
        "alike here. Let people check a sample of the automatic links before you use them."
    ),
    _(
        "About %(more)s more pairs may be of one person with many errors, or of different people "
        "who look alike. The model cannot tell, so they are not linked automatically."
    ),
    # fields of the columns
    _("%(column)s is already the record ID of this database."),
    _("%(name)s is compared differently in %(database)s."),
    _("%(name)s is kept differently in %(database)s."),
    _("%(name)s is %(one)s in %(database)s and %(other)s here."),
    _("Use one %(field)s."),
    _("Another one is called %(name)s."),
    _("No column is named %(name)s, which %(others)s has."),
    _("No column has the %(part)s of %(name)s."),
    _("No column of %(databases)s has this attribute, so it cannot be compared."),
    _("The stored values of %(name)s are not enough for this."),
    _("To change this, upload %(others)s again, too."),
    _("Upload %(databases)s again, and choose it there."),
    # plan, dispatch, assignments
    _("Enter 1 to %(most)s reviews of each pair."),
    _("The project has only %(records)s records."),
    _("Each review of a pair needs a different worker, and %(workers)s are chosen."),
    _("The guidance has %(characters)s characters."),
    _("Shorten it to %(most)s."),
    _("Enter 0 to %(most)s pairs of each automatic band."),
    _("Enter 0 to %(most)s pairs with an answer from elsewhere."),
    _("Enter 0 to %(most)s pairs to check reviewers."),
    _("Enter a share of 1 to %(most)s."),
    _("the text is not %(encoding)s."),
    _("Enter more than %(now)s%% and at most 100%%."),
    _("The project ends on %(day)s."),
    _("The assignment is already %(state)s."),
    _("The dispatch is already %(state)s."),
    _("One person would get %(pairs)s pairs."),
    _(
        "An assignment needs at least %(pairs)s, because the spending on fewer pairs would reveal "
        "too much about each of them."
    ),
    _("The starting levels alone take more than the budget of %(budget)s%%."),
    _("Raise the budget to at least %(enough)s%%, or let fewer cells start open."),
    # review, resolve, release, reasons
    _("Not submitted: %(pairs)s pairs are not decided yet."),
    _("Not submitted: %(decisions)s decisions have no reason."),
    _("Not submitted: %(comments)s comments repeat something that you have opened."),
    _("%(pairs)s pairs for people are not settled."),
    _("Enter a reason of 1 to %(most)s characters; it is recorded in the ledger."),
    _("Enter the source of the answers, in 1 to %(most)s characters."),
    _("This has %(characters)s characters."),
    _("Give a whole number from 1 to %(most)s."),
    _(
        "Pass the practice before you start: decide at least %(mark)s of its pairs correctly at "
        "the first answer."
    ),
    _("This assignment is %(state)s: nothing can be opened or decided in it."),
    _("The file is larger than the limit of %(bytes)s bytes."),
    _("Your own rules make %(comparisons)s comparisons; %(most)s are allowed."),
    _(
        "Dispatches and releases are blocked: this project was changed outside this software."
        " %(found)s An administrator must investigate and acknowledge this first"
        " (mindfirl ledger acknowledge)."
    ),
)

SECOND_SENTENCES: Final = (
    _("Choose its encoding, or save the file as UTF-8."),
    # They follow a sentence with a figure in one text, so ``make messages`` cannot see them.
    _("Choose another role for one of them."),
    _("Choose the same for both."),
    _("Choose the same."),
    _("Give this one another name."),
    _("Choose another name."),
    _("Give the matching column this name."),
    _("Choose the column that has it."),
    _("Give a column there the same name, or do not import this one."),
    _("Enter a smaller κ."),
    _("Choose more workers, or fewer reviews."),
    _("Enter that day or an earlier one."),
    _("Reload the project page."),
    _("Look at the project again."),
    _("Send more pairs to people, or assign them to fewer workers."),
    _("Decide them; use “cannot tell” if necessary."),
    _("Decisions on conflicts need a reason; enter it next to the decision, under Reason."),
    _("Rewrite or remove them; then submit."),
    _("Settle them first, or confirm that they count as not linked."),
    _("If this is a mistake, ask a manager of the project."),
    _(
        "Split it, import it from the command line, or ask the administrator to raise "
        "MINDFIRL_UPLOAD_LIMIT."
    ),
)
