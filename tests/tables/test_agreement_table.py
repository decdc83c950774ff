"""The table of agreement between raters."""

import csv
import io
from types import SimpleNamespace

import pytest

from steadfast.show.judges import AGREEMENT, agreement_table
from steadfast.show.render import comma_separated, markdown, write_table
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stats.agreement import agreement_rows

DISPLAY = Display(2, models={"m": DisplayedModel("Model M"), "judge": DisplayedModel("Judge_1")})


def verdicts(**models: str) -> dict:
    """A rater's verdicts on the questions of each model, two a sample; a space is none."""
    by_question = {}
    for model, text in models.items():
        for i, verdict in enumerate(text):
            if verdict != " ":
                by_question[model, f"s{i // 2}", i] = int(verdict)
    return by_question


JUDGES = {"judge": verdicts(m="1100", n="10"), "other": verdicts(m="1110", n="10")}
PEOPLE = {"ann": verdicts(m="11 0")}


def table(judges, people=None, cluster=lambda item: "all", display=DISPLAY):
    rows = agreement_rows(judges, people or {}, lambda item: item[0], cluster)
    results = SimpleNamespace(prefix="t_", frames={"agreement": rows}, display=display)
    return agreement_table(results, "agreement", "MyBench", "question")


def csv_rows(table) -> list[list[str]]:
    return list(csv.reader(io.StringIO(comma_separated(table))))


def test_agreement_has_rows_for_all_models_and_for_each():
    header, *rows = csv_rows(table(JUDGES))
    assert header[:5] == ["group", "First", "Second", "Model", "Items"]
    # m: 3 of 4 agree, chance (2·3 + 2·1)/16 = 1/2; n: both alike.
    assert rows[:3] == [
        ["Judges", "Judge_1", "other", "All models", "6", "83.3", "0.67", "0", "0", ""],
        ["Judges", "Judge_1", "other", "Model M", "4", "75.0", "0.50", "0", "0", ""],
        ["Judges", "Judge_1", "other", "n", "2", "100.0", "1.00", "0", "0", ""],
    ]


def notes(table) -> set[str]:
    """The names of a table's notes."""
    return {name for name, text in AGREEMENT["notes"].items() if (None, text) in table.notes}


def test_raters_of_a_pair_are_printed_once():
    (section,) = table(JUDGES).sections
    assert [[cell.repeated for cell in row[:3]] for row in section.rows] == [
        [False, False, False], [True, True, False], [True, True, False]
    ]  # fmt: skip


def test_notes_are_on_what_the_table_has():
    assert notes(table(JUDGES)) == set()
    assert notes(table(JUDGES, PEOPLE)) == {"alone", "rates"}  # one did not judge all


def test_people_have_their_section():
    rows = [row[1:] for row in csv_rows(table(JUDGES, PEOPLE)) if row[0] == "Judges and people"]
    assert rows[0][:4] == ["Judge_1", "ann", "All models", "3"]
    assert rows[0][-3:-1] == ["3", "0"]
    assert rows[1][:4] == ["Judge_1", "ann", "Model M", "3"]
    assert rows[2][:6] == ["Judge_1", "ann", "n", "0", "", ""]


def test_intervals_have_columns_if_there_are_any():
    with_intervals = table(JUDGES, cluster=lambda item: item[:2])
    headings = [column.heading for column in with_intervals.columns]
    assert headings.count("95 % interval") == 2
    assert "95 % intervals" in with_intervals.caption
    assert "bootstrap" not in table(JUDGES).caption
    value, interval = csv_rows(with_intervals)[1][5:7]
    low, high = map(float, interval.split(" to "))
    assert 0 <= low < float(value) < high <= 100
    assert max(map(float, csv_rows(with_intervals)[1][8].split(" to "))) <= 1


def test_single_rater_has_an_empty_table_with_a_note(tmp_path):
    empty = table({"judge": verdicts(m="10")})
    assert empty.sections == ()
    assert "No two raters judged the same responses" in markdown(empty)
    write_table(empty, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("other", "has_note"), [({"m": "11"}, True), ({"m": "10"}, False), ({"n": "11"}, False)]
)
def test_undefined_kappa_is_noted(other, has_note):
    notes = table({"judge": verdicts(m="11"), "other": verdicts(**other)}).notes
    assert ("No kappa" in str(notes)) == has_note


def test_raters_without_common_responses_have_no_row():
    engines = {"real": "openai", "other": "vllm", "dummy": "reference", "idle": "simulated"}
    judges = {name: DisplayedModel(name, engine=engine) for name, engine in engines.items()}
    raters = {
        "real": verdicts(m="10"),
        "other": verdicts(m="11"),
        "dummy": verdicts(sim="10"),
        "idle": verdicts(sim="10"),
    }
    _, *rows = csv_rows(table(raters, PEOPLE, display=Display(2, judges=judges)))
    pairs = {(row[1], row[2]) for row in rows}
    assert pairs == {("real", "other"), ("dummy", "idle"), ("real", "ann"), ("other", "ann")}
