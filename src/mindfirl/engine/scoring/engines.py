"""Where records are compared: in this process by DuckDB, or by Spark. Nothing is kept anywhere.

DuckDB holds everything in memory and may not spill. Spark may, encrypted, into a folder that is
removed with the session. What these libraries and Splink say when something goes wrong quotes SQL
and values; it is neither logged nor shown.
"""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

import pyarrow as pa

from mindfirl.core.errors import EngineFailed, EngineMissing, MemoryExhausted

Api = Any
"""Splink's access to a database. Its types differ from engine to engine."""

Frame = Any


class Engine(Protocol):
    @property
    def name(self) -> str:
        """Its name, as in the model and on the command line."""

    def opened(self) -> AbstractContextManager[Api]:
        """Open a session; all that was made in it is gone when it is left."""

    def fetch(self, frame: Frame, columns: Sequence[str]) -> pa.Table:
        """Return some columns of a table."""


@dataclass(frozen=True, slots=True)
class DuckDBEngine:
    """DuckDB in this process; by default with all threads and four fifths of the memory."""

    memory_limit: str | None = None
    threads: int | None = None
    name: str = "duckdb"

    @contextmanager
    def opened(self) -> Iterator[Api]:
        """Open a database in memory that cannot spill to the disk."""
        import duckdb  # noqa: PLC0415  # heavy, and seldom needed
        from splink import DuckDBAPI  # noqa: PLC0415  # the same
        from splink.internals.exceptions import SplinkException  # noqa: PLC0415  # the same

        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": "",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "preserve_insertion_order": "false",
        }
        if self.memory_limit:
            settings["memory_limit"] = self.memory_limit
        if self.threads:
            settings["threads"] = self.threads
        limit = self.memory_limit or "this machine's memory"
        with _silence():
            try:
                with duckdb.connect(":memory:", config=settings) as connection:
                    connection.execute("SET enable_progress_bar = false")
                    found = connection.execute("SELECT current_setting('memory_limit')").fetchone()
                    limit = found[0] if found else limit
                    yield DuckDBAPI(connection)
            except (duckdb.Error, SplinkException) as error:
                if _is_out_of_memory(error):
                    raise MemoryExhausted(limit) from None
                raise EngineFailed(self.name) from None

    def fetch(self, frame: Frame, columns: Sequence[str]) -> pa.Table:
        return frame.as_duckdbpyrelation().select(*columns).to_arrow_table()


_SPARK: Final = {
    "spark.app.name": "mindfirl",
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.io.encryption.enabled": "true",
    "spark.eventLog.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "16",
}
"""What a session is asked for: all that it sends or writes encrypted, and no more said or kept."""


@dataclass(frozen=True, slots=True)
class SparkEngine:
    master: str = "local[2]"
    name: str = "spark"

    @contextmanager
    def opened(self) -> Iterator[Api]:
        """Start Spark with all that it writes encrypted; end it, and remove what it wrote."""
        try:
            from py4j.protocol import Py4JError  # noqa: PLC0415  # an extra that may be absent
            from pyspark.errors import PySparkException  # noqa: PLC0415  # an extra
            from splink.internals.exceptions import SplinkException  # noqa: PLC0415  # the same
            from splink.internals.spark.database_api import SparkAPI  # noqa: PLC0415  # needs it
        except ImportError:
            raise EngineMissing("Spark", "pip install 'mindfirl[spark]'") from None
        with _silence(), TemporaryDirectory(prefix="mindfirl-spark-") as folder:
            try:
                with _spark(self.master, Path(folder)) as spark:
                    yield SparkAPI(  # type: ignore[no-untyped-call]  # Splink does not annotate it
                        spark_session=spark,
                        break_lineage_method="persist",
                        register_udfs_automatically=False,
                    )
            except (Py4JError, PySparkException, SplinkException):
                raise EngineFailed(self.name) from None

    def fetch(self, frame: Frame, columns: Sequence[str]) -> pa.Table:
        return frame.as_spark_dataframe().select(*columns).toArrow()


@contextmanager
def _spark(master: str, folder: Path) -> Iterator[Any]:
    """Start a session of Spark; end its Java process with it, since that holds values."""
    from pyspark import SparkContext  # noqa: PLC0415  # an extra
    from pyspark.sql import SparkSession  # noqa: PLC0415  # an extra

    settings = _SPARK | {
        "spark.master": master,
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder}",
    }
    if master.startswith("local"):
        # Else the workers are whatever python3 comes first in the PATH, of whatever version.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    for key, value in settings.items():
        builder = builder.config(key, value)
    with _stderr_away():  # the Java process inherits it, and has no other place to write to
        spark = builder.getOrCreate()
    gateway = SparkContext._gateway  # noqa: SLF001  # there is no public way to end the process
    try:
        yield spark
    finally:
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001  # else it is used again


@contextmanager
def _stderr_away() -> Iterator[None]:
    """Send what processes that start now write to stderr nowhere."""
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Look for the want of memory behind an error that Splink has wrapped."""
    import duckdb  # noqa: PLC0415  # heavy, and seldom needed

    while error is not None and not isinstance(error, duckdb.OutOfMemoryException):
        error = error.__cause__
    return error is not None


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Splink from logging and warning: it quotes SQL, and advises its own users, not ours."""
    logger = logging.getLogger("splink")
    disabled = logger.level, logger.propagate
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.level, logger.propagate = disabled
