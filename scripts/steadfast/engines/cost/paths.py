"""What each way to ask a provider would cost: live, flex, batch, with contexts marked or not."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.request import Request
from steadfast.engines.cost.bill import cost

PATHS = "plan/paths.csv"
"""The plan's rows by path, in the folder of all results."""
FACTS = facts("engines/caches.yaml")
TOKENS = ("plain_tokens", "read_tokens", "written_tokens")
COSTS = ("cost_no_hits", "cost_by_order", "cost_expected", "cost_of_answers")
"""In all where the cache never has anything, where it has all that the order of prompts lets it,
and with as many of these hits as were reported; and what of each is for answers."""
LIVE = "cheapest_live"
"""The value of ``path`` that keeps batches out; the other is ``cheapest``."""
SUMS = ("requests", *TOKENS, *COSTS, *(f"whole_{name}" for name in COSTS))
"""Of what is still to be asked, and (``whole_``) of all."""


@dataclass(frozen=True)
class Path:
    """A way to ask.

    Attributes:
        rule: of the cache, as ``resources/engines/caches.yaml`` explains it.
        tier: by which it is billed (``bill.TIERS``); None: the plain price.
        hits: share expected of the hits that the order of prompts could bring.
        operation: keys of the model that take it.
        taken: whether the job takes it.
        least: tokens of a prefix that is kept.
        by_cost: whether that was decided by what the paths cost, and not by the config.
    """

    rule: str
    tier: str | None
    hits: float
    operation: Settings
    taken: bool
    least: int = FACTS["least"]
    by_cost: bool = False

    @property
    def name(self) -> str:
        """What the plan calls it."""
        return path_name(self.operation)

    @property
    def settings(self) -> str:
        """The keys that take it, in words; none where the defaults do."""
        needs = [f"{key}: {value}".lower() for key, value in self.operation.items() if value]
        return f" ({', '.join(needs)})" if needs else ""


def path_name(how: Settings) -> str:
    """What the path is called that a model's keys take."""
    batch = how.get("batch")
    tier = "files" if batch == "files" else "batch" if batch else how.get("service_tier")
    return (tier or "live") + (", marked" if how.get("cache") else "")


def paths_of(answers: Settings, price: Settings, how: Settings) -> list[Path]:
    """The paths that there are for a model, by its settings, its price and how it is asked."""
    engine = answers["engine"]
    batch = False if how.get("batch") == "files" else how.get("batch")
    written = engine == "openai" and price["written"] is not None
    kind = FACTS["engines"].get("openai with written" if written else engine, {})
    takes = "batch" if batch else how.get("service_tier")
    found = []
    for tier in (None, *kind.get("tiers", ())):
        if tier and tier != takes and price[tier] == 1:
            continue
        for form in ("plain", "marked"):
            marked = form == "marked"
            if form in kind and (not marked or answers.get("template") != "base"):
                expected = FACTS["expected"].get(kind[form], {})
                share = tier if tier == "batch" else "live"
                operation = {
                    "cache": kind["lifetime"] if marked else None,
                    "service_tier": tier if tier == "flex" else None,
                    "batch": (batch or True) if tier == "batch" else False,
                }
                taken = tier == takes and marked == bool(how.get("cache"))
                hits = expected.get(share, 0.0)
                least = kind.get("least", FACTS["least"])
                rule = kind.get("batched", kind[form]) if tier == "batch" else kind[form]
                found.append(Path(rule, tier, hits, operation, taken, least))
    return found


def chosen(
    paths: Sequence[Path],
    wanted: str,
    requests: Sequence[Request],
    count: Callable[[str], int],
    template_tokens: int,
    price: Settings,
) -> list[Path]:
    """The paths, of which that one is taken by which all requests are expected to cost least.

    Of equally cheap ones it is the first. ``wanted`` is the model's ``path``, the other arguments
    are those of ``path_record``.
    """

    def expected(path: Path) -> float:
        record = path_record(path, requests, (), count, template_tokens, price)
        return float(record["cost_expected"])

    able = [path for path in paths if path.tier != "batch" or wanted != LIVE]
    best = min(able, key=expected)
    return [replace(path, taken=path == best, by_cost=True) for path in paths]


def once(requests: Iterable[Request]) -> list[Request]:
    """Those that are sent: all that fit, equal ones once."""
    return list({one.hash: one for one in requests if not one.overflow}.values())


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
        requests: all that are sent (``once``).
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
            expected = no_hits - path.hits * (no_hits - order)
            found.update(dict(zip(TOKENS, values, strict=True)))
            found.update(dict(zip(COSTS, (no_hits, order, expected, answer), strict=True)))
        return found

    ask = sums([request for request in requests if request.hash not in known])
    whole = sums(requests) if known else ask
    return {
        "path": path.name,
        "tier": path.tier,
        "taken": path.taken,
        "settings": path.settings,
        "by_cost": path.by_cost,
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
            place = request.prefix
            if place in sent:
                read = prefix if path.rule == "mark" else prefix // FACTS["step"] * FACTS["step"]
            elif path.rule == "mark":
                written = prefix if sharing[request.group] > 1 else 0
            if written or path.rule == "prefix":
                sent.add(place)
        yield request, prompt, read, written
