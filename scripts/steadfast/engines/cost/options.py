"""The cost of each pricing option of a provider (live, flex, batch), by its caching rules."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request
from steadfast.engines.cost.bill import cost

# Tokens of cached prefixes are a multiple of this (OpenAI).
STEP = 128
# With all cache hits by the provider's rule and the order of prompts, and with none.
COSTS = ("cost", "cost_uncached")
# The same, and the cost of all prompts with all hits, including cached responses.
SUMS = (*COSTS, "prompts_cost")


@dataclass(frozen=True)
class CacheRule:
    """The rule of a provider's prompt cache (``resources/engines/caches.yaml``)."""

    rule: str
    minimum: int  # tokens from which a prefix is cached

    def readings(
        self, requests: Sequence[Request], count: Callable[[str], int]
    ) -> Iterator[tuple[Request, int, int]]:
        """Yields each request with its prompt tokens read from, and written to, the cache."""
        sharing = Counter(request.group for request in requests)
        cached_prefixes = set()
        for request in requests:
            prefix = count(request.prefix)
            prompt = request.prompt_tokens or 0
            read = 0
            written = 0
            # whole: all of a prompt is written; mark: up to a breakpoint; prefix: read in steps
            if self.rule == "whole" and prompt >= self.minimum:
                written = prompt
            elif self.rule in ("mark", "prefix") and prefix >= self.minimum:
                if request.prefix in cached_prefixes:
                    read = prefix if self.rule == "mark" else prefix // STEP * STEP
                elif self.rule == "mark" and sharing[request.group] > 1:
                    written = prefix
                if written or self.rule == "prefix":
                    cached_prefixes.add(request.prefix)
            yield request, read, written


def host_of(address: str | None) -> str:
    """The host of a URL; empty without a valid one."""
    try:
        return urlsplit(address or "").hostname or ""
    except ValueError:
        return ""


def option_name(sending: Settings) -> str:
    """The pricing option that a model's keys select: live, flex or batch."""
    return "batch" if sending.get("batch") else sending.get("service_tier") or "live"


def cache_rule(answers: Settings, price: Settings, sending: Settings, option: str) -> CacheRule:
    """The caching rule for a model's prompts, by pricing option."""
    rules = facts("engines/caches.yaml")
    engine = answers["engine"]
    base = price["rates"][0]
    if engine == "openai" and (sending.get("cache") or base["written"] != base["input"]):
        engine = "openai exact"
    provider = (
        rules.get(host_of(sending.get("base_url"))) or rules.get(engine) or {"rule": "nothing"}
    )
    situations = {
        "marked": sending.get("cache"),
        "with_key": "prompt_cache_key" in (answers.get("extra_body") or {}),
        "batched": option == "batch",
    }
    rule = provider["rule"]
    for situation, applies in situations.items():
        if applies:
            rule = provider.get(situation, rule)
    model = str(answers.get("model", "")).rpartition("/")[2]
    for name, minimum in provider.get("least", {}).items():  # by the beginning of a model's name
        if model.startswith(name):
            return CacheRule(rule, minimum)
    return CacheRule("nothing", 0)


def option_records(
    requests: Sequence[Request],
    cached_hashes: Collection[str],
    count: Callable[[str], int],
    answers: Settings,
    price: Settings,
    sending: Settings,
) -> list[Record]:
    """The cost of each pricing option, the config's first, if responses use their output limits.

    Args:
        requests: to send (``request.distinct_requests``), with their prompt tokens.
        cached_hashes: hashes of requests whose responses are cached in the journal.
        count: counts a text's tokens.
        answers: the model's settings that determine responses.
        price: as ``schema.known_prices.rates`` gives it.
        sending: its keys of the way to the provider (``config.settings.SENT_BY``).

    Returns:
        For each option its name (``option``), whether it is the config's (``configured``), and
        ``SUMS``. Options without a price of their own are left out, except the config's.
    """
    configured = option_name(sending)
    options = [configured]
    for option, share in price["shares"].items():
        if option != configured and (option == "live" or share != 1):
            options.append(option)
    records = []
    for option in options:
        rule = cache_rule(answers, price, sending, option)
        sums = dict.fromkeys(SUMS, 0.0)
        for request, read, written in rule.readings(requests, count):
            prompt = request.prompt_tokens or 0
            # Without a hit, a prefix with a breakpoint is written again.
            rewritten = read if rule.rule == "mark" else 0
            sums["prompts_cost"] += cost(price, prompt, read, 0, written, option)
            if request.hash not in cached_hashes:
                output = request.max_tokens
                sums["cost"] += cost(price, prompt, read, output, written, option)
                uncached = cost(price, prompt, 0, output, written + rewritten, option)
                sums["cost_uncached"] += uncached
        records.append({"option": option, "configured": option == configured, **sums})
    return records
