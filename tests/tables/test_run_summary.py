"""The summary of all benchmarks, from summary files worked by hand."""

import csv
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.contract.registry import benchmarks
from steadfast.show.roster import SUMMARY_TABLES
from steadfast.stages.write_summary import write_summary
from steadfast.stats.tidy import SUMMARY, read_summary, write_csv
from steadfast.stats.ties import COLUMNS

BENCHMARKS = {
    name: benchmark.reported(judged=name != "lifbench") for name, benchmark in benchmarks().items()
}
MEASURES = {name: tuple(benchmark["measures"]) for name, benchmark in BENCHMARKS.items()}
DISPLAY = {
    "digits": 3,
    "models": {
        "a": {"label": "Model_A", "engine": "openai"},
        "b": {"label": "b", "engine": "openai"},
        "c": {"label": "c", "engine": "vllm"},
        "sim-x": {"label": "sim-x", "group": "Readers", "engine": "simulated"},
        "gold": {"label": "gold", "group": "Reference", "engine": "reference"},
    },
}


def row(model, measure, value, n=100, expected=100, spread=0.05):
    ends = (None, None) if value is None or spread is None else (value - spread, value + spread)
    return dict(zip(SUMMARY, (model, measure, value, *ends, n, expected), strict=True))


def written(folder: Path, *rows: dict) -> dict[str, Path]:
    """The summary file of each benchmark that has a row."""
    files = {}
    for benchmark, measures in MEASURES.items():
        own = [row for row in rows if row["measure"] in measures]
        if own:
            files[benchmark] = folder / f"{benchmark}.csv"
            columns = list(dict.fromkeys([*SUMMARY, *own[0]]))
            write_csv(files[benchmark], pd.DataFrame(own, columns=columns))
    return files


def built(folder: Path, *rows: dict) -> dict[str, list[list[str]]]:
    write_summary(written(folder, *rows), BENCHMARKS, DISPLAY, folder / "out")
    return {
        name: list(csv.reader((folder / f"out/{name}.csv").read_text().splitlines()))
        for name in SUMMARY_TABLES
    }


def three(measure, *values, **more):
    """Values of the models a, b and c."""
    return [row(model, measure, v, **more) for model, v in zip("abc", values, strict=False)]


def test_models_by_measures_with_intervals(tmp_path):
    rows = [*three("ARS", 0.7, 0.6, 0.5), *three("IFS", 0.2, 0.1, 0.3, spread=None)]
    head, *body = built(tmp_path, *rows, *three("HSR", 60.25, 70.0, 50.0))["summary"]
    assert head == [
        "group", "Model", "ARS", "ARS: 95 %", "IFS", "HSR", "HSR: 95 %", "CSL", "marks",
    ]  # fmt: skip
    lines = {line[1]: line for line in body}
    assert lines["Model_A"][2:-1] == [
        "0.700",
        "0.650 to 0.750",
        "0.200",
        "60.3",
        "60.2 to 60.3",
        "",
    ]
    # Mean ranks: b 4/3, a 5/3, c 3.
    assert [line[1] for line in body] == ["b", "Model_A", "c"]


def test_the_group_of_the_best_is_picked_out_and_what_was_drawn_is_said(tmp_path):
    told = {"a": ("c", "", "b"), "b": ("", "", "a c"), "c": ("", "a", "b")}
    ars = three("ARS", 0.7, 0.6, 0.5)
    for one in ars:
        one |= dict(zip(COLUMNS, told[one["model"]], strict=True))
        one |= {"sampled": "18 contexts", "clusters": 18, "minimum_detectable_difference": 0.0551}
    built(tmp_path, *ars, *three("IFS", 0.2, 0.1, 0.3), row("gold", "ARS", 1))
    text = (tmp_path / "out/summary.tex").read_text()
    assert r"Model\_A & \textbf{0.700} & 0.650 to 0.750 & 0.200" in text
    assert r"b & \textbf{0.600} & 0.550 to 0.650 & 0.100" in text
    assert r"c & 0.500 & 0.450 to 0.550 & 0.300" in text
    assert "Sampling units: LIFBench 18 contexts." in text
    assert "power): ARS 0.055." in text
    assert r"\multicolumn{2}{c}{LIFBench}" not in text  # two measures, each with its interval
    assert r"\multicolumn{4}{c}{LIFBench}" in text


def test_what_ars_adds_to_the_baseline_stands_beside_it_and_ranks_nobody(tmp_path):
    rows = [*three("ARS", 0.7, 0.6, 0.5), *three("PSR", 0.5, 0.6, 0.7)]
    plain = built(tmp_path, *rows)
    shares = {"a": 0.25, "b": 0.0, "c": -0.25}  # of a baseline of .6
    above = [row | {"above_baseline": shares[row["model"]]} for row in rows[:3]]
    found = built(tmp_path, *above, *rows[3:])
    head, *body = found["summary"]
    assert head[2:5] == ["ARS", "ARS: 95 %", "Above baseline"]
    assert {line[1]: line[4] for line in body[:3]} == {
        "Model_A": "0.250",
        "b": "0.000",
        "c": "-0.250",
    }
    assert [line[1] for line in body] == [line[1] for line in plain["summary"][1:]]
    assert found["summary_correlations"] == plain["summary_correlations"]


def test_nondeterminism_stands_beside_the_interval_of_what_is_measured_of_it(tmp_path):
    rows = [row("a", "ARS", 0.5, n=400), row("b", "ARS", 0.5, n=400), row("a", "IFS", 0.1)]
    files = written(tmp_path, *rows)
    nondeterminism = tmp_path / "nondeterminism/lifbench/a/4k.csv"
    nondeterminism.parent.mkdir(parents=True)
    nondeterminism.write_text("task,answer_sd\noverall,0.1234\n")
    write_summary(
        files, BENCHMARKS, DISPLAY, tmp_path / "out", nondeterminism_files=[nondeterminism]
    )
    (head, *models) = csv.reader((tmp_path / "out/summary.csv").read_text().splitlines())
    assert head[2:6] == ["ARS", "ARS: 95 %", "Run-to-run SD", "IFS"]
    # .1234 ÷ √400
    assert {one[1]: one[4] for one in models} == {"Model_A": "0.0062", "b": ""}
    page = (tmp_path / "out/summary.md").read_text()
    assert "Run-to-run SD: standard deviation of the value between runs" in page
    write_summary(files, BENCHMARKS, DISPLAY, tmp_path / "without")
    assert "Run-to-run SD" not in (tmp_path / "without/summary.md").read_text()


def test_effective_lengths_stand_beside_their_measure_with_their_ranges(tmp_path):
    reached = {"a": ("≥ 128k", "≥ 64k"), "b": ("16k", "8k to 32k"), "c": ("", "")}
    names = ("effective_context_length", "effective_context_length_range")
    ars = [
        one | dict(zip(names, reached[one["model"]], strict=True))
        for one in three("ARS", 0.7, 0.6, 0.5)
    ]
    head, *body = built(tmp_path, *ars, *three("PSR", 0.7, 0.6, 0.5))["summary"]
    at = head.index("Effective context length")
    assert head[at + 1] == "Effective context length: 95 %" and head[at + 2] == "IFS"
    shown = {line[1]: tuple(line[at : at + 2]) for line in body[:3]}
    assert shown == {"Model_A": reached["a"], "b": reached["b"], "c": reached["c"]}


def test_the_summary_names_measures_without_interval_or_without_full_marks(tmp_path):
    built(tmp_path, *three("ARS", 0.7, 0.5), *three("IFS", 0.2, 0.1, spread=None))
    text = (tmp_path / "out/summary.md").read_text()
    assert "No interval for IFS: too few" in text
    hsr = [one | {"highest": 99.7778} for one in three("HSR", 70.0, 60.0)]
    built(tmp_path, *hsr, *three("PSR", 0.7, 0.6))
    text = (tmp_path / "out/summary.md").read_text()
    assert "Highest attainable value" in text and "own rule: HSR 99.8 (FollowBench)." in text
    assert "PSR 1" not in text


def floored(tmp_path, *rows):
    """The summary of these rows and of a baseline whose ARS is .6 and whose IFS is 0."""
    models = DISPLAY["models"] | {"baseline": {"label": "Baseline", "engine": "baseline"}}
    baseline = [row("baseline", "ARS", 0.6), row("baseline", "IFS", 0, spread=None)]
    files = written(tmp_path, *rows, *baseline)
    write_summary(files, BENCHMARKS, DISPLAY | {"models": models}, tmp_path / "out")
    return (tmp_path / "out/summary.tex").read_text()


def test_the_summary_says_which_models_score_less_than_the_baseline(tmp_path):
    ars = [*three("ARS", 0.7, 0.5, 0.4), row("sim-x", "ARS", 0.1)]
    text = floored(tmp_path, *ars, *three("IFS", 0.2, 0.1, 0.3))
    assert "The no-lookup baseline scores ARS 0.600, above b and c:" in text
    text = floored(tmp_path, *(row(f"m{i}", "ARS", 0.1) for i in range(9)))
    assert "above m0, m1, m2 and 6 more:" in text


def test_incomplete_coverage_is_marked_and_told(tmp_path):
    rows = [row("a", "HSR", 70.0, n=819, expected=820), row("a", "CSL", 3.0), row("b", "HSR", 60.0)]
    rows.append(row("c", "HSR", None, n=0, expected=820))
    tables = built(tmp_path, *rows)
    marks = {line[1]: line[-1] for line in tables["summary"][1:]}
    assert marks == {"Model_A": "HSR: incomplete", "b": "", "c": "HSR: incomplete"}
    note = "Fewer samples scored than expected: Model_A (HSR 819 of 820); c (HSR 0 of 820)."
    assert note in (tmp_path / "out/summary.md").read_text().replace("\\", "")


def test_released_scores_beside_others_are_marked_in_both_tables(tmp_path):
    rows = [*three("ARS", 0.7, 0.6, 0.5), *three("IFS", 0.2, 0.1, 0.3)]
    for one in rows:
        one["prompts"] = "own" if one["model"] == "a" else "released"
    tables = built(tmp_path, *rows, *three("PSR", 0.7))
    assert [row[1] for row in tables["summary"][1:]] == ["Model_A", "b (released)", "c (released)"]
    notes = ("(released): scored on", "b (released), c (released): scored on")
    for name, said in zip(SUMMARY_TABLES, notes, strict=True):
        text = (tmp_path / f"out/{name}.md").read_text()
        assert said in text and "other prompts" in text


def test_models_that_are_none_stand_apart_and_missing_benchmarks_have_a_dash(tmp_path):
    rows = [row(model, "PSR", 0.5) for model in ("sim-x", "gold", "a")]
    body = built(tmp_path, *rows)["summary"][1:]
    assert [line[:2] for line in body] == [
        ["", "Model_A"],
        ["Readers (no real models)", "sim-x"],
        ["Reference (no model)", "gold"],
    ]
    tables = built(tmp_path, *three("PSR", 0.7), *three("DRFR", 0.8, 0.6))
    lines = {line[1]: line[2:] for line in tables["summary"][1:]}
    assert lines["b"] == ["", "", "0.600", "0.550 to 0.650", ""]
    assert re.search(r"\| b +\| +-- +\|", (tmp_path / "out/summary.md").read_text())


def test_correlations_over_few_models_come_with_what_they_are_worth_at_best(tmp_path):
    def note(models):
        rows = [row(f"m{i}", m, 0.1 * i) for i in range(models) for m in ("PSR", "DRFR")]
        built(tmp_path, *rows)
        return (tmp_path / "out/summary_correlations.md").read_text()

    # 2 of the 3! orders of three models agree or disagree completely.
    assert "p = 0.3333 with 3 models" in note(3)
    assert "p = 0.0833 with 4 models" in note(4)
    assert "weak evidence" not in note(10)
    assert "weak evidence" not in note(2)  # where there is no correlation


def test_simulated_readers_compete_for_want_of_models_and_the_tables_say_so(tmp_path):
    rows = [row(f"sim-{i}", m, 0.1 * i) for i in range(4) for m in ("PSR", "DRFR")]
    tables = built(tmp_path, *rows, row("gold", "PSR", 1.0), row("gold", "DRFR", 1.0))
    assert tables["summary_correlations"][1] == ["", "PSR", "DRFR", "4", "1.000", "1.000", ""]
    for name in SUMMARY_TABLES:
        text = (tmp_path / f"out/{name}.md").read_text()
        assert re.search("Simulated models only|there are no real models", text)


def correlations(folder, *rows):
    return {(r[1], r[2]): r[3:6] for r in built(folder, *rows)["summary_correlations"][1:]}


def test_rank_correlations_by_hand_and_of_models_that_have_both_measures(tmp_path):
    # Ranks 1 2 3 and 1 3 2: rho = 1 − 6·2/(3·8), tau = (2 − 1)/3.
    found = correlations(tmp_path, *three("HSR", 70, 60, 50), *three("PSR", 0.7, 0.2, 0.3))
    assert found["HSR", "PSR"] == ["3", "0.500", "0.333"]
    assert found["HSR", "CSL"] == ["0", "", ""]
    # a measure where small is good is turned round
    found = correlations(tmp_path, *three("ARS", 0.7, 0.6, 0.5), *three("IFS", 0.1, 0.2, 0.3))
    assert found == {("ARS", "IFS"): ["3", "1.000", "1.000"]}
    assert "IFS: sign reversed" in (tmp_path / "out/summary_correlations.md").read_text()
    # models that lack a measure are in none of it
    reference = [row("gold", "PSR", 1.0), row("gold", "DRFR", 1.0), row("sim-x", "PSR", 0.1)]
    rows = [*three("PSR", 0.1, 0.2, 0.3), *three("DRFR", 0.1, 0.2), *reference]
    assert correlations(tmp_path, *rows) == {("PSR", "DRFR"): ["2", "", ""]}
    assert "fewer than three models" in (tmp_path / "out/summary_correlations.md").read_text()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "sim-x", "gold", "NA", "=1"]),
            st.sampled_from([m for measures in MEASURES.values() for m in measures]),
            st.none() | st.floats(0, 1),
            st.integers(0, 3),
        ),
        min_size=1,
        unique_by=lambda cell: cell[:2],
    )
)
def test_any_summary_give_a_report_with_every_model(tmp_path, cells):
    rows = [row(model, measure, value, n, 3) for model, measure, value, n in cells]
    shown = built(tmp_path, *rows)["summary"][1:]
    labels = {"a": "Model_A", "=1": "'=1"}
    assert sorted(line[1] for line in shown) == sorted({labels.get(c[0], c[0]) for c in cells})


def test_damaged_summaries_are_named_with_what_they_lack(tmp_path):
    files = written(tmp_path, row("a", "PSR", 0.5))
    with pytest.raises(UserError, match=r"cfbench\.csv: no row of measure DRFR"):
        write_summary({"complexbench": files["cfbench"]}, BENCHMARKS, DISPLAY, tmp_path / "out")
    write_csv(tmp_path / "h.csv", pd.DataFrame([row("a", "PSR", 0.5)]).drop(columns="expected"))
    with pytest.raises(UserError, match="column 'expected' is missing"):
        read_summary(tmp_path / "h.csv")
    write_csv(tmp_path / "h.csv", pd.DataFrame([row("a", "PSR", 0.5), row("a", "PSR", 0.6)]))
    with pytest.raises(UserError, match="duplicate rows of PSR of model 'a'"):
        read_summary(tmp_path / "h.csv")
