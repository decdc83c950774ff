"""The page's data, compressed piece by piece, and the pieces of its samples."""

import base64
import hashlib
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from random import Random
from string import Template
from typing import Any, NamedTuple

import msgspec

from steadfast.base.files import Record, file_size, json_line, read_text
from steadfast.base.resources import resource
from steadfast.contract.components import Sample
from steadfast.html_report.sample_data import Cut, answer_data, answer_row, sample_data, sample_row
from steadfast.html_report.view_sample import SampleView
from steadfast.jobs.finished import FinishedAnswer, FinishedPart, FinishedRun

SCRIPTS = ("unpack.js", "elements.js", "tables.js", "run.js", "samples.js", "main.js")
LEVEL = 6  # of compression; the highest takes twice as long for a third of a per cent


class Pack:
    """Pieces of data by name, each compressed by itself."""

    def __init__(self) -> None:
        self.pieces: dict[str, str] = {}

    @property
    def characters(self) -> int:
        """Characters of all pieces."""
        return sum(map(len, self.pieces.values()))

    def add(self, name: str, value: object) -> None:
        """Adds a piece: a plain value as JSON, or a text."""
        data = value.encode("utf-8") if isinstance(value, str) else _json({"value": value})
        self.pieces[name] = base64.b64encode(zlib.compress(data, LEVEL)).decode("ascii")


def _json(value: Record) -> bytes:
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate
        return json_line(value).encode()


def page(title: str, packs: Iterable[Pack]) -> str:
    """Returns the page's HTML; its policy allows its own script, and no requests."""
    folder = resource("html_report")
    script = "".join(read_text(folder / name) for name in SCRIPTS)
    style = read_text(folder / "report.css")
    elements = []
    for pack in packs:
        for name, piece in pack.pieces.items():
            tag = f'<script type="text/plain" data-piece="{escape(name)}">'
            elements.append(f"{tag}{piece}</script>")
    # A browser runs only what has these digests: no text of a model or of data becomes a script.
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "img-src blob: data:; base-uri 'none'; form-action 'none'"
    )
    return Template(read_text(folder / "report.html")).substitute(
        title=escape(title), policy=policy, style=style, script=script, data="\n".join(elements)
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


BLOCK = 256  # samples, or responses, of one piece
# How much of texts is shown: reasoning, data and judge prompts are cut first.
CUTS = (
    Cut(),
    *(Cut(aside=limit) for limit in (16_000, 4_000, 1_000, 250, 0)),
    *(Cut(limit, aside=0) for limit in (4_000, 2_000, 1_000, 500, 250)),
)
SAMPLED = 24  # files of responses, and blocks of samples, by which the size of all is estimated


class Packed(NamedTuple):
    """Samples as pieces, how their texts are cut, and the counts of statuses by model."""

    pack: Pack
    cut: Cut
    counts: list[Record]


def pack_samples(run: FinishedRun, limit: int) -> Packed:
    """Packs all samples and responses, cut to fit the limit (characters) as far as ``CUTS`` go."""
    parts: list[FinishedPart] = []
    for name in run.evaluation.running:
        if run.evaluation.evaluated_models(name):
            parts += run.parts(name).values()
    files = [part.scores_path(model) for part in parts for model in part.models]
    score_bytes = sum(map(file_size, files))
    # Packed, answers with their scores take less than the files of scores alone.
    cut = CUTS[0] if score_bytes <= limit else _first_cut(parts, limit)
    pack = Pack()
    return Packed(pack, cut, _add_samples(pack, run, parts, cut))


def _first_cut(parts: Sequence[FinishedPart], limit: int) -> Cut:
    """The first cut with which all samples and responses fit the limit, or the last."""
    # The size of all is estimated from some of their blocks and files.
    random = Random(SAMPLED)  # seeded: the same run gives the same report
    blocks: list[tuple[FinishedPart, Sequence[Sample]]] = []
    files: list[tuple[FinishedPart, str]] = []
    for part in parts:
        blocks += [(part, block) for block in _blocks(part.samples)]
        files += [(part, model) for model in part.models]
    some_blocks = random.sample(blocks, min(SAMPLED, len(blocks)))
    some_files = random.sample(files, min(SAMPLED, len(files)))

    def fits(cut: Cut) -> bool:
        samples = Pack()
        answers = Pack()
        for number, (part, block) in enumerate(some_blocks):
            _add_block(samples, str(number), part, block, cut)
        for number, (part, model) in enumerate(some_files):
            _add_answers(answers, str(number), part, model, cut)
        size = samples.characters * len(blocks) / max(len(some_blocks), 1)
        size += answers.characters * len(files) / max(len(some_files), 1)
        return size <= limit

    # Each cut is shorter than the one before it, so that ``fits`` turns from false to true once.
    # The last one needs no trial: it is the fallback.
    return CUTS[bisect_left(CUTS[:-1], True, key=fits)]


def _add_samples(
    pack: Pack, run: FinishedRun, parts: Sequence[FinishedPart], cut: Cut
) -> list[Record]:
    """Adds an index of each benchmark and its samples and answers in blocks; counts statuses."""
    counts: list[Record] = []
    for name in run.evaluation.running:
        index = [_add_part(pack, part, cut) for part in parts if part.benchmark == name]
        if index:
            pack.add(f"index/{name}", index)
        for model in run.evaluation.evaluated_models(name):
            by_repeat = chain.from_iterable(part["answers"][model] for part in index)
            rows = list(chain.from_iterable(by_repeat))  # of ``answer_row``
            scored = sum(total is not None for _, total, *_ in rows)
            statuses = Counter(status for status, *_ in rows)
            names = {"benchmark": run.evaluation.benchmarks[name].title, "model": model}
            counts.append(names | {"scored": scored, "statuses": dict(statuses)})
    return counts


def _add_part(pack: Pack, part: FinishedPart, cut: Cut) -> Record:
    """Adds one part's samples and responses, and returns its index."""
    name = f"{part.benchmark}/{part.name}"
    samples: list[list[str]] = []
    for number, block in enumerate(_blocks(part.samples)):
        samples += map(sample_row, _add_block(pack, f"samples/{name}/{number}", part, block, cut))
    answers: dict[str, list[list[Any]]] = {}
    for model in part.models:
        repeats = _add_answers(pack, f"answers/{name}/{model}", part, model, cut)
        answers[model] = [list(map(answer_row, repeat_answers)) for repeat_answers in repeats]
    return {"name": part.name, "samples": samples, "answers": answers}


def _add_block(
    pack: Pack, name: str, part: FinishedPart, block: Sequence[Sample], cut: Cut
) -> list[SampleView]:
    """Adds a block of samples, and returns them."""
    views = [SampleView(part, sample) for sample in block]
    pack.add(name, [sample_data(view, cut) for view in views])
    return views


def _add_answers(
    pack: Pack, name: str, part: FinishedPart, model: str, cut: Cut
) -> list[list[FinishedAnswer]]:
    """Adds a model's responses, and returns them by repeat."""
    answers = list(part.answers(model, [sample.id for sample in part.samples]))
    repeats = part.run.evaluation.config.models[model].repeats
    # All repeats of a sample stand together, the samples one after the other.
    by_repeat = [answers[first::repeats] for first in range(repeats)]
    for repeat_number, repeat_answers in enumerate(by_repeat):
        for number, block in enumerate(_blocks(repeat_answers)):
            records = [answer_data(answer, cut) for answer in block]
            pack.add(f"{name}/{repeat_number}/{number}", records)
    return by_repeat


def _blocks(records: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(records), BLOCK):
        yield records[start : start + BLOCK]
