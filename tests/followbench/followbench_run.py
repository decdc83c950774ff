"""FollowBench in memory, with simulated models and judges."""

from collections.abc import Sequence
from functools import cache

import pytest

from judged_run import JudgedRun
from released_files import released_folder
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.metrics import metrics
from steadfast.contract.components import Data, Frames, Labels, Scored

IMPOSSIBLE = facts("followbench/impossible.yaml")
LANGUAGES = ("en", "zh")
BOTH = pytest.mark.parametrize("language", LANGUAGES)

MODELS = ("reference", "real-a", "real-b", "sim-c")
JUDGES = ("first", "second")
REFUSED = "en/style/1/2"
"""The sample that model real-b refused."""


@cache
def run(
    source: str = "synthetic",
    language: str = "en",
    mode: str = "strict",
    judge_prompts: Sequence[str] = ("path",),
) -> JudgedRun:
    """One language of generated data, or of the released data (source local)."""
    section = {"source": source, "languages": [language], "judge_prompts": list(judge_prompts)}
    if source == "local":
        section["directory"] = str(released_folder("followbench", "data"))
    return JudgedRun("followbench", section, mode)


@cache
def scored(
    source: str = "synthetic", models: Sequence[str] = MODELS
) -> tuple[list[Scored], dict[str, Data]]:
    """The scores of the models by two judges in both languages, and the data.

    The first judge errs on sim-c only, the second on all models.
    """
    scores = []
    data = {}
    for language in LANGUAGES:
        judged = run(source, language)
        data |= judged.data
        for model in models:
            changes = {REFUSED: {"status": "refused", "text": ""}} if model == "real-b" else {}
            answers = judged.answers(language, model, changes)
            how_first = "first" if model == "sim-c" else "reference"
            first = judged.replies(language, answers, how_first)
            second = judged.replies(language, answers, "second")
            records = judged.scores(language, answers, first=first, second=second)
            scores += [Scored(model, language, record) for record in records.values()]
    return scores, data


def frames(labels: Labels | None = None, languages: Sequence[str] = LANGUAGES) -> Frames:
    """The metrics of ``scored`` in some languages."""
    scores, data = scored()
    scores = [score for score in scores if score.part in languages]
    data = {language: data[language] for language in languages}
    temperatures = {"real-a": ("real-a", 0.7), "real-b": ("real-a", 0.0)}
    return metrics(iter(scores), data, labels, languages, JUDGES, temperatures=temperatures)
