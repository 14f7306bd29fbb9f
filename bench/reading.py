"""A child of the benchmark of imports: let DuckDB read files into tables, and say how long."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import duckdb

from peak import peak

connection = duckdb.connect()
start = time.perf_counter()
for path in map(Path, sys.argv[1:]):
    connection.execute(f"CREATE TABLE {path.stem} AS SELECT * FROM read_csv('{path}')")
seconds = time.perf_counter() - start
json.dump({"seconds": seconds, "peak": peak()}, sys.stdout)
