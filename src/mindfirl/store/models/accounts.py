"""Accounts, their second factor, their open sessions, and the links that let them in once."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from mindfirl.store.models.stored_rows import StoredRow


class Account(AbstractBaseUser):
    """Somebody who signs in; what they may do in a project, their memberships say."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = models.CharField(max_length=150, unique=True)
    """What is typed to sign in, in small letters: an e-mail address, or any other name."""
    full_name = models.CharField(max_length=150, blank=True)
    is_administrator = models.BooleanField(default=False)
    creates_projects = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    created = models.DateTimeField(auto_now_add=True)
    practised = models.DateTimeField(null=True)
    """When they last finished the practice, or said that they need none."""
    practice_right = models.PositiveSmallIntegerField(null=True)
    practice_pairs = models.PositiveSmallIntegerField(null=True)
    """How many pairs of the practice they last decided rightly, of how many; null if they never
    finished it."""
    practice_finished = models.DateTimeField(null=True)
    """When that was; ``practised`` is later if they skipped it since."""
    single_keys = models.BooleanField(default=True)
    """Whether letters and digits are keys of the review screen."""
    review_keys = models.JSONField(default=dict)
    """The keys of the review screen that are not the usual ones, by what they do."""
    advances = models.BooleanField(default=True)
    """Whether a decision leads to the next undecided pair."""
    asks_above = models.PositiveSmallIntegerField(default=5)
    """The review screen asks before a step that takes more than this percentage of what is left."""

    objects = BaseUserManager["Account"]()

    USERNAME_FIELD = "username"

    def __str__(self) -> str:
        return self.full_name or self.username


class SecondFactor(StoredRow):
    """A secret that an authenticator shares, sealed; it counts once a code of it was given."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, related_name="second_factor")
    sealed_secret = models.BinaryField()
    confirmed = models.DateTimeField(null=True)
    last_step = models.BigIntegerField(default=0)
    """The time step of the last code that was taken: none is taken twice."""


class RecoveryCode(StoredRow):
    """A code that stands in for the second factor once."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    used = models.DateTimeField(null=True)


class AccessLink(StoredRow):
    """A link that lets somebody choose a password once; only its digest is kept."""

    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="links")
    digest = models.CharField(max_length=64, unique=True)
    purpose = models.CharField(max_length=16)
    """Invitation or reset."""
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)


class OpenSession(StoredRow):
    """A browser in which somebody is signed in; without this row its cookie is worth nothing."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="sessions")
    digest = models.CharField(max_length=64, unique=True)
    """Of the session's key."""
    started = models.DateTimeField()
    seen = models.DateTimeField()
    reviewed = models.DateTimeField(null=True)
    """When somebody was last at the pairs of an assignment."""
    away = models.DurationField(default=timedelta)
    """The longest time that nobody was there, since the password was given."""
    second_factor = models.BooleanField(default=False)
    browser = models.CharField(max_length=80, blank=True)
