"""The samples of all benchmarks as pieces of the page, with texts cut as little as it allows."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from steadfast.base.files import Record, Settings
from steadfast.contract.components import Sample
from steadfast.contract.part_files import PartFiles
from steadfast.page.pack import Full, Pack
from steadfast.page.part_view import Asked, PartView
from steadfast.page.sample_data import Cut, answer_data, answer_row, sample_data, sample_digest
from steadfast.page.seen import SeenAnswer, SeenSample

BLOCK = 256
"""Samples of one piece."""
CUTS = (
    Cut(),
    *(Cut(aside=most) for most in (16_000, 4_000, 1_000, 250, 0)),
    *(Cut(most, aside=0) for most in (4_000, 2_000, 1_000, 500, 250)),
)
"""How much of texts is shown: thoughts and what stands aside are cut first."""
SAMPLED = 24
"""Files of answers, and blocks of samples, by which the size of all is estimated."""
ERROR = 0.05
"""By how much an estimate that was too low is taken to be."""


@dataclass(frozen=True)
class Shown:
    """One benchmark on the page.

    Attributes:
        name: such as lifbench.
        title: in tables.
        asked: a sentence about the text that was asked, or "".
        tables: the function of frames and display, and its settings.
        metrics: names of the frames.
        reported: its title and measures, as ``show.report.Report`` takes them.
        samples: its ``Samples``, ``stand_in`` its ``StandIn``, ``passages`` what gives a sample's
            ``Passages`` or None: by name and settings.
        parts: of each its data files by kind, name and path below the results.
        models: draws and judges of each model that is asked.
        prompts: name of the folder of the prompts that are asked.
        figures: names.
    """

    name: str
    title: str
    asked: str
    tables: Sequence[Any]
    metrics: Sequence[str]
    reported: Settings
    samples: Sequence[Any]
    stand_in: Sequence[Any]
    passages: Sequence[Any] | None
    parts: Mapping[str, Sequence[Sequence[str]]]
    models: Mapping[str, Sequence[Any]]
    prompts: str
    figures: Sequence[str]

    def views(self, results: Path) -> list[PartView]:
        """Its parts in a folder of results; none where no model is asked."""
        folder = results / self.name
        return [
            PartView(
                self.title,
                folder,
                PartFiles(
                    part,
                    self.samples,
                    folder / self.prompts / f"{part}.jsonl",
                    [(kind, name, results / path) for kind, name, path in sources],
                ),
                self.stand_in,
                self.passages,
                {model: Asked(*how) for model, how in self.models.items()},
            )
            for part, sources in self.parts.items()
            if self.models
        ]


class Packed(NamedTuple):
    """Samples as pieces, how their texts are cut, and by benchmark and model what came of them."""

    pack: Pack
    cut: Cut
    counts: list[Record]


def pack_samples(benchmarks: Sequence[Shown], results: Path, limit: int) -> Packed:
    """All samples and answers in so many characters, or with the last of ``CUTS`` in more.

    Raises:
        UserError: a file is missing or damaged.
    """
    views = {one.name: one.views(results) for one in benchmarks}
    every, last, room = [view for of in views.values() for view in of], len(CUTS) - 1, float(limit)
    # To pack few files is no more than to estimate them.
    few = sum(len(view.models) for view in every) <= SAMPLED
    number = 0 if few else _first_cut(every, 0, room)
    while True:
        pack = Pack(limit if number < last else None)
        try:
            return Packed(pack, CUTS[number], _add_samples(pack, benchmarks, views, CUTS[number]))
        except Full:
            room *= 1 - ERROR
            number = _first_cut(every, number + 1, room)


def _first_cut(views: Sequence[PartView], number: int, room: float) -> int:
    """The number of the first cut from this one on with which there is room, or of the last."""

    def fits(cut: Cut) -> bool:
        return _estimate(views, cut) <= room

    return number if fits(CUTS[number]) else bisect_left(CUTS[:-1], True, number + 1, key=fits)


def _estimate(views: Sequence[PartView], cut: Cut) -> float:
    """Characters of all samples and answers, as some of their blocks and files say."""
    blocks = [(view, block) for view in views for block in _blocks(view.samples)]
    files = [(view, model) for view in views for model in view.models]
    samples, answers, some = Pack(), Pack(), Random(SAMPLED)
    taken = some.sample(blocks, min(SAMPLED, len(blocks)))
    read = some.sample(files, min(SAMPLED, len(files)))
    for view, block in taken:
        _add_block(samples, "", view, block, cut)
    for view, model in read:
        _add_answers(answers, "", view, model, cut)
    parts = (samples, blocks, taken), (answers, files, read)
    return sum(pack.characters * len(whole) / max(len(of), 1) for pack, whole, of in parts)


def _add_samples(
    pack: Pack, benchmarks: Sequence[Shown], views: Mapping[str, Sequence[PartView]], cut: Cut
) -> list[Record]:
    """Adds an index of each benchmark and its samples and answers in blocks; counts statuses."""
    counts: list[Record] = []
    for one in benchmarks:
        found = {model: Counter[str]() for model in one.models}
        scored = Counter[str]()
        parts = []
        for view in views[one.name]:
            part = _add_part(pack, f"{one.name}/{view.files.name}", view, cut)
            parts.append(part)
            for model, draws in part["answers"].items():
                for row in (row for draw in draws for row in draw):
                    found[model][row[0]] += 1
                    scored[model] += row[1] is not None
        if parts:
            pack.add(f"index/{one.name}", parts)
        for model, statuses in found.items():
            rest = {"benchmark": one.title, "model": model, "scored": scored[model]}
            counts.append({**rest, "statuses": dict(statuses)})
    return counts


def _add_part(pack: Pack, name: str, view: PartView, cut: Cut) -> Record:
    """Adds one part's samples and answers.

    Returns:
        Its index: of each sample id, task and digest; of each model and draw a row an answer.
    """
    index: list[list[Any]] = []
    for number, block in enumerate(_blocks(view.samples)):
        seen = _add_block(pack, f"samples/{name}/{number}", view, block, cut)
        index += [[one.sample.id, one.sample.prompt["task"], sample_digest(one)] for one in seen]
    answers = {
        model: [
            [answer_row(one) for one in of]
            for of in _add_answers(pack, f"answers/{name}/{model}", view, model, cut)
        ]
        for model in view.models
    }
    return {"name": view.files.name, "samples": index, "answers": answers}


def _add_block(
    pack: Pack, name: str, view: PartView, block: Sequence[Sample], cut: Cut
) -> list[SeenSample]:
    """Adds a block of samples, and gives them."""
    seen = [view.seen(sample) for sample in block]
    pack.add(name, [sample_data(one, cut) for one in seen])
    return seen


def _add_answers(
    pack: Pack, name: str, view: PartView, model: str, cut: Cut
) -> list[list[SeenAnswer]]:
    """Adds a model's answers, and gives them by draw."""
    found = list(view.answers(model, [sample.id for sample in view.samples]))
    draws = view.models[model].draws
    by_draw = [found[draw::draws] for draw in range(draws)]
    for draw, of in enumerate(by_draw):
        for number, block in enumerate(_blocks(of)):
            pack.add(f"{name}/{draw}/{number}", [answer_data(one, cut) for one in block])
    return by_draw


def _blocks(whole: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK))
