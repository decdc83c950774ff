"""One sample whole, found by its name in the results folder."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import nearest, shown
from steadfast.base.seal import Seal
from steadfast.config.portable import CONFIG_FILE
from steadfast.config.source import read_source
from steadfast.contract.part_files import PartFiles
from steadfast.contract.records import read_prompts
from steadfast.page.part_view import Asked, PartView
from steadfast.page.seen import SeenSample
from steadfast.run.evaluation import Evaluation
from steadfast.run.lineage import Lineage

NEAR = 5
"""Names that are suggested where there is no sample of a name."""


def view_sample(run: Evaluation, results: Path, name: str, model: str | None) -> list[SeenSample]:
    """What the results folder has of the samples of a name, of which parts may have one each.

    Args:
        run: the config's run.
        results: folder of all results.
        name: the sample's.
        model: the one whose answers are seen; None: all.

    Raises:
        UserError: there is no such sample or model, or a file is damaged, or was made from
            something else than the config asks for.
    """
    models = run.asked
    if model is not None and model not in models:
        raise UserError(f"unknown model {shown(model)}; {nearest(model, models)}")
    wanted, known = _wanted(run, results), dict[str, None]()
    found = []
    for benchmark in run.running:
        for part in run.tasks[benchmark].parts:
            prompts = results / benchmark / "prompts" / f"{part}.jsonl"
            if prompts.exists():
                here = dict.fromkeys(prompt["sample_id"] for prompt in read_prompts(prompts))
                known |= here
                if name in here:
                    view = _view(run, results, benchmark, part, prompts)
                    shown_models = [m for m in view.models if model in (None, m)]
                    _check(wanted, results, benchmark, part, shown_models)
                    found.append(_seen(view, name, shown_models))
    if not found:
        raise UserError(f"{results}: no sample {shown(name)}; {_near(name, list(known))}")
    return found


def _wanted(run: Evaluation, results: Path) -> list[Lineage]:
    """What the config wants of the files: of a whole run, and of the trial that was made last."""
    written, runs = results / CONFIG_FILE, [run]
    if written.is_file():
        limit = read_source(str(written)).get("limit")
        if isinstance(limit, int) and limit != run.config.limit:
            runs.append(Evaluation(run.config.model_copy(update={"limit": limit})))
    return [Lineage(one) for one in runs]


def _check(
    wanted: Sequence[Lineage], results: Path, benchmark: str, part: str, models: Sequence[str]
) -> None:
    """Whether the files that are shown are those of the config."""
    found: dict[Path, list[Seal]] = {}
    for steps in wanted:
        files = {f"{benchmark}/prompts/{part}.jsonl": steps.prompts(benchmark, part)}
        for model in models:
            files |= steps.answered_part(benchmark, model, part)
        for path, step in files.items():
            seal = Seal.beside(results / path, step.lineage)
            found.setdefault(results / path, []).append(seal)
    for file, seals in found.items():
        if file.exists():
            next((seal for seal in seals if seal.names_lineage), seals[0]).check()


def _near(name: str, known: Sequence[str]) -> str:
    if not known:
        return "there are no prompts yet: run the workflow, or name its config as CONFIG"
    longer = [one for one in known if name and name in one][:NEAR]
    near = longer or difflib.get_close_matches(name, known, n=NEAR, cutoff=0.3) or known[:NEAR]
    return f"the nearest are {', '.join(near)}"


def _view(run: Evaluation, results: Path, benchmark: str, part: str, prompts: Path) -> PartView:
    task = run.tasks[benchmark]
    sources = [(*key, results / path) for key, path in task.parts[part].sources.items()]
    return PartView(
        run.benchmarks[benchmark].title,
        results / benchmark,
        PartFiles(part, task.samples.plain, prompts, sources),
        task.stand_in.plain,
        task.passages.plain if task.passages else None,
        {
            model: Asked(run.config.models[model].draws, run.judges_of(benchmark, model))
            for model in run.asked_of(benchmark)
        },
    )


def _seen(view: PartView, name: str, models: Sequence[str]) -> SeenSample:
    sample = next(one for one in view.samples if one.id == name)
    answers = [answer for model in models for answer in view.answers(model, [name])]
    return replace(view.seen(sample), answers=answers)
