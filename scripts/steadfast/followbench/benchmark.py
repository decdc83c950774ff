"""FollowBench as the stages see it: parts are languages, groups stand in one data file each."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.registry import Sources

RESULTS = "results/followbench"
FACTS = "resources/followbench"
RELEASED_ATTEMPTS = 1  # a reply that cannot be read is left to the user to repair
METRICS = (
    "hsr",
    "ssr",
    "csl",
    "scorers",
    "consistency",
    "items",
    "agreement",
    "coverage",
    "headline",
)
FIGURES = ("by_category",)

_MADE = tuple(f"{FACTS}/{name}.yaml" for name in ("sources", "groups"))
_RULES = ("followbench/rules", "followbench/literals.py", "followbench/facts.py")
_STAND_INS = ("followbench/readers.py", "followbench/answers.py", *_RULES)
_STAND_IN_FACTS = tuple(f"{FACTS}/{name}.yaml" for name in ("reference", "rules"))
DATA_CODE = ("followbench/data.py", "followbench/synthetic", "pinned.py", *_RULES)
DATA_FACTS = (
    *_MADE,
    f"{FACTS}/released.yaml",
    *(f"{FACTS}/synthetic/{language}.yaml" for language in ("en", "zh")),
)
PROMPTS_CODE = ("followbench/prompts.py", "followbench/facts.py")
JUDGING_CODE = ("followbench/judge.py", *PROMPTS_CODE)
JUDGING_FACTS = (f"{FACTS}/judge/words.yaml",)
READING_CODE = ("followbench/verdicts.py", "followbench/prompts.py", *_STAND_INS)
SCORING_CODE = (
    "followbench/scoring.py",
    "followbench/verdicts.py",
    "followbench/prompts.py",
    *_RULES,
    "judging/reply.py",
    "files.py",
)
SCORING_FACTS = (f"{FACTS}/rules.yaml",)
METRICS_CODE = (
    "followbench/metrics.py",
    "followbench/frames.py",
    "followbench/agreement.py",
    "followbench/satisfaction.py",
    "followbench/facts.py",
)
METRICS_FACTS = (f"{FACTS}/impossible.yaml",)
TABLES_CODE = (
    "followbench/tables.py",
    "followbench/results.py",
    "followbench/figures.py",
    "followbench/facts.py",
)
TABLES_FACTS = (
    f"{FACTS}/tables.yaml",
    f"{FACTS}/printed.yaml",
    "resources/agreement.yaml",
)


def languages(config: Any) -> list[str]:
    """The languages that run, the one of the headline first."""
    return list(config.followbench.languages)


def parts(config: Any) -> list[str]:
    """The languages."""
    return languages(config)


def tokens(config: Any, part: str) -> int:
    """Tokens of the longest prompt, roughly: five shots of an example task."""
    return 4096


def sources(config: Any, part: str) -> dict[str, dict[str, str]]:
    """The groups of the language."""
    return {"data": {part: f"{RESULTS}/data/{part}.jsonl"}}


def inference_code(engine: str) -> tuple[str, ...]:
    """What makes prompts; what answers in a model's place for engines without one."""
    return (
        "asked.py",
        *PROMPTS_CODE,
        *(_STAND_INS if engine in ("reference", "simulated") else ()),
    )


def data_settings(config: Any, language: str) -> dict[str, Any]:
    """Where the groups come from, and of generated ones how many and by which seed."""
    section = config.followbench
    if section.source == "synthetic":
        return {"source": "synthetic", "groups": section.groups, "seed": config.seed}
    if section.source == "local":
        return {"source": "local", "directory": section.directory}
    return {"source": section.source}


def data_files(config: Any, language: str) -> list[str]:
    """The files of a local directory."""
    if config.followbench.source != "local":
        return []
    from steadfast.followbench.data import local_files

    return list(local_files(config.followbench.directory, language).values())


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the groups of a language, checked."""
    from steadfast.followbench.data import write_data

    write_data(settings, language, out)


def write_prompts(part: str, sources: Sources, out: Path) -> None:
    """Writes the instructions of levels 1 to 5."""
    from steadfast.followbench.prompts import write_prompts

    write_prompts(part, sources, out)


def items(prompts: Path, sources: Sources) -> Iterator[Any]:
    """The instructions as they stand."""
    from steadfast.asked import plain_items

    return plain_items(prompts)


def oracle(prompts: Path, sources: Sources) -> Any:
    """Reference answers and simulated readings of a language."""
    from steadfast.followbench.readers import FollowbenchOracle

    return FollowbenchOracle(prompts, sources)


def templates(config: Any) -> dict[str, str]:
    """The judge template of each language, the config's where it names one."""
    from steadfast.judging.template import templates_of

    known = {name: f"{FACTS}/judge/{name}.txt" for name in languages(config)}
    return templates_of("followbench", known, config.followbench.templates)


def judge_settings(config: Any) -> dict[str, Any]:
    """Nothing: judge prompts are the same in both modes."""
    return {}


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
    from steadfast.followbench.judge import write_judge_prompts

    write_judge_prompts(part, prompts, sources, outputs, templates[part], out)


def readable(expected: Mapping[str, Any], reply: str, answer: str) -> bool:
    """Whether a judge's reply ends in one verdict for each constraint."""
    from steadfast.followbench.verdicts import strict

    return strict(reply, answer, expected["count"]) is not None


def judge_oracle(judging: Path) -> Any:
    """What judges without a model answer from."""
    from steadfast.followbench.readers import JudgeOracle

    return JudgeOracle(judging)


def scoring_settings(config: Any) -> dict[str, Any]:
    """How judges' replies are read."""
    return {"mode": config.judging.mode}


def score_part(
    part: str,
    settings: Mapping[str, Any],
    prompts: Path,
    sources: Sources,
    outputs: Path,
    out: Path,
    verdicts: Mapping[str, Path],
) -> None:
    """Writes the scores of one model in one language."""
    from steadfast.followbench.scoring import score_part

    score_part(settings, prompts, sources, outputs, verdicts, out)


def metrics_settings(config: Any) -> dict[str, Any]:
    """The languages, of which the first is the headline's, and the judges."""
    return {"languages": languages(config), "judges": list(config.judges)}


def metrics_files(config: Any) -> dict[str, str]:
    """People's verdicts, where there are some."""
    labels = config.followbench.labels
    return {"labels": labels} if labels else {}


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    sources: Mapping[str, Sources],
    settings: Mapping[str, Any],
    files: Mapping[str, Path],
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models."""
    from steadfast.followbench.metrics import compute_metrics

    compute_metrics(scores, sources, settings, files, outs)


def table_names(config: Any) -> list[str]:
    """Stems of the tables' files; agreement needs two raters."""
    from steadfast.followbench.facts import facts

    raters = config.followbench.labels is not None or len(config.judges) > 1
    layout = facts("tables")
    names = [name for name in layout["names"] if raters or name not in layout["agreement"]]
    return [f"followbench_{name}" for name in names]


def tables_settings(config: Any) -> dict[str, Any]:
    """Mode, languages, and the tables that are wanted."""
    return {
        "mode": config.judging.mode,
        "languages": languages(config),
        "names": table_names(config),
    }


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    settings: Mapping[str, Any],
    out_dir: Path,
) -> None:
    """Writes the tables."""
    from steadfast.followbench.tables import build_tables

    build_tables(metrics, display, settings, out_dir)


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws the figures."""
    from steadfast.followbench.figures import draw_figures

    draw_figures(metrics, display, outs)
