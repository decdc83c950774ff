"""List contexts: UUIDs and instructions, numbered (paper, section 3.2 and appendix A.1)."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random

from steadfast.base.files import Record, placed_jsonl
from steadfast.base.tokens import Tokenizer
from steadfast.corpora.contexts import filling
from steadfast.corpora.contexts.formats import NUMBERED, fill_formats, show_list

LIST = filling.FACTS["list"]
HEXADECIMAL = re.compile(r"[0-9a-f]+|.*[0-9a-f]{32}.*")
RUN = re.compile(r"(?=( .{9}))")  # may overlap


def build(
    draws: filling.Draws,
    budget: int,
    corpora: Mapping[str, Path],
    tokenizer: Tokenizer,
    formats: Sequence[str] = (NUMBERED,),
    instruction_share: float = LIST["instruction_share"],
) -> Record:
    """Builds the longest list that fits into a budget in all formats: tokens, text, elements.

    No element is part of another one. Instructions have their share (0 to 1); others are UUIDs.
    """
    rng, instructions = draws.content, list[str]()
    if instruction_share:
        instructions = [*_instructions(corpora["alpaca"], rng, tokenizer)]
    numbered, sizes = filling.enough(
        enumerate(_elements(instructions, rng, instruction_share), start=1),
        lambda item: tokenizer.count("{}. {}\n".format(*item)),
        budget,
    )
    elements = [element for _, element in numbered]
    filled = fill_formats("list", lambda units: elements[:units], sizes, budget, formats, tokenizer)
    if filled is None:
        offers = "{:,} instructions of {} to {} tokens".format(
            len(instructions), *LIST["instruction_tokens"]
        )
        raise filling.too_small("alpaca", offers, "list", budget)
    units, tokens = filled
    elements = elements[:units]
    return {**tokens, "text": show_list(elements), "elements": elements}


contexts = partial(filling.seeded_contexts, "list", build)  # the contexts of all seeds


def _instructions(path: Path, rng: Random, tokenizer: Tokenizer) -> Iterator[str]:
    """Yields the distinct instructions of a corpus that are no part of another one of it.

    Which these are depends on the corpus alone, and not on how many a context takes: a longer list
    begins with a shorter one.
    """
    fit = _fit(path, path.stat().st_mtime_ns, tokenizer)
    seen: set[str] = set()
    for record in filling.shuffled(path, f"{rng.getrandbits(128):032x}"):
        text = record["text"].strip()
        if text in fit and text not in seen:
            seen.add(text)
            yield text


@cache
def _fit(path: Path, changed: int, tokenizer: Tokenizer) -> frozenset[str]:
    """The instructions of a corpus that may be elements, for all contexts of a job."""
    shortest, longest = LIST["instruction_tokens"]
    plain = {
        text: None
        for _, _, record in placed_jsonl(path)
        for text in [record["text"].strip()]
        # Neither part of a UUID nor a UUID part of it.
        if filling.is_plain(text, LIST["unfit"])
        and not HEXADECIMAL.fullmatch(text)
        and shortest <= tokenizer.count(text) <= longest
    }
    parts = contained([*plain])
    return frozenset(text for number, text in enumerate(plain) if number not in parts)


def _elements(instructions: list[str], rng: Random, share: float) -> Iterator[str]:
    # Ends with the instructions: a list of UUIDs alone would be another task.
    left = iter(instructions)
    seen: set[str] = set()
    while True:
        if rng.random() < share:
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
    """Returns the indices of the texts that are part of another one, in linear time."""
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
