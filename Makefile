# Every target depends on `venv`; all of them work from a clean clone with Python 3.11+, git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CHECKOUT := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e ./clients/python
PROTOS := $(wildcard protos/hotset/v1/*.proto)

.DEFAULT_GOAL := help
.PHONY: help venv demo test check lint types arrows protos lock bench-focus bench-page-faults bench-session-cost bench-transition bench-ingest bench-edges bench-scale bench-localisation bench-memory bench-opposition bench-closure bench-watch bench-embedding clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 20

venv: $(VENV)/.ready ## .venv with everything that tests, checks and benchmarks need
	@# Another installer may have put a copy in place of the checkout, which would go stale unseen.
	@cd $(VENV)/lib/python3*/site-packages && ls __editable__.hotset-* __editable__.hotsetd-* >/dev/null 2>&1 || (cd $(CURDIR) && $(CHECKOUT))

$(VENV)/.ready: requirements.lock pyproject.toml clients/python/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Hotset needs Python 3.11 or later: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(CHECKOUT)
	touch $@

demo: venv ## a session over the standard library, with kill -9 in the middle
	$(BIN)/python -m benchmarks.demo

test: venv ## every test but the slow kinds
	$(BIN)/python -m pytest

check: lint types arrows ## lint, types, import contracts, protos

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cd protos && ../$(BIN)/buf lint

types: venv
	$(BIN)/mypy
	$(BIN)/pyright

arrows: venv
	$(BIN)/lint-imports

protos: venv ## regenerate clients/python/hotset/v1 from protos/
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I protos --python_out=clients/python --grpc_python_out=clients/python \
	  --mypy_out=clients/python --mypy_grpc_out=clients/python $(PROTOS)

bench-focus: venv ## Focus p50 and p99 over 200 goals, cold, warm, repeated, with the share of each step
	$(BIN)/python -m benchmarks.focus $(ARGS)

bench-page-faults: venv ## measure M1: faults of every eviction policy on real agent traces, at four budgets
	$(BIN)/python -m benchmarks.page_faults $(ARGS)

bench-session-cost: venv ## measure M9: what a session costs with deltas, and how much of the block stays in place
	$(BIN)/python -m benchmarks.session_cost $(ARGS)

bench-transition: venv ## one Focus of the pure core at 200, 2,000 and 20,000 entries
	$(BIN)/python -m benchmarks.transition $(ARGS)

bench-scale: venv ## measure M7, retrieval: Focus and each lane at 10k, 100k and 1M records against the bare engines
	$(BIN)/python -m benchmarks.scale $(ARGS)

bench-localisation: venv ## measure M2: files and functions that an issue or a prompt is about, under a budget
	$(BIN)/python -m benchmarks.localisation $(ARGS)

bench-memory: venv ## measure M3: passages of multi-hop questions, turns of long conversations
	$(BIN)/python -m benchmarks.memory $(ARGS)

bench-closure: venv ## cost of closing over 10 to 100,000 edges: chains, hubs, bombs, and what is served beside them
	$(BIN)/python -m benchmarks.closure $(ARGS)

bench-opposition: venv ## measure M4: texts against a claim beside those for it, at ten texts
	$(BIN)/python -m benchmarks.opposition $(ARGS)

bench-ingest: venv ## time until a tree is searchable, by stage, with memory
	$(BIN)/python -m benchmarks.ingest $(ARGS)

bench-embedding: venv ## background embedding against the bare model on the same texts, and recall of the vector index
	$(BIN)/python -m benchmarks.embedding $(ARGS)

bench-watch: venv ## edit to found, restart and branch switch of a followed tree
	$(BIN)/python -m benchmarks.watching $(ARGS)

bench-edges: venv ## precision of `calls` and `references` edges against what Python's modules and Go's rules say
	$(BIN)/python -m benchmarks.edge_precision $(ARGS)

lock: venv ## write requirements.lock anew from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 \
	  --group pyproject.toml:dev --extra cli pyproject.toml clients/python/pyproject.toml --no-emit-package hotset \
	  -o requirements.lock

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache build dist *.egg-info clients/python/*.egg-info
