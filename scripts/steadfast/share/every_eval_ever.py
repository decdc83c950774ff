"""Results in the shared schema of Every Eval Ever (evaleval/every_eval_ever), version 0.3.0.

A log holds a model's measures on one benchmark; its samples are the lines of a file beside it
(``evaluated_samples``).
"""

import hashlib
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steadfast import __version__
from steadfast.base.files import Record, Settings, canonical_json
from steadfast.contract.task import Measure
from steadfast.stats.intervals import LEVEL

SCHEMA_VERSION = "0.3.0"
UNKNOWN = "unknown"
PLACE = re.compile(r"[^A-Za-z0-9._-]")
"""What a folder's name in the data store may not hold."""


@dataclass(frozen=True)
class Evaluated:
    """A model and a benchmark.

    Attributes:
        benchmark: its name.
        title: its name in tables.
        asked: a sentence about the text that was asked; may be empty.
        model: its name in the config.
        model_id: ``developer/model``.
        engine: of the model, and its version, where it is known.
        settings: what determined the answers.
        commit: of the workflow, where it is known.
        seconds: since 1970, that stand for when the record was made.
        judges: names of those that judged, and their settings.
        judge_prompt: what they were asked, as templates.
    """

    benchmark: str
    title: str
    asked: str
    model: str
    model_id: str
    engine: str
    engine_version: str
    settings: Settings
    commit: str | None
    seconds: int
    judges: Mapping[str, Settings] = field(default_factory=dict)
    judge_prompt: str = ""

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
    of: Evaluated,
    measures: Mapping[str, Measure],
    headline: Sequence[Record],
    statuses: Mapping[str, int],
    samples: Record | None,
) -> Record:
    """A model's results on a benchmark.

    Args:
        of: whose on what.
        measures: the benchmark's, by name.
        headline: a row a measure: measure, value, low, high, n and expected.
        statuses: how many samples have each status.
        samples: of the file of samples: path, sha256 and number; None where there is none.
    """
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
        "model_info": _model_info(of.model, of.model_id, of.engine, of.engine_version),
        "evaluation_results": [
            _result(of, row, measures[row["measure"]], statuses)
            for row in headline
            if row["measure"] in measures and row["value"] is not None
        ],
        **({"detailed_evaluation_results": _detailed(samples)} if samples else {}),
    }


def _model_info(name: str, id: str, engine: str, version: str) -> Record:
    deployed = {"vllm": "self_deployed", "openai": "externally_managed"}
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


def _result(of: Evaluated, row: Record, measure: Measure, statuses: Mapping[str, int]) -> Record:
    name = row["measure"]
    interval = {
        "lower": row["low"],
        "upper": row["high"],
        "confidence_level": LEVEL,
        "method": "see docs/metrics.md of steadfast",
    }
    known = row["low"] is not None and row["high"] is not None
    return {
        "evaluation_result_id": of.result_id(name),
        "evaluation_name": f"{of.title}: {name}",
        "source_data": {
            "dataset_name": of.title,
            "source_type": "other",
            "additional_details": {"asked": of.asked},
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
        "generation_config": _generation(of.settings),
    }


def _judging(of: Evaluated) -> Record:
    """The judge that counts first; what the others say is no part of the score."""
    name, settings = next(iter(of.judges.items()))
    model = str(settings.get("model", name))
    engine = str(settings["engine"])
    return {
        "judges": [{"model_info": _model_info(name, f"{UNKNOWN}/{model}", engine, UNKNOWN)}],
        "input_prompt": of.judge_prompt,
    }


def _generation(settings: Settings) -> Record:
    known = {key: settings[key] for key in ("temperature", "top_p", "top_k") if key in settings}
    limit = settings.get("max_tokens")
    return {
        "generation_args": known | ({"max_tokens": limit} if isinstance(limit, int) else {}),
        "additional_details": {"settings": canonical_json(dict(settings))},
    }


def _detailed(samples: Record) -> Record:
    return {
        "format": "jsonl",
        "file_path": samples["path"],
        "hash_algorithm": "sha256",
        "checksum": samples["sha256"],
        "total_rows": samples["number"],
    }
