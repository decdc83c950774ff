"""LIFBench's baseline by task and length, and the highest score of a fair rubric for its responses.

The highest score: the points that a wrong response earns by their names (Table 6's weights), and of
the other points the correct share of the response. It is computed here from the responses and the
contexts, without any rubric.

Run, after a workflow run with a model of engine baseline:
``PYTHONPATH=scripts python bench/baseline.py RESULTS MODEL``; RESULTS is its folder of results.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path
from statistics import mean

from steadfast.base.files import Record, read_jsonl
from steadfast.benchmarks.lifbench.expected import (
    expected_element,
    expected_labels,
    fields,
    requested_fields,
)
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric

# Points of Table 6 that a response with wrong content earns: it has the form, comes from the
# context, and has the requested number of parts. Of OR's num, all but the count of key sentences; a
# wrong choice in OQ scores nothing (docs/rubrics.md).
EARNED = {
    **dict.fromkeys(("LSI", "LOI", "LOE"), ("format", "ori")),
    **dict.fromkeys(("LBI", "LBE"), ("format", "ori")),
    "LMI": ("format", "num"),
    "MB": ("format", "candi_ori", "num_doc"),
    "MF": ("format", "ori", "num_text"),
    "OR": ("format", "ori", "num"),
    "OQ": (),
    "OE": ("format", "ori"),
}
NUM_OF_SENTENCES = 5 / 3  # of OR's num


def forced(task: str, rubric: str = "corrected") -> float:
    """The share of a task's total, by a rubric's weights, that wrong content earns."""
    points = RUBRICS[rubric][task]
    earned = sum(points[name].weight for name in EARNED[task])
    return (earned - NUM_OF_SENTENCES * (task == "OR")) / Rubric(rubric).total_weight(task)


def correct_share(prompt: Record, context: Record, answer: str) -> float:
    """The correct share of a response; of several parts, also of grouped ones, their F1."""
    prompt_fields = fields(prompt)
    task = prompt["task"]
    match task:
        case "LSI" | "LOI" | "LOE":
            return float(answer == expected_element(prompt))
        case "LBI" | "LBE":
            for position, element in enumerate(context["elements"], start=1):
                side = (position - prompt_fields["id"]) * prompt_fields["bias"]
                if element == answer and side > 0:
                    return 1.0
            return 0.0
        case "OQ":
            texts = [sentence["text"] for sentence in _genuine(context)]
            option = 0 if prompt_fields["evidence"] in texts else 1
            return float(answer == prompt_fields["options"][option])
        case "LMI":
            return _f1(json.loads(answer), prompt_fields["elements"])
        case "MB":
            labels = expected_labels(prompt, context["documents"])
            names = [f"doc{number}" for number in range(1, len(labels) + 1)]
            return _f1(json.loads(answer).items(), list(zip(names, labels, strict=True)))
        case "MF":
            expected_rows = []
            for group in context["duplicate_groups"]:
                documents = requested_fields(prompt, context, group)
                expected_rows += [list(document.values()) for document in documents]
            answered_rows = []
            for line in answer.split("\n"):
                answered_rows += json.loads(line)
            return _f1(answered_rows, expected_rows)
        case "OR":
            expected_lines = set()
            for sentence in _genuine(context):
                text = sentence["text"].replace("\n", " ")
                expected_lines.add(f"{text} {prompt_fields['sep']} {sentence['type']}")
            return mean(line in expected_lines for line in answer.split("\n"))
        case _:
            sentences = _genuine(context)
            asked_type = prompt_fields["type"]
            texts = [s["text"] for s in sentences if f"<{s['type']}>" == asked_type]
            return _f1(json.loads(answer), texts)


def _genuine(context: Record) -> list[Record]:
    return [sentence for sentence in context["key_sentences"] if not sentence["fake"]]


def _f1(answered: Collection[object], expected: Collection[object]) -> float:
    size = len(answered) + len(expected)
    return 2 * sum(part in expected for part in answered) / size if size else 1.0


def measured(results: Path, model: str) -> dict[str, dict[tuple[str, str], float]]:
    """The mean of each task and length by the run's rubric, and the highest under ``highest``.

    By the other rubric other responses are best.
    """
    totals: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for scores in (results / "lifbench/scores" / model).glob("*.jsonl"):
        length = scores.stem
        contexts = {}
        for file in (results / "lifbench/contexts").glob(f"*/{length}.jsonl"):
            contexts |= _records(file, "context_id")
        prompts = _records(results / f"lifbench/prompts/{length}.jsonl", "sample_id")
        outputs = _records(results / f"lifbench/outputs/{model}/{length}.jsonl", "sample_id")
        for record in read_jsonl(scores):
            prompt = prompts[record["sample_id"]]
            cell = (record["task"], length)
            answer = outputs[record["sample_id"]]["response"]
            share = correct_share(prompt, contexts[prompt["context_id"]], answer)
            lowest = forced(prompt["task"])
            totals["highest"][cell].append(lowest + (1 - lowest) * share)
            totals[record["rubric"]][cell].append(record["total"])
    means: dict[str, dict[tuple[str, str], float]] = {}
    for name, cells in totals.items():
        means[name] = {cell: mean(values) for cell, values in cells.items()}
    return means


def _records(path: Path, key: str) -> dict[str, Record]:
    return {record[key]: record for record in read_jsonl(path)}


def table(cells: dict[str, dict[tuple[str, str], float]], rubric: str, lengths: list[str]) -> str:
    """A Markdown table of the baseline by a rubric; for corrected, with the highest score."""
    weights = Rubric(rubric).weights

    def overall(name: str, length: str) -> float:
        weighted = (cells[name][task, length] * weight for task, weight in weights.items())
        return sum(weighted) / sum(weights.values())

    def cell(value: float, highest: float) -> str:
        return f"{value:.3f} ({highest:.3f})" if rubric == "corrected" else f"{value:.3f}"

    rows = [[rubric, "weights force", *lengths], ["---"] * (2 + len(lengths))]
    for task in TASKS:
        row = [task, f"{forced(task, rubric):.2f}"]
        for length in lengths:
            row.append(cell(cells[rubric][task, length], cells["highest"][task, length]))
        rows.append(row)
    ars = [cell(overall(rubric, length), overall("highest", length)) for length in lengths]
    rows.append(["ARS", "", *ars])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("model")
    arguments = parser.parse_args()
    cells = measured(arguments.results, arguments.model)
    lengths = list(dict.fromkeys(length for _, length in cells["highest"]))
    lengths.sort(key=lambda name: int("".join(filter(str.isdigit, name))))
    (rubric,) = cells.keys() & RUBRICS.keys()
    print(table(cells, rubric, lengths))


if __name__ == "__main__":
    main()
