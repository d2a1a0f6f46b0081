# Every target makes .venv first when it is missing or older than the pins.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
STAMP := .venv/.stamp

.PHONY: help demo test check bench soak picture clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

$(STAMP): pyproject.toml constraints.txt .ci/make-venv
	@bash .ci/make-venv

demo: $(STAMP) ## Open the desk on a made-up memory
	@$(BIN)/memdesk demo

# Textual reads TEXTUAL_ANIMATIONS when it is imported, so it is set here and not in a fixture alone. One worker more than
# there are processors: a test of the desk waits for its threads a quarter of its time.
test: $(STAMP) ## Run the fast tests
	TEXTUAL_ANIMATIONS=none PYTEST_XDIST_AUTO_NUM_WORKERS=$$($(BIN)/python -c "import os; print((os.cpu_count() or 1) + 1)") \
	    $(BIN)/pytest --numprocesses=auto --dist=worksteal

check: $(STAMP) ## Run ruff, mypy and the import contracts
	$(BIN)/ruff check .
	@mkdir -p .types/memdesk
	@for part in core tui styles; do ln -sfn "../../$$part" ".types/memdesk/$$part"; done
	$(BIN)/mypy --strict .types/memdesk/core
	$(BIN)/mypy .types/memdesk/tui .types/memdesk/styles
	$(BIN)/lint-imports --no-logo

bench: $(STAMP) ## Measure and print wall times
	TEXTUAL_ANIMATIONS=none $(BIN)/python benchmarks/run.py

soak: $(STAMP) ## Run the long randomised tests
	TEXTUAL_ANIMATIONS=none $(BIN)/pytest -m soak --timeout=3600

picture: $(STAMP) ## Redraw the pictures in docs/
	TEXTUAL_ANIMATIONS=none $(BIN)/python docs/picture.py

clean: ## Remove build products and caches (keeps .venv)
	rm -rf build dist .types .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info snapshot_report.html
	find core tui styles tests -name __pycache__ -type d -prune -exec rm -rf {} +
