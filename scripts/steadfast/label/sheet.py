"""What people are to judge: whole clusters of answers, spread over the strata by a seed alone.

They come as a sheet (CSV) and as a page that needs no network.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from steadfast.base.files import Record, read_text, write_text
from steadfast.base.resources import resource
from steadfast.contract.components import Question, Sample
from steadfast.contract.records import OutputRecord
from steadfast.contract.request import ANSWERED
from steadfast.run.finished import FinishedPart
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


def drawn(part: FinishedPart, models: Sequence[str], number: int, seed: int) -> list[list[ToLabel]]:
    """Returns the answers of the first clusters, cluster by cluster, until there are so many."""
    judging = part.task.judging
    if judging is None or judging.questions is None:
        return []
    questions = {sample.id: judging.questions.make(sample) for sample in part.samples}
    samples = [sample for sample in part.samples if questions[sample.id]]
    outputs = {model: part.outputs(model) for model in models}
    by_cluster: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_cluster[sample.prompt["context_id"]].append(sample)
    strata = {name: str(of[0].prompt["task"]) for name, of in by_cluster.items()}
    found: list[list[ToLabel]] = []
    count = 0
    for cluster in clusters_in_order(strata, seed):
        answers = list(_answers(judging.label_id, by_cluster[cluster], outputs, questions))
        Random(f"labels/{seed}/{cluster}").shuffle(answers)
        if answers:
            found.append(answers)
            count += len(answers)
        if count >= number:
            break
    return found


def _answers(
    label_id: str,
    samples: Sequence[Sample],
    outputs: Mapping[str, Mapping[str, OutputRecord]],
    questions: Mapping[str, Sequence[Question]],
) -> Iterator[ToLabel]:
    for model, of_model in outputs.items():
        for sample in samples:
            output = of_model.get(sample.id)
            if output is None or output["status"] not in ANSWERED:
                continue
            turns = [turn.prompt["instruction"] for turn in sample.turns]
            name, said = label_id.format(part=sample.part, sample_id=sample.id), output["text"]
            yield ToLabel(model, name, "\n\n".join(turns), said, questions[sample.id])


def write_sheet(answers: Sequence[ToLabel], title: str, folder: Path, name: str) -> list[Path]:
    """Writes ``{name}.csv`` and ``{name}.html``, and returns them.

    Neither has a verdict or a score. The page does not show whose answer it is.
    """
    sheet, page = (folder / f"{name}.{kind}" for kind in ("csv", "html"))
    write_text(sheet, "\ufeff" + _csv(answers))  # so that spreadsheets take it for UTF-8
    data = {"title": title, "name": name, "answers": list(map(_shown, answers))}
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    html = read_text(resource("label/page.html"))
    write_text(page, html.replace("{{data}}", text))
    return [sheet, page]


def _csv(answers: Iterable[ToLabel]) -> str:
    text = io.StringIO()
    rows = csv.DictWriter(text, SHEET, lineterminator="\n")
    rows.writeheader()
    for one in answers:
        for question in one.questions:
            rows.writerow(
                {
                    "instruction": _safe(one.instruction),
                    "answer": _safe(one.answer),
                    "asked": _safe(question.text),
                    "verdict": "",
                    "rater": "",
                    "question": question.key,
                    "sample_id": one.sample_id,
                    "model": one.model,
                }
            )
    return text.getvalue()


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _shown(one: ToLabel) -> Record:
    return one._asdict() | {"questions": [question._asdict() for question in one.questions]}
