"""Seeds give the contexts and variables that they gave before: responses to them are paid for."""

import hashlib
from pathlib import Path
from random import Random

import pytest

from steadfast.base.files import json_line, write_jsonl
from steadfast.benchmarks.lifbench.expressions import sampling_space
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.variables import sample_settings
from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of

TEXT = "the old river keeps its name while seven boats leave this quiet town at dawn"
# A change here makes journals worthless: responses to the prompts would be requested anew.
DIGESTS = {
    "list": "23d8d944f0857bb624cf92a78489f8ddbca05f9a72887cf10b7fded7c7932295",
    "multidoc": "c350e13ac4cd63809830861c171f3dc12c8521919589aeec43e8f00d1392e34d",
    "onedoc": "865e1b849e5b2b297353d3417d65cc265193b56ee2fa9a7115acc4a13b957ff0",
}
MODULES = {"list": lists, "multidoc": multidoc, "onedoc": onedoc}


def plain_corpora(folder: Path, scenario: str) -> dict[str, Path]:
    """Corpora that depend on no other library; some records have neither title nor date."""
    paths = {name: folder / name for name in facts_of(scenario)["corpora"]}
    sentences_each, size = (1, 2000) if scenario == "list" else (60, 60)
    for name, path in paths.items():
        rng = Random(name)
        records = []
        for number in range(size):
            sentences = []
            for _ in range(sentences_each):
                words = " ".join(rng.choices(TEXT.split(), k=rng.randint(2, 14)))
                sentences.append(f"{words.capitalize()} {rng.randrange(10_000)}.")
            title, date = (f"No. {number}", "May 2004") if number % 5 else (None, None)
            text = " ".join(sentences)
            records.append({"id": f"r{number}", "title": title, "date": date, "text": text})
        write_jsonl(path, records)
    return paths


@pytest.mark.parametrize("scenario", DIGESTS)
def test_contexts_and_variables_of_a_seed_never_change(tmp_path, scenario):
    corpora = plain_corpora(tmp_path, scenario)
    digest = hashlib.sha256()
    for budget, nested in ((3072, True), (30_000, False)):
        (context,) = MODULES[scenario].contexts(
            corpora, "4k", budget, [1], "o200k_base", nested=nested
        )
        digest.update(json_line(context).encode())
        for task in TASKS.values():
            if task.scenario == scenario:
                settings = sample_settings(task, sampling_space(task), context, seed=1)
                digest.update(json_line({task.id: settings}).encode())
    assert digest.hexdigest() == DIGESTS[scenario]
