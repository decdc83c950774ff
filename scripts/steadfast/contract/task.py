"""A benchmark as the workflow sees it: one object, found by its entry point (``registry``).

For a config it returns a ``Task``: the files of its data, and a component for each stage.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.contract.components import (
    Component,
    JudgePrompts,
    JudgeSimulator,
    Question,
    Samples,
    Scoring,
    Simulator,
)
from steadfast.schema.strict import StrictModel

if TYPE_CHECKING:  # else every task would depend on the settings of all engines
    from steadfast.schema.config import Config

R = TypeVar("R")
S = TypeVar("S", bound=StrictModel)


@dataclass(frozen=True)
class Needs:
    """What a data file needs beyond the base environment (``steadfast doctor`` checks it).

    Attributes:
        addresses: URLs that it is fetched from.
        packages: modules of optional packages, with the command that installs each.
        checks: functions that raise a UserError where something else is missing, such as a
            package's data, by what they check.
    """

    addresses: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, Component[None]] = field(default_factory=dict)


@dataclass(frozen=True)
class DataFile:
    """A file of a benchmark's data, and the function that makes it.

    Attributes:
        path: below the results folder; ends in .jsonl (records) or .json (one value, or a text).
        step: name of the rule that makes it, such as contexts.
        content: a function of the inputs' paths by name and its settings, which returns the
            content.
        inputs: other data files by name.
        files: the user's files that it reads, so that a change of one is noticed.
        needs: what it needs beyond the base environment.
    """

    path: str
    step: str
    content: Component[Iterable[Record] | Record | str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True)
class Part:
    """The prompts of one inference job, such as those of a length or a language.

    Attributes:
        tokens: maximum length of its contexts.
        sources: data files that its prompts refer to, by kind and name.
    """

    tokens: int
    sources: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Judging:
    """How a judge is queried, and its replies are read.

    Attributes:
        prompts: the judge prompts.
        readable: a function of ``JudgeRequest.expected``, the reply and the response: whether the
            reply can be read as a verdict.
        simulator: the simulated judge.
        templates: file of each judge template, or ``resource:`` and the name of a packaged one.
        attempts: maximum requests for a readable reply.
        schema: for judges with ``structured``: a function of ``JudgeRequest.expected`` that returns
            the JSON schema of a readable reply, or None where none is read as JSON.
        questions: a function of a sample that returns the questions to people about a response,
            none where rules decide; None where no labels are read.
        label_id: a sample's name in labels, by ``part`` and ``sample_id``.
    """

    prompts: Component[JudgePrompts]
    readable: Component[bool]
    simulator: Component[JudgeSimulator]
    templates: Mapping[str, str]
    attempts: int
    schema: Component[Record | None] | None = None
    questions: Component[Sequence[Question]] | None = None
    label_id: str = "{sample_id}"


@dataclass(frozen=True)
class Rewriting:
    """What rewriters paraphrase before prompts are made, and how their replies are read.

    Attributes:
        requests: by round, the data file with the requests, as ``JudgePrompt`` records; a round
            may be made from the replies of the previous one.
        rewriters: names of the config's rewriters; each gets all requests.
        readable: as ``Judging.readable``, with the original text in place of a response.
        simulator: the simulated rewriter.
        attempts: maximum requests for a readable reply.
    """

    requests: Mapping[str, str]
    rewriters: Sequence[str]
    readable: Component[bool]
    simulator: Component[JudgeSimulator]
    attempts: int


def rewrites_file(benchmark: str, rewriter: str, round: str) -> str:
    """The path of a rewriter's replies in a round, which data files may take as input."""
    return f"{benchmark}/rewrites/{rewriter}/{round}.jsonl"


@dataclass(frozen=True)
class Trial:
    """How a few of the prompts are chosen for a trial.

    Attributes:
        together: a field of the prompts: those with the same value are chosen together.
        spread: fields over whose values the chosen prompts are spread.
    """

    together: str = "sample_id"
    spread: tuple[str, ...] = ("context_id",)


@dataclass(frozen=True)
class Output:
    """What a stage makes for all models at once.

    Attributes:
        function: makes it.
        names: stems of its files.
        data: for metrics, the kinds of the benchmark's data that they use too.
        fields: for metrics, the fields of a score that they read, in addition to common ones.
    """

    function: Component[Any]
    names: tuple[str, ...]
    data: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """A benchmark for a config; a component for each stage.

    Attributes:
        parts: by name, in the order of tables.
        data: the files of the data.
        prompts: a function of part and data that returns the prompts' records.
        samples: how prompts are joined with the data.
        simulator: responses of engines without a model.
        scoring: the scorer.
        metrics: a function of scores (``Scored``), data by part and labels that returns ``Frames``,
            ``coverage`` and ``summary`` among them.
        units: a function of scores that returns a row for each response: that of
            ``stats.scores.answer_row``, with sampling unit (cluster) and stratum for intervals.
        tables: a function of frames and display that returns tables or printed pages.
        figures: a function of frames and display that returns a ``show.figures.Picture`` for each
            name.
        judging: None where no model judges.
        rewriting: None where no model paraphrases.
        released_scores: a function of models and parts that returns the records of scores that the
            benchmark's authors released; None where there are none.
        released_files: the user's files that they are read from.
        released_needs: what reading them needs beyond the base environment.
        files: the user's files by their key in the config; checked before anything runs.
        labels: file with human verdicts.
        baseline: responses of the no-lookup baseline; None: models of that engine do not run.
        task_names: tasks that the config adds to the benchmark's own ``task_names``.
        weights: a function that returns the weight of each task in the mean of all tasks; None:
            all samples have the same weight.
        trial: how a few of the prompts are chosen, where the config has a limit.
        passages: a function of a sample that returns the relevant passages of its context
            (``show.passages.Passages``), or None; None where no sample has a context.
        exports: an ``exports.Exports``; None where there is no export.
        data_note: the note on the data below every table.
    """

    parts: Mapping[str, Part]
    data: Sequence[DataFile]
    prompts: Component[Iterable[Record]]
    samples: Component[Samples]
    simulator: Component[Simulator]
    scoring: Component[Scoring]
    metrics: Output
    tables: Output
    figures: Output
    judging: Judging | None = None
    rewriting: Rewriting | None = None
    released_scores: Component[Mapping[tuple[str, str], Iterable[Record]]] | None = None
    released_files: Sequence[str] = ()
    released_needs: Needs = field(default_factory=Needs)
    files: Sequence[tuple[str, str]] = ()
    labels: str | None = None
    baseline: Component[Simulator] | None = None
    task_names: tuple[str, ...] = ()
    weights: Component[Mapping[str, float]] | None = None
    trial: Trial = field(default_factory=Trial)
    passages: Component[Any] | None = None
    exports: Component[Any] | None = None
    data_note: str = ""
    units: Component[Any] = field(default_factory=lambda: Component("steadfast.stats.scores:units"))


@dataclass(frozen=True)
class Measure:
    """A main measure of a benchmark, as the summary shows it.

    Attributes:
        text: description for the caption.
        digits: decimals; None: the display's.
        smaller: whether a smaller value is better.
        compared: keys and values that select its rows in the metric ``comparisons``, if tested.
        full: full marks; a gate's margin is a share of them.
    """

    text: str
    digits: int | None = None
    smaller: bool = False
    compared: Mapping[str, str] = field(default_factory=dict)
    full: float = 1.0


class ReleasedModel(NamedTuple):
    """How tables and figures show a model whose scores the benchmark's authors released."""

    label: str
    group: str  # heading in tables
    is_reference: bool = False  # the reference answers, in place of a model
    series: str = ""  # models of a series have one colour in figures
    base: bool = False  # a base model: dashed in figures
    truncated: Sequence[str] = ()  # parts whose contexts were truncated for it


@dataclass(frozen=True)
class Benchmark(Generic[S]):
    """A benchmark, the object that an entry point names.

    Attributes:
        name: in config and paths.
        title: in tables.
        section: schema of its section of the config.
        task: returns its task, from the config and its section.
        measures: measures of the summary, in their order; the first is the main one (run-to-run
            variation), the first with ``compared`` decides adaptive runs.
        released_models: by their names in the files of released scores.
        check: raises ValueError with a sentence where the config does not suit the benchmark.
        task_names: values of ``task`` in its prompts, for which a model's max_tokens may have
            limits; empty: unknown beforehand.
        code: further functions that make the task, as ``module:function``.
        family: name of its ``Family``; empty for a benchmark with an entry point of its own.
        sample_names: a sentence on how its samples' names are built, for the HTML report.
    """

    name: str
    title: str
    section: type[S]
    task: Callable[["Config", S], Task]
    measures: Mapping[str, Measure]
    released_models: Mapping[str, ReleasedModel] = field(default_factory=dict)
    check: Callable[["Config", S], None] | None = None
    task_names: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    family: str = ""
    sample_names: str = ""

    @property
    def made_by(self) -> tuple[str, ...]:
        """Names of the functions that make the task, for digests."""
        function = _unwrapped(self.task)
        return f"{function.__module__}:{function.__name__}", *self.code

    def of(self, config: "Config") -> Task:
        """The task for a config.

        Raises:
            UserError: the config does not suit, or the benchmark's own function fails.
        """
        return self._call(self.task, config)

    def check_config(self, config: "Config") -> None:
        """Raises UserError where a config does not suit, or the benchmark's function fails."""
        if self.check:
            self._call(self.check, config, ValueError)

    def _call(
        self,
        function: Callable[["Config", S], R],
        config: "Config",
        unsuitable: type[Exception] = UserError,
    ) -> R:
        """Calls a function of the benchmark, which may be another package's, and fail.

        It raises ``unsuitable`` where the config does not suit.
        """
        try:
            return function(config, self.settings(config))
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            if isinstance(error, unsuitable):
                raise UserError(f"config: {error}") from None
            raise UserError(
                f"benchmark {self.name}: {_location(function)} fails "
                f"({type(error).__name__}: {error}); correct it, or remove the package that "
                "brings it"
            ) from error

    def settings(self, config: "Config") -> S:
        """Its section of a config."""
        if self.family:
            member: S = getattr(config, self.family)[self.name]
            return member
        section: S = getattr(config, self.name)
        return section

    def summary_input(self, judged: bool) -> Record:
        """Title and measures for the summary, as plain values."""
        measures: dict[str, Record] = {}
        for name, measure in self.measures.items():
            measures[name] = {
                "text": measure.text,
                "digits": measure.digits,
                "smaller": measure.smaller,
                "full": measure.full,
            }
        return {"title": self.title, "judged": judged, "measures": measures}


def _unwrapped(function: Callable[..., Any]) -> Any:
    """The function of a partial; any other function itself."""
    return function.func if isinstance(function, partial) else function


def _location(function: Callable[..., Any]) -> str:
    """File and name of a function, such as ``my/benchmark.py: task``."""
    function = _unwrapped(function)
    name = getattr(function, "__qualname__", repr(function))
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}: {name}" if code else name


# A benchmark, whatever its section of the config is.
AnyBenchmark = Benchmark[Any]


@dataclass(frozen=True)
class Family(Generic[S]):
    """Benchmarks that a config defines, such as one for each file of the user's.

    Attributes:
        name: key of the config with their sections, by name.
        title: of the sections in docs.
        section: schema of a section.
        benchmark: returns the benchmark of a name and section.
    """

    name: str
    title: str
    section: type[S]
    benchmark: Callable[[str, S], Benchmark[S]]
