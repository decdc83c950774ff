"""The same requests again and again: answers that differ are the engine's own noise."""

import random
from collections.abc import Sequence
from itertools import zip_longest

from steadfast.base.errors import UserError
from steadfast.contract.request import Request, Response, grouped
from steadfast.engines.asking.journal import Journal
from steadfast.engines.base import Engine

COLD, WARM = "cold", "warm"
Passes = dict[tuple[int, str], dict[str, Response]]
"""Responses by request hash, for each repeat and state of the prefix cache."""


def draw(requests: Sequence[Request], size: int, seed: str) -> list[Request]:
    """A sample of the requests that fit, by seed alone; neighbours differ in context."""
    unique = list({request.hash: request for request in requests if not request.overflow}.values())
    chosen = random.Random(seed).sample(range(len(unique)), min(size, len(unique)))
    rounds = zip_longest(*grouped(unique[place] for place in sorted(chosen)))
    return [request for turn in rounds for request in turn if request is not None]


def ask_repeatedly(
    engine: Engine, requests: Sequence[Request], repeats: int, journal: Journal
) -> Passes:
    """Each request, ``repeats`` times cold and at once again warm.

    Cold means that the prefix cache was emptied, or else that another prefix came before.
    """
    passes: Passes = {(n, state): {} for n in range(repeats) for state in (COLD, WARM)}
    for number in range(repeats):
        for request in requests:
            keys = [f"{request.hash}/{number}/{state}" for state in (COLD, WARM)]
            pair = [known for key in keys if (known := journal.get(key)) is not None]
            if len(pair) < len(keys):
                engine.reset_prefix_cache()
                pair = [_ask(engine, request, key, journal) for key in keys]
            passes[number, COLD][request.hash], passes[number, WARM][request.hash] = pair
    return passes


def _ask(engine: Engine, request: Request, key: str, journal: Journal) -> Response:
    ((_, response),) = engine.answer([[request]])
    journal.append(key, response)
    if response.status == "error":
        raise UserError(
            f"noise: {request.sample_id} failed ({response.error}); what is answered is kept: run "
            "again to go on"
        )
    return response
