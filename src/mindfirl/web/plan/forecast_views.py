"""What budgets buy: a forecast, made as long work, on the page of people and budgets."""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.errors import Busy
from mindfirl.core.policy import may
from mindfirl.engine.charts.theme import Theme
from mindfirl.services import jobs
from mindfirl.services.plan import forecasts
from mindfirl.services.plan.plans import plan_of
from mindfirl.store.models import Forecast, Job
from mindfirl.store.queries.forecasts import figures_of
from mindfirl.store.queries.pairs import scoring_of
from mindfirl.web.http.access import Request
from mindfirl.web.page.long_work import job_for
from mindfirl.web.plan.forecast_page import drawn, loss_of, marked

_KIND: Final = "plan forecast"
_GOING_ON: Final = ("waiting", "running")


def forecast(request: Request) -> HttpResponse:
    """Show the forecast alone, with another loss; or let one be made."""
    if request.method == "POST":
        return _made(request)
    if not request.htmx:
        asked = urlencode({"loss": request.GET.get("loss", "")})
        return redirect(f"{reverse('plan', args=[request.project.name])}?{asked}#forecast")
    if scoring_of(request.project) is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    return render(request, "plan/forecast.html", block(request))


def forecast_chart(request: Request) -> HttpResponse:
    """Draw the frontier in one of the two themes."""
    found = forecasts.newest(project=request.project, actor=request.actor)
    if found is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    theme: Theme = "dark" if request.GET.get("theme") == "dark" else "light"
    svg = _svg(found.pk, theme, loss_of(request.GET.get("loss", "")))
    return HttpResponse(svg, content_type="image/svg+xml")


def block(request: Request) -> dict[str, Any]:
    """Describe the forecast of a project, or that there is none, and work on one."""
    found = forecasts.newest(project=request.project, actor=request.actor)
    plan, _revision = plan_of(project=request.project, actor=request.actor)
    job = _job(request, found)
    return {
        "forecast": found and drawn(found, plan, points=request.GET.get("loss", "")),
        "job": job,
        "going": job is not None and job.state in _GOING_ON,
        "plans": may(request.actor, "plan"),
        "manages": may(request.actor, "change project"),
        "step": "plan",
    }


def _made(request: Request) -> HttpResponse:
    """Let a forecast be made."""
    if scoring_of(request.project) is None:
        messages.error(request, _("The pairs come first: a forecast is about them."))
        return redirect("plan", request.project.name)
    about: dict[str, Any] = {"project": request.project, "actor": request.actor}
    try:
        jobs.enqueue(kind=_KIND, parameters={}, account=request.account, **about)
    except Busy as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('plan', args=[request.project.name])}#forecast")


def _job(request: Request, found: Forecast | None) -> Job | None:
    """Return the work on a forecast that goes on, or how it failed if nothing came of it since."""
    job = job_for(request.project, _KIND)
    if job is None or job.kind != _KIND:
        return None
    over = job.state == "done" or (found is not None and job.created < found.created)
    return None if job.state not in _GOING_ON and over else job


@lru_cache(maxsize=16)
def _svg(forecast: int, theme: Theme, loss: float) -> str:
    """Draw a forecast, which never changes once it is there."""
    from mindfirl.engine.charts import frontier_chart  # noqa: PLC0415  # heavy, and seldom needed

    band = figures_of(Forecast.objects.get(pk=forecast)).band
    return frontier_chart(band, theme, chosen=marked(band, loss)).svg
