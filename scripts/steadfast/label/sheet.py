"""Responses for people to label: whole clusters, spread over the strata by a seed alone.

They are written as a sheet (CSV) and as a page that needs no network.
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
from steadfast.show.render import escape_csv
from steadfast.stats.raters import SHEET


class ResponseToLabel(NamedTuple):
    """One response to label; its sample's name is as in the labels."""

    model: str
    sample_id: str
    instruction: str
    answer: str
    questions: Sequence[Question]


class SampleToLabel(NamedTuple):
    """A sample, by its name in labels, and the questions about each response to it."""

    name: str
    sample: Sample
    questions: Sequence[Question]


def clusters_in_order(strata: Mapping[str, str], seed: int) -> list[str]:
    """Returns clusters in the order of labelling: any first n cover the strata evenly."""
    rng = Random(f"labels/{seed}")
    by_stratum: dict[str, list[str]] = defaultdict(list)
    for cluster in sorted(strata):
        by_stratum[strata[cluster]].append(cluster)
    positions: dict[str, float] = {}
    for names in by_stratum.values():
        rng.shuffle(names)
        # Position of cluster i of n:  (i + u) ÷ n, with a random u of each stratum, so that strata
        # are mixed evenly and none of equal ones always comes first.
        offset = rng.random()
        for index, name in enumerate(names):
            positions[name] = (index + offset) / len(names)
    return sorted(positions, key=lambda name: (positions[name], name))


def can_be_labelled(task: Task) -> bool:
    """Whether people can label a benchmark's responses."""
    return task.judging is not None and task.judging.questions is not None


def sample_responses(
    part: FinishedPart, models: Sequence[str], number: int, seed: int
) -> list[list[ResponseToLabel]]:
    """Returns the answers of the first clusters, cluster by cluster, until there are so many."""
    judging = part.task.judging
    assert judging and judging.questions, "checked by can_be_labelled"
    by_cluster: dict[str, list[SampleToLabel]] = defaultdict(list)
    strata: dict[str, str] = {}
    for sample in part.samples:
        if questions := judging.questions.make(sample):
            name = judging.label_id.format(part=sample.part, sample_id=sample.id)
            cluster = sample.prompt["context_id"]
            by_cluster[cluster].append(SampleToLabel(name, sample, questions))
            strata.setdefault(cluster, str(sample.prompt["task"]))
    outputs = {model: part.outputs(model) for model in models}
    clusters: list[list[ResponseToLabel]] = []
    for cluster in clusters_in_order(strata, seed):
        answers = list(_answers(by_cluster[cluster], outputs))
        # By a seed of the cluster's name: a larger number adds clusters and reorders none.
        Random(f"labels/{seed}/{cluster}").shuffle(answers)
        if answers:
            clusters.append(answers)
        if sum(map(len, clusters)) >= number:
            break
    return clusters


def _answers(
    samples: Sequence[SampleToLabel], outputs: Mapping[str, Mapping[str, OutputRecord]]
) -> Iterator[ResponseToLabel]:
    """All models' responses to the samples; requests that failed have none."""
    for model, model_outputs in outputs.items():
        for name, sample, questions in samples:
            output = model_outputs.get(sample.id)
            if output and output["status"] in ANSWERED:
                turns = "\n\n".join(turn.prompt["instruction"] for turn in sample.turns)
                yield ResponseToLabel(model, name, turns, output["response"], questions)


def write_sheet(
    answers: Sequence[ResponseToLabel], title: str, folder: Path, name: str
) -> list[Path]:
    """Writes ``{name}.csv`` and ``{name}.html``, and returns them.

    Neither has a verdict or a score. The page does not show whose answer it is.
    """
    sheet = folder / f"{name}.csv"
    page = folder / f"{name}.html"
    rows: list[dict[str, str]] = []
    entries = []
    for answer in answers:
        instruction = escape_csv(answer.instruction)
        response = escape_csv(answer.answer)
        names = {"sample_id": answer.sample_id, "model": answer.model}
        questions = []
        for question in answer.questions:
            texts = {"instruction": instruction, "answer": response}
            texts |= {"asked": escape_csv(question.text), "question": question.key}
            rows.append(texts | names)
            questions.append(question._asdict())
        entries.append(answer._asdict() | {"questions": questions})
    text = pd.DataFrame(rows, columns=list(SHEET)).to_csv(index=False, lineterminator="\n")
    write_text(sheet, "\ufeff" + text)  # so that spreadsheets take it for UTF-8
    data = json.dumps({"title": title, "name": name, "answers": entries}, ensure_ascii=False)
    html = read_text(resource("label/page.html"))
    # A response with "</script>" would end the page's script; escaped, it is the same JSON.
    write_text(page, html.replace("{{data}}", data.replace("<", "\\u003c")))
    return [sheet, page]
