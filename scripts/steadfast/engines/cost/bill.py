"""What a model's answers have cost, by the journals that hold them, and what is about to."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.contract.request import ANSWERED, Request, Response
from steadfast.engines.api.body import count, text

BYTES_PER_TOKEN = 3
"""Of UTF-8, by a cautious estimate: English has about 4, Chinese about 3."""


TIERS = ("flex", "batch")
"""Ways to be billed that have a share of the price."""


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
        price: as ``schema.known_prices.rates`` gives it; ``cached`` and ``written`` are ``input``
            where they are None.
        prompt: all its tokens, of which so many were ``cached``, and others ``written`` to a cache.
        output: tokens of the answer, the reasoning's included.
        tier: one of ``TIERS``; None, and any other, is the plain price.
    """
    rates = _rates(price, prompt)
    whole = (
        (prompt - cached - written) * rates["input"]
        + cached * _rate(rates, "cached")
        + written * _rate(rates, "written")
        + output * rates["output"]
    )
    return float(whole / 1_000_000 * _share(price, tier))


def dearest(price: Settings, prompt: int, output: int, tier: str | None = None) -> float:
    """What a request of about so many tokens costs at most, however it is read and billed."""
    every = (price, *(price.get("above") or ()))
    most = max(
        prompt * max(_rate(rates, name) for name in ("input", "cached", "written"))
        + output * rates["output"]
        for rates in every
    )
    return float(most * _share(price, tier) / 1_000_000)


def counted_cost(price: Settings, record: Record) -> tuple[float, float] | None:
    """What a reply cost by its own counts, in all and for the answer; None: nothing is counted."""
    if not count(record.get("prompt_tokens")) or count(record.get("completion_tokens")) is None:
        return None
    prompt, cached, output, written, tier = _billed(record)
    whole = cost(price, prompt, cached, output, written, tier)
    return whole, whole - cost(price, prompt, cached, 0, written, tier)


def _rates(price: Settings, prompt: float) -> Settings:
    """The prices of prompts of so many tokens."""
    return next((of for of in reversed(price.get("above") or ()) if prompt > of["tokens"]), price)


def _rate(rates: Settings, name: str) -> float:
    found = rates.get(name)
    return float(rates["input"] if found is None else found)


def _share(price: Settings, tier: str | None) -> float:
    return float(price.get(tier) or 1) if tier in TIERS else 1.0


@dataclass(frozen=True, slots=True)
class Uncounted(Response):
    """A reply that its server did not count, with estimates for the bill."""

    prompt_estimate: int = 0
    completion_estimate: int = 0


@dataclass(frozen=True, slots=True)
class FailedAttempt(Response):
    """A reply that is no answer and is billed all the same; its request is sent again, or fails."""


def failed_attempt(reason: str, counts: Record | None) -> FailedAttempt | None:
    """What is kept of a reply that is no answer; None where it says nothing of what it took."""
    return None if counts is None else FailedAttempt("error", error=reason, **counts)


def estimated(request: Request, response: Response) -> Response:
    """The response, with estimates of the tokens that its server did not count."""
    answered = response.status in ANSWERED
    counted = response.prompt_tokens and (response.completion_tokens or not _said(response))
    if counted or not (answered or response.status == "refused"):
        return response
    cut = response.status == "length"
    said = request.max_tokens if cut else text_tokens(_said(response))
    return Uncounted(
        **asdict(response), prompt_estimate=prompt_tokens(request), completion_estimate=said
    )


def prompt_tokens(request: Request) -> int:
    """Tokens of a prompt: as they were counted, else by its length."""
    if request.prompt_tokens is not None:
        return request.prompt_tokens
    turns = (text for turn in request.turns for text in turn)
    return text_tokens("".join((*turns, request.prefix, request.suffix)))


def text_tokens(text: str) -> int:
    """Tokens of a text, by its length."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _said(response: Response) -> str:
    return response.text + (response.reasoning or "")


class CapReached(UserError):
    """No further request may be sent; those under way are paid for and worth waiting for."""


class Bill:
    """Adds up all journals of a model as they grow, and what this job has under way at its most."""

    def __init__(
        self, price: Settings, most: float, folders: Iterable[Path], tier: str | None = None
    ):
        self._price, self._most, self._folders, self._tier = price, most, tuple(folders), tier
        self._read: dict[Path, int] = {}
        self._spent = 0.0
        self._under_way: dict[str, float] = {}
        self._reserved = 0.0

    def spent(self) -> float:
        """The cost of every reply that stands in the journals now."""
        for path in sorted(path for folder in self._folders for path in folder.glob("*.jsonl")):
            offset = self._read.get(path, 0)
            if path.stat().st_size > offset:
                with open(path, "rb") as journal:
                    journal.seek(offset)
                    content = journal.read()
                whole = content[: content.rfind(b"\n") + 1]
                self._read[path] = offset + len(whole)
                self._spent += sum(map(self._of_line, whole.splitlines()))
        return self._spent

    @property
    def waiting(self) -> bool:
        """Whether anything is under way."""
        return bool(self._under_way)

    def reserve(self, request: Request, *, sent: bool = False) -> None:
        """Counts a request as under way, until ``settle``."""
        tokens, output = prompt_tokens(request), request.max_tokens
        most = dearest(self._price, tokens, output, self._tier)
        spent = self.spent()
        if not sent and spent + self._reserved + most > self._most:
            raise CapReached(
                f"max_spend of {self._most:g} USD is reached ({spent:.4g} USD by the "
                f"journals, up to {most:.4g} for the next request); what is answered is kept: "
                "raise max_spend and run again to go on"
            )
        self._under_way[request.hash] = most
        self._reserved += most

    def settle(self, request: Request) -> None:
        """What a request cost stands in the journal, if it was answered."""
        self._reserved -= self._under_way.pop(request.hash, 0.0)
        if not self._under_way:
            self._reserved = 0.0  # no rounding is carried on

    def _of_line(self, line: bytes) -> float:
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                return 0.0
            return cost(self._price, *_billed(record))
        except (ValueError, RecursionError):
            return 0.0  # a line torn by a crash, which its own job mends


def _billed(record: Record) -> tuple[int, int, int, int, str | None]:
    """What ``cost`` takes of a journal's line, its tokens counted or else estimated."""

    def tokens(*names: str) -> int:
        return next((known for name in names if (known := count(record.get(name)))), 0)

    prompt = tokens("prompt_tokens", "prompt_estimate")
    completion = tokens("completion_tokens", "completion_estimate")
    if not completion and record.get("status") in ANSWERED:
        completion = text_tokens(str(record.get("text") or "") + str(record.get("reasoning") or ""))
    cached = min(tokens("cached_tokens"), prompt)
    written = min(tokens("written_tokens"), prompt - cached)
    return prompt, cached, completion, written, text(record.get("tier"))
