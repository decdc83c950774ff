"""Groups with Selection: which of them are known to lack a branch, and where that is said."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_instances import asked, both_branches, data_file, instance
from complexbench_run import Run, record, synthetic
from steadfast.benchmarks.complexbench.branches import Member, lacking
from steadfast.benchmarks.complexbench.data import summary
from steadfast.benchmarks.complexbench.schema import check, read_instances
from steadfast.benchmarks.complexbench.tables import tables
from steadfast.show.render import printed
from steadfast.show.roster import Display, Shown


def group(*numbers, selections=1, branches=None) -> list[Member]:
    return [Member(number, selections, branches) for number in numbers]


@pytest.mark.parametrize(
    ("members", "clause"),
    [
        (group(1, 2), None),
        (group(2, 1, 3), None),
        (group(1), "no other instance takes another branch"),
        (group(1, selections=2), None),  # several selections may take all branches at once
        (group(1, 3), "number 2 of the group is missing"),
        (group(2), "number 1 of the group is missing"),
        (group(1, 2, branches=3), "the group has 2 of 3 branches"),
        (group(1, 2, 3, branches=3), None),
        (group(1, selections=2, branches=2), "the group has 1 of 2 branches"),
        (group(None, None), None),
    ],
)
def test_what_a_group_is_known_to_lack(members, clause):
    assert lacking(members) == clause


members = st.builds(
    Member, st.none() | st.integers(-3, 9), st.integers(0, 4), st.none() | st.integers(2, 9)
)


@given(st.lists(members, min_size=1, max_size=8))
def test_a_group_of_any_numbers_has_an_answer(found):
    clause = lacking(found)
    said = max((one.branches or 0 for one in found), default=0)
    if said > len(found):
        assert clause is not None


def branch_warnings(*raw: dict, published: bool = False) -> list[tuple[str, int, str]]:
    found = [one for one in check(list(raw), published)[1] if one.field == "branches"]
    return [(one.severity, one.main_id, one.sentence) for one in found]


@pytest.mark.parametrize("published", [False, True])
def test_an_instance_without_the_other_branches_is_a_warning_that_names_it(published):
    assert branch_warnings(*both_branches(), published=published) == []
    ((severity, main_id, text),) = branch_warnings(instance(), published=published)
    assert (severity, main_id) == ("warning", 0)
    assert "no other instance takes another branch" in text


def test_instances_may_say_how_many_branches_there_are():
    first, second = both_branches()
    assert branch_warnings(first | {"branches": 2}, second) == []
    ((_, _, text),) = branch_warnings(first, second | {"branches": 3})
    assert "the group has 2 of 3 branches" in text
    errors = check([first | {"branches": 1}, second])[1]
    assert [(one.severity, one.field) for one in errors] == [("error", "branches")]


def test_a_branch_that_is_taken_twice_is_a_warning():
    second = instance(main_id=1, idx_in_group=2, sub_instructions=None)
    ((_, main_id, text),) = branch_warnings(instance(), second)
    assert main_id == 1 and "instance 1 of the same group has the same questions" in text


def test_of_a_selection_of_a_data_set_nothing_is_said():
    """Its groups may be torn: the sample instances' numbers go from 1 to 1149."""
    raw = read_instances(data_file("sample_instances.json"))
    assert branch_warnings(*raw, published=True) == []


def selecting(number: int, name: str, count: int = 1, **fields) -> dict:
    questions = [asked(composition_types=["Selection"]) for _ in range(count)]
    kinds = {"category": "Selection_1", "composition_types": ["Selection"], "group": name}
    return record(number, [*questions, asked(dep=[0])], **kinds | fields)


RECORDS = [
    selecting(0, "whole"),
    selecting(1, "whole", idx_in_group=2),
    selecting(2, "torn"),
    selecting(3, "several", 2),
    selecting(4, "gap"),
    selecting(5, "gap", idx_in_group=3),
    record(6),
]


def test_the_data_say_how_many_groups_lack_a_branch():
    lines = summary(RECORDS)
    assert "groups with Selection: 4 (2 of 1 instances, 2 of 2 instances)" in lines
    assert "warning: 2 of them lack a branch, from main_id 2, 4" in lines
    assert not any("lack" in line for line in summary(RECORDS[:2]))


def shown(run: Run, name: str) -> tuple[list[list[str]], list[str]]:
    """A table's rows, and its notes."""
    display = Display(models={"m": Shown("m", engine="openai")})
    (table,) = tables(run.metrics(), display, "strict", ["zh"], [name])
    return list(csv.reader(printed(table).csv.splitlines()))[1:], [text for _, text in table.notes]


def test_groups_by_size_reach_metrics_and_tables():
    run = Run(RECORDS)
    run.score(run.given("答"))
    frame = run.metrics()["branches"]
    assert frame.to_dict("split")["data"] == [
        ["zh", "single", 1, 1, 1],
        ["zh", "single", 2, 2, 1],
        ["zh", "multiple", 1, 1, 0],
    ]
    rows, _ = shown(run, "branches")
    assert [row[1:-1] for row in rows] == [
        ["One selection", "3", "1", "2", "0", "0", "2"],
        ["Several selections", "1", "1", "0", "0", "0", "0"],
    ]
    assert any("2 of 4 groups lack a branch" in text for text in shown(run, "coherent")[1])


def test_the_generated_instances_have_all_branches():
    run = Run(synthetic(60))
    run.score(run.read())
    assert run.metrics()["branches"]["lacking"].sum() == 0
    assert not any("lack" in text for text in shown(run, "coherent")[1])
