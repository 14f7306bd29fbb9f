"""What surrounds the cells of a pair and changes with an opening: its forms and the meters.

It is written by hand like the cells, since every opening draws it; the page uses the same as tags.
"""

from __future__ import annotations

from typing import Final

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.template import Context
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from mindfirl.core.review.shown_pair import Meters
from mindfirl.web.page.figures import along, percent_or_none, script_share, share_of
from mindfirl.web.review.cell_html import StepButton, filled, joined
from mindfirl.web.review.pair_page import Pair

register: Final = template.Library()
_OUT_OF_BAND: Final = SafeString(' hx-swap-oob="true"')
_NOTHING: Final = SafeString()


@register.simple_tag(takes_context=True)
def opening_form(context: Context, pair: Pair) -> SafeString:
    """Draw the form that the buttons of all cells of a pair belong to."""
    csrf = str(context["csrf_token"])
    return opening_form_html(pair, context["to"].open, context["query"], csrf, swap=_NOTHING)


@register.simple_tag(takes_context=True)
def row_form(context: Context, pair: Pair) -> SafeString:
    """Draw the form of the steps of a whole pair."""
    csrf = str(context["csrf_token"])
    return row_form_html(pair, context["to"].open_row, context["query"], csrf, swap=_NOTHING)


@register.simple_tag
def gauges(meters: Meters) -> SafeString:
    """Draw the meters: the budget and the characters shown."""
    shown = share_of(meters.shown, meters.characters)
    spent = along(meters.spent)
    said = _("<b>%(share)s</b> of %(number)s") % {
        "share": percent_or_none(shown),
        "number": intcomma(meters.characters),
    }
    return filled(
        _GAUGES,
        *(_("Privacy budget"), spent, spent, percent_or_none(float(meters.spent)), _("used")),
        *(_("Characters shown"), along(shown), SafeString(said)),
    )


_GAUGES: Final = """
<div class="gauge"><span>{}</span>
<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><defs>\
<pattern id="hatch" width="2" height="6" patternUnits="userSpaceOnUse" \
patternTransform="skewX(-30)"><rect class="fill" width="1" height="6"/></pattern></defs>\
<rect class="fill" x="0" y="0" width="{}" height="6"/>\
<rect class="ahead" x="{}" y="0" width="0" height="6" fill="url(#hatch)"/></svg>
<span><b>{}</b> {}<span class="ahead-words"></span></span></div>
<div class="gauge"><span>{}</span>
<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">\
<rect class="fill" x="0" y="0" width="{}" height="6"/></svg>
<span>{}</span></div>"""


def opened_html(
    pair: Pair, meters: Meters, *, addresses: tuple[str, str], query: str, csrf: str
) -> SafeString:
    """Draw what an opening changes of a pair, to take the place of what is on the page."""
    opens, opens_row = addresses
    return filled(
        "<template>{}</template>\n<template>{}</template>\n<template>{}</template>\n"
        '<template><div class="gauges" id="meters" hx-swap-oob="true" data-spent="{}">{}</div>'
        "</template>\n",
        pair.changed_cells,
        opening_form_html(pair, opens, query, csrf, swap=_OUT_OF_BAND),
        row_form_html(pair, opens_row, query, csrf, swap=_OUT_OF_BAND),
        script_share(meters.spent),
        gauges(meters),
    )


def notice_html(pair: Pair, meters: Meters, wrong: str) -> SafeString:
    """Draw what is said of an opening: to everybody if it was refused, else to who listens."""
    share = percent_or_none(float(meters.spent))
    opened = f"{_('Opened.')} {_('%(share)s of your budget used.') % {'share': share}}"
    warning = filled('<p class="message warning">{}</p>', wrong) if wrong else _NOTHING
    return filled(
        '<template><div class="told" id="told-{}" hx-swap-oob="true"{}>{}</div></template>\n'
        '<template><p class="unseen" id="notice" role="status" hx-swap-oob="innerHTML">{}{}</p>'
        "</template>\n",
        *(pair.token, _NOTHING if wrong else SafeString(" hidden"), warning),
        *(wrong or opened, f" {pair.advice}" if pair.advice else ""),
    )


def opening_form_html(
    pair: Pair, address: str, query: str, csrf: str, *, swap: SafeString
) -> SafeString:
    return filled(
        '<form class="opens" id="open-{}"{} method="post" action="{}?{}">{}</form>',
        *(pair.token, swap, address, query, _hidden(pair, csrf)),
    )


def row_form_html(
    pair: Pair, address: str, query: str, csrf: str, *, swap: SafeString
) -> SafeString:
    buttons = joined(_row_button(pair, place, step) for place, step in enumerate(pair.steps, 1))
    advice = pair.advice if pair.unsuggested else ""
    return filled(
        '<form class="whole" id="whole-{}"{} method="post" action="{}?{}">{}{}{}</form>',
        *(pair.token, swap, address, query),
        _hidden(pair, csrf) if pair.steps else _NOTHING,
        buttons,
        filled('<span class="soft unsuggested">{}</span>', advice) if advice else _NOTHING,
    )


def _hidden(pair: Pair, csrf: str) -> SafeString:
    return filled(
        '<input type="hidden" name="csrfmiddlewaretoken" value="{}">'
        '<input type="hidden" name="pair" value="{}"><input type="hidden" name="seen" value="{}">',
        *(csrf, pair.token, pair.state),
    )


def _row_button(pair: Pair, place: int, step: StepButton) -> SafeString:
    return filled(
        '<button class="quiet" id="row-{}-{}" name="level" value="{}" data-takes="{}"'
        ' data-short="{}" data-says="{}."{} data-key="{}"><span class="unseen">{}</span>'
        '<span aria-hidden="true">{}</span><kbd aria-hidden="true">{}</kbd>'
        ' <span class="price{}">{}<span class="unseen"> {}</span></span></button>',
        *(place, pair.token, step.value, step.share, step.short, step.says),
        SafeString(" data-ask") if step.value == "full" else _NOTHING,
        *(step.key, step.label, step.brief, step.key),
        _NOTHING if step.affordable else " much",
        *(step.short, _("of your budget")),
    )
