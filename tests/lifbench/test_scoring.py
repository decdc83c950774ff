"""Score files: both rubrics in every record, and where in its context the answer stands."""

import pytest

from lifbench_samples import LIST, LIST_CONTEXT, ONEDOC_CONTEXT, SCENARIO_PROMPTS, samples
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_json, write_jsonl
from steadfast.lifbench.answers import reference_answer
from steadfast.lifbench.rubric import RUBRICS, score
from steadfast.lifbench.scoring import asked_depth, score_part

TASKS = {"LSI": LIST_CONTEXT, "OQ": ONEDOC_CONTEXT}


@pytest.fixture
def part(tmp_path):
    """Scores one part of LSI and OQ by a rubric; every third answer is missing."""
    drawn = [sample for task in TASKS for sample in samples(task)[:6]]
    write_jsonl(tmp_path / "prompts.jsonl", [prompt for prompt, _, _ in drawn])
    contexts, expressions = {}, {}
    for task, context in TASKS.items():
        contexts[context["scenario"]] = tmp_path / f"{context['scenario']}.jsonl"
        write_jsonl(contexts[context["scenario"]], [context])
        expressions[task] = tmp_path / f"{task}.json"
        description = SCENARIO_PROMPTS[context["scenario"]]
        write_json(expressions[task], {"task": task, "scenario_prompt": description})
    outputs = [
        {
            "sample_id": prompt["sample_id"],
            "status": "overflow" if number % 3 == 2 else "ok",
            "text": "" if number % 3 == 2 else reference_answer(prompt, context) + "?" * number,
            "truncated_tokens": 0,
        }
        for number, (prompt, context, _) in enumerate(drawn)
    ]
    write_jsonl(tmp_path / "outputs.jsonl", outputs)

    def run(rubric: str):
        out = tmp_path / f"{rubric}.jsonl"
        paths = (tmp_path / "prompts.jsonl", contexts, expressions, tmp_path / "outputs.jsonl")
        score_part(*paths, rubric=rubric, length="4k", out=out)
        return out, [
            (sample, output["text"]) for sample, output in zip(drawn, outputs, strict=True)
        ]

    return run


@pytest.mark.parametrize("rubric", RUBRICS)
def test_the_chosen_rubric_is_on_top_and_the_other_beside_it(part, rubric):
    out, answered = part(rubric)
    (other,) = set(RUBRICS) - {rubric}
    for record, (sample, text) in zip(read_jsonl(out), answered, strict=True):
        assert record["rubric"] == rubric and record["also"].keys() == {other}
        if record["status"] == "ok":
            chosen, beside = (score(*sample, text, name) for name in (rubric, other))
            assert (record["points"], record["total"]) == (chosen.points, chosen.total)
            assert record["extracted"] == chosen.extracted
            assert record["also"][other] == {"points": beside.points, "total": beside.total}
        else:
            assert record["points"] is record["total"] is record["extracted"] is None
            assert record["also"][other] == {"points": None, "total": None}


def test_scoring_twice_gives_the_same_bytes(part):
    first = part("corrected")[0].read_bytes()
    assert part("corrected")[0].read_bytes() == first


def test_a_rubric_that_does_not_exist_is_named(part):
    with pytest.raises(UserError, match=r"fancy.*released, corrected"):
        part("fancy")


@pytest.mark.parametrize("task", ["LSI", "LOI", "LOE", "LBI", "LBE"])
def test_the_depth_of_a_list_task_is_its_references_place(task):
    for prompt, context, _ in samples(task):
        place = LIST.index(prompt["variables"]["element"])
        assert asked_depth(prompt, context) == place / (len(LIST) - 1)


def test_the_depth_of_a_question_is_its_evidences_place():
    text = ONEDOC_CONTEXT["text"]
    for prompt, context, _ in samples("OQ"):
        depth = asked_depth(prompt, context)
        assert text[round(depth * len(text)) :].startswith(prompt["variables"]["evidence"])
    lost = prompt | {"variables": prompt["variables"] | {"evidence": "It is not there."}}
    assert asked_depth(lost, ONEDOC_CONTEXT) is None


@pytest.mark.parametrize("task", ["LMI", "MB", "MF", "OR", "OE"])
def test_tasks_without_one_place_have_no_depth(task):
    prompt, context, _ = samples(task)[0]
    assert asked_depth(prompt, context) is None
