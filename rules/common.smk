"""The session of a run, and functions that several rules use. There are no rules here."""

from snakemake.logging import logger

from steadfast.config import settings
from steadfast.jobs.evaluation import in_results, plain
from steadfast.jobs.input_digests import input_digests
from steadfast.jobs.job import Job
from steadfast.share import contents
from steadfast.stages.setup import provenance
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
