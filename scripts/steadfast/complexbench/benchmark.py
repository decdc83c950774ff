"""ComplexBench as the stages see it: a part is a language, or its decomposed instructions."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench.prompts import DECOMPOSED
from steadfast.complexbench.taxonomy import read_yaml
from steadfast.registry import Sources

RESULTS = "results/complexbench"
FACTS = "resources/complexbench"
JUDGED = True
RELEASED_ATTEMPTS = 1  # whatever a judge replies is taken for a verdict
METRICS = (
    "drfr",
    "constraints",
    "coherent",
    "decomposition",
    "agreement",
    "judging",
    "coverage",
    "headline",
)
FIGURES = ("by_category",)

_SCHEMA = (
    "complexbench/instance.py",
    "complexbench/rule_forms.py",
    "complexbench/rules/text.py",
    "complexbench/taxonomy.py",
)
_PIECES = ("complexbench/answers.py", "complexbench/pieces.py", *_SCHEMA)
DATA_CODE = (
    "complexbench/data.py",
    "complexbench/schema.py",
    "complexbench/shape.py",
    "complexbench/guidelines.py",
    "complexbench/decomposition.py",
    "complexbench/synthetic.py",
    "complexbench/synthetic_trees.py",
    *_SCHEMA,
)
DATA_FACTS = tuple(f"{FACTS}/{name}.yaml" for name in ("taxonomy", "released", "synthetic"))
PROMPTS_CODE = ("complexbench/prompts.py",)
JUDGING_CODE = (
    "complexbench/judge.py",
    "complexbench/rules",
    "complexbench/rule_forms.py",
    "complexbench/prompts.py",
    "complexbench/taxonomy.py",
)
JUDGING_FACTS = (f"{FACTS}/taxonomy.yaml",)
READING_CODE = (
    "complexbench/judge.py",
    "complexbench/stand_in.py",
    "complexbench/extraction.py",
    "complexbench/verdicts.py",
    *_PIECES,
)
SCORING_CODE = (
    "complexbench/scoring.py",
    "complexbench/judge.py",
    "complexbench/aggregation.py",
    "complexbench/extraction.py",
    "complexbench/verdicts.py",
    "complexbench/rules",
    "complexbench/prompts.py",
    "judging",
    "files.py",
    *_SCHEMA,
)
SCORING_FACTS = JUDGING_FACTS
METRICS_CODE = (
    "complexbench/metrics.py",
    "complexbench/scored.py",
    "complexbench/coverage.py",
    "complexbench/raters.py",
    "complexbench/aggregation.py",
    "complexbench/taxonomy.py",
)
METRICS_FACTS = JUDGING_FACTS
TABLES_CODE = (
    "complexbench/tables.py",
    "complexbench/figures.py",
    "complexbench/taxonomy.py",
)
TABLES_FACTS = (f"{FACTS}/tables.yaml", *JUDGING_FACTS)


def languages(config: Any) -> list[str]:
    """The languages that run, the one of the headline first."""
    return list(config.complexbench.languages)


def parts(config: Any) -> list[str]:
    """The languages, and after each its decomposed instructions where they run."""
    endings = ["", DECOMPOSED] if config.complexbench.decomposition else [""]
    return [language + ending for language in languages(config) for ending in endings]


def tokens(config: Any, part: str) -> int:
    """Tokens of the longest prompt, roughly; a turn has those before it in front."""
    return 8192


def sources(config: Any, part: str) -> dict[str, dict[str, str]]:
    """The instances of the part's language."""
    language = _language(part)
    return {"data": {language: f"{RESULTS}/data/{language}.jsonl"}}


def _language(part: str) -> str:
    return part.removesuffix(DECOMPOSED)


def inference_code(engine: str) -> tuple[str, ...]:
    """The prompts for every engine; what answers in a model's place for those without one."""
    return (*PROMPTS_CODE, *(_PIECES if engine in ("reference", "simulated") else ()))


def data_settings(config: Any, language: str) -> dict[str, Any]:
    """Where the instances come from."""
    section = config.complexbench
    chosen: dict[str, Any] = {"source": section.source, "extra": section.extra}
    if section.source == "synthetic":
        chosen |= {"instances": section.instances, "seed": config.seed}
    elif section.source == "local":
        chosen |= {"directory": section.directory, "file": section.file}
    return chosen


def data_files(config: Any, language: str) -> list[str]:
    """The local file of instances, and the user's own."""
    section = config.complexbench
    files = [str(Path(section.directory) / section.file)] if section.source == "local" else []
    return [*files, *([section.extra] if section.extra else [])]


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the instances in one language, checked against the guidelines."""
    from steadfast.complexbench.data import write_data

    write_data(settings, language, out)


def write_prompts(part: str, sources: Sources, out: Path) -> None:
    """Writes an instruction a prompt, or one turn of it."""
    from steadfast.complexbench.prompts import write_prompts

    write_prompts(part, sources["data"][_language(part)], out)


def items(prompts: Path, sources: Sources) -> Iterator[Any]:
    """The instructions as they are; a turn follows the one before."""
    from steadfast.engines.request import Item
    from steadfast.files import read_jsonl

    for prompt in read_jsonl(prompts):
        yield Item(
            sample_id=prompt["sample_id"],
            context_id=prompt["context_id"],
            head="",
            context="",
            tail=prompt["instruction"],
            max_tokens=prompt["max_tokens"],
            follows=prompt.get("follows"),
        )


def oracle(prompts: Path, sources: Sources) -> Any:
    """Reference answers and simulated readings of a part."""
    from steadfast.complexbench.answers import ComplexbenchOracle

    return ComplexbenchOracle(prompts, sources["data"])


def templates(config: Any) -> dict[str, str]:
    """The judge templates in use; the config's where it names one."""
    from steadfast.complexbench.judge import templates_in_use

    own = config.complexbench.templates
    names = templates_in_use(languages(config), judge_settings(config))
    return {name: own.get(name, f"{FACTS}/judge/{name}.txt") for name in names}


def judge_settings(config: Any) -> dict[str, Any]:
    """What judge prompts depend on: the mode, and whether rules decide."""
    return {"mode": config.judging.mode, "judging": config.complexbench.judging}


def write_judge_prompts(
    part: str,
    prompts: Path,
    sources: Sources,
    outputs: Path,
    templates: Mapping[str, Path],
    settings: Mapping[str, Any],
    out: Path,
) -> None:
    """Writes what is asked of a judge about one model's answers."""
    from steadfast.complexbench.judge import write_judge_prompts

    write_judge_prompts(
        part=part,
        prompts=prompts,
        data=sources["data"],
        outputs=outputs,
        templates=templates,
        settings=settings,
        out=out,
    )


def readable(expected: Mapping[str, Any], reply: str, answer: str) -> bool:
    """Whether a reply can be read as the verdict or the copy that was asked for."""
    from steadfast.complexbench.judge import readable

    return readable(expected, reply, answer)


def judge_oracle(judging: Path) -> Any:
    """What judges without a model answer from."""
    from steadfast.complexbench.stand_in import ComplexbenchJudge

    return ComplexbenchJudge(judging)


def scoring_settings(config: Any) -> dict[str, Any]:
    """What scores depend on: as for judge prompts."""
    return judge_settings(config)


def score_part(
    part: str,
    settings: Mapping[str, Any],
    prompts: Path,
    sources: Sources,
    outputs: Path,
    out: Path,
    verdicts: Mapping[str, Path],
) -> None:
    """Writes the scores of one model on one part."""
    from steadfast.complexbench.scoring import score_part

    score_part(
        part=part,
        settings=settings,
        prompts=prompts,
        data=sources["data"],
        outputs=outputs,
        out=out,
        verdicts=verdicts,
    )


def metrics_settings(config: Any) -> dict[str, Any]:
    """What metrics depend on: the mode, and the languages, of which the first is the headline's."""
    return {"mode": config.judging.mode, "languages": languages(config)}


def metrics_files(config: Any) -> dict[str, str]:
    """People's verdicts, where there are some."""
    labels = config.complexbench.labels
    return {"labels": labels} if labels else {}


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    sources: Mapping[str, Sources],
    settings: Mapping[str, Any],
    files: Mapping[str, Path],
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models."""
    from steadfast.complexbench.metrics import compute_metrics

    compute_metrics(scores, sources, settings, files, outs)


def table_names(config: Any) -> list[str]:
    """Stems of the tables' files."""
    return [f"complexbench_{name}" for name in read_yaml("tables.yaml")["captions"]]


def tables_settings(config: Any) -> dict[str, Any]:
    """What tables depend on: as for metrics."""
    return metrics_settings(config)


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    settings: Mapping[str, Any],
    out_dir: Path,
) -> None:
    """Writes the tables."""
    from steadfast.complexbench.tables import build_tables

    build_tables(metrics=metrics, display=display, settings=settings, out_dir=out_dir)


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws the figures."""
    from steadfast.complexbench.figures import draw_figures

    draw_figures(metrics=metrics, display=display, outs=outs)
