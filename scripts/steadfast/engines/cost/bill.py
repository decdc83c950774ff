"""The cost of a model's responses, from its journals, and the spending limit (max_spend)."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.contract.request import ANSWERED, Request, Response
from steadfast.engines.api.body import count, text

# UTF-8 bytes per token, a cautious estimate: English has about 4, Chinese about 3.
BYTES_PER_TOKEN = 3


def cost(
    price: Settings,
    prompt: int,
    cached: int,
    output: int,
    written: int = 0,
    tier: str | None = None,
) -> float:
    """What one request costs, in USD.

    Args:
        price: as ``schema.known_prices.rates`` gives it.
        prompt: all prompt tokens, of which some were ``cached``, others ``written`` to a cache.
        output: tokens of the response, including reasoning.
        tier: of the bill; one without a share in ``price`` costs the standard price.
    """
    rates = price["rates"][0]
    for longer in price["rates"][1:]:
        if prompt > longer["tokens"]:
            rates = longer
    # Rates are USD per million tokens; ``prompt`` includes ``cached`` and ``written``.
    millionths = (
        (prompt - cached - written) * rates["input"]
        + cached * rates["cached"]
        + written * rates["written"]
        + output * rates["output"]
    )
    return float(millionths / 1_000_000 * price["shares"].get(tier, 1))


def highest_cost(price: Settings, prompt: int, output: int, tier: str | None = None) -> float:
    """The maximum cost of a request of about so many tokens, however it is cached and billed."""
    millionths = 0.0
    # The provider may count more tokens than estimated, and so use the rates of longer prompts.
    for rates in price["rates"]:
        highest = max(rates["input"], rates["cached"], rates["written"])
        millionths = max(millionths, prompt * highest + output * rates["output"])
    return float(millionths * price["shares"].get(tier, 1) / 1_000_000)


def counted_cost(price: Settings, record: Record) -> tuple[float, float] | None:
    """A reply's cost by its own counts, in total and for its output; None without counts."""
    if not count(record.get("prompt_tokens")) or count(record.get("completion_tokens")) is None:
        return None
    prompt, cached, output, written, tier = _billed(record)
    total = cost(price, prompt, cached, output, written, tier)
    return total, total - cost(price, prompt, cached, 0, written, tier)


@dataclass(frozen=True, slots=True)
class Uncounted(Response):
    """A reply without the server's token counts, with estimates for its cost."""

    prompt_estimate: int = 0
    completion_estimate: int = 0


@dataclass(frozen=True, slots=True)
class FailedAttempt(Response):
    """An incomplete reply that is billed nevertheless; its request is sent again, or fails."""


def failed_attempt(reason: str, counts: Record | None) -> FailedAttempt | None:
    """The record of an incomplete reply; None where it has no token counts."""
    return None if counts is None else FailedAttempt("error", error=reason, **counts)


def estimated(request: Request, response: Response) -> Response:
    """The response, with estimated token counts where the server has none."""
    answered = response.status in ANSWERED
    counted = response.prompt_tokens and (response.completion_tokens or not _output(response))
    if counted or not (answered or response.status == "refused"):
        return response
    # A truncated response has used its limit, whatever text is left of it.
    truncated = response.status == "length"
    output = request.max_tokens if truncated else text_tokens(_output(response))
    return Uncounted(
        **asdict(response), prompt_estimate=prompt_tokens(request), completion_estimate=output
    )


def prompt_tokens(request: Request) -> int:
    """Tokens of a prompt: as counted, else estimated from its length."""
    if request.prompt_tokens is not None:
        return request.prompt_tokens
    turns = chain.from_iterable(request.turns)
    return text_tokens("".join((request.system, *turns, request.prefix, request.suffix)))


def text_tokens(text: str) -> int:
    """Tokens of a text, estimated from its length."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _output(response: Response) -> str:
    return response.text + (response.reasoning or "")


class CapReached(UserError):
    """The spending limit is reached: no more requests; those in flight are paid, and awaited."""


class Bill:
    """Adds up the cost in a model's journals, and the maximum cost of this job's open requests."""

    def __init__(
        self, price: Settings, max_spend: float, folders: Iterable[Path], tier: str | None = None
    ):
        self._price = price
        self._limit = max_spend
        self._folders = tuple(folders)
        self._tier = tier
        self._read: dict[Path, int] = {}
        self._spent = 0.0
        self._reservations: dict[str, float] = {}
        self._reserved = 0.0

    def spent(self) -> float:
        """The cost of all replies in the journals at this time."""
        journals: list[Path] = []
        for folder in self._folders:
            journals += folder.glob("*.jsonl")
        for path in sorted(journals):
            offset = self._read.get(path, 0)
            if path.stat().st_size > offset:
                with open(path, "rb") as journal:
                    journal.seek(offset)
                    content = journal.read()
                lines = content[: content.rfind(b"\n") + 1]  # without one still being written
                self._read[path] = offset + len(lines)
                self._spent += sum(map(self._of_line, lines.splitlines()))
        return self._spent

    @property
    def waiting(self) -> bool:
        """Whether requests are in flight."""
        return bool(self._reservations)

    def reserve(self, request: Request, *, sent: bool = False) -> None:
        """Reserves the maximum cost of a request, until ``settle``."""
        tokens = prompt_tokens(request)
        highest_price = highest_cost(self._price, tokens, request.max_tokens, self._tier)
        spent = self.spent()
        # A request in a batch that an earlier run submitted is paid already.
        if not sent and spent + self._reserved + highest_price > self._limit:
            raise CapReached(
                f"max_spend of {self._limit:g} USD is reached ({spent:.4g} USD in the journals, up "
                f"to {highest_price:.4g} USD for the next request); responses so far are cached: "
                "raise max_spend and run again to continue"
            )
        self._reservations[request.hash] = highest_price
        self._reserved += highest_price

    def settle(self, request: Request) -> None:
        """Ends a reservation: the journal now has the actual cost."""
        self._reserved -= self._reservations.pop(request.hash, 0.0)
        if not self._reservations:
            self._reserved = 0.0  # without accumulated rounding errors

    def _of_line(self, line: bytes) -> float:
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                return 0.0
            return cost(self._price, *_billed(record))
        except (ValueError, RecursionError):
            return 0.0  # a line left incomplete by a crash, which its own job removes


def _billed(record: Record) -> tuple[int, int, int, int, str | None]:
    """The arguments of ``cost`` from a journal's line, with tokens counted or else estimated."""

    def tokens(*names: str) -> int:
        return next(filter(None, (count(record.get(name)) for name in names)), 0)

    prompt = tokens("prompt_tokens", "prompt_estimate")
    completion = tokens("completion_tokens", "completion_estimate")
    if not completion and record.get("status") in ANSWERED:
        completion = text_tokens(str(record.get("text") or "") + str(record.get("reasoning") or ""))
    cached = min(tokens("cached_tokens"), prompt)
    written = min(tokens("written_tokens"), prompt - cached)
    return prompt, cached, completion, written, text(record.get("tier"))
