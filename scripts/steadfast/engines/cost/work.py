"""What a file of prompts asks of a model, in numbers: quickly, and without its tokenizer."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.engines.cost.bill import BYTES_PER_TOKEN
from steadfast.engines.cost.roofline import Work


def asked_work(path: Path, context_tokens: int, answers: Settings) -> Work:
    """What a job asks, reckoned from its prompts; what a journal knows of it is not taken off.

    Args:
        path: prompts, or judge prompts.
        context_tokens: that the context of a prompt has, at most; of judge prompts it is counted.
        answers: the model's ``max_tokens``, ``reasoning``, ``draws`` and ``window``.

    Raises:
        FileNotFoundError: the prompts are not made yet.
        UserError: the file is damaged.
    """
    status = path.stat()
    context_tokens = min(context_tokens, answers.get("window") or context_tokens)
    return _work(_of_file(path, status.st_mtime_ns, status.st_size), context_tokens, answers)


def judging_work(prompts: Iterable[Record], answers: Settings) -> Work:
    """What a judge's job asks, reckoned from the records of its judge prompts."""
    return _work(_counted(prompts), 0, answers)


def _work(found: Record, context_tokens: int, answers: Settings) -> Work:
    limits = answers.get("max_tokens")
    thought = (answers.get("reasoning") or {}).get("tokens", 0)
    draws = answers.get("draws") or 1
    requests = sum(found["tasks"].values())
    if isinstance(limits, int):
        output = requests * limits
    else:
        own: Mapping[str, int] = limits or {}
        output = sum(
            own[task] * count if task in own else found["limits"][task]
            for task, count in found["tasks"].items()
        )
    shared = found["shared"] + found["unsized"] * context_tokens
    in_context = found["in_context"] + found["asked_unsized"] * context_tokens
    return Work(
        requests * draws,
        (in_context + found["instructions"]) * draws,
        shared + found["instructions"],
        (output + requests * thought) * draws,
        found["contexts"],
    )


@lru_cache(maxsize=4096)  # a load of a judge may have a job for each model, benchmark and part
def _of_file(path: Path, changed: int, size: int) -> Record:
    return _counted(read_jsonl(path))


def _counted(records: Iterable[Record]) -> Record:
    """Requests and limits by task; contexts and their tokens, once each and once a request.

    Contexts whose tokens do not stand in the file are counted as unsized.
    """
    tasks: dict[str, int] = {}
    limits: dict[str, int] = {}
    asked: dict[str, int] = {}
    contexts: dict[str, int] = {}
    instructions = 0
    for record in records:
        # A judge prompt has its context with it: the template's head and the answer.
        judged = "requests" in record
        name = str(record["answer_id" if judged else "context_id"])
        contexts[name] = _tokens(record["head"], record["answer"]) if judged else 0
        for one in record["requests"] if judged else [record]:
            task = str(one.get("task", ""))
            tasks[task] = tasks.get(task, 0) + 1
            limits[task] = limits.get(task, 0) + one["max_tokens"]
            asked[name] = asked.get(name, 0) + 1
            instructions += _tokens(one["tail" if judged else "instruction"])
    return {
        "tasks": tasks,
        "limits": limits,
        "contexts": len(contexts),
        "shared": sum(contexts.values()),
        "unsized": sum(not tokens for tokens in contexts.values()),
        "in_context": sum(asked[name] * tokens for name, tokens in contexts.items()),
        "asked_unsized": sum(asked[name] for name, tokens in contexts.items() if not tokens),
        "instructions": instructions,
    }


def _tokens(*texts: Any) -> int:
    return sum(len(str(text).encode("utf-8", "surrogatepass")) for text in texts) // BYTES_PER_TOKEN
