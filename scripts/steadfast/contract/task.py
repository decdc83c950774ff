"""What a benchmark is to the workflow: one object, found by its entry point (``registry``).

For a config it names, as a ``Task``, the files of its data and a component for each stage.
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

if TYPE_CHECKING:  # what a benchmark makes of a config does not depend on all keys of all engines
    from steadfast.schema.config import Config

R = TypeVar("R")
S = TypeVar("S", bound=StrictModel)


@dataclass(frozen=True)
class Needs:
    """What making something needs that is not in this environment (``steadfast doctor``).

    Attributes:
        addresses: that it is fetched from.
        packages: modules that it imports of packages that are not always installed, and what
            installs each.
        checks: by what is asked for, what raises a UserError where more than a package is missing,
            such as its data.
    """

    addresses: tuple[str, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    checks: Mapping[str, Component[None]] = field(default_factory=dict)


@dataclass(frozen=True)
class DataFile:
    """One file of a benchmark's data, and what makes it.

    Attributes:
        path: below the results folder; ends in .jsonl (records) or .json (one value, or a text).
        step: name of the rule that makes it, such as contexts.
        content: a function that gives the content, of the inputs' paths by name and its settings.
        inputs: other data files by name.
        files: the user's files that it reads, so that a change of one is noticed.
        needs: what making it needs of the surroundings.
    """

    path: str
    step: str
    content: Component[Iterable[Record] | Record | str]
    inputs: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: Needs = field(default_factory=Needs)


@dataclass(frozen=True)
class Part:
    """What one inference job asks, such as a length or a language.

    Attributes:
        tokens: that its longest context may have.
        sources: data files that its prompts refer to, by kind and name.
    """

    tokens: int
    sources: Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Judging:
    """How a judge is queried, and its replies are read.

    Attributes:
        prompts: the judge prompts.
        readable: a function of what is expected, the reply and the answer: whether the reply can
            be read as a verdict.
        simulator: replies of judges without a model.
        templates: file of each judge template, or ``resource:`` and the name of a packaged one.
        attempts: most requests for a readable reply.
        schema: a function of what is expected: the JSON schema of a reply that is readable, or None
            where none is read as JSON; for judges with ``structured``.
        questions: a function of a sample: what people are asked of an answer, nothing where a rule
            decides; None where people's verdicts are not read.
        label_id: how a label names a sample, by ``part`` and ``sample_id``.
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
    """What rewriters are asked to rewrite before there are prompts, and how their replies are read.

    Attributes:
        requests: by round, the data file with the requests, as ``JudgePrompt`` records; a round
            may be made of the replies to the one before.
        rewriters: names of the config's rewriters; each gets all of them.
        readable: as a judge's, of what is expected, the reply and the original.
        simulator: replies of rewriters without a model.
        attempts: as a judge's.
    """

    requests: Mapping[str, str]
    rewriters: Sequence[str]
    readable: Component[bool]
    simulator: Component[JudgeSimulator]
    attempts: int


def rewrites_file(benchmark: str, rewriter: str, round: str) -> str:
    """Returns the path of a rewriter's replies in a round, which data files may take as input."""
    return f"{benchmark}/rewrites/{rewriter}/{round}.jsonl"


@dataclass(frozen=True)
class Trial:
    """How a few of the prompts are chosen for a trial.

    Attributes:
        together: field of the prompts; of those with one value, all or none are evaluated.
        spread: fields over whose values the chosen prompts are spread.
    """

    together: str = "sample_id"
    spread: tuple[str, ...] = ("context_id",)


@dataclass(frozen=True)
class Output:
    """What a stage makes for all models at once.

    Attributes:
        function: that makes it.
        names: stems of its files.
        data: of metrics, the kinds of the benchmark's data that they take too.
        fields: of metrics, what they read of a score's record beside what all records have.
    """

    function: Component[Any]
    names: tuple[str, ...]
    data: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Task:
    """What a config asks of a benchmark; a component a stage.

    Attributes:
        parts: by name, in the order to show.
        data: the files of the data.
        prompts: a function of part and data that gives the prompts' records.
        samples: how prompts refer to data.
        simulator: answers of engines without a model.
        scoring: the scorer.
        metrics: a function of scores (``Scored``), data by part and labels that gives ``Frames``;
            ``coverage`` and ``summary`` are among the names.
        units: a function of scores that gives a row a response: what ``stats.scores.answer_row``
            has, with its sampling unit (cluster) and the unit's stratum, as intervals have them.
        tables: a function of frames and display that gives tables or printed pages.
        figures: a function of frames and display that gives a ``show.figures.Picture`` for each
            name.
        judging: None where no model judges.
        rewriting: None where no model rewords anything.
        released_scores: a function of models and parts that gives the records of scores that the
            benchmark's authors released; None where there are none.
        released_files: files of the user's that they are read from.
        released_needs: what reading them needs of the surroundings.
        files: the user's files that the config names, by its key; looked for before anything runs.
        labels: file with people's verdicts.
        baseline: responses of engine ``baseline``, which looks nothing up: the simulator, or one
            with other settings. None: models of that engine do not run here.
        task_names: names of tasks that the config adds to the benchmark's own ``task_names``.
        weights: a function that gives the weight of each task in the mean of all; None: samples
            count alike, whatever their task.
        trial: how a few of the prompts are chosen, where the config has a limit.
        passages: a function of a sample that gives what of its context it is about, as
            ``show.passages.Passages``, or None; None where no sample has a context.
        exports: how it is exported, as an ``exports.Exports``; None where it is not.
        data_note: a sentence about the data, below every table.
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
        text: what it is, for the caption.
        digits: after the point; None: the display's.
        smaller: whether a smaller value is better.
        compared: values of the keys of its rows in the metric ``comparisons``, if it is tested.
        full: full marks, which a gate's margin is a share of.
    """

    text: str
    digits: int | None = None
    smaller: bool = False
    compared: Mapping[str, str] = field(default_factory=dict)
    full: float = 1.0


class ReleasedModel(NamedTuple):
    """A model whose scores the benchmark's authors released: how tables show it."""

    label: str  # its name in the tables
    group: str  # the heading under which they list it
    is_reference: bool = False  # it is no model, but the reference answers
    series: str = ""  # whose models have one colour in figures of series
    base: bool = False  # not tuned to follow instructions: dashed there
    truncated: Sequence[str] = ()  # parts whose contexts were cut for it


@dataclass(frozen=True)
class Benchmark(Generic[S]):
    """A benchmark, as its entry point names it.

    Attributes:
        name: in config, paths and tables.
        title: in tables.
        section: schema of its section of the config.
        task: what a config asks of it, from the config and its own section.
        measures: its measures that the summary shows, in their order.
        released_models: by their names in the files of released scores.
        check: raises ValueError with a sentence where the config does not suit the benchmark.
        task_names: all that stand as ``task`` in its prompts, for which a model's max_tokens may
            name limits; empty: they are not known beforehand.
        code: further functions that make the task, as ``module:function``.
        family: name of the ``Family`` that it is of; empty where a package brings it by itself.
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
        """Names of the functions that make the task."""
        function = _whole(self.task)
        return f"{function.__module__}:{function.__name__}", *self.code

    def of(self, config: "Config") -> Task:
        """Returns the task of a config.

        Raises:
            UserError: the config does not suit, or the benchmark's own function fails.
        """
        return self._called(self.task, config)

    def check_config(self, config: "Config") -> None:
        """Raises UserError where a config does not suit, or the benchmark's function fails."""
        if self.check:
            self._called(self.check, config, ValueError)

    def _called(
        self,
        function: Callable[["Config", S], R],
        config: "Config",
        said: type[Exception] = UserError,
    ) -> R:
        """Returns what a function of the benchmark gives; it may be of another package, and fail.

        Where the config does not suit, it raises ``said``.
        """
        try:
            return function(config, self.settings(config))
        except UserError:
            raise
        except (Exception, SystemExit) as error:
            if isinstance(error, said):
                raise UserError(f"config: {error}") from None
            raise UserError(
                f"benchmark {self.name}: {_place(function)} fails "
                f"({type(error).__name__}: {error}); correct it, or remove the package that "
                "brings it"
            ) from error

    def settings(self, config: "Config") -> S:
        """Returns its section of a config."""
        of_family: Mapping[str, S] = getattr(config, self.family) if self.family else {}
        section: S = of_family[self.name] if self.family else getattr(config, self.name)
        return section

    def reported(self, judged: bool) -> Record:
        """Returns what the summary takes of it, as plain values."""
        fields = ("text", "digits", "smaller", "full")
        measures = {
            name: {key: getattr(measure, key) for key in fields}
            for name, measure in self.measures.items()
        }
        return {"title": self.title, "judged": judged, "measures": measures}


def _whole(function: Callable[..., Any]) -> Any:
    """Returns a function of which some arguments may be given already."""
    return function.func if isinstance(function, partial) else function


def _place(function: Callable[..., Any]) -> str:
    """Returns where a function stands and what it is called, such as ``my/benchmark.py: task``."""
    function = _whole(function)
    name = getattr(function, "__qualname__", repr(function))
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}: {name}" if code else name


AnyBenchmark = Benchmark[Any]
"""A benchmark, whatever its section of the config is."""


@dataclass(frozen=True)
class Family(Generic[S]):
    """Benchmarks that a config itself names, such as one for each file of the user's.

    Attributes:
        name: the key of the config below which each has its section, by its name.
        title: of the sections, for people.
        section: schema of a section.
        benchmark: the benchmark of a name and section.
    """

    name: str
    title: str
    section: type[S]
    benchmark: Callable[[str, S], Benchmark[S]]
