"""What two runs have in common, and what one has alone, by hand."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from steadfast.base.errors import UserError
from steadfast.compare.results import (
    COLUMNS,
    Comparison,
    _Benchmark,
    _digests,
    _settings,
    compare_results,
    differences,
)
from steadfast.config.load import load_config
from steadfast.jobs.job import Job
from steadfast.stats import pairs

SCORE = {"repeat": 0, "task": "T", "status": "ok", "points": {}}
MEASURE = SimpleNamespace(compared={"task": "overall"}, full=5.0)
CELLS = pd.DataFrame({"model": ["m"], "value": [0.5], "low": [0.4], "high": [0.6], "n": [9]})


def part(prompts: dict[str, str], totals: dict[str, float | None], response="Yes"):
    """A part with its prompts, and a model's totals and responses, by sample."""
    samples = [SimpleNamespace(id=name, before=None) for name in prompts]

    def item(sample):
        return SimpleNamespace(head="Read: ", context=prompts[sample.id], tail="?")

    joined = SimpleNamespace(item=item)
    # Of released scores there may be no prompts.
    path = Path(__file__) if prompts else Path("absent")
    files = SimpleNamespace(prompts=path, read=lambda: samples, joined=joined, sources=[])
    scores = {name: {**SCORE, "sample_id": name, "total": total} for name, total in totals.items()}
    outputs = {name: {"status": "ok", "response": response} for name in totals}
    return SimpleNamespace(files=files, scores=lambda model: scores, outputs=lambda model: outputs)


def finished(parts, models=("m",), metrics=("ars",)):
    benchmark = SimpleNamespace(measures={"ARS": MEASURE})
    evaluation = SimpleNamespace(tasks={"b": None}, benchmarks={"b": benchmark})
    return SimpleNamespace(
        evaluation=evaluation,
        metrics=lambda name: dict.fromkeys(metrics, CELLS),
        models=lambda name: models,
        parts=lambda name: parts,
    )


def frame(name: str, a, b) -> list:
    return list(_Benchmark(a, b, "b").rows()[name])


A = finished(
    {
        "4k": part(dict.fromkeys("rstuvw", "x"), dict.fromkeys("rstuvw", 0.5)),
        "8k": part({"s": "x"}, {"s": 0.5}),
    },
    models=("m", "n"),
)
B_PROMPTS = dict.fromkeys("stvwyzq", "x") | {"u": "changed"}
B_TOTALS = {"s": 0.25, "t": None, "u": 0.5, "w": 0.5}
B = finished(
    {"4k": part(B_PROMPTS, B_TOTALS), "16k": part({"s": "x"}, {"s": 1})},
    models=("m", "o"),
    metrics=("ars", "csl"),
)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("prompts", [("b", "4k", 4, 1, 1, 3)]),
        (
            "alone",
            [
                ("A", "model", "b n"), ("B", "model", "b o"), ("A", "part", "b 8k"),
                ("B", "part", "b 16k"), ("B", "metric", "b csl"),
            ],
        ),
        ("counts", [("b", "ars", 1)]),
        ("cells", []),
        ("compared", [("b", "m", "T", 3)]),
        # s, t, v and w have equal prompts; in B t has no total, and v no score.
        ("measured", [("b", "m", "ARS", "task=overall", 5.0, 4, 2, False)]),
    ],
)  # fmt: skip
def test_runs_are_compared_on_what_both_have(name, rows):
    assert frame(name, A, B) == rows


@pytest.mark.parametrize("further", [{}, {"length": "4k"}])
def test_tests_have_the_keys_of_their_cells_and_b_minus_a(further):
    def make(scored, data, labels):
        totals = {score.model: score.record["total"] for score in scored}
        values = dict.fromkeys(pairs.COLUMNS, 0) | {"difference": totals["a"] - totals["b"]}
        keys = {"task": "overall"} | further
        return {"comparisons": pd.DataFrame([values | {"model": "a", "other": "b"} | keys])}

    metrics = SimpleNamespace(data=(), function=SimpleNamespace(make=make))
    runs = [finished({"4k": part({"s": "x"}, {"s": total})}) for total in (0.5, 0.75)]
    runs[0].evaluation.tasks["b"] = SimpleNamespace(metrics=metrics)
    (row,) = frame("tests", *runs)
    assert (row["measure"], row["difference"]) == ("ARS", 0.25)
    assert row["cell"] == "task=overall" + " length=4k" * len(further)


def test_changed_settings_are_those_of_the_config_but_its_name():
    def settings(**keys):
        config = load_config({"models": {"m": {"engine": "reference"}}, **keys})
        return SimpleNamespace(evaluation=SimpleNamespace(config=config))

    first, second = settings(name="a", seed=1), settings(name="b", seed=2)
    assert list(_settings(first, second, [])) == [("config", "seed", "1", "2")]


def test_differences_of_nested_values_are_named_by_all_keys():
    first = {"a": {"b": 1, "c": [2]}, "d": "x", "f": {}}
    second = {"a": {"b": 2, "e": None}, "d": "x", "f": None}
    assert list(differences(first, second)) == [
        ("a.b", "1", "2"), ("a.c", "[2]", "(absent)"), ("a.e", "(absent)", "null"),
        ("f", "{}", "null"),
    ]  # fmt: skip


def test_changed_provenance_is_one_row_for_its_parts():
    def run(seed: int, *parts: str):
        jobs = [Job("inference", "b", "m", part) for part in parts]
        jobs.append(Job("verdicts", "b", "m", "4k", "j"))
        evaluation = SimpleNamespace(config=load_config({"models": {"m": {"engine": "reference"}}}))
        provenances = [(job, {"seed": seed}) for job in jobs]
        return SimpleNamespace(evaluation=evaluation, provenances=lambda name: provenances)

    assert list(_settings(run(1, "4k", "8k", "16k"), run(2, "4k", "8k"), ["b"])) == [
        ("b m 4k, 8k", "seed", "1", "2"),
        ("b judge j 4k", "seed", "1", "2"),
    ]


def test_runs_differ_by_prompts_or_what_one_has_alone():
    frames = {key: pd.DataFrame(columns=list(columns)) for key, columns in COLUMNS.items()}
    alone = pd.DataFrame([("A", "part", "b 4k")], columns=list(COLUMNS["alone"]))
    for number in (0, 1):
        prompts = [("b", "4k", 5, 0, 0, number)]
        frames["prompts"] = pd.DataFrame(prompts, columns=list(COLUMNS["prompts"]))
        assert Comparison(**frames).differs == bool(number)
        assert Comparison(**frames | {"alone": alone}).differs


def test_flipped_samples_have_equal_prompts():
    flips = frame("samples", A, B)
    assert [row[:3] for row in flips] == [("b", "m", "4k"), ("b", "m", "4k")]
    assert ["worse" in row for row in flips] == [True, False]
    assert ["status" in row for row in flips] == [False, True]


@pytest.mark.parametrize(
    ("second", "identical"),
    [
        ({"4k": part({"s": "x"}, {"s": 0.5})}, True),
        ({"4k": part({"s": "x"}, {"s": 0.5}, response="No")}, False),
        ({"4k": part({"s": "x"}, {"s": 0.25})}, False),
        ({"4k": part({"s": "y"}, {"s": 0.5})}, False),
        ({"4k": part({"s": "x"}, {"s": 0.5}), "8k": part({}, {"t": 1.0})}, False),
    ],
    ids=["equal", "response", "score", "prompt", "part"],
)
def test_model_is_identical_by_prompts_responses_and_scores(second, identical):
    first = finished({"4k": part({"s": "x"}, {"s": 0.5})})
    ((*_, is_identical),) = frame("measured", first, finished(second))
    assert is_identical == identical


def test_digest_of_a_later_turn_is_also_of_the_turn_before():
    def digests(first: str) -> dict[str, str]:
        made = part({"s": first, "s.2": "z"}, {})
        earlier, later = made.files.read()
        later.before = earlier
        return _digests({"4k": made, "8k": part({"s": "x"}, {})}, ["4k"])

    assert digests("x") == digests("x")
    assert digests("x")["4k"]["s.2"] != digests("y")["4k"]["s.2"]
    assert digests("x")["8k"] == {}  # the other run lacks the part


def test_runs_without_a_common_benchmark_are_refused():
    runs = [
        SimpleNamespace(results=Path(name), benchmarks=[name]) for name in ("ifeval", "cfbench")
    ]
    with pytest.raises(UserError, match="ifeval has results of ifeval and cfbench of cfbench: no"):
        compare_results(*runs)
