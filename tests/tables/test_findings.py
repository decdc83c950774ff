"""The findings of a run, in sentences from summary files calculated by hand."""

import pytest
from summary_files import BENCHMARKS, DISPLAY, abc_rows, row, summary_files

from steadfast.show.findings import findings
from steadfast.show.roster import Display
from steadfast.show.summary import RunSummary


@pytest.fixture
def sentences(tmp_path):
    """The findings of summary rows."""

    def sentences(*rows):
        files = summary_files(tmp_path, *rows)
        return findings(RunSummary(files, BENCHMARKS, Display.of(DISPLAY)))

    return sentences


def test_highest_of_each_benchmark_has_its_lead(sentences):
    ars = abc_rows("ARS", 0.7, 0.625, 0.5)
    psr = abc_rows("PSR", 0.2, 0.4)
    ifs = abc_rows("IFS", 0.3, 0.2, 0.1)  # no main measure: smaller is better
    assert sentences(*ars, row("gold", "ARS", 1.0), *ifs, *psr) == [
        "Highest scores: LIFBench Model_A (ARS 0.700, 0.075 above b); CFBench b (PSR 0.400, 0.200 "
        "above Model_A)."
    ]
    assert sentences(row("b", "PSR", 0.5)) == ["Highest scores: CFBench b (PSR 0.500)."]
    assert sentences(row("b", "IFS", 0.5)) == []


def test_models_not_significantly_below_the_highest_are_named(sentences):
    second = row("b", "ARS", 0.6, better_than="c", worse_than="", not_distinguished="a")
    third = row("c", "ARS", 0.5, better_than="", worse_than="b", not_distinguished="")
    for open_pairs in ("b", ""):
        relations = {"better_than": "", "worse_than": "", "not_distinguished": open_pairs}
        text = sentences(row("a", "ARS", 0.7, **relations), second, third)
        sentence = "Not significantly below the highest (paired test): LIFBench b."
        assert (sentence in text) == bool(open_pairs)
        assert ("Not significantly" in " ".join(text)) == bool(open_pairs)


def test_lead_without_a_test_is_noted(sentences):
    highest, *lower = abc_rows("ARS", 0.7, 0.6, 0.5, sampled="3 families of contexts")
    sentence = (
        "Too few sampling units to distinguish the highest from any other: LIFBench (3 families of "
        "contexts)."
    )
    assert sentence in sentences(highest, *lower)
    tested = {"better_than": "b c", "worse_than": "", "not_distinguished": ""}
    assert sentence not in sentences(highest | tested, *lower)


def test_effective_lengths_are_named(sentences):
    length = {"effective_context_length": "16k", "effective_context_length_range": "8k to 32k"}
    text = sentences(row("a", "ARS", 0.7, **length))
    assert "Effective context length (95 % interval): LIFBench Model_A 16k (8k to 32k)." in text


def test_models_with_missing_responses_are_named(sentences):
    rows = [row("a", "HSR", 50, n=199, expected=200), row("b", "HSR", 50, n=200, expected=200)]
    text = sentences(*rows)
    assert "Responses without a score: HSR of Model_A (from 99 % scored)." in text
    text = sentences(*(row(f"m{i}", "HSR", 50, n=100, expected=200) for i in range(5)))
    sentence = "Responses without a score: HSR of m0, m1, m2 and 2 more (from 50 % scored)."
    assert sentence in text
