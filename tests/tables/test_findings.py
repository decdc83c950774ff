"""What a run found, in sentences from summary files worked by hand."""

import pytest
from test_run_summary import BENCHMARKS, DISPLAY, row, three, written

from steadfast.show.findings import findings
from steadfast.show.roster import Display
from steadfast.show.summary import RunSummary
from steadfast.stats.ties import COLUMNS


@pytest.fixture
def found(tmp_path):
    """The findings of summary rows."""

    def of(*rows):
        return findings(RunSummary(written(tmp_path, *rows), BENCHMARKS, Display.of(DISPLAY)))

    return of


def test_the_highest_of_each_benchmark_stands_with_its_lead(found):
    ars = three("ARS", 0.7, 0.625, 0.5)
    psr = three("PSR", 0.2, 0.4)
    instability = three("IFS", 0.3, 0.2, 0.1)  # no main measure: smaller is better
    gold = row("gold", "ARS", 1.0)
    assert found(*ars, gold, *instability, *psr) == [
        "Highest scores: LIFBench Model_A (ARS 0.700, 0.075 above b); CFBench b (PSR 0.400, 0.200 "
        "above Model_A)."
    ]
    assert found(row("b", "PSR", 0.5)) == ["Highest scores: CFBench b (PSR 0.500)."]
    assert found(row("b", "IFS", 0.5)) == []


def test_models_not_told_from_the_highest_are_named_and_a_lead_that_no_test_confirms(found):
    told = {"a": ("", "", "b"), "b": ("c", "", "a"), "c": ("", "b", "")}
    ars = [
        one | dict(zip(COLUMNS, told[one["model"]], strict=True))
        for one in three("ARS", 0.7, 0.6, 0.5)
    ]
    assert "Not significantly below the highest (paired test): LIFBench b." in found(*ars)
    ars[0]["not_distinguished"] = ""
    assert not any("Not significantly" in sentence for sentence in found(*ars))
    ars = [one | {"sampled": "3 families of contexts"} for one in three("ARS", 0.7, 0.6, 0.5)]
    form = "Too few sampling units to distinguish the highest from any other: LIFBench ({})."
    sentence = form.format("3 families of contexts")
    assert sentence in found(*ars)
    ars[0] |= {"better_than": "b c", "worse_than": "", "not_distinguished": ""}
    assert sentence not in found(*ars)


def test_effective_lengths_and_missing_responses_are_told(found):
    ars = [
        one | {"effective_context_length": "16k", "effective_context_length_range": "8k to 32k"}
        for one in three("ARS", 0.7, 0.6, 0.5)[:1]
    ]
    assert "Effective context length (95 % interval): LIFBench Model_A 16k (8k to 32k)." in found(
        *ars
    )
    rows = [row(name, "HSR", 50, n=n, expected=200) for name, n in (("a", 199), ("b", 200))]
    assert "Responses without a score: HSR of Model_A (from 99 % scored)." in found(*rows)
    many = [row(f"m{i}", "HSR", 50, n=100, expected=200) for i in range(5)]
    assert "Responses without a score: HSR of m0, m1, m2 and 2 more (from 50 % scored)." in found(
        *many
    )
