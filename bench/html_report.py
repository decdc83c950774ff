"""Size of the page for 60,000 and 300,000 answers, and when a browser shows its first table.

Run: ``PYTHONPATH=scripts python bench/html_report.py``

Twenty and a hundred models, six lengths, 500 prompts a length; answers of about 70 words, and, in a
third page, of twenty models with reasoning of 400 words before each.
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

PAGES = ((20, False), (20, True), (100, False))
"""Models, and whether they think before they answer."""
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
PROMPTS = 500
STRINGS = 5_000
RNG = random.Random("page")
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
VOCABULARY = ["".join(RNG.choices(LETTERS, k=RNG.randint(2, 9))) for _ in range(STRINGS)]
WEIGHTS = [1 / rank for rank in range(1, STRINGS + 1)]


def text(words: int) -> str:
    """Words that are as frequent as words are (Zipf's law)."""
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


def written(results: Path, models: Sequence[str], reasoning: bool) -> FinishedRun:
    """A results folder with the answers and scores of all models."""
    for length in LENGTHS:
        asked = list(prompts(length))
        write_jsonl(results / f"made/prompts/{length}.jsonl", asked)
        contexts = [{"context_id": f"context-{length}", "text": text(2_000)}]
        write_jsonl(results / f"made/contexts/{length}.jsonl", contexts)
        for model in models:
            known = [
                one | {"repeat": 0, "status": "ok", "prompt_truncated": False} for one in asked
            ]
            answers = {"reasoning": None, "prompt_truncated_tokens": 0}
            write_jsonl(
                results / f"made/outputs/{model}/{length}.jsonl",
                (
                    one | answers | {"text": text(70), "reasoning": reasoning and text(400)}
                    for one in known
                ),
            )
            write_jsonl(results / f"made/scores/{model}/{length}.jsonl", map(scored, known))
    task = SimpleNamespace(
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        simulator=Component("__main__:Expected"),
        passages=None,
        parts={
            one: SimpleNamespace(sources={("contexts", one): f"made/contexts/{one}.jsonl"})
            for one in LENGTHS
        },
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


def scored(record: Record) -> Record:
    """A score's record."""
    points = {name: RNG.random() for name in ("format", "correct", "ori")}
    other = {"status": "ok", "points": points, "total": RNG.random()}
    rated = {"points": points, "total": RNG.random(), "extracted": {"ids": [RNG.randrange(999)]}}
    return record | rated | {"judge": None, "other_raters": {"corrected": other}}


class Expected:
    """A simulator for the reference's answers."""

    def reference(self, sample: object) -> str:
        """A text of an answer's length."""
        return text(70)


def table(models: Sequence[str]) -> Table:
    """A table of all models by all lengths."""
    rows = tuple((Cell(model), *(Cell(f"{RNG.random():.3f}") for _ in LENGTHS)) for model in models)
    columns = (Column("Model", align="l"), *map(Column, LENGTHS))
    return Table("made", "Made scores.", columns, (Section(rows),))


def made(run: FinishedRun, out: Path) -> Cut:
    """Writes a page as ``write_html_report`` does; how its texts are cut."""
    samples = pack_samples(run, LIMIT)
    pack = Pack()
    benchmark = {"name": "made", "title": "Made", "asked": "", "figures": [], "has_samples": True}
    about = {
        "format": FORMAT,
        "block": BLOCK,
        "trial": "",
        "published": False,
        "cut": samples.cut.about,
    }
    models = {model: model for model in run.evaluation.evaluated_models("made")}
    usage = {"usage": {"columns": [], "rows": []}, "provenances": [], "statuses": ["ok"]}
    pack.add(
        "run",
        {**about, **usage, "benchmarks": [benchmark], "models": models, "coverage": samples.counts},
    )
    pack.add("tables", [{"title": "Made", "tables": [table_data(table(list(models)))]}])
    write_text(out, page("made", [pack, samples.pack]))
    return samples.cut


def opened(path: Path) -> Iterator[tuple[str, float]]:
    """Seconds until a browser shows the first table, all answers, and a sample."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page()
        steps = {
            "first table": (lambda: shown.goto(path.as_uri()), "table"),
            "list of all answers": (lambda: shown.click("nav >> text=Samples"), "button.open"),
            "one sample": (lambda: shown.click("button.open"), "article"),
        }
        for name, (act, seen) in steps.items():
            start = time.perf_counter()
            act()
            shown.wait_for_selector(seen)
            yield name, time.perf_counter() - start
        browser.close()


def main() -> None:
    """Prints sizes and seconds."""
    collect_seldom()
    for number, reasoning in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder)
            out = Path(folder) / "report.html"
            run = written(results, [f"model-{one}" for one in range(number)], reasoning)
            start = time.perf_counter()
            used = time.process_time()
            cut = made(run, out)
            passed = time.perf_counter() - start
            used = time.process_time() - used
            kind = "with reasoning" if reasoning else "without reasoning"
            answers = number * len(LENGTHS) * PROMPTS
            print(f"{answers:,} answers {kind}: {out.stat().st_size / 1e6:.1f} MB, {cut}")
            print(f"  made in {passed:.1f} s, {used:.1f} s of CPU")
            for name, seconds in opened(out) if shutil.which("chromium") else ():
                print(f"  {name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
