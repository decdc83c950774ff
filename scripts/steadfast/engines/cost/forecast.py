"""Estimates the tokens of a part from its requests, without sending any."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from operator import eq
from pathlib import Path
from types import MappingProxyType
from typing import Any

from steadfast.base.files import Record, Settings, read_jsonl
from steadfast.contract.request import FAMILY_PREFIX, Request
from steadfast.engines.base import TokenCounter
from steadfast.engines.cost.bill import BYTES_PER_TOKEN

COUNTS = (
    "requests", "cached", "remaining", "prompt_tokens", "distinct_tokens", "output_budget",
    "prompt_truncated", "unfit",
)  # fmt: skip
# What happens to a prompt that does not fit, with on_overflow: skip.
LEFT_OUT = "left out"


@dataclass(frozen=True)
class Work:
    """The work of requests for a model."""

    requests: int
    prompt: int  # prompt tokens of all requests
    distinct: int  # prompt tokens when prompts share their prefixes
    output: int  # output tokens of all responses

    @classmethod
    def sum(cls, works: Iterable["Work"]) -> "Work":
        """The work of several jobs, or of several repeats."""
        columns = zip(*map(astuple, works), strict=True)
        return cls(*map(sum, columns))


class CachedTokenizer:
    """A tokenizer that caches counts, since the models of a part share their prompts."""

    def __init__(self, tokenizer: TokenCounter):
        self.encode = tokenizer.encode
        self.decode = tokenizer.decode
        self.count = cache(tokenizer.count)


def plan_part(
    requests: Sequence[Request],
    known: Collection[str],
    tokenizer: TokenCounter,
    template_tokens: int = 0,
    computed: dict[str, int] | None = None,
) -> Record:
    """Counts of a part (``COUNTS``), where equal requests are sent and computed once.

    ``remaining_work`` is the ``Work`` of requests that are not cached, if responses use their
    output limits.

    Args:
        computed: prefixes that the same load computes for other parts, with their tokens; those of
            this part are added. A context that begins with one of them adds only the rest.
    """
    computed = {} if computed is None else computed
    fitting = [request for request in requests if not request.overflow]
    sent = {request.hash: request for request in fitting}

    def prompt_tokens(chosen: Iterable[Request]) -> int:
        total = 0
        for request in chosen:
            tokens = request.prompt_tokens
            if tokens is None:
                tokens = tokenizer.count(request.prefix) + tokenizer.count(request.suffix)
                tokens += template_tokens
            total += tokens
        return total

    def work(chosen: Collection[Request]) -> Work:
        return Work(
            requests=len(chosen),
            prompt=prompt_tokens(chosen),
            distinct=distinct_tokens(chosen, tokenizer, template_tokens, computed),
            output=sum(request.max_tokens for request in chosen),
        )

    remaining = work([request for name, request in sent.items() if name not in known])
    distinct = remaining.distinct
    if known:  # else all requests remain, and counting them again would take as long
        distinct = distinct_tokens(sent.values(), tokenizer, template_tokens, computed)
    for request in sent.values():
        if len(request.prefix) >= FAMILY_PREFIX and request.hash not in known:
            computed[request.prefix] = tokenizer.count(request.prefix)
    return {
        "requests": len(requests),
        "cached": sum(request.hash in known for request in fitting),
        "remaining": remaining.requests,
        "prompt_tokens": prompt_tokens(fitting),
        "distinct_tokens": distinct,
        "output_budget": sum(request.max_tokens for request in fitting),
        "prompt_truncated": sum(request.prompt_truncated_tokens > 0 for request in fitting),
        "unfit": len(requests) - len(fitting),
        "remaining_work": remaining,
    }


def distinct_tokens(
    requests: Iterable[Request],
    tokenizer: TokenCounter,
    template_tokens: int = 0,
    computed: Mapping[str, int] = MappingProxyType({}),
) -> int:
    """Prompt tokens when prompts share their common prefixes, and those computed for others."""
    longest: dict[tuple[str, str], int] = {}
    beginnings: dict[str, int] = {}
    suffixes: dict[tuple[tuple[str, str], str], set[str]] = defaultdict(set)
    for request in requests:
        prefix = request.prefix
        if prefix not in beginnings:
            shared = [computed[other] for other in computed if prefix.startswith(other)]
            beginnings[prefix] = max(shared, default=0)
        # The group's contexts are truncated from the right: the longest contains the others.
        tokens = tokenizer.count(prefix) - beginnings[prefix]
        longest[request.group] = max(tokens, longest.get(request.group, 0))
        suffixes[request.group, request.prefix].add(request.suffix)
    total = sum(longest.values())
    for texts in suffixes.values():
        total += shared_tokens(map(tokenizer.encode, texts)) + template_tokens * len(texts)
    return total


def shared_tokens(sequences: Iterable[list[int]]) -> int:
    """The number of nodes in the prefix tree of token sequences."""
    nodes = 0
    # Of all before it in sorted order, a sequence shares its longest prefix with the last.
    for before, sequence in pairwise([[], *sorted(sequences)]):
        shared = sum(takewhile(bool, map(eq, before, sequence)))
        nodes += len(sequence) - shared
    return nodes


def misfits(requests: Iterable[Request], on_overflow: str) -> Iterable[tuple[str, str, int, int]]:
    """Prompts that are truncated or do not fit: sample, outcome, prompt tokens, tokens removed."""
    overflow = "stops the job" if on_overflow == "error" else LEFT_OUT
    for request in requests:
        removed = request.prompt_truncated_tokens
        if request.overflow:
            yield request.sample_id, overflow, request.prompt_tokens or 0, 0
        elif removed:
            yield request.sample_id, "prompt_truncated", request.prompt_tokens or 0, removed


def evaluation_work(path: Path, context_tokens: int, answers: Settings) -> Work:
    """The work of a job, estimated from its prompts, including responses in the journal."""
    status = path.stat()
    context_tokens = min(context_tokens, answers.get("window") or context_tokens)
    return _work(_of_file(path, status.st_mtime_ns, status.st_size), context_tokens, answers)


def judging_work(prompts: Iterable[Record], answers: Settings) -> Work:
    """The work of a judge's job, estimated from the records of its judge prompts."""
    return _work(_counted(prompts), 0, answers)


def _work(counts: Record, context_tokens: int, answers: Settings) -> Work:
    limits = answers.get("max_tokens")
    reasoning = (answers.get("reasoning") or {}).get("tokens", 0)
    repeats = answers.get("repeats") or 1
    requests = sum(counts["tasks"].values())
    if isinstance(limits, int):
        output = requests * limits
    else:
        by_task: Mapping[str, int] = limits or {}
        output = 0
        for task, count in counts["tasks"].items():
            output += by_task[task] * count if task in by_task else counts["limits"][task]
    # Evaluation prompts name their context without its text: the config states its length.
    shared = counts["shared"] + counts["unsized"] * context_tokens
    in_context = counts["in_context"] + counts["requests_unsized"] * context_tokens
    return Work(
        requests * repeats,
        (in_context + counts["instructions"]) * repeats,
        shared + counts["instructions"],
        (output + requests * reasoning) * repeats,
    )


@lru_cache(maxsize=4096)  # a load of a judge may have a job for each model, benchmark and part
def _of_file(path: Path, changed: int, size: int) -> Record:
    return _counted(read_jsonl(path))


def _counted(records: Iterable[Record]) -> Record:
    """Requests and output limits by task; tokens of contexts, once each and for each request."""
    tasks = Counter[str]()
    limits = Counter[str]()
    contexts = Counter[str]()  # tokens of each; 0: unknown
    requests = Counter[str]()  # of each context
    instructions = 0
    for record in records:
        # The context of a judge prompt is the template's head and the response.
        judged = "requests" in record
        name = str(record["answer_id" if judged else "context_id"])
        contexts[name] = _tokens(record["head"], record["answer"]) if judged else 0
        for request in record["requests"] if judged else [record]:
            task = str(request.get("task", ""))
            tasks[task] += 1
            limits[task] += request["max_tokens"]
            requests[name] += 1
            instructions += _tokens(request["tail" if judged else "instruction"])
    return {
        "tasks": tasks,
        "limits": limits,
        "shared": sum(contexts.values()),
        "unsized": sum(not tokens for tokens in contexts.values()),
        "in_context": sum(requests[name] * tokens for name, tokens in contexts.items()),
        "requests_unsized": sum(requests[name] for name, tokens in contexts.items() if not tokens),
        "instructions": instructions,
    }


def _tokens(*texts: Any) -> int:
    return sum(len(str(text).encode("utf-8", "surrogatepass")) for text in texts) // BYTES_PER_TOKEN
