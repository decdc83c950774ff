"""What tokens cost: as the config states it, or as the package ``genai-prices`` knows it."""

import re
from datetime import date
from typing import Any

from steadfast.base.files import Record, Settings
from steadfast.base.names import shown
from steadfast.base.resources import facts

NAMES = {"gemini": "google"}
"""How the package calls providers that the engines call otherwise."""
UNITS = {"input": "input_mtok", "cached": "cache_read_mtok", "output": "output_mtok"}
WRITES = {"1h": "cache_write_1h_mtok"}
"""By how long a cache keeps what is written, where that has a price of its own."""


def rates(model: Settings) -> Settings | None:
    """What a model's tokens cost in USD per million, by its settings; None where nothing is said.

    Returns:
        ``input``, ``output``, ``cached``, ``written`` (None: as input), ``flex`` and ``batch``
        (shares of these), and in ``above`` the prices of prompts of more than so many ``tokens``.

    Raises:
        ValueError: ``price`` is ``auto``, and the package does not know the model.
    """
    price, lifetime = model.get("price"), model.get("cache")
    if price is None:
        return None
    plain: Record = {"cached": None, "written": None, "flex": 1, "batch": 1, "above": []}
    if price == "auto":
        known = known_price(model["model"], model["engine"], model.get("base_url"), lifetime)
        return {**plain, **known}
    engine = model["engine"]
    rule = facts("engines/caches.yaml").get("openai exact" if engine == "openai" else engine, {})
    share = rule.get("written", {}).get(lifetime)
    return {**plain, "written": share and share * price["input"], **price}


def known_price(model: str, provider: str, address: str | None, lifetime: str | None) -> Settings:
    """The price of a model that the package has for the day of its version; nothing is fetched.

    Args:
        model: its name at the provider.
        provider: whose it is where there is no address: the name of an engine.
        address: of the API.
        lifetime: how long a cache keeps a context, where writing costs by that.

    Returns:
        What of ``rates`` it knows, with the shares of flex and batches that
        ``resources/engines/shares.yaml`` has of the provider.

    Raises:
        ValueError: the package does not know the provider, the model or its prices.
    """
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    try:
        of = snapshot.find_provider(
            None, None if address else NAMES.get(provider, provider), address
        )
        _, found = snapshot.find_provider_model(model, of, None, None)
    except LookupError:
        where = shown(address or provider)
        raise ValueError(
            f"price: genai-prices knows no price of {shown(model)} at {where}; "
            "in place of auto write what a million tokens cost, as in {input: 2.5, output: 10}"
        ) from None
    known = facts("engines/shares.yaml")
    prices = _held(found.prices, known["genai-prices"]["day"])
    names = {**UNITS, "written": WRITES.get(lifetime or "", "cache_write_mtok")}
    units = {key: getattr(prices, unit) for key, unit in names.items() if getattr(prices, unit)}
    if not {"input", "output"} <= units.keys():
        raise ValueError(
            f"price: genai-prices has none of {shown(model)} by tokens; write it in place of auto"
        )
    starts = sorted({tier.start for unit in units.values() for tier in getattr(unit, "tiers", ())})
    above = [{"tokens": start, **_rates(units, start)} for start in starts]
    shares = dict(known.get(of.id, {}))
    if re.match(shares.pop("without_flex", "$"), model):
        del shares["flex"]
    return {**_rates(units, 0), "above": above, **shares}


def _held(prices: Any, day: date) -> Any:
    """The last of a model's prices that had begun on a day and holds at any time of it."""
    if not isinstance(prices, list):
        return prices
    always = [one for one in prices if not hasattr(one.constraint, "start_time")]
    begun = [one for one in always if getattr(one.constraint, "start_date", day) <= day]
    return (begun or always[:1])[-1].prices


def _rates(units: Settings, above: int) -> Settings:
    """The prices of prompts with more tokens than so many."""
    found = {}
    for key, unit in units.items():
        tiers = [tier.price for tier in getattr(unit, "tiers", ()) if tier.start <= above]
        price: Any = tiers[-1] if tiers and above else getattr(unit, "base", unit)
        found[key] = float(price)
    return found
