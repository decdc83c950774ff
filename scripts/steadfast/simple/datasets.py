"""A user's file as a benchmark: its section of the config, and the task by it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, tee
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import field_validator, model_validator

from steadfast.base import files, tokens
from steadfast.base.checksums import contents
from steadfast.base.files import Settings
from steadfast.base.names import quoted
from steadfast.base.resources import PREFIX, resolve_path
from steadfast.contract.components import Component, Scoring
from steadfast.contract.data_notes import data_note
from steadfast.contract.judge_template import load_template
from steadfast.contract.registry import benchmarks
from steadfast.contract.task import Benchmark, DataFile, Family, Task
from steadfast.schema.config import Config
from steadfast.schema.strict import StrictModel, key, shown_text
from steadfast.simple import extraction, judge, records, scorers
from steadfast.simple.benchmark import ALL, PACKAGE, Judge, Simple, compared_measures, scoring
from steadfast.simple.instance import PARAPHRASES, TEMPLATE, Instance, checked
from steadfast.simple.scorers import OPTIONS

NAME = "datasets"
PACKAGED = f"{PREFIX}datasets/judge/{judge.JUDGE_PROMPT}.txt"  # the judge's template by default


class DataSet(StrictModel):
    """A data set of your own: a file with prompts, and how responses are scored."""

    path: str = key(
        "The file: JSON lines with prompt (or the fields of template) and answer, the reference "
        "answer.",
        ...,
    )
    scorer: Literal["exact", "contains", "regex", "choice", "number", "f1", "judge"] = key(
        "How a response is scored (docs/own-data.md); judge: by the config's judges.", ...
    )
    title: str | None = key("Its name in tables; by default its key.")
    contexts: Literal["lifbench"] | None = key(
        "lifbench: each record is a question about LIFBench's contexts of its field scenario, at "
        "every length (docs/new-task.md)."
    )
    template: str | list[str] | None = key(
        "The prompt, with fields of a record as {{field}}; by default {{context}}, an empty line "
        "and {{prompt}}, and for scorer choice {{choices}} below. A list of paraphrases: each "
        "record is evaluated with each, and a table compares them.",
        verbatim=True,
    )
    by: list[str] = key("Fields of the records by which tables show the mean score.", [])
    max_tokens: int = key("Limit of a response, in tokens.", 512, ge=1)
    ignore: list[Literal["case", "punctuation"]] = key(
        "Scorers exact, contains and regex: what is ignored in the comparison.", []
    )
    pattern: str | None = key(
        "Scorer regex: regular expression (RE2) whose match, or its group (?P<answer>...), is the "
        "answer; by default each record's answer is the expression.",
        verbatim=True,
    )
    tolerance: float = key(
        "Scorer number: largest difference from the reference answer that is correct.", 0.0, ge=0
    )
    judge_template: str = key("Scorer judge: file with the judge's prompt template.", PACKAGED)
    scale: list[float] = key(
        "Scorer judge: the lowest and the highest score.", [0.0, 1.0], min_length=2, max_length=2
    )

    _title_is_shown = field_validator("title")(shown_text)

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        for option in sorted(set(chain(*OPTIONS.values()))):
            is_given = getattr(self, option) != DataSet.model_fields[option].default
            if is_given and option not in OPTIONS.get(self.scorer, ()):
                takes = [scorer for scorer, options in OPTIONS.items() if option in options]
                raise ValueError(
                    f"scorer {self.scorer} has no option {option}; remove it, or choose scorer "
                    f"{' or '.join(takes)}"
                )
        if self.scale[0] >= self.scale[1]:
            raise ValueError("scale: name the lowest score first, then the highest")
        if any(template.count(records.CONTEXT) > 1 for template in self.templates):
            raise ValueError("template: {{context}} may occur once; remove the others")
        if len(set(self.templates)) < len(self.templates) or self.template == []:
            raise ValueError("template: name at least one, each once")
        if TEMPLATE in self.by and len(self.templates) > 1:
            raise ValueError("by: template is that of paraphrases; give the field another name")
        return self

    @property
    def templates(self) -> list[str]:
        """The paraphrases, where it is not the default one."""
        return [self.template] if isinstance(self.template, str) else self.template or []

    @property
    def options(self) -> Settings:
        """The scorer's options."""
        return self.model_dump(include=set(OPTIONS.get(self.scorer, ())))

    @property
    def judge_fields(self) -> list[str]:
        """The fields of the records that the judge's template names, where there is one."""
        has_template = resolve_path(self.judge_template).is_file()
        return judge.template_fields(self.judge_template) if has_template else []

    @property
    def reading(self) -> Settings:
        """The arguments of ``records.located_instances``."""
        return {
            **self.model_dump(include={"path", "template", "by", "max_tokens"}),
            "choices": self.scorer == "choice",
            "fields": self.judge_fields,
        }


def dataset(name: str, section: DataSet) -> Benchmark[DataSet]:
    """Returns the benchmark that a config calls so."""
    title = section.title or name
    return Benchmark(
        name=name,
        title=title,
        section=DataSet,
        task=partial(task, name),
        measures=compared_measures(title),
        check=partial(check, name),
        task_names=(name,),
        family=NAME,
    )


DATASETS = Family(NAME, "Data sets of your own", DataSet, dataset)


def task(name: str, config: Config, section: DataSet) -> Task:
    """Returns the task of a data set by a config; its one part has all records."""
    title = section.title or name
    judged = section.scorer == "judge"
    required = [(f"{NAME}.{name}.path", section.path)]
    if judged and section.judge_template != PACKAGED:
        required.append((f"{NAME}.{name}.judge_template", section.judge_template))
    contexts = _contexts(config, section.contexts) if section.contexts else Contexts({}, {}, ())
    # Several templates are paraphrases of one prompt, and what they differ by is a result.
    several = len(section.templates) > 1
    spec = Simple(
        name,
        title,
        instances=f"{PACKAGE}.records:instances",
        scoring=_scoring(section),
        by=(*section.by, TEMPLATE) if several else tuple(section.by),
        metrics={PARAPHRASES: f"{PACKAGE}.paraphrases:measures"} if several else {},
        tables={PARAPHRASES: f"{PACKAGE}.tables:paraphrases"} if several else {},
        data_note=data_note(title, "file"),
        source="file",
        files=(section.path,),
        judge=_judge(section) if judged else None,
        required=tuple(required),
        lengths=bool(contexts.parts),
        data=contexts.files,
        sources=contexts.sources,
    )
    card = section.model_dump(exclude={"path", "title", "template", "judge_template"})
    return spec.task(config, section.reading, contexts.parts or {ALL: 0}, card)


class Contexts(NamedTuple):
    """Contexts of another benchmark.

    Attributes:
        parts: by name the tokens of their contexts.
        files: by part, the paths of the files of contexts by name.
        sources: these files and all that they are made of.
    """

    parts: Mapping[str, int]
    files: Mapping[str, Mapping[str, str]]
    sources: Sequence[DataFile]


def _contexts(config: Config, benchmark: str) -> Contexts:
    other_task = benchmarks()[benchmark].task(config, getattr(config, benchmark))
    part_tokens = {}
    paths: dict[str, dict[str, str]] = {}
    needed = []
    for part_name, part in other_task.parts.items():
        part_tokens[part_name] = part.tokens
        paths[part_name] = {}
        for (kind, name), path in part.sources.items():
            if kind == "contexts":
                paths[part_name][name] = path
                needed.append(path)
    files_by_path = {file.path: file for file in other_task.data}
    for path in needed:  # grows by what each file is made of
        needed += [source for source in files_by_path[path].inputs.values() if source not in needed]
    return Contexts(part_tokens, paths, [files_by_path[path] for path in needed])


def _scoring(section: DataSet) -> Component[Scoring]:
    if section.scorer == "judge":
        scale = {"settings": {"scale": section.scale}}
        return scoring(f"{PACKAGE}.judge:share_of_scale", scale, _judge(section))
    return scoring(f"{PACKAGE}.scorers:{section.scorer}", {"settings": section.options}, None)


def _judge(section: DataSet) -> Judge:
    lowest, highest = section.scale
    replies = (f"Score: {lowest:g}", f"Score: {highest:g}")
    read = f"{PACKAGE}.judge:score_of"
    return Judge(section.judge_template, read, replies, settings={"scale": section.scale})


# --- before anything runs ---------------------------------------------------------------------


def check(name: str, config: Config, section: DataSet) -> None:
    """Raises ValueError or UserError where the pattern, the template or a record of the file cannot
    be used, or a reference answer does not score 1."""
    if not Path(section.path).is_file():
        raise ValueError(f"{NAME}.{name}.path: {section.path}: no such file; correct the path")
    if section.scorer == "judge":
        load_template(section.judge_template, judge.OWN_SLOTS | {*section.judge_fields})
    if section.pattern is not None:
        _check_pattern(section.pattern, f"{NAME}.{name}.pattern")
    # A file is checked once, until anything changes that the check depends on.
    modules = (extraction, records, scorers)
    code = [files.file_sha256(Path(str(module.__file__))) for module in modules]
    inputs = [contents([section.path]), section.reading, section.scorer, section.options, code]
    fingerprint = tokens.fingerprint(files.canonical_json(inputs))
    marker = tokens.cache_folder() / f"checked-{fingerprint}"
    if not marker.exists():
        _check_records(section)
        with suppress(OSError):
            files.write_text(marker, "")


def _check_records(section: DataSet) -> None:
    # One iterator gives each record's line, the other the instances to check.
    located, copies = tee(records.located_instances(**section.reading))
    instances = checked((instance for _, instance in copies), section.path, section.by)
    for (where, _), instance in zip(located, instances, strict=True):
        _check_reference_answer(instance, section, where)


def _check_reference_answer(instance: Instance, section: DataSet, where: str) -> None:
    if section.scorer == "judge" or section.contexts:  # whose reference answers stand in contexts
        return
    kinds = set(map(type, instance.answers))
    if not kinds or kinds - {str, int, float}:
        raise ValueError(
            f"{where}: answer is {quoted(instance.answer)}; write a string, a number, or a list of "
            "these"
        )
    if section.scorer == "regex" and section.pattern is None:
        for right in instance.answers:
            _check_pattern(str(right), where)
        if not instance.reference:
            raise ValueError(
                f"{where}: its answer is a regular expression; add a response that matches as "
                "reference"
            )
    for right in [instance.reference] if instance.reference else map(str, instance.answers):
        if scorers.SCORERS[section.scorer](right, instance, **section.options).score != 1:
            raise ValueError(
                f"{where}: scorer {section.scorer} does not give the reference answer "
                f"{quoted(right)} full marks; correct the answer, or add a response that gets them "
                "as reference"
            )


def _check_pattern(pattern: str, where: str) -> None:
    try:
        scorers.first_match(pattern, "")
    except ValueError as error:
        raise ValueError(
            f"{where}: {quoted(pattern)} is not a regular expression of RE2 ({error}); write "
            "groups as (?:...), and the one with the answer as (?P<answer>...)"
        ) from None
