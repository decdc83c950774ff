"""How well, and how stably, language models follow instructions in long contexts.

    snakemake --cores all results/tables                 # the default: synthetic text, no network
    snakemake --configfile FILE --cores all results/tables   # a config of one's own, whole

Each stage has its rule file, and goes over all benchmarks alike; the logic is in scripts/steadfast.
"""

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")

# The Python package beside this file, also where another workflow uses this one as a module.
HERE = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=True)))
sys.path.insert(0, str(HERE / "scripts"))

from steadfast.stages import setup


pathvars:
    logs="<results>/logs",
    benchmarks="<results>/benchmarks",


# A config file on the command line replaces the default one; --config changes single keys.
if default_config := setup.default_config(workflow):

    configfile: default_config


# The machinery (checks of the config, scheduling, provenance) stands behind this one name, in
# scripts/steadfast/stages/setup.py. The rules use what is listed here, and rules/common.smk.
SETUP = setup.RunSetup(workflow, config)
CONFIG = SETUP.config  # the checked config, with all defaults
RUN = SETUP.run  # what it runs: benchmarks, models, judges, and their files
TASKS = RUN.tasks  # the parts and the code of each benchmark, by name
STEPS = SETUP.steps  # for each file, digests of the code and the inputs that it is made from
RESULTS = SETUP.results  # the results folder; <results> in the paths of rules


wildcard_constraints:
    benchmark="|".join(TASKS),
    judge="[A-Za-z0-9._-]+",
    model="[A-Za-z0-9._-]+",
    part="[A-Za-z0-9_-]+",
    rewriter="[A-Za-z0-9._-]+",


include: "rules/common.smk"
include: "rules/data.smk"
include: "rules/prompts.smk"
include: "rules/trial.smk"
include: "rules/export.smk"
include: "rules/plan.smk"
include: "rules/inference.smk"
include: "rules/judging.smk"
include: "rules/rewriting.smk"
include: "rules/usage.smk"
include: "rules/nondeterminism.smk"
include: "rules/scores.smk"
include: "rules/metrics.smk"
include: "rules/tables.smk"
include: "rules/html_report.smk"
include: "rules/bundle.smk"


rule all:
    default_target: True
    input:
        "<results>/tables",
        "<results>/report.html",
        "<results>/metrics/inference.csv",
        # Data made from rewriters' replies, to be read by people.
        in_results(path for path in RUN.running_data if RUN.needs_rewrites(path)),
        [FIGURES[name] for name in CONFIG.benchmarks],
    localrule: True


# A target for each benchmark, whether or not the config names it: snakemake followbench
for name in TASKS:

    rule:
        name:
            name
        input:
            TABLES[name],
            FIGURES[name],
        localrule: True
