"""Data: where they are read, how instances are checked, and how questions are split into turns."""

import json
from copy import deepcopy

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_run import data_file, question
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.pinned import git_blob
from steadfast.base.resources import resource
from steadfast.benchmarks.complexbench import data
from steadfast.benchmarks.complexbench.data import InstanceRecord, checked, records, summary, turns
from steadfast.benchmarks.complexbench.facts import dimensions, taxonomy
from steadfast.benchmarks.complexbench.rule_forms import read_rule


def annotated_question(number: int, **fields) -> dict:
    """A scoring question as an annotator writes it."""
    english = f"Does the response meet requirement {number}?"
    chinese = f"模型是否满足第{number}个要求？"
    return question(chinese, point_id=number, question_en=english, **fields)


def turns_of(*assigned: list, **assigned_by_key: list) -> dict:
    """Sub-instructions with these questions, numbered or under other keys."""
    questions = {f"sub_instruction_{n}": points for n, points in enumerate(assigned)}
    sub_instructions = {}
    for n, (key, points) in enumerate((questions | assigned_by_key).items()):
        fields = {"instruction": f"第{n}步", "instruction_en": f"Step {n}"}
        sub_instructions[key] = {**fields, "scoring_questions": points}
    return sub_instructions


FIRST = "模型是否满足第0个要求？"
SECOND = "模型是否满足第1个要求？"
THIRD = "模型是否满足第2个要求？"
INSTANCE = {
    "main_id": 0,
    "group": "lamps",
    "idx_in_group": 1,
    "instruction": "灯是亮的。如果灯是亮的，请写一句夸它的话。",
    "instruction_en": "The lamp is on. If it is, praise it in a sentence.",
    "task_types": "Creative Writing",
    "constraint_dimensions": ["Helpfulness", "Length"],
    "composition_types": ["And", "Selection"],
    "category": "Selection_2",
    "scoring_questions": [
        annotated_question(0, constraint_dimensions=[], composition_types=["Selection"]),
        annotated_question(1, dep=[0]),
        annotated_question(2, dep=[0], rule="model_length:[1,50]"),
    ],
    "sub_instructions": turns_of([FIRST], [1, 2]),
}


def instance(**fields) -> dict:
    """A valid instance, with other fields."""
    return deepcopy(INSTANCE) | fields


def with_question(number: int, **fields) -> dict:
    """A valid instance, with other fields of one question."""
    changed = instance()
    changed["scoring_questions"][number] |= fields
    return changed


def write(path, raw) -> str:
    path.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    return str(path)


def local(file, language="zh", extra=None) -> list[dict]:
    return data.local({}, language, extra, str(file))


def accept(*raw, published=False):
    return records(list(raw), "mine.json", "local", "zh", None, published)


def test_record_has_one_language(tmp_path):
    file = write(tmp_path / "data.json", [instance()])
    (zh,) = local(file, "zh")
    (en,) = local(file, "en")
    assert zh["instruction"].startswith("灯") and en["instruction"].startswith("The lamp")
    assert en["scoring_questions"][1]["question"] == "Does the response meet requirement 1?"
    assert en["scoring_questions"][2]["rule"] == "model_length:[1,50]"
    assert [turn["points"] for turn in zh["turns"]] == [[0], [1, 2]]
    assert en["turns"][0]["instruction"] == "Step 0"
    assert zh["origin"] == "local" and "question_en" not in zh["scoring_questions"][0]


def test_file_without_translation_has_chinese_only(tmp_path):
    chinese = instance()
    del chinese["instruction_en"]
    for scoring_question in chinese["scoring_questions"]:
        del scoring_question["question_en"]
    file = write(tmp_path / "data.json", chinese)  # a single object, not an array
    assert len(local(file)) == 1
    with pytest.raises(UserError, match=r"main_id 0 lacks instruction_en; .* leave 'en' out"):
        local(file, "en")


def test_turns_without_translation_are_dropped(tmp_path):
    untranslated = instance()
    del untranslated["sub_instructions"]["sub_instruction_1"]["instruction_en"]
    (en,) = local(write(tmp_path / "data.json", [untranslated]), "en")
    assert en["turns"] == []


def test_extra_instances_are_appended_and_renumbered(tmp_path):
    extra = write(tmp_path / "own.json", [instance(), instance(main_id=1, idx_in_group=2)])
    main = [instance(main_id=5), instance(main_id=9, idx_in_group=2)]
    rows = local(write(tmp_path / "data.json", main), extra=extra)
    origins = [(row["main_id"], row["origin"]) for row in rows]
    assert origins == [(5, "local"), (9, "local"), (10, "extra"), (11, "extra")]


def test_error_names_file_and_record(tmp_path):
    bad = write(tmp_path / "own.json", [with_question(1, constraint_dimensions=["Lenght"])])
    with pytest.raises(UserError, match=r"own.json: record 1 \(main_id 0\): .*dimension 'Lenght'"):
        local(bad)
    good = write(tmp_path / "data.json", [instance()])
    with pytest.raises(UserError, match=r"own\.json: record 1"):
        local(good, extra=bad)


@pytest.mark.parametrize("content", ["", "{", "[]", "[1]", '"text"', "null"])
def test_damaged_file_is_named(tmp_path, content):
    (tmp_path / "data.json").write_text(content)
    is_json = content in ("[]", '"text"', "null")
    message = "no instances; write a JSON array" if is_json else ""
    with pytest.raises(UserError, match=rf"data\.json.*{message}"):
        local(tmp_path / "data.json")


def test_published_sample_instances_are_read_and_counted(capsys):
    for language in ("zh", "en"):
        rows = pd.DataFrame(local(data_file("sample_instances.json"), language))
        assert rows["main_id"].tolist() == [1, 559, 560, 856, 857, 899, 1020, 1148, 1149]
        assert rows["scoring_questions"].str.len().sum() == 43
    log = capsys.readouterr().out
    assert "9 instances, 43 questions, 8 of them with a rule" in log
    assert "category: And 3, Selection_1 1, Selection_2 3, Selection_and_Chain_2 2" in log


def test_counts_other_than_published_are_reported():
    row = {"category": "And", "task_types": "x", "origin": "released", "turns": [], "group": None}
    rows = [row | {"scoring_questions": [{"rule": None}]}] * 1149
    assert "1150 were published" in "\n".join(summary(rows[:1], published=True))
    for count, reported in ((5293, False), (5306, False), (5300, True)):
        last = row | {"scoring_questions": [{"rule": None}] * (count - 1149)}
        log = "\n".join(summary([*rows, last], published=True))
        assert ("5,293 or 5,306" in log) == reported
        assert "were published" not in log


def test_published_file_is_accepted_with_its_errors(tmp_path, monkeypatch, capsys):
    file = tmp_path / "data.json"
    first_turn = {"sub_instruction_0": {"instruction": "判断。", "scoring_questions": [1, 2]}}
    write(file, [instance(task_types="Poetry", sub_instructions=first_turn)])
    pinned = {"git_blob": git_blob(file.read_bytes())}
    monkeypatch.setattr(data, "facts", lambda name: pinned)
    (row,) = local(file)
    assert (row["task_types"], row["turns"]) == ("Poetry", [])
    assert "1150 were published" in capsys.readouterr().out
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(UserError, match="unknown task type 'Poetry'; available: "):
        local(file)


def test_released_source_is_fetched_by_its_blob(monkeypatch):
    sources = []

    def fetch(source, _):
        sources.append(source)
        return json.dumps([instance(task_types="Poetry")])

    monkeypatch.setattr(data, "fetch", fetch)
    (row,) = data.released({}, "zh", None)
    assert row["origin"] == "released" and row["instruction"].startswith("灯")
    assert row["task_types"] == "Poetry"  # published labels are taken as they are
    (source,) = sources
    assert source["url"].endswith(source["git_blob"])
    assert source["headers"] == {"Accept": "application/vnd.github.raw"}


def test_category_may_be_a_list_of_one():
    (row,) = accept(instance(category=["Selection_2"]))
    assert (row["category"], len(row["turns"])) == ("Selection_2", 2)


def test_shortest_instance_and_a_dependency_on_a_later_question_of_a_turn_are_accepted():
    short = {"instruction": "诗", "scoring_questions": [annotated_question(0)]}
    assert len(accept(instance(**short, sub_instructions=turns_of([0])))[0]["turns"]) == 1
    assert len(accept(with_question(1, dep=[2]))[0]["turns"]) == 2


def test_published_labels_are_accepted_but_not_dependencies():
    (row,) = accept(instance(task_types="Other", sub_instructions=None), published=True)
    assert row["task_types"] == "Other"
    with pytest.raises(UserError, match="depends on question 9"):
        accept(with_question(1, dep=[9]), published=True)


ONE_TURN = {"sub_instruction_0": {"instruction": "i", "scoring_questions": [0]}}
ERRORS = {
    "task type": (instance(task_types="Creative Writting"), "did you mean 'Creative Writing'"),
    "long task type": (instance(task_types="x" * 61), f"unknown task type '{'x' * 60}'; available"),
    "long category": (instance(category="x" * 61), f"unknown category '{'x' * 60}'; write"),
    "dimension": (with_question(1, constraint_dimensions=["Lenght"]), "did you mean 'Length'"),
    "composition": (instance(composition_types=["Select"]), "did you mean 'Selection'"),
    "category": (instance(category="Selection"), "write one like And, Chain_2"),
    "two categories": (instance(category=["And", "Chain_2"]), "category: "),
    "number": (instance(main_id="0"), "main_id: "),
    "text": (instance(instruction=""), "instruction: "),
    "unknown field": (instance(tasktypes="x"), "unknown key 'tasktypes'; did you mean"),
    "no questions": (instance(scoring_questions=[]), "scoring_questions: "),
    "no question": (instance(scoring_questions=["?"]), "scoring_questions.0"),
    "dependency": (with_question(1, dep=[3]), "question 1 depends on question 3; name others of 0"),
    "negative": (with_question(1, dep=[-1]), "question 1 depends on question -1"),
    "turns": (instance(sub_instructions=ONE_TURN), "main_id 0: sub_instructions are no turns"),
    "no object": ("text", "record 1: "),
}


@pytest.mark.parametrize(("invalid", "part"), ERRORS.values(), ids=ERRORS)
def test_invalid_instance_is_refused_in_one_sentence(invalid, part):
    with pytest.raises(UserError) as caught:
        accept(invalid)
    message = str(caught.value)
    assert message.startswith("mine.json: ") and part in message and "\n" not in message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(INSTANCE)), JSON)
def test_any_field_value_is_accepted_or_refused(field, value):
    try:
        accept(instance(**{field: value}))
    except UserError as error:
        assert "\n" not in str(error)


def test_synthetic_instances_are_valid_and_cover_the_taxonomy(capsys):
    assert len(data.sample({}, "zh", None)) == 60
    assert "published" not in capsys.readouterr().out
    raw = read_json(resource("complexbench/sample.json"))
    assert len(checked(raw, "sample")) == 60
    sample = pd.DataFrame(raw)
    questions = pd.DataFrame(sample["scoring_questions"].explode().tolist())
    rules = set()
    for rule in questions["rule"].dropna():
        rules.add(tuple(clause.name for clause in read_rule(rule)))
    assert rules == {(name,) for name in taxonomy()["rules"]} | set(map(tuple, taxonomy()["pairs"]))
    assert set(questions["constraint_dimensions"].explode().dropna()) == set(dimensions())
    assert questions["rule"].isna().any() and questions["dep"].str.len().max() > 1
    assert set(sample["task_types"]) == set(taxonomy()["task_types"])
    categories = set()
    for name, category in taxonomy()["categories"].items():
        depths = category["depths"]
        categories.update([f"{name}_{depth}" for depth in depths] if depths else [name])
    assert set(sample["category"]) == categories


def assigned_points(**fields) -> list[tuple]:
    return [turn.points for turn in turns(InstanceRecord.model_validate(instance(**fields)))]


def test_questions_are_assigned_to_turns_by_text_or_position():
    for sub_instructions in (
        turns_of([FIRST], [SECOND, THIRD]),
        turns_of([0], [1, 2]),
        turns_of([FIRST], [1, 2]),
        turns_of(["模型满足了第0个要求吗？"], [SECOND, "模型是否满足了第2个要求？"]),
        turns_of(sub_instruction_1=[1, 2], sub_instruction_0=[0]),
    ):
        points = assigned_points(sub_instructions=sub_instructions)
        assert points == [(0,), (1, 2)], sub_instructions


def test_turns_are_ordered_by_number_not_by_text():
    questions = [annotated_question(n) for n in range(12)]
    sub_instructions = turns_of(*[[n] for n in range(12)])
    points = assigned_points(scoring_questions=questions, sub_instructions=sub_instructions)
    assert points == [(n,) for n in range(12)]


def test_questions_that_do_not_partition_give_no_turns():
    for sub_instructions in (
        turns_of([0], [1]),
        turns_of([0, 1], [1, 2]),
        turns_of([0, 2], [1]),
        turns_of([0], [2, 1]),
        turns_of([0], [1, 2, 3]),
        turns_of([0], [1, 2, -1]),
        turns_of([FIRST], [SECOND, THIRD, "还有一个要求吗？"]),
        turns_of([FIRST, THIRD], [SECOND]),
        turns_of([FIRST, THIRD, "还有一个要求吗？"]),
        turns_of([], [0, 1, 2]),
        turns_of([0], step_1=[1, 2]),
        turns_of([1, 2], [0]),  # 1 and 2 depend on 0, which would come later
    ):
        assert assigned_points(sub_instructions=sub_instructions) == [], sub_instructions


@given(
    st.dictionaries(
        st.sampled_from(["sub_instruction_0", "sub_instruction_1", "sub_instruction_2", "x"]),
        st.lists(st.integers(-2, 5), max_size=5)
        | st.lists(st.sampled_from([FIRST, SECOND, THIRD, "?"]) | st.text(max_size=9), max_size=5),
        max_size=4,
    )
)
def test_any_assignment_is_a_partition_or_none(assigned):
    points = assigned_points(sub_instructions=turns_of(**assigned))
    assert not points or sum(points, ()) == (0, 1, 2)
