"""Projects, who is in them, their versions, databases and files; uploads and long work."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models

from mindfirl.store.models.accounts import Account
from mindfirl.store.models.stored_rows import StoredRow


class Project(models.Model):
    """A linkage task, known by its name."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=80, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    identity_key = models.CharField(max_length=32)
    sensitive_key = models.CharField(max_length=32)
    """Which keys of the key folder are in use: their names, not the keys. The second one is made
    with the first import, by a process that may have it."""
    digest_key = models.BinaryField(default=bytes)
    """The key of the digests in its ledger, sealed under the identity key."""
    title = models.CharField(max_length=120, blank=True)
    purpose = models.TextField(blank=True)
    legal_basis = models.TextField(blank=True)
    approval = models.CharField(max_length=120, blank=True)
    ends = models.DateField(null=True)
    managers_may_review = models.BooleanField(default=False)
    second_person = models.BooleanField(default=False)
    """Whether somebody else must confirm a proposed dispatch, or an accepted finding."""
    second_factor = models.BooleanField(default=False)
    """Whether everybody needs a second factor here."""
    idle_minutes = models.PositiveSmallIntegerField(default=5)
    """How long nobody may be at the pairs of an assignment before they are covered."""
    synthetic = models.BooleanField(default=False)
    """Whether its people do not exist: declared at its creation, and said on every page."""
    fewest_records = models.PositiveIntegerField(default=50)
    """A database of fewer records is imported only after a second person has confirmed it."""
    least_persons = models.PositiveIntegerField(default=10)
    """The fewest persons that a release may have, and by which two releases may differ."""
    stable_numbers = models.BooleanField(default=False)
    """Whether a person has one number in all its releases; fixed from the first release on."""
    pass_mark = models.PositiveSmallIntegerField(default=0)
    """How many pairs of the practice workers decide rightly before they begin; 0 asks for none."""
    archived = models.BooleanField(default=False)
    """Whether it is left out of the list of projects; nothing else hangs on it."""
    closed = models.DateTimeField(null=True)
    """When it was closed for good."""
    shredded = models.DateTimeField(null=True)
    """When the keys of its vault were destroyed."""
    revision = models.PositiveIntegerField(default=0)
    """Counts the changes of the fields above, so that one who works on an older page is told."""

    def __str__(self) -> str:
        return self.name


class Membership(StoredRow):
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    account = models.ForeignKey(Account, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "account", "role"], name="one_role_once")
        ]


class SealedFile(StoredRow):
    """A file of the vault: its digest, and its own key, sealed under one of the project's."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="files")
    kind = models.CharField(max_length=16)
    name = models.UUIDField(unique=True)
    digest = models.CharField(max_length=64)
    size = models.BigIntegerField()
    key = models.CharField(max_length=32)
    sealed_key = models.BinaryField()


class Database(models.Model):
    """One database as it was imported; never changed afterwards."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="databases")
    name = models.CharField(max_length=80)
    imported = models.DateTimeField(auto_now_add=True)
    records = models.BigIntegerField()
    without_duplicates = models.BooleanField()
    report = models.JSONField()
    identity = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    sensitive = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    joining = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return self.name


class Version(models.Model):
    """All databases of a project at one time, with their schema and population index."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)
    schema = models.TextField()
    records = models.BigIntegerField()
    index = models.OneToOneField(SealedFile, on_delete=models.PROTECT, related_name="+")
    index_digest = models.CharField(max_length=64)
    prices = models.OneToOneField(SealedFile, on_delete=models.PROTECT, null=True, related_name="+")
    """What openings cost on average: drawn with the first pairs of the version, then fixed."""
    lineage = models.OneToOneField(
        SealedFile, on_delete=models.PROTECT, null=True, related_name="+"
    )
    """Where each record stood in earlier versions, and what changed; nothing for a first import."""
    frozen = models.OneToOneField(SealedFile, on_delete=models.PROTECT, null=True, related_name="+")
    """What was shown of its records, once its index is deleted; nothing while that is there."""
    databases = models.ManyToManyField(Database, through="Member", related_name="versions")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["project", "number"], name="one_version_a_number")
        ]

    def __str__(self) -> str:
        return f"version {self.number}"

    @property
    def required_prices(self) -> SealedFile:
        assert self.prices is not None, "a version with pairs has its price table"
        return self.prices


class Member(StoredRow):
    """A database in a version: its records begin at ``first`` among all."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="members")
    database = models.ForeignKey(Database, on_delete=models.PROTECT, related_name="members")
    first = models.BigIntegerField()

    class Meta:
        ordering: ClassVar = ["first"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["version", "database"], name="one_database_a_version")
        ]


class Upload(StoredRow):
    """A file that was sealed while it streamed in; only the runner can read it back."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="uploads")
    by = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, related_name="+")
    received = models.DateTimeField(auto_now_add=True)
    purpose = models.CharField(max_length=16, default="database")
    """A database to import, scored pairs, or known answers."""
    database = models.CharField(max_length=80, blank=True)
    """What the database is to be called."""
    file_name = models.CharField(max_length=255)
    size = models.BigIntegerField()
    digest = models.CharField(max_length=64)
    sealed_key = models.BinaryField()
    encoding = models.CharField(max_length=16, blank=True)
    delimiter = models.CharField(max_length=16, blank=True)
    sheet = models.CharField(max_length=80, blank=True)
    """How it is to be read, where somebody said so."""
    reading = models.JSONField(default=dict)
    """How it was read when its columns were analysed, and the sheets that it has; never a value."""
    confirmed_by = models.ForeignKey(
        Account, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    """Who has confirmed it, where it could be made of guesses about a few people."""
    resembles = models.CharField(max_length=80, blank=True)
    """The database that it seems to be a new version of, under another name, until that is said."""
    is_another = models.BooleanField(default=False)
    """Whether somebody said that it is another database, whatever it resembles."""


class ColumnsDraft(StoredRow):
    """What the columns of the uploaded files look like, and the schema as it stands."""

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="columns_draft")
    revision = models.PositiveIntegerField(default=0)
    """Counts the changes, so that one who works on an older page is told."""
    profile = models.JSONField(default=list)
    """Shapes, fill and counts of every column, never a value."""
    schema = models.TextField(blank=True)
    preview = models.JSONField(default=dict)
    """What a new version would change, as coarse as it is told; nothing where none is replaced."""
    unreadable = models.JSONField(default=list)
    """The columns that an import could hardly read, and stopped for."""
    changed = models.DateTimeField(auto_now=True)


class Job(StoredRow):
    """A piece of long work on a project, done by the runner in a process of its own."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=16)
    parameters = models.JSONField(default=dict)
    by = models.ForeignKey(Account, on_delete=models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=16, default="waiting")
    """Waiting, running, done, failed or cancelled."""
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True)
    heartbeat = models.DateTimeField(null=True)
    ended = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    cancelling = models.BooleanField(default=False)
    stage = models.CharField(max_length=120, blank=True)
    done = models.BigIntegerField(default=0)
    steps = models.BigIntegerField(default=0)
    seconds_left = models.PositiveIntegerField(null=True)
    error = models.CharField(max_length=40, blank=True)
    """The name of our own error, never the words of another library."""
    sentence = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["project"],
                condition=models.Q(state__in=["waiting", "running"]),
                name="one_job_a_project",
            )
        ]
