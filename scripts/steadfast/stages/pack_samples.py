"""The samples of all benchmarks as pieces of the page, with texts cut as little as it allows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.files import Record, Settings
from steadfast.page.pack import Full, Pack
from steadfast.page.sample_data import Cut, answer_data, answer_row, sample_data, sample_digest
from steadfast.stages.part_view import Asked, PartView
from steadfast.stages.samples import PartFiles

BLOCK = 256
"""Samples of one piece."""
CUTS = (
    Cut(),
    *(Cut(aside=most) for most in (16_000, 4_000, 1_000, 250, 0)),
    *(Cut(most, aside=0) for most in (4_000, 2_000, 1_000, 500, 250)),
)
"""How much of texts is shown: thoughts and what stands aside are cut first."""


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
    for cut in CUTS:
        pack = Pack(limit if cut is not CUTS[-1] else None)
        try:
            return Packed(pack, cut, _add_samples(pack, benchmarks, results, cut))
        except Full:
            continue
    raise AssertionError("the last cut has no limit")


def _add_samples(pack: Pack, benchmarks: Sequence[Shown], results: Path, cut: Cut) -> list[Record]:
    """Adds an index of each benchmark and its samples and answers in blocks; counts statuses."""
    counts: list[Record] = []
    for one in benchmarks:
        views = one.views(results)
        found = {model: Counter[str]() for model in one.models}
        scored = Counter[str]()
        parts = []
        for view in views:
            part = _add_part(pack, f"{one.name}/{view.files.name}", view, cut)
            parts.append(part)
            for model, draws in part["answers"].items():
                for row in (row for draw in draws for row in draw):
                    found[model][row[0]] += 1
                    scored[model] += row[1] is not None
        if views:
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
    samples, index = view.samples, []
    for number, block in enumerate(_blocks(samples)):
        seen = [view.seen(sample) for sample in block]
        index += [[one.id, one.prompt["task"]] for one in block]
        for row, one in zip(index[-len(seen) :], seen, strict=True):
            row.append(sample_digest(one))
        pack.add(f"samples/{name}/{number}", [sample_data(one, cut) for one in seen])
    answers: dict[str, list[list[Any]]] = {}
    for model, asked in view.models.items():
        found = list(view.answers(model, [sample.id for sample in samples]))
        by_draw = [found[draw :: asked.draws] for draw in range(asked.draws)]
        answers[model] = [[answer_row(one) for one in of] for of in by_draw]
        for draw, of in enumerate(by_draw):
            for number, block in enumerate(_blocks(of)):
                piece = f"answers/{name}/{model}/{draw}/{number}"
                pack.add(piece, [answer_data(one, cut) for one in block])
    return {"name": view.files.name, "samples": index, "answers": answers}


def _blocks(whole: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (whole[start : start + BLOCK] for start in range(0, len(whole), BLOCK))
