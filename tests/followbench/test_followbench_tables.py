"""FollowBench's tables and figure: what stands in them, and what is marked."""

import csv

import pandas as pd
import pytest

from followbench_data import cases
from followbench_run import Run
from steadfast.followbench import benchmark
from steadfast.followbench.results import Results
from steadfast.followbench.tables import BUILDERS
from steadfast.metrics.tidy import OVERALL, read_csv, write_csv

MODELS = {
    "reference": "reference",
    "real-a": "simulated",
    "real-b": "simulated",
    "sim-c": "simulated",
}
LOST = {"real-b": {"en/style/1/2": {"status": "refused", "text": ""}}}
DISPLAY = {
    "digits": 3,
    "labels": {"real-a": "Model $A_1$ & co", "reference": "Reference"},
    "groups": {"real-a": "Models", "real-b": "Models"},
    "engines": {"reference": "reference", "real-a": "openai", "real-b": "openai"},
    "judges": {"first": ("First", "openai")},
}
SETTINGS = {"mode": "strict", "names": list(BUILDERS)}


def made(folder, languages=("en", "zh"), mode="strict"):
    """The metrics files of a run with four models and two judges."""
    scores, sources = {}, {}
    for language in languages:
        run = Run(folder, language=language, mode=mode)
        sources[language] = run.sources
        for number, (model, how) in enumerate(MODELS.items()):
            changes = LOST.get(model, {}) if language == "en" else {}
            run.answer(model, how, **changes)
            run.judge(model, "first", "reference" if number < 3 else "simulated")
            run.judge(model, "second", "simulated")
            run.score(model, "first", "second")
            scores[model, language] = run.path("scores", model)
    outs = {name: folder / f"metrics/{name}.csv" for name in benchmark.METRICS}
    settings = {"languages": list(languages), "judges": ["first", "second"]}
    benchmark.compute_metrics(scores, sources, settings, {}, outs)
    return outs


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return made(tmp_path_factory.mktemp("followbench"))


def tables(found, out, languages=("en", "zh"), display=DISPLAY, **changes):
    settings = SETTINGS | {"languages": list(languages)} | changes
    benchmark.build_tables(found, display, settings, out)
    texts = {name: (out / f"{name}.csv").read_text("utf-8") for name in settings["names"]}
    return {
        name.removeprefix("followbench_"): list(csv.reader(text.splitlines()))
        for name, text in texts.items()
    }


def test_every_table_is_written_in_three_forms(found, tmp_path):
    tables(found, tmp_path)
    for name in BUILDERS:
        for kind in ("tex", "md", "csv"):
            assert (tmp_path / f"{name}.{kind}").stat().st_size > 100
    assert all(name.startswith("followbench_") for name in BUILDERS)


def test_table_2_is_the_mean_of_the_categories(found, tmp_path):
    _, *rows = tables(found, tmp_path)["table2_levels"]
    hsr = read_csv(found["hsr"]).set_index(["model", "language", "category", "level"])["value"]
    csl = read_csv(found["csl"]).set_index(["model", "language", "category"])["value"]
    shown = {(row[0].split(":")[0], row[1]): row for row in rows}
    for (language, label), row in shown.items():
        model = {"Reference": "reference", "Model $A_1$ & co": "real-a"}.get(label, label)
        code = {"English": "en", "Chinese": "zh"}[language]
        values = [hsr[model, code, OVERALL, place] for place in ("1", "2", "3", "4", "5", "")]
        assert [float(cell) for cell in row[2:8]] == pytest.approx(values, abs=0.051)
        assert float(row[14]) == pytest.approx(csl[model, code, OVERALL], abs=0.051)
    assert len(shown) == 8


def test_languages_and_kinds_of_models_have_sections_of_their_own(found, tmp_path):
    groups = dict.fromkeys(row[0] for row in tables(found, tmp_path)["table7_content"][1:])
    assert list(groups) == [
        "English: Models",
        "English: (no real models)",
        "English: (gold, no model)",
        "Chinese: Models",
        "Chinese: (no real models)",
        "Chinese: (gold, no model)",
    ]
    one = tables(made(tmp_path / "one", ["zh"]), tmp_path, ["zh"])["table7_content"]
    assert [row[0] for row in one[1:]][:2] == ["Models", "Models"]


def test_what_is_incomplete_is_marked_where_it_counts(found, tmp_path):
    rows = tables(found, tmp_path)
    table = {row[1]: row for row in rows["table9_style"][1:] if row[0].startswith("English")}
    assert "L2: incomplete" in table["real-b"][-1] and "L1: incomplete" not in table["real-b"][-1]
    assert not table["Reference"][-1] and not table["Model $A_1$ & co"][-1]
    assert not any(row[-1] for row in rows["table11_example"][1:])
    text = (tmp_path / "followbench_table9_style.md").read_text("utf-8")
    assert "real-b, English (19 of 20)" in text
    assert "Fewer items" not in (tmp_path / "followbench_table11_example.md").read_text("utf-8")
    coverage = {row[1]: row for row in rows["coverage"][1:] if row[0].startswith("English")}
    assert coverage["Reference"][2:9] == ["100"] * 7
    assert coverage["real-b"][4] == "95.0" and coverage["real-b"][9] == "1"


def test_invalid_verdicts_are_counted_in_the_coverage(found, tmp_path):
    head, *rows = tables(found, tmp_path)["coverage"]
    counts = read_csv(found["coverage"])
    whole = counts[(counts["category"] == OVERALL) & (counts["level"] == "")]
    invalid = whole.set_index(["model", "language"])["status_invalid"]
    assert invalid["sim-c", "en"] > 0
    row = next(row for row in rows if row[1] == "sim-c" and row[0].startswith("English"))
    assert row[head.index("Invalid")] == str(invalid["sim-c", "en"])


def test_what_cannot_be_passed_is_said_where_it_matters(found, tmp_path):
    tables(found, tmp_path)

    def text(name: str) -> str:
        return (tmp_path / f"followbench_{name}.md").read_text("utf-8")

    sentence = "English: no answer can pass 2 of the items"
    assert sentence in text("table2_levels") and sentence in text("table10_format")
    assert sentence not in text("table9_style")
    assert "Chinese: no answer" not in text("table2_levels")


def test_the_judge_is_named_and_a_stand_in_is_called_so(found, tmp_path):
    tables(found, tmp_path)
    path = tmp_path / "followbench_table2_levels.md"
    assert "Judge: First." in path.read_text("utf-8")
    tables(found, tmp_path, display={**DISPLAY, "judges": {"ref": ("Ref", "reference")}})
    assert "no real model" in path.read_text("utf-8").split("Judge: Ref")[1]


def test_table_1_counts_the_items(found, tmp_path):
    _, *rows = tables(found, tmp_path)["table1_items"]
    assert rows[-1][-5:-1] == ["", "145", "", "140"]
    events = next(row for row in rows if "event argument" in row[2])
    assert events[3:-1] == ["Rule", "58", "5", "", "0"]


def test_table_5_counts_groups(found, tmp_path):
    _, *rows = tables(found, tmp_path)["table5_consistency"]
    table = read_csv(found["consistency"])
    table = table[(table["category"] == OVERALL) & (table["kind"] == OVERALL)]
    failing = table.set_index(["model", "language"])["n"]
    row = next(row for row in rows if row[1] == "real-b" and row[0].startswith("English"))
    assert row[3] == str(failing["real-b", "en"])


def test_agreement_is_told_of_constraints_and_of_items(found, tmp_path):
    rows = tables(found, tmp_path)
    by_constraint, by_item = (
        next(row for row in rows[name] if row[3:4] == ["All models"])
        for name in ("agreement", "table3_agreement")
    )
    assert int(by_constraint[4].replace(",", "")) > int(by_item[4].replace(",", ""))


def test_text_stays_text(found, tmp_path):
    tables(found, tmp_path)
    tex = (tmp_path / "followbench_table2_levels.tex").read_text("utf-8")
    assert r"Model \$A\_1\$ \& co" in tex


def test_mode_released_prints_as_the_released_code_does(tmp_path, found):
    results = Results(found, DISPLAY, SETTINGS | {"mode": "released", "languages": ["en"]})
    for case in cases("metrics"):
        for text in case["HSR"]:
            assert str(results.shown(float(text.rstrip("%")))) == text.rstrip("%")
    assert str(results.shown(0.35, levels=True)) == "0.3"
    head, *_ = tables(found, tmp_path, mode="released")["coverage"]
    assert "Unreadable" in head and "Invalid" in head


def test_the_figure_is_drawn_and_twice_the_same(found, tmp_path):
    for name in ("a", "b"):
        benchmark.draw_figures(found, DISPLAY, {"by_category": tmp_path / f"{name}.png"})
    first, second = ((tmp_path / f"{name}.png").read_bytes() for name in ("a", "b"))
    assert first == second and len(first) > 20_000


def test_without_any_score_there_are_tables_and_a_figure(found, tmp_path):
    nothing = {}
    for name, path in found.items():
        rows = read_csv(path)
        if name in ("hsr", "ssr", "csl", "scorers", "agreement"):
            rows = rows.iloc[:0]
        if name == "coverage":
            rows = rows.assign(scored=0)
        nothing[name] = tmp_path / f"{name}.csv"
        write_csv(nothing[name], pd.DataFrame(rows))
    rows = tables(nothing, tmp_path)
    assert {cell for row in rows["table2_levels"][1:] for cell in row[2:-1]} == {""}
    benchmark.draw_figures(nothing, DISPLAY, {"by_category": tmp_path / "figure.png"})
