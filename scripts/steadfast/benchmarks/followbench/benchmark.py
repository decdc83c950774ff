"""FollowBench's section of the config, and its task for a config."""

from itertools import product
from typing import Literal

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import addresses, local_files, programs
from steadfast.benchmarks.followbench.facts import CATEGORIES, LEVELS, PATH, template_name
from steadfast.config.settings import judge_names, references, temperature_lines
from steadfast.contract.components import Component
from steadfast.contract.data_notes import data_note, judging_note
from steadfast.contract.exports import plain_exports
from steadfast.contract.judge_template import templates_of
from steadfast.contract.package import Package
from steadfast.contract.records import OVERALL
from steadfast.contract.task import Benchmark, DataFile, Measure, Needs, Part, Task, Trial
from steadfast.schema.config import Config
from steadfast.schema.judged import JudgedSection
from steadfast.schema.strict import key

NAME = "followbench"
OWN = Package(NAME)
TOKENS = 4096  # of the longest prompt, roughly: five shots of an example task
RELEASED_ATTEMPTS = 1  # a reply that cannot be read is left to the user to repair
METRICS = (
    "hsr", "ssr", "csl", "scorers", "consistency", "items", "agreement", "coverage", "comparisons",
    "sampling_units", "temperature", "summary",
)  # fmt: skip


class Followbench(JudgedSection):
    """FollowBench: constraints added one by one, five categories and mixed, five levels."""

    languages: list[Literal["en", "zh"]] = key(
        "Languages that run; summary values are the first one's.", ["en", "zh"], min_length=1
    )
    judge_prompts: list[Literal["path", "last", "rating"]] = key(
        "Judge prompts (Table 3): path, with all versions of the instruction; last, only the last "
        "one; rating, a number from 0 to 10. Scores are of the first; the others are in the table "
        "of agreement.",
        ["path"],
        min_length=1,
    )


def task(config: Config, section: Followbench) -> Task:
    """Returns the task of FollowBench for a config; a part is a language."""
    judge_prompts = {"judge_prompts": list(section.judge_prompts)}
    mode = {"mode": config.judging.mode} | judge_prompts
    languages = {"languages": list(section.languages)}
    used = []
    for judge_prompt, language in product(section.judge_prompts, section.languages):
        used.append(template_name(language, judge_prompt))
    prompt = OWN.component("released_prompts:prompt").name
    released = OWN.released_prompts(section, used, programs(), prompt)
    lines = {name: list(point) for name, point in temperature_lines(config).items()}
    raters = {"judges": judge_names(config), "references": references(config)}
    tables = table_names(config, section)
    paper = facts("followbench/printed.yaml")
    printed = template_name(paper["language"], section.judge_prompts[0])
    in_print = section.in_print(printed, released)
    otherwise = judging_note(config.judges, paper, in_print, config.judging.count)
    table_settings = languages | mode | {"otherwise": otherwise, "names": tables}
    parts: dict[str, Part] = {}
    for name in section.languages:
        parts[name] = Part(TOKENS, {("data", name): OWN.data_path(name)})
    return Task(
        data_note=data_note("FollowBench", section.source),
        parts=parts,
        data=[*(_data(section, name) for name in section.languages), *released.values()],
        prompts=OWN.component("data:prompts"),
        units=Component("steadfast.stats.scores:units", {"strata": ["part", "task"]}),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        simulator=OWN.component("simulator:FollowbenchSimulator"),
        scoring=OWN.component("scoring:FollowbenchScoring", mode),
        metrics=OWN.output(
            "metrics:metrics",
            (*METRICS, *section.metrics_of_people),
            languages | judge_prompts | raters | {"temperatures": lines},
            data=("data",),
            fields=("level", "scorer"),
        ),
        tables=OWN.tables(tables, table_settings),
        figures=OWN.output("figures:figures", ["by_category", *(["temperature"] if lines else [])]),
        judging=OWN.judging(
            "FollowbenchJudgePrompts",
            judge_prompts | config.judging.prompt_settings,
            simulator="FollowbenchJudge",
            questions="agreement:questions",
            templates=templates_of(NAME, used, section.templates, released),
            attempts=config.judging.attempts_of(RELEASED_ATTEMPTS),
        ),
        files=section.required_files(NAME),
        exports=plain_exports(NAME, section, config.seed, {"languages"}),
        labels=section.labels,
        trial=Trial("context_id", ("source", "scorer")),
        weights=OWN.component("facts:category_weights"),
    )


def table_names(config: Config, section: Followbench) -> list[str]:
    """Returns the tables of a config; those of agreement need two raters."""
    several = section.labels is not None or len(judge_names(config)) > 1
    compared = {
        "table3_agreement": several or len(section.judge_prompts) > 1 or config.judging.rule_items,
        "agreement": several and PATH in section.judge_prompts,
        "corrected": section.labels is not None,
    }
    return [name for name in facts("followbench/tables.yaml")["names"] if compared.get(name, True)]


def _data(section: Followbench, language: str) -> DataFile:
    settings = {"language": language}
    files: list[str] = []
    if section.source == "local":
        settings["directory"] = section.directory or ""
        files += local_files(settings["directory"], language).values()
    return OWN.data(language, section.source, settings, files, Needs(addresses(language)))


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
    sample_names=(
        "language/category/group/level. en/content/1/3 is level 3 (three constraints) of group 1 "
        "of the English content constraints."
    ),
)
