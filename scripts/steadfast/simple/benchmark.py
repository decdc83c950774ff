"""A benchmark by its instances and its scorer alone; everything else has a default.

Imports neither pandas nor matplotlib: metrics, tables and figures are named, and loaded by the jobs
that need them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.config.settings import judge_names, references
from steadfast.contract.components import Component, Scoring
from steadfast.contract.exports import exports_by
from steadfast.contract.judge_template import packaged_files
from steadfast.contract.task import Benchmark, DataFile, Judging, Measure, Output, Part, Task, Trial
from steadfast.schema.config import Config
from steadfast.schema.strict import StrictModel
from steadfast.simple import instance
from steadfast.simple.instance import Instance, Mark
from steadfast.simple.judge import JUDGE_PROMPT, template_fields

PACKAGE = "steadfast.simple"
ALL = "all"  # the part of a benchmark that has but one
S = TypeVar("S", bound=StrictModel)
# A function, or ``module:function`` where its module should be loaded by the jobs alone that use
# it: a change of the module re-runs these alone, and pandas takes half a second to load.
Function = str | Callable[..., Any]


@dataclass(frozen=True)
class Judge:
    """A judge's verdict on responses, which the scorer takes as its parameter ``verdict``.

    Attributes:
        template: file with the judge's prompt, or ``resource:PACKAGE:FILE``. It has the slot
            ``answer``, and may have ``prompt``, ``context``, ``reference``, ``boundary`` and
            ``fields`` of the instances.
        read: gives the verdict, a plain value, of a reply and its response; None where the reply is
            unreadable, which is then re-requested.
        replies: of a simulated judge to a wrong and to a right response.
        applies: whether responses to an instance are judged; by default all are.
        settings: further keyword arguments of ``read``, plain values.
    """

    template: str
    read: Function
    replies: tuple[str, str]
    applies: Callable[[Instance], bool] | None = None
    settings: Settings = field(default_factory=dict)

    @property
    def scoring(self) -> Settings:
        """Its settings for the scorer."""
        return {"read": function_name(self.read), "reading": dict(self.settings), **self._applies}

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that the scorer calls for it."""
        return (function_name(self.read), *self._applies.values())

    @property
    def _applies(self) -> dict[str, str]:
        return {"applies": function_name(self.applies)} if self.applies else {}

    def check(self, scorer: str) -> None:
        """Raises UserError where no reply could be read, or the scorer takes no verdict."""
        read = function_name(self.read)
        for reply in self.replies:
            if load(read)(reply, "", **self.settings) is None:
                raise UserError(
                    f"{read}: reads no verdict in {reply!r}, a reply of the simulated judge; "
                    "correct the function, or the judge's replies"
                )
        if instance.VERDICT not in signature(load(scorer)).parameters:
            raise UserError(f"{scorer}: a scorer of judged responses takes verdict; add it")

    def judging(self, config: Config) -> Judging:
        """Returns how responses are judged."""
        templates = {JUDGE_PROMPT: self.template}
        fields = template_fields(self.template)
        read = function_name(self.read)
        return Judging(
            prompts=Component(
                f"{PACKAGE}.judge:InstanceJudgePrompts",
                {"fields": fields, "reading": dict(self.settings), **self._applies},
                packaged_files(templates),
                tuple(self._applies.values()),
            ),
            readable=Component(f"{PACKAGE}.judge:readable", {"read": read}, calls=(read,)),
            simulator=Component(f"{PACKAGE}.judge:InstanceJudge", {"replies": list(self.replies)}),
            templates=templates,
            attempts=config.judging.attempts,
        )


def simple_benchmark(
    name: str,
    title: str,
    section: type[S],
    instances: str | Callable[..., Iterable[Instance]],
    score: str | Callable[..., float | Mapping[str, float] | Mark],
    *,
    parts: Callable[[S], Mapping[str, int]] | None = None,
    lengths: bool = False,
    by: Sequence[str] = (),
    measures: Mapping[str, str] | None = None,
    judge: Judge | None = None,
    metrics: Mapping[str, Function] | None = None,
    tables: Mapping[str, Function] | None = None,
    data_note: str = "",
    source: Settings | str = "synthetic",
    **further: Any,
) -> Benchmark[S]:
    """Returns a benchmark whose answers a function scores, as an entry point names it.

    Args:
        name: in config, paths and tables.
        title: in tables.
        section: schema of its section of the config.
        instances: returns the instances of a part, given ``part``, ``seed`` (the config's) and each
            key of the section as keywords; always the same ones.
        score: returns the score of any text as the answer to an instance, 0 to 1; or several
            scores by name, of which the mean counts; or a ``Mark``.
        parts: returns, from the section, the tokens of the longest context of each part by name, in
            the order to show. By default there is one part.
        lengths: whether parts are lengths, ascending: models then have an effective length.
        by: fields of ``Instance.by`` by which tables show the means.
        measures: a description of each number that is reported, by the name that ``score`` gives
            it; the first is the main one. By default the mean of all numbers is reported.
        judge: of responses that a program cannot score.
        metrics: functions that give a data frame of ``metrics.score_frame``'s rows, by its name.
        tables: functions that give a table of ``tables.SimpleResults``, by its name.
        data_note: a sentence about the data, below every table.
        source: what the instances are made of, for the card of an export: the fields of a
            ``contract.exports.Source``, but for its name.
        **further: of the ``Benchmark``, such as ``check``.
    """
    main = {"main": next(iter(measures))} if measures else {}
    spec = Simple(
        name,
        title,
        instances=function_name(instances),
        scoring=scoring(function_name(score), main, judge),
        by=tuple(by),
        lengths=lengths,
        measures=tuple(measures or [instance.SCORE]),
        judge=judge,
        metrics={name: function_name(function) for name, function in (metrics or {}).items()},
        tables={name: function_name(function) for name, function in (tables or {}).items()},
        data_note=data_note,
        source=source,
    )
    return Benchmark(
        name=name,
        title=title,
        section=section,
        task=partial(_task, spec, parts),
        measures=compared_measures(title, measures),
        task_names=(name,),
        code=(spec.instances,),
        **further,
    )


def compared_measures(title: str, measures: Mapping[str, str] | None = None) -> dict[str, Measure]:
    """Returns the measures of a benchmark of that title; by default the mean score alone."""
    texts = measures or {instance.SCORE: f"mean score of {title}"}
    return {name: Measure(text, compared={"measure": name}) for name, text in texts.items()}


def scoring(function: str, settings: Settings, judge: Judge | None) -> Component[Scoring]:
    """Returns the scorer by the function of that name, with settings of ``SimpleScoring``."""
    settings = {"function": function, **settings, **(judge.scoring if judge else {})}
    calls = (function, *(judge.functions if judge else ()))
    return Component(f"{PACKAGE}.scoring:SimpleScoring", settings, calls=calls)


def function_name(function: Function) -> str:
    """Returns the name by which a job loads a function."""
    if isinstance(function, str):
        return function
    return f"{function.__module__}:{function.__qualname__}"


def _task(
    spec: "Simple", parts: Callable[[S], Mapping[str, int]] | None, config: Config, section: S
) -> Task:
    if spec.judge:
        spec.judge.check(spec.scoring.settings["function"])
    settings = {"seed": config.seed, **section.model_dump(mode="json")}
    return spec.task(config, settings, parts(section) if parts else {ALL: 0})


@dataclass(frozen=True)
class Simple:
    """The description of a simple benchmark: the arguments of ``simple_benchmark``, and more.

    Attributes:
        instances: name of the function that gives them, as ``base.loading.load`` takes it.
        files: files of the user's that the function reads.
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
    measures: tuple[str, ...] = (instance.SCORE,)
    judge: Judge | None = None
    metrics: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    data_note: str = ""
    source: Settings | str = "synthetic"
    files: tuple[str, ...] = ()
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
        """Returns the task by a config.

        Args:
            config: the whole config.
            settings: keyword arguments of ``instances``, beside the part.
            parts: by name the tokens of their contexts.
            card: settings to show on the card of an export, where they are others.
        """
        by = [instance.PART, *self.by] if len(parts) > 1 else list(self.by)
        judges = judge_names(config) if self.judge and len(judge_names(config)) > 1 else []
        agreement = (instance.AGREEMENT,) if judges else ()
        effective = (instance.EFFECTIVE,) if self.lengths and len(parts) > 1 else ()
        measures = {"measures": list(self.measures)}
        metric_settings: Record = {"by": by, "references": references(config), "judges": judges}
        metric_settings |= measures | ({"lengths": list(parts)} if effective else {})
        table_settings: Record = {"name": self.name, "title": self.title, "by": by}
        table_settings |= {"judged": bool(self.judge)} | measures
        tables = ["results", *(["by"] if by else []), *self.tables, "coverage"]
        tables += [*agreement, *effective]
        data = [*self.sources]
        for part in parts:
            data += [self._data(kind, part, {**settings, "part": part}) for kind in KINDS]
        trial = Trial(spread=("by", "context_id"))
        if instance.TEMPLATE in self.by:
            # All paraphrases of a record or none, so that they can be compared.
            trial = Trial("context_id", ("by",))
        return Task(
            data_note=self.data_note,
            parts={part: self._part(part, tokens) for part, tokens in parts.items()},
            data=data,
            prompts=Component(f"{PACKAGE}.instance:prompts", {"name": self.name}),
            units=Component(f"{PACKAGE}.metrics:units"),
            samples=Component(f"{PACKAGE}.instance:SimpleSamples"),
            simulator=Component(f"{PACKAGE}.answers:SimpleSimulator", {"judged": bool(self.judge)}),
            scoring=self.scoring,
            metrics=Output(
                Component(
                    f"{PACKAGE}.metrics:metrics",
                    {**metric_settings, "further": dict(self.metrics)},
                    calls=tuple(self.metrics.values()),
                ),
                (*instance.METRICS, *agreement, *effective, *self.metrics),
                fields=("by",),
            ),
            tables=Output(
                Component(
                    f"{PACKAGE}.tables:tables",
                    {**table_settings, "own": dict(self.tables)},
                    calls=tuple(self.tables.values()),
                ),
                tuple(f"{self.name}_{table}" for table in tables),
            ),
            figures=Output(
                Component(f"{PACKAGE}.figures:figures", table_settings), ("scores", *effective)
            ),
            judging=self.judge.judging(config) if self.judge else None,
            files=self.required,
            exports=exports_by(
                "simple/export.yaml",
                sources={"instances": self.source},
                settings=dict(card or settings),
                title=self.title,
            ),
            passages=Component(f"{PACKAGE}.passages:passages"),
            trial=trial,
        )

    def _part(self, part: str, tokens: int) -> Part:
        return Part(tokens, {(kind, part): self._path(kind, part) for kind in KINDS})

    def _path(self, kind: str, part: str) -> str:
        return f"{self.name}/{kind}/{part}.jsonl"

    def _data(self, kind: str, part: str, settings: Settings) -> DataFile:
        checks = {}
        if kind == INSTANCES:
            checks["by"] = list(self.by)
            if self.judge:
                checks["slots"] = template_fields(self.judge.template)
        content: Component[Any] = Component(
            f"{PACKAGE}.instance:{kind}",
            {"function": self.instances, "settings": dict(settings), **checks},
            calls=(self.instances,),
        )
        inputs = self.data.get(part, {})
        step = f"{self.name}_data"
        return DataFile(self._path(kind, part), step, content, inputs, self.files)


INSTANCES = "instances"
KINDS = (INSTANCES, "contexts")  # kinds of data, and the functions of ``instance`` that make them
