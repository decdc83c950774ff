"""``price: auto``: the price of a million tokens, from the package genai-prices."""

from decimal import Decimal
from importlib.metadata import version

import pytest
from genai_prices import Usage, calc_price

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.config.load import load_config
from steadfast.engines.cost.bill import cost
from steadfast.schema.known_prices import rates


def priced(model, **settings):
    settings = {"engine": "openai", "model": model, "price": "auto", **settings}
    return rates(load_config({"models": {"x": settings}}).models["x"].model_dump())


def test_long_prompts_and_cache_writes_have_their_prices():
    # OpenAI's list of August 2026; above 272,000 tokens input costs twice, output 1.5 times.
    assert priced("gpt-5.6") == {
        "rates": [
            {"tokens": 0, "input": 4.0, "cached": 0.4, "written": 5.0, "output": 20.0},
            {"tokens": 272000, "input": 8.0, "cached": 0.8, "written": 10.0, "output": 30.0},
        ],
        "shares": {"live": 1, "flex": 0.5, "batch": 0.5},
    }  # fmt: skip


@pytest.mark.parametrize(("lifetime", "share"), [("5m", 1.25), ("1h", 2.0), (None, None)])
def test_claude_cache_writes_cost_a_share_of_the_configured_price(lifetime, share):
    price = {"input": 4.0, "output": 8.0}
    claude = priced("claude-x", engine="anthropic", cache=lifetime, price=price)
    assert claude["rates"][0]["written"] == (share or 1) * 4
    (plain,) = priced("x", price=price)["rates"]
    assert (plain["cached"], plain["written"]) == (4, 4)


@pytest.mark.parametrize("prompt", [200_000, 272_000, 272_001, 400_000])
@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-4o-2024-08-06"])
def test_cost_is_that_of_genai_prices(model, prompt):
    price = priced(model)
    base = price["rates"][0]
    cached = prompt // 2
    written = prompt // 4 if base["written"] != base["input"] else 0
    usage = Usage(
        input_tokens=prompt,
        cache_read_tokens=cached,
        cache_write_tokens=written,
        output_tokens=500,
    )
    expected = calc_price(usage, model, provider_id="openai").total_price
    assert Decimal(cost(price, prompt, cached, 500, written)) == pytest.approx(expected)


@pytest.mark.parametrize(("model", "flex"), [("gpt-4o", 1), ("o3", 0.5), ("gpt-5-mini", 0.5)])
def test_flex_share_is_that_of_the_model(model, flex):
    assert priced(model)["shares"] == {"live": 1, "flex": flex, "batch": 0.5}


def test_price_independent_of_length_is_in_each_rate():
    base, above = priced("x-ai/grok-4-fast", base_url="https://openrouter.ai/api/v1")["rates"]
    assert base["cached"] == 0.05
    assert above == {
        "tokens": 128_000, "input": 0.4, "cached": 0.05, "written": 0.4, "output": 1.0
    }  # fmt: skip


@pytest.mark.parametrize(
    ("model", "address", "dollars"),
    [
        ("o3", None, 2.0),  # 10 until June 2025
        ("deepseek-chat", "https://api.deepseek.com", 0.135),  # .27 at some hours of the day
    ],
)
def test_latest_price_without_daily_hours_is_used(model, address, dollars):
    settings = {"base_url": address} if address else {}
    assert priced(model, **settings)["rates"][0]["input"] == dollars


def test_future_price_is_not_used():
    price = priced("gemini-3.8-flash", engine="gemini")["rates"][0]
    assert (price["input"], price["output"]) == (0.75, 3.75)  # twice that from January 2027


def test_price_date_is_that_of_the_installed_genai_prices():
    assert facts("engines/shares.yaml")["genai-prices"]["version"] == version("genai-prices")


def test_provider_is_identified_by_base_url():
    price = priced("mistral-large-latest", base_url="https://api.mistral.ai/v1")
    assert (price["rates"][0]["input"], price["shares"]["batch"]) == (2.0, 1)


@pytest.mark.parametrize(
    ("engine", "model", "cache", "written", "batch"),
    [
        ("anthropic", "claude-sonnet-4-5", "5m", 3.75, 0.5),
        ("anthropic", "claude-sonnet-4-5", "1h", 6.0, 0.5),
        ("gemini", "gemini-2.5-pro", None, 1.25, 0.5),  # as its prompts
    ],
)
def test_engine_of_a_provider_has_its_prices(engine, model, cache, written, batch):
    settings = {"engine": engine} | ({"cache": cache} if cache else {})
    price = priced(model, **settings)
    assert (price["rates"][0]["written"], price["shares"]["batch"]) == (written, batch)


@pytest.mark.parametrize(
    ("model", "settings"),
    [("gpt-99", {}), ("gpt-4o", {"base_url": "http://localhost:8000/v1"})],
)
def test_model_without_a_listed_price_is_named(model, settings):
    message = f"price: auto: the package genai-prices lists no price of '{model}' at"
    with pytest.raises(UserError, match=message):
        priced(model, **settings)


def test_max_spend_accepts_automatic_prices():
    model = {"engine": "openai", "model": "gpt-5.6", "price": "auto", "max_spend": 1.0}
    assert load_config({"models": {"x": model}}).models["x"].max_spend == 1.0
