"""Every Eval Ever's files of a bundle: a log of each model and benchmark, and its samples."""

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from steadfast.base.files import (
    Record,
    file_sha256,
    write_json,
    write_jsonl,
)
from steadfast.base.resources import located
from steadfast.config.settings import answer_settings
from steadfast.run.finished import FinishedPart, FinishedRun
from steadfast.run.job import MODELS
from steadfast.schema.models import ScoredModel
from steadfast.share import contents
from steadfast.share.evaluated_samples import Answered, line
from steadfast.share.every_eval_ever import UNKNOWN, Evaluated, file_stem, log
from steadfast.stats.headline import read_headline


def write_evaluations(run: FinishedRun, folder: Path, commit: str | None, seconds: int) -> None:
    """Writes the logs and samples of all models into a bundle.

    Args:
        run: whose results they are.
        folder: the bundle.
        commit: of the workflow, where it is known.
        seconds: since 1970, that stand for when the records were made.
    """
    for name in run.evaluation.running:
        rows = read_headline(run.metric_path(name, "headline"))
        for model in run.evaluation.models_of(name):
            of = _evaluated(run, name, model, commit, seconds)
            _write_model(run, folder, of, rows[rows["model"] == model])


def _write_model(run: FinishedRun, folder: Path, of: Evaluated, headline: pd.DataFrame) -> None:
    parts = run.parts(of.benchmark).values()
    scores = [one for part in parts for one in part.scores(of.model).values()]
    statuses = Counter(one["status"] for one in scores)
    sums = [file_sha256(part.scores_path(of.model)) for part in parts]
    stem = file_stem(" ".join([of.id, *sums]))
    path = f"{of.folder}/{stem}_samples.jsonl"
    out = folder / contents.FURTHER / path
    samples = None
    if not isinstance(run.evaluation.config.models[of.model], ScoredModel):
        lines = [one for part in parts for one in _lines(of, part)]
        if lines:
            write_jsonl(out, lines)
            samples = {"path": path, "sha256": file_sha256(out), "number": len(lines)}
    rows = [
        {key: _plain(value) for key, value in row.items()} for row in headline.to_dict("records")
    ]
    measures = run.evaluation.benchmarks[of.benchmark].measures
    whole = log(of, measures, rows, dict(sorted(statuses.items())), samples)
    write_json(out.with_name(f"{stem}.json"), whole)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _evaluated(
    run: FinishedRun, name: str, model: str, commit: str | None, seconds: int
) -> Evaluated:
    evaluation = run.evaluation
    how = evaluation.config.models[model]
    judges = evaluation.judges_of(name, model) if not isinstance(how, ScoredModel) else []
    templates = {key: located(path) for key, path in evaluation.templates(name).items()}
    asked = (
        f"=== {key} ===\n{path.read_text(encoding='utf-8')}" for key, path in templates.items()
    )
    return Evaluated(
        benchmark=name,
        title=evaluation.benchmarks[name].title,
        asked=evaluation.tasks[name].asked,
        model=model,
        model_id=_model_id(model, getattr(how, "model", None)),
        engine=how.engine,
        engine_version=_engine_version(run, name, model, how.engine),
        settings=answer_settings(how),
        commit=commit,
        seconds=seconds,
        judges={judge: answer_settings(evaluation.config.judges[judge]) for judge in judges},
        judge_prompt="\n".join(asked) if judges else "",
    )


def _model_id(name: str, asked: str | None) -> str:
    """``developer/model``: a hub id; of other names the developer is ``unknown``."""
    model = asked or name
    return model if model.count("/") == 1 else f"{UNKNOWN}/{model.replace('/', '_')}"


def _engine_version(run: FinishedRun, name: str, model: str, engine: str) -> str:
    """The version of the engine's package, by the identity of the model's first answers."""
    for job, identity in run.identities(name):
        if (job.role, job.model) == (MODELS, model):
            packages = identity["packages"]
            return str(packages.get(engine, packages.get("steadfast", UNKNOWN)))
    return UNKNOWN


def _lines(of: Evaluated, part: FinishedPart) -> Iterator[Record]:
    """The model's samples of a part that have a score."""
    evaluation = part.run.evaluation
    measure = next(iter(evaluation.benchmarks[of.benchmark].measures))
    method = f"{of.benchmark} scorer" + (f", judge {next(iter(of.judges))}" if of.judges else "")
    scores, outputs = part.scores(of.model), part.outputs(of.model)
    for sample in part.files.read(evaluation.config.models[of.model].draws):
        score = scores.get(sample.id)
        if score is not None and score["total"] is not None:
            one = Answered(
                sample,
                part.files.joined.item(sample),
                None if part.task.judging else part.stand_in.reference(sample),
                score,
                [outputs[turn.id] for turn in sample.turns],
                f"{contents.ANSWERS}/{of.benchmark}",
            )
            yield line(of, one, measure, method)
