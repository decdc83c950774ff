"""ComplexBench as the stages see it: a part is a language, or its decomposed instructions."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench.prompts import DECOMPOSED
from steadfast.complexbench.taxonomy import read_yaml
from steadfast.registry import Sources

RESULTS = "results/complexbench"
FACTS = "resources/complexbench"
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
FIGURES = ("by_category", "by_dimension")


def _modules(*names: str) -> tuple[str, ...]:
    return tuple(f"complexbench/{name}" for name in names)


_RULE_FORMS = _modules("rule_forms.py", "rules/text.py", "taxonomy.py")
_PIECES = _modules("answers.py", "pieces.py", "prompts.py") + _RULE_FORMS
_RULES = _RULE_FORMS + _modules("rules")
_JUDGED = _RULES + _modules(
    "prompts.py", "samples.py", "ways.py", "judge.py", "extraction.py", "verdicts.py"
)
_TAXONOMY = f"{FACTS}/taxonomy.yaml"
DATA_CODE = _RULE_FORMS + _modules(
    "data.py",
    "schema.py",
    "shape.py",
    "guidelines.py",
    "instance.py",
    "decomposition.py",
    "synthetic.py",
    "synthetic_trees.py",
)
DATA_FACTS = (_TAXONOMY, f"{FACTS}/released.yaml", f"{FACTS}/synthetic.yaml")
PROMPTS_CODE = _modules("prompts.py")
JUDGING_CODE = _JUDGED
JUDGING_FACTS = (_TAXONOMY,)
READING_CODE = _JUDGED + _PIECES + _modules("stand_in.py")
SCORING_CODE = (
    *_JUDGED,
    *_modules("scoring.py", "scored.py", "aggregation.py"),
    "judging",
    "files.py",
)
SCORING_FACTS = JUDGING_FACTS
METRICS_CODE = _RULES + _modules(
    "metrics.py", "scored.py", "coverage.py", "raters.py", "aggregation.py"
)
METRICS_FACTS = (_TAXONOMY,)
TABLES_CODE = METRICS_CODE + _modules("tables", "figures.py")
TABLES_FACTS = (f"{FACTS}/tables.yaml", "resources/agreement.yaml", _TAXONOMY)


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
    return ("asked.py", *PROMPTS_CODE, *(_PIECES if engine in ("reference", "simulated") else ()))


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
    """The local file of instances, and the user's own, as far as they are there.

    Of what is missing ``write_data`` says what to do. As a rule's input it would not: Snakemake
    then takes older results for given.
    """
    section = config.complexbench
    files = [str(Path(section.directory) / section.file)] if section.source == "local" else []
    files += [section.extra] if section.extra else []
    return [path for path in files if Path(path).is_file()]


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
    from steadfast.asked import plain_items

    return plain_items(prompts)


def oracle(prompts: Path, sources: Sources) -> Any:
    """Reference answers and simulated readings of a part."""
    from steadfast.complexbench.answers import ComplexbenchOracle

    return ComplexbenchOracle(prompts, sources["data"])


def templates(config: Any) -> dict[str, str]:
    """The judge templates in use; the config's where it names one."""
    from steadfast.complexbench.ways import TEMPLATES, templates_in_use
    from steadfast.judging.template import templates_of

    known = {name: f"{FACTS}/judge/{name}.txt" for name in TEMPLATES}
    found = templates_of("complexbench", known, config.complexbench.templates)
    return {
        name: found[name] for name in templates_in_use(languages(config), judge_settings(config))
    }


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
    """Stems of the tables' files; agreement needs two raters, decomposition turns."""
    section = config.complexbench
    without = set() if section.labels or len(config.judges) > 1 else {"agreement"}
    without |= set() if section.decomposition else {"decomposition"}
    names = read_yaml("tables.yaml")["captions"]
    return [f"complexbench_{name}" for name in names if name not in without]


def tables_settings(config: Any) -> dict[str, Any]:
    """What tables depend on: as for metrics, and the tables that are wanted."""
    return {**metrics_settings(config), "names": table_names(config)}


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
