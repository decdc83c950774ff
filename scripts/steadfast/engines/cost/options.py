"""What each pricing option of a provider would cost (live, flex, batch), by its cache's rules."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request
from steadfast.engines.cost.bill import TIERS, cost

STEP = 128
"""Tokens in steps of which a prefix is read (OpenAI)."""
COSTS = ("cost", "cost_uncached")
"""With all hits that the cache's rule and the order of prompts give, and with none."""
SUMS = (*COSTS, "prompts_cost")
"""The same, and what prompts alone cost with all hits, answered ones too."""


@dataclass(frozen=True)
class CacheRule:
    """What a provider's cache keeps of prompts: see ``resources/engines/caches.yaml``."""

    rule: str
    least: int

    def readings(
        self, requests: Sequence[Request], count: Callable[[str], int], template_tokens: int
    ) -> Iterator[tuple[Request, int, int, int]]:
        """Yields each request with the tokens of its prompt, and those that it reads and writes."""
        sharing = Counter(request.group for request in requests)
        kept = set()
        for request in requests:
            prefix, read, written = count(request.prefix), 0, 0
            prompt = request.prompt_tokens
            if prompt is None:
                prompt = prefix + count(request.suffix) + template_tokens
            if self.rule == "whole" and prompt >= self.least:
                written = prompt
            elif self.rule in ("mark", "prefix") and prefix >= self.least:
                if request.prefix in kept:
                    read = prefix if self.rule == "mark" else prefix // STEP * STEP
                elif self.rule == "mark" and sharing[request.group] > 1:
                    written = prefix
                if written or self.rule == "prefix":
                    kept.add(request.prefix)
            yield request, prompt, read, written


def host_of(address: str | None) -> str:
    """The host of an address; empty where there is none, or it is no address."""
    try:
        return urlsplit(address or "").hostname or ""
    except ValueError:
        return ""


def option_name(how: Settings) -> str:
    """The pricing option that a model's keys take: live, flex or batch."""
    return "batch" if how.get("batch") else how.get("service_tier") or "live"


def cache_rule(answers: Settings, price: Settings, how: Settings, tier: str | None) -> CacheRule:
    """The rule by which a model's prompts are kept, in batches or else live."""
    known, engine = facts("engines/caches.yaml"), answers["engine"]
    host = host_of(how.get("base_url"))
    exact = engine == "openai" and (price.get("written") is not None or how.get("cache"))
    of = known.get(host) or known.get("openai exact" if exact else engine, {"rule": "nothing"})
    rule = of["marked"] if how.get("cache") and "marked" in of else of["rule"]
    if "prompt_cache_key" in (answers.get("extra_body") or {}):
        rule = of.get("with_key", rule)
    if tier == "batch":
        rule = of.get("batched", rule)
    model = str(answers.get("model", "")).rpartition("/")[2]
    least = next((n for name, n in of.get("least", {}).items() if model.startswith(name)), None)
    return CacheRule("nothing" if least is None else rule, least or 0)


def once(requests: Iterable[Request]) -> list[Request]:
    """Those that are sent: all that fit, equal ones once."""
    return list({one.hash: one for one in requests if not one.overflow}.values())


def option_records(
    requests: Sequence[Request],
    known: Collection[str],
    count: Callable[[str], int],
    template_tokens: int,
    answers: Settings,
    price: Settings,
    how: Settings,
) -> list[Record]:
    """What each pricing option takes, that of the config first; answers take their whole limits.

    Args:
        requests: all that are sent (``once``).
        known: hashes of those that are answered.
        count: counts a text's tokens.
        template_tokens: that the model's template adds to each prompt.
        answers: the model's settings that determine responses.
        price: as ``schema.known_prices.rates`` gives it.
        how: its keys that say how a provider is asked (``config.settings.SENT_BY``).

    Returns:
        Of each option its name (``option``) and ``SUMS``. Options without a price of their own are
        left out, but for the config's.
    """
    configured = option_name(how)
    billed_by = configured if configured in TIERS else None
    tiers = [tier for tier in (None, *TIERS) if tier != billed_by]
    others = [tier for tier in tiers if tier is None or price.get(tier, 1) != 1]
    found = []
    for tier in (billed_by, *others):
        rule = cache_rule(answers, price, how, tier)
        sums = dict.fromkeys(SUMS, 0.0)
        for request, prompt, read, written in rule.readings(requests, count, template_tokens):
            # What a mark does not find is written anew.
            rewritten = read if rule.rule == "mark" else 0
            sums["prompts_cost"] += cost(price, prompt, read, 0, written, tier)
            if request.hash not in known:
                output = request.max_tokens
                sums["cost"] += cost(price, prompt, read, output, written, tier)
                uncached = cost(price, prompt, 0, output, written + rewritten, tier)
                sums["cost_uncached"] += uncached
        name = configured if tier == billed_by else tier or "live"
        found.append({"option": name, **sums})
    return found
