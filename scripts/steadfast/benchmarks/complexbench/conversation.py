"""The conversation that a judge is shown: an answer, and the turns that led to it."""

from typing import TypeVar

from steadfast.benchmarks.complexbench.modes import STRICT
from steadfast.benchmarks.complexbench.records import Prompt
from steadfast.contract.components import Answer, Sample

CUT = {"instruction": 6000, "answer": 4000}
"""Characters that the released code shows a judge."""

Turn = TypeVar("Turn", Sample[Prompt], Answer)


def turns(last: Turn) -> list[Turn]:
    """All turns up to a sample, or to an answer, in their order."""
    found = [last]
    while (before := found[0].before) is not None:
        found.insert(0, before)
    return found


def shown_instruction(sample: Sample[Prompt], mode: str) -> str:
    """What was asked up to a turn, as a judge is shown it."""
    text = _numbered([turn.prompt["instruction"] for turn in turns(sample)])
    return text if mode == STRICT else text[: CUT["instruction"]]


def shown_answer(answer: Answer, by: str, mode: str) -> str:
    """An answer as a judge is shown it.

    A judge of a turn sees the turns before it, which a turn may refer to; a rule is about what is
    copied from the turn itself.
    """
    text = answer.text if by == "rule" else _numbered([turn.text for turn in turns(answer)])
    return text if mode == STRICT else text[: CUT["answer"]]


def _numbered(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, start=1))
