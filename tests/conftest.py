"""What all tests share: figures that proofs print, and an installation of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from pytest_django import Settings

from tests.support.postgres import throwaway_postgres

Figure = Callable[[str], None]

TESTS = Path(__file__).parent
LATER = (
    "cli/test_import.py",
    "cli/test_serve.py",
    "cli/test_simulated.py",
    "runner/test_loop.py",
    "services/test_backups.py",
    "services/test_candidates.py",
    "services/test_columns.py",
    "services/test_commenting.py",
    "services/test_crashes.py",
    "services/test_estimates.py",
    "services/test_export_cuts.py",
    "services/test_faults.py",
    "services/test_febrl.py",
    "services/test_practice.py",
    "services/test_presence.py",
    "services/test_shredding.py",
    "services/test_together.py",
    "services/test_uploads.py",
    "services/test_watched.py",
    "store/test_uploads.py",
    "web/",
)
"""What takes long and hardly depends on the kind of database: `make test` runs it on SQLite."""


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Report a figure of a proof, in words."""
    return lambda words: request.node.user_properties.append(("figure", words))


@pytest.fixture(autouse=True)
def _quick_passwords(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with little work; a test can ask for all of it by a marker."""
    if not request.node.get_closest_marker("real_passwords"):
        for cost, least in {"time_cost": 1, "memory_cost": 64, "parallelism": 1}.items():
            monkeypatch.setattr(Argon2PasswordHasher, cost, least)


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


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "proof: a proof that `make proof` runs at full size")
    config.addinivalue_line("markers", "full: a proof that `make proof` alone runs")
    config.addinivalue_line("markers", "database: runs on SQLite and on PostgreSQL")
    config.addinivalue_line("markers", "later: runs on PostgreSQL in `make proof` alone")
    config.addinivalue_line("markers", "real_passwords: hashes passwords as the product does")
    config.addinivalue_line("markers", "browser: needs Chromium, which `make tests` installs")
    config.addinivalue_line("markers", "spark: needs Spark and Java, which `make tests` installs")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what touches the database, so that it also runs on PostgreSQL."""
    for item in items:
        assert isinstance(item, pytest.Function)
        if item.get_closest_marker("full"):
            item.add_marker(pytest.mark.proof)
        if {"db", "transactional_db", "own_installation", "template"} & set(item.fixturenames):
            item.add_marker(pytest.mark.database)
            if item.path.relative_to(TESTS).as_posix().startswith(LATER):
                item.add_marker(pytest.mark.later)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = terminalreporter.getreports("passed")
    figures = [
        words for report in reports for name, words in report.user_properties if name == "figure"
    ]
    if figures:
        terminalreporter.section("figures")
        for words in sorted(figures):
            terminalreporter.line(words)
