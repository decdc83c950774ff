"""FollowBench's runs in memory, with models and judges that need none, and the recorded cases."""

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
"""What model real-b did not answer."""


@cache
def run(
    source: str = "synthetic",
    language: str = "en",
    mode: str = "strict",
    ways: Sequence[str] = ("path",),
) -> JudgedRun:
    """One language of generated data, or of the released data (source local)."""
    section = {"source": source, "languages": [language], "judge_prompts": list(ways)}
    if source == "local":
        section["directory"] = str(released_folder("followbench", "data"))
    return JudgedRun("followbench", section, mode)


@cache
def scored(
    source: str = "synthetic", models: Sequence[str] = MODELS
) -> tuple[list[Scored], dict[str, Data]]:
    """The scores of the models by two judges in both languages, and the data.

    The judge that counts first errs on sim-c alone, the second on all.
    """
    scores = []
    data = {}
    for language in LANGUAGES:
        of_language = run(source, language)
        data |= of_language.data
        for model in models:
            lost = {REFUSED: {"status": "refused", "text": ""}} if model == "real-b" else {}
            answers = of_language.answers(language, model, lost)
            replies = {
                "first": of_language.replies(
                    language, answers, "first" if model == "sim-c" else "reference"
                ),
                "second": of_language.replies(language, answers, "second"),
            }
            records = of_language.scores(language, answers, **replies).values()
            scores += [Scored(model, language, record) for record in records]
    return scores, data


def frames(labels: Labels | None = None, languages: Sequence[str] = LANGUAGES) -> Frames:
    """The metrics of ``scored`` in some languages."""
    scores, data = scored()
    chosen = [one for one in scores if one.part in languages]
    of_chosen = {language: data[language] for language in languages}
    temperatures = {"real-a": ("real-a", 0.7), "real-b": ("real-a", 0.0)}
    return metrics(iter(chosen), of_chosen, labels, languages, JUDGES, temperatures=temperatures)
