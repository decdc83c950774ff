"""How well, and how stably, language models follow instructions in long contexts.

    snakemake --cores all results/tables                 # the default: synthetic text, no network
    snakemake --configfile FILE --cores all results/tables   # a config of one's own, whole

Each stage has its rule file, and goes over all benchmarks alike; the logic is in scripts/steadfast.
"""

import re
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")

# Where this file lies, also when another workflow uses it as a module (workflow.insides has what
# else is taken of Snakemake beyond its documented interface).
HERE = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=True)))
sys.path.insert(0, str(HERE / "scripts"))

from steadfast.workflow.script import collect_seldom

collect_seldom()

from steadfast.config import settings
from steadfast.jobs.job_resources import Requests
from steadfast.config.load import load_config
from steadfast.config.source import check_source, default_config, typed
from steadfast.jobs.digests import digest
from steadfast.base.errors import UserError
from steadfast.jobs.evaluation import Evaluation, in_results, plain
from steadfast.jobs.job import Job
from steadfast.jobs.input_digests import InputDigests, input_digests
from steadfast.jobs.loads import Allocation, HandedOver, Loads
from steadfast.jobs.required_files import check_required_files
from steadfast.jobs.rounds import follow
from steadfast.workflow.insides import Snakemake, refusal


pathvars:
    logs="<results>/logs",
    benchmarks="<results>/benchmarks",


# A config file on the command line replaces the default one; --config changes single keys.
DEFAULT_CONFIG = str(default_config())
SNAKEMAKE = Snakemake(workflow)
CONFIG_FILES = SNAKEMAKE.config_files or [DEFAULT_CONFIG]
try:
    for file in CONFIG_FILES:
        check_source(file)
except UserError as error:
    raise refusal(error) from None
if not SNAKEMAKE.config_files:

    configfile: DEFAULT_CONFIG


config.setdefault("name", Path(CONFIG_FILES[-1]).stem[:80])
try:
    CONFIG = load_config(typed(config, SNAKEMAKE.config_words))
    RUN = Evaluation(CONFIG)
    RUN.check_judges()
    check_required_files(CONFIG, RUN.tasks)
    RESULTS = SNAKEMAKE.path("results")
    follow(RUN, RESULTS)
except UserError as error:
    raise refusal(error) from None

TASKS, STEPS = RUN.tasks, InputDigests(RUN)
TITLES = {name: benchmark.title for name, benchmark in RUN.benchmarks.items()}
# Jobs read the settings of models that are no params of theirs, with their defaults, from here, and
# the HTML report, which shows a whole run, all of them.
config.update(CONFIG.model_dump(include={"models", "judges", "rewriters"}), results=str(RESULTS))
config["whole"] = CONFIG.model_dump(mode="json")
LOADS, ALLOCATION = Loads(RUN, STEPS, RESULTS), Allocation.of_cluster(SNAKEMAKE.target_jobs)
REQUESTS = Requests(LOADS, SNAKEMAKE)
# Jobs are handed what their run asks of the models that they load.
config["loads"] = HandedOver(lambda: LOADS.assignments(SNAKEMAKE.jobs_to_run, ALLOCATION))


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
        # What rewriters' replies make, for people to read.
        in_results(path for path in RUN.running_data if RUN.waits(path)),
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
