"""What several rules use: names from the package, the session of a run, two functions. No rules."""

import re

from snakemake.logging import logger

from steadfast.config import settings
from steadfast.jobs import rounds  # the rounds of an adaptive run
from steadfast.jobs.evaluation import in_results  # paths below the results folder, as inputs
from steadfast.jobs.evaluation import plain  # a component (code with its settings), as a param
from steadfast.jobs.job import Job  # Job.of(wildcards): the job of a model, judge or rewriter
from steadfast.share import contents
from steadfast.stages.setup import provenance  # params of which a change re-runs a job
from steadfast.workflow import report_items

# Checks before the first job, messages on the terminal, and what is kept of a run at its end.
SESSION = SETUP.session(logger, lambda: contents.check_inside(contents.own_files(RUN)))
# Order, groups and resources of the jobs that query a model: inference, verdicts, rewrites.
SCHEDULING = SETUP.scheduling(SESSION)

# Jobs on a cluster are Snakemake processes of their own, which report nothing.
if SETUP.is_main:

    onstart:
        SESSION.start()

    onerror:
        SESSION.fail()

    onsuccess:
        print(SESSION.succeed())


report: "../resources/report/workflow.rst"


def one_of(names):
    """A wildcard constraint: one of some names. Without any, it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


def in_report(figure):
    """A figure's file; an SVG is shown in Snakemake's report, with its caption."""
    name = Path(figure).stem
    if not figure.endswith(".svg"):
        return figure
    return report(
        figure,
        caption=str(RESULTS.absolute() / "figures" / f"{name}.txt"),
        category="Figures",
        subcategory=report_items.heading(name, SETUP.titles),
        labels={"figure": report_items.label(name, SETUP.titles)},
    )
