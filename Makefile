# make demo | test | up | check | lint
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
KB := $(BIN)/kb

TESTS := kb_pipeline_tests
FAST := $(addprefix $(TESTS)/,test_architecture.py test_settings.py engine tables text storage formats deepdoc/assembly \
  index/test_locators.py query/test_places.py query/test_quotes.py evaluation) --ignore $(TESTS)/storage/test_s3.py \
  --ignore $(TESTS)/deepdoc/assembly/test_sum.py

.PHONY: demo test up check static lint clean models

demo: $(VENV)/.models
	$(KB) demo

up: $(VENV)/.models
	$(KB) up

test: $(VENV)/.all-models static
	$(BIN)/python -m pytest

# before each commit: what needs no model, no server and no Dagster run
check: static
	$(BIN)/python -m pytest -n 2 $(FAST)

static: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright --pythonpath $(BIN)/python

lint: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

models: $(VENV)/.models

$(VENV)/.runtime: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "needs Python 3.11 or newer with venv (Debian: apt-get install python3-venv)"; exit 3; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(PIP) install --constraint constraints.txt --editable '.[dev]'
	touch $@

$(VENV)/.models: $(VENV)/.runtime deepdoc_models/manifest.toml
	$(KB) models fetch
	touch $@

# the tests read with the small and with the tiny nets
$(VENV)/.all-models: $(VENV)/.models
	$(KB) models fetch --set fast
	touch $@

clean:
	rm -rf $(VENV) .kb
