"""Results in the shared schema of Every Eval Ever (evaleval/every_eval_ever), version 0.3.0.

A log holds a model's measures on one benchmark; its samples are the lines of a file beside it
(``evaluation_records``).
"""

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from steadfast import __version__
from steadfast.base.files import Record, Settings, canonical_json, read_text
from steadfast.base.resources import located
from steadfast.config.settings import answer_settings
from steadfast.contract.engine_names import BEHIND_APIS
from steadfast.contract.judge_template import template_path
from steadfast.contract.task import AnyBenchmark
from steadfast.contract.votes import MAJORITY, VOTERS
from steadfast.run.finished import FinishedRun
from steadfast.run.job import MODELS
from steadfast.schema.models import ModelSettings, ScoredModel
from steadfast.stats.intervals import LEVEL

SCHEMA_VERSION = "0.3.0"
UNKNOWN = "unknown"
PLACE = re.compile(r"[^A-Za-z0-9._-]")
"""What a folder's name in the data store may not hold."""


@dataclass(frozen=True)
class EvaluatedModel:
    """A model on a benchmark, the workflow's commit, and the record's seconds since 1970."""

    run: FinishedRun
    benchmark: str
    model: str
    commit: str | None
    seconds: int

    @property
    def how(self) -> ModelSettings:
        """Its settings."""
        return self.run.evaluation.config.models[self.model]

    @property
    def about(self) -> AnyBenchmark:
        """The benchmark."""
        return self.run.evaluation.benchmarks[self.benchmark]

    @property
    def model_id(self) -> str:
        """``developer/model``: a hub id; of other names the developer is unknown."""
        model = getattr(self.how, "model", None) or self.model
        return model if model.count("/") == 1 else f"{UNKNOWN}/{model.replace('/', '_')}"

    @property
    def engine_version(self) -> str:
        """The version of the engine's package, by the identity of the model's first answers."""
        for job, identity in self.run.identities(self.benchmark):
            if (job.role, job.model) == (MODELS, self.model):
                packages = identity["packages"]
                return str(packages.get(self.how.engine, packages.get("steadfast", UNKNOWN)))
        return UNKNOWN

    @cached_property
    def judges(self) -> dict[str, Settings]:
        """The settings of those that judged, the one that counts first."""
        if isinstance(self.how, ScoredModel):
            return {}
        evaluation = self.run.evaluation
        names = evaluation.judges_of(self.benchmark, self.model)
        return {name: answer_settings(evaluation.config.judges[name]) for name in names}

    @property
    def id(self) -> str:
        """The log's name among all."""
        return f"{self.benchmark}/{self.model_id}/{self.seconds}"

    @property
    def folder(self) -> str:
        """Where the log lies in the schema's data store."""
        developer, _, model = self.model_id.partition("/")
        return "/".join(["data", self.benchmark, *(PLACE.sub("_", n) for n in (developer, model))])

    def result_id(self, measure: str) -> str:
        """The name of a measure's result."""
        return f"{self.id}/{measure}"


def file_stem(made_of: str) -> str:
    """A UUID of version 4, as the schema names files, that follows from what the log is made of."""
    digest = hashlib.sha256(made_of.encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def log(
    of: EvaluatedModel,
    headline: Sequence[Record],
    statuses: Mapping[str, int],
    samples: Record | None,
) -> Record:
    """Returns a model's results on a benchmark; ``samples`` describes the file of samples."""
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": of.id,
        "retrieved_timestamp": str(of.seconds),
        "source_metadata": {
            "source_name": "steadfast",
            "source_type": "evaluation_run",
            "source_organization_name": UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": "steadfast",
            "version": __version__,
            "additional_details": {"commit": of.commit or UNKNOWN},
        },
        "model_info": _model_info(of.model, of.model_id, of.how.engine, of.engine_version),
        "evaluation_results": [
            _result(of, row, statuses)
            for row in headline
            if row["measure"] in of.about.measures and row["value"] is not None
        ],
        **({"detailed_evaluation_results": samples} if samples else {}),
    }


def _model_info(name: str, id: str, engine: str, version: str) -> Record:
    deployed = {"vllm": "self_deployed", **dict.fromkeys(BEHIND_APIS, "externally_managed")}
    return {
        "name": name,
        "id": id,
        "developer": id.partition("/")[0],
        "inference_engine": {"name": engine, "version": version},
        "additional_details": {
            "deployment_type": deployed.get(engine, UNKNOWN),
            "model_availability": UNKNOWN,
            "engine": engine,
        },
    }


def _result(of: EvaluatedModel, row: Record, statuses: Mapping[str, int]) -> Record:
    name = row["measure"]
    measure = of.about.measures[name]
    interval = {
        "lower": row["low"],
        "upper": row["high"],
        "confidence_level": LEVEL,
        "method": "see docs/metrics.md of steadfast",
    }
    known = row["low"] is not None and row["high"] is not None
    return {
        "evaluation_result_id": of.result_id(name),
        "evaluation_name": f"{of.about.title}: {name}",
        "source_data": {
            "dataset_name": of.about.title,
            "source_type": "other",
            "additional_details": {"asked": of.run.evaluation.tasks[of.benchmark].asked},
        },
        "metric_config": {
            "metric_id": f"{of.benchmark}.{name}",
            "metric_name": name,
            "evaluation_description": measure.text,
            "lower_is_better": measure.smaller,
            **({"llm_scoring": _judging(of)} if of.judges else {}),
        },
        "score_details": {
            "score": row["value"],
            "details": {
                "n": str(row["n"]),
                "expected": str(row["expected"]),
                **{f"samples_{status}": str(number) for status, number in statuses.items()},
            },
            **(
                {"uncertainty": {"confidence_interval": interval, "num_samples": int(row["n"])}}
                if known
                else {}
            ),
        },
        "generation_config": _generation(answer_settings(of.how)),
    }


def _judging(of: EvaluatedModel) -> Record:
    """The judges whose verdicts make the scores; what others say is no part of them."""
    templates = of.run.evaluation.templates(of.benchmark).items()
    files = {key: located(template_path(path, of.run.results)) for key, path in templates}
    asked = (f"=== {key} ===\n{read_text(file)}" for key, file in files.items())
    majority = of.run.evaluation.config.judging.count == MAJORITY and len(of.judges) >= VOTERS
    named = [
        (name, str(settings.get("model", name)), str(settings["engine"]))
        for name, settings in of.judges.items()
    ]
    return {
        "judges": [
            {"model_info": _model_info(name, f"{UNKNOWN}/{model}", engine, UNKNOWN)}
            for name, model, engine in (named if majority else named[:1])
        ],
        "input_prompt": "\n".join(asked),
    }


def _generation(settings: Settings) -> Record:
    known = {key: settings[key] for key in ("temperature", "top_p", "top_k") if key in settings}
    limit = settings.get("max_tokens")
    return {
        "generation_args": known | ({"max_tokens": limit} if isinstance(limit, int) else {}),
        "additional_details": {"settings": canonical_json(dict(settings))},
    }
