"""What the rules do for ComplexBench, with the engines, in a folder; no Snakemake."""

from pathlib import Path

import pandas as pd

from steadfast.complexbench import benchmark as complexbench
from steadfast.config import (
    answer_settings,
    display,
    judge_settings,
    load_config,
    model_settings,
    operation_settings,
    replay_file,
)
from steadfast.engines.run import run_part
from steadfast.files import Record, read_jsonl
from steadfast.judging.requests import items as judge_items
from steadfast.judging.requests import reader
from steadfast.registry import judge_attempts

ROOT = Path(__file__).resolve().parents[2]
MODELS = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated", "slip": 0.4}}
JUDGES = {"ref": {"engine": "reference"}}


class Rails:
    """A run from a config; each stage is a method, and ``all`` runs them.

    Args:
        folder: for the files.
        settings: of the section ``complexbench``.
        more: other sections of the config.
    """

    def __init__(self, folder: Path, settings: Record, **more: Record):
        raw = {"benchmarks": ["complexbench"], "models": MODELS, "judges": JUDGES}
        self.folder = folder
        self.config = load_config({**raw, "complexbench": settings, **more})
        self.parts = complexbench.parts(self.config)
        for language in complexbench.languages(self.config):
            complexbench.write_data(
                complexbench.data_settings(self.config, language),
                language,
                folder / f"data/{language}.jsonl",
            )
        for part in self.parts:
            complexbench.write_prompts(part, self.sources(part), self.prompts(part))

    def sources(self, part: str) -> dict[str, dict[str, Path]]:
        named = complexbench.sources(self.config, part)["data"]
        return {
            "data": {name: self.folder / "data" / Path(path).name for name, path in named.items()}
        }

    def prompts(self, part: str) -> Path:
        return self.folder / f"prompts/{part}.jsonl"

    def path(self, *steps: str) -> Path:
        return self.folder.joinpath(*steps[:-1], f"{steps[-1]}.jsonl")

    def answer(self, model: str, part: str) -> Path:
        chosen, prompts = model_settings(self.config, model), self.prompts(part)
        operation = operation_settings(chosen)
        if replay := replay_file(self.config, model, "complexbench", part):
            operation |= {"file": replay, "fields": chosen.fields}
        out = self.path("outputs", model, part)
        self._run(
            model,
            answer_settings(chosen),
            operation,
            complexbench.items(prompts, self.sources(part)),
            complexbench.oracle(prompts, self.sources(part)),
            out,
        )
        return out

    def judge(self, model: str, part: str, judge: str) -> Path:
        judging = self.path("judging", model, part)
        templates = complexbench.templates(self.config)
        complexbench.write_judge_prompts(
            part,
            self.prompts(part),
            self.sources(part),
            self.path("outputs", model, part),
            {name: ROOT / path for name, path in templates.items()},
            complexbench.judge_settings(self.config),
            judging,
        )
        chosen = judge_settings(self.config, judge)
        out = self.path("verdicts", judge, model, part)
        self._run(
            judge,
            answer_settings(chosen),
            operation_settings(chosen),
            judge_items(judging),
            complexbench.judge_oracle(judging),
            out,
            readable=reader(judging, complexbench.readable),
            attempts=judge_attempts(self.config, "complexbench"),
        )
        return out

    def _run(self, model, answers, operation, items, oracle, out: Path, **more) -> None:
        run_part(
            model=model,
            answers=answers,
            operation=operation,
            items=items,
            oracle=oracle,
            journal=out.with_suffix(".journal"),
            out=out,
            identity_out=out.with_suffix(".identity.json"),
            log=self.folder / "log",
            **more,
        )

    def score(self, model: str, part: str) -> list[Record]:
        out = self.path("scores", model, part)
        complexbench.score_part(
            part,
            complexbench.scoring_settings(self.config),
            self.prompts(part),
            self.sources(part),
            self.path("outputs", model, part),
            out,
            {name: self.path("verdicts", name, model, part) for name in self.config.judges},
        )
        return list(read_jsonl(out))

    def metrics(self) -> dict[str, Path]:
        outs = {name: self.folder / f"metrics/{name}.csv" for name in complexbench.METRICS}
        complexbench.compute_metrics(
            {(m, p): self.path("scores", m, p) for m in self.config.models for p in self.parts},
            {part: self.sources(part) for part in self.parts},
            complexbench.metrics_settings(self.config),
            complexbench.metrics_files(self.config),
            outs,
        )
        return outs

    def tables(self, metrics: dict[str, Path]) -> Path:
        settings = complexbench.tables_settings(self.config)
        shown = display(self.config)
        complexbench.build_tables(metrics, shown, settings, self.folder / "tables")
        (self.folder / "figures").mkdir()
        figures = {name: self.folder / f"figures/{name}.png" for name in complexbench.FIGURES}
        complexbench.draw_figures(metrics, shown, figures)
        return self.folder / "tables"

    def all(self) -> dict[str, pd.DataFrame]:
        """Everything; the metrics by name."""
        for model in self.config.models:
            for part in self.parts:
                self.answer(model, part)
                for judge in self.config.judges:
                    self.judge(model, part, judge)
                self.score(model, part)
        metrics = self.metrics()
        self.tables(metrics)
        return {name: pd.read_csv(path) for name, path in metrics.items()}
