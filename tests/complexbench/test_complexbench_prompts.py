"""Prompts: an instruction each, or turn by turn."""

import json

import pytest

from complexbench_instances import data_file, instance
from steadfast.complexbench.data import write_data
from steadfast.complexbench.prompts import layers, load_part, write_prompts
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl


@pytest.fixture
def made(tmp_path):
    """Generated data in both languages."""
    settings = {"source": "synthetic", "instances": 40, "seed": 1, "extra": None}
    for language in ("zh", "en"):
        write_data(settings, language, tmp_path / f"{language}.jsonl")
    return tmp_path


def prompts_of(part, data, folder) -> list[dict]:
    write_prompts(part, data, folder / "prompts.jsonl")
    return list(read_jsonl(folder / "prompts.jsonl"))


def test_an_instruction_is_asked_as_it_is(made):
    data = list(read_jsonl(made / "zh.jsonl"))
    prompts = prompts_of("zh", made / "zh.jsonl", made)
    assert [prompt["sample_id"] for prompt in prompts] == [str(n) for n in range(40)]
    assert [prompt["instruction"] for prompt in prompts] == [row["instruction"] for row in data]
    assert [prompt["context_id"] for prompt in prompts] == [row["group"] for row in data]
    assert all("follows" not in prompt for prompt in prompts)
    assert [len(p["points"]) for p in prompts] == [len(row["scoring_questions"]) for row in data]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_turns_follow_each_other_and_share_out_the_questions(made, language, capsys):
    path = made / f"{language}.jsonl"
    prompts = prompts_of(f"{language}-decomposed", path, made)
    composed = [row for row in read_jsonl(path) if row["category"] != "And"]
    before = None
    for prompt in prompts:
        assert prompt["sample_id"] == f"{prompt['main_id']}/{prompt['turn']}"
        assert prompt["follows"] == (before["sample_id"] if prompt["turn"] else None)
        before = prompt
    for row in composed:
        own = [prompt for prompt in prompts if prompt["main_id"] == row["main_id"]]
        points = [point for prompt in own for point in prompt["points"]]
        assert points == list(range(len(row["scoring_questions"])))
        assert {prompt["context_id"] for prompt in own} == {row["group"]}
    assert {p["main_id"] for p in prompts} == {row["main_id"] for row in composed}
    assert f"{len(composed)} instances in turns; 0 with" in capsys.readouterr().out


def test_instances_without_turns_are_left_out_and_counted(tmp_path, capsys):
    file = tmp_path / "data_final.json"
    file.write_text(
        json.dumps([instance(), instance(main_id=1, idx_in_group=2, sub_instructions=None)])
    )
    settings = {"source": "local", "directory": str(tmp_path), "file": file.name, "extra": None}
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    prompts = prompts_of("zh-decomposed", tmp_path / "zh.jsonl", tmp_path)
    assert [prompt["sample_id"] for prompt in prompts] == ["0/0", "0/1"]
    assert "1 instances in turns; 1 with Chain or Selection" in capsys.readouterr().out
    rows = [row | {"turns": []} for row in read_jsonl(tmp_path / "zh.jsonl")]
    write_jsonl(tmp_path / "none.jsonl", rows)
    with pytest.raises(UserError, match=r"complexbench\.decomposition"):
        prompts_of("zh-decomposed", tmp_path / "none.jsonl", tmp_path)


def test_an_instance_without_group_is_a_cluster_of_its_own(tmp_path):
    plain = instance(
        group=None,
        idx_in_group=None,
        category="And",
        composition_types=["And"],
        constraint_dimensions=["Length"],
        scoring_questions=[
            {**instance()["scoring_questions"][2], "dep": [], "point_id": 0},
        ],
        sub_instructions=None,
    )
    (tmp_path / "one.json").write_text(json.dumps(plain))
    settings = {"source": "local", "directory": str(tmp_path), "file": "one.json", "extra": None}
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    (prompt,) = prompts_of("zh", tmp_path / "zh.jsonl", tmp_path)
    assert prompt["context_id"] == "instance-0"


@pytest.mark.parametrize(
    ("category", "expected"),
    [("And", 1), ("Chain_1", 1), ("Selection_3", 3), ("Selection_and_Chain_2", 2)],
)
def test_layers(category, expected):
    assert layers(category) == expected


def test_prompts_of_other_data_are_refused(made):
    prompts = made / "prompts.jsonl"
    write_prompts("zh", made / "zh.jsonl", prompts)
    assert sum(1 for _ in load_part(prompts, {"zh": made / "zh.jsonl"})) == 40
    write_jsonl(made / "less.jsonl", list(read_jsonl(made / "zh.jsonl"))[:3])
    with pytest.raises(UserError, match="instance 3 of sample 3 is not in the data"):
        list(load_part(prompts, {"zh": made / "less.jsonl"}))


def test_all_published_instructions_go_through(tmp_path):
    published = json.loads(data_file("instructions_zh.json").read_text("utf-8"))
    assert len(published) == 1150
    rows = [
        instance(
            main_id=row["main_id"], instruction=row["instruction"], idx_in_group=row["main_id"] + 1
        )
        for row in published
    ]
    (tmp_path / "data_final.json").write_text(json.dumps(rows), "utf-8")
    settings = {
        "source": "local",
        "directory": str(tmp_path),
        "file": "data_final.json",
        "extra": None,
    }
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    prompts = prompts_of("zh", tmp_path / "zh.jsonl", tmp_path)
    assert [p["instruction"] for p in prompts] == [row["instruction"] for row in published]
    assert [p["sample_id"] for p in prompts] == [str(row["main_id"]) for row in published]
