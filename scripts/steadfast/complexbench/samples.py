"""Answers with what they are judged by: the instance, and the turns that led to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steadfast.asked import read_outputs
from steadfast.complexbench.prompts import load_part
from steadfast.files import Record


@dataclass(frozen=True)
class Conversation:
    """An answer and what led to it.

    Attributes:
        instruction: that it answers.
        answer: the model's.
        before: the turn that it follows.
    """

    instruction: str
    answer: str
    before: "Conversation | None" = None

    @cached_property
    def turns(self) -> tuple["Conversation", ...]:
        """All turns up to this one."""
        return (*(self.before.turns if self.before else ()), self)

    @property
    def instructions(self) -> str:
        """What was asked up to here, by turns where there are several."""
        return _numbered([turn.instruction for turn in self.turns])

    @property
    def answers(self) -> str:
        """What was answered up to here, by turns where there are several."""
        return _numbered([turn.answer for turn in self.turns])


def _numbered(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, start=1))


@dataclass(frozen=True)
class Sample:
    """One prompt with its instance, its output, and the conversation up to it."""

    prompt: Record
    instance: Record
    output: Record
    conversation: Conversation


def load_samples(prompts: Path, data: Mapping[str, Path], outputs: Path) -> Iterator[Sample]:
    """The samples of one model and part, in the prompts' order.

    Raises:
        UserError: a file is missing or damaged, or a prompt has no output or no instance.
    """
    found = read_outputs(outputs)
    said: dict[str, Conversation] = {}
    for prompt, instance in load_part(prompts, data):
        sample_id = prompt["sample_id"]
        output = found.of(sample_id)
        before = said.get(prompt.get("follows"))
        said[sample_id] = Conversation(prompt["instruction"], output["text"] or "", before)
        yield Sample(prompt, instance, output, said[sample_id])
