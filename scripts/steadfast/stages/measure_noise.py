"""Rule noise: a sample of the requests asked again and again, scored, and compared."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, write_json, write_rows, write_text
from steadfast.contract.components import Sample, Scoring, component
from steadfast.contract.part_files import PartFiles, SampleOracle, answer_of
from steadfast.contract.request import Request, Response, output_record
from steadfast.engines.asking.journal import Journal
from steadfast.engines.asking.repeats import ask_repeatedly, draw, states
from steadfast.engines.asking.requests import reader
from steadfast.engines.asking.run import identity
from steadfast.engines.base import Setup, build_engine
from steadfast.engines.fit import fitted
from steadfast.run.job import Job
from steadfast.show.noise import noise_page
from steadfast.stages.score import score_records
from steadfast.stats.repeatability import (
    COLUMNS,
    Pass,
    hits_missed,
    noise_certificate,
    noise_rows,
)
from steadfast.workflow.script import run_rule


def measure_noise(
    benchmark: str,
    model: str,
    answers: Settings,
    operation: Settings,
    part: PartFiles,
    scoring: Sequence[Any],
    compared: Sequence[Any],
    stand_in: Sequence[Any] | None,
    noise: Settings,
    seed: int,
    results: Path,
    out_csv: Path,
    out_md: Path,
    out_certificate: Path,
    log: Path,
    asked: str = "",
) -> None:
    """Asks a sample repeatedly and writes how much the answers and their scores differ.

    The certificate says by how much, first where, and with which settings and versions.
    Turns that follow others are left out, and so are scores that need a judge.
    """
    found = part.read()
    oracle = SampleOracle(component(stand_in).make(), found) if stand_in else None
    path = results / Job("inference", benchmark, model, f"{part.name}.noise").journal
    at_once = live(model, operation, max(noise["beside"]))
    with open(log, "a", encoding="utf-8", buffering=1) as lines, Journal(path) as journal:

        def say(text: str) -> None:
            print(text, file=lines)

        engine = build_engine(Setup(answers, at_once, say, path, oracle))
        items = [part.joined.item(sample) for sample in found if sample.before is None]
        requests = fitted(model, engine, answers, items)
        name = f"{seed}/noise/{benchmark}/{part.name}"
        drawn = draw(requests, noise["sample"], name)
        if not drawn:
            raise UserError(
                f"noise: no prompt of {part.name} fits model {model}; leave that part out"
            )
        passes = ask_repeatedly(
            engine, drawn, noise["repeats"], journal, noise["beside"], name, noise["hits"]
        )
    read = reader(engine, answers.get("reasoning"))
    passes = {key: {h: read(one) for h, one in of.items()} for key, of in passes.items()}
    scorer = component(scoring).make()
    by_id = {sample.id: sample for sample in found}
    scored = {key: _scored(scorer, by_id, drawn, responses) for key, responses in passes.items()}
    caches = states(noise["hits"])
    counts = Counter(sample.prompt["task"] for sample in found)
    rows = noise_rows(scored, caches, counts, component(compared).make().weights)
    missed = hits_missed(scored, caches)
    given = [response for of in passes.values() for response in of.values()]
    certificate = {
        "benchmark": benchmark,
        "part": part.name,
        "prompts": len(drawn),
        "noise": dict(noise),
        "found": noise_certificate(rows, scored, caches),
        "hits_missed": missed,
        **identity(model, engine, answers, drawn, given),
    }
    write_json(out_certificate, certificate)
    write_rows(out_csv, COLUMNS, rows)
    title = f"{model} on {benchmark} {part.name}"
    write_text(out_md, noise_page(title, rows, _show, asked, missed))


def live(model: str, operation: Settings, together: int) -> Settings:
    """Returns how a model is asked without a provider's batch, so many requests at once.

    Raises:
        UserError: the model's ceiling is lower.
    """
    # A provider's batch says nothing of a cache that is warm at once, nor of neighbours.
    at_once = {key: value for key, value in operation.items() if key != "batch"}
    if together == 1:
        return at_once
    most = operation.get("max_concurrency", together)
    if most < together:
        raise UserError(
            f"noise.beside: model {model} takes {most} requests at once, not {together}; raise "
            "its max_concurrency or leave that number out"
        )
    return at_once | {"at_once": together}


def _scored(
    scoring: Scoring,
    samples: Mapping[str, Sample],
    drawn: Sequence[Request],
    responses: Mapping[str, Response],
) -> Pass:
    """One pass through the benchmark's own scorer."""
    outputs = {
        request.sample_id: output_record(request, responses[request.hash]) for request in drawn
    }
    answers = {name: answer_of(record) for name, record in outputs.items()}
    records = score_records(scoring, [samples[name] for name in outputs], answers, {})
    return {
        record["sample_id"]: {
            "task": record["task"],
            "total": record["total"],
            "text": outputs[record["sample_id"]]["text"],
            "prompt": outputs[record["sample_id"]]["prompt_tokens"],
            "cached": outputs[record["sample_id"]]["cached_tokens"],
        }
        for record in records
    }


def _show(value: object) -> str:
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


if job := globals().get("snakemake"):
    operation = job.config["models"][job.wildcards.model]
    out = Path(job.output.csv)
    run_rule(
        measure_noise,
        job,
        read=("samples", "sources"),
        engines=[operation],
        operation=operation,
        part=PartFiles.of(job),
        results=out.parents[3],
        out_csv=out,
        out_md=Path(job.output.md),
        out_certificate=Path(job.output.certificate),
        log=Path(job.log[0]),
    )
