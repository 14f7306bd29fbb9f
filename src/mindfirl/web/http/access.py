"""Who is let in to a route, decided before its view is called, from the table in ``web.routes``.

A project is looked up among those of the person: one in which they have no role does not exist for
them; nor does an assignment that is not theirs. A view finds who acts in ``request.actor`` and
``request.account``, the project of its route in ``request.project``, and an assignment that is
named without a project, which is somebody's own, in ``request.assignment``. Where nobody was there
for the project's idle time, the password comes before anything of an assignment.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django_htmx.middleware import HtmxDetails

from mindfirl.core import errors
from mindfirl.core.policy import ANYONE, Actor, check_may, may
from mindfirl.services.review.disclosure.opening import assignment_and_roles
from mindfirl.services.review.presence import is_covered, note_presence
from mindfirl.store.models import Account, Assignment, OpenSession, Project
from mindfirl.store.queries.access import actor_for, project_for
from mindfirl.web.http.error_words import words_of
from mindfirl.web.http.middleware import BY_ITSELF
from mindfirl.web.http.pages import error_page


class Request(HttpRequest):
    actor: Actor
    account: Account
    project: Project
    assignment: Assignment
    session_open: OpenSession
    htmx: HtmxDetails


View = Callable[..., HttpResponse]

_UNCOVERS: Final = "review-uncover"
"""The one route to an assignment that is open when its pairs are covered."""


def route(pattern: str, view: View, name: str = "", /, **actions: str) -> URLPattern:
    """Make a route, named after its view, that lets in whoever may do the action of the method."""
    name = name or view.__name__.replace("_", "-")
    return path(pattern, _admit(name, view, actions), name=name)


def _admit(name: str, view: View, actions: dict[str, str]) -> View:

    @wraps(view)
    def admitted(request: Request, **parts: Any) -> HttpResponse:  # noqa: ANN401  # parts of a path
        action = actions.get("GET" if request.method == "HEAD" else request.method or "")
        if action is None:
            return _method_not_allowed(request, list(actions), parts.get("project", ""))
        try:
            _identify(request, parts)
            detour = _detour(request, name, action, comes_back="GET" in actions)
            return view(request, **parts) if detour is None else detour
        except errors.NotAllowed:
            raise PermissionDenied from None
        except errors.NotYours:
            raise Http404 from None
        except (errors.NotOpen, errors.ProjectClosed) as error:
            return _explain(request, error, HTTPStatus.CONFLICT, reload=True)
        except errors.PracticeNeeded as error:
            return _to_own_work(request, error)
        except errors.VaultShredded as error:
            return _explain(request, error, HTTPStatus.GONE)
        except errors.MindfirlError as error:
            return _explain(request, error, HTTPStatus.BAD_REQUEST)

    admitted.route = name  # type: ignore[attr-defined]  # both are read by the table of routes
    admitted.actions = actions  # type: ignore[attr-defined]
    return admitted


def _detour(request: Request, name: str, action: str, *, comes_back: bool) -> HttpResponse | None:
    """Lead somebody to what they have to give first: a name, a second factor, a password again."""
    if request.actor is ANYONE and not may(ANYONE, action):
        return _to_sign_in(request, comes_back=comes_back)
    check_may(request.actor, action)
    project = getattr(request, "project", None)
    if project and project.second_factor and not request.session_open.second_factor:
        return _to_second_factor(request)
    if name != _UNCOVERS and _is_covered(request):
        return _to_cover(request, comes_back=comes_back)
    return None


def _method_not_allowed(request: HttpRequest, allowed: list[str], project: str) -> HttpResponse:
    sentence = _(
        "This address only accepts forms. Open the page again and send the form from there."
    )
    drawn = error_page(request, sentence, HTTPStatus.METHOD_NOT_ALLOWED, project=project)
    return HttpResponseNotAllowed(allowed, drawn.content)


def _identify(request: Request, parts: dict[str, Any]) -> None:
    project: str | None = parts.pop("project", None)
    if not isinstance(request.user, Account):
        request.actor = ANYONE
        return
    request.account, roles = request.user, None
    if project is not None:
        found = project_for(request.account, project)
        if found is None:
            raise Http404
        request.project = found
    elif "assignment" in parts:
        own: UUID = parts.pop("assignment")
        request.assignment, roles = assignment_and_roles(account=request.account, assignment=own)
        request.project = request.assignment.project
    request.actor = actor_for(request.account, getattr(request, "project", None), roles)


def _explain(
    request: Request, error: errors.MindfirlError, status: HTTPStatus, *, reload: bool = False
) -> HttpResponse:
    """Say what went wrong; a page whose parts are all out of date is drawn again."""
    sees = may(request.actor, "see project") and getattr(request, "project", None)
    answer = error_page(request, words_of(error), status, project=sees.name if sees else "")
    if reload and request.htmx:
        messages.warning(request, _not_saved(request).strip())
        answer.headers["HX-Refresh"] = "true"
    return answer


def _to_second_factor(request: Request) -> HttpResponse:
    if not request.htmx:
        sentence = _(
            "%(project)s requires a second factor. Enter your code here, or set up a second factor."
        )
        words = {"project": request.project.title or request.project.name}
        messages.warning(request, sentence % words + _not_saved(request))
    return redirect("second-factor")


def _to_own_work(request: Request, error: errors.PracticeNeeded) -> HttpResponse:
    """Lead somebody to their assignments, where the practice is offered."""
    messages.warning(request, words_of(error))
    if request.htmx:
        address = reverse("assignments")
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": address})
    return redirect("assignments")


def _is_covered(request: Request) -> bool:
    """Say whether nobody was at the pairs for too long; if not, note that somebody is."""
    if not hasattr(request, "assignment"):
        return False
    session, now = request.session_open, timezone.now()
    if is_covered(session=session, project=request.project, now=now):
        return True
    if BY_ITSELF not in request.headers:
        note_presence(session=session, project=request.project, at=now)
    return False


def _to_cover(request: Request, *, comes_back: bool) -> HttpResponse:
    """Ask for the password, and come back to the page, or to the pair of a form."""
    own = [request.assignment.pk]
    there = request.get_full_path()
    if not comes_back:
        pair = {"pair": request.POST["pair"]} if request.POST.get("pair") else {}
        there = f"{reverse('review', args=own)}?{urlencode({**request.GET.dict(), **pair})}"
    if request.method == "POST" and BY_ITSELF not in request.headers:
        messages.warning(request, _not_saved(request).strip())
    address = f"{reverse(_UNCOVERS, args=own)}?{urlencode({'next': there})}"
    if request.htmx:
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": address})
    return redirect(address)


def _not_saved(request: HttpRequest) -> str:
    return "" if request.method == "GET" else " " + _("Your changes were not saved.")


def _to_sign_in(request: HttpRequest, *, comes_back: bool) -> HttpResponse:
    htmx = getattr(request, "htmx", None)
    there = request.get_full_path() if comes_back else "/"
    if htmx:  # what was asked for is a part of the page that is open
        there = htmx.current_url_abs_path or "/"
    if request.method != "GET":
        messages.warning(request, _("You were signed out.") + _not_saved(request))
    address = f"{reverse('sign-in')}?{urlencode({'next': there})}"
    if htmx:
        return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={"HX-Redirect": address})
    return redirect(address)
