"""A job of the plan: what is counted of it, and what that takes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Item
from steadfast.engines.asking.journal import final_responses
from steadfast.engines.cost.forecast import CachedTokenizer
from steadfast.engines.cost.roofline import Work
from steadfast.plan.model import PlannedModel
from steadfast.plan.paths import taken_costs
from steadfast.run.job import REWRITERS, Job, Journals

KEYS = ["benchmark", "role", "model", "part"]
"""Of a row of the plan; a judge's has the jobs about all models' answers together."""
NOTHING = Work(0, 0, 0, 0, 0)


@dataclass
class PlannedJob:
    """One job of the plan, and what is counted of it once its prompts are read.

    ``judges`` says in words whose answers a judge judges; ``unanswered`` has, by draw, the samples
    that the model gives no answer to.
    """

    job: Job
    model: PlannedModel
    replay: str | None = None
    load: str | None = None
    counts: Record = field(default_factory=dict)
    work: Work = NOTHING
    judges: str = ""
    unanswered: Sequence[frozenset[str]] = ()

    @property
    def page(self) -> tuple[str, bool]:
        """The benchmark whose page shows it, and whether that is the page of rewriters."""
        return self.job.benchmark, self.job.role == REWRITERS

    @property
    def row(self) -> Record:
        """What it takes, for the frame of the plan."""
        job, counts = self.job, self.counts
        if self.answered:  # its journal is not looked at, its verdicts are
            counts |= {"known": counts["requests"], "to_ask": 0, "ask": NOTHING}
        place = dict(zip(KEYS, (job.benchmark, job.role, job.name, job.part), strict=True))
        taken = self.model.taken(counts["ask"], counts["whole"])
        costs = taken_costs(counts["paths"], self.model.plan["price"], asked=not self.answered)
        return place | {"judges": self.judges} | counts | taken | costs

    @property
    def answered(self) -> bool:
        """Whether a judge's verdicts are there already."""
        return self.load is None and bool(self.job.judge)

    def count(
        self, asked: Sequence[Item], journal: Path | None, tokenizers: dict[str, CachedTokenizer]
    ) -> list[tuple[str, str, int, int]]:
        """Counts what is asked, and returns the prompts that do not fit whole."""
        known = final_responses(journal) if journal else ()
        self.counts, misfits = self.model.of_part(asked, known, tokenizers)
        return misfits


def planned_jobs(
    jobs: Sequence[Sequence[Any]],
    who: Mapping[str, Mapping[str, Settings]],
    hardware: Settings,
    results: Path,
) -> list[PlannedJob]:
    """Returns the jobs (``Loads.planned``) in the order in which pages show them."""
    models = {
        (role, name): PlannedModel(
            name, **of, hardware=hardware, folders=Journals(results, role, name)
        )
        for role, named in who.items()
        for name, of in named.items()
    }
    found = [(Job(*job), *further) for job, *further in jobs]
    found = [one for one in found if (one[0].role, one[0].name) in models]
    models_order = list(models)
    benchmarks = list(dict.fromkeys(job.benchmark for job, *_ in found))
    places = list(dict.fromkeys((job.benchmark, job.part) for job, *_ in found))
    return sorted(
        (PlannedJob(job, models[job.role, job.name], *further) for job, *further in found),
        key=lambda one: (
            one.job.role == REWRITERS,
            benchmarks.index(one.job.benchmark),
            models_order.index((one.job.role, one.job.name)),
            places.index((one.job.benchmark, one.job.part)),
        ),
    )
