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


def test_price_independent_of_length_is_in_each_rate():
    base, above = priced("x-ai/grok-4-fast", base_url="https://openrouter.ai/api/v1")["rates"]
    assert base["cached"] == 0.05
    assert above == {
        "tokens": 128_000, "input": 0.4, "cached": 0.05, "written": 0.4, "output": 1.0
    }  # fmt: skip


DEEPSEEK = {"base_url": "https://api.deepseek.com"}
MISTRAL = {"base_url": "https://api.mistral.ai/v1"}
CLAUDE = {"engine": "anthropic", "cache": "5m"}
HALF = {"live": 1, "flex": 0.5, "batch": 0.5}


@pytest.mark.parametrize(
    ("model", "settings", "rate", "shares"),
    [
        ("o3", {}, {"input": 2.0}, HALF),  # 10 until June 2025
        ("gpt-5-mini", {}, {}, HALF),
        ("gpt-4o", {}, {}, {"live": 1, "flex": 1, "batch": 0.5}),  # not served as flex
        ("deepseek-chat", DEEPSEEK, {"input": 0.135}, {}),  # .27 at some hours of the day
        # Twice that from January 2027.
        ("gemini-3.8-flash", {"engine": "gemini"}, {"input": 0.75, "output": 3.75}, {}),
        ("mistral-large-latest", MISTRAL, {"input": 2.0}, {"batch": 1}),
        ("claude-sonnet-4-5", CLAUDE, {"written": 3.75}, {"batch": 0.5}),
        ("claude-sonnet-4-5", CLAUDE | {"cache": "1h"}, {"written": 6.0}, {"batch": 0.5}),
        ("gemini-2.5-pro", {"engine": "gemini"}, {"written": 1.25}, {"batch": 0.5}),  # as its input
    ],
)
def test_current_prices_of_provider_and_model(model, settings, rate, shares):
    price = priced(model, **settings)
    assert price["rates"][0] == price["rates"][0] | rate
    assert price["shares"] == price["shares"] | shares


def test_price_date_is_that_of_the_installed_genai_prices():
    assert facts("engines/shares.yaml")["genai-prices"]["version"] == version("genai-prices")


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
