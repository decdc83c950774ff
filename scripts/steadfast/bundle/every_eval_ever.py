"""Results in the shared schema of Every Eval Ever (evaleval/every_eval_ever), version 0.3.0.

A log holds a model's measures on one benchmark; a line beside it, one sample that has a score. A
sample without one is in no line, since the schema wants a number there: the log counts them.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from steadfast import __version__
from steadfast.benchmark import Measure
from steadfast.components import Sample
from steadfast.engines.request import Item
from steadfast.files import Record, Settings, canonical_json
from steadfast.metrics.intervals import LEVEL, NOTHING

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


@dataclass(frozen=True)
class Answered:
    """A sample with a score.

    Attributes:
        sample: that was asked.
        item: what the model was asked.
        reference: a right answer; None where a judge scores, and many are right.
        score: its score's record.
        outputs: the records of its answer, and before it of those to the turns before.
        context_folder: of the bundle, where its context is, which is not in the prompt here.
    """

    sample: Sample
    item: Item
    reference: str | None
    score: Record
    outputs: Sequence[Record]
    context_folder: str


def line(of: Evaluated, one: Answered, measure: str, method: str) -> Record:
    """A sample of a log.

    Args:
        of: the log's.
        one: the sample.
        measure: that the log counts it for.
        method: what scored it.
    """
    raw, output = _without_context(one), one.outputs[-1]
    reference = [] if one.reference is None else [one.reference]
    turns = list(_turns(one.sample))
    several = len(turns) > 1
    said: Record = (
        {"messages": list(_messages(turns, one.outputs)), "output": None}
        if several
        else {"output": _output(output), "messages": None}
    )
    last = 2 * len(turns) - 1 if several else 0
    total = float(one.score["total"])
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": of.id,
        "model_id": of.model_id,
        "evaluation_name": f"{of.title}: {measure}",
        "evaluation_result_id": of.result_id(measure),
        "sample_id": one.sample.id,
        "sample_hash": _hash({"raw": raw, "reference": reference}),
        "interaction_type": "multi_turn" if several else "single_turn",
        "input": {"raw": raw, "reference": reference},
        **said,
        "answer_attribution": [
            {
                "turn_idx": last,
                "source": f"messages[{last}].content" if several else "output.raw",
                "extracted_value": canonical_json(one.score["extracted"]),
                "extraction_method": method,
                "is_terminal": True,
            }
        ],
        "evaluation": {
            "score": total,
            "is_correct": total >= 1 - NOTHING,
            **({"num_turns": len(turns)} if several else {}),
        },
        **_usage(output),
        "metadata": _metadata(one),
    }


def _without_context(one: Answered) -> str:
    """The prompt; in place of a long context that many prompts share, where to find it."""
    item = one.item
    context = f"[{item.context_id} of {one.context_folder}]" if item.context else ""
    return item.head + context + item.tail


def _turns(sample: Sample) -> Iterator[str]:
    if sample.before:
        yield from _turns(sample.before)
    yield sample.prompt["instruction"]


def _messages(turns: Sequence[str], outputs: Sequence[Record]) -> Iterator[Record]:
    for place, (instruction, output) in enumerate(zip(turns, outputs, strict=True)):
        yield {"turn_idx": 2 * place, "role": "user", "content": instruction}
        answer = {"turn_idx": 2 * place + 1, "role": "assistant", "content": output["text"]}
        thought = output["thought"]
        yield answer | ({"reasoning_trace": thought} if thought is not None else {})


def _output(output: Record) -> Record:
    thought = output["thought"]
    return {"raw": [output["text"]], **({"reasoning_trace": [thought]} if thought else {})}


def _usage(output: Record) -> Record:
    prompt, completion = output["prompt_tokens"], output["completion_tokens"]
    if prompt is None or completion is None:
        return {}
    usage = {
        "input_tokens": prompt,
        "output_tokens": completion,
        "total_tokens": prompt + completion,
    }
    further = {"input_tokens_cache_read": "cached_tokens", "reasoning_tokens": "thought_tokens"}
    usage |= {name: output[of] for name, of in further.items() if output[of] is not None}
    return {"token_usage": usage}


def _metadata(one: Answered) -> Record:
    """Task, status and points; and the whole prompt's sha256, with its context."""
    item, points = one.item, one.score["points"] or {}
    whole = item.head + item.context + item.tail
    return {
        "task": str(one.score["task"]),
        "part": one.sample.part,
        "status": str(one.score["status"]),
        "points": canonical_json(points),
        "prompt_sha256": hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _hash(content: Record) -> str:
    """As the schema's own converters give it."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
