"""What a benchmark is made of: samples, answers and scores, and a component for each stage.

Components touch no files: the stages read and write them, and call the components, one sample at a
time where a sample can be seen alone.
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
from steadfast.contract.votes import voted

if TYPE_CHECKING:
    import pandas as pd

    from steadfast.contract.judge_template import JudgeTemplate

T = TypeVar("T")
P = TypeVar("P", bound=Prompt, default=Prompt, covariant=True)
S = TypeVar("S", bound=ScoreRecord, default=ScoreRecord, covariant=True)

INVALID = "invalid"
"""Status of an answer of which there is no readable verdict."""

Data = Mapping[str, Mapping[str, Any]]
"""What data files hold, by kind and name: records of a .jsonl file, the value of a .json file."""


# --- by name ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Component(Generic[T]):
    """A class or function of a benchmark by name, with the plain values that it takes.

    By name, so that the job of a rule loads this one alone, and the rule depends on no other
    (``steadfast.jobs.digests``).

    Attributes:
        name: ``module:object``.
        settings: keyword arguments, plain values, for the rule's params.
        resources: packaged data files that follow from the settings, for the rule's digest.
        calls: functions that the settings name, for the rule's digest.
    """

    name: str
    settings: Settings = field(default_factory=dict)
    resources: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def plain(self) -> tuple[str, dict[str, Any]]:
        """Returns name and settings, for a rule's params."""
        return self.name, dict(self.settings)

    def make(self, *arguments: Any) -> T:
        """Returns the object of that class, or what the function gives for further arguments."""
        result: T = load(self.name)(*arguments, **self.settings)
        return result


def component(plain: Sequence[Any]) -> Component[Any]:
    """Returns a component again from what a rule's params hold of it."""
    name, settings = plain
    return Component(name, settings)


# --- one sample -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample(Generic[P]):
    """One thing that is asked.

    Attributes:
        part: of the benchmark, such as a length or a language.
        prompt: the prompt's record, which may have fields of the benchmark's own.
        source: what of the data it refers to, such as its context.
        before: the turn of a conversation that it follows, in the same repeat.
        repeat: 0 for the first answer that is drawn, 1 for the second …
    """

    part: str
    prompt: P
    source: Record
    before: "Sample[P] | None" = None
    repeat: int = 0

    @property
    def id(self) -> str:
        """Its name among the samples of its part."""
        return repeat_key(self.prompt["sample_id"], self.repeat)

    @property
    def turns(self) -> "list[Sample[P]]":
        """The conversation up to it, from its first turn on."""
        return [*(self.before.turns if self.before else ()), self]


@dataclass(frozen=True)
class Answer:
    """What a model answered.

    Attributes:
        status: one of ``request.STATUSES``.
        text: the answer; empty where there is none.
        prompt_truncated: whether its context was cut to fit.
        before: the answer to the turn before.
        reasoning: what the model wrote before the answer; None where it wrote none.
    """

    status: str
    text: str
    prompt_truncated: bool = False
    before: "Answer | None" = None
    reasoning: str | None = None

    @property
    def answered(self) -> bool:
        """Whether there is an answer; one without is never judged and never wrong."""
        return self.status in ANSWERED

    @property
    def turns(self) -> "list[Answer]":
        """The conversation's answers up to it, from that to the first turn on."""
        return [*(self.before.turns if self.before else ()), self]

    @property
    def empty(self) -> bool:
        """Whether there is an answer, and no text in it."""
        return self.answered and not self.text.strip()


@dataclass(frozen=True)
class Reply:
    """What a judge replied to one request: its status, text, and the times that it was asked."""

    status: str
    text: str
    attempts: int | None = None

    @property
    def answered(self) -> bool:
        """Whether there is a text to read."""
        return self.status in ANSWERED


MISSING = Reply("missing", "")
"""In place of a reply that there is not."""


@dataclass(frozen=True)
class Score:
    """What one answer is worth.

    Attributes:
        status: the answer's, or ``INVALID``.
        points: each score point, constraint or question, 0 to 1; None where none is known. In
            released modes some lie outside: FollowBench's failures, LIFBench's MF ori.
        total: as the points; None where the sample is unscored, which is neither right nor wrong.
        values: further columns of the score's record, such as further rates.
        extracted: what was read out of the answer or the verdicts.
        other_raters: other ratings of the same answer, by name: another rubric's, or what the judge
            said when it was asked in another way (``votes.rater_name``).
    """

    status: str
    points: Mapping[str, float | None] | None = None
    total: float | None = None
    values: Record = field(default_factory=dict)
    extracted: Any = None
    other_raters: Mapping[str, "Score"] = field(default_factory=dict)


class Scored(NamedTuple, Generic[S]):
    """A score's record, and whose answer it is about."""

    model: str
    part: str
    record: S


@dataclass(frozen=True)
class JudgeRequest:
    """One thing asked of a judge about an answer.

    Attributes:
        id: its name among the requests of its part.
        tail: what follows the answer in the prompt.
        expected: what a verdict needs to be read: plain values.
        reminder: what is added when the reply could not be read and is asked for again.
        max_tokens: of the reply.
    """

    id: str
    tail: str
    expected: Record
    reminder: str
    max_tokens: int


@dataclass(frozen=True)
class JudgePrompt:
    """The requests about one answer that share all up to its end.

    Attributes:
        answer_id: the sample that was answered.
        template: name of the judge template.
        head: what precedes the answer.
        answer: as the judge is shown it.
        requests: what is asked about it.
    """

    answer_id: str
    template: str
    head: str
    answer: str
    requests: Sequence[JudgeRequest]


# --- components -------------------------------------------------------------------------------


class Samples(ABC):
    """How prompts refer to data, and how they are asked."""

    @abstractmethod
    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """What of the data each prompt refers to, in the prompts' order.

        Raises:
            UserError: the data lacks it.
        """

    def text(self, sample: Sample[Any]) -> str:
        """The long text that a prompt is about (``long_context_id``), of which alone may be cut."""
        return ""

    def item(self, sample: Sample[Any]) -> Item:
        """What is asked of a model: what precedes the text, the text, and the instruction."""
        prompt = sample.prompt
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
            turns=tuple(
                (prompt_text, response) for prompt_text, response in prompt.get("turns", ())
            ),
            system=prompt.get("system", ""),
        )


class KeyedSamples(Samples):
    """Prompts that share the field ``key`` with the record of the data that they were made of."""

    def __init__(self, key: str):
        self._key = key

    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """The record with the same value of the key."""
        records = {
            record[self._key]: record
            for files in data.values()
            for record in chain(*files.values())
        }
        for prompt in prompts:
            yield named_by(prompt, self._key, records)


def named_by(prompt: Settings, key: str, known: Mapping[Any, T]) -> T:
    """Returns what a prompt names in a field; a UserError says that it is not in the data."""
    if prompt[key] not in known:
        raise UserError(
            f"prompts: the {key} {prompt[key]!r} of sample {prompt['sample_id']} is not in the "
            "data; remake the prompts"
        )
    return known[prompt[key]]


class Simulator(ABC):
    """Responses without a model: the reference answer, a simulated model's, the baseline's."""

    @abstractmethod
    def reference(self, sample: Sample[Any]) -> str:
        """An answer to which every scorer gives 1."""

    @abstractmethod
    def simulated(self, sample: Sample[Any], settings: Settings, seen: float, rng: Random) -> str:
        """Returns what a simulated model answers.

        Args:
            sample: that is asked.
            settings: those of engine ``simulated``.
            seen: fraction of the context, from its start, that was not cut off.
            rng: source of everything random.
        """

    def baseline(self, sample: Sample[Any]) -> str | None:
        """What a simulated model answers who does as the instruction says and looks nothing up.

        None where it has none for the sample: its response is then missing, and not wrong.
        Only called where it is the ``baseline`` of the benchmark's ``Task``.

        Raises:
            UserError: the benchmark has none all the same.
        """
        raise UserError(
            f"benchmark: {type(self).__name__} is its task's baseline and has no method baseline; "
            "write the method, or leave baseline out of the task"
        )


class JudgeSimulator(ABC):
    """Verdicts in place of a judge, on answers that say what they kept (``contract.simulated``)."""

    @abstractmethod
    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """A well-formed reply that goes by the answer's own account."""

    @abstractmethod
    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, settings: Settings, rng: Random
    ) -> str:
        """The same with a verdict turned round, or the form missed, now and then."""


class JudgePrompts(ABC):
    """What is asked of a judge about an answer.

    Attributes:
        slots: names that may stand in a judge template, beside ``answer``.
        required: those that must.
        behind: those that must not stand before the answer.
    """

    slots: ClassVar[frozenset[str]]
    required: ClassVar[frozenset[str]]
    behind: ClassVar[frozenset[str]] = frozenset()

    def slots_of(self, template: str) -> tuple[frozenset[str], frozenset[str]]:
        """The names that may stand in a template of that name, and those that must."""
        return self.slots, self.required

    @abstractmethod
    def prompts(
        self, sample: Sample[Any], answer: Answer, templates: Mapping[str, "JudgeTemplate"]
    ) -> Iterable[JudgePrompt]:
        """What is asked about an answer that there is; nothing where rules decide all of it."""


class Scoring(ABC):
    """The scorer."""

    @abstractmethod
    def score(self, sample: Sample[Any], answer: Answer, verdicts: Mapping[str, Reply]) -> Score:
        """What one answer is worth; pure, and whatever the answer, it does not raise.

        Args:
            sample: that was asked.
            answer: the model's, or why there is none.
            verdicts: one judge's replies by request; of other samples too.
        """

    def majority(
        self, sample: Sample[Any], answer: Answer, verdicts: Sequence[Mapping[str, Reply]]
    ) -> Score:
        """What most judges make of an answer: by default the total that most give.

        Args:
            sample: that was asked.
            answer: the model's.
            verdicts: each judge's replies by request, in the judges' order.
        """
        scores = [self.score(sample, answer, replies) for replies in verdicts]
        total = voted(score.total for score in scores)
        return next(score for score in scores if score.total == total)

    def facts(self, sample: Sample[Any]) -> Record:
        """Columns of the score's record that follow from the sample alone."""
        return {}


class Question(NamedTuple):
    """What somebody is asked about an answer: yes or no.

    Attributes:
        key: by which a label has the verdict.
        text: what is asked.
    """

    key: str
    text: str


class Labels(NamedTuple):
    """People's verdicts: the file's name, for messages, and its records.

    Where they are ``of_more``, samples that the run did not ask may be among them: a trial and an
    adaptive run ask a part.
    """

    name: str
    records: Sequence[Record]
    of_more: bool = False


Frames = Mapping[str, "pd.DataFrame"]
"""Data frames by name."""
