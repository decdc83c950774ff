"""The summary of all benchmarks, from summary files calculated by hand."""

import re
from itertools import chain

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from summary_files import BENCHMARKS, DISPLAY, MEASURES, abc_rows, build, row, summary_files

from steadfast.base.errors import UserError
from steadfast.show.roster import SUMMARY_TABLES, Display
from steadfast.show.summary import RunSummary
from steadfast.stages.write_summary import write_summary
from steadfast.stats.tidy import read_summary, write_csv

ARS = abc_rows("ARS", 0.7, 0.6, 0.5)
IFS = abc_rows("IFS", 0.2, 0.1, 0.3)


def text(folder, name: str) -> str:
    return (folder / "out" / name).read_text()


def column(table: pd.DataFrame, heading: str) -> dict[str, str]:
    return table.set_index("Model")[heading].to_dict()


def test_measure_of_two_benchmarks_is_labelled_with_its_benchmark(tmp_path):
    files = dict.fromkeys(["lifbench", "other"], *summary_files(tmp_path, *ARS, *IFS).values())
    lifbench = BENCHMARKS["lifbench"]
    measures = {"ARS": lifbench["measures"]["ARS"]}
    second = lifbench | {"title": "Other", "measures": measures}
    summary = RunSummary(files, BENCHMARKS | {"other": second}, Display.of(DISPLAY))
    labels = [measure.label for measure in summary.measures]
    assert labels == ["ARS of LIFBench", "IFS", "ARS of Other"]


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        ("a", "Model_A"),
        ("ab", "Model_A and b"),
        ("abc", "Model_A, b and c"),
        ("abca", "Model_A, b, c and 1 more"),
    ],
)
def test_three_models_at_most_are_named(tmp_path, models, sentence):
    summary = RunSummary(summary_files(tmp_path, *ARS), BENCHMARKS, Display.of(DISPLAY))
    assert summary.named(list(models)) == sentence


def test_models_by_measures_have_values_and_intervals(tmp_path):
    ifs = abc_rows("IFS", 0.2, 0.1, 0.3, spread=None)
    summary = build(tmp_path, *ARS, *ifs, *abc_rows("HSR", 60.25, 70.0, 50.0))["summary"]
    headings = "group|Model|ARS|ARS: 95 %|IFS|HSR|HSR: 95 %|CSL|marks"
    assert list(summary) == headings.split("|")
    cells = summary.set_index("Model").loc["Model_A", "ARS":"CSL"]
    assert cells.tolist() == ["0.700", "0.650 to 0.750", "0.200", "60.3", "60.2 to 60.3", ""]
    # Mean ranks: b 4/3, a 5/3, c 3.
    assert summary["Model"].tolist() == ["b", "Model_A", "c"]


def test_best_models_are_bold_with_notes_on_sampling(tmp_path):
    sampling = {"sampled": "18 contexts", "clusters": 18, "minimum_detectable_difference": 0.0551}
    ars = [
        row("a", "ARS", 0.7, better_than="c", worse_than="", not_distinguished="b", **sampling),
        row("b", "ARS", 0.6, better_than="", worse_than="", not_distinguished="a c", **sampling),
        row("c", "ARS", 0.5, better_than="", worse_than="a", not_distinguished="b", **sampling),
    ]
    build(tmp_path, *ars, *IFS, row("gold", "ARS", 1))
    latex = text(tmp_path, "summary.tex")
    assert r"Model\_A & \textbf{0.700} & 0.650 to 0.750 & 0.200" in latex
    assert r"b & \textbf{0.600} & 0.550 to 0.650 & 0.100" in latex
    assert r"c & 0.500 & 0.450 to 0.550 & 0.300" in latex
    assert "Sampling units: LIFBench 18 contexts." in latex
    assert "power): ARS 0.055." in latex
    assert r"\multicolumn{2}{c}{LIFBench}" not in latex  # two measures, each with its interval
    assert r"\multicolumn{4}{c}{LIFBench}" in latex


def test_above_baseline_has_a_column_and_changes_no_rank(tmp_path):
    psr = abc_rows("PSR", 0.5, 0.6, 0.7)
    plain = build(tmp_path, *ARS, *psr)
    above = {"a": 0.25, "b": 0.0, "c": -0.25}  # of a baseline of .6
    ars = [record | {"above_baseline": above[record["model"]]} for record in ARS]
    tables = build(tmp_path, *ars, *psr)
    summary = tables["summary"]
    assert list(summary)[2:5] == ["ARS", "ARS: 95 %", "Above baseline"]
    assert column(summary, "Above baseline") == {"Model_A": "0.250", "b": "0.000", "c": "-0.250"}
    assert summary["Model"].tolist() == plain["summary"]["Model"].tolist()
    assert tables["summary_correlations"].equals(plain["summary_correlations"])


def test_run_to_run_sd_has_a_column_beside_the_interval(tmp_path):
    rows = [row("a", "ARS", 0.5, n=400), row("b", "ARS", 0.5, n=400), row("a", "IFS", 0.1)]
    nondeterminism = tmp_path / "nondeterminism/lifbench/a/4k.csv"
    nondeterminism.parent.mkdir(parents=True)
    nondeterminism.write_text("task,answer_sd\noverall,0.1234\n")
    summary = build(tmp_path, *rows, nondeterminism_files=[nondeterminism])["summary"]
    assert list(summary)[2:6] == ["ARS", "ARS: 95 %", "Run-to-run SD", "IFS"]
    # .1234 ÷ √400
    assert column(summary, "Run-to-run SD") == {"Model_A": "0.0062", "b": ""}
    note = "Run-to-run SD: standard deviation of the value between runs"
    assert note in text(tmp_path, "summary.md")
    build(tmp_path, *rows)
    assert "Run-to-run SD" not in text(tmp_path, "summary.md")


def test_effective_lengths_follow_their_measure(tmp_path):
    heading = "Effective context length"
    lengths = {"a": ("≥ 128k", "≥ 64k"), "b": ("16k", "8k to 32k"), "c": ("", "")}
    ars = []
    for record in ARS:
        value, interval = lengths[record["model"]]
        fields = {"effective_context_length": value, "effective_context_length_range": interval}
        ars.append(record | fields)
    summary = build(tmp_path, *ars, *abc_rows("PSR", 0.7, 0.6, 0.5))["summary"]
    assert list(summary)[4:7] == [heading, f"{heading}: 95 %", "IFS"]
    columns = summary[["Model", heading, f"{heading}: 95 %"]].values.tolist()
    assert columns == [["Model_A", "≥ 128k", "≥ 64k"], ["b", "16k", "8k to 32k"], ["c", "", ""]]


def test_notes_name_measures_without_interval_or_below_full_marks(tmp_path):
    build(tmp_path, *ARS[:2], *abc_rows("IFS", 0.2, 0.1, spread=None))
    assert "No interval for IFS: too few" in text(tmp_path, "summary.md")
    hsr = abc_rows("HSR", 70.0, 60.0, highest=99.7778)
    build(tmp_path, *hsr, *abc_rows("PSR", 0.7, 0.6))
    summary = text(tmp_path, "summary.md")
    assert "Highest attainable value" in summary
    assert "own rule: HSR 99.8 (FollowBench)." in summary
    assert "PSR 1" not in summary


def test_notes_name_models_below_the_baseline(tmp_path):
    baseline = [row("baseline", "ARS", 0.6), row("baseline", "IFS", 0, spread=None)]
    build(tmp_path, *abc_rows("ARS", 0.7, 0.5, 0.4), row("sim-x", "ARS", 0.1), *IFS, *baseline)
    latex = text(tmp_path, "summary.tex")
    assert "The no-lookup baseline scores ARS 0.600, above b and c:" in latex
    build(tmp_path, *(row(f"m{i}", "ARS", 0.1) for i in range(9)), *baseline)
    assert "above m0, m1, m2 and 6 more:" in text(tmp_path, "summary.tex")


def test_incomplete_coverage_is_marked_and_in_the_notes(tmp_path):
    rows = [row("a", "HSR", 70.0, n=819, expected=820), row("a", "CSL", 3.0), row("b", "HSR", 60.0)]
    summary = build(tmp_path, *rows, row("c", "HSR", None, n=0, expected=820))["summary"]
    marks = {"Model_A": "HSR: incomplete", "b": "", "c": "HSR: incomplete"}
    assert column(summary, "marks") == marks
    note = "Fewer samples scored than expected: Model_A (HSR 819 of 820); c (HSR 0 of 820)."
    assert note in text(tmp_path, "summary.md").replace("\\", "")


def test_released_scores_are_marked_in_both_tables(tmp_path):
    prompts = {"a": "own", "b": "released", "c": "released"}
    rows = [record | {"prompts": prompts[record["model"]]} for record in [*ARS, *IFS]]
    summary = build(tmp_path, *rows, *abc_rows("PSR", 0.7))["summary"]
    assert summary["Model"].tolist() == ["Model_A", "b (released)", "c (released)"]
    notes = ["(released): scored on", "b (released), c (released): scored on"]
    for name, note in zip(SUMMARY_TABLES, notes, strict=True):
        assert note in text(tmp_path, f"{name}.md")
        assert "other prompts" in text(tmp_path, f"{name}.md")


def test_simulated_models_and_references_have_their_groups(tmp_path):
    summary = build(tmp_path, *(row(model, "PSR", 0.5) for model in ("sim-x", "gold", "a")))
    assert summary["summary"][["group", "Model"]].values.tolist() == [
        ["", "Model_A"],
        ["Simulated (no real models)", "sim-x"],
        ["Reference (no model)", "gold"],
    ]


def test_missing_benchmark_has_a_dash(tmp_path):
    tables = build(tmp_path, *abc_rows("PSR", 0.7), *abc_rows("DRFR", 0.8, 0.6))
    cells = tables["summary"].set_index("Model").loc["b"]
    assert cells.tolist()[1:] == ["", "", "0.600", "0.550 to 0.650", ""]
    assert re.search(r"\| b +\| +-- +\|", text(tmp_path, "summary.md"))


@pytest.mark.parametrize(
    ("models", "note"),
    [
        # 2 of the 3! orders of three models agree or disagree completely.
        (3, "p = 0.3333 with 3 models"),
        (4, "p = 0.0833 with 4 models"),
        (10, None),
        (2, None),  # no correlation
    ],
)
def test_correlation_of_few_models_has_its_smallest_p(tmp_path, models, note):
    psr = [row(f"m{i}", "PSR", 0.1 * i) for i in range(models)]
    build(tmp_path, *psr, *(record | {"measure": "DRFR"} for record in psr))
    correlations = text(tmp_path, "summary_correlations.md")
    assert ("weak evidence" in correlations) == (note is not None)
    assert note is None or note in correlations


def test_simulated_models_are_ranked_without_real_ones_and_noted(tmp_path):
    psr = [row(f"sim-{i}", "PSR", 0.1 * i) for i in range(4)] + [row("gold", "PSR", 1.0)]
    tables = build(tmp_path, *psr, *(record | {"measure": "DRFR"} for record in psr))
    cells = tables["summary_correlations"].loc[0].tolist()
    assert cells == ["", "PSR", "DRFR", "4", "1.000", "1.000", ""]
    for name in SUMMARY_TABLES:
        note = "Simulated models only|there are no real models"
        assert re.search(note, text(tmp_path, f"{name}.md"))


def correlations(folder, *rows) -> dict[tuple[str, str], list[str]]:
    """Number of models, rho and tau of each pair of measures."""
    cells = build(folder, *rows)["summary_correlations"].iloc[:, 1:6].values.tolist()
    return {(first, second): values for first, second, *values in cells}


def test_rank_correlations_by_hand(tmp_path):
    # Ranks 1 2 3 and 1 3 2: rho = 1 − 6·2/(3·8), tau = (2 − 1)/3.
    pairs = correlations(tmp_path, *abc_rows("HSR", 70, 60, 50), *abc_rows("PSR", 0.7, 0.2, 0.3))
    assert pairs["HSR", "PSR"] == ["3", "0.500", "0.333"]
    assert pairs["HSR", "CSL"] == ["0", "", ""]


def test_rank_correlation_reverses_measures_where_small_is_better(tmp_path):
    pairs = correlations(tmp_path, *ARS, *abc_rows("IFS", 0.1, 0.2, 0.3))
    assert pairs == {("ARS", "IFS"): ["3", "1.000", "1.000"]}
    assert "IFS: sign reversed" in text(tmp_path, "summary_correlations.md")


def test_rank_correlation_uses_real_models_with_both_measures(tmp_path):
    excluded = [row("gold", "PSR", 1.0), row("gold", "DRFR", 1.0), row("sim-x", "PSR", 0.1)]
    rows = [*abc_rows("PSR", 0.1, 0.2, 0.3), *abc_rows("DRFR", 0.1, 0.2), *excluded]
    assert correlations(tmp_path, *rows) == {("PSR", "DRFR"): ["2", "", ""]}
    assert "fewer than three models" in text(tmp_path, "summary_correlations.md")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "sim-x", "gold", "NA", "=1"]),
            st.sampled_from([*chain.from_iterable(MEASURES.values())]),
            st.none() | st.floats(0, 1),
            st.integers(0, 3),
        ),
        min_size=1,
        unique_by=lambda cell: cell[:2],
    )
)
def test_summary_has_every_model(tmp_path, cells):
    rows = [row(*cell, expected=3) for cell in cells]
    summary = build(tmp_path, *rows)["summary"]
    labels = {"a": "Model_A", "=1": "'=1"}
    assert sorted(summary["Model"]) == sorted({labels.get(cell[0], cell[0]) for cell in cells})


def test_damaged_summary_files_are_reported(tmp_path):
    complete = row("a", "PSR", 0.5)
    files = summary_files(tmp_path, complete)
    with pytest.raises(UserError, match=r"cfbench\.csv: no row of measure DRFR"):
        write_summary({"complexbench": files["cfbench"]}, BENCHMARKS, DISPLAY, tmp_path / "out")
    write_csv(tmp_path / "h.csv", pd.DataFrame([complete]).drop(columns="expected"))
    with pytest.raises(UserError, match="column 'expected' is missing"):
        read_summary(tmp_path / "h.csv")
    write_csv(tmp_path / "h.csv", pd.DataFrame([complete, row("a", "PSR", 0.6)]))
    with pytest.raises(UserError, match="duplicate rows of PSR of model 'a'"):
        read_summary(tmp_path / "h.csv")
