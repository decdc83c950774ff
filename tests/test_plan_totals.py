"""The sums of a plan over benchmarks and models, by hand."""

import csv

import pytest

from steadfast.base.files import write_rows
from steadfast.engines.cost.forecast import COLUMNS
from steadfast.plan.totals import plan_totals

EMPTY = dict.fromkeys(COLUMNS, "") | {"requests": 0, "known": 0, "to_ask": 0, "estimated": False}
TOKENS = ("ask_prompt_tokens", "ask_distinct_tokens", "ask_output_budget")


def row(model, engine, to_ask, tokens, **more):
    counts = dict(zip(TOKENS, tokens, strict=True))
    return (
        EMPTY | {"model": model, "engine": engine, "requests": 10, "to_ask": to_ask} | counts | more
    )


def written(path, *rows):
    write_rows(path, COLUMNS, rows)
    return path


@pytest.fixture
def planned(tmp_path):
    """Two benchmarks: a model with a price, one with a throughput, a judge in another currency."""
    api = {"cost": 1.25, "cost_uncached": 2.5, "currency": "USD"}
    gpu = {"hours": 0.5, "gpu_hours": 2.0, "estimated": True}
    first = written(
        tmp_path / "first.csv",
        row("api", "openai", 7, (100, 60, 30), part="4k", known=3, **api),
        row("api", "openai", 10, (200, 80, 30), part="8k", **api),
        row("sim-a", "simulated", 10, (900, 900, 900)),
    )
    second = written(
        tmp_path / "second.csv",
        row("gpu", "vllm", 10, (1000, 1000, 50), **gpu),
        row(
            "judge",
            "openai",
            4,
            (40, 40, 8),
            judges="1 model's answers",
            cost=0.5,
            cost_uncached=0.5,
            currency="EUR",
        ),
    )
    rewrites = written(tmp_path / "r.csv", row("api", "openai", 2, (6, 6, 4), **api))
    out = tmp_path / "total.md", tmp_path / "total.csv"
    answers = {"first": first, "second": second}
    plan_totals(answers, {"second": rewrites}, ["third"], ["Synthetic text."], *out)
    with open(out[1], newline="") as lines:
        return out[0].read_text(), list(csv.DictReader(lines))


def test_rows_are_summed_by_benchmark_model_and_role(planned):
    _, rows = planned
    found = {(one["benchmark"], one["model"], one["role"]): one for one in rows}
    assert list(found) == [
        ("first", "api", "answers"),
        ("second", "gpu", "answers"),
        ("second", "judge", "verdicts"),
        ("second", "api", "rewrites"),
        ("first", "all", "all"),
        ("second", "all", "all"),
        ("all", "all", "all"),
    ]
    first = found["first", "api", "answers"]
    assert [first[name] for name in ("requests", "known", "to_ask")] == ["20", "3", "17"]
    assert [first[name] for name in TOKENS] == ["300", "140", "60"]
    assert (first["cost"], first["currency"], first["gpu_hours"]) == ("2.5", "USD", "")
    whole = found["all", "all", "all"]
    assert [whole[name] for name in ("to_ask", *TOKENS)] == ["33", "1346", "1186", "122"]
    # Two currencies make no sum.
    assert (whole["cost"], whole["cost_uncached"], whole["currency"]) == ("", "", "")
    assert whole["gpu_hours"] == "2"


def test_the_totals_say_what_they_leave_out(planned):
    page, _ = planned
    assert "Synthetic text." in page
    assert page.partition("## Totals\n\n")[2].splitlines() == [
        "- requests: 33 (27 for answers, 4 for verdicts, 2 for rewrites)",
        "- requests that the journal answers: 3",
        "- prompt tokens: 1,346, of which distinct 1,186 (estimated for gpu, whose tokenizer is "
        "not on this machine)",
        "- completion tokens: 122 at most",
        "- hours: 0.50 (without api, judge: no throughput in the config)",
        "- GPU-hours: 2.00 (without api, judge: no throughput in the config)",
        "- cost: 0.50 EUR and 3.75 USD with a cache that holds, 7.50 USD with none (without gpu: "
        "no price in the config)",
        "- not counted, since they wait for rewriters' replies: third",
    ]


def test_stand_ins_alone_take_nothing(tmp_path):
    plan = written(tmp_path / "plan.csv", row("reference", "reference", 10, (1, 1, 1)))
    plan_totals({"b": plan}, {}, [], [], tmp_path / "total.md", tmp_path / "total.csv")
    assert "nothing that takes time or money" in (tmp_path / "total.md").read_text()


def test_a_model_is_loaded_once_for_all_benchmarks(tmp_path):
    def part(load, requested):
        hours = {"hours": 0.5, "gpu_hours": 1.0}
        more = {"load_gpu_hours": load, "requested_gpu_hours": requested}
        return row("gpu", "vllm", 10, (1, 1, 1), **hours, **more)

    first = written(tmp_path / "first.csv", part(0.1, 3.0), part(0.1, 3.0))
    second = written(tmp_path / "second.csv", part(0.2, 3.0))
    out = tmp_path / "total.md"
    plan_totals({"first": first, "second": second}, {}, [], [], out, tmp_path / "total.csv")
    assert "GPU-hours: 3.00, beside 0.20 of loading; 9.00 requested" in out.read_text()
