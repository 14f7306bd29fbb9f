"""What all tests share: settings, figures that are reported, and an installation of their own."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from hypothesis import HealthCheck, settings
from pytest_django import Settings

from mindfirl.engine.bands.price_table import draw_reference_pairs
from mindfirl.store.crypto import envelope
from mindfirl.workspace import price_tables
from tests.support.costs import Costs
from tests.support.dice import dice_of, load_dice, throw_for
from tests.support.order import SlowestFirst
from tests.support.parts import ON_POSTGRESQL, PARTS, part_of
from tests.support.postgres import throwaway_postgres
from tests.support.processes import FEW_PAIRS, LITTLE_GUESSING
from tests.support.proof import FULL

Figure = Callable[[str], None]

TESTS = Path(__file__).parent
DATABASE_FIXTURES = {"db", "transactional_db", "own_installation", "template"}
DEPENDS_ON_DATABASE = (
    "runner/test_daily.py",
    "runner/test_terms.py",
    "runner/test_work.py",
    "services/data/test_meanwhile.py",
    "services/dispatch/",
    "services/projects/test_closing.py",
    "services/resolve/",
    "services/review/test_decisions.py",
    "services/review/test_disclosure.py",
    "services/review/test_histories.py",
    "services/review/test_project_total.py",
    "services/review/test_race.py",
    "services/test_jobs.py",
    "services/test_ledger.py",
    "services/test_tampering.py",
    "store/",
    "workspace/",
)
"""What `make test` runs on PostgreSQL as well: locks, races, queries, SQL written by hand. The rest
that uses a database runs there in `make proof`."""

# A busy machine must not fail a test: no deadline. Examples are the same in every run of
# `make test`, and new ones in every run of `make proof`.
settings.register_profile(
    "mindfirl",
    deadline=None,
    database=None,
    derandomize=not FULL,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("mindfirl")


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Report a figure of a proof, in words."""
    return lambda words: request.node.user_properties.append(("figure", words))


@pytest.fixture(autouse=True)
def _quick_passwords(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords and passphrases with little work; a marker asks for all of it."""
    if not request.node.get_closest_marker("real_passwords"):
        for cost, least in {"time_cost": 1, "memory_cost": 64, "parallelism": 1}.items():
            monkeypatch.setattr(Argon2PasswordHasher, cost, least)
        monkeypatch.setattr(envelope, "GUESSING_COST", LITTLE_GUESSING)


@pytest.fixture(autouse=True)
def _few_prices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work out the prices of a version from few pairs; a marker asks for all of them."""
    if not request.node.get_closest_marker("real_prices"):
        few = partial(draw_reference_pairs, most=FEW_PAIRS)
        monkeypatch.setattr(price_tables, "draw_reference_pairs", few)


if not FULL:
    load_dice()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    throw_for(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object],
) -> Generator[None, object, object]:
    """Make what tests share in the same way whichever test comes first."""
    if fixturedef.scope == "function":
        return (yield)
    with dice_of(f"{fixturedef.baseid} {fixturedef.argname}"):
        return (yield)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Give the URL of a PostgreSQL that all tests of a run share."""
    with throwaway_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,  # noqa: ARG001  # one database a process
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Test on a real SQLite file, as an installation has it, not in memory."""
    database = django_settings.DATABASES["default"]
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = tmp_path_factory.mktemp("database") / "mindfirl.sqlite3"


@pytest.fixture
def home(tmp_path: Path, settings: Settings, db: None) -> Path:  # noqa: ARG001  # asked for
    """An installation with an empty database; its data folder is returned."""
    settings.MINDFIRL_HOME = tmp_path / "home"
    settings.MINDFIRL_KEYS = tmp_path / "keys"
    for folder in (settings.MINDFIRL_HOME, settings.MINDFIRL_KEYS):
        folder.mkdir(mode=0o700)
    return tmp_path / "home"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=list(PARTS), help="run one part of `make proof`")
    parser.addoption("--figures", type=Path, help="write the figures to a file, as JSON")
    parser.addoption("--costs", type=Path, help="write the processor time of each test to a file")


def pytest_configure(config: pytest.Config) -> None:
    if path := config.getoption("costs"):
        config.pluginmanager.register(Costs(path))
    if workers := os.environ.get("PYTEST_XDIST_WORKER_COUNT"):
        config.pluginmanager.register(SlowestFirst(TESTS, int(workers)))
    config.addinivalue_line("markers", "proof: runs small in `make test`, large in `make proof`")
    config.addinivalue_line("markers", "full: runs in `make proof` alone")
    config.addinivalue_line("markers", "core: belongs to the core, which is covered completely")
    config.addinivalue_line("markers", "database: runs on SQLite and on PostgreSQL")
    config.addinivalue_line("markers", "later: runs on PostgreSQL in `make proof` alone")
    config.addinivalue_line("markers", "real_passwords: hashes passwords as the product does")
    config.addinivalue_line("markers", "real_prices: works prices out as the product does")
    config.addinivalue_line("markers", "browser: needs Chromium, which `make browser` installs")
    config.addinivalue_line("markers", "spark: needs Spark and Java, which `make spark` installs")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests by their place and fixtures, and select those of a part."""
    for item in items:
        assert isinstance(item, pytest.Function)
        path = item.path.relative_to(TESTS).as_posix()
        if item.get_closest_marker("full"):
            item.add_marker("proof")
        if path.startswith("core/"):
            item.add_marker("core")
        if DATABASE_FIXTURES & set(item.fixturenames):
            item.add_marker("database")
            if not path.startswith(DEPENDS_ON_DATABASE):
                item.add_marker("later")
        if item.get_closest_marker("proof") and part_of(path, postgresql=False) is None:
            raise pytest.UsageError(f"{path} belongs to no part: name it in tests/support/parts.py")
    if part := config.getoption("part"):
        items[:] = [item for item in items if _is_in(item, part)]


def pytest_collection_finish() -> None:
    """Look for unused objects less often, and not among what was imported: a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _is_in(item: pytest.Item, part: str) -> bool:
    postgresql = part.startswith(ON_POSTGRESQL)
    if part_of(item.path.relative_to(TESTS).as_posix(), postgresql=postgresql) != part:
        return False
    marks = {mark.name for mark in item.iter_markers()}
    if postgresql:
        return "database" in marks and bool({"proof", "later"} & marks)
    return "proof" in marks


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    reports = terminalreporter.getreports("passed")
    figures = sorted(
        words for report in reports for name, words in report.user_properties if name == "figure"
    )
    if figures:
        terminalreporter.section("figures")
        for words in figures:
            terminalreporter.line(words)
    if path := config.getoption("figures"):
        path.write_text(json.dumps({"passed": len(reports), "figures": figures}), encoding="utf-8")
