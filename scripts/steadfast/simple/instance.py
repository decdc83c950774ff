"""The instances of a simple benchmark, and their records in the files of data."""

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.loading import load
from steadfast.base.names import quoted, suggestion
from steadfast.contract.components import Data, Sample, Samples, named_by

# Names of a simple benchmark's metrics, and of its one measure.
METRICS = ("scores", "coverage", "comparisons", "sampling_units", "summary")
SCORE = "Score"
AGREEMENT = "agreement"  # one more metric, and a table of that name, where several judges score
EFFECTIVE = "effective_context_length"  # one more metric, table and figure, where parts are lengths
# Of a score's record and of coverage, where the scorer has to read something out of an answer.
UNREAD = "unread"
VERDICT = "verdict"  # parameter of a scorer that takes a judge's verdict
PARAPHRASES = "paraphrases"  # one more metric and table of a data set with several templates
TEMPLATE = "template"  # the field by which its means are shown: the template's number
PART = "part"  # the field by which means are shown of a benchmark of several parts


@dataclass(frozen=True)
class Instance:
    """One question; a model reads ``before``, ``context`` and ``prompt`` as one text.

    Attributes:
        id: unique within its part; the same id in several parts is one question that is repeated,
            such as at several lengths.
        prompt: the question, behind the context where there is one.
        answer: the reference answer, or several; a plain value for the scorer.
        reference: an answer that has full marks; by default ``answer``, or the first of several.
        context: a long text. Instances with the same one share it in the files and as a prefix of
            their prompts; it alone may be truncated to fit a model's window.
        before: what precedes the context.
        system: a system message, after the model's own.
        turns: earlier turns of the conversation, pairs of prompt and response.
        group: names instances that are not independent, the sampling unit; of all instances or of
            none. By default those of one context are a group.
        by: values of the fields by which tables show the mean score.
        fields: further plain values for the scorer.
        max_tokens: limit of the answer.
    """

    id: str
    prompt: str
    answer: Any = None
    reference: str = ""
    context: str = ""
    before: str = ""
    system: str = ""
    turns: Sequence[Sequence[str]] = ()
    group: str = ""
    by: Mapping[str, str] = field(default_factory=dict)
    fields: Settings = field(default_factory=dict)
    max_tokens: int = 512

    @property
    def answers(self) -> Sequence[Any]:
        """The answers that count as right: ``answer``, or each of several."""
        if self.answer is None:
            return []
        return self.answer if isinstance(self.answer, list) else [self.answer]

    @property
    def reference_answer(self) -> str:
        """The answer that has full marks."""
        return self.reference or str(next(iter(self.answers), ""))

    @property
    def cluster(self) -> str:
        """Its sampling unit: its group, its context, or itself."""
        return self.group or context_name(self.context) or self.id


class Mark(NamedTuple):
    """What a scorer gives an answer.

    Attributes:
        score: a number from 0 to 1, or several by name, of which the mean counts.
        extracted: what was read out of the answer.
        unread: whether the answer could not be read, which the table of coverage counts; None of
            scorers that read nothing.
    """

    score: float | Mapping[str, float]
    extracted: Any = None
    unread: bool | None = None


def context_name(text: str) -> str:
    """Returns the name of a context, which follows from its text; empty where there is none."""
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""


def instance_of(sample: Sample[Any]) -> Instance:
    """Returns the instance of a sample."""
    return Instance(**sample.source["instance"] | {"context": sample.source["context"]})


def own_result(function: str, description: str, argument: Any, names: Iterable[str] = ()) -> Any:
    """Returns the result of a benchmark's own function; a UserError says where and why it fails.

    ``description`` is of its argument; its ``names`` (by default its keys) are listed in the error.
    """
    try:
        return load(function)(argument)
    except UserError:
        raise
    except Exception as error:
        available = ", ".join(names or argument)
        raise UserError(
            f"{function}: fails ({type(error).__name__}: {error}); it takes {description} "
            f"{available}: correct it"
        ) from error


def is_judged(applies: str | None) -> Callable[[Instance], bool]:
    """Returns whether responses to an instance are judged, by the function of that name if any."""
    judged: Callable[[Instance], bool] = load(applies) if applies else (lambda instance: True)
    return judged


# --- the files of data ------------------------------------------------------------------------


def instances(
    inputs: Mapping[str, Path],
    function: str,
    settings: Settings,
    by: Sequence[str],
    slots: Sequence[str] = (),
) -> Iterator[Record]:
    """Yields the instances of a part, checked, each with its context's name in place of it.

    ``function`` gives them, as ``base.loading.load`` takes it; ``slots`` are those of the judge's
    template that are fields of theirs.
    """
    for instance in checked(_generated(function, settings, inputs), function, by):
        for name in slots:
            if name not in instance.fields:
                raise UserError(
                    f"{function}: instance {quoted(instance.id)}: no value of {name!r} in fields, "
                    f"a slot of the judge's template; {suggestion(name, instance.fields)}"
                )
        yield asdict(instance) | {"context": context_name(instance.context)}


def _generated(function: str, settings: Settings, inputs: Mapping[str, Path]) -> Iterable[Instance]:
    arguments = {**settings, "inputs": inputs} if inputs else settings
    generated: Iterable[Instance] = load(function)(**arguments)
    return generated


def contexts(inputs: Mapping[str, Path], function: str, settings: Settings) -> Iterator[Record]:
    """Yields the contexts of a part's instances, each once."""
    seen = set()
    for instance in _generated(function, settings, inputs):
        name = context_name(instance.context)
        if name and name not in seen:
            seen.add(name)
            yield {"context_id": name, "text": instance.context}


def checked(instances: Iterable[Instance], where: str, by: Sequence[str]) -> Iterator[Instance]:
    """Yields instances: ids are checked to be unique, ``by`` complete, and all or none grouped."""
    seen: set[str] = set()
    grouped = False
    for instance in instances:
        grouped = grouped if seen else bool(instance.group)
        if problem := _problem(instance, seen, grouped, by):
            raise UserError(f"{where}: instance {quoted(instance.id)}: {problem}")
        seen.add(instance.id)
        yield instance
    if not seen:
        raise UserError(f"{where}: no instances; add at least one")


def _problem(item: Instance, seen: Collection[str], grouped: bool, by: Sequence[str]) -> str:
    """Returns what is wrong with an instance; empty where nothing is."""
    if not isinstance(item.id, str) or not item.id.isprintable() or not item.id or "#" in item.id:
        return "an id must be one line without #; correct it"
    if item.id in seen:
        return "duplicate id; make it unique"
    if not (item.before + item.context + item.prompt).strip():
        return "empty prompt; add one"
    for turn in item.turns:
        if len(turn) != 2 or not all(isinstance(text, str) for text in turn):
            return "a turn must be two strings, prompt and response; correct it"
    for name in by:
        if name not in item.by:
            return f"no value of {name!r} in by; {suggestion(name, item.by)}"
    if bool(item.group) != grouped:
        return "only some instances have a group; add one to all, or to none"
    return ""


def prompts(part: str, data: Data, name: str) -> Iterator[Record]:
    """Yields a prompt an instance; ``name`` is the benchmark's, and of its one task."""
    for record in data["instances"][part]:
        optional = {key: record[key] for key in ("before", "system", "turns") if record[key]}
        if record["context"]:
            optional["long_context_id"] = record["context"]
        yield {
            "sample_id": f"{part}/{record['id']}",
            "task": name,
            "context_id": record["group"] or record["context"] or record["id"],
            **optional,
            "instruction": record["prompt"],
            "max_tokens": record["max_tokens"],
            "by": dict(record["by"]),
        }


class SimpleSamples(Samples):
    """A prompt names its instance, and the text that it is about where there is one."""

    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """Yields ``instance`` and ``context``, one text for all prompts that share it."""
        instances: dict[str, Record] = {}
        for part, records in data["instances"].items():
            instances |= {f"{part}/{record['id']}": record for record in records}
        texts = {}
        for context in chain(*data["contexts"].values()):
            texts[context["context_id"]] = context["text"]
        for prompt in prompts:
            text = named_by(prompt, "long_context_id", texts) if "long_context_id" in prompt else ""
            yield {"instance": named_by(prompt, "sample_id", instances), "context": text}

    def text(self, sample: Sample[Any]) -> str:
        text: str = sample.source["context"]
        return text
