"""Tables and figures: values, marks and captions; and the paper's printed results."""

import re
from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from picture_checks import check, drawn, legend_texts

from cfbench_run import READER, VERDICTS, Run, SmallRun
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench import figures, tables
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.benchmarks.cfbench.facts import MEASURES, OTHER_TASKS, SETS
from steadfast.show.roster import Display, Shown
from steadfast.stats.tidy import rows_of

MODELS = {
    "reference": Shown("Reference", engine="reference"),
    "model-a": Shown("Model $A_1$ & co", engine="openai"),
    "model-b": Shown("model-b", engine="openai"),
    "sim-c": Shown("Hasty reader", "Readers", "simulated"),
}
RANKED = ["model-b", "Model $A_1$ & co", "Hasty reader", "Reference"]
"""Labels in the order of the PSR, those that are no real models last."""
DISPLAY = Display(models=MODELS)
READERS = {
    "model-a": READER,
    "model-b": {"slip": 0.1, "position_bias": 0.0},
    "sim-c": READER | {"slip": 0.5},
}


@cache
def metrics(mode="strict"):
    """The metrics of a run with four models, two judges and labels."""
    run = Run(mode)
    answers = {"reference": run.answers("zh")}
    answers |= {model: run.simulated_responses(reader) for model, reader in READERS.items()}
    for model, responses in answers.items():
        first = run.simulated_replies(responses, slip=0.4 if model == "model-b" else 0.0)
        run.score(model, responses, first=first, second=run.simulated_replies(responses, slip=0.2))
    labels = []
    for name, record in list(run.records.items())[:12]:
        ones = [1] * len(record["checkpoints"])
        labels.append({"model": "model-a", "sample_id": name, "verdicts": ones})
    return run.metrics(["first", "second"], labels)


@pytest.fixture(scope="module")
def frames():
    return metrics()


def all_tables(frames, mode="strict", display=DISPLAY):
    names = [name for name in tables.TABLES if name != "direct" or name in frames]
    return dict(zip(names, tables.tables(frames, display, mode, names), strict=True))


def rows(table):
    """The rows' texts by that of their first cell."""
    texts = {}
    for section in table.sections:
        for first, *cells in section.rows:
            texts[first.text] = [cell.text for cell in cells]
    return texts


def test_results_are_the_metrics_in_order_of_psr(frames):
    table = all_tables(frames)["table2_results"]
    values = frames["results"].set_index(["model", "split", "measure"])["value"]
    by_label = rows(table)
    assert list(by_label) == RANKED
    for model, shown in MODELS.items():
        expected = [values[model, split, measure] for split in SETS for measure in MEASURES]
        cells = [float(text) for text in by_label[shown.label][:-1]]
        assert cells == pytest.approx(expected, abs=5.1e-4)
    assert [section.unranked for section in table.sections] == [False, True, True]


@pytest.mark.parametrize(("significant", "ranks"), [(True, ["1", "2"]), (False, ["1–2", "1–2"])])
def test_ranks_are_by_the_psr_of_all_records(frames, significant, ranks):
    rows_before = frames["comparisons"]
    of_all = (rows_before["split"] == "full") & (rows_before["measure"] == "PSR")
    p = (of_all != significant).astype(float)
    comparisons = rows_before.assign(p_model=p, p_other=p)
    by_label = rows(all_tables({**frames, "comparisons": comparisons})["table2_results"])
    assert [by_label[label][-1] for label in RANKED] == [*ranks, None, None]


def test_table_6_compares_people_with_judges(frames):
    by_name = all_tables(frames)
    judges = rows(by_name["table6_humans"])
    assert list(judges) == ["first", "second"]
    assert {row[6] for row in judges.values()} <= {"10", "11", "12"}
    assert len(by_name["agreement"].sections) == 2


def test_table_6_omits_judges_without_labelled_responses():
    run = SmallRun()
    run.judge("m", VERDICTS)
    labels = [{"model": "m", "sample_id": "zh/0000", "verdicts": [1, 1]}]
    judges = {"j0": Shown("j0"), "idle": Shown("idle", engine="reference")}
    frames = run.metrics(list(judges), labels)
    (table,) = tables.tables(frames, Display(judges=judges), "strict", ["table6_humans"])
    assert list(rows(table)) == ["j0"]


def test_each_type_has_a_section_that_begins_with_all_its_checkpoints(frames):
    primary = rows_of(frames["types"], kind="primary")["category"].unique()
    sections = all_tables(frames)["types"].sections
    headings = [section.heading for section in sections if section.heading != "No type given"]
    numbers = [TYPES[label].number for label in primary if label]
    assert numbers and [heading.split()[0] for heading in headings] == numbers
    assert {section.rows[0][0].text for section in sections} == {"all"}


def test_released_prints_two_decimals_and_the_fallback():
    by_name = all_tables(metrics("released"), "released")
    for row in rows(by_name["table2_results"]).values():
        assert all(text is None or len(text) == 4 for text in row[:-1]) and row[0]
    assert "Fallback" in [column.heading for column in by_name["coverage"].columns]
    assert "as by the released code" in by_name["types"].caption
    notes = [text for _, text in by_name["table2_results"].notes]
    assert "two decimals" in " ".join(notes)


@pytest.mark.wide
def test_figures_mark_what_is_no_real_model_in_the_legend(frames):
    long_names = {
        name: replace(shown, label=f"{shown.label:.<90}") for name, shown in MODELS.items()
    }
    pictures = drawn(lambda: figures.figures(frames, Display(models=long_names)))
    by_kind = ["types", "secondary_types", "domains", "nlp_tasks"]
    assert list(pictures) == [*by_kind, "distribution", "factors"]
    del pictures["distribution"]  # of the data, not of models
    for name, (figure, _) in pictures.items():
        check(figure, name)
        texts = legend_texts(figure)
        assert len(texts) == 4 + (name == "factors")  # with the mean
        assert any(text.endswith("(simulated)") for text in texts)
        assert any(text.endswith("(no model)") for text in texts)


def test_factors_are_shown_for_the_best_models(frames, monkeypatch):
    assert figures.FACTOR_MODELS == 5  # as in the paper's figure 6
    monkeypatch.setattr(figures, "FACTOR_MODELS", 2)
    picture = figures.figures(frames, DISPLAY)["factors"]
    *models, _ = legend_texts(picture.figure)  # the last is the mean
    assert models == RANKED[:2]
    assert "2 of 4 models are shown" in picture.caption


@pytest.mark.parametrize(("name", "kind"), [("types", "primary"), ("secondary_types", "secondary")])
def test_figure_of_types_shows_values_and_names_the_extremes(frames, name, kind):
    picture = figures.figures(frames, DISPLAY)[name]
    axes = picture.figure.axes[0]
    types = rows_of(frames["types"], kind=kind)
    values = rows_of(types, model="model-b")["value"]
    lines = {line.get_label(): line for line in axes.lines}
    assert sorted(lines["model-b"].get_xdata()) == sorted(values)
    assert len(axes.get_yticklabels()) == len(values)
    # means over the real models
    means = types[types["model"].isin(["model-a", "model-b"])].groupby("category")["value"].mean()
    extremes = rf"Mean over the models: from {means.min():.3f} \(.*\) to {means.max():.3f} \("
    assert re.search(extremes, picture.caption)
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert ("Word count (C2)" in labels) == (kind == "secondary")


def test_distribution_counts_records_largest_first():
    counts = pd.DataFrame(
        [
            ("domain", "教育", 2),
            ("domain", "金融", 5),
            ("task", "NER", 3),
            ("task", OTHER_TASKS, 1234),
        ],
        columns=["kind", "category", "value"],
    )
    picture = figures.figures(metrics() | {"distribution": counts}, DISPLAY)["distribution"]
    domains, tasks = picture.figure.axes
    assert [text.get_text() for text in domains.get_yticklabels()] == ["Finance", "Education"]
    assert [bar.get_width() for bar in domains.patches] == [5, 2]
    assert [bar.get_width() for bar in tasks.patches] == [3]
    assert picture.caption.endswith("1,234 more records are of other NLP tasks.")


def test_distribution_counts_each_record_once(frames):
    counts = frames["distribution"].groupby("kind")["value"].sum()
    assert counts["source"] == 24 == counts["domain"] + counts["task"]


PAPER = facts("cfbench/printed.yaml")
PRINTED = {model: row.split() for model, row in PAPER["results"].items()}
PUBLISHED = replace(DISPLAY, published=True)
HALF = 0.0005 + 1e-9  # half of the last printed digit


def test_printed_full_is_the_mean_of_easy_and_hard():
    for model, row in PRINTED.items():
        digits = [float(text) for text in row]
        for easy, hard, full in zip(digits[:3], digits[3:6], digits[6:], strict=True):
            assert abs((easy + hard) / 2 - full) < HALF, model


def test_published_section_and_note_are_shown_on_demand(frames):
    without = all_tables(frames)
    shown = all_tables(frames, display=PUBLISHED)
    name = "table2_results"
    assert [table for table in without if without[table] != shown[table]] == [name]
    *sections, published = shown[name].sections
    assert tuple(sections) == without[name].sections
    assert (published.heading, published.unranked) == ("Published (paper; judge GPT-4o)", True)
    assert shown[name].notes == (*without[name].notes, ("data", PAPER["note"]))
    for display, count in ((DISPLAY, 0), (PUBLISHED, 1)):
        (table,) = tables.tables(frames, display, "strict", [name], "By others.")
        assert [text for _, text in table.notes].count("By others.") == count


@pytest.mark.parametrize("mode", ["strict", "released"])
def test_published_digits_are_printed_unchanged_and_unranked(frames, mode):
    table = all_tables(frames, mode, replace(PUBLISHED, digits=5))["table2_results"]
    published = table.sections[-1].rows
    assert {row[0].text: [cell.text for cell in row[1:-1]] for row in published} == PRINTED
    assert {row[-1].text for row in published} == {None}  # the ranks
    assert not any(cell.style or cell.marks for row in published for cell in row)
