"""What people are to judge: whole clusters of answers, spread over the strata by a seed alone.

They come as a sheet (CSV) and as a page that needs no network.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import pandas as pd

from steadfast.base.files import read_text, write_text
from steadfast.base.resources import resource
from steadfast.contract.components import Question, Sample
from steadfast.contract.records import OutputRecord
from steadfast.contract.request import ANSWERED
from steadfast.contract.task import Task
from steadfast.jobs.finished import FinishedPart
from steadfast.stats.raters import SHEET


class ToLabel(NamedTuple):
    """One answer that somebody is to judge; its sample's name is as a label has it."""

    model: str
    sample_id: str
    instruction: str
    answer: str
    questions: Sequence[Question]


def clusters_in_order(strata: Mapping[str, str], seed: int) -> list[str]:
    """Returns clusters in the order of labelling: any first ones are spread over the strata."""
    rng = Random(f"labels/{seed}")
    by_stratum: dict[str, list[str]] = defaultdict(list)
    for cluster in sorted(strata):
        by_stratum[strata[cluster]].append(cluster)
    places: dict[str, float] = {}
    for names in by_stratum.values():
        rng.shuffle(names)
        # A start of its own, so that of equal strata none always comes first.
        start = rng.random()
        places |= {name: (place + start) / len(names) for place, name in enumerate(names)}
    return sorted(places, key=lambda name: (places[name], name))


def takes_labels(task: Task) -> bool:
    """Whether people can answer its judges' questions."""
    return task.judging is not None and task.judging.questions is not None


def drawn(part: FinishedPart, models: Sequence[str], number: int, seed: int) -> list[list[ToLabel]]:
    """Returns the answers of the first clusters, cluster by cluster, until there are so many."""
    by_cluster: dict[str, list[SampleToLabel]] = defaultdict(list)
    judging = part.task.judging
    assert judging and judging.questions, "people can be asked"
    for sample in part.samples:
        if questions := judging.questions.make(sample):
            name = judging.label_id.format(part=sample.part, sample_id=sample.id)
            by_cluster[sample.prompt["context_id"]].append(SampleToLabel(name, sample, questions))
    strata = {name: str(answers[0].sample.prompt["task"]) for name, answers in by_cluster.items()}
    outputs = {model: part.outputs(model) for model in models}
    clusters: list[list[ToLabel]] = []
    for cluster in clusters_in_order(strata, seed):
        answers = list(_answers(by_cluster[cluster], outputs))
        Random(f"labels/{seed}/{cluster}").shuffle(answers)
        if answers:
            clusters.append(answers)
        if sum(map(len, clusters)) >= number:
            break
    return clusters


class SampleToLabel(NamedTuple):
    """A sample, by its name in labels, and the questions about each response to it."""

    name: str
    sample: Sample
    questions: Sequence[Question]


def _answers(
    asked: Sequence[SampleToLabel], outputs: Mapping[str, Mapping[str, OutputRecord]]
) -> Iterator[ToLabel]:
    for model, by_sample in outputs.items():
        for name, sample, questions in asked:
            output = by_sample.get(sample.id)
            if output and output["status"] in ANSWERED:
                turns = "\n\n".join(turn.prompt["instruction"] for turn in sample.turns)
                yield ToLabel(model, name, turns, output["response"], questions)


def write_sheet(answers: Sequence[ToLabel], title: str, folder: Path, name: str) -> list[Path]:
    """Writes ``{name}.csv`` and ``{name}.html``, and returns them.

    Neither has a verdict or a score. The page does not show whose answer it is.
    """
    sheet = folder / f"{name}.csv"
    page = folder / f"{name}.html"
    rows = [
        {
            "instruction": _safe(answer.instruction),
            "answer": _safe(answer.answer),
            "asked": _safe(question.text),
            "question": question.key,
            "sample_id": answer.sample_id,
            "model": answer.model,
        }
        for answer in answers
        for question in answer.questions
    ]
    text = pd.DataFrame(rows, columns=list(SHEET)).to_csv(index=False, lineterminator="\n")
    write_text(sheet, "\ufeff" + text)  # so that spreadsheets take it for UTF-8
    lines = [
        answer._asdict() | {"questions": [question._asdict() for question in answer.questions]}
        for answer in answers
    ]
    data = json.dumps({"title": title, "name": name, "answers": lines}, ensure_ascii=False)
    html = read_text(resource("label/page.html"))
    write_text(page, html.replace("{{data}}", data.replace("<", "\\u003c")))
    return [sheet, page]


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
