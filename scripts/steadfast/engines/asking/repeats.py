"""The same requests again and again: answers that differ are the engine's own noise."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product, zip_longest

from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response, grouped
from steadfast.engines.asking.journal import Journal
from steadfast.engines.base import Engine

COLD, WARM = "cold", "warm"
ENDS = {0.0: COLD, 1.0: WARM}
Passes = dict[tuple[int, str | int], dict[str, Response]]
"""Responses by request hash, for each repeat and what it is asked in: a state of the prefix cache,
alone, or a number of requests together."""


def states(hits: Sequence[float]) -> dict[str, float]:
    """Returns the states of the cache that are wanted, with the share of the prompt that it holds.

    >>> states([0, 0.5, 1])
    {'cold': 0, 'hit 0.5': 0.5, 'warm': 1}
    """
    return {ENDS.get(share, f"hit {share:g}"): share for share in hits}


def draw(requests: Sequence[Request], size: int, seed: str) -> list[Request]:
    """A sample of the requests that fit, by seed alone; neighbours differ in context."""
    unique = list({request.hash: request for request in requests if not request.overflow}.values())
    chosen = random.Random(seed).sample(range(len(unique)), min(size, len(unique)))
    rounds = zip_longest(*grouped(unique[place] for place in sorted(chosen)))
    return [request for turn in rounds for request in turn if request is not None]


def ask_repeatedly(
    engine: Engine,
    requests: Sequence[Request],
    repeats: int,
    journal: Journal,
    beside: Sequence[int] = (1,),
    seed: str = "",
    hits: Sequence[float] = tuple(ENDS),
) -> Passes:
    """Each request, ``repeats`` times in each state of the cache, and as often in company.

    Cold means that the prefix cache was emptied, or else that another prefix came before; warm,
    that the same was asked just before. For a share in ``hits`` between 0 and 1 the cache is
    emptied, and that share of the prompt is asked first, with one token of answer. Which hit there
    was, the responses say. For each number in ``beside`` above 1, the requests are asked in groups
    of about so many, which ``seed`` shuffles anew for each repeat; the cache is emptied before each
    group, where that can be.

    Raises:
        UserError: a request failed; what is answered stays in the journal. Groups that lack an
            answer are asked again as a whole: fewer together would be another company.
    """
    passes: Passes = {(n, state): {} for n in range(repeats) for state in (COLD, WARM)}
    for number in range(repeats):
        for request in requests:
            keys = [f"{request.hash}/{number}/{state}" for state in (COLD, WARM)]
            pair = [known for key in keys if (known := journal.get(key)) is not None]
            if len(pair) < len(keys):
                engine.reset_prefix_cache()
                pair = [_ask(engine, {key: request}, journal)[key] for key in keys]
            passes[number, COLD][request.hash], passes[number, WARM][request.hash] = pair
    for number, (state, share) in product(range(repeats), states(hits).items()):
        if share in ENDS:
            continue
        found = passes[number, state] = {}
        for request in requests:
            key = f"{request.hash}/{number}/{state}"
            if (answer := journal.get(key)) is None:
                engine.reset_prefix_cache()
                _ask_beginning(engine, request, share, f"{key}, before", journal)
                answer = _ask(engine, {key: request}, journal)[key]
            found[request.hash] = answer
    for among, number in product((size for size in beside if size > 1), range(repeats)):
        found = passes[number, among] = {}
        for group in companies(requests, among, f"{seed}/{number}"):
            named = {f"{request.hash}/{number}/among-{among}": request for request in group}
            answers = {key: kept for key in named if (kept := journal.get(key)) is not None}
            if len(answers) < len(named):
                engine.reset_prefix_cache()
                answers = _ask(engine, named, journal)
            found |= {named[key].hash: response for key, response in answers.items()}
    return passes


def companies(requests: Sequence[Request], among: int, seed: str) -> list[list[Request]]:
    """The requests in groups as equal as can be, of about ``among`` each, shuffled by the seed."""
    shuffled = random.Random(f"{seed}/among-{among}").sample(requests, len(requests))
    groups = max(1, round(len(requests) / among))
    return [shuffled[first::groups] for first in range(groups)]


def _ask_beginning(
    engine: Engine, request: Request, share: float, key: str, journal: Journal
) -> None:
    """Has a share of a prompt's characters computed; the reply is kept, but for the bill alone."""
    held = request.prompt[: round(share * len(request.prompt))]
    prefix = held[: len(request.prefix)]
    suffix = held[len(prefix) :]
    beginning = replace(request, prefix=prefix, suffix=suffix, max_tokens=1, hash=key)
    for _, response in engine.answer([[beginning]]):
        journal.append(key, response)


def _ask(engine: Engine, named: dict[str, Request], journal: Journal) -> dict[str, Response]:
    """The responses to requests that are asked together, by their keys in the journal."""
    keys = {request.hash: key for key, request in named.items()}
    found = {}
    # Each is a group of its own: of a longer one, engines ask the first alone, for the cache.
    for request, response in engine.answer([[request] for request in named.values()]):
        found[keys[request.hash]] = response
        journal.append(keys[request.hash], response)
    for key, response in found.items():
        if response.status == "error":
            raise UserError(
                f"noise: {named[key].sample_id} failed ({response.error}); what is answered is "
                "kept: run again to go on"
            )
    return found
