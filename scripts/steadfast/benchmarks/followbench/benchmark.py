"""FollowBench to the workflow: its section of the config, and what a config asks of it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

from steadfast.base.files import Record, Settings
from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import addresses, local_files, programs
from steadfast.benchmarks.followbench.facts import CATEGORIES, LEVELS, PATH, template_name
from steadfast.config.settings import judge_names, references, temperature_lines
from steadfast.contract.components import Component
from steadfast.contract.exports import plain_exports
from steadfast.contract.judge_template import packaged, templates_of
from steadfast.contract.records import OVERALL
from steadfast.contract.released_prompts import released_prompts
from steadfast.contract.task import (
    Benchmark,
    DataFile,
    Judging,
    Measure,
    Needs,
    Output,
    Part,
    Rewriting,
    Task,
    Trial,
    rewrites_file,
)
from steadfast.contract.text_asked import data_asked, judged_otherwise
from steadfast.schema.config import Config
from steadfast.schema.judged import JudgedSection
from steadfast.schema.strict import StrictModel, key

NAME, PACKAGE = "followbench", "steadfast.benchmarks.followbench"
TOKENS = 4096  # of the longest prompt, roughly: five shots of an example task
RELEASED_ATTEMPTS = 1  # a reply that cannot be read is left to the user to repair
CONTENT = {"synthetic": "synthetic:data", "local": "data:local", "released": "data:released"}
EVOLUTION, EVOLUTION_ATTEMPTS = f"{PACKAGE}.evolution", 3
ITEM_TABLE, CONSTRAINT_TABLE = "table3_agreement", "agreement"
METRICS = (
    "hsr", "ssr", "csl", "scorers", "consistency", "items", "agreement", "coverage", "comparisons",
    "drawn", "temperature", "headline",
)  # fmt: skip


class Evolution(StrictModel):
    """Instruction evolution: instructions of one's own grow by one constraint a level."""

    initial: str = key("JSON lines with instruction and category: content, style or format.", ...)
    rewriter: str = key("Which of the config's rewriters adds the constraints.", ...)


class Followbench(JudgedSection):
    """FollowBench: constraints added one by one, five categories and mixed, five levels."""

    languages: list[Literal["en", "zh"]] = key(
        "Languages that run; headline values are the first one's.", ["en", "zh"], min_length=1
    )
    groups: int = key("source synthetic: groups of each category, at least.", 4, ge=1, le=100)
    evolution: Evolution | None = key(
        "Instructions that a rewriter is to grow; the groups land in results/followbench/evolved, "
        "for people to read; null: none."
    )
    example_tasks: str | None = key(
        "JSON lines with tasks of your own, of which example groups are composed with the answer "
        "templates of the data; they land beside the evolved ones."
    )
    judge_prompts: list[Literal["path", "last", "rating"]] = key(
        "Ways to ask a judge (Table 3): path, with all versions of the instruction; last, with "
        "the last one alone; rating, for a number from 0 to 10. What the first brings makes the "
        "scores, the others are in the table of agreement.",
        ["path"],
        min_length=1,
    )


def task(config: Config, section: Followbench) -> Task:
    """Returns what a config asks of FollowBench; a part is a language."""
    evolution = section.evolution
    initial = [(f"{NAME}.evolution.initial", evolution.initial)] if evolution else []
    if section.example_tasks:
        initial.append((f"{NAME}.example_tasks", section.example_tasks))
    ways = {"ways": list(section.judge_prompts)}
    mode = {"mode": config.judging.mode} | ways
    languages = {"languages": list(section.languages)}
    used = [template_name(name, way) for way in section.judge_prompts for name in section.languages]
    function = f"{PACKAGE}.released_prompts:prompt"
    released = released_prompts(NAME, section, used, programs(), function)
    templates = templates_of(NAME, used, section.templates, released)
    temperatures = temperature_lines(config)
    raters = {"judges": judge_names(config), "references": references(config)}
    lines = {"temperatures": {name: list(place) for name, place in temperatures.items()}}
    figures = ("by_category", *(["temperature"] if temperatures else []))
    names = table_names(config, section)
    paper = facts("followbench/printed.yaml")
    in_print = section.in_print(
        template_name(paper["language"], section.judge_prompts[0]), released
    )
    otherwise = {
        "otherwise": judged_otherwise(config.judges, paper, in_print, config.judging.count)
    }
    shown = languages | mode | otherwise | {"names": names}
    return Task(
        asked=data_asked("FollowBench", section.source),
        parts={name: Part(TOKENS, {("data", name): _path(name)}) for name in section.languages},
        data=[
            *(_data(config, section, language) for language in section.languages),
            *released.values(),
            *_composed(config, section),
            *(_evolution_files(evolution, section.languages[0]) if evolution else ()),
        ],
        rewriting=_rewriting(evolution) if evolution else None,
        prompts=Component(f"{PACKAGE}.prompts:prompts"),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        stand_in=Component(f"{PACKAGE}.readers:FollowbenchReader"),
        scoring=Component(f"{PACKAGE}.scoring:FollowbenchScoring", mode),
        metrics=Output(
            Component(f"{PACKAGE}.metrics:metrics", languages | ways | raters | lines),
            (*METRICS, *section.metrics_of_people),
            data=("data",),
            fields=("level", "scorer"),
        ),
        tables=Output(
            Component(f"{PACKAGE}.tables:tables", shown),
            tuple(f"{NAME}_{name}" for name in names),
        ),
        figures=Output(Component(f"{PACKAGE}.figures:figures"), figures),
        judging=Judging(
            prompts=Component(
                f"{PACKAGE}.judge:FollowbenchJudgePrompts",
                ways | config.judging.asked,
                packaged(templates),
            ),
            readable=Component(f"{PACKAGE}.replies:readable"),
            schema=Component(f"{PACKAGE}.replies:schema"),
            questions=Component(f"{PACKAGE}.agreement:questions"),
            stand_in=Component(f"{PACKAGE}.readers:FollowbenchJudge"),
            templates=templates,
            attempts=config.judging.attempts_of(RELEASED_ATTEMPTS),
        ),
        files=[*section.required_files(NAME), *initial],
        exports=plain_exports(NAME, section, config.seed, {"languages", "groups"}),
        labels=section.labels,
        trial=Trial("context_id", ("source", "scorer")),
        compared=Component(
            "steadfast.stats.certificate:Compared",
            {"unit": "groups", "weights": dict.fromkeys(CATEGORIES, 1.0)},
        ),
    )


def table_names(config: Config, section: Followbench) -> list[str]:
    """Returns the tables of a config; those of agreement need two raters."""
    layout = facts("followbench/tables.yaml")
    several = section.labels is not None or len(judge_names(config)) > 1
    compared = {
        ITEM_TABLE: several or len(section.judge_prompts) > 1 or config.judging.rule_items,
        CONSTRAINT_TABLE: several and PATH in section.judge_prompts,
    }
    compared["corrected"] = section.labels is not None
    return [name for name in layout["names"] if compared.get(name, True)]


def _path(language: str) -> str:
    return f"{NAME}/data/{language}.jsonl"


def _data(config: Config, section: Followbench, language: str) -> DataFile:
    settings: Record = {"language": language}
    files: tuple[str, ...] = ()
    if section.source == "synthetic":
        settings |= {"groups": section.groups, "seed": config.seed}
    elif section.source == "local" and section.directory:
        settings |= {"directory": section.directory}
        files = tuple(local_files(section.directory, language).values())
    content = f"{PACKAGE}.{CONTENT[section.source]}"
    needs = Needs(addresses(language) if section.source == "released" else ())
    return DataFile(
        _path(language), f"{NAME}_data", Component(content, settings), files=files, needs=needs
    )


def _composed(config: Config, section: Followbench) -> Iterator[DataFile]:
    """Yields the example groups of the user's own tasks, in the first language."""
    if file := section.example_tasks:
        language = section.languages[0]
        settings = {"language": language, "file": file, "seed": config.seed}
        yield DataFile(
            _evolved(language, "example"),
            f"{NAME}_examples",
            Component(f"{PACKAGE}.examples:composed", settings),
            {"data": _path(language)},
            (file,),
        )


def _evolved(language: str, category: str) -> str:
    return f"{NAME}/evolved/{language}/{category}_constraints.json"


def _rewriting(evolution: Evolution) -> Rewriting:
    return Rewriting(
        requests={_round(level): _requests(level) for level in LEVELS},
        rewriters=[evolution.rewriter],
        readable=Component("steadfast.judging.rewriting:readable"),
        stand_in=Component("steadfast.judging.rewriting:RewriterStandIn"),
        attempts=EVOLUTION_ATTEMPTS,
    )


def _evolution_files(evolution: Evolution, language: str) -> Iterator[DataFile]:
    """Yields the groups and requests of each level; at the end, files in the released shape."""

    def file(path: str, function: str, settings: Settings, **inputs: str) -> DataFile:
        step: Component[Any] = Component(f"{EVOLUTION}:{function}", settings)
        return DataFile(path, f"{NAME}_evolution", step, inputs)

    initial = file(_groups(0), "initial", {"file": evolution.initial})
    yield replace(initial, files=(evolution.initial,))
    for level in LEVELS:
        at, groups = {"level": level}, _groups(level - 1)
        yield file(_requests(level), "requests", at, groups=groups)
        replies = rewrites_file(NAME, evolution.rewriter, _round(level))
        yield file(_groups(level), "grown", at, groups=groups, replies=replies)
    for category in facts("followbench/evolution/kinds.yaml"):
        path = _evolved(language, category)
        yield file(path, "released_shape", {"category": category}, groups=_groups(LEVELS[-1]))


def _round(level: int) -> str:
    return f"level{level}"


def _groups(level: int) -> str:
    return f"{NAME}/evolution/groups{level}.jsonl"


def _requests(level: int) -> str:
    return f"{NAME}/evolution/requests{level}.jsonl"


def check(config: Config, section: Followbench) -> None:
    """Instructions grow by a rewriter that the config has."""
    if section.evolution and (name := section.evolution.rewriter) not in config.rewriters:
        raise ValueError(
            f"followbench.evolution.rewriter: unknown rewriter {shown(name)}; "
            f"{nearest(name, config.rewriters)}"
        )


FOLLOWBENCH = Benchmark(
    name=NAME,
    title="FollowBench",
    section=Followbench,
    task=task,
    measures={
        "HSR": Measure(
            "HSR of FollowBench in per cent",
            digits=1,
            compared={"measure": "HSR", "category": OVERALL},
            full=100,
        ),
        "CSL": Measure(
            "CSL of FollowBench in levels, 5 at most",
            digits=1,
            compared={"measure": "CSL", "category": OVERALL},
            full=len(LEVELS),
        ),
    },
    task_names=CATEGORIES,
    check=check,
)
