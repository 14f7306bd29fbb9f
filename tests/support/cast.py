"""The cast of tests about pages: people with roles, and browsers in which they are signed in."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import uuid4

from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import Role
from mindfirl.store.models import Account, Membership, OpenSession, Project

Answer = Any
"""What the client of tests answers: it has more than a response, and no public type."""


def text(answer: Answer) -> str:
    """Return the page that was answered, or the file that came piece by piece."""
    content: bytes = answer.getvalue()
    return content.decode()


def person(name: str = "", *, administrator: bool = False, creator: bool = False) -> Account:
    """Somebody with an account."""
    return Account.objects.create(
        username=name or f"person-{uuid4().hex[:8]}",
        is_administrator=administrator,
        creates_projects=creator,
    )


def member(project: Project, role: Role, name: str = "") -> Account:
    """Somebody with a role in a project."""
    account = person(name)
    Membership.objects.create(project=project, account=account, role=role)
    return account


def signed_in(account: Account, *, second_factor: bool = False) -> Client:
    """A browser in which somebody is signed in."""
    client = Client()
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    key = client.session.session_key or ""
    OpenSession.objects.create(
        account=account,
        digest=hashlib.sha256(key.encode()).hexdigest(),
        started=timezone.now(),
        seen=timezone.now(),
        second_factor=second_factor,
    )
    return client
