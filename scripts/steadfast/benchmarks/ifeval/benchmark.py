"""IFEval's section of the config, and its task for a config."""

from dataclasses import replace
from typing import Literal, Self

from pydantic import field_validator, model_validator

from steadfast.base.files import Record, Settings
from steadfast.benchmarks.ifeval.data import local_file
from steadfast.benchmarks.ifeval.facts import ALONE, FILLER, RELEASED, SETS, SYNTHETIC, Position
from steadfast.config.settings import references
from steadfast.contract.components import Component
from steadfast.contract.data_notes import data_note
from steadfast.contract.exports import exports_by
from steadfast.contract.long_texts import contexts_file, corpus_file
from steadfast.contract.package import Package
from steadfast.contract.task import Benchmark, DataFile, Measure, Needs, Part, Task, Trial
from steadfast.corpora.contexts.domains import facts_of
from steadfast.schema.config import Config
from steadfast.schema.strict import StrictModel, checked_lengths, key

NAME = "ifeval"
TITLE = "IFEval"
OWN = Package(NAME)
METRICS = (
    "accuracy", "drops", "effective_context_length", "reliable", "stability", "kinds", "coverage",
    "comparisons", "sampling_units", "summary",
)  # fmt: skip
LONGEST_PROMPT = 2048  # tokens, roughly


class Ifeval(StrictModel):
    """IFEval and IFBench: their prompts alone (length 0), and with contexts of any length."""

    source: Literal["synthetic", "local", "released"] = key(
        "synthetic: prompts of the project's own, of kinds that need no further package; local: "
        "a directory with the published files; released: these files at their pinned revisions. "
        "The last two need make verifiers.",
        "synthetic",
    )
    directory: str | None = key(
        "source local: the directory with input_data.jsonl (IFEval), IFBench_test.jsonl, or files "
        "of your own in their schema under these names."
    )
    sets: list[Literal["ifeval", "ifbench"]] = key(
        "source local and released: which sets run.", ["ifeval", "ifbench"], min_length=1
    )
    lengths: dict[str, int] = key(
        "Name of each length and its token budget for the context, up to 2M tokens. Length 0, the "
        "prompts without a context, always runs; {}: only that.",
        {"4k": 3072, "8k": 6144, "16k": 13312},
    )
    contexts_per_length: int = key(
        "Contexts of each length; prompts are spread over them.", 2, ge=1, le=100
    )
    context: Literal["multidoc", "onedoc", "list"] = key(
        "Kind of context, built as LIFBench's contexts are: documents, essays or a list.",
        "multidoc",
    )
    positions: list[Position] = key(
        "Position of the prompt: after the context, before it, or both; filler: after a neutral "
        "filler of the same length, one sentence repeated. Prompts after a context share it as a "
        "prefix; each of those before it costs its tokens. One table compares positions, one says "
        "what length alone costs and what the text adds, the others are of the first.",
        ["after"],
        min_length=1,
    )
    framing_sentences: int = key(
        "Number of framing sentences (which separate context and prompt) with which each prompt "
        "is sent.",
        4,
        ge=1,
        le=4,
    )
    max_tokens: int = key("Limit of a response, in tokens.", 2048, ge=1)
    instructions: Literal["released", "corrected"] = key(
        "released: instructions as published; corrected: known errors of the data corrected "
        "(docs/ifeval.md). Scores have both; tables show this one.",
        "released",
    )

    @field_validator("lengths")
    @classmethod
    def _lengths(cls, lengths: dict[str, int]) -> dict[str, int]:
        if ALONE in lengths:
            raise ValueError(f"length {ALONE}, without a context, always runs; remove it")
        return checked_lengths(lengths)

    @field_validator("positions")
    @classmethod
    def _text_first(cls, positions: list[Position]) -> list[Position]:
        if positions[0] == FILLER:
            raise ValueError(f"name another position before {FILLER}, which it is compared with")
        return positions

    @model_validator(mode="after")
    def _local_needs_directory(self) -> Self:
        if self.source == "local" and not self.directory:
            raise ValueError("source local needs directory, the folder with the published files")
        return self


def task(config: Config, section: Ifeval) -> Task:
    """Returns the task of IFEval and IFBench for a config; a part is a length, or ``ALONE``."""
    lengths = [ALONE, *section.lengths]
    positions = list(section.positions)
    several = len(lengths) > 1
    position_tables = []
    if several and len(positions) > 1:
        position_tables.append("positions")
    if several and FILLER in positions:
        position_tables.append(FILLER)
    tables = ["results", "accuracy"]
    if several:
        tables += ["drops", "effective_context_length", "reliable", "stability"]
    tables += ["kinds", *position_tables, "coverage"]
    display = {"version": section.instructions, "position": positions[0]}
    settings = section.model_dump(mode="json", exclude={"directory", "instructions"})
    return Task(
        data_note=data_note(TITLE, section.source),
        parts=_parts(section),
        data=[_prompts_file(section), *_texts(config, section)],
        prompts=OWN.component(
            "prompts:prompts",
            {
                "seed": config.seed,
                "positions": positions,
                "framing_sentences": section.framing_sentences,
                "max_tokens": section.max_tokens,
            },
        ),
        units=Component("steadfast.stats.scores:units", {"strata": ["task"]}),
        samples=OWN.component("prompts:IfevalSamples"),
        simulator=OWN.component("simulator:IfevalSimulator"),
        scoring=OWN.component("scoring:IfevalScoring", {"version": section.instructions}),
        metrics=OWN.output(
            "metrics:metrics",
            (*METRICS, *position_tables),
            {"lengths": lengths, "positions": positions, "references": references(config)},
            fields=("kinds", "strict", "loose", "position", "expression_id"),
        ),
        tables=OWN.tables(tables, {**display, "names": tables}),
        figures=OWN.output("figures:figures", ("by_length",), display),
        files=_files(section),
        # All lengths and framing sentences of a prompt or none, so that they can be paired.
        trial=Trial(together="context_id", spread=()),
        exports=exports_by(
            "ifeval/export.yaml",
            by="steadfast.benchmarks.ifeval.export:IfevalExports",
            sources=_sources(config, section),
            settings={"seed": config.seed, **settings},
        ),
    )


def _sources(config: Config, section: Ifeval) -> dict[str, str]:
    """Returns the sources of prompts and texts, by their names in ``ifeval/export.yaml``."""
    sets = [SYNTHETIC] if section.source == "synthetic" else section.sets
    sources = {name: "local" if section.source == "local" else name for name in sets}
    return sources | ({"texts": f"{config.corpora.source} texts"} if section.lengths else {})


def _parts(section: Ifeval) -> dict[str, Part]:
    data = {("data", "prompts"): OWN.data_path("prompts")}
    parts = {ALONE: Part(LONGEST_PROMPT, data)}
    kinds = [section.context, *([FILLER] if FILLER in section.positions else [])]
    for name, budget in section.lengths.items():
        texts = {("contexts", kind): _text_file(kind, name) for kind in kinds}
        parts[name] = Part(budget + LONGEST_PROMPT, data | texts)
    return parts


def _text_file(kind: str, length: str) -> str:
    return f"{NAME}/contexts/{kind}/{length}.jsonl"


def _texts(config: Config, section: Ifeval) -> list[DataFile]:
    """Returns the texts of all lengths, and the corpora that they are built from."""
    if not section.lengths:
        return []
    number = section.contexts_per_length
    tokens = 2 * max(section.lengths.values()) * number
    corpora = {}
    for name in facts_of(section.context)["corpora"]:
        corpora[name] = corpus_file(config, name, tokens, f"{NAME}/corpora")
    settings: Settings = {
        "seeds": list(range(config.seed, config.seed + number)),
        "tokenizer": config.tokenizer,
        "nested": True,
    }
    paths = {name: file.path for name, file in corpora.items()}
    texts = []
    for length, budget in section.lengths.items():
        at_length: Settings = {"length": length, "budget": budget}
        path = _text_file(section.context, length)
        texts.append(contexts_file(path, section.context, paths, {**at_length, **settings}))
        if FILLER in section.positions:
            filled = {**at_length, "tokenizer": config.tokenizer}
            texts.append(contexts_file(_text_file(FILLER, length), FILLER, {}, filled))
    return [*corpora.values(), *texts]


def _prompts_file(section: Ifeval) -> DataFile:
    if section.source == "synthetic":
        return OWN.data("prompts", section.source)
    settings: Record = {"directory": section.directory or ""} if section.source == "local" else {}
    settings["sets"] = list(section.sets)
    files = [path for _, path in _files(section)]
    needs = Needs(tuple(RELEASED[name]["url"] for name in section.sets))
    file = OWN.data("prompts", section.source, settings, files, needs)
    checks = {"verifiers": OWN.component("library:check_library")}
    return replace(file, needs=replace(file.needs, checks=checks))


def _files(section: Ifeval) -> list[tuple[str, str]]:
    if section.source != "local":
        return []
    directory = section.directory or ""
    return [(f"{NAME}.directory", str(local_file(directory, name))) for name in section.sets]


def check(config: Config, section: Ifeval) -> None:
    """Refuses simulated models where there are no reference answers."""
    if section.source == "synthetic" or NAME not in config.benchmarks:
        return
    for name in config.running:
        if config.models[name].engine in ("reference", "simulated"):
            raise ValueError(
                f"models.{name}: engine {config.models[name].engine} has no reference answers to "
                f"published prompts; remove it from run, or set {NAME}.source to synthetic"
            )


IFEVAL = Benchmark(
    name=NAME,
    title=TITLE,
    section=Ifeval,
    task=task,
    measures={
        "Score": Measure(
            "accuracy by prompt of IFEval, over lengths", compared={"measure": "Score"}
        )
    },
    check=check,
    task_names=SETS,
    sample_names=(
        "set/key/position/framing. ifeval/1000/after/w0 is the prompt with key 1000 of set ifeval, "
        "after its context, in framing sentence 0; without a context the name ends with the key."
    ),
)
