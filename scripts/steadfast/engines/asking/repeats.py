"""Sends the same requests repeatedly, to measure run-to-run variation (nondeterminism)."""

import random
from collections.abc import Sequence
from itertools import zip_longest

from steadfast.base.errors import UserError
from steadfast.contract.records import ALONE, TOGETHER
from steadfast.contract.request import Request, Response, grouped
from steadfast.engines.asking.journal import Journal
from steadfast.engines.base import Engine

# Responses by request hash, for each repeat and batch composition (alone or together).
Passes = dict[tuple[int, str], dict[str, Response]]


def draw(requests: Sequence[Request], size: int, seed: str) -> list[Request]:
    """A sample of the requests that fit, determined by the seed; neighbours differ in context."""
    unique = list({request.hash: request for request in requests if not request.overflow}.values())
    chosen = random.Random(seed).sample(range(len(unique)), min(size, len(unique)))
    by_context = grouped(unique[index] for index in sorted(chosen))
    sample: list[Request] = []
    for requests_in_turn in zip_longest(*by_context):  # one of each context, as long as it has any
        sample.extend(filter(None, requests_in_turn))
    return sample


def ask_repeatedly(
    engine: Engine, requests: Sequence[Request], repeats: int, journal: Journal, seed: str = ""
) -> Passes:
    """Sends each request ``repeats`` times alone, and as often together with all others.

    ``seed`` shuffles the order of requests sent together for each repeat, so that each one is
    computed in different batches.

    Raises:
        UserError: a request failed; responses so far stay in the journal. A pass together that
            lacks a response is sent again entirely: fewer requests would be another batch.
    """
    passes: Passes = {}
    for number in range(repeats):
        alone = passes[number, ALONE] = {}
        for request in requests:
            key = f"{request.hash}/{number}/{ALONE}"
            response = journal.get(key)
            alone[request.hash] = response or _send(engine, {key: request}, journal)[key]
        shuffled = random.Random(f"{seed}/{number}").sample(requests, len(requests))
        by_key = {f"{request.hash}/{number}/{TOGETHER}": request for request in shuffled}
        cached = {key: journal.get(key) for key in by_key}
        responses = _send(engine, by_key, journal) if None in cached.values() else cached
        together = passes[number, TOGETHER] = {}
        for key, response in responses.items():
            if response is not None:
                together[by_key[key].hash] = response
    return passes


def _send(engine: Engine, by_key: dict[str, Request], journal: Journal) -> dict[str, Response]:
    """The responses to requests that are sent together, by their keys in the journal."""
    keys = {request.hash: key for key, request in by_key.items()}
    responses = {}
    # One group for each request: of a longer group, engines send the first request alone.
    for request, response in engine.answer([[request] for request in by_key.values()]):
        responses[keys[request.hash]] = response
        journal.append(keys[request.hash], response)
    for key, response in responses.items():
        if response.status == "error":
            raise UserError(
                f"nondeterminism: request {by_key[key].sample_id} failed ({response.error}); "
                "responses so far are cached: run again to continue"
            )
    return responses
