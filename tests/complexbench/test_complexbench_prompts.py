"""Prompts: an instruction each, or turn by turn; released generations made into responses."""

import json

import pytest

from complexbench_instances import data_file, instance
from steadfast.complexbench.data import write_data
from steadfast.complexbench.generations import convert, main
from steadfast.complexbench.prompts import layers, load_part, write_prompts
from steadfast.engines.replay import ReplayEngine
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
    assert f"{len(composed)} instances in turns; 0 with" in capsys.readouterr().err


def test_instances_without_turns_are_left_out_and_counted(tmp_path, capsys):
    file = tmp_path / "data_final.json"
    file.write_text(
        json.dumps([instance(), instance(main_id=1, idx_in_group=2, sub_instructions=None)])
    )
    settings = {"source": "local", "directory": str(tmp_path), "file": file.name, "extra": None}
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    prompts = prompts_of("zh-decomposed", tmp_path / "zh.jsonl", tmp_path)
    assert [prompt["sample_id"] for prompt in prompts] == ["0/0", "0/1"]
    assert "1 instances in turns; 1 with Chain or Selection" in capsys.readouterr().err
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


@pytest.mark.parametrize("model", ["gpt4_1106", "llama3_8b", "qwen1.5_72b"])
def test_released_generations_become_responses(tmp_path, model):
    generations = data_file(f"generations/{model}.jsonl")
    settings = {
        "source": "local",
        "directory": str(data_file("sample_instances.json").parent),
        "file": "sample_instances.json",
        "extra": None,
    }
    write_data(settings, "zh", tmp_path / "zh.jsonl")
    write_prompts("zh", tmp_path / "zh.jsonl", tmp_path / "prompts.jsonl")
    (line,) = convert(generations, tmp_path / "prompts.jsonl", tmp_path / "responses.jsonl")
    assert line.endswith("9 responses, 0 of them empty")
    given = {row["main_id"]: row["generated"] for row in read_jsonl(generations)}
    responses = ReplayEngine(tmp_path / "responses.jsonl")._responses
    assert {int(key): response.text for key, response in responses.items()} == {
        number: given[number] for number in (1, 559, 560, 856, 857, 899, 1020, 1148, 1149)
    }


def generation(number: int, text: str | None = "答", instruction: str = "问") -> dict:
    return {"main_id": number, "model": "m", "instruction": instruction, "generated": text}


def converted(tmp_path, *generations) -> list[str]:
    prompts = [{"sample_id": str(n), "main_id": n, "instruction": "问"} for n in (0, 1, 7)]
    write_jsonl(tmp_path / "prompts.jsonl", prompts)
    write_jsonl(tmp_path / "given.jsonl", generations)
    return convert(*(tmp_path / f"{name}.jsonl" for name in ("given", "prompts", "out")))


def test_generations_are_matched_by_number_not_by_place(tmp_path):
    lines = converted(tmp_path, generation(7, "七"), generation(0, None), generation(3, "三"))
    assert lines == [f"{tmp_path}/out.jsonl: 2 responses, 1 of them empty"]
    engine = ReplayEngine(tmp_path / "out.jsonl")
    assert {key: (r.status, r.text) for key, r in engine._responses.items()} == {
        "0": ("error", ""),
        "7": ("ok", "七"),
    }


def test_a_generation_for_another_instruction_is_told(tmp_path):
    lines = converted(tmp_path, generation(0), generation(1, instruction="别的"))
    assert lines[1] == "warning: 1 were given to another instruction: main_id 1"


def test_generations_that_do_not_fit_are_refused(tmp_path, capsys):
    with pytest.raises(UserError, match="main_id 0 is there twice"):
        converted(tmp_path, generation(0), generation(0))
    with pytest.raises(UserError, match="no 'generated'"):
        converted(tmp_path, {"main_id": 0, "instruction": "问", "text": "x"})
    with pytest.raises(UserError, match="none of its instances"):
        converted(tmp_path, generation(5))
    assert main(["only one"]) == 2 and "usage" in capsys.readouterr().err
    assert main([str(tmp_path / name) for name in ("no", "no", "no")]) == 2
