"""The price of tokens: as the config states it, or as the package ``genai-prices`` lists it."""

import re
from datetime import date
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.base.names import shown
from steadfast.base.resources import facts

# The package's names of providers whose engine has another name.
NAMES = {"gemini": "google"}
UNITS = {"input": "input_mtok", "cached": "cache_read_mtok", "output": "output_mtok"}
# Prices of cache writes that depend on the cache's lifetime.
WRITES = {"1h": "cache_write_1h_mtok"}


def rates(model: Settings) -> Settings | None:
    """The price of a model's tokens in USD per million; None where its settings have none.

    Returns:
        ``input``, ``output``, ``cached``, ``written`` (None: as input), ``flex`` and ``batch``
        (shares of these), and in ``above`` the prices of prompts of more than so many ``tokens``.

    Raises:
        ValueError: ``price`` is ``auto``, and the package does not list the model.
    """
    price = model.get("price")
    lifetime = model.get("cache")
    if price is None:
        return None
    plain: Record = {"cached": None, "written": None, "flex": 1, "batch": 1, "above": []}
    if price == "auto":
        listed = known_price(model["model"], model["engine"], model.get("base_url"), lifetime)
        return {**plain, **listed}
    engine = model["engine"]
    rule = facts("engines/caches.yaml").get("openai exact" if engine == "openai" else engine, {})
    share = rule.get("written", {}).get(lifetime)
    return {**plain, "written": share and share * price["input"], **price}


def known_price(model: str, provider: str, address: str | None, lifetime: str | None) -> Settings:
    """The price that the package lists for a model on its own release day, without network.

    Args:
        model: its name at the provider.
        provider: the engine's name, for the provider where there is no address.
        address: of the API.
        lifetime: how long the cache keeps a context, where the price of writes depends on it.

    Returns:
        The fields of ``rates`` that it lists, and the provider's discounts for flex and batch
        from ``resources/engines/shares.yaml``.

    Raises:
        ValueError: the package does not list the provider, the model or its prices.
    """
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    try:
        listed_provider = snapshot.find_provider(
            None, None if address else NAMES.get(provider, provider), address
        )
        _, listed_model = snapshot.find_provider_model(model, listed_provider, None, None)
    except LookupError:
        where = shown(address or provider)
        raise ValueError(
            f"price: auto: the package genai-prices lists no price of {shown(model)} at {where}; "
            "write the price of a million tokens instead, such as {input: 2.5, output: 10}"
        ) from None
    discounts = facts("engines/shares.yaml")
    prices = _valid_prices(listed_model.prices, discounts["genai-prices"]["day"])
    names = {**UNITS, "written": WRITES.get(lifetime or "", "cache_write_mtok")}
    units = {key: getattr(prices, unit) for key, unit in names.items() if getattr(prices, unit)}
    if not {"input", "output"} <= units.keys():
        raise ValueError(
            f"price: auto: the package genai-prices lists no price per token of {shown(model)}; "
            "write the price of a million tokens instead, such as {input: 2.5, output: 10}"
        )
    # Prices by prompt length: each unit has tiers from a number of tokens on, or one price.
    starts: set[int] = set()
    for unit in units.values():
        starts.update(tier.start for tier in getattr(unit, "tiers", ()))
    above = [{"tokens": start, **_rates(units, start)} for start in sorted(starts)]
    shares = dict(discounts.get(listed_provider.id, {}))
    if re.match(shares.pop("without_flex", "$"), model):  # by default no model
        del shares["flex"]
    return {**_rates(units, 0), "above": above, **shares}


def _valid_prices(prices: Any, day: date) -> Any:
    """The latest of a model's prices valid on a day, without those for some hours of it."""
    if not isinstance(prices, list):
        return prices
    # Discounts at night have a start_time; later prices a start_date, in the order of time.
    all_day = [entry for entry in prices if not hasattr(entry.constraint, "start_time")]
    started = [entry for entry in all_day if getattr(entry.constraint, "start_date", day) <= day]
    return (started or all_day[:1])[-1].prices


def _rates(units: Settings, above: int) -> Settings:
    """The prices of prompts with more tokens than ``above``."""
    rates_by_unit = {}
    for key, unit in units.items():
        tiers = [tier.price for tier in getattr(unit, "tiers", ()) if tier.start <= above]
        price: Any = tiers[-1] if tiers and above else getattr(unit, "base", unit)
        rates_by_unit[key] = float(price)
    return rates_by_unit
