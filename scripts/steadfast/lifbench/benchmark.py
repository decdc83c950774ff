"""LIFBench as the stages see it: parts are lengths; prompts refer to contexts and expressions."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steadfast.lifbench.tasks import RESOURCES, SCENARIOS, TASKS
from steadfast.registry import Sources

RESULTS = "results/lifbench"
METRICS = (
    "ars",
    "ifp",
    "ifs",
    "coverage",
    "comparisons",
    "variance",
    "depth",
    "rubrics",
    "headline",
)
SCORING_CODE = (
    "lifbench/rubric",
    "lifbench/scoring.py",
    "lifbench/gold.py",
    "lifbench/prompts.py",
    "lifbench/tasks.py",
    "files.py",
)
SCORING_FACTS = ("resources/lifbench/rubric.yaml",)


def parts(config: Any) -> list[str]:
    """The names of the lengths, shortest first."""
    return list(config.lifbench.lengths)


def tokens(config: Any, part: str) -> int:
    """The budget of a length."""
    return config.lifbench.lengths[part]


def scenarios(config: Any) -> list[str]:
    """The scenarios that the config's tasks need."""
    needed = {TASKS[task].scenario for task in config.lifbench.tasks}
    return [scenario for scenario in SCENARIOS if scenario in needed]


def tasks(config: Any) -> list[str]:
    """The config's tasks, in the order of the paper's tables."""
    return [task for task in TASKS if task in config.lifbench.tasks]


def seeds(config: Any) -> list[int]:
    """The seeds of the contexts of each scenario and length."""
    return list(range(config.seed, config.seed + config.lifbench.contexts_per_length))


def corpora(scenario: str) -> dict[str, str]:
    """The corpora that a scenario's contexts are made of, and their files."""
    from steadfast.lifbench.contexts import CORPORA_OF

    return {corpus: f"results/corpora/{corpus}.jsonl" for corpus in CORPORA_OF[scenario]}


def table_files() -> list[str]:
    """Names of the files that the tables are written to."""
    layout = yaml.safe_load((RESOURCES / "tables.yaml").read_text(encoding="utf-8"))
    return [f"{name}.{kind}" for name in layout["captions"] for kind in ("tex", "md", "csv")]


def inference_code(engine: str) -> tuple[str, ...]:
    """Rendering for every engine; what answers in its place for those without a model."""
    stand_ins = {
        "reference": ("lifbench/answers.py", "lifbench/gold.py"),
        "simulated": ("lifbench/answers.py", "lifbench/gold.py", "lifbench/readers.py"),
    }
    return ("lifbench/prompts.py", *stand_ins.get(engine, ()))


def sources(config: Any, part: str) -> dict[str, dict[str, str]]:
    """The contexts of a length and the expressions, by scenario and task."""
    return {
        "contexts": {
            scenario: f"{RESULTS}/contexts/{scenario}/{part}.jsonl"
            for scenario in scenarios(config)
        },
        "expressions": {task: f"{RESULTS}/expressions/{task}.json" for task in tasks(config)},
    }


def items(prompts: Path, sources: Sources) -> Iterator[Any]:
    """One item a prompt: D and what precedes X, X, and what follows it with the instruction."""
    from steadfast.engines.request import Item
    from steadfast.lifbench.prompts import load_part, render

    for prompt, context, scenario_prompt in load_part(prompts, **sources):
        head, text, tail = render(scenario_prompt, context["text"], prompt["instruction"])
        yield Item(
            sample_id=prompt["sample_id"],
            context_id=prompt["context_id"],
            head=head,
            context=text,
            tail=tail,
            max_tokens=prompt["max_tokens"],
        )


class LifbenchOracle:
    """Reference answers and simulated readings of one part's prompts."""

    def __init__(self, prompts: Path, sources: Sources):
        from steadfast.lifbench.prompts import load_part

        self._samples = {
            prompt["sample_id"]: (prompt, context)
            for prompt, context, _ in load_part(prompts, **sources)
        }

    def reference(self, sample_id: str) -> str:
        """The gold answer, written so that the released rubric gives it 1."""
        from steadfast.lifbench.answers import reference_answer

        return reference_answer(*self._samples[sample_id])

    def simulated(self, sample_id: str, reader: Any, seen: float, rng: Any) -> str:
        """What a reader answers, having seen that fraction of the context."""
        from steadfast.lifbench.readers import simulated_answer

        return simulated_answer(*self._samples[sample_id], reader, seen, rng)


oracle = LifbenchOracle


def scoring_settings(config: Any) -> dict[str, Any]:
    """The rubric that is chosen."""
    return {"rubric": config.lifbench.rubric}


def score_part(
    part: str,
    settings: Mapping[str, Any],
    prompts: Path,
    sources: Sources,
    outputs: Path,
    out: Path,
    verdicts: Mapping[str, Path],
) -> None:
    """Writes the scores of one model at one length; no model judges, so there are no verdicts."""
    from steadfast.lifbench.scoring import score_part

    score_part(prompts=prompts, **sources, outputs=outputs, **settings, length=part, out=out)
