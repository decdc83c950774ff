"""Sends the same requests repeatedly, to measure run-to-run variation (nondeterminism)."""

import random
from collections.abc import Sequence
from itertools import zip_longest

from steadfast.base.errors import UserError
from steadfast.contract.records import ALONE, TOGETHER
from steadfast.contract.request import Request, Response, distinct_requests, grouped
from steadfast.engines.base import Engine
from steadfast.engines.sending.journal import Journal

# Responses by request hash, for each repeat and batch composition (alone or together).
Passes = dict[tuple[int, str], dict[str, Response]]


def sample_requests(requests: Sequence[Request], size: int, seed: str) -> list[Request]:
    """A sample of the requests that fit, determined by the seed; neighbours differ in context."""
    unique = distinct_requests(requests)
    chosen = random.Random(seed).sample(range(len(unique)), min(size, len(unique)))
    by_context = grouped(unique[index] for index in sorted(chosen))
    sample: list[Request] = []
    for requests_in_turn in zip_longest(*by_context):  # one of each context, as long as it has any
        sample.extend(filter(None, requests_in_turn))
    return sample


def send_repeatedly(
    engine: Engine, requests: Sequence[Request], repeats: int, journal: Journal, seed: str = ""
) -> Passes:
    """Sends each request ``repeats`` times alone, and as often together with all others.

    ``seed`` shuffles the order of requests sent together for each repeat, so that each one is
    computed in different batches.

    Raises:
        UserError: a request failed; responses so far stay in the journal.
    """
    passes: Passes = {}
    for number in range(repeats):
        shuffled = random.Random(f"{seed}/{number}").sample(requests, len(requests))
        batches = {ALONE: [[request] for request in requests], TOGETHER: [shuffled]}
        for way, batches_of_way in batches.items():
            responses = passes[number, way] = {}
            for batch in batches_of_way:
                responses |= _responses(engine, batch, f"/{number}/{way}", journal)
    return passes


def _responses(
    engine: Engine, batch: Sequence[Request], suffix: str, journal: Journal
) -> dict[str, Response]:
    """The responses to requests that are sent together; ``suffix`` ends their journal's keys."""
    responses: dict[str, Response] = {}
    for request in batch:
        if cached := journal.get(request.hash + suffix):
            responses[request.hash] = cached
    # If one is missing, all are sent again: fewer requests would be another batch.
    if len(responses) < len(batch):
        # One group for each request: of a longer group, engines send the first request alone.
        for request, response in engine.answer([[request] for request in batch]):
            responses[request.hash] = response
            journal.append(request.hash + suffix, response)
    for request in batch:
        response = responses[request.hash]
        if response.status == "error":
            raise UserError(
                f"nondeterminism: request {request.sample_id} failed ({response.error}); "
                "responses so far are cached: run again to continue"
            )
    return responses
