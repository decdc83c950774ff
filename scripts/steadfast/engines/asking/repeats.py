"""The same requests again and again: responses that differ are the engine's own variation."""

import random
from collections.abc import Sequence
from itertools import zip_longest

from steadfast.base.errors import UserError
from steadfast.contract.records import ALONE, TOGETHER
from steadfast.contract.request import Request, Response, grouped
from steadfast.engines.asking.journal import Journal
from steadfast.engines.base import Engine

Passes = dict[tuple[int, str], dict[str, Response]]
"""Responses by request hash, for each repeat and way."""


def draw(requests: Sequence[Request], size: int, seed: str) -> list[Request]:
    """A sample of the requests that fit, by seed alone; neighbours differ in context."""
    unique = list({request.hash: request for request in requests if not request.overflow}.values())
    chosen = random.Random(seed).sample(range(len(unique)), min(size, len(unique)))
    rounds = zip_longest(*grouped(unique[place] for place in sorted(chosen)))
    return [request for turn in rounds for request in turn if request is not None]


def ask_repeatedly(
    engine: Engine, requests: Sequence[Request], repeats: int, journal: Journal, seed: str = ""
) -> Passes:
    """Each request, ``repeats`` times alone and as often together with all others.

    ``seed`` shuffles those that are together anew for each repeat, so that each is computed in
    another batch.

    Raises:
        UserError: a request failed; what is answered stays in the journal. A pass together that
            lacks a response is sent again as a whole: fewer together would be another batch.
    """
    passes: Passes = {}
    for number in range(repeats):
        alone = passes[number, ALONE] = {}
        for request in requests:
            key = f"{request.hash}/{number}/{ALONE}"
            response = journal.get(key)
            alone[request.hash] = response or _ask(engine, {key: request}, journal)[key]
        shuffled = random.Random(f"{seed}/{number}").sample(requests, len(requests))
        named = {f"{request.hash}/{number}/{TOGETHER}": request for request in shuffled}
        kept = {key: journal.get(key) for key in named}
        if None in kept.values():
            kept = dict(_ask(engine, named, journal))
        passes[number, TOGETHER] = {
            named[key].hash: response for key, response in kept.items() if response is not None
        }
    return passes


def _ask(engine: Engine, named: dict[str, Request], journal: Journal) -> dict[str, Response]:
    """The responses to requests that are sent together, by their keys in the journal."""
    keys = {request.hash: key for key, request in named.items()}
    found = {}
    # Each is a group of its own: of a longer one, engines ask the first alone, for the cache.
    for request, response in engine.answer([[request] for request in named.values()]):
        found[keys[request.hash]] = response
        journal.append(keys[request.hash], response)
    for key, response in found.items():
        if response.status == "error":
            raise UserError(
                f"nondeterminism: {named[key].sample_id} failed ({response.error}); what is answered is "
                "kept: run again to go on"
            )
    return found
