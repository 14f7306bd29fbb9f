"""A session of several people at traced pairs; every answer is held against the ledger."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from django.test import Client

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.projects import create_project
from mindfirl.store.models import Account, Assignment, LedgerLine
from tests.support.alphabet import ATTRIBUTES, SCHEMA, World, code_points, make_world
from tests.support.cast import Answer, signed_in, text
from tests.support.drawn import cells_of, fault_of, pairs_of
from tests.support.given_out import given_pairs, written_order
from tests.support.reviews import BANDS, Study, account
from tests.support.told import Told

PLANS: Final[tuple[dict[str, Any], ...]] = (
    {"budget": "100"},
    {
        "budget": "100",
        "starting": {"first": "partial", "last": "partial", "born": "partial", "town": "full"},
        "date_swaps": "fields",
    },
    {"budget": "30", "prices": "banded"},
    {"budget": "100", "accounting": "strict", "frequency_bands": True},
    {"budget": "100", "kappa": 2, "starting": {"last": "full", "number": "partial"}},
    {"budget": "3"},
)
"""Of each dispatch: prices, accounting and display differ, and so does how soon it is refused."""

PAIRS: Final = 12
"""This many are given out by each."""

HTMX: Final = {"HX-Request": "true"}


@dataclass
class Viewer:
    """Somebody in front of a browser, and every code point that it was ever sent."""

    account: Account | None
    client: Client
    received: set[str] = field(default_factory=set)
    pages: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The pairs as they were drawn so far, by their tokens, the newest last."""
    last: str = "/"

    @property
    def name(self) -> str:
        return str(self.account.pk) if self.account else ""

    def sign_in(self) -> None:
        assert self.account
        self.client = signed_in(self.account)
        self.client.raise_request_exception = False


@dataclass
class Session:
    """A long session of several people, and all that is checked after every answer."""

    study: Study
    told: Told
    dice: random.Random
    viewers: list[Viewer]
    assignments: list[Assignment]
    answers: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    cells: int = 0

    @property
    def workers(self) -> list[Viewer]:
        return [viewer for viewer in self.viewers if viewer.account in self.study.workers]

    def ask(
        self,
        viewer: Viewer,
        address: str,
        typed: dict[str, str] | None = None,
        *,
        method: str = "",
        plainly: bool = False,
    ) -> Answer:
        """Send what a browser would send, and check what comes back."""
        headers = {} if plainly or typed is None else HTMX
        if method:
            answer = viewer.client.generic(method, address, headers=headers)
        elif typed is None:
            answer = viewer.client.get(address)
        else:
            answer = viewer.client.post(address, typed, headers=headers)
        self.check(viewer, answer)
        return answer

    def check(self, viewer: Viewer, answer: Answer) -> None:
        """Hold an answer, all of it, against the ledger."""
        self.answers += 1
        self.statuses[answer.status_code] += 1
        self.told.hear(_lines(self.study, self.told.entries))
        page = text(answer)
        pairs, rest = pairs_of(page)
        around = f"{rest}\n{answer.headers}\n{answer.cookies}"
        assert not code_points(around), "code points stand where no cell is"
        assert "<bdi>" not in rest
        made_up = answer.request["PATH_INFO"].startswith(("/practice", "/help/score"))
        assert not made_up or not code_points(page), "a person is among the made-up ones"
        for token, pair in () if made_up else pairs.items():
            assert self.told.owner(token) == viewer.name, "a pair of somebody else is drawn"
            self._check_pair(viewer, token, pair)
        assert code_points(page) <= viewer.received
        assert viewer.received <= self.told.open_to[viewer.name]

    def _check_pair(self, viewer: Viewer, token: str, pair: str) -> None:
        cells, outside = cells_of(pair)
        assert not outside, f"{len(outside)} code points stand beside the cells of a pair"
        wanted = self.told.shown(token)
        faults = [fault_of(*each) for each in zip(cells, ATTRIBUTES, wanted, strict=True)]
        assert not any(faults), faults
        self.cells += len(cells)
        viewer.received.update(*(cell.inside for cell in cells))
        known = viewer.pages[token]
        if not known or known[-1] != pair:
            known.append(pair)


def _lines(study: Study, after: int) -> list[str]:
    found = LedgerLine.objects.filter(project=study.project, number__gt=after).order_by("number")
    return list(found.values_list("line", flat=True))


def make_session(folder: Path, seed: int) -> Session:
    """Import traced people, and give their pairs out, twice each, under all kinds of plans."""
    world = make_world(seed, people=60, strangers=20)
    study = _study(folder, world, f"study-{seed}")
    for plan in PLANS:
        study.plan(most_pairs=PAIRS, **plan)
        study.dispatched()
    everybody = (*study.workers, study.manager, study.auditor, account(f"stranger-{seed}"))
    relief = account(f"relief-{seed}", project=study.project, role="worker")
    viewers = [Viewer(each, Client()) for each in (*everybody, relief)]
    for viewer in viewers:
        viewer.sign_in()
    session = Session(
        study,
        Told(world, partial(given_pairs, order=written_order(study.project, world.people))),
        random.Random(seed),
        [*viewers, Viewer(None, Client(raise_request_exception=False))],
        list(Assignment.objects.filter(project=study.project)),
    )
    session.told.hear(_lines(study, 0))
    return session


def _study(folder: Path, world: World, name: str) -> Study:
    paths = world.write(folder)
    manager = account(f"{name}-manager")
    project = create_project(name=name, actor=COMMAND_LINE, account=manager, synthetic=True)
    sources = {each: open_table(str(path)) for each, path in paths.items()}
    import_databases(project=project, sources=sources, schema=parse_schema(SCHEMA, "schema.toml"))
    bring_pairs(project=project, path=folder / "pairs.csv", mode=None, progress=no_progress)
    set_bands(project=project, bands=BANDS)
    auditor = account(f"{name}-auditor", project=project, role="auditor")
    names = [f"{name}-worker{number}" for number in range(3)]
    workers = tuple(account(each, project=project, role="worker") for each in names)
    return Study(project, folder, manager, auditor, workers)
