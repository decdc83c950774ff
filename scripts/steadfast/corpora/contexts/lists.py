"""List contexts: UUIDs and instructions, numbered (paper, section 3.2 and appendix A.1)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random

from steadfast.base.files import Record
from steadfast.base.tokens import Tokenizer
from steadfast.corpora.contexts import filling
from steadfast.corpora.contexts.formats import NUMBERED, fill_formats, show_list

LIST = filling.FACTS["list"]
HEXADECIMAL = re.compile(r"[0-9a-f]+|.*[0-9a-f]{32}.*")
RUN = re.compile(r"(?=( .{9}))")  # may overlap


def build(
    streams: filling.RandomStreams,
    budget: int,
    corpora: Mapping[str, Path],
    tokenizer: Tokenizer,
    formats: Sequence[str] = (NUMBERED,),
    instruction_share: float = LIST["instruction_share"],
) -> Record:
    """Builds the longest list that fits into a budget in all formats: tokens, text, elements.

    No element is part of another one. ``instruction_share`` (0 to 1) of them are instructions, the
    others UUIDs.
    """
    rng = streams.content
    instructions = list[str]()
    numbered, sizes = filling.units_over_budget(
        enumerate(_elements(corpora, rng, instruction_share, tokenizer, instructions), start=1),
        lambda item: tokenizer.count(f"{item[0]}. {item[1]}\n"),
        budget,
    )
    elements = [element for _, element in numbered]
    filled = fill_formats("list", lambda units: elements[:units], sizes, budget, formats, tokenizer)
    if filled is None:
        shortest, longest = LIST["instruction_tokens"]
        offers = f"{len(instructions):,} instructions of {shortest} to {longest} tokens"
        raise filling.too_small("alpaca", offers, "list", budget)
    units, tokens = filled
    elements = elements[:units]
    return {**tokens, "text": show_list(elements), "elements": elements}


contexts = partial(filling.seeded_contexts, "list", build)  # the contexts of all seeds


def _elements(
    corpora: Mapping[str, Path],
    rng: Random,
    share: float,
    tokenizer: Tokenizer,
    used: list[str],
) -> Iterator[str]:
    """Yields elements, and adds the instructions among them to ``used``.

    Ends after the last instruction: a list of UUIDs only would be another task.
    """
    key = f"{rng.getrandbits(128):032x}"
    instructions = _instructions(corpora["alpaca"], key, tokenizer) if share else iter(())
    uuids: set[str] = set()
    while True:
        if rng.random() < share:
            instruction = next(instructions, None)
            if instruction is None:
                return
            used.append(instruction)
            yield instruction
        else:
            uuid = f"{rng.getrandbits(128):032x}"
            if uuid not in uuids:
                uuids.add(uuid)
                yield uuid


def _instructions(path: Path, key: str, tokenizer: Tokenizer) -> Iterator[str]:
    """Yields instructions of a corpus, ordered by the key, none of which is part of another.

    Whether one is used depends only on those before it, so that a longer list begins with a shorter
    one.
    """
    shortest, longest = LIST["instruction_tokens"]
    chosen = DisjointTexts()
    for record in filling.shuffled(path, key):
        text = record["text"].strip()
        if (
            shortest <= tokenizer.count(text) <= longest
            and filling.is_plain(text, LIST["unfit"])
            # Neither part of a UUID nor a UUID part of it.
            and not HEXADECIMAL.fullmatch(text)
            and chosen.add(text)
        ):
            yield text


class DisjointTexts:
    """Texts of which none is part of another one.

    A text that contains another contains all its runs (a space and nine characters). So a text is
    rejected if all its runs occurred before, or if a run of an earlier text leads to that text in
    it. Time and memory are linear in the texts.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._runs: set[int] = set()
        self._anchors: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        """Text and offset of one run of each text, which is the anchor of the fewest others."""

    def add(self, text: str) -> bool:
        """Adds a text unless it is part of an earlier one or contains one; whether it was added."""
        runs = {match.start(): hash(match[1]) for match in RUN.finditer(text)}
        if self._runs.issuperset(runs.values()):
            return False
        for start, run in runs.items():
            for number, offset in self._anchors.get(run, ()):
                # Where its run stands here, the earlier text would begin.
                if start >= offset and text.startswith(self._texts[number], start - offset):
                    return False
        offset, anchor = min(runs.items(), key=lambda run: len(self._anchors.get(run[1], ())))
        self._anchors[anchor].append((len(self._texts), offset))
        self._texts.append(text)
        self._runs.update(runs.values())
        return True
