# `make demo` and `make test` set up everything they need in .venv, once.
#
# PYTHON=python3.12   interpreter that makes the environment (3.11 or newer)
# JOBS=4              processes that run the tests
# ARGS="..."          more arguments for the tests or the benchmark

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
ARGS ?=

BIN := $(VENV)/bin
READY := $(VENV)/.ready
PEERS := $(VENV)/.peers
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# workers that are done take over tests that others have queued: some take minutes, most milliseconds
PYTEST = OMP_NUM_THREADS=1 $(BIN)/pytest -n $(JOBS) --dist worksteal

DEMO_RUN := runs/demo
DEMO_TRAIN := configs/smoke/schieber-demo.yaml
DEMO_TOURNAMENT := configs/tournaments/demo.yaml

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint pytest soak bench bench-peers clean distclean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: $(READY) ## install bidtrick and its tools in .venv

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bidtrick needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip setuptools wheel
	$(INSTALL) --no-build-isolation --editable '.[dev]'
	@touch $@

$(PEERS): $(READY)
	$(INSTALL) --no-build-isolation --editable '.[peers]'
	@touch $@

demo: $(READY) ## train a small agent, then play a duplicate tournament with it
	rm -rf $(DEMO_RUN)
	$(BIN)/bidtrick train $(DEMO_TRAIN) --run-dir $(DEMO_RUN)
	$(BIN)/bidtrick tournament $(DEMO_TOURNAMENT) --html $(DEMO_RUN)/tournament.html

test: lint pytest ## lint, check types and run the tests: all that CI runs

lint: $(READY) ## ruff, the layers (import-linter) and the types (pyright)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright

pytest: $(READY) ## the tests only
	$(PYTEST) $(ARGS)

soak: $(READY) ## long differential and random-play tests
	$(PYTEST) -m soak $(ARGS)

bench: $(READY) ## decisions per second of each game's engine
	$(BIN)/bidtrick bench $(ARGS)

bench-peers: $(PEERS) ## the same beside other suites, which are installed first
	$(BIN)/bidtrick bench --peers $(ARGS)

clean: ## remove build outputs and caches
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean ## remove the environment too
	rm -rf $(VENV)
