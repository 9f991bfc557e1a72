# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WORKERS ?= auto

.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP)  ## create .venv and install everything with the tested pins

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[train,onnx,render,human,web,dev]'
	touch $(STAMP)

test: setup lint browser  ## lint, types and tests: what CI runs
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not soak and not strength'

browser:  ## the system's Chromium, for the tests of the page (they are skipped without it)
	command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get update --quiet >/dev/null \
		&& apt-get install --yes --quiet chromium >/dev/null; } \
		|| echo "no Chromium and no way to install it here: the browser tests will be skipped"

pictures: setup browser  ## the pictures of the README
	$(BIN)/python -m training.pictures

lint: setup  ## ruff (lint and format) and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: setup  ## put the sources into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

train: setup  ## a short self-play training, then a table of win rates
	$(BIN)/patchwork train quickstart

pretrained: setup  ## train the shipped players anew (runs/pretrained)
	$(BIN)/patchwork train taught --out runs/pretrained/revised
	$(BIN)/patchwork train stack_n_stuff --out runs/pretrained/stack_n_stuff

bench: setup  ## decisions per second on this machine
	$(BIN)/patchwork bench

soak: setup  ## long random play against the reference
	$(BIN)/python -m pytest -n $(WORKERS) -m soak

BUDGET ?= small
strength: setup  ## slow tests of strength, then the ladder of all scripted agents (BUDGET=quick, small or large)
	$(BIN)/python -m pytest -m strength
	$(BIN)/python -m training.strength --budget $(BUDGET)

clean:  ## remove .venv and caches
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup train pretrained test browser pictures lint format bench soak strength clean
