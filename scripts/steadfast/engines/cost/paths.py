"""What each way to ask a provider would cost: live, flex, batch, with contexts marked or not."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request, shard
from steadfast.engines.cost.bill import cost

PATHS = "plan/paths.csv"
"""The plan's rows by path, in the folder of all results."""
FACTS = facts("engines/caches.yaml")
TOKENS = ("plain_tokens", "read_tokens", "written_tokens")
COSTS = ("cost_no_hits", "cost_by_order", "cost_expected", "cost_of_answers")
"""In all where the cache never has anything, where it has all that the order of prompts lets it,
and with as many of these hits as were reported; and what of each is for answers."""
SET = {"flex": "service_tier: flex", "batch": "batch: true"}
SUMS = ("requests", *TOKENS, *COSTS, *(f"whole_{name}" for name in COSTS))
"""Of what is still to be asked, and (``whole_``) of all."""


@dataclass(frozen=True)
class Path:
    """A way to ask.

    Attributes:
        rule: of the cache, as ``resources/engines/caches.yaml`` explains it.
        tier: by which it is billed (``bill.TIERS``); None: the plain price.
        keys: that the prompts of a context are spread over.
        hits: share expected of the hits that the order of prompts could bring.
        settings: of the model that take it, in words.
        taken: whether the config takes it.
        least: tokens of a prefix that is kept.
    """

    rule: str
    tier: str | None
    keys: int
    hits: float
    settings: str
    taken: bool
    least: int = FACTS["least"]

    @property
    def name(self) -> str:
        """What the plan calls it."""
        return (self.tier or "live") + (", marked" if self.rule == "mark" else "")


def paths_of(engine: str, price: Settings, how: Settings) -> list[Path]:
    """The paths that there are for a model, by its engine, its price and how it is asked."""
    written = engine == "openai" and price["written"] is not None
    kind = FACTS["engines"].get("openai with written" if written else engine, {})
    takes = "batch" if how["batch"] not in (None, False, "files") else how["service_tier"]
    keys, found = how["cache_keys"] or 1, []
    for tier in (None, *kind.get("tiers", ())):
        if tier and tier != takes and price[tier] == 1:
            continue
        for form in ("plain", "marked"):
            if form in kind:
                marked = form == "marked"
                expected = FACTS["expected"].get(kind[form], {})
                share = tier if tier == "batch" else "keyed" if how["cache_keys"] else "live"
                needs = [f"cache: {kind['lifetime']}"] if marked else []
                needs += [SET[tier]] if tier else []
                settings = f" ({', '.join(needs)})" if needs else ""
                taken = tier == takes and marked == bool(how["cache"])
                hits = expected.get(share, 0.0)
                least = kind.get("least", FACTS["least"])
                found.append(Path(kind[form], tier, keys, hits, settings, taken, least))
    return found


def path_record(
    path: Path,
    requests: Sequence[Request],
    known: Collection[str],
    count: Callable[[str], int],
    template_tokens: int,
    price: Settings,
) -> Record:
    """What a path takes, with the names of ``SUMS``; answers take their whole limits.

    Args:
        requests: all that fit, equal ones once.
        known: hashes of those that are answered.
        count: counts a text's tokens.
        template_tokens: that the model's template adds to each prompt.
    """

    def sums(chosen: Sequence[Request]) -> Counter[str]:
        found: Counter[str] = Counter(requests=len(chosen))
        for request, prompt, read, written in readings(path, chosen, count, template_tokens):
            again = read if path.rule == "mark" else 0  # what is not hit is written anew
            tokens, tier = request.max_tokens, path.tier
            order = cost(price, prompt, read, tokens, written, tier)
            no_hits = cost(price, prompt, 0, tokens, written + again, tier)
            answer = order - cost(price, prompt, read, 0, written, tier)
            values = prompt - read - written, read, written
            expected = path.hits * order + (1 - path.hits) * no_hits
            found.update(dict(zip(TOKENS, values, strict=True)))
            found.update(dict(zip(COSTS, (no_hits, order, expected, answer), strict=True)))
        return found

    ask = sums([request for request in requests if request.hash not in known])
    whole = sums(requests) if known else ask
    place = {
        "path": path.name,
        "tier": path.tier,
        "taken": path.taken,
        "settings": path.settings,
    }
    return {
        **place,
        **{name: ask[name] for name in ("requests", *TOKENS, *COSTS)},
        **{f"whole_{name}": whole[name] for name in COSTS},
    }


def readings(
    path: Path, requests: Sequence[Request], count: Callable[[str], int], template_tokens: int
) -> Iterator[tuple[Request, int, int, int]]:
    """Yields each request with the tokens of its prompt, and those that it reads and writes."""
    sharing = Counter(request.group for request in requests)
    sent = set()
    for request in requests:
        prefix, read, written = count(request.prefix), 0, 0
        prompt = request.prompt_tokens
        if prompt is None:
            prompt = prefix + count(request.suffix) + template_tokens
        if path.rule == "whole" and prompt >= path.least:
            written = prompt
        elif path.rule in ("mark", "prefix") and prefix >= path.least:
            place = request.prefix, shard(request.hash, path.keys)
            if place in sent:
                read = prefix if path.rule == "mark" else prefix // FACTS["step"] * FACTS["step"]
            elif path.rule == "mark":
                written = prefix if sharing[request.group] > 1 else 0
            if written or path.rule == "prefix":
                sent.add(place)
        yield request, prompt, read, written
