"""Data: from a directory, generated, or or by its blob id; in either language."""

import json

import pytest

from complexbench_instances import data_file, instance, with_question
from steadfast.base.errors import UserError
from steadfast.base.pinned import git_blob
from steadfast.benchmarks.complexbench import data
from steadfast.benchmarks.complexbench.data import summary


def write(path, raw) -> str:
    path.write_text(json.dumps(raw, ensure_ascii=False), "utf-8")
    return str(path)


def local(file, language="zh", extra=None) -> list[dict]:
    return data.local({}, language, extra, str(file))


def test_a_record_has_one_language(tmp_path):
    file = write(tmp_path / "data.json", [instance()])
    (zh,), (en,) = (local(file, language) for language in ("zh", "en"))
    assert zh["instruction"].startswith("灯") and en["instruction"].startswith("The lamp")
    assert en["scoring_questions"][1]["question"] == "Does the response meet requirement 1?"
    assert en["scoring_questions"][2]["rule"] == "model_length:[1,50]"
    assert [turn["points"] for turn in zh["turns"]] == [[0], [1, 2]]
    assert en["turns"][0]["instruction"] == "The lamp is on. Judge its state."
    assert zh["origin"] == "local" and "question_en" not in zh["scoring_questions"][0]


def test_older_files_and_turns_without_translation_are_read_in_chinese_alone(tmp_path):
    made = instance()
    del made["instruction_en"]
    for question in made["scoring_questions"]:
        del question["question_en"]
    file = write(tmp_path / "data.json", made)  # a single object, not an array
    assert len(local(file)) == 1
    with pytest.raises(UserError, match=r"main_id 0 lacks instruction_en; .* leave 'en' out"):
        local(file, "en")
    # turns without translation are none in that language
    made = instance()
    del made["sub_instructions"]["sub_instruction_1"]["instruction_en"]
    (en,) = local(write(tmp_path / "data.json", [made]), "en")
    assert en["turns"] == []


def test_own_instances_follow_with_numbers_of_their_own(tmp_path):
    own = write(tmp_path / "own.json", [instance(), instance(main_id=1, idx_in_group=2)])
    others = [instance(main_id=5), instance(main_id=9, idx_in_group=2)]
    rows = local(write(tmp_path / "data.json", others), extra=own)
    assert [(row["main_id"], row["origin"]) for row in rows] == [
        (5, "local"),
        (9, "local"),
        (10, "extra"),
        (11, "extra"),
    ]


def test_a_fault_stops_with_its_place(tmp_path):
    own = write(tmp_path / "own.json", [with_question(1, dep=[7])])
    with pytest.raises(UserError, match=r"own.json: record 1 \(main_id 0\): question 1 depends"):
        local(own)
    good = write(tmp_path / "data.json", [instance()])
    with pytest.raises(UserError, match=r"own\.json: record 1"):
        local(good, extra=own)


@pytest.mark.parametrize("content", ["", "{", "[]", "[1]", '"text"', "null"])
def test_a_damaged_file_is_one_sentence(tmp_path, content):
    (tmp_path / "data.json").write_text(content)
    with pytest.raises(UserError, match=r"data\.json"):
        local(tmp_path / "data.json")


def test_the_sample_instances_are_read_and_counted(capsys):
    for language in ("zh", "en"):
        rows = local(data_file("sample_instances.json"), language)
        assert [row["main_id"] for row in rows] == [1, 559, 560, 856, 857, 899, 1020, 1148, 1149]
        assert sum(len(row["scoring_questions"]) for row in rows) == 43
    log = capsys.readouterr().out
    assert "9 instances, 43 questions, 8 of them with a rule" in log
    assert "category: And 3, Selection_1 1, Selection_2 3, Selection_and_Chain_2 2" in log


def test_published_counts_are_compared_and_do_not_fail():
    row = {"category": "And", "task_types": "x", "origin": "released", "turns": []}
    row |= {"group": None}
    asked = {"rule": None}
    rows = [row | {"scoring_questions": [asked]}]
    assert any("1150 were published" in line for line in summary(rows, published=True))
    many = [row | {"scoring_questions": [asked]} for _ in range(1149)]
    for questions, warned in ((5293, False), (5306, False), (5300, True)):
        last = row | {"scoring_questions": [asked] * (questions - 1149)}
        lines = summary([*many, last], published=True)
        assert any("5,293 or 5,306" in line for line in lines) == warned
        assert not any("were published" in line for line in lines)


def test_published_data_is_taken_as_it_is_wherever_it_lies(tmp_path, monkeypatch, capsys):
    file = tmp_path / "data.json"
    turns = {"sub_instruction_0": {"instruction": "判断。", "scoring_questions": [1, 2]}}
    odd = write(file, [instance(task_types="Poetry", sub_instructions=turns)])
    facts = {"git_blob": git_blob(file.read_bytes())}
    monkeypatch.setattr(data, "facts", lambda name: facts)
    (row,) = local(odd)
    assert (row["task_types"], row["turns"]) == ("Poetry", [])
    log = capsys.readouterr().out
    assert "1150 were published" in log
    file.write_bytes(file.read_bytes() + b"\n")
    with pytest.raises(UserError, match="unknown task type 'Poetry'; available: "):
        local(odd)


def test_the_released_source_is_asked_for_raw_by_its_blob(monkeypatch):
    asked = []
    content = json.dumps([instance()])
    monkeypatch.setattr(data, "fetch", lambda source, _: asked.append(source) or content)
    (row,) = data.released({}, "zh", None)
    assert row["origin"] == "released" and row["instruction"].startswith("灯")
    (source,) = asked
    assert source["url"].endswith(source["git_blob"])
    assert source["headers"] == {"Accept": "application/vnd.github.raw"}
