"""ComplexBench's section of the config, and its task for a config."""

from itertools import product
from pathlib import Path
from typing import Literal

from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.facts import DECOMPOSED, WHOLE, part_name, taxonomy
from steadfast.benchmarks.complexbench.judge import TEMPLATES, templates_in_use
from steadfast.config.settings import judge_names, references
from steadfast.contract.components import Component
from steadfast.contract.data_notes import data_note
from steadfast.contract.exports import plain_exports
from steadfast.contract.judge_template import templates_of
from steadfast.contract.package import Package
from steadfast.contract.records import OVERALL
from steadfast.contract.task import Benchmark, DataFile, Measure, Needs, Part, Task, Trial
from steadfast.schema.config import Config
from steadfast.schema.judged import JudgedSection
from steadfast.schema.strict import key

FILE = "data_final.json"
NAME = "complexbench"
OWN = Package(NAME)
TOKENS = 8192  # of the longest prompt, roughly; a turn has those before it in front
RELEASED_ATTEMPTS = 1  # whatever a judge replies is taken for a verdict
METRICS = (
    "drfr", "constraints", "coherent", "decomposition", "agreement", "judging", "coverage",
    "summary", "comparisons", "sampling_units",
)  # fmt: skip


class Complexbench(JudgedSection):
    """ComplexBench: constraints composed by And, Chain and Selection, with scoring questions."""

    extra: str | None = key("File with instances of your own, added to the others.")
    languages: list[Literal["zh", "en"]] = key(
        "Languages that run; summary values are the first one's. The rules are Chinese: in "
        "English the judge decides their questions.",
        ["zh"],
        min_length=1,
    )
    judging: Literal["rules", "plain"] = key(
        "rules: where a question has a rule, the judge extracts and the rule decides; plain: the "
        "judge decides every question.",
        "rules",
    )
    decomposition: bool = key(
        "Send Chain and Selection instructions also turn by turn, where an instance has "
        "sub_instructions.",
        False,
    )

    @property
    def local_file(self) -> str | None:
        """The file of instances, of source local."""
        if self.source == "local" and self.directory:
            return str(Path(self.directory) / FILE)
        return None

    def required_files(self, name: str) -> list[tuple[str, str]]:
        """Returns the config's key and the path of each file of the user's."""
        own_files = {"directory": self.local_file, "extra": self.extra}
        files = [(f"{name}.{key}", path) for key, path in own_files.items() if path]
        return super().required_files(name) + files


def task(config: Config, section: Complexbench) -> Task:
    """Returns the task of ComplexBench for a config; a part is a language, whole or decomposed."""
    mode = {"mode": config.judging.mode}
    languages = list(section.languages)
    judging = {**mode, "judging": section.judging}
    table_settings = {**mode, "languages": languages}
    raters = {"judges": judge_names(config), "references": references(config)}
    used = templates_in_use(languages, config.judging.mode, section.judging)
    programs = facts("complexbench/released.yaml")["judge"]
    released = OWN.released_prompts(section, used, programs)
    templates = templates_of(NAME, TEMPLATES, section.templates, released)
    people = section.labels is not None
    reasons = {  # agreement needs two raters, decomposition turns
        "agreement": people or len(raters["judges"]) > 1 or config.judging.rule_items,
        "corrected": people,
        "decomposition": section.decomposition,
    }
    captions = facts("complexbench/tables.yaml")["captions"]
    tables = [name for name in captions if reasons.get(name, True)]
    splits = [WHOLE, DECOMPOSED] if section.decomposition else [WHOLE]
    parts: dict[str, Part] = {}
    for language, split in product(languages, splits):
        path = OWN.data_path(language)
        parts[part_name(language, split)] = Part(TOKENS, {("data", language): path})
    return Task(
        data_note=data_note("ComplexBench", section.source),
        parts=parts,
        data=[*(_data(section, language) for language in languages), *released.values()],
        files=section.required_files(NAME),
        exports=plain_exports(
            NAME, section, config.seed, {"languages", "decomposition"}, section.extra is not None
        ),
        labels=section.labels,
        trial=Trial("context_id", ("layers",)),
        prompts=OWN.component("prompts:prompts"),
        units=Component("steadfast.stats.scores:units", {"strata": ["part"]}),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "main_id"}),
        simulator=OWN.component("simulator:ComplexbenchSimulator"),
        scoring=OWN.component("scoring:ComplexbenchScoring", judging),
        metrics=OWN.output(
            "metrics:metrics",
            (*METRICS, *section.metrics_of_people),
            table_settings | raters,
            data=("data",),
            fields=("instance", "raw"),
        ),
        tables=OWN.tables(tables, {**table_settings, "names": tables}),
        figures=OWN.output("figures:figures", ("by_category", "by_dimension")),
        judging=OWN.judging(
            "ComplexbenchJudgePrompts",
            judging | config.judging.prompt_settings,
            simulator="ComplexbenchJudge",
            questions="scored:questions",
            templates={name: templates[name] for name in used},
            attempts=config.judging.attempts_of(RELEASED_ATTEMPTS),
            label_id="{part}/{sample_id}",
        ),
    )


def _data(section: Complexbench, language: str) -> DataFile:
    settings = {"language": language, "extra": section.extra}
    if section.source == "local":
        settings["file"] = section.local_file
    files = [path for path in (section.local_file, section.extra) if path]
    needs = Needs((facts("complexbench/released.yaml")["url"],))
    return OWN.data(language, section.source, settings, files, needs)


COMPLEXBENCH = Benchmark(
    name=NAME,
    title="ComplexBench",
    section=Complexbench,
    task=task,
    measures={
        "DRFR": Measure("DRFR of ComplexBench", compared={"measure": OVERALL, "category": ""})
    },
    task_names=tuple(taxonomy()["task_types"]),
    sample_names="main_id of the instance in the data; the part is its language.",
)
