"""A benchmark by its instances and its scorer alone; everything else has a default.

Imports neither pandas nor matplotlib: metrics, tables and figures are named, and loaded by the jobs
that need them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from steadfast.base.files import Settings
from steadfast.config.settings import judge_names, references
from steadfast.contract.components import Component, Scoring
from steadfast.contract.task import Benchmark, DataFile, Judging, Measure, Output, Part, Task, Trial
from steadfast.schema.config import Config
from steadfast.schema.strict import StrictModel
from steadfast.simple.instance import AGREEMENT, EFFECTIVE, METRICS, PART, SCORE, Instance, Mark

PACKAGE = "steadfast.simple"
ALL = "all"
"""The part of a benchmark that has but one."""
S = TypeVar("S", bound=StrictModel)


def simple_benchmark(
    name: str,
    title: str,
    section: type[S],
    instances: Callable[..., Iterable[Instance]],
    score: Callable[[str, Instance], float | Mapping[str, float] | Mark],
    *,
    parts: Callable[[S], Mapping[str, int]] | None = None,
    lengths: bool = False,
    by: Sequence[str] = (),
    data_note: str = "",
    source: Settings | str = "synthetic",
    **further: Any,
) -> Benchmark[S]:
    """Returns a benchmark whose answers a function scores, as an entry point names it.

    Args:
        name: in config, paths and tables.
        title: in tables.
        section: schema of its section of the config.
        instances: gives the instances of a part, of the keyword arguments ``part``, ``seed`` (the
            config's) and each key of the section: the same ones whenever it is called.
        score: gives what a text is worth as the answer to an instance, 0 to 1, whatever the text;
            or several such numbers by name, of which the mean counts; or a ``Mark``.
        parts: by name, in the order to show, the tokens of the longest context of each, such as
            lengths; of the section. By default there is one part.
        lengths: whether these are lengths, from the shortest on: models then have an effective
            length.
        by: fields of ``Instance.by`` by which tables show the mean score.
        data_note: a sentence about the data, below every table.
        source: what the instances are made of, for the card of an export: the fields of a
            ``contract.exports.Source``, but for its name.
        **further: of the ``Benchmark``, such as ``check``.
    """
    spec = Simple(
        name,
        title,
        instances=_named(instances),
        scoring=Component(
            f"{PACKAGE}.scoring:SimpleScoring", {"function": _named(score)}, calls=(_named(score),)
        ),
        by=tuple(by),
        lengths=lengths,
        data_note=data_note,
        source=source,
    )
    return Benchmark(
        name=name,
        title=title,
        section=section,
        task=partial(_task, spec, parts),
        measures=measures(title),
        task_names=(name,),
        code=(spec.instances,),
        **further,
    )


def measures(title: str) -> dict[str, Measure]:
    """Returns the one main measure of a benchmark of that title."""
    return {SCORE: Measure(f"mean score of {title}", compared={"measure": SCORE})}


def _named(function: Callable[..., object]) -> str:
    return f"{function.__module__}:{function.__qualname__}"


def _task(
    spec: "Simple", parts: Callable[[S], Mapping[str, int]] | None, config: Config, section: S
) -> Task:
    settings = {"seed": config.seed, **section.model_dump(mode="json")}
    return spec.task(config, settings, parts(section) if parts else {ALL: 0})


@dataclass(frozen=True)
class Simple:
    """What tells a simple benchmark from others: what ``simple_benchmark`` takes, and more.

    Attributes:
        instances: name of the function that gives them, as ``base.loading.load`` takes it.
        files: files of the user's that the function reads.
        judging: where a model judges.
        required: files that the config names, by its key.
        data: of another benchmark that the instances are made of, by part the files by name.
        sources: what makes these files.
    """

    name: str
    title: str
    instances: str
    scoring: Component[Scoring]
    by: tuple[str, ...] = ()
    lengths: bool = False
    data_note: str = ""
    source: Settings | str = "synthetic"
    files: tuple[str, ...] = ()
    judging: Judging | None = None
    required: tuple[tuple[str, str], ...] = ()
    data: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sources: Sequence[DataFile] = ()

    def task(
        self,
        config: Config,
        settings: Settings,
        parts: Mapping[str, int],
        card: Settings | None = None,
    ) -> Task:
        """Returns what a config asks of it: parts by name with the tokens of their contexts, of
        which the function gives the instances by these settings; ``card`` are those to show on the
        card of an export, where they are others."""
        by = [*([PART] if len(parts) > 1 else []), *self.by]
        shown = {"name": self.name, "title": self.title, "by": by, "judged": bool(self.judging)}
        judges = judge_names(config) if self.judging and len(judge_names(config)) > 1 else []
        agreement = (AGREEMENT,) if judges else ()
        several = self.lengths and len(parts) > 1
        reached = (EFFECTIVE,) if several else ()
        kept = {"lengths": list(parts)}
        tables = ("results", *(("by",) if by else ()), "coverage", *agreement, *reached)
        return Task(
            data_note=self.data_note,
            parts={
                part: Part(tokens, {(kind, part): self._path(kind, part) for kind in KINDS})
                for part, tokens in parts.items()
            },
            data=[
                *self.sources,
                *(
                    self._data(kind, part, {**settings, "part": part})
                    for part in parts
                    for kind in KINDS
                ),
            ],
            prompts=Component(f"{PACKAGE}.instance:prompts", {"name": self.name}),
            samples=Component(f"{PACKAGE}.instance:SimpleSamples"),
            simulator=Component(
                f"{PACKAGE}.answers:SimpleSimulator", {"judged": self.judging is not None}
            ),
            scoring=self.scoring,
            metrics=Output(
                Component(
                    f"{PACKAGE}.metrics:metrics",
                    {"by": by, "references": references(config), "judges": judges}
                    | (kept if several else {}),
                ),
                (*METRICS, *agreement, *reached),
                fields=("by",),
            ),
            tables=Output(
                Component(f"{PACKAGE}.tables:tables", shown),
                tuple(f"{self.name}_{table}" for table in tables),
            ),
            figures=Output(Component(f"{PACKAGE}.figures:figures", shown), ("scores", *reached)),
            judging=self.judging,
            files=self.required,
            exports=Component(
                f"{PACKAGE}.export:SimpleExports",
                {
                    "title": self.title,
                    "source": self.source,
                    "settings": dict(settings if card is None else card),
                },
            ),
            passages=Component(f"{PACKAGE}.passages:passages"),
            trial=Trial(spread=("by", "context_id")),
        )

    def _path(self, kind: str, part: str) -> str:
        return f"{self.name}/{kind}/{part}.jsonl"

    def _data(self, kind: str, part: str, settings: Settings) -> DataFile:
        checks = {"by": list(self.by)} if kind == INSTANCES else {}
        content: Component[Any] = Component(
            f"{PACKAGE}.instance:{kind}",
            {"function": self.instances, "settings": dict(settings), **checks},
            calls=(self.instances,),
        )
        inputs = self.data.get(part, {})
        step = f"{self.name}_data"
        return DataFile(self._path(kind, part), step, content, inputs, self.files)


INSTANCES = "instances"
KINDS = (INSTANCES, "contexts")
"""Kinds of data, and the functions of ``instance`` that make them."""
