"""The parts of a config that rules take as parameters: plain values, no more than each needs."""

from collections.abc import Mapping

from pydantic.fields import FieldInfo

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, canonical_json
from steadfast.base.resources import facts
from steadfast.contract.engine_names import SIMULATED_ENGINES
from steadfast.contract.examples import read_examples
from steadfast.contract.registry import benchmarks_of
from steadfast.contract.request import repeat_key
from steadfast.contract.task import ReleasedModel
from steadfast.contract.votes import MAJORITY, VOTERS
from steadfast.schema.api_model import ApiModel
from steadfast.schema.config import Config
from steadfast.schema.known_prices import rates
from steadfast.schema.model_base import BaseModelSettings, SamplingModel
from steadfast.schema.models import ReplayModel, ScoredModel

SENT_BY = ("cache", "service_tier", "batch", "base_url")
"""Keys of a model that say how a provider is asked."""
DEFAULT_GROUPS = {
    "simulated": "Simulated models",
    "baseline": "Baseline",
    "reference": "Reference answers",
}


def answer_settings(model: BaseModelSettings) -> Settings:
    """What determines a model's responses: the fields with role ``answer``, and the engine.

    Keys that models had once stand there with their defaults, since hashes of requests hold them.
    A file with examples stands there by its content: ``examples`` are pairs of instruction and
    output.

    Raises:
        UserError: that file is missing or damaged.
    """
    removed = facts("engines/hashed_defaults.yaml").get(model.engine, {})
    found = {"engine": model.engine, **removed, **_by_role(model, "answer")}
    path = found.pop("examples", None)
    return found if path is None else {**found, "examples": read_examples(path)}


def plan_settings(model: BaseModelSettings) -> Settings:
    """What the plan and a job's resources reckon with; none of it determines a response.

    Beside what the config states, ``copies`` of the model share out the ``gpus`` of a job,
    which share the requests; ``how`` says how a provider is asked.
    """
    whole = model.model_dump()
    return {
        **_by_role(model, "plan"),
        "price": rates(whole),
        "how": {key: whole.get(key) for key in SENT_BY},
        "hours": model.hours,
        "gpus": gpus(model),
        "copies": _copies(model),
        "parts_per_load": whole.get("parts_per_load"),
    }


def gpus(model: BaseModelSettings) -> int:
    """The GPUs of a model's job: as stated, else those that share the model or a copy of it."""
    if model.gpus is not None:
        return model.gpus
    return int(getattr(model, "tensor_parallel_size", 0)) * _copies(model)


def _copies(model: BaseModelSettings) -> int:
    return int(getattr(model, "data_parallel_size", 1))


def prices(config: Config) -> dict[str, dict[str, Settings]]:
    """The prices of the models, judges and rewriters that have one, by section and name."""
    roles = {"models": config.models, "judges": config.judges, "rewriters": config.rewriters}
    priced: dict[str, dict[str, Settings]] = {}
    for role, models in roles.items():
        rates_by_name = {name: rates(model.model_dump()) for name, model in models.items()}
        priced[role] = {name: price for name, price in rates_by_name.items() if price}
    return priced


def planned(models: Mapping[str, BaseModelSettings]) -> dict[str, Settings]:
    """What the plan takes of each model: its ``answers`` and ``plan`` settings."""
    return {
        name: {"answers": answer_settings(model), "plan": plan_settings(model)}
        for name, model in models.items()
    }


def _by_role(model: BaseModelSettings, role: str) -> Record:
    names = {name for name, field in type(model).model_fields.items() if role_of(field) == role}
    return model.model_dump(include=names)


def role_of(field: FieldInfo) -> str:
    """Who may notice a change of a field (``schema.model_base``); empty where it has no role."""
    extra = field.json_schema_extra
    return str(extra.get("role", "")) if isinstance(extra, dict) else ""


def display(config: Config) -> Settings:
    """What ``show.roster.Display`` is made of: how models and judges are shown, and the limit."""
    models = {name: _shown(config, name) for name in config.models}
    judges = {
        name: {"label": judge.label or name, "engine": judge.engine}
        for name, judge in config.judges.items()
    }
    if config.judging.count == MAJORITY:
        judges = _majorities(judges) | judges
    # Released scores are of no trial.
    asked = set(config.running) - set(scored_models(config))
    limit = {"limit": config.limit} if config.limit and asked else {}
    return {**config.display.model_dump(), "models": models, "judges": judges, **limit}


def _majorities(judges: Mapping[str, Record]) -> dict[str, Record]:
    """How most judges are shown: of models, and where these have too few, of simulated models."""
    found: dict[str, Record] = {}
    for simulator in (False, True):
        alike = [
            how for how in judges.values() if (how["engine"] in SIMULATED_ENGINES) == simulator
        ]
        if len(alike) >= VOTERS:
            label = f"majority of {', '.join(how['label'] for how in alike)}"
            name = f"{MAJORITY} of simulated models" if found else MAJORITY
            found[name] = {"label": label, "engine": alike[0]["engine"]}
    return found


def _shown(config: Config, name: str) -> Record:
    """A model's label, group and engine, as in the paper where its scores are the released ones.

    Beside them its series, where one is known, and whether it is a base model.
    """
    model = config.models[name]
    released = _released(config, name) if isinstance(model, ScoredModel) else None
    base = getattr(model, "template", "") == "base"
    paper = released or ReleasedModel(
        label=name, group=DEFAULT_GROUPS.get(model.engine, "Models"), base=base
    )
    shown: Record = {
        "label": model.label or paper.label,
        "group": model.group or paper.group,
        "engine": "reference" if paper.is_reference else model.engine,
    }
    if paper.series:
        shown["series"] = paper.series
    if paper.base:
        shown["base"] = True
    return shown


def _released(config: Config, name: str) -> ReleasedModel | None:
    for benchmark in benchmarks_of(config).values():
        if name in benchmark.released_models:
            return benchmark.released_models[name]
    return None


def key_variables(config: Config) -> list[str]:
    """The environment variables that hold the keys of the config's models, judges and rewriters."""
    asked = (*config.models.values(), *config.judges.values(), *config.rewriters.values())
    names = {one.api_key_env for one in asked if isinstance(one, ApiModel)}
    return sorted(name for name in names if name)


def references(config: Config) -> list[str]:
    """The running models that give reference or baseline answers, which no model is compared with."""
    kinds = ("baseline", "reference")
    return [m for m in config.running if _shown(config, m)["engine"] in kinds]


def baseline(config: Config) -> str | None:
    """The running model whose scores are the baseline under all others; the first, if any."""
    return next((m for m in config.running if config.models[m].engine == "baseline"), None)


def temperature_lines(config: Config) -> dict[str, tuple[str, float]]:
    """The running models that differ from another in temperature alone, in how many repeats there
    are apart: their line and place on it.

    A line is called by its first model. What is asked at a temperature that the server or the
    model's own files set stands on none.
    """
    alike: dict[str, dict[str, float]] = {}
    for name in config.running:
        how = config.models[name]
        if isinstance(how, SamplingModel) and how.temperature is not None:
            # A greedy model needs one repeat, beside others of which several are drawn.
            apart = {"temperature": None, "repeats": None}
            rest = {**_by_role(how, "answer"), "engine": how.engine, **apart}
            alike.setdefault(canonical_json(rest), {})[name] = how.temperature
    return {
        name: (next(iter(line)), temperature)
        for line in alike.values()
        if len(set(line.values())) > 1
        for name, temperature in line.items()
    }


def scored_models(config: Config) -> dict[str, str]:
    """The running models with released scores, and their names in the released files."""
    found = {name: config.models[name] for name in config.running}
    return {name: name for name, model in found.items() if isinstance(model, ScoredModel)}


def asked_models(config: Config) -> list[str]:
    """The models that are asked and then scored, whether or not they run."""
    return [name for name, model in config.models.items() if not isinstance(model, ScoredModel)]


def replay_file(model: BaseModelSettings, benchmark: str, part: str) -> str | None:
    """The file that a replayed model's responses to one part stand in."""
    if not isinstance(model, ReplayModel):
        return None
    return model.file.replace("{part}", part).replace("{benchmark}", benchmark)


NO_MODEL = """config: judges: the answers of model {model} need a judge that is a model; add one \
under judges, such as
  gpt-4o:
    {{engine: openai, model: gpt-4o-2024-08-06}}
or leave out of benchmarks those that need one"""
NO_SIMULATOR = """config: judges: the answers of {model}, a simulator, need a judge that is one; add \
under judges
  reference:
    {{engine: reference}}"""


def judges_of(config: Config, model: str) -> list[str]:
    """The judges of a model's answers, the one that counts first.

    Models judge models, simulated models judge simulated models, and never across: a simulator's answer says of
    itself what it kept, which a model would be paid to read, and a simulator that judges knows
    nothing of any other answer.
    """
    simulator = is_simulated(config, model)
    return [
        name
        for name, how in config.judges.items()
        if (how.engine in SIMULATED_ENGINES) == simulator
    ]


def judge_names(config: Config) -> list[str]:
    """The names of all that judges say of answers: each judge's, its further repeats', and most's."""
    repeats = [
        repeat_key(name, repeat)
        for name, how in config.judges.items()
        for repeat in range(how.repeats)
    ]
    return [*repeats, *([MAJORITY] if config.judging.count == MAJORITY else [])]


def is_simulated(config: Config, model: str) -> bool:
    """Whether a model answers from what a benchmark knows."""
    return config.models[model].engine in SIMULATED_ENGINES


def check_judges(config: Config, model: str) -> None:
    """Raises UserError, with the lines of config that name a judge, where a model has none."""
    if not judges_of(config, model):
        sentence = NO_SIMULATOR if is_simulated(config, model) else NO_MODEL
        raise UserError(sentence.format(model=model))
