"""Answers with what they are judged by: the instance, and the turns that led to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from steadfast.complexbench.prompts import load_part
from steadfast.engines.request import STATUSES
from steadfast.errors import UserError
from steadfast.files import Record, read_jsonl


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
        output = _output_of(found, sample_id, outputs)
        before = said.get(prompt.get("follows"))
        said[sample_id] = Conversation(prompt["instruction"], output["text"] or "", before)
        yield Sample(prompt, instance, output, said[sample_id])


def read_outputs(path: Path) -> dict[str, Record]:
    """Output records, of a model or a judge, by sample id."""
    return {record["sample_id"]: record for record in read_jsonl(path)}


def _output_of(outputs: Mapping[str, Record], sample_id: str, path: Path) -> Record:
    """A sample's output.

    Raises:
        UserError: there is none, or its status is unknown.
    """
    if sample_id not in outputs:
        raise UserError(f"{path}: no output for sample {sample_id}; run inference again")
    if outputs[sample_id]["status"] not in STATUSES:
        raise UserError(
            f"{path}: sample {sample_id} has status {outputs[sample_id]['status']!r}; one of "
            f"{', '.join(STATUSES)} was expected: run inference again"
        )
    return outputs[sample_id]
