"""What budgets buy: a forecast, made as long work, on the page of people and budgets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.policy import may
from mindfirl.engine.charts import Theme
from mindfirl.services.plan import forecasts
from mindfirl.services.plan.plans import plan_of
from mindfirl.store.models import Forecast, Job
from mindfirl.store.queries.plans import figures_of, scoring_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.long_work import enqueue, is_under_way, job_for
from mindfirl.web.page.steps import to_page
from mindfirl.web.plan.forecast_page import ForecastWords, forecast_words, loss_of, marked

_KIND: Final = "plan forecast"


def plan_forecast(request: Request) -> HttpResponse:
    if request.method == "POST":
        if scoring_of(request.project) is None:
            wrong = _("No pairs yet. Find pairs first; then create a forecast.")
            return to_page(request, "plan", wrong=wrong)
        enqueue(request, _KIND)
        return redirect(f"{reverse('plan', args=[request.project.name])}#forecast")
    if not request.htmx:
        asked = urlencode({"loss": request.GET.get("loss", "")})
        return redirect(f"{reverse('plan', args=[request.project.name])}?{asked}#forecast")
    if scoring_of(request.project) is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    manages = may(request.actor, "change project")
    part = forecast_part(request)
    return page(request, "plan/forecast.html", part, manages=manages, step="plan")


def plan_forecast_chart(request: Request) -> HttpResponse:
    found = forecasts.newest(project=request.project, actor=request.actor)
    if found is None:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    theme: Theme = "dark" if request.GET.get("theme") == "dark" else "light"
    svg = _svg(found.pk, theme, loss_of(request.GET.get("loss", "")))
    return HttpResponse(svg, content_type="image/svg+xml")


@dataclass(frozen=True, slots=True)
class ForecastCard:
    forecast: ForecastWords | None
    job: Job | None
    going: bool
    plans: bool


def forecast_part(request: Request) -> ForecastCard:
    found = forecasts.newest(project=request.project, actor=request.actor)
    plan, _revision = plan_of(project=request.project, actor=request.actor)
    job = _job(request, found)
    points = request.GET.get("loss", "")
    return ForecastCard(
        forecast=forecast_words(found, plan, points=points) if found else None,
        job=job,
        going=is_under_way(job),
        plans=may(request.actor, "plan"),
    )


def _job(request: Request, found: Forecast | None) -> Job | None:
    """Return the work on a forecast that goes on, or how it failed if nothing came of it since."""
    job = job_for(request.project, _KIND)
    if job is None or job.kind != _KIND:
        return None
    over = job.state == "done" or (found is not None and job.created < found.created)
    return None if not is_under_way(job) and over else job


@lru_cache(maxsize=16)
def _svg(forecast: int, theme: Theme, loss: float) -> str:
    """Draw a forecast, which never changes once it is there."""
    from mindfirl.engine.charts.frontier_chart import frontier_chart  # noqa: PLC0415  # heavy, and seldom needed

    figures = figures_of(Forecast.objects.get(pk=forecast))
    return frontier_chart(figures.band, theme, chosen=marked(figures, loss)).svg
