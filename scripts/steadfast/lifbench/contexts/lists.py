"""List contexts: numbered UUIDs and instructions (paper, section 3.2 and appendix A.1)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from random import Random

from steadfast.files import Record
from steadfast.lifbench.contexts.facts import FACTS, is_plain
from steadfast.lifbench.contexts.filling import enough, fill, shuffled, too_small
from steadfast.lifbench.contexts.seeds import seeded_contexts
from steadfast.tokens import Tokenizer

LIST = FACTS["list"]
HEXADECIMAL = re.compile(r"[0-9a-f]+|.*[0-9a-f]{32}.*")
RUN = re.compile(r"(?=( .{9}))")  # may overlap
BATCH = 4096  # records


def build(rng: Random, budget: int, corpora: Mapping[str, Path], tokenizer: Tokenizer) -> Record:
    """The longest list that fits into a budget: tokens, text, elements.

    No element is another one or part of another one.

    Raises:
        UserError: the corpus has too few instructions.
    """
    offered = list(_instructions(corpora["alpaca"], rng, budget, tokenizer))
    parts = contained(offered)
    instructions = [text for number, text in enumerate(offered) if number not in parts]
    numbered, sizes = enough(
        enumerate(_elements(instructions, rng), start=1),
        lambda item: tokenizer.count("{}. {}\n".format(*item)),
        budget,
    )
    elements = [element for _, element in numbered]
    filled = fill(sizes, budget, lambda units: tokenizer.count(render(elements[:units])))
    if filled is None:
        offers = "{:,} instructions of {} to {} tokens".format(
            len(instructions), *LIST["instruction_tokens"]
        )
        raise too_small("alpaca", offers, "list", budget)
    elements = elements[: filled.units]
    return {"tokens": filled.tokens, "text": render(elements), "elements": elements}


contexts = partial(seeded_contexts, "list", build)
"""The contexts of all seeds."""


def render(elements: list[str]) -> str:
    """The elements as numbered lines, from 1."""
    return "\n".join(f"{number}. {element}" for number, element in enumerate(elements, start=1))


def _instructions(path: Path, rng: Random, budget: int, tokenizer: Tokenizer) -> Iterator[str]:
    # More than half a list takes beside the UUIDs, which have more tokens.
    shortest, longest = LIST["instruction_tokens"]
    seen: set[str] = set()
    filled = 0
    for record in shuffled(path, f"{rng.getrandbits(128):032x}", BATCH):
        text = record["text"].strip()
        tokens = tokenizer.count(text)
        if not shortest <= tokens <= longest or text in seen or not is_plain(text, LIST["unfit"]):
            continue
        # Neither part of a UUID nor a UUID part of it.
        if HEXADECIMAL.fullmatch(text):
            continue
        seen.add(text)
        yield text
        filled += tokens
        if filled > budget / 2:
            return


def _elements(instructions: list[str], rng: Random) -> Iterator[str]:
    # Ends with the instructions: a list of UUIDs alone would be another task.
    left = iter(instructions)
    seen: set[str] = set()
    while True:
        if rng.random() < LIST["instruction_share"]:
            instruction = next(left, None)
            if instruction is None:
                return
            yield instruction
        else:
            uuid = f"{rng.getrandbits(128):032x}"
            if uuid not in seen:
                seen.add(uuid)
                yield uuid


def contained(texts: list[str]) -> set[int]:
    """The indices of the texts that are part of another one; the texts are distinct lines.

    Each text is looked for only where its rarest run stands, a blank and what follows it, which
    keeps the time linear in the total length of texts in words.
    """
    often = Counter(run for text in texts for _, run in _runs(text))
    anchors: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    whole = "\n".join(texts)
    found = set()
    for number, text in enumerate(texts):
        runs = _runs(text)
        if runs:
            offset, run = min(runs, key=lambda at_run: often[at_run[1]])
            anchors[run].append((number, offset))
        elif whole.count(text) > 1:
            found.add(number)
    for other, text in enumerate(texts):
        for at, run in _runs(text):
            for number, offset in anchors.get(run, ()):
                if number != other and at >= offset and text.startswith(texts[number], at - offset):
                    found.add(number)
    return found


def _runs(text: str) -> list[tuple[int, str]]:
    return [(match.start(), match[1]) for match in RUN.finditer(text)]
