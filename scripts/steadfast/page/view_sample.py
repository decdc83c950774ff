"""One sample whole, found by its name in the results folder."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.names import nearest, shown
from steadfast.base.seal import Seal
from steadfast.config.portable import CONFIG_FILE
from steadfast.config.source import read_source
from steadfast.contract.components import Sample
from steadfast.contract.records import read_prompts
from steadfast.run.evaluation import Evaluation
from steadfast.run.finished import FinishedAnswer, FinishedPart, FinishedRun
from steadfast.run.lineage import Lineage
from steadfast.run.rounds import follow
from steadfast.show.passages import Passages


@dataclass(frozen=True)
class SeenSample:
    """A sample and all that the results folder has of it: context, answers, replies, scores."""

    benchmark: str
    sample: Sample
    passages: Passages | None
    expected: str
    answers: Sequence[FinishedAnswer] = ()

    @classmethod
    def of(
        cls, part: FinishedPart, sample: Sample, answers: Sequence[FinishedAnswer] = ()
    ) -> "SeenSample":
        """A sample of a part."""
        return cls(
            part.run.evaluation.benchmarks[part.benchmark].title,
            sample,
            part.task.passages.make(sample) if part.task.passages else None,
            part.stand_in.reference(sample),
            answers,
        )

    @property
    def before(self) -> list[str]:
        """The instructions of the turns that it follows."""
        return [turn.prompt["instruction"] for turn in self.sample.turns[:-1]]

    @property
    def fields(self) -> dict[str, Any]:
        """What the data have of it beside its instruction."""
        asked = self.sample.prompt["instruction"]
        return {name: value for name, value in self.sample.source.items() if value != asked}


NEAR = 5
"""Names that are suggested where there is no sample of a name."""


EXAMPLES = "examples"
"""In place of a sample's name: one of each task."""


def examples(run: Evaluation, results: Path) -> list[SeenSample]:
    """A sample of each task, of the first part that has it (LIFBench, Table 12)."""
    parts, found = _parts(run, results), dict[tuple[str, str], SeenSample]()
    wanted = _wanted(run, results)
    for part in parts:
        _check(wanted, part, [])
        for sample in part.samples:
            place = part.benchmark, str(sample.prompt["task"])
            if place not in found:
                found[place] = SeenSample.of(part, sample)
    if not found:
        raise UserError(f"{results}: {nearest_samples('', [])}")
    return list(found.values())


def view_sample(run: Evaluation, results: Path, name: str, model: str | None) -> list[SeenSample]:
    """What the results folder has of the samples of a name, of which parts may have one each."""
    parts, models = _parts(run, results), run.asked
    if model is not None and model not in models:
        raise UserError(f"unknown model {shown(model)}; {nearest(model, models)}")
    wanted, known, found = _wanted(run, results), dict[str, None](), []
    for part in parts:
        here = dict.fromkeys(prompt["sample_id"] for prompt in read_prompts(part.files.prompts))
        known |= here
        if name in here:
            asked = [m for m in part.models if model in (None, m)]
            _check(wanted, part, asked)
            answers = [one for m in asked for one in part.answers(m, [name])]
            sample = next(one for one in part.samples if one.id == name)
            found.append(SeenSample.of(part, sample, answers))
    if not found:
        raise UserError(f"{results}: no sample {shown(name)}; {nearest_samples(name, list(known))}")
    return found


def _parts(run: Evaluation, results: Path) -> list[FinishedPart]:
    """The parts that have prompts, which are those of a whole run in a trial's folder too."""
    follow(run, results)
    whole = FinishedRun(Evaluation(run.config.model_copy(update={"limit": None})), results)
    parts = (part for name in run.running for part in whole.parts(name).values())
    return [part for part in parts if part.files.prompts.exists()]


def _wanted(run: Evaluation, results: Path) -> list[Lineage]:
    """What the config wants of the files: of a whole run, and of the trial that was made last."""
    written, runs = results / CONFIG_FILE, [run]
    if written.is_file():
        limit = read_source(str(written)).get("limit")
        if isinstance(limit, int) and limit != run.config.limit:
            runs.append(Evaluation(run.config.model_copy(update={"limit": limit})))
    return [Lineage(one) for one in runs]


def _check(wanted: Sequence[Lineage], part: FinishedPart, models: Sequence[str]) -> None:
    """Whether the files that are shown are those of the config."""
    found: dict[Path, list[Seal]] = {}
    for steps in wanted:
        files = {part.files.prompts: steps.prompts(part.benchmark, part.name)}
        for model in models:
            answered = steps.answered_part(part.benchmark, model, part.name)
            files |= {part.run.results / path: step for path, step in answered.items()}
        for path, step in files.items():
            found.setdefault(path, []).append(Seal.beside(path, step.lineage))
    for file, seals in found.items():
        if file.exists():
            next((seal for seal in seals if seal.names_lineage), seals[0]).check()


def nearest_samples(name: str, known: Sequence[str]) -> str:
    """A clause that names the samples whose names are nearest to one."""
    if not known:
        return "there are no prompts yet: run the workflow, or name its config as CONFIG"
    longer = [one for one in known if name and name in one][:NEAR]
    near = longer or difflib.get_close_matches(name, known, n=NEAR, cutoff=0.3) or known[:NEAR]
    return f"the nearest are {', '.join(near)}"
