"""Reference and simulated answers: for each scoring question they keep, something that shows it.

An answer has the pieces of its ruled questions, a line for each other one, and a last line with the
positions of the questions kept (``judging.stand_in``). A judge without a model goes by that line,
and for extraction by the same pieces.
"""

import random
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from steadfast.complexbench.pieces import pieces
from steadfast.complexbench.prompts import load_part
from steadfast.complexbench.taxonomy import read_yaml
from steadfast.files import Record
from steadfast.judging.stand_in import signature


def signed_answer(
    instance: Record, points: Collection[int], keeping: Collection[int], language: str
) -> str:
    """An answer to an instance, or to one of its turns.

    Args:
        instance: of the data file.
        points: positions of the questions that the answer is judged by.
        keeping: those of them that it keeps.
        language: of the lines for questions that a judge decides.
    """
    lines = list(_lines(instance, points, keeping, language))
    return "\n".join([*lines, signature(keeping)])


def _lines(
    instance: Record, points: Collection[int], keeping: Collection[int], language: str
) -> Iterator[str]:
    wording = _facts()["answers"][language]
    for point in points:
        rule = instance["scoring_questions"][point]["rule"]
        if rule is not None:
            yield from pieces(rule, point in keeping)
        else:
            yield wording["kept" if point in keeping else "left"].format(number=point)


class ComplexbenchOracle:
    """Reference answers and simulated readings of one part's prompts.

    Args:
        prompts: the part's.
        data: the file of instances, by its language.
    """

    def __init__(self, prompts: Path, data: Mapping[str, Path]):
        (self._language,) = data
        self._samples = {
            prompt["sample_id"]: (prompt, instance) for prompt, instance in load_part(prompts, data)
        }

    def reference(self, sample_id: str) -> str:
        """An answer that keeps every question."""
        prompt, instance = self._samples[sample_id]
        return signed_answer(instance, prompt["points"], prompt["points"], self._language)

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """What a reader answers, which misses more the deeper constraints are nested.

        Args:
            sample_id: of the prompt.
            reader: the reader's settings; ``slip`` is used.
            seen: not used: an instruction is never cut.
            rng: source of everything random.
        """
        prompt, instance = self._samples[sample_id]
        facts = _facts()
        miss = reader.get("slip", 0.0) * (facts["first"] + facts["layer"] * prompt["layers"])
        keeping = [
            point
            for point in prompt["points"]
            if rng.random() >= miss * (facts["ruled"] if _ruled(instance, point) else 1.0)
        ]
        return signed_answer(instance, prompt["points"], keeping, self._language)


def _ruled(instance: Record, point: int) -> bool:
    return instance["scoring_questions"][point]["rule"] is not None


@cache
def _facts() -> dict[str, Any]:
    return read_yaml("simulated.yaml")
