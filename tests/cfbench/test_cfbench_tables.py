"""CFBench's tables and figures: what stands in them, what is marked, and that text stays text."""

import re
from dataclasses import replace
from functools import cache

import pandas as pd
import pytest
from picture_checks import check, drawn, legend_texts

from cfbench_run import CAREFUL, READER, Run
from steadfast.benchmarks.cfbench import figures, tables
from steadfast.benchmarks.cfbench.data import TYPES
from steadfast.benchmarks.cfbench.facts import MEASURES, OTHER_TASKS, SETS
from steadfast.show.roster import Display, Shown
from steadfast.stats.tidy import rows_of
from test_cfbench_metrics import VERDICTS, Made

MODELS = {
    "reference": Shown("Reference", engine="reference"),
    "model-a": Shown("Model $A_1$ & co", engine="openai"),
    "model-b": Shown("model-b", engine="openai"),
    "sim-c": Shown("Hasty reader", "Readers", "simulated"),
}
DISPLAY = Display(models=MODELS)
READERS = {"model-a": READER, "model-b": CAREFUL | {"slip": 0.1}, "sim-c": READER | {"slip": 0.5}}


@cache
def made(mode="strict"):
    """The metrics of a run with four models, two judges and labels."""
    run = Run(mode)
    answers = {name: run.read(reader) for name, reader in READERS.items()}
    for model, given in ({"reference": run.answers("zh")} | answers).items():
        first = run.judged(given, slip=0.4 if model == "model-b" else 0.0)
        run.score(model, given, first=first, second=run.judged(given, slip=0.2))
    labels = [
        {"model": "model-a", "sample_id": name, "verdicts": [1] * len(record["checkpoints"])}
        for name, record in list(run.records.items())[:12]
    ]
    return run.metrics(["first", "second"], labels)


@pytest.fixture(scope="module")
def frames():
    return made()


def all_tables(frames, mode="strict", display=DISPLAY):
    names = [name for name in tables.TABLES if name != "direct" or name in frames]
    return dict(zip(names, tables.tables(frames, display, mode, names), strict=True))


def rows(table):
    """Texts of the rows by their first cell's."""
    cells = (row for section in table.sections for row in section.rows)
    return {first.text: [cell.text for cell in others] for first, *others in cells}


def notes(table):
    return " ".join(text for _, text in table.notes)


def test_the_results_are_those_of_the_metrics_in_the_order_of_the_psr(frames):
    table = all_tables(frames)["table2_results"]
    values = frames["results"].set_index(["model", "split", "measure"])["value"]
    shown = rows(table)
    labels = {model: how.label for model, how in MODELS.items()}
    assert list(shown) == [labels[m] for m in ("model-b", "model-a", "sim-c", "reference")]
    for model, label in labels.items():
        want = [values[model, split, measure] for split in SETS for measure in MEASURES]
        assert [float(text) for text in shown[label][:-1]] == pytest.approx(want, abs=5.1e-4)
    assert [section.unranked for section in table.sections] == [False, True, True]


@pytest.mark.parametrize(("told", "ranks"), [(True, ["1", "2"]), (False, ["1–2", "1–2"])])
def test_ranks_are_by_the_psr_of_all_records(frames, told, ranks):
    compared = frames["comparisons"]
    of_all = (compared["split"] == "full") & (compared["measure"] == "PSR")
    p = (of_all != told).astype(float)  # 0 where the two are told apart, else 1
    changed = {**frames, "comparisons": compared.assign(p_model=p, p_other=p)}
    shown = rows(all_tables(changed)["table2_results"])
    labels = [MODELS[model].label for model in ("model-b", "model-a", "sim-c", "reference")]
    assert [shown[label][-1] for label in labels] == [*ranks, None, None]


def test_people_stand_in_table_6_where_their_judge_answered(frames):
    found = all_tables(frames)
    judges = rows(found["table6_humans"])
    assert list(judges) == ["first", "second"]
    assert {row[6] for row in judges.values()} <= {str(n) for n in range(10, 13)}
    assert len(found["agreement"].sections) == 2
    # judges of no labelled answer have no row
    by_hand = Made()
    by_hand.judged("m", VERDICTS)
    labels = [{"model": "m", "sample_id": "zh/0000", "verdicts": [1, 1]}]
    judges = {"j0": Shown("j0"), "idle": Shown("idle", engine="reference")}
    found = by_hand.metrics(list(judges), labels)
    (table,) = tables.tables(found, Display(judges=judges), "strict", ["table6_humans"])
    assert list(rows(table)) == ["j0"]


def test_each_type_with_checkpoints_has_a_section_that_opens_with_all_of_it(frames):
    found = frames["types"]
    primary = found[(found["kind"] == "primary") & (found["category"] != "")]
    sections = all_tables(frames)["types"].sections
    shown = [section.heading for section in sections if section.heading != "No type given"]
    numbers = [TYPES[label].number for label in dict.fromkeys(primary["category"])]
    assert numbers and [heading.split()[0] for heading in shown] == numbers
    assert {section.rows[0][0].text for section in sections} == {"all"}


def test_mode_released_prints_two_decimals_and_its_fallback():
    found = all_tables(made("released"), "released")
    texts = [text for row in rows(found["table2_results"]).values() for text in row[:-1] if text]
    assert texts and all(len(text) == 4 for text in texts)
    assert "Fallback" in [column.heading for column in found["coverage"].columns]
    assert "as by the released code" in found["types"].caption
    assert "two decimals" in notes(found["table2_results"])


@pytest.mark.wide
def test_figures_name_what_is_no_real_model_and_show_the_whole_legend(frames):
    long_names = {name: replace(how, label=f"{how.label:.<90}") for name, how in MODELS.items()}
    found = drawn(lambda: figures.figures(frames, Display(models=long_names)))
    by_kind = ["types", "secondary_types", "domains", "nlp_tasks"]
    assert list(found) == [*by_kind, "distribution", "factors"]
    del found["distribution"]  # of the data, not of models
    for name, (figure, _) in found.items():
        check(figure, name)
        texts = legend_texts(figure)
        assert len(texts) == 4 + (name == "factors")  # with the mean
        assert any(t.endswith("(simulated)") for t in texts)
        assert any(t.endswith("(no model)") for t in texts)


def test_factors_are_shown_of_five_models_as_in_figure_6(frames, monkeypatch):
    assert figures.FACTOR_MODELS == 5
    monkeypatch.setattr(figures, "FACTOR_MODELS", 2)  # of the four here
    found = figures.figures(frames, DISPLAY)["factors"]
    *models, _ = legend_texts(found.figure)  # the last is the mean
    assert models == ["model-b", "Model $A_1$ & co"]
    assert "2 of 4 models are shown" in found.caption


def test_a_mark_stands_at_the_share_of_its_type_and_the_caption_names_the_ends(frames):
    found = figures.figures(frames, DISPLAY)
    for name, kind in (("types", "primary"), ("secondary_types", "secondary")):
        axes = found[name].figure.axes[0]
        types = rows_of(frames["types"], kind=kind)
        rows = rows_of(types, model="model-b")
        (line,) = [line for line in axes.lines if line.get_label() == "model-b"]
        assert sorted(line.get_xdata()) == sorted(rows["value"])
        assert len(axes.get_yticklabels()) == len(rows)
        # The real models compete; the reader and the reference do not.
        its = types[types["model"].isin(["model-a", "model-b"])]
        means = its.groupby("category")["value"].mean()
        ends = rf"Mean over the models: from {means.min():.3f} \(.*\) to {means.max():.3f} \("
        assert re.search(ends, found[name].caption)
    assert "Word count (C2)" in [
        text.get_text() for text in found["secondary_types"].figure.axes[0].get_yticklabels()
    ]


def test_the_distribution_counts_the_records_most_of_a_kind_on_top():
    counted = [("domain", "教育", 2), ("domain", "金融", 5), ("task", "NER", 3)]
    frame = pd.DataFrame(
        [*counted, ("task", OTHER_TASKS, 1234)], columns=["kind", "category", "value"]
    )
    found = figures.figures(made() | {"distribution": frame}, DISPLAY)["distribution"]
    domains, tasks = found.figure.axes
    assert [text.get_text() for text in domains.get_yticklabels()] == ["Finance", "Education"]
    assert [bar.get_width() for bar in domains.patches] == [5, 2]
    assert [bar.get_width() for bar in tasks.patches] == [3]
    assert found.caption.endswith("1,234 more records are of other NLP tasks.")


def test_records_are_counted_once_whatever_answered_them(frames):
    counted = frames["distribution"].groupby("kind")["value"].sum()
    assert counted["source"] == 24 == counted["domain"] + counted["task"]
