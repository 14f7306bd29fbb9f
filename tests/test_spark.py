"""The Spark and the Java that `make tests` installs work together."""

from __future__ import annotations

import pytest


@pytest.mark.spark
def test_a_local_spark_counts() -> None:
    from pyspark.sql import SparkSession  # noqa: PLC0415  # only where the marker is asked for

    settings = {"spark.ui.enabled": "false", "spark.driver.host": "localhost"}
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    try:
        assert session.range(1_000).count() == 1_000
    finally:
        session.stop()
