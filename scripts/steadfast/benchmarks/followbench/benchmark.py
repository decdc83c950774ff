"""FollowBench to the workflow: its section of the config, and what a config asks of it."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from steadfast.base.files import Record
from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import local_files
from steadfast.benchmarks.followbench.evolution_files import evolution_files, rewriting
from steadfast.benchmarks.followbench.facts import CATEGORIES
from steadfast.benchmarks.followbench.published import addresses
from steadfast.benchmarks.followbench.ways import PATH, template_name
from steadfast.config.settings import references, temperature_lines
from steadfast.contract.components import Component
from steadfast.contract.judge_template import packaged, templates_of
from steadfast.contract.plain_exports import plain_exports
from steadfast.contract.task import (
    Benchmark,
    DataFile,
    Judging,
    Measure,
    Needs,
    Output,
    Part,
    Task,
    Trial,
)
from steadfast.contract.text_asked import data_asked
from steadfast.schema.config import Config
from steadfast.schema.judged import JudgedSection
from steadfast.schema.strict import StrictModel

NAME = "followbench"
TOKENS = 4096  # of the longest prompt, roughly: five shots of an example task
RELEASED_ATTEMPTS = 1  # a reply that cannot be read is left to the user to repair
CONTENT = {"synthetic": "synthetic:data", "local": "data:local", "released": "published:data"}
ITEM_TABLE, CONSTRAINT_TABLE = "table3_agreement", "agreement"
METRICS = (
    "hsr", "ssr", "csl", "scorers", "consistency", "items", "agreement", "coverage", "comparisons",
    "drawn", "temperature", "headline",
)  # fmt: skip


class Evolution(StrictModel):
    """Instruction evolution: instructions of one's own grow by one constraint a level."""

    initial: str = Field(
        description="JSON lines with instruction and category: content, style or format."
    )
    rewriter: str = Field(description="Which of the config's rewriters adds the constraints.")


class Followbench(JudgedSection):
    """FollowBench: constraints added one by one, five categories and mixed, five levels."""

    languages: list[Literal["en", "zh"]] = Field(
        default=["en", "zh"],
        description="Languages that run; headline values are the first one's.",
        min_length=1,
    )
    groups: int = Field(
        default=4, ge=1, le=100, description="source synthetic: groups of each category, at least."
    )
    evolution: Evolution | None = Field(
        default=None,
        description="Instructions that a rewriter is to grow; the groups land in "
        "results/followbench/evolved, for people to read; null: none.",
    )
    judge_prompts: list[Literal["path", "last", "rating"]] = Field(
        default=["path"],
        description=(
            "Ways to ask a judge (Table 3): path, with all versions of the instruction; last, with "
            "the last one alone; rating, for a number from 0 to 10. What the first brings makes "
            "the scores, the others are in the table of agreement."
        ),
        min_length=1,
    )


def task(config: Config, section: Followbench) -> Task:
    """What a config asks of FollowBench; a part is a language."""
    ways = {"ways": list(section.judge_prompts)}
    mode = {"mode": config.judging.mode} | ways
    languages = {"languages": list(section.languages)}
    templates = templates_of(
        NAME,
        [template_name(name, way) for way in section.judge_prompts for name in section.languages],
        section.templates,
    )
    temperatures = temperature_lines(config)
    measured = (
        languages
        | ways
        | {
            "judges": list(config.judges),
            "references": references(config),
            "temperatures": {name: list(place) for name, place in temperatures.items()},
        }
    )
    figures = ("by_category", *(["temperature"] if temperatures else []))
    names = table_names(config, section)
    shown = languages | mode | {"names": names}
    return Task(
        asked=data_asked("FollowBench", section.source),
        parts={name: Part(TOKENS, {("data", name): _path(name)}) for name in section.languages},
        data=[
            *(_data(config, section, language) for language in section.languages),
            *(_evolution(section) if section.evolution else ()),
        ],
        rewriting=rewriting(section.evolution.rewriter) if section.evolution else None,
        prompts=Component("steadfast.benchmarks.followbench.prompts:prompts"),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        stand_in=Component("steadfast.benchmarks.followbench.readers:FollowbenchReader"),
        scoring=Component("steadfast.benchmarks.followbench.scoring:FollowbenchScoring", mode),
        metrics=Output(
            Component("steadfast.benchmarks.followbench.metrics:metrics", measured),
            METRICS,
            data=("data",),
            fields=("level", "scorer"),
        ),
        tables=Output(
            Component("steadfast.benchmarks.followbench.tables:tables", shown),
            tuple(f"{NAME}_{name}" for name in names),
        ),
        figures=Output(Component("steadfast.benchmarks.followbench.figures:figures"), figures),
        judging=Judging(
            prompts=Component(
                "steadfast.benchmarks.followbench.judge:FollowbenchJudgePrompts",
                ways,
                resources=packaged(templates),
            ),
            readable=Component("steadfast.benchmarks.followbench.verdicts:readable"),
            stand_in=Component("steadfast.benchmarks.followbench.readers:FollowbenchJudge"),
            templates=templates,
            attempts=config.judging.attempts_of(RELEASED_ATTEMPTS),
        ),
        files=_required_files(section),
        exports=plain_exports(NAME, section, config.seed, {"languages", "groups"}),
        labels=section.labels,
        trial=Trial("context_id", ("source", "scorer")),
        compared=Component(
            "steadfast.stats.certificate:Compared",
            {"unit": "groups", "weights": dict.fromkeys(CATEGORIES, 1.0)},
        ),
    )


def table_names(config: Config, section: Followbench) -> list[str]:
    """The tables of a config; those of agreement need two raters."""
    layout = facts("followbench/tables.yaml")
    several = section.labels is not None or len(config.judges) > 1
    compared = {
        ITEM_TABLE: several or len(section.judge_prompts) > 1,
        CONSTRAINT_TABLE: several and PATH in section.judge_prompts,
    }
    return [name for name in layout["names"] if compared.get(name, True)]


def _path(language: str) -> str:
    return f"{NAME}/data/{language}.jsonl"


def _data(config: Config, section: Followbench, language: str) -> DataFile:
    """The groups of a language, and where they come from."""
    settings: Record = {"language": language}
    files: tuple[str, ...] = ()
    if section.source == "synthetic":
        settings |= {"groups": section.groups, "seed": config.seed}
    elif section.source == "local" and section.directory:
        settings |= {"directory": section.directory}
        files = tuple(local_files(section.directory, language).values())
    content = f"steadfast.benchmarks.followbench.{CONTENT[section.source]}"
    needs = Needs(addresses(language) if section.source == "released" else ())
    return DataFile(
        _path(language), f"{NAME}_data", Component(content, settings), files=files, needs=needs
    )


def _evolution(section: Followbench) -> Iterator[DataFile]:
    assert section.evolution is not None, "called where it is there"
    how = section.evolution
    return evolution_files(NAME, how.initial, how.rewriter, section.languages[0])


def _required_files(section: Followbench) -> list[tuple[str, str]]:
    evolution = section.evolution
    initial = [(f"{NAME}.evolution.initial", evolution.initial)] if evolution else []
    return [*section.required_files(NAME), *initial]


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
        "HSR": Measure("HSR of FollowBench in per cent", digits=1),
        "CSL": Measure("CSL of FollowBench in levels, 5 at most", digits=1),
    },
    task_names=CATEGORIES,
    check=check,
)
