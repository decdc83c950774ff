"""The inputs and params of rule plan."""

from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, file_size
from steadfast.config import settings
from steadfast.jobs.digests import digest
from steadfast.jobs.evaluation import Evaluation, in_results
from steadfast.jobs.input_digests import InputDigests


class PlanInputs:
    """Inputs and params of the plan: of the benchmarks whose prompts need no new requests."""

    def __init__(self, run: Evaluation, steps: InputDigests, results: Path):
        self._run = run
        self._steps = steps
        self._results = results
        names = run.config.benchmarks
        self.benchmarks = [name for name in names if steps.plannable(name, results)]
        self.unplanned = [name for name in names if name not in self.benchmarks]
        # Without the rewriters' replies there are no prompts: only the requests are planned.
        self.rewritten = [name for name in names if run.tasks[name].rewriting]

    # --- input files ---------------------------------------------------------------------------

    @property
    def prompts(self) -> list[str]:
        """The evaluated prompts of all parts."""
        return self._of_benchmarks(self._run.all_prompts)

    @property
    def sources(self) -> list[str]:
        """The data files that these refer to."""
        return self._of_benchmarks(self._run.all_sources)

    @property
    def templates(self) -> list[str]:
        """The judge templates: the user's files, and those of released code."""
        return self._of_benchmarks(self._run.template_files)

    @property
    def rewriter_requests(self) -> list[str]:
        """The requests to rewriters that need no earlier replies."""
        return in_results(self._rewriter_requests)

    # --- params --------------------------------------------------------------------------------

    @property
    def models(self) -> Record:
        """The settings of the models, judges and rewriters that are planned, by role."""
        config = self._run.config
        # Judges are planned only with a benchmark that they judge.
        is_judged = not set(self._run.judged).isdisjoint(self.benchmarks)
        evaluated = {name: config.models[name] for name in self._run.evaluated}
        return {
            "models": settings.planned_models(evaluated),
            "judges": settings.planned_models(config.judges if is_judged else {}),
            "rewriters": settings.planned_models(config.rewriters if self.rewritten else {}),
        }

    @property
    def first_rounds(self) -> dict[str, dict[str, str]]:
        """The rounds of rewriting that are planned, with their requests, by benchmark."""
        return {name: self._run.first_rounds(name) for name in self.rewritten}

    @property
    def journal_sizes(self) -> list[int]:
        """The bytes of each job's journal: a plan is made anew when one has grown."""
        return [file_size(self._results / job.journal) for job in self._run.jobs]

    @property
    def pilot_sizes(self) -> list[int]:
        """The size of each benchmark's comparisons, of which a power analysis takes variances."""
        # Without a power analysis, new comparisons are no reason to plan again.
        names = self.benchmarks if self._run.config.power_analysis else []
        return [file_size(self._results / name / "metrics/comparisons.csv") for name in names]

    @property
    def input_digests(self) -> list[str]:
        """The input digests of all prompts, and of the requests to rewriters."""
        digests = []
        for name in self.benchmarks:
            for part in self._run.tasks[name].parts:
                digests.append(self._steps.evaluated_prompts(name, part).input_digest)
        for requests in self._rewriter_requests:
            digests.append(self._steps.data(requests).input_digest)
        return digests

    @property
    def code(self) -> str:
        """The digest of the plan's code."""
        used: list[Any] = []
        for name in self.benchmarks:
            used += [self._run.tasks[name].samples, self._run.judge_prompts(name)]
            used += self._run.engines_planned(name)
        return digest("steadfast.plan.make", *used)

    @property
    def _rewriter_requests(self) -> list[str]:
        return list(chain.from_iterable(map(dict.values, self.first_rounds.values())))

    def _of_benchmarks(self, files_of: Callable[[str], Iterable[str]]) -> list[str]:
        """The files of all planned benchmarks, where ``files_of`` has those of one."""
        return list(chain.from_iterable(map(files_of, self.benchmarks)))
