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
from steadfast.contract.part_files import PartFiles
from steadfast.contract.records import read_identity, read_outputs, read_score_records
from steadfast.contract.request import draw_key
from steadfast.run.evaluation import Evaluation
from steadfast.schema.models import ScoredModel
from steadfast.share import contents
from steadfast.share.evaluated_samples import Answered, line
from steadfast.share.every_eval_ever import Evaluated, file_stem, log
from steadfast.stats.headline import read_headline


def write_evaluations(run: Evaluation, folder: Path, commit: str | None, seconds: int) -> None:
    """Writes the logs and samples of all models into a bundle.

    Args:
        run: the config's run.
        folder: the bundle, which has answers, scores and metrics.
        commit: of the workflow, where it is known.
        seconds: since 1970, that stand for when the records were made.
    """
    for name in run.running:
        rows = read_headline(folder / contents.MADE / name / "metrics/headline.csv")
        for model in run.models_of(name):
            of = _evaluated(run, folder, name, model, commit, seconds)
            _write_model(run, folder, of, rows[rows["model"] == model])


def _write_model(run: Evaluation, folder: Path, of: Evaluated, headline: pd.DataFrame) -> None:
    measures = run.benchmarks[of.benchmark].measures
    scores = {
        part: folder / contents.MADE / of.benchmark / "scores" / of.model / f"{part}.jsonl"
        for part in run.tasks[of.benchmark].parts
    }
    statuses = Counter(r["status"] for path in scores.values() for r in read_score_records(path))
    stem = file_stem(" ".join([of.id, *map(file_sha256, scores.values())]))
    path = f"{of.folder}/{stem}_samples.jsonl"
    out = folder / contents.FURTHER / path
    samples = None
    if not isinstance(run.config.models[of.model], ScoredModel):
        lines = list(_lines(run, folder, of, scores))
        if lines:
            write_jsonl(out, lines)
            samples = {"path": path, "sha256": file_sha256(out), "number": len(lines)}
    rows = [
        {key: _plain(value) for key, value in row.items()} for row in headline.to_dict("records")
    ]
    whole = log(of, measures, rows, dict(sorted(statuses.items())), samples)
    write_json(out.with_name(f"{stem}.json"), whole)


def _plain(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def _evaluated(
    run: Evaluation, folder: Path, name: str, model: str, commit: str | None, seconds: int
) -> Evaluated:
    how, task = run.config.models[model], run.tasks[name]
    judges = run.judges_of(name, model) if not isinstance(how, ScoredModel) else []
    templates = {key: located(path) for key, path in run.templates(name).items()}
    asked = (
        f"=== {key} ===\n{path.read_text(encoding='utf-8')}" for key, path in templates.items()
    )
    return Evaluated(
        benchmark=name,
        title=run.benchmarks[name].title,
        asked=task.asked,
        model=model,
        model_id=_model_id(model, getattr(how, "model", None)),
        engine=how.engine,
        engine_version=_engine_version(run, folder, name, model, how.engine),
        settings=answer_settings(how),
        commit=commit,
        seconds=seconds,
        judges={judge: answer_settings(run.config.judges[judge]) for judge in judges},
        judge_prompt="\n".join(asked) if judges else "",
    )


def _model_id(name: str, asked: str | None) -> str:
    """``developer/model``: a hub id; of other names the developer is ``unknown``."""
    model = asked or name
    return model if model.count("/") == 1 else f"unknown/{model.replace('/', '_')}"


def _engine_version(run: Evaluation, folder: Path, name: str, model: str, engine: str) -> str:
    """The version of the engine's package, by the identity of the model's first answers."""
    for part in run.tasks[name].parts:
        path = contents.identity_path(f"{name}/outputs/{model}/{part}.jsonl")
        if (folder / contents.ANSWERS / path).exists():
            packages = read_identity(folder / contents.ANSWERS / path)["packages"]
            return str(packages.get(engine, packages.get("steadfast", "unknown")))
    return "unknown"


def _lines(
    run: Evaluation, folder: Path, of: Evaluated, scores: dict[str, Path]
) -> Iterator[Record]:
    """The model's samples that have a score, part by part."""
    task = run.tasks[of.benchmark]
    measure = next(iter(run.benchmarks[of.benchmark].measures))
    stand_in = None if task.judging else task.stand_in.make()
    method = f"{of.benchmark} scorer" + (f", judge {next(iter(of.judges))}" if of.judges else "")
    answers = folder / contents.ANSWERS
    kind = "prompts" if run.config.limit is None else "trial"
    for part, path in scores.items():
        known = {draw_key(r["sample_id"], r["draw"]): r for r in read_score_records(path)}
        outputs = answers / of.benchmark / "outputs" / of.model / f"{part}.jsonl"
        said = {draw_key(r["sample_id"], r["draw"]): r for r in read_outputs(outputs)}
        sources = task.parts[part].sources
        prompts = answers / of.benchmark / kind / f"{part}.jsonl"
        files = PartFiles(
            part,
            task.samples.plain,
            prompts,
            [(*key, answers / source) for key, source in sources.items()],
        )
        for sample in files.read(run.config.models[of.model].draws):
            score = known.get(sample.id)
            if score is None or score["total"] is None:
                continue
            turns = [sample]
            while before := turns[0].before:
                turns.insert(0, before)
            one = Answered(
                sample,
                files.joined.item(sample),
                stand_in.reference(sample) if stand_in else None,
                score,
                [said[turn.id] for turn in turns],
                f"{contents.ANSWERS}/{of.benchmark}",
            )
            yield line(of, one, measure, method)
