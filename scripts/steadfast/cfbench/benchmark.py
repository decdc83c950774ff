"""CFBench as the stages see it: one part, the language, whose records stand in one data file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.cfbench.facts import LANGUAGE
from steadfast.registry import Sources

RESULTS = "results/cfbench"
TEMPLATES = {LANGUAGE: "resources/cfbench/judge/zh.txt"}
LONGEST = {"synthetic": 1024, "local": 16384, "released": 16384}  # tokens of a prompt, roughly
RELEASED_ATTEMPTS = 10

METRICS = (
    "headline",
    "results",
    "types",
    "domains",
    "factors",
    "statistics",
    "coverage",
    "agreement",
    "humans",
)
FIGURES = ("types", "factors")

_TYPES = "resources/cfbench/types.yaml"
_DOMAINS = "resources/cfbench/domains.yaml"
DATA_CODE = ("cfbench/data.py", "cfbench/synthetic.py", "cfbench/facts.py")
DATA_FACTS = (
    _TYPES,
    "resources/cfbench/released.yaml",
    "resources/cfbench/synthetic.yaml",
)
PROMPTS_CODE = ("cfbench/prompts.py",)
JUDGING_CODE = ("cfbench/judge.py", "cfbench/prompts.py", "cfbench/facts.py")
JUDGING_FACTS = ()
_READING = (
    "cfbench/reading.py",
    "cfbench/strict.py",
    "cfbench/released.py",
    "cfbench/satisfaction.py",
    "cfbench/facts.py",
)
_STAND_INS = ("cfbench/answers.py", "cfbench/prompts.py", "cfbench/facts.py")
READING_CODE = (*_READING, *_STAND_INS[:2])
SCORING_CODE = (
    *_READING,
    "cfbench/scoring.py",
    "cfbench/prompts.py",
    "judging/reply.py",
    "files.py",
)
SCORING_FACTS = ()
METRICS_CODE = (
    "cfbench/metrics.py",
    "cfbench/frames.py",
    "cfbench/agreement.py",
    "cfbench/released.py",
    "cfbench/satisfaction.py",
    "cfbench/facts.py",
)
METRICS_FACTS = (_TYPES, _DOMAINS, "resources/cfbench/factors.yaml")
TABLES_CODE = (
    "cfbench/tables.py",
    "cfbench/results.py",
    "cfbench/figures.py",
    "cfbench/frames.py",
    "cfbench/facts.py",
)
TABLES_FACTS = (
    _TYPES,
    _DOMAINS,
    "resources/cfbench/factors.yaml",
    "resources/cfbench/tables.yaml",
    "resources/cfbench/printed.yaml",
    "resources/agreement.yaml",
)


def languages(config: Any) -> list[str]:
    """Chinese, the only language that was published."""
    return [LANGUAGE]


def parts(config: Any) -> list[str]:
    """The one part, named after the language."""
    return languages(config)


def tokens(config: Any, part: str) -> int:
    """Tokens of the longest prompt, roughly."""
    return LONGEST[config.cfbench.source]


def sources(config: Any, part: str) -> dict[str, dict[str, str]]:
    """The data file that the prompts were made of."""
    return {"data": {part: f"{RESULTS}/data/{part}.jsonl"}}


def inference_code(engine: str) -> tuple[str, ...]:
    """Prompts are asked as they are; what answers in a model's place for those without one."""
    return ("asked.py", *(_STAND_INS if engine in ("reference", "simulated") else ()))


def data_settings(config: Any, language: str) -> dict[str, Any]:
    """Where the records come from, and of generated ones how many and by which seed."""
    settings = config.cfbench
    if settings.source == "synthetic":
        return {"source": "synthetic", "records": settings.records, "seed": config.seed}
    if settings.source == "local":
        return {"source": "local", "directory": settings.directory}
    return {"source": settings.source}


def data_files(config: Any, language: str) -> list[str]:
    """The file of a local directory."""
    if config.cfbench.source != "local":
        return []
    from steadfast.cfbench.data import FILE

    return [str(Path(config.cfbench.directory) / FILE)]


def write_data(settings: Mapping[str, Any], language: str, out: Path) -> None:
    """Writes the records, checked."""
    from steadfast.cfbench.data import write_data

    write_data(settings, language, out)


def write_prompts(part: str, sources: Sources, out: Path) -> None:
    """Writes a prompt a record."""
    from steadfast.cfbench.prompts import write_prompts

    write_prompts(sources["data"][part], out)


def items(prompts: Path, sources: Sources) -> Iterator[Any]:
    """One item a prompt: the instruction, which nothing precedes and nothing follows."""
    from steadfast.asked import plain_items

    return plain_items(prompts)


def oracle(prompts: Path, sources: Sources) -> Any:
    """Reference answers and simulated readings."""
    from steadfast.cfbench.answers import CfbenchOracle

    return CfbenchOracle(prompts, sources["data"])


def templates(config: Any) -> dict[str, str]:
    """The judge template, the project's or the config's own."""
    from steadfast.judging.template import templates_of

    return templates_of("cfbench", TEMPLATES, config.cfbench.templates)


def judge_settings(config: Any) -> dict[str, Any]:
    """How replies are read, which is in what is expected of them."""
    return {"mode": config.judging.mode}


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
    from steadfast.cfbench.judge import write_judge_prompts

    template = templates[LANGUAGE]
    write_judge_prompts(prompts, sources["data"], outputs, template, settings["mode"], out)


def readable(expected: Mapping[str, Any], reply: str, answer: str) -> bool:
    """Whether a judge's reply has a verdict on each checkpoint."""
    from steadfast.cfbench.reading import readable

    return readable(expected, reply, answer)


def judge_oracle(judging: Path) -> Any:
    """What judges without a model answer from."""
    from steadfast.cfbench.answers import CfbenchJudge

    return CfbenchJudge(judging)


def scoring_settings(config: Any) -> dict[str, Any]:
    """How replies are read."""
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
    """Writes the scores of one model by the verdicts of the judges, the first of which counts."""
    from steadfast.cfbench.scoring import score_part

    score_part(prompts, sources["data"], outputs, verdicts, settings["mode"], out)


def metrics_settings(config: Any) -> dict[str, Any]:
    """Mode and judges."""
    return {"mode": config.judging.mode, "judges": list(config.judges)}


def metrics_files(config: Any) -> dict[str, str]:
    """People's verdicts, where there are any."""
    return {"labels": config.cfbench.labels} if config.cfbench.labels else {}


def compute_metrics(
    scores: Mapping[tuple[str, str], Path],
    sources: Mapping[str, Sources],
    settings: Mapping[str, Any],
    files: Mapping[str, Path],
    outs: Mapping[str, Path],
) -> None:
    """Writes the metrics of all models."""
    from steadfast.cfbench.metrics import compute_metrics
    from steadfast.cfbench.prompts import read_records

    data = {part: path for of_part in sources.values() for part, path in of_part["data"].items()}
    compute_metrics(scores, read_records(data), **settings, labels=files.get("labels"), outs=outs)


def table_names(config: Any) -> list[str]:
    """Stems of the tables' files; agreement needs two raters, Table 6 people among them."""
    people = config.cfbench.labels is not None
    raters = people or len(config.judges) > 1
    return [
        "cfbench_table1_statistics",
        "cfbench_table2_results",
        "cfbench_types",
        "cfbench_domains",
        *(["cfbench_table6_humans"] if people else []),
        *(["cfbench_agreement"] if raters else []),
        "cfbench_coverage",
    ]


def tables_settings(config: Any) -> dict[str, Any]:
    """Mode and the tables that are wanted."""
    return {"mode": config.judging.mode, "names": table_names(config)}


def build_tables(
    metrics: Mapping[str, Path],
    display: Mapping[str, Any],
    settings: Mapping[str, Any],
    out_dir: Path,
) -> None:
    """Writes the tables."""
    from steadfast.cfbench.tables import build_tables

    build_tables(metrics, display, out_dir=out_dir, **settings)


def draw_figures(
    metrics: Mapping[str, Path], display: Mapping[str, Any], outs: Mapping[str, Path]
) -> None:
    """Draws the figures."""
    from steadfast.cfbench.figures import draw_figures

    draw_figures(metrics, display, outs)
