"""CFBench's section of the config, and its task for a config."""

from pathlib import Path

from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.facts import DIRECT, FILE, FULL, LANGUAGE, RATES
from steadfast.config.settings import judge_names, references
from steadfast.contract.components import Component
from steadfast.contract.data_notes import data_note, judging_note
from steadfast.contract.exports import plain_exports
from steadfast.contract.judge_template import templates_of
from steadfast.contract.package import Package
from steadfast.contract.task import Benchmark, DataFile, Measure, Needs, Part, Task, Trial
from steadfast.schema.config import Config
from steadfast.schema.judged import JudgedSection
from steadfast.schema.strict import key

NAME = "cfbench"
OWN = Package(NAME)
LONGEST = {"synthetic": 1024, "local": 16384, "released": 16384}  # tokens of a prompt, roughly
RELEASED_ATTEMPTS = 10
METRICS = (
    "summary", "results", "types", "domains", "distribution", "factors", "statistics", "coverage",
    "agreement", "humans", "comparisons", "sampling_units",
)  # fmt: skip
DIRECT_METRICS = ("direct", "direct_humans")


class Cfbench(JudgedSection):
    """CFBench: Chinese instructions with checklists of primary and secondary requirements."""

    direct: bool = key(
        "Request from each judge also one score of the whole response, without the checklist "
        "(direct scoring, Table 6), and compare it with the PSR and people's labels.",
        False,
    )


def task(config: Config, section: Cfbench) -> Task:
    """Returns the task of CFBench for a config; its one part is Chinese."""
    mode = {"mode": config.judging.mode}
    judging_settings = {**mode, "direct": section.direct}
    raters = {"judges": judge_names(config), "references": references(config)}
    direct_templates = [DIRECT] if section.direct else []
    direct_metrics = DIRECT_METRICS if section.direct else ()
    names = [LANGUAGE, *direct_templates]
    program = {LANGUAGE: facts("cfbench/released.yaml")["judge"]}
    released = OWN.released_prompts(section, names, program)
    paper = facts("cfbench/printed.yaml")
    in_print = section.in_print(LANGUAGE, released)
    otherwise = judging_note(config.judges, paper, in_print, config.judging.count)
    tables = _tables(config, section)
    data = {("data", LANGUAGE): OWN.data_path(LANGUAGE)}
    return Task(
        data_note=data_note("CFBench", section.source),
        parts={LANGUAGE: Part(LONGEST[section.source], data)},
        data=[_data(section), *released.values()],
        prompts=OWN.component("data:prompts"),
        units=Component("steadfast.stats.scores:units", {"strata": ["split"]}),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "sample_id"}),
        simulator=OWN.component("simulator:CfbenchSimulator"),
        scoring=OWN.component("scoring:CfbenchScoring", judging_settings),
        metrics=OWN.output(
            "metrics:metrics",
            (*METRICS, *direct_metrics, *section.metrics_of_people),
            judging_settings | raters,
            data=("data",),
            fields=(*RATES, *direct_templates),
        ),
        tables=OWN.tables(tables, {**mode, "otherwise": otherwise, "names": tables}),
        figures=OWN.output(
            "figures:figures",
            ("types", "secondary_types", "domains", "nlp_tasks", "distribution", "factors"),
        ),
        judging=OWN.judging(
            "CfbenchJudgePrompts",
            judging_settings,
            simulator="CfbenchJudge",
            questions="agreement:questions",
            templates=templates_of(NAME, names, section.templates, released),
            attempts=config.judging.attempts_of(RELEASED_ATTEMPTS),
        ),
        files=section.required_files(NAME),
        exports=plain_exports(NAME, section, config.seed, set()),
        labels=section.labels,
        trial=Trial(spread=("split",)),
    )


def _tables(config: Config, section: Cfbench) -> list[str]:
    """Returns names of the tables; agreement needs two raters, Table 6 people among them."""
    people = section.labels is not None
    raters = {"direct": section.direct, "table6_humans": people, "corrected": people}
    raters["agreement"] = people or len(judge_names(config)) > 1
    optional = [name for name, is_shown in raters.items() if is_shown]
    return ["table1_statistics", "table2_results", "types", "domains", *optional, "coverage"]


def _data(section: Cfbench) -> DataFile:
    needs = Needs((facts("cfbench/released.yaml")["url"],))
    if section.source != "local":
        return OWN.data(LANGUAGE, section.source, needs=needs)
    directory = section.directory or ""
    file = str(Path(directory) / FILE)
    return OWN.data(LANGUAGE, section.source, {"directory": directory}, [file])


CFBENCH = Benchmark(
    name=NAME,
    title="CFBench",
    section=Cfbench,
    task=task,
    measures={"PSR": Measure("PSR of CFBench", compared={"split": FULL, "measure": "PSR"})},
    task_names=tuple(facts("cfbench/domains.yaml")["sources"]),
    sample_names="language/record: zh/0007 is the record with index 7 of the data.",
)
