# The project's commands. Each prints what it does and how long it took.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help install install-dev demo walkthrough test lint bench pins clean

PORT ?= 8000
RESET ?=
ARGS ?=

BIN := .venv/bin
PYTHON := $(BIN)/python
UNSET := 0 no false
CODE := $(wildcard bench catalog config demo entitlements licensing receipts sandbox tests verifier) manage.py
PINS := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url \
	--no-emit-find-links --python-version 3.11

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1|/p' Makefile | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'
	@echo
	@echo "  PORT=8100 moves the demo, RESET=1 begins it anew, ARGS=... reaches pytest."

install: .venv/.installed ## Make .venv from the hashed pins (nothing to do when it is current)

install-dev: .venv/.installed-dev ## The same, with the tools for tests and lint

# A stamp is younger than the pins it was made from, so a warm run costs nothing.
.venv/.installed: requirements.txt verifier/pyproject.toml demo/install.sh demo/install.py
	@sh demo/install.sh requirements.txt
	@touch $@

.venv/.installed-dev: requirements-dev.txt .venv/.installed
	@sh demo/install.sh requirements-dev.txt
	@touch $@

# `exec`: Ctrl-C and SIGTERM reach the supervisor itself, not a shell in front of it.
demo: .venv/.installed ## Run the store with everything it needs, at http://127.0.0.1:8000
	@exec $(PYTHON) -m demo --port "$(PORT)" $(if $(filter-out $(UNSET),$(RESET)),--reset)

walkthrough: .venv/.installed ## Make a buyer's whole journey against a fresh instance
	@exec $(PYTHON) -m demo.walkthrough

test: .venv/.installed-dev ## Run every test; nothing needs to be running
	@exec $(PYTHON) -m pytest -n auto $(ARGS)

lint: .venv/.installed-dev ## Check style, types, templates, migrations and the docs
	@failed=""; step() { name=$$1; shift; echo "  $$name"; "$$@" || failed="$$failed $$name;"; }; \
	step "ruff check" $(BIN)/ruff check --quiet .; \
	step "ruff format" $(BIN)/ruff format --quiet --check .; \
	step "mypy" $(BIN)/mypy --no-error-summary $(CODE); \
	step "djlint format" $(BIN)/djlint --quiet --check templates; \
	step "djlint" $(BIN)/djlint --quiet --lint templates; \
	step "migrations" $(PYTHON) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run; \
	step "docs" $(PYTHON) -m pytest --quiet --no-header -p no:randomly tests/demo/test_docs.py; \
	if [ -n "$$failed" ]; then echo "  not clean:$$failed" >&2; exit 1; fi; \
	echo "  all clean"

bench: .venv/.installed-dev ## Measure signing, verifying and weights beside a rival, in one run
	@exec $(PYTHON) -m bench

pins: .venv/.installed-dev ## Renew requirements*.txt from the .in files (UPGRADE=1: newest versions)
	@echo "  requirements.txt"
	@UV_CUSTOM_COMPILE_COMMAND="make pins" $(PINS) $(if $(UPGRADE),--upgrade) requirements.in -o requirements.txt
	@echo "  requirements-dev.txt"
	@UV_CUSTOM_COMPILE_COMMAND="make pins" $(PINS) $(if $(UPGRADE),--upgrade) requirements-dev.in -o requirements-dev.txt

clean: ## Remove .venv and the tools' caches; the demo's data stays (RESET=1 removes that)
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis verifier/*.egg-info tests/second_opinions/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
