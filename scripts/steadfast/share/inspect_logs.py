"""A finished run as logs of Inspect: ``inspect view``, ``read_eval_log`` and ``samples_df``.

A log has the responses of a model to one part of a benchmark, with the fields of ``EvalLog`` of
inspect_ai (``log/_log.py``, version 2). The format repeats a context for each prompt: of a long one
only name, beginning and end are written.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from steadfast import __version__
from steadfast.base.files import Record, Settings, canonical_json, write_text
from steadfast.contract.components import Sample
from steadfast.contract.request import ANSWERED, repeat_key
from steadfast.jobs.finished import FinishedAnswer, FinishedPart, FinishedRun
from steadfast.schema.model_base import BaseModelSettings

SHOWN = 500  # characters at the beginning and at the end of a context that a log has
# Of every log, so that equal runs give equal bytes; Inspect requires a time.
CREATED = "1980-01-01T00:00:00+00:00"
STOP_REASONS = {"stop": "stop", "length": "max_tokens", "content_filter": "content_filter"}
# Inspect's names of providers, by engine.
PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "gemini": "google", "vllm": "vllm"}
# Name of the one score: what a response is worth, 0 to 1. Its mean is no measure of a paper's.
SCORE = "total"
# Inspect's names of the counts of tokens, and ours.
USAGE = {
    "input_tokens": "prompt_tokens",
    "output_tokens": "completion_tokens",
    "input_tokens_cache_read": "cached_tokens",
}


def write_logs(run: FinishedRun, folder: Path) -> list[Path]:
    """Writes a log for each model and part that has scores, and returns the files.

    Raises:
        UserError: the run has released scores, which have no prompts.
    """
    paths = []
    for benchmark in run.benchmarks:
        for part, model in product(run.parts(benchmark).values(), run.models(benchmark)):
            if part.scores_path(model).exists():
                log = eval_log(part, model)
                # Inspect takes a JSON file for a log where its name begins with a time.
                name = f"{CREATED[:19].replace(':', '-')}_{log['eval']['task_id']}.json"
                # Readers of headers stop at the samples, so that the order of keys counts.
                write_text(folder / name, json.dumps(log, ensure_ascii=False) + "\n")
                paths.append(folder / name)
    return paths


def eval_log(part: FinishedPart, model: str) -> Record:
    """Returns a model's responses to a part as an ``EvalLog``."""
    config = part.run.evaluation.config.models[model]
    task = f"{part.benchmark}-{part.name}"
    names = [sample.id for sample in part.samples]
    answers = list(part.answers(model, names))
    outputs = part.outputs(model)
    samples = []
    for number, answer in enumerate(answers):
        if answer.output:
            sample = part.samples[number // config.repeats]  # all repeats of one come together
            samples.append(eval_sample(part, sample, answer, outputs))
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": CREATED,
            "task": task,
            "task_id": f"{task}_{model}",
            "dataset": {"name": task, "samples": len(names), "sample_ids": names},
            "model": provider_model(config, model),
            "model_args": {"name": model, "engine": config.engine},
            "config": {"epochs": config.repeats},
            "packages": {"steadfast": __version__},
            "metadata": {"data": part.task.data_note},
        },
        "plan": {"name": "plan", "steps": []},
        "results": results(answers),
        "stats": {"started_at": CREATED, "completed_at": CREATED},
        "samples": samples,
    }


def results(answers: Sequence[FinishedAnswer]) -> Record:
    """Returns the mean over the scored responses; others are unscored, and not wrong."""
    totals = [answer.score["total"] for answer in answers if answer.score]
    scored = [total for total in totals if total is not None]
    score = {
        "name": SCORE,
        "scorer": "steadfast",
        "scored_samples": len(scored),
        "unscored_samples": len(answers) - len(scored),
        "metrics": {"mean": {"name": "mean", "value": fmean(scored)}} if scored else {},
    }
    completed = sum(answer.output is not None for answer in answers)
    return {"total_samples": len(answers), "completed_samples": completed, "scores": [score]}


def eval_sample(
    part: FinishedPart, sample: Sample[Any], answer: FinishedAnswer, outputs: Mapping[str, Settings]
) -> Record:
    """Returns one response as an ``EvalSample``; ``outputs`` has those of earlier turns."""
    output = outputs[repeat_key(sample.id, answer.repeat)]
    reply = _message("assistant", output["response"])
    if output["reasoning"]:
        reasoning = {"type": "reasoning", "reasoning": output["reasoning"]}
        reply["content"] = [reasoning, {"type": "text", "text": output["response"]}]
    conversation = messages(part, sample, answer.repeat, outputs)
    stop_reason = STOP_REASONS.get(output["finish_reason"], "unknown")
    scores = {}
    if answer.score and answer.score["total"] is not None:
        scores[SCORE] = {
            "value": answer.score["total"],
            "answer": output["response"],
            "explanation": canonical_json(answer.score["points"] or {}),
            "metadata": {name: answer.score[name] for name in ("extracted", "judge")},
        }
    record: Record = {
        "id": sample.id,
        "epoch": answer.repeat + 1,
        "input": conversation,
        "target": part.simulator.reference(sample),
        "messages": [*conversation, reply],
        "output": {
            "model": served_model(part.run.evaluation.config.models[answer.model], answer.model),
            "choices": [{"message": reply, "stop_reason": stop_reason}],
        },
        "scores": scores,
        "metadata": {
            "task": sample.prompt["task"],
            "context_id": sample.prompt["context_id"],
            "status": output["status"],
            "prompt_truncated_tokens": output["prompt_truncated_tokens"],
        },
    }
    usage = {name: output[count] for name, count in USAGE.items() if output[count] is not None}
    if usage:
        record["model_usage"] = {answer.model: usage}
    if output["status"] not in ANSWERED:
        message = output.get("error") or output["status"]
        record["error"] = {"message": message, "traceback": "", "traceback_ansi": ""}
    return record


def messages(
    part: FinishedPart, sample: Sample[Any], repeat: int, outputs: Mapping[str, Settings]
) -> list[Record]:
    """Returns the conversation up to a response, without the middle of a long context."""
    item = part.files.joined.item(sample)
    conversation = [_message("system", item.system)] if item.system else []
    for prompt, response in item.turns:
        conversation += [_message("user", prompt), _message("assistant", response)]
    for turn in sample.turns:
        if turn.before:
            earlier = outputs[repeat_key(turn.before.id, repeat)]
            conversation.append(_message("assistant", earlier["response"]))
        item = part.files.joined.item(turn)
        context = item.context
        if len(context) > 3 * SHOWN:
            left_out = f"[… {len(context) - 2 * SHOWN:,} characters of {item.context_id} …]"
            context = f"{context[:SHOWN]}\n\n{left_out}\n\n{context[-SHOWN:]}"
        conversation.append(_message("user", f"{item.head}{context}{item.tail}"))
    return conversation


def provider_model(config: BaseModelSettings, name: str) -> str:
    """Returns a real model as ``provider/model``, as Inspect does; a simulated one by its name."""
    provider = PROVIDERS.get(config.engine)
    # A finished run does not know its server's address, but OpenAI's models by their names.
    if provider == "openai" and not re.match(r"(chat)?gpt-|o\d", served_model(config, name)):
        provider = "openai-api"  # Inspect's name of other servers with that interface
    return f"{provider}/{served_model(config, name)}" if provider else name


def served_model(config: BaseModelSettings, name: str) -> str:
    """Returns a model's name at its server or hub; of a path to a checkpoint the last name."""
    served = str(getattr(config, "model", name))
    return Path(served).name if Path(served).is_absolute() else served


def _message(role: str, content: str) -> Record:
    return {"role": role, "content": content}
