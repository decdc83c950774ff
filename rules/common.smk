"""What a run does beside its jobs, and functions that rules use.

There are no rules here: the start and the end of a run (stages/session.py), which figures stand in
its report, and which of its jobs go together.
"""

from snakemake.logging import logger

from steadfast.share import contents
from steadfast.stages.session import Session
from steadfast.workflow.insides import run_here
from steadfast.workflow.report_items import ALL, heading, label
from steadfast.workflow.slurm import wait_before_steps

SESSION = Session(
    SNAKEMAKE, RUN, RESULTS, logger, lambda: contents.check_inside(contents.own_files(RUN))
)
# Jobs on a cluster are runs of their own, which show what Snakemake shows.
if SNAKEMAKE.is_main:
    run_here(REQUESTS.runs_here)
    SESSION.begin()
else:
    wait_before_steps()

if SNAKEMAKE.is_main:

    onstart:
        SESSION.start()

    onerror:
        SESSION.fail()

    onsuccess:
        print(SESSION.succeed())


report: "../resources/report/workflow.rst"


def shown(path):
    """A figure's file; as SVG it stands in Snakemake's report, above its caption."""
    name = Path(path).stem
    if not path.endswith(".svg"):
        return path
    return report(
        path,
        caption=str(RESULTS.absolute() / "figures" / f"{name}.txt"),
        category="Figures",
        subcategory=heading(name, TITLES),
        labels={"figure": label(name, TITLES)},
    )


DISPLAY = settings.display(CONFIG)


def shown_of(benchmarks):
    """How results are shown; a judge that is added makes nothing anew where nothing is judged."""
    return DISPLAY if {*RUN.judged} & {*benchmarks} else {**DISPLAY, "judges": {}}


def made(step):
    """The params that say what a file is made by (jobs/input_digests.py), of a step by wildcards."""
    return {"code": lambda w: step(w).code, "input_digest": lambda w: step(w).input_digest}


def load_group(wildcards):
    """On a cluster, the jobs that one load answers go to one allocation (group-components: load)."""
    if (load := LOADS.of(Job.of(wildcards))) is None:
        return None
    return SNAKEMAKE.group(load, "load")


# The environment of all jobs that load a model (Snakemake's --software-deployment-method conda). The config
# decides, not the job: `--containerize` refuses rules whose environment is a function.
LOADED = [*CONFIG.models.values(), *CONFIG.judges.values(), *CONFIG.rewriters.values()]
ENGINE_ENV = f"../envs/{'vllm' if any(m.engine == 'vllm' for m in LOADED) else 'base'}.yaml"
