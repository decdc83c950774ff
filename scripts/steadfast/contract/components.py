"""What a benchmark is made of: samples, answers and scores, and a component for each stage.

Components touch no files: the stages read and write them, and call the components, where possible
with one sample at a time.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

from typing_extensions import TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.contract.records import Prompt, ScoreRecord
from steadfast.contract.request import ANSWERED, Item, repeat_key
from steadfast.contract.votes import majority_vote

if TYPE_CHECKING:
    import pandas as pd

    from steadfast.contract.judge_template import JudgeTemplate

T = TypeVar("T")
P = TypeVar("P", bound=Prompt, default=Prompt, covariant=True)
S = TypeVar("S", bound=ScoreRecord, default=ScoreRecord, covariant=True)

# Status of a response without a readable verdict.
INVALID = "invalid"

# The content of data files by kind and name: a .jsonl file's records, a .json file's value.
Data = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Component(Generic[T]):
    """A class or function of a benchmark by name, with its settings.

    By name, so that a rule's job imports this one alone, and its digest depends on no other
    (``steadfast.jobs.digests``).

    Attributes:
        name: ``module:object``.
        settings: keyword arguments, plain values.
        resources: packaged data files that the settings name, for the digest.
        calls: functions that the settings name, for the digest.
    """

    name: str
    settings: Settings = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def plain(self) -> tuple[str, dict[str, Any]]:
        """Name and settings, for a rule's params."""
        return self.name, dict(self.settings)

    def make(self, *arguments: Any) -> T:
        """Calls the class or function with further arguments, and returns its result."""
        result: T = load(self.name)(*arguments, **self.settings)
        return result


def component(plain: Sequence[Any]) -> Component[Any]:
    """The component of a rule's params (``Component.plain``)."""
    name, settings = plain
    return Component(name, settings)


@dataclass(frozen=True)
class Sample(Generic[P]):
    """A prompt to which models respond.

    Attributes:
        part: of the benchmark, such as a length or a language.
        prompt: the prompt's record, which may have fields of the benchmark's own.
        source: the record of the data that the prompt was made from, such as its context.
        before: the previous turn of the conversation, in the same repeat.
        repeat: number of the repeat, from 0.
    """

    part: str
    prompt: P
    source: Record
    before: "Sample[P] | None" = None
    repeat: int = 0

    @property
    def id(self) -> str:
        """Its key among the samples of its part."""
        return repeat_key(self.prompt["sample_id"], self.repeat)

    @property
    def turns(self) -> "list[Sample[P]]":
        """The conversation up to this sample, which is its last turn."""
        return [*(self.before.turns if self.before else ()), self]


@dataclass(frozen=True)
class Answer:
    """A model's response to a sample.

    Attributes:
        status: one of ``request.STATUSES``.
        text: the response, without reasoning; empty where there is none.
        prompt_truncated: whether the context was truncated to fit the model's window.
        before: the response to the previous turn.
        reasoning: the model's reasoning; None where it wrote none.
    """

    status: str
    text: str
    prompt_truncated: bool = False
    before: "Answer | None" = None
    reasoning: str | None = None

    @property
    def answered(self) -> bool:
        """Whether the model responded; a missing response is neither judged nor scored as wrong."""
        return self.status in ANSWERED

    @property
    def turns(self) -> "list[Answer]":
        """The responses of the conversation up to this one, which is the last."""
        return [*(self.before.turns if self.before else ()), self]

    @property
    def empty(self) -> bool:
        """Whether the model responded with blank text."""
        return self.answered and not self.text.strip()


@dataclass(frozen=True)
class Reply:
    """A judge's reply to one request, after so many attempts."""

    status: str
    text: str
    attempts: int | None = None

    @property
    def answered(self) -> bool:
        """Whether the judge replied."""
        return self.status in ANSWERED


# Stands for a reply that is missing.
MISSING = Reply("missing", "")


@dataclass(frozen=True)
class Score:
    """The score of one response.

    Attributes:
        status: the response's, or ``INVALID``.
        points: of each score point, constraint or question, 0 to 1; None where unknown. In
            released modes some lie outside: FollowBench's failures, LIFBench's MF ori.
        total: the score, 0 to 1 as the points; None: unscored, which is neither right nor wrong.
        values: further columns of the score's record, such as further rates.
        extracted: what was extracted from the response or the verdicts.
        other_raters: other scores of the same response, by name: of another rubric, or of the
            judge with another prompt (``votes.rater_name``).
    """

    status: str
    points: Mapping[str, float | None] | None = None
    total: float | None = None
    values: Record = field(default_factory=dict)
    extracted: Any = None
    other_raters: Mapping[str, "Score"] = field(default_factory=dict)


class Scored(NamedTuple, Generic[S]):
    """A score's record, with the model and part of the response."""

    model: str
    part: str
    record: S


@dataclass(frozen=True)
class JudgeRequest:
    """A request to a judge about a response.

    Attributes:
        id: its key among the requests of its part.
        tail: the prompt after the response.
        expected: plain values by which the reply is read as a verdict.
        reminder: added to the prompt when an unreadable reply is re-requested.
        max_tokens: output limit of the reply.
    """

    id: str
    tail: str
    expected: Record
    reminder: str
    max_tokens: int


@dataclass(frozen=True)
class JudgePrompt:
    """The requests about one response, which share their prompt up to its end.

    Attributes:
        answer_id: the sample's key.
        template: name of the judge template.
        head: the prompt before the response.
        answer: the response as the judge sees it.
        requests: the requests, each with its own end of the prompt.
    """

    answer_id: str
    template: str
    head: str
    answer: str
    requests: Sequence[JudgeRequest]


class Samples(ABC):
    """How prompts are joined with the data, and assembled for models."""

    @abstractmethod
    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """The record of the data for each prompt, in the prompts' order.

        Raises:
            UserError: the data has none for a prompt.
        """

    def text(self, sample: Sample[Any]) -> str:
        """The long context of a prompt (``long_context_id``), the only part that is truncated."""
        return ""

    def item(self, sample: Sample[Any]) -> Item:
        """The prompt for a model: what precedes the context, the context, and the instruction."""
        prompt = sample.prompt
        turns = prompt.get("turns", ())
        return Item(
            sample_id=prompt["sample_id"],
            context_id=prompt.get("long_context_id", prompt["context_id"]),
            head=prompt.get("before", ""),
            context=self.text(sample),
            tail=prompt["instruction"],
            max_tokens=prompt["max_tokens"],
            task=prompt["task"],
            repeat=sample.repeat,
            follows=sample.before.id if sample.before else None,
            turns=tuple((prompt_text, response) for prompt_text, response in turns),
            system=prompt.get("system", ""),
        )


class KeyedSamples(Samples):
    """Prompts that have the field ``key`` in common with their record of the data."""

    def __init__(self, key: str):
        self._key = key

    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """The record with the same value of the key."""
        records: dict[Any, Record] = {}
        for files in data.values():
            for record in chain(*files.values()):
                records[record[self._key]] = record
        for prompt in prompts:
            yield named_by(prompt, self._key, records)


def named_by(prompt: Settings, key: str, values: Mapping[Any, T]) -> T:
    """The value for the name in a prompt's field; raises UserError where the data lacks it."""
    if prompt[key] not in values:
        raise UserError(
            f"prompts: the {key} {prompt[key]!r} of sample {prompt['sample_id']} is not in the "
            "data; remake the prompts"
        )
    return values[prompt[key]]


class Simulator(ABC):
    """Responses without a model: reference answers, a simulated model, the no-lookup baseline."""

    @abstractmethod
    def reference(self, sample: Sample[Any]) -> str:
        """The reference answer, which every scorer gives full marks."""

    @abstractmethod
    def simulated(self, sample: Sample[Any], settings: Settings, seen: float, rng: Random) -> str:
        """A simulated model's response.

        Args:
            sample: the prompt.
            settings: of engine ``simulated``.
            seen: fraction of the context, from its start, that was not truncated.
            rng: source of all randomness.
        """

    def baseline(self, sample: Sample[Any]) -> str | None:
        """The no-lookup baseline's response: as instructed in form, with nothing of the context.

        None: no response to this sample, which is then missing, and not wrong. Only called where
        the benchmark's ``Task`` names this class as its ``baseline``.

        Raises:
            UserError: the class lacks the method.
        """
        raise UserError(
            f"benchmark: {type(self).__name__} is its task's baseline and has no method baseline; "
            "write the method, or leave baseline out of the task"
        )


class JudgeSimulator(ABC):
    """A simulated judge of simulated responses, which state what they meet
    (``contract.simulated``)."""

    @abstractmethod
    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """A well-formed reply with the verdicts that the response itself states."""

    @abstractmethod
    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same with occasional wrong verdicts and unreadable replies."""


class JudgePrompts(ABC):
    """How judge prompts are made.

    Attributes:
        slots: allowed slots of a judge template, in addition to ``answer``.
        required: slots that it must have.
        after_response: slots that must not precede the response.
    """

    slots: ClassVar[frozenset[str]]
    required: ClassVar[frozenset[str]]
    after_response: ClassVar[frozenset[str]] = frozenset()

    def slots_of(self, template: str) -> tuple[frozenset[str], frozenset[str]]:
        """The allowed and the required slots of the template of that name."""
        return self.slots, self.required

    @abstractmethod
    def prompts(
        self, sample: Sample[Any], answer: Answer, templates: Mapping[str, "JudgeTemplate"]
    ) -> Iterable[JudgePrompt]:
        """The judge prompts about a response; none where rules decide everything."""


class Scoring(ABC):
    """The scorer."""

    @abstractmethod
    def score(self, sample: Sample[Any], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """The score of a response; pure, and without exceptions whatever the response.

        Args:
            sample: the prompt.
            answer: the response, or why there is none.
            verdicts: one judge's replies by request, also to other samples.
        """

    def majority(
        self, sample: Sample[Any], answer: Answer, verdicts: Sequence[Mapping[str, Reply]]
    ) -> Score:
        """The score by the majority of judges: by default the first with the commonest total.

        Args:
            verdicts: each judge's replies by request, in the judges' order.
        """
        scores = [self.score(sample, answer, replies) for replies in verdicts]
        total = majority_vote(score.total for score in scores)
        return next(score for score in scores if score.total == total)

    def facts(self, sample: Sample[Any]) -> Record:
        """Columns of the score's record that follow from the sample alone."""
        return {}


class Question(NamedTuple):
    """A yes-or-no question to a person about a response.

    Attributes:
        key: of the verdict in a label.
        text: the question.
    """

    key: str
    text: str


class Labels(NamedTuple):
    """Human verdicts: the file's name, for messages, and its records.

    ``of_more``: a trial or an adaptive run evaluates a part of the prompts only, so that labels may
    include samples without a response.
    """

    name: str
    records: Sequence[Record]
    of_more: bool = False


# Data frames by name.
Frames = Mapping[str, "pd.DataFrame"]
