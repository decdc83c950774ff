"""How well, and how stably, language models follow instructions in long contexts.

    snakemake --cores all results/tables                 # the default: synthetic text, no network
    snakemake --configfile FILE --cores all results/tables   # a config of one's own, whole

Each stage has its rule file; the logic lives in scripts/steadfast.
"""

import os
import re
import sys

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

min_version("9.27")
sys.path.insert(0, os.path.join(workflow.basedir, "scripts"))

from steadfast import config as settings
from steadfast.errors import UserError
from steadfast.given import check_given
from steadfast.lifbench import benchmark as lifbench
from steadfast.planning import FREE, journal_sizes
from steadfast.registry import (
    BENCHMARKS,
    JUDGED,
    benchmark,
    judge_attempts,
    judges_of,
    paths,
    sources_of,
)
from steadfast.report import NAMES as REPORT
from steadfast.workflow import code

# A config file on the command line replaces the default one; --config changes single keys.
if not workflow.overwrite_configfiles:

    configfile: "config/config.yaml"


try:
    CONFIG = settings.load_config(config)
    check_given(CONFIG)
except UserError as error:
    raise WorkflowError(str(error)) from None

ASKED = [name for name in settings.asked_models(CONFIG) if name in CONFIG.running]


# On a cluster, only inference is worth a job of its own; the rest is done where Snakemake runs.
localrules:
    all,
    corpus,
    contexts,
    released_templates,
    expressions,
    prompts,
    benchmark_data,
    benchmark_prompts,
    judge_prompts,
    plan_benchmark,
    scores,
    inference_metrics,
    lifbench_metrics,
    lifbench_tables,
    lifbench_figures,
    report,
    tables,


include: "rules/corpora.smk"
include: "rules/contexts.smk"
include: "rules/data.smk"
include: "rules/prompts.smk"
include: "rules/plan.smk"
include: "rules/inference.smk"
include: "rules/judging.smk"
include: "rules/usage.smk"
include: "rules/noise.smk"
include: "rules/scores.smk"
include: "rules/metrics.smk"
include: "rules/report.smk"
include: "rules/tables.smk"


rule all:
    default_target: True
    input:
        "results/tables",
        "results/metrics/inference.csv",
        [FIGURES[name] for name in CONFIG.benchmarks],


# A target for each benchmark, whether or not the config names it: snakemake followbench
for name in BENCHMARKS:

    rule:
        name:
            name
        input:
            TABLES[name],
            FIGURES[name],
        localrule: True
