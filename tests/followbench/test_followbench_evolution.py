"""Instruction evolution: what a rewriter is asked, and what becomes of its replies."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.benchmarks.followbench.data import checked
from steadfast.benchmarks.followbench.evolution import grown, initial, released_shape, requests

BEFORE = "List the planets.\n```\ncode\n```"


def group(*levels, category="content", stopped=None):
    return {"example_id": 1001, "category": category, "levels": levels, "stopped": stopped}


def grow(folder, groups, text, status="ok", level=1):
    write_jsonl(folder / "groups.jsonl", groups)
    replies = [
        {"sample_id": f"{one['category']}/{one['example_id']}/{level}", "status": status,
         "text": text}
        for one in groups
    ]  # fmt: skip
    write_jsonl(folder / "replies.jsonl", replies)
    inputs = {"groups": folder / "groups.jsonl", "replies": folder / "replies.jsonl"}
    return list(grown(inputs, level))


def test_a_reply_becomes_the_next_level(tmp_path):
    longer = f"{BEFORE}\nName each in capitals."
    (found,) = grow(tmp_path, [group(BEFORE)], f"Sure!\n{json.dumps([longer])}")
    assert found["levels"] == [BEFORE, longer] and found["stopped"] is None


@pytest.mark.parametrize(
    ("text", "status", "why"),
    [
        (json.dumps([BEFORE.upper()]), "ok", "the instruction is the same as before"),
        (json.dumps(["List planets."]), "ok", "the instruction became no longer"),
        (json.dumps([BEFORE + " word" * 61]), "ok", "61 words came in"),
        (json.dumps(["List the planets in capitals, and no others, please."]), "ok", "of code"),
        ("I cannot do that.", "ok", "no list from [ to ]"),
        (None, "refused", "no reply (status refused)"),
    ],
)
def test_a_reply_that_adds_no_constraint_ends_its_group_with_the_reason(
    tmp_path, text, status, why
):
    (found,) = grow(tmp_path, [group(BEFORE)], text, status)
    assert found["levels"] == [BEFORE]
    assert found["stopped"].startswith("level 1: ") and why in found["stopped"]


def test_a_group_that_ended_is_asked_no_more(tmp_path):
    write_jsonl(tmp_path / "groups.jsonl", [group(BEFORE, stopped="level 1: …"), group("Go.")])
    asked = list(requests({"groups": tmp_path / "groups.jsonl"}, 2))
    assert [one["answer"] for one in asked] == ["Go."]
    assert "a narrower part of the topic" in asked[0]["head"] + asked[0]["requests"][0]["tail"]


def test_a_missing_reply_is_an_error(tmp_path):
    write_jsonl(tmp_path / "groups.jsonl", [group("Go.")])
    write_jsonl(tmp_path / "replies.jsonl", [])
    inputs = {"groups": tmp_path / "groups.jsonl", "replies": tmp_path / "replies.jsonl"}
    with pytest.raises(UserError, match="no reply to content/1001/1"):
        list(grown(inputs, 1))


def test_whole_groups_have_the_released_shape(tmp_path):
    levels = ["Go.", *(f"Go. {'Now. ' * n}".strip() for n in range(1, 6))]
    groups = [group(*levels), group("Stay.") | {"example_id": 1002}]
    write_jsonl(tmp_path / "groups.jsonl", groups)
    records = released_shape({"groups": tmp_path / "groups.jsonl"}, "content")
    (found,) = checked(records, "en", "content", "evolved")
    assert found["start"] == "Go." and found["scorer"] == "judge"
    assert [level["instruction"] for level in found["levels"]] == levels[1:]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"instruction": "Go."}', "give the fields instruction and category"),
        ('{"instruction": " ", "category": "style"}', "the instruction is empty"),
        ('{"instruction": "Go.", "category": "contents"}', "did you mean 'content'"),
    ],
)
def test_a_bad_initial_instruction_is_a_sentence(tmp_path, line, why):
    path = tmp_path / "initial.jsonl"
    path.write_text(f"{line}\n", "utf-8")
    with pytest.raises(UserError, match=f"initial.jsonl:1: .*{why}"):
        list(initial({}, str(path)))


@given(text=st.text() | st.lists(st.text(), max_size=3).map(json.dumps))
def test_any_reply_grows_a_group_or_ends_it(tmp_path_factory, text):
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    (found,) = grow(folder, [group("Go.")], text)
    assert (len(found["levels"]) == 2) == (found["stopped"] is None)
    assert next(iter(read_jsonl(folder / "groups.jsonl")))["levels"] == ["Go."]
