"""The price of tokens: as the config states it, or as the package ``genai-prices`` lists it."""

import re
from datetime import UTC, datetime, time
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.base.names import quoted
from steadfast.base.resources import facts

# The package's names of providers whose engine has another name.
NAMES = {"gemini": "google"}
UNITS = {"input": "input_mtok", "cached": "cache_read_mtok", "output": "output_mtok"}
# The package's prices of cache writes that depend on the cache's lifetime.
WRITES = {"1h": "cache_write_1h_mtok"}


def rates(model: Settings) -> Settings | None:
    """The price of a model's tokens; None where its settings have none.

    Returns:
        In ``rates`` the prices (USD per million) of ``input``, ``cached``, ``written`` and
        ``output`` tokens, for all prompts and then for those of more than so many ``tokens``;
        in ``shares`` what each pricing option costs as a share of these.

    Raises:
        ValueError: ``price`` is ``auto``, and the package does not list the model.
    """
    price = model.get("price")
    if price is None:
        return None
    engine = model["engine"]
    lifetime = model.get("cache")
    if price == "auto":
        units, price = _listed(model["model"], engine, model.get("base_url"), lifetime)
    else:
        rules = facts("engines/caches.yaml")
        rule = rules.get("openai exact" if engine == "openai" else engine, {})
        share = rule.get("written", {}).get(lifetime, 1)
        units = {name: price.get(name) for name in ("input", "cached", "output")}
        units["written"] = share * price["input"]
    # Each unit has a price, or one for all prompts and tiers of longer ones.
    starts = {0}
    for unit in units.values():
        starts.update(tier.start for tier in getattr(unit, "tiers", ()))
    table = []
    for start in sorted(starts):
        row: Record = {"tokens": start}
        for name, unit in units.items():
            row[name] = _price(units["input"] if unit is None else unit, start)
        table.append(row)
    shares = {"live": 1, "flex": price.get("flex", 1), "batch": price.get("batch", 1)}
    return {"rates": table, "shares": shares}


def _listed(
    model: str, provider: str, address: str | None, lifetime: str | None
) -> tuple[Record, Settings]:
    """The prices that the package lists for a model on its own release day, without network.

    Args:
        model: its name at the provider.
        provider: the engine's name, for the provider where there is no address.
        address: of the API.
        lifetime: how long the cache keeps a context, where the price of writes depends on it.

    Returns:
        The package's price of each unit (None: as input), and the provider's shares for flex and
        batch from ``resources/engines/shares.yaml``.

    Raises:
        ValueError: the package does not list the provider, the model or its prices.
    """
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    provider_name = None if address else NAMES.get(provider, provider)
    discounts = facts("engines/shares.yaml")
    try:
        listed_provider = snapshot.find_provider(None, provider_name, address)
        _, listed_model = snapshot.find_provider_model(model, listed_provider, None, None)
        # Of several prices the latest of that day; at midnight (UTC) none is for some hours alone.
        day = discounts["genai-prices"]["day"]
        prices = listed_model.get_prices(datetime.combine(day, time.min, UTC))
        if not (prices.input_mtok and prices.output_mtok):
            raise LookupError("it lists no price per token")
    except LookupError:
        raise ValueError(
            f"price: auto: the package genai-prices lists no price of {quoted(model)} at "
            f"{quoted(address or provider)}; write the price of a million tokens instead, such as "
            "{input: 2.5, output: 10}"
        ) from None
    units = {**UNITS, "written": WRITES.get(lifetime or "", "cache_write_mtok")}
    shares = dict(discounts.get(listed_provider.id, {}))
    if re.match(shares.pop("without_flex", "$"), model):  # by default no model
        del shares["flex"]
    return {name: getattr(prices, unit) or None for name, unit in units.items()}, shares


def _price(unit: Any, above: int) -> float:
    """The price of a unit in prompts with more tokens than ``above``."""
    price = getattr(unit, "base", unit)
    for tier in getattr(unit, "tiers", ()):
        if 0 < tier.start <= above:
            price = tier.price
    return float(price)
