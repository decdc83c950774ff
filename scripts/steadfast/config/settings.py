"""The parts of a config that rules take as parameters: plain values, no more than each needs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.config.models import BaseModelSettings
from steadfast.config.names import nearest
from steadfast.config.schema import Config
from steadfast.corpora import default_source
from steadfast.errors import UserError
from steadfast.lifbench.paper import PAPER_MODELS


def answer_settings(model: BaseModelSettings) -> dict[str, Any]:
    """What determines a model's responses: the fields with role ``answer``, and the engine."""
    return {"engine": model.engine, **_by_role(model, "answer")}


def operation_settings(model: BaseModelSettings) -> dict[str, Any]:
    """How a model's requests are sent: the fields with role ``operation``."""
    return _by_role(model, "operation")


def plan_settings(model: BaseModelSettings) -> dict[str, Any]:
    """What the plan reckons with: throughput and price; neither determines a response."""
    return {**_by_role(model, "plan"), "price": operation_settings(model).get("price")}


def planned(models: Mapping[str, BaseModelSettings]) -> dict[str, dict[str, Any]]:
    """What the plan takes of each model: its ``answers`` and ``plan`` settings."""
    return {
        name: {"answers": answer_settings(model), "plan": plan_settings(model)}
        for name, model in models.items()
    }


def _by_role(model: BaseModelSettings, role: str) -> dict[str, Any]:
    fields = type(model).model_fields.items()
    return model.model_dump(
        include={name for name, f in fields if (f.json_schema_extra or {}).get("role") == role}
    )


def display(config: Config) -> dict[str, Any]:
    """What tables and figures need to show the models: digits, labels, groups, order, judges."""
    shown = {name: _shown(name, model) for name, model in config.models.items()}
    facts = zip(("labels", "groups", "engines"), zip(*shown.values(), strict=True), strict=True)
    return {
        **config.display.model_dump(),
        "judges": {
            name: (judge.label or name, judge.engine) for name, judge in config.judges.items()
        },
        **{fact: dict(zip(shown, values, strict=True)) for fact, values in facts},
    }


DEFAULT_GROUPS = {"simulated": "Simulated readers", "reference": "Reference answers"}


def _shown(name: str, model: BaseModelSettings) -> tuple[str, str, str]:
    """A model's label, group and engine; the paper's where its scores are the released ones."""
    paper = PAPER_MODELS.get(model.released_name or name) if model.engine == "scored" else None
    if paper:
        kind = "reference" if paper.gold else model.engine
        return model.label or paper.label, model.group or paper.group, kind
    return (
        model.label or name,
        model.group or DEFAULT_GROUPS.get(model.engine, "Models"),
        model.engine,
    )


def corpus_source(config: Config, corpus: str) -> dict[str, Any]:
    """Where one corpus comes from, as ``corpora.build_corpus`` takes it."""
    corpora = config.corpora
    source = default_source(corpora.source, corpus)
    match corpora.source:
        case "synthetic":
            return {**source, "tokens": synthetic_tokens(config)}
        case "local":
            own = corpora.local.get(corpus)
            return {**source, **(own.model_dump() if own else {}), "directory": corpora.directory}
        case "hub":
            own = corpora.hub.get(corpus)
            return {
                **source,
                **(own.model_dump(exclude_none=True) if own else {}),
                "lock": corpora.lock,
            }


def synthetic_tokens(config: Config) -> int:
    """Tokens of a synthetic corpus: twice the longest budget of all contexts, in powers of two.

    In powers of two, so that a further length seldom changes the corpora.
    """
    need = 2 * max(config.lifbench.lengths.values()) * config.lifbench.contexts_per_length
    tokens = 128 * 1024
    while tokens < need:
        tokens *= 2
    return tokens


def model_settings(config: Config, name: str) -> BaseModelSettings:
    """The settings of a model.

    Raises:
        UserError: the config has no model of that name.
    """
    if name not in config.models:
        raise UserError(f"models: unknown model {name!r}; {nearest(name, config.models)}")
    return config.models[name]


def judge_settings(config: Config, name: str) -> BaseModelSettings:
    """The settings of a judge.

    Raises:
        UserError: the config has no judge of that name.
    """
    if name not in config.judges:
        raise UserError(f"judges: unknown judge {name!r}; {nearest(name, config.judges)}")
    return config.judges[name]


def references(config: Config) -> list[str]:
    """The running models that give gold answers, which no model is compared with."""
    return [m for m in config.running if _shown(m, config.models[m])[2] == "reference"]


def scored_models(config: Config) -> dict[str, str]:
    """The running models with released scores, and their names in the released files."""
    found = {name: config.models[name] for name in config.running}
    return {m: s.released_name or m for m, s in found.items() if s.engine == "scored"}


def models_of(config: Config, benchmark: str) -> list[str]:
    """The running models that a benchmark has results of; released scores are LIFBench's."""
    others = benchmark != "lifbench"
    return [m for m in config.running if not (others and config.models[m].engine == "scored")]


def asked_models(config: Config) -> list[str]:
    """The models that are asked and then scored, whether or not they run."""
    return [name for name, model in config.models.items() if model.engine != "scored"]


def corpus_files(config: Config, corpus: str) -> list[str]:
    """The files of a local corpus, so that a change of one rebuilds what stands on it."""
    source = corpus_source(config, corpus)
    if source["kind"] != "local":
        return []
    return sorted(str(path) for path in Path(source["directory"]).glob(source["glob"]))


def replay_file(config: Config, name: str, benchmark: str, part: str) -> str | None:
    """The file that a replayed model's responses to one part stand in."""
    model = model_settings(config, name)
    if model.engine != "replay":
        return None
    return model.file.replace("{part}", part).replace("{benchmark}", benchmark)
