"""Size of the HTML report of 60,000 and 300,000 responses, and its time to the first table.

Run: ``PYTHONPATH=scripts python bench/html_report.py``

Twenty and a hundred models, six lengths, 500 prompts a length; responses of about 70 words and, in
a third report, of twenty models with reasoning of 400 words before each.
"""

import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from steadfast.base.files import Record, write_jsonl, write_text
from steadfast.contract.components import Component
from steadfast.html_report.pack import BLOCK, Pack, pack_samples, page
from steadfast.html_report.sample_data import Cut, table_data
from steadfast.html_report.write import FORMAT, LIMIT
from steadfast.jobs.finished import FinishedRun
from steadfast.show.table import Cell, Column, Section, Table
from steadfast.workflow.script import collect_seldom

REPORTS = ((20, False), (20, True), (100, False))
"""Number of models, and whether they have reasoning."""
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
PROMPTS = 500
STRINGS = 5_000
RNG = random.Random("page")
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
VOCABULARY = ["".join(RNG.choices(LETTERS, k=RNG.randint(2, 9))) for _ in range(STRINGS)]
WEIGHTS = [1 / rank for rank in range(1, STRINGS + 1)]


def text(words: int) -> str:
    """Words with the frequencies of natural text (Zipf's law)."""
    return " ".join(RNG.choices(VOCABULARY, WEIGHTS, k=words))


def prompts(length: str) -> Iterator[Record]:
    """The prompts of one length."""
    for number in range(PROMPTS):
        yield {
            "sample_id": f"{length}/{number}",
            "task": f"T{number % 11}",
            "context_id": f"context-{length}",
            "instruction": text(40),
            "max_tokens": 100,
        }


def output(sample: Record, reasoning: bool) -> Record:
    """A response's record."""
    response = {"response": text(70), "reasoning": text(400) if reasoning else None}
    return sample | response | {"prompt_truncated_tokens": 0}


def finished_run(results: Path, models: Sequence[str], reasoning: bool) -> FinishedRun:
    """A results folder with the responses and scores of all models."""
    for length in LENGTHS:
        length_prompts = list(prompts(length))
        write_jsonl(results / f"made/prompts/{length}.jsonl", length_prompts)
        contexts = [{"context_id": f"context-{length}", "text": text(2_000)}]
        write_jsonl(results / f"made/contexts/{length}.jsonl", contexts)
        for model in models:
            fields = {"repeat": 0, "status": "ok", "prompt_truncated": False}
            samples = [prompt | fields for prompt in length_prompts]
            outputs = (output(sample, reasoning) for sample in samples)
            write_jsonl(results / f"made/outputs/{model}/{length}.jsonl", outputs)
            write_jsonl(results / f"made/scores/{model}/{length}.jsonl", map(score, samples))
    parts = {}
    for length in LENGTHS:
        path = f"made/contexts/{length}.jsonl"
        parts[length] = SimpleNamespace(sources={("contexts", length): path})
    task = SimpleNamespace(
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        simulator=Component("__main__:Expected"),
        passages=None,
        parts=parts,
    )
    evaluation: Any = SimpleNamespace(
        running=["made"],
        benchmarks={"made": SimpleNamespace(title="Made")},
        tasks={"made": task},
        config=SimpleNamespace(models=dict.fromkeys(models, SimpleNamespace(repeats=1))),
        evaluated_models=lambda _: list(models),
        judges_of=lambda *_: [],
        prompts=lambda job: f"made/prompts/{job.part}.jsonl",
    )
    return FinishedRun(evaluation, results)


def score(sample: Record) -> Record:
    """A score's record."""
    points = {name: RNG.random() for name in ("format", "correct", "ori")}
    corrected = {"status": "ok", "points": points, "total": RNG.random()}
    rated = {"points": points, "total": RNG.random(), "extracted": {"ids": [RNG.randrange(999)]}}
    return sample | rated | {"judge": None, "other_raters": {"corrected": corrected}}


class Expected:
    """A simulator with reference answers."""

    def reference(self, sample: object) -> str:
        """A text of a response's length."""
        return text(70)


def table(models: Sequence[str]) -> Table:
    """A table of all models by all lengths."""
    rows = []
    for model in models:
        rows.append((Cell(model), *(Cell(f"{RNG.random():.3f}") for _ in LENGTHS)))
    columns = (Column("Model", align="l"), *map(Column, LENGTHS))
    return Table("made", "Made scores.", columns, (Section(tuple(rows)),))


def write_report(run: FinishedRun, out: Path) -> Cut:
    """Writes a report as ``write_html_report`` does; returns how its texts are cut."""
    samples = pack_samples(run, LIMIT)
    pack = Pack()
    names = {"name": "made", "title": "Made", "data_note": "", "sample_names": ""}
    models = {model: model for model in run.evaluation.evaluated_models("made")}
    about = {
        "name": "",
        "findings": [],
        "format": FORMAT,
        "block": BLOCK,
        "trial": "",
        "published": False,
        "benchmarks": [{**names, "figures": [], "has_samples": True}],
        "models": models,
        "cut": samples.cut.about,
        "coverage": samples.counts,
        "statuses": ["ok"],
        "usage": {"columns": [], "rows": []},
        "provenances": [],
    }
    pack.add("run", about)
    pack.add("tables", [{"title": "Made", "tables": [table_data(table(list(models)))]}])
    write_text(out, page("made", [pack, samples.pack]))
    return samples.cut


def opened(path: Path) -> Iterator[tuple[str, float]]:
    """Seconds until a browser shows the first table, all responses, and a sample."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page()
        steps = {
            "first table": (lambda: tab.goto(path.as_uri()), "table"),
            "list of all answers": (lambda: tab.click("nav >> text=Samples"), "button.open"),
            "one sample": (lambda: tab.click("button.open"), "article"),
        }
        for name, (act, selector) in steps.items():
            start = time.perf_counter()
            act()
            tab.wait_for_selector(selector)
            yield name, time.perf_counter() - start
        browser.close()


def main() -> None:
    """Prints sizes and seconds."""
    collect_seldom()
    for number, reasoning in REPORTS:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder)
            out = Path(folder) / "report.html"
            run = finished_run(results, [f"model-{index}" for index in range(number)], reasoning)
            start = time.perf_counter()
            cpu_start = time.process_time()
            cut = write_report(run, out)
            wall = time.perf_counter() - start
            cpu = time.process_time() - cpu_start
            kind = "with reasoning" if reasoning else "without reasoning"
            answers = number * len(LENGTHS) * PROMPTS
            print(f"{answers:,} answers {kind}: {out.stat().st_size / 1e6:.1f} MB, {cut}")
            print(f"  made in {wall:.1f} s, {cpu:.1f} s of CPU")
            for name, seconds in opened(out) if shutil.which("chromium") else ():
                print(f"  {name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
