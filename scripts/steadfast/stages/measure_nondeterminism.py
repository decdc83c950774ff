"""Rule nondeterminism: sends a sample of the requests repeatedly, and compares the responses."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.contract.components import component
from steadfast.contract.part_files import PartFiles, SampleOracle, answer_of
from steadfast.contract.request import output_record
from steadfast.engines.base import Setup, build_engine
from steadfast.engines.fit import fitted_requests
from steadfast.engines.sending.journal import Journal
from steadfast.engines.sending.repeats import sample_requests, send_repeatedly
from steadfast.engines.sending.requests import reasoning_separator
from steadfast.jobs.job import Job
from steadfast.show.nondeterminism import nondeterminism_page
from steadfast.stages.score import score_records
from steadfast.stats.repeatability import COLUMNS, nondeterminism_rows
from steadfast.workflow.script import run_rule


def measure_nondeterminism(
    benchmark: str,
    model: str,
    answers: Settings,
    operation: Settings,
    part: PartFiles,
    scoring: Sequence[Any],
    weights: Sequence[Any] | None,
    simulator: Sequence[Any] | None,
    nondeterminism: Settings,
    seed: int,
    results: Path,
    out_csv: Path,
    out_md: Path,
    data_note: str = "",
) -> None:
    """Sends a sample of the requests repeatedly and writes how much responses and scores vary.

    Later turns of conversations are left out, and so are scores that need a judge.
    """
    samples = part.read()
    oracle = SampleOracle(component(simulator).make(), samples) if simulator else None
    path = results / Job("inference", benchmark, model, f"{part.name}.nondeterminism").journal
    old_path = path.with_name(f"{part.name}.noise.jsonl")  # of version 0.1: responses are paid for
    if old_path.is_file() and not path.exists():
        old_path.rename(path)
    with Journal(path) as journal:
        live = _live(operation, nondeterminism["requests"])
        engine = build_engine(Setup(answers, live, print, path, oracle))  # prints go to the log
        items = [part.joined.item(sample) for sample in samples if sample.before is None]
        requests = fitted_requests(model, engine, answers, items)
        # The name of version 0.1: it determines the sample and the journal's keys.
        name = f"{seed}/noise/{benchmark}/{part.name}"
        sampled = sample_requests(requests, nondeterminism["requests"], name)
        if not sampled:
            raise UserError(
                f"nondeterminism: no prompt of {part.name} fits the context window of model "
                f"{model}; remove that part"
            )
        passes = send_repeatedly(engine, sampled, nondeterminism["repeats"], journal, name)
    read = reasoning_separator(engine, answers.get("reasoning"))
    scorer = component(scoring).make()
    by_id = {sample.id: sample for sample in samples}
    responses: list[Record] = []
    for (repeat, way), replies in passes.items():
        for request in sampled:
            output = output_record(request, read(replies[request.hash]))
            sample = by_id[request.sample_id]
            (score,) = score_records(scorer, [sample], {sample.id: answer_of(output)}, {})
            response = {"repeat": repeat, "way": way, "sample": sample.id, "task": score["task"]}
            responses.append(response | {"text": output["response"], "total": score["total"]})
    counts = Counter(sample.prompt["task"] for sample in samples)
    task_weights = component(weights).make() if weights else None
    rows = nondeterminism_rows(pd.DataFrame(responses), counts, task_weights)
    write_rows(out_csv, COLUMNS, rows)
    title = f"{model} on {benchmark} {part.name}"
    write_text(out_md, nondeterminism_page(title, rows, data_note))


def _live(operation: Settings, together: int) -> Settings:
    """Settings to send requests live, without the Batch API, and ``together`` of them at once."""
    live = {key: value for key, value in operation.items() if key != "batch"}
    return live | {"at_once": min(together, operation.get("max_concurrency") or together)}


if job := globals().get("snakemake"):
    operation = job.config["models"][job.wildcards.model]
    out = Path(job.output.csv)
    run_rule(
        measure_nondeterminism,
        job,
        read=("samples", "sources"),
        engines=[operation],
        operation=operation,
        part=PartFiles.of(job),
        results=out.parents[3],
        out_csv=out,
        out_md=Path(job.output.md),
    )
