"""The parts of a config that rules take as parameters: plain values, only those each needs."""

from collections.abc import Mapping

from pydantic.fields import FieldInfo

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, canonical_json
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

# Keys of a model that say how requests are sent to a provider, and so their pricing option.
SENT_BY = ("cache", "service_tier", "batch", "base_url")
DEFAULT_GROUPS = {
    "simulated": "Simulated models",
    "baseline": "Baseline",
    "reference": "Reference answers",
}


def response_settings(model: BaseModelSettings) -> Settings:
    """What determines a model's responses: the engine, and the fields with role ``response``.

    A file with examples is included by its content: ``examples`` are pairs of instruction and
    output.

    Raises:
        UserError: that file is missing or damaged.
    """
    settings = {"engine": model.engine, **_by_role(model, "response")}
    path = settings.pop("examples", None)
    return settings if path is None else {**settings, "examples": read_examples(path)}


def plan_settings(model: BaseModelSettings) -> Settings:
    """Inputs of the plan and of a job's resources; none of them determines a response.

    In addition to the config's keys: ``copies`` of the model divide up the ``gpus`` of a job and
    its requests; ``how`` has the keys in ``SENT_BY``.
    """
    values = model.model_dump()
    return {
        **_by_role(model, "plan"),
        "price": rates(values),
        "how": {key: values.get(key) for key in SENT_BY},
        "hours": model.hours,
        "gpus": gpus(model),
        "copies": _copies(model),
        "parts_per_load": values.get("parts_per_load"),
    }


def gpus(model: BaseModelSettings) -> int:
    """The GPUs of a model's job: as stated, else those over which all its copies are split."""
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
        priced[role] = {}
        for name, model in models.items():
            if price := rates(model.model_dump()):
                priced[role][name] = price
    return priced


def planned_models(models: Mapping[str, BaseModelSettings]) -> dict[str, Settings]:
    """The inputs of the plan for each model: its ``answers`` and ``plan`` settings."""
    inputs: dict[str, Settings] = {}
    for name, model in models.items():
        inputs[name] = {"answers": response_settings(model), "plan": plan_settings(model)}
    return inputs


def _by_role(model: BaseModelSettings, role: str) -> Record:
    fields = type(model).model_fields.items()
    return model.model_dump(include={name for name, field in fields if role_of(field) == role})


def role_of(field: FieldInfo) -> str:
    """The role of a field (``schema.model_base``); empty where it has none."""
    extra = field.json_schema_extra
    return str(extra.get("role", "")) if isinstance(extra, dict) else ""


def display(config: Config) -> Settings:
    """The input of ``show.roster.Display``: how models and judges are shown, and the limit."""
    models = {name: _appearance(config, name) for name in config.models}
    judges: dict[str, Record] = {}
    for name, judge in config.judges.items():
        judges[name] = {"label": judge.label or name, "engine": judge.engine}
    if config.judging.count == MAJORITY:
        judges = _majorities(judges) | judges
    # A limit does not apply to released scores.
    evaluated = set(config.running) - set(scored_models(config))
    limit = {"limit": config.limit} if config.limit and evaluated else {}
    return {**config.display.model_dump(), "models": models, "judges": judges, **limit}


def _majorities(judges: Mapping[str, Record]) -> dict[str, Record]:
    """How the majority's verdict is shown: that of LLM judges, and that of simulated judges."""
    majorities: dict[str, Record] = {}
    for simulated in (False, True):
        voters = []
        for judge in judges.values():
            if (judge["engine"] in SIMULATED_ENGINES) == simulated:
                voters.append(judge)
        if len(voters) >= VOTERS:
            label = f"majority of {', '.join(judge['label'] for judge in voters)}"
            # Where both have a majority, that of LLM judges has the plain name.
            name = f"{MAJORITY} of simulated models" if majorities else MAJORITY
            majorities[name] = {"label": label, "engine": voters[0]["engine"]}
    return majorities


def _appearance(config: Config, name: str) -> Record:
    """A model's label, group and engine; for released scores as in the paper.

    Also its series, where the paper names one, and whether it is a base model.
    """
    model = config.models[name]
    released = _released_model(config, name) if isinstance(model, ScoredModel) else None
    base = getattr(model, "template", "") == "base"
    paper = released or ReleasedModel(
        label=name, group=DEFAULT_GROUPS.get(model.engine, "Models"), base=base
    )
    appearance: Record = {
        "label": model.label or paper.label,
        "group": model.group or paper.group,
        "engine": "reference" if paper.is_reference else model.engine,
    }
    if paper.series:
        appearance["series"] = paper.series
    if paper.base:
        appearance["base"] = True
    return appearance


def _released_model(config: Config, name: str) -> ReleasedModel | None:
    for benchmark in benchmarks_of(config).values():
        if name in benchmark.released_models:
            return benchmark.released_models[name]
    return None


def key_variables(config: Config) -> list[str]:
    """The environment variables with the API keys of the models, judges and rewriters."""
    names: set[str] = set()
    for model in (*config.models.values(), *config.judges.values(), *config.rewriters.values()):
        if isinstance(model, ApiModel) and model.api_key_env:
            names.add(model.api_key_env)
    return sorted(names)


def references(config: Config) -> list[str]:
    """The running models of engines reference and baseline, which no model is compared with."""
    kinds = ("baseline", "reference")
    return [name for name in config.running if _appearance(config, name)["engine"] in kinds]


def baseline(config: Config) -> str | None:
    """The running model whose scores are the no-lookup baseline; the first, if any."""
    for name in config.running:
        if config.models[name].engine == "baseline":
            return name
    return None


def temperature_lines(config: Config) -> dict[str, tuple[str, float]]:
    """The running models that differ from others in temperature (and repeats) only, by name: the
    line that connects them in figures, and their temperature on it.

    A line is named after its first model. Models without a temperature of their own (that of the
    server or of the model's files) are on no line.
    """
    lines: dict[str, dict[str, float]] = {}
    for name in config.running:
        model = config.models[name]
        if isinstance(model, SamplingModel) and model.temperature is not None:
            # Repeats may differ too: one is enough at temperature 0.
            ignored = {"temperature": None, "repeats": None}
            settings = {**_by_role(model, "response"), "engine": model.engine, **ignored}
            lines.setdefault(canonical_json(settings), {})[name] = model.temperature
    points: dict[str, tuple[str, float]] = {}
    for line in lines.values():
        if len(set(line.values())) > 1:  # one temperature makes no line
            first = next(iter(line))
            for name, temperature in line.items():
                points[name] = (first, temperature)
    return points


def scored_models(config: Config) -> dict[str, str]:
    """The running models with released scores, and their names in the released files."""
    return {name: name for name in config.running if isinstance(config.models[name], ScoredModel)}


def queried_models(config: Config) -> list[str]:
    """The models whose responses are requested and scored, whether or not they run."""
    return [name for name, model in config.models.items() if not isinstance(model, ScoredModel)]


def replay_file(model: BaseModelSettings, benchmark: str, part: str) -> str | None:
    """The file with a replayed model's responses to one part."""
    if not isinstance(model, ReplayModel):
        return None
    return model.file.replace("{part}", part).replace("{benchmark}", benchmark)


NO_MODEL = """config: judges: the responses of model {model} need an LLM judge; add one under \
judges, such as
  gpt-4o:
    {{engine: openai, model: gpt-4o-2024-08-06}}
or remove the benchmarks that need a judge"""
NO_SIMULATOR = """config: judges: the responses of the simulated model {model} need a simulated \
judge; add one under judges, such as
  reference:
    {{engine: reference}}"""


def judges_of(config: Config, model: str) -> list[str]:
    """The judges of a model's responses, the one that counts first.

    LLM judges judge models, and simulated judges judge simulated models. Never across: a simulated
    judge can only judge simulated responses, which say themselves which constraints they follow,
    and an LLM judge of these would cost money for nothing.
    """
    simulated = is_simulated(config, model)
    names = []
    for name, judge in config.judges.items():
        if (judge.engine in SIMULATED_ENGINES) == simulated:
            names.append(name)
    return names


def judge_names(config: Config) -> list[str]:
    """The names of all verdicts on a response: one for each judge and repeat, and the majority."""
    names = []
    for name, judge in config.judges.items():
        names += [repeat_key(name, repeat) for repeat in range(judge.repeats)]
    if config.judging.count == MAJORITY:
        names.append(MAJORITY)
    return names


def is_simulated(config: Config, model: str) -> bool:
    """Whether a model is simulated: its responses are made from the reference answers."""
    return config.models[model].engine in SIMULATED_ENGINES


def check_judges(config: Config, model: str) -> None:
    """Raises UserError, with the lines of config to add, where a model has no judge."""
    if not judges_of(config, model):
        sentence = NO_SIMULATOR if is_simulated(config, model) else NO_MODEL
        raise UserError(sentence.format(model=model))
