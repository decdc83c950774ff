"""LIFBench's baseline by task and length, and the most that a fair rubric can give the same
answers.

The most: the points that a wrong answer earns by their very names (Table 6's weights), and of the
rest the share of the answer that is right. It is counted here from the answers and the contexts,
without any rubric.

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
    asked_fields,
    expected_element,
    expected_labels,
    fields,
)
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS, Rubric

# Points that an answer with wrong content earns, of Table 6's: it has the form, comes from the
# context, and has as many parts as asked for. Of OR's num, all but what counts key sentences; a
# wrong choice in OQ is worth nothing (docs/rubrics.md).
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


def right(prompt: Record, context: Record, answer: str) -> float:
    """The share of an answer that is right; of several parts, be they grouped or not, their F1."""
    given = fields(prompt)
    task = prompt["task"]
    match task:
        case "LSI" | "LOI" | "LOE":
            return float(answer == expected_element(prompt))
        case "LBI" | "LBE":
            places = [i for i, element in enumerate(context["elements"]) if element == answer]
            return float(any((place + 1 - given["id"]) * given["bias"] > 0 for place in places))
        case "OQ":
            key = any(s["text"] == given["evidence"] for s in _genuine(context))
            return float(answer == given["options"][0 if key else 1])
        case "LMI":
            return _f1(json.loads(answer), given["elements"])
        case "MB":
            labels = enumerate(expected_labels(prompt, context["documents"]), start=1)
            return _f1(json.loads(answer).items(), [(f"doc{n}", label) for n, label in labels])
        case "MF":
            groups = [asked_fields(prompt, context, group) for group in context["duplicate_groups"]]
            gold = [list(document.values()) for group in groups for document in group]
            return _f1([row for line in answer.split("\n") for row in json.loads(line)], gold)
        case "OR":
            texts = [(s["text"].replace("\n", " "), s["type"]) for s in _genuine(context)]
            rows = {f"{text} {given['sep']} {name}" for text, name in texts}
            return mean(line in rows for line in answer.split("\n"))
        case _:
            wanted = [s["text"] for s in _genuine(context) if f"<{s['type']}>" == given["type"]]
            return _f1(json.loads(answer), wanted)


def _genuine(context: Record) -> list[Record]:
    return [sentence for sentence in context["key_sentences"] if not sentence["fake"]]


def _f1(found: Collection[object], wanted: Collection[object]) -> float:
    both = len(found) + len(wanted)
    return 2 * sum(part in wanted for part in found) / both if both else 1.0


def measured(results: Path, model: str) -> dict[str, dict[tuple[str, str], float]]:
    """By the run's rubric, and under ``most``, the mean of each task and length of a model's
    answers; by the other rubric other answers are best."""
    found: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for scores in (results / "lifbench/scores" / model).glob("*.jsonl"):
        length = scores.stem
        files = (results / "lifbench/contexts").glob(f"*/{length}.jsonl")
        contexts = {one["context_id"]: one for file in files for one in read_jsonl(file)}
        prompts, outputs = (
            {one["sample_id"]: one for one in read_jsonl(results / "lifbench" / path)}
            for path in (f"prompts/{length}.jsonl", f"outputs/{model}/{length}.jsonl")
        )
        for record in read_jsonl(scores):
            prompt = prompts[record["sample_id"]]
            cell = (record["task"], length)
            answer = outputs[record["sample_id"]]["response"]
            share = right(prompt, contexts[prompt["context_id"]], answer)
            least = forced(prompt["task"])
            found["most"][cell].append(least + (1 - least) * share)
            found[record["rubric"]][cell].append(record["total"])
    return {
        name: {cell: mean(values) for cell, values in cells.items()}
        for name, cells in found.items()
    }


def table(cells: dict[str, dict[tuple[str, str], float]], rubric: str, lengths: list[str]) -> str:
    """A Markdown table of the baseline by a rubric; by the corrected one with the most, too."""
    weights = Rubric(rubric).weights

    def overall(name: str, length: str) -> float:
        weighted = (cells[name][task, length] * weight for task, weight in weights.items())
        return sum(weighted) / sum(weights.values())

    def cell(value: float, most: float) -> str:
        return f"{value:.3f} ({most:.3f})" if rubric == "corrected" else f"{value:.3f}"

    rows = [[rubric, "weights force", *lengths], ["---"] * (2 + len(lengths))]
    for task in TASKS:
        found = (cell(cells[rubric][task, at], cells["most"][task, at]) for at in lengths)
        rows.append([task, f"{forced(task, rubric):.2f}", *found])
    found = (cell(overall(rubric, at), overall("most", at)) for at in lengths)
    rows.append(["ARS", "", *found])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("model")
    given = parser.parse_args()
    cells = measured(given.results, given.model)
    lengths = list(dict.fromkeys(at for _, at in cells["most"]))
    lengths.sort(key=lambda name: int("".join(filter(str.isdigit, name))))
    (rubric,) = cells.keys() & RUBRICS.keys()
    print(table(cells, rubric, lengths))


if __name__ == "__main__":
    main()
