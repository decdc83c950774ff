"""The table of agreement between raters."""

import csv
import io
from types import SimpleNamespace

import pytest

from steadfast.show.judges import agreement_table
from steadfast.show.render import comma_separated, markdown, write_table
from steadfast.show.roster import Display, Shown
from steadfast.stats.agreement import agreement_rows

DISPLAY = Display(2, models={"m": Shown("Model M"), "judge": Shown("Judge_1")})


def verdicts(**raters):
    """Verdicts on the questions of models m and n, given as strings of 0 and 1."""
    return {
        name: {
            (model, f"s{i // 2}", i): int(verdict)
            for model, given in models.items()
            for i, verdict in enumerate(given)
            if verdict != " "
        }
        for name, models in raters.items()
    }


JUDGES = verdicts(judge={"m": "1100", "n": "10"}, other={"m": "1110", "n": "10"})
PEOPLE = verdicts(ann={"m": "11 0"})


def table(judges, people=None, cluster=lambda item: "all"):
    rows = agreement_rows(judges, people or {}, lambda item: item[0], cluster)
    return shown(rows, DISPLAY)


def shown(rows, display):
    results = SimpleNamespace(prefix="t_", frames={"agreement": rows}, display=display)
    return agreement_table(results, "agreement", "MyBench", "question")


def read(found) -> list[dict[str, str]]:
    return list(csv.reader(io.StringIO(comma_separated(found))))


def test_agreement_has_a_row_for_all_and_each_model_and_people_a_section():
    head, *rows = read(table(JUDGES))
    assert head[:5] == ["group", "First", "Second", "Model", "Items"]
    # m: 3 of 4 agree, chance (2·3 + 2·1)/16 = 1/2; n: both alike.
    assert rows[:3] == [
        ["Judges", "Judge_1", "other", "All models", "6", "83.3", "0.67", "0", "0", ""],
        ["Judges", "Judge_1", "other", "Model M", "4", "75.0", "0.50", "0", "0", ""],
        ["Judges", "Judge_1", "other", "n", "2", "100.0", "1.00", "0", "0", ""],
    ]
    rows = [row for row in read(table(JUDGES, PEOPLE)) if row[0] == "Judges and people"]
    assert [row[1:5] for row in rows[:3]] == [
        ["Judge_1", "ann", "All models", "3"],
        ["Judge_1", "ann", "Model M", "3"],
        ["Judge_1", "ann", "n", "0"],
    ]
    assert rows[0][-3:-1] == ["3", "0"]
    assert rows[2][5:7] == ["", ""]


def test_intervals_have_columns_where_there_are_any():
    found = table(JUDGES, cluster=lambda item: item[:2])
    assert [column.heading for column in found.columns].count("95 % interval") == 2
    assert "95 % intervals" in found.caption
    assert "bootstrap" not in table(JUDGES).caption
    *_, value, interval = read(found)[1][:7]
    low, high = map(float, interval.split(" to "))
    assert 0 <= low < float(value) < high <= 100


def test_one_rater_alone_gives_a_table_that_says_so(tmp_path):
    found = table(verdicts(judge={"m": "10"}))
    assert found.sections == ()
    assert "No two raters judged the same responses" in markdown(found)
    write_table(found, tmp_path)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("other", "explained"), [({"m": "11"}, True), ({"m": "10"}, False), ({"n": "11"}, False)]
)
def test_an_undefined_kappa_is_explained(other, explained):
    found = table(verdicts(judge={"m": "11"}, other=other))
    assert any("No kappa" in text for _, text in found.notes) == explained


def test_raters_who_judged_nothing_that_a_stand_in_judged_stand_beside_no_stand_in():
    raters = verdicts(real={"m": "10"}, other={"m": "11"}, dummy={"sim": "10"}, idle={"sim": "10"})
    engines = {"real": "openai", "other": "vllm", "dummy": "reference", "idle": "simulated"}
    display = Display(2, judges={name: Shown(name, engine=how) for name, how in engines.items()})
    rows = agreement_rows(raters, PEOPLE, lambda item: item[0], lambda item: "all")
    found = read(shown(rows, display))[1:]
    assert {(row[1], row[2]) for row in found} == {
        ("real", "other"),
        ("dummy", "idle"),
        ("real", "ann"),
        ("other", "ann"),
    }
