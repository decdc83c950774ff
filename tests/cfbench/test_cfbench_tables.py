"""Tables and figures: values, marks and captions; and the paper's printed results."""

import re
from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from picture_checks import check, legend_texts, with_layout

from cfbench_run import READER, VERDICTS, Run, SmallRun
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench import figures, tables
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.benchmarks.cfbench.facts import MEASURES, OTHER_TASKS, SETS
from steadfast.benchmarks.cfbench.tables import CfbenchResults
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stats.tidy import rows_of

MODELS = {
    "reference": DisplayedModel("Reference", engine="reference"),
    "model-a": DisplayedModel("Model $A_1$ & co", engine="openai"),
    "model-b": DisplayedModel("model-b", engine="openai"),
    "sim-c": DisplayedModel("Hasty reader", "Readers", "simulated"),
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
    for model in MODELS:
        reader = READERS.get(model)
        responses = run.simulated_responses(reader) if reader else run.answers("zh")
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
    by_first = {}
    for section in table.sections:
        for row in section.rows:
            first, *texts = [cell.text for cell in row]
            by_first[first] = texts
    return by_first


def notes(table):
    return [text for _, text in table.notes]


def tick_labels(axes):
    return [text.get_text() for text in axes.get_yticklabels()]


def test_results_are_the_metrics_in_order_of_psr(frames):
    table = all_tables(frames)["table2_results"]
    by_label = rows(table)
    assert list(by_label) == RANKED
    columns = pd.MultiIndex.from_product([SETS, MEASURES])
    for model, display in MODELS.items():
        values = rows_of(frames["results"], model=model).set_index(["split", "measure"])["value"]
        cells = list(map(float, by_label[display.label][:-1]))
        assert cells == pytest.approx(values[columns].tolist(), abs=5.1e-4)
    models, simulated, reference = table.sections
    assert simulated.unranked and reference.unranked and not models.unranked


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
    run.judge("m", VERDICTS, VERDICTS)
    labels = [{"model": "m", "sample_id": "zh/0000", "verdicts": [1, 1]}]
    judges = {"j1": DisplayedModel("j1"), "j0": DisplayedModel("j0")}
    judges["idle"] = DisplayedModel("idle", engine="reference")
    frames = run.metrics(list(judges), labels)
    (table,) = tables.tables(frames, Display(judges=judges), "strict", ["table6_humans"])
    assert list(rows(table)) == ["j1", "j0"]  # as the config names them


def test_type_with_one_secondary_type_has_a_row_and_domains_keep_their_order():
    run = SmallRun()
    frames = run.metrics(run.judge("m", VERDICTS | {3: [1, 1]}))
    types, domains = tables.tables(frames, Display(), "strict", ["types", "domains"])
    assert [len(section.rows) for section in types.sections] == [1, 1, 1]
    assert "The paper's four classes" in " ".join(notes(domains))
    names = [[row[0].text for row in section.rows] for section in domains.sections]
    sources = ["Real life", "NLP tasks (CIF)"]
    assert names == [["Education", "Finance"], ["Summary", "Couplet"], sources]


def test_each_type_has_a_section_that_begins_with_all_its_checkpoints(frames):
    primary = rows_of(frames["types"], kind="primary")["category"].unique()
    numbers = []
    for section in all_tables(frames)["types"].sections:
        assert section.rows[0][0].text == "all"
        if section.heading != "No type given":
            numbers.append(section.heading.split()[0])
    assert numbers == [TYPES[label].number for label in primary if label]


def test_released_prints_two_decimals_and_the_fallback():
    run = SmallRun("released")
    by_name = all_tables(run.metrics(run.judge("model-a", VERDICTS)), "released")
    for row in rows(by_name["table2_results"]).values():
        assert all(text is None or len(text) == 4 for text in row[:-1]) and row[0]
    assert "Fallback" in [column.heading for column in by_name["coverage"].columns]
    assert "as by the released code" in by_name["types"].caption
    assert "two decimals" in " ".join(notes(by_name["table2_results"]))


@pytest.mark.wide
def test_figures_mark_what_is_no_real_model_in_the_legend(frames):
    models = {}
    for model, display in MODELS.items():
        models[model] = replace(display, label=f"{display.label:.<90}")
    pictures = with_layout(lambda: figures.figures(frames, Display(models=models)))
    by_kind = ["types", "secondary_types", "domains", "nlp_tasks"]
    assert list(pictures) == [*by_kind, "distribution", "factors"]
    del pictures["distribution"]  # of the data, not of models
    for name, (figure, _) in pictures.items():
        check(figure, name)
        legend = "\n".join(legend_texts(figure)) + "\n"
        assert legend.count("\n") == 4 + (name == "factors")  # with the mean
        assert "(simulated)\n" in legend and "(no model)\n" in legend


def test_factors_are_shown_for_the_best_models(frames, monkeypatch):
    assert figures.FACTOR_MODELS == 5  # as in the paper's figure 6
    monkeypatch.setattr(figures, "FACTOR_MODELS", 2)
    picture = figures.figures(frames, DISPLAY)["factors"]
    *models, _ = legend_texts(picture.figure)  # the last is the mean
    assert models == RANKED[:2]
    assert [axes.get_title() for axes in picture.figure.axes[:3]] == ["ISR", "PSR", ""]
    for axes in picture.figure.axes:
        assert axes.get_xlim() == (-0.5, len(axes.get_xticks()) - 0.5)
        assert axes.get_ylim() == (0, 1.02)
    assert "2 of 4 models are shown" in picture.caption


@pytest.fixture(scope="module")
def pictures(frames):
    return figures.figures(frames, DISPLAY)


@pytest.mark.parametrize(("name", "kind"), [("types", "primary"), ("secondary_types", "secondary")])
def test_figure_of_types_shows_values_and_names_the_extremes(frames, pictures, name, kind):
    picture = pictures[name]
    axes = picture.figure.axes[0]
    types = rows_of(frames["types"], kind=kind)
    values = rows_of(types, model="model-b")["value"]
    lines = {line.get_label(): line for line in axes.lines}
    assert sorted(lines["model-b"].get_xdata()) == sorted(values)
    assert len(tick_labels(axes)) == len(values)
    # means over the real models
    means = types[types["model"].isin(["model-a", "model-b"])].groupby("category")["value"].mean()
    extremes = rf"Mean over the models: from {means.min():.3f} \(.*\) to {means.max():.3f} \("
    assert re.search(extremes, picture.caption)
    assert ("Word count (C2)" in tick_labels(axes)) == (kind == "secondary")


@pytest.mark.parametrize("names", [["B"], ["A", "B"]])
def test_extremes_need_two_types(frames, names):
    rows = pd.DataFrame({"model": "model-a", "category": ["A", "B"], "value": [0.25, 0.5]})
    rows = rows.iloc[-len(names) :]
    notes = figures._extremes(CfbenchResults(frames, DISPLAY), rows, {name: name for name in names})
    assert len(notes) == len(names) - 1


def test_distribution_counts_records_largest_first():
    domains = [("domain", "教育", 2), ("domain", "金融", 5)]
    tasks = [("task", "NER", 3), ("task", OTHER_TASKS, 1234)]
    counts = pd.DataFrame(domains + tasks, columns=["kind", "category", "value"])
    results = CfbenchResults(metrics() | {"distribution": counts}, DISPLAY)
    picture = figures._distribution(results)
    domains, tasks = picture.figure.axes
    assert tick_labels(domains) == ["Finance", "Education"]
    assert [bar.get_width() for bar in domains.patches] == [5, 2]
    assert (domains.get_xlim(), domains.get_ylim()) == ((0, 1.15 * 5), (4.6, -0.6))
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
    values = pd.DataFrame(PRINTED).astype(float)  # a row for each measure and set
    means = (values[:3] + values[3:6].to_numpy()) / 2
    assert (abs(means - values[6:].to_numpy()) < HALF).all(axis=None)


def test_published_section_and_note_are_shown_on_demand(frames):
    without = all_tables(frames)
    with_section = all_tables(frames, display=PUBLISHED)
    name = "table2_results"
    before = without.pop(name)
    after = with_section.pop(name)
    assert with_section == without
    *sections, published = after.sections
    assert tuple(sections) == before.sections
    assert (published.heading, published.unranked) == ("Published (paper; judge GPT-4o)", True)
    assert after.notes == (*before.notes, ("data", PAPER["note"]))
    for display, count in ((DISPLAY, 0), (PUBLISHED, 1)):
        (table,) = tables.tables(frames, display, "strict", [name], "By others.")
        assert notes(table).count("By others.") == count


@pytest.mark.parametrize("mode", ["strict", "released"])
def test_published_digits_are_printed_unchanged_and_unranked(frames, mode):
    table = all_tables(frames, mode, replace(PUBLISHED, digits=5))["table2_results"]
    printed = {}
    for label, *cells, rank in table.sections[-1].rows:
        printed[label.text] = [cell.text for cell in cells]
        assert rank.text is None
        assert not any(cell.style or cell.marks for cell in (label, *cells, rank))
    assert printed == PRINTED
