"""The variables of the published prompts, sampled as the benchmark's own generator samples them.

It seeds Python's ``random`` with 0 once, and samples task by task in the order of tasks.json,
within a task length by length, within a length anew for each expression. Tasks over lists seed it
with 0 again for each sample, so that all their expressions have the same settings; those over a
document follow each other in one stream through all lengths.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from random import Random
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.base.tokens import fingerprint
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.benchmarks.lifbench.variables import Setting, index_list, position, too_small

SEED = 0
EDGE = 10  # elements at either end of a list that have two positions of their own
SIZES = range(2, 11)  # of LMI's lists
LISTS = COMBINED = 5  # of LMI; settings of OR and OE
PAIRS = 2  # positions of each section; sentences of each kind
LEAST_ELEMENTS = 2 * EDGE + 1 + PAIRS  # of a list with two positions between its ends
SETTINGS_FIELD = "drawn"  # field of a document's context


def released_settings(
    task: Task, space: Settings, context: Record, expression: int
) -> list[Setting]:
    """Returns the settings of a task's variables for a released context and expression."""
    if task.scenario == "list":
        elements = context["elements"]
        if len(elements) < LEAST_ELEMENTS:
            raise too_small(task, context, f"only {len(elements)} elements")
        if task.id == "LMI":
            return [index_list(elements, indices) for indices in _index_lists(len(elements))]
        return [position(task, elements, index) for index in _positions(len(elements))]
    if task.scenario == "multidoc":
        return [(dict(setting), {}) for setting in space["settings"]]
    # The context's file has lists in place of tuples.
    return list(map(tuple, context[SETTINGS_FIELD][task.id][expression]))


def _positions(size: int) -> Iterator[int]:
    rng = Random(SEED)
    sections = (1, EDGE + 1), (EDGE + 1, size - EDGE), (size - EDGE, size - 1)
    for start, end in sections:
        yield from rng.sample(range(start, end), PAIRS)


def _index_lists(size: int) -> list[list[int]]:
    rng = Random(SEED)
    sizes = sorted(rng.sample(SIZES, LISTS))
    return [rng.sample(range(size), number) for number in sizes]


def document_settings(
    templates: Record,
    inputs: Sequence[Record],
    sentences: Mapping[int, Sequence[str]] | None = None,
) -> dict[int, dict[str, list[list[Setting]]]]:
    """Returns the settings of OR, OE and OQ: by length and task, for each expression."""
    rng = Random(SEED)
    settings: dict[int, dict[str, list[list[Setting]]]] = defaultdict(dict)
    tasks = {name: task for task, name in facts("lifbench/released.yaml")["names"].items()}
    for name, meta in templates["onedoc"]["subtasks"].items():
        for entry in inputs:
            length = entry["length"]
            sample = partial(_combined, rng, meta["params"])
            if tasks[name] == "OQ":
                pool = sentences[length] if sentences else KnownSentences(entry)
                sample = partial(_evidence, rng, meta["params"], entry, pool)
            settings[length][tasks[name]] = [sample() for _ in meta["instructions"]]
    return settings


def _combined(rng: Random, params: Mapping[str, Sequence[Any]]) -> list[Setting]:
    combinations = rng.sample(list(product(*params.values())), COMBINED)
    return [(dict(zip(params, values, strict=True)), {}) for values in combinations]


def _evidence(
    rng: Random, params: Settings, entry: Record, sentences: Sequence[str]
) -> list[Setting]:
    by_truth: dict[bool, list[str]] = defaultdict(list)
    for text, *_, is_true in chain.from_iterable(entry["label"].values()):
        by_truth[is_true].append(text)
    # The true ones are sampled first, then the fake, then ordinary ones, one by one.
    texts = rng.sample(by_truth[True], PAIRS)
    texts += rng.sample(by_truth[False], PAIRS)
    keys = list(texts)
    while len(texts) < 3 * PAIRS:
        [sentence] = rng.sample(sentences, 1)
        if sentence not in keys:
            texts.append(sentence)
    options = params["options"]
    start = rng.randint(0, len(options))  # both ends: the first pair is likelier to begin
    settings: list[Setting] = []
    for index, text in enumerate(texts):
        kind = ("true", "fake", "ordinary")[index // PAIRS]
        option = options[(start + index) % len(options)]
        settings.append(({"evidence": text, "options": option}, {"kind": kind}))
    return settings


class KnownSentences(Sequence[str]):
    """The sentences of a released text that the generator samples."""

    def __init__(self, entry: Record):
        self._text = entry["input_text"]
        sentences_of_length = facts("lifbench/released_sentences.yaml").get(entry["length"])
        if sentences_of_length is None or fingerprint(self._text) != sentences_of_length["sha256"]:
            raise UserError(
                f"onedoc_input.json: the context of length {entry['length']} is not the published "
                "one, so that the key sentences of OQ cannot be found; fetch the file again"
            )
        self._count: int = sentences_of_length["sentences"]
        self._spans: Mapping[int, Sequence[int]] = sentences_of_length["sampled"]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        start, end = self._spans[index]
        return self._text[start:end]
