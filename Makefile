# Everything runs from a virtual environment in .venv; nothing is installed outside this folder.
PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST_ARGS ?= -n 2
VENV := .venv/bin

.PHONY: run setup test lint format lock clean

run: setup
	@exec $(VENV)/python manage.py serve --host $(HOST) --port $(PORT)

setup: .venv/runtime.stamp
	@$(VENV)/python manage.py migrate --verbosity 0

test: .venv/dev.stamp
	$(VENV)/python -m pytest $(PYTEST_ARGS)

lint: .venv/dev.stamp
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/djlint templates --check --lint --quiet
	$(VENV)/mypy .

format: .venv/dev.stamp
	$(VENV)/ruff check --fix .
	$(VENV)/ruff format .
	$(VENV)/djlint templates --reformat --quiet || true

# Maintainers only, after a change in pyproject.toml; needs uv.
lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header -o requirements.lock
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header -o requirements-dev.lock

clean:
	rm -rf .venv var

# --without-pip and --python: works where the distribution splits ensurepip from Python.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv --without-pip .venv

.venv/runtime.stamp: requirements.lock | .venv/bin/python
	$(PYTHON) -m pip --python $(VENV)/python --disable-pip-version-check install \
		--quiet --require-hashes -r requirements.lock
	@touch $@

.venv/dev.stamp: requirements-dev.lock | .venv/bin/python
	$(PYTHON) -m pip --python $(VENV)/python --disable-pip-version-check install \
		--quiet --require-hashes -r requirements-dev.lock
	@touch $@ .venv/runtime.stamp
