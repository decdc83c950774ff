"""One part of a benchmark as people look at it: each sample, and what a model answered, whole."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from steadfast.contract.components import Sample, StandIn, component
from steadfast.contract.part_files import PartFiles, read_judge_prompts
from steadfast.contract.records import Output, ScoreRecord, read_outputs, read_score_records
from steadfast.contract.request import draw_key
from steadfast.page.seen import JudgedRequest, SeenAnswer, SeenSample

R = TypeVar("R", Output, ScoreRecord)


class Asked(NamedTuple):
    """How a model is asked: answers that are drawn of each prompt, and who judges them."""

    draws: int
    judges: Sequence[str]


@dataclass(frozen=True)
class PartView:
    """One part of a benchmark in a results folder.

    Attributes:
        title: of the benchmark.
        folder: of its results.
        files: the part's prompts, and what they refer to.
        stand_in: the benchmark's ``StandIn``, by name and settings.
        passages: what gives the ``Passages`` of a sample, likewise; None where it has no context.
        models: that are asked.
    """

    title: str
    folder: Path
    files: PartFiles
    stand_in: Sequence[Any]
    passages: Sequence[Any] | None
    models: Mapping[str, Asked]

    @cached_property
    def samples(self) -> list[Sample]:
        """The samples of the first draw, in the order of the prompts.

        Raises:
            UserError: a file is missing or damaged.
        """
        return self.files.read()

    @cached_property
    def _stand_in(self) -> StandIn:
        return component(self.stand_in).make()

    def seen(self, sample: Sample) -> SeenSample:
        """A sample with no answers."""
        return SeenSample(
            self.title,
            sample,
            list(_turns_before(sample)),
            component(self.passages).make(sample) if self.passages else None,
            self._stand_in.reference(sample),
        )

    def answers(self, model: str, names: Sequence[str]) -> Iterator[SeenAnswer]:
        """A model's answers to the samples of these names, draw by draw of each."""
        file, asked = f"{model}/{self.files.name}.jsonl", self.models[model]
        wanted = set(names)
        outputs = _by_draw(_there(read_outputs, self.folder / "outputs" / file), wanted)
        scores = _by_draw(_there(read_score_records, self.folder / "scores" / file), wanted)
        asking = self.folder / "judging" / file
        requests = _requests(asking) if asked.judges else {}
        replies = {
            judge: _by_request(self.folder / "verdicts" / judge / file)
            for judge in asked.judges
            if requests
        }
        for name in names:
            for draw in range(asked.draws):
                key = draw_key(name, draw)
                judged = [
                    JudgedRequest(id, tail, {j: of[id] for j, of in replies.items() if id in of})
                    for id, tail in requests.get(key, ())
                ]
                yield SeenAnswer(model, draw, outputs.get(key), scores.get(key), judged)


def _turns_before(sample: Sample) -> Iterator[str]:
    if sample.before:
        yield from _turns_before(sample.before)
        yield sample.before.prompt["instruction"]


def _by_draw(records: Iterable[R], wanted: set[str]) -> dict[str, R]:
    """The records of some samples, by sample and draw."""
    return {
        draw_key(one["sample_id"], one["draw"]): one
        for one in records
        if one["sample_id"] in wanted
    }


def _by_request(path: Path) -> dict[str, Output]:
    return {one["sample_id"]: one for one in _there(read_outputs, path)}


def _there(read: Callable[[Path], Iterable[R]], path: Path) -> Iterable[R]:
    """A file's records; none where there is no such file."""
    return read(path) if path.exists() else ()


def _requests(path: Path) -> dict[str, list[tuple[str, str]]]:
    """What is asked of judges about each answer: ids, and what stands behind the answer."""
    found: dict[str, list[tuple[str, str]]] = {}
    if path.exists():
        for prompt in read_judge_prompts(path):
            asked = [(one.id, one.tail) for one in prompt.requests]
            found.setdefault(prompt.answer_id, []).extend(asked)
    return found
