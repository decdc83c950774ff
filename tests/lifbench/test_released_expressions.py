"""The released instruction templates: fetched or copied, and read as expressions."""

import hashlib
import json
from collections import Counter

import pytest

from small_contexts import CASES, expressions, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, read_jsonl
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.expressions import released_expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import released_name, tasks_file
from steadfast.benchmarks.lifbench.templates import fill

RELEASED = CASES / "released"


def test_templates_are_read_from_a_directory_without_network(tmp_path, monkeypatch):
    (tmp_path / "tasks.json").write_text('{"ü": 1}', encoding="utf-8")
    assert tasks_file({}, str(tmp_path)) == '{"ü": 1}'

    def refuse(*arguments, **settings):
        raise OSError("no route to the host")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(UserError, match=r"no route .*lifbench\.released\.directory"):
        tasks_file({}, None)


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"list": {}}', '{"list": {"subtasks": {"single_query_id": {}}}}']
)
def test_another_json_file_is_refused(content, tmp_path):
    (tmp_path / "tasks.json").write_text(content)
    with pytest.raises(UserError, match=r"not LIFBench's tasks\.json, 'single_query_id'"):
        released_expressions({"templates": tmp_path / "tasks.json"}, TASKS["LSI"].worded)


@needs_cases
def test_the_recorded_facts_are_those_of_the_shared_copy():
    content = (RELEASED / "tasks.json").read_bytes()
    known = facts("lifbench/released.yaml")
    assert (len(content), hashlib.sha256(content).hexdigest()) == (known["bytes"], known["sha256"])


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_templates_are_kept_verbatim(task):
    tasks = read_json(RELEASED / "tasks.json")[TASKS[task].scenario]
    entries = tasks["subtasks"][released_name(task)]["instructions"]
    record = expressions(task, "released")
    pairs = [(e["template"], e["direction"]) for e in record["expressions"]]
    assert pairs == [(e, None) if isinstance(e, str) else tuple(e) for e in entries]
    assert record["scenario_prompt"] == tasks["sys_instruction"]


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_origin_and_cluster_are_those_of_the_released_rewrites_and_clusters(task):
    name = released_name(task)
    rewrites = read_json(RELEASED / "rewrites" / f"{name}_rewrite.json")
    clusters = read_json(RELEASED / "clusters" / f"{name}_cluster.json")
    for expression in expressions(task, "released")["expressions"]:
        text = expression["template"].strip()
        if (origin := expression["origin"]) == "hand-written":
            assert rewrites["ori"].strip() == text
        elif origin:
            assert text in [str(t).strip() for t in rewrites[origin]["parse_result"]]
        if (cluster := expression["cluster"]) is not None:
            assert text in [member["text"].strip() for member in clusters[str(cluster)]]


@needs_cases
def test_an_edited_copy_has_no_recorded_origins(tmp_path):
    tasks = read_json(RELEASED / "tasks.json")
    tasks["list"]["subtasks"]["single_query_id"]["instructions"].insert(0, "Mine: {ordid}")
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    record = released_expressions({"templates": tmp_path / "tasks.json"}, TASKS["LSI"].worded)
    origins = {(e["origin"], e["cluster"]) for e in record["expressions"]}
    assert origins == {(None, None)}


@needs_cases
def test_released_variables_are_used_as_they_are():
    tasks = read_json(RELEASED / "tasks.json")
    assert (
        expressions("MB", "released")["space"]["settings"]
        == (tasks["multidoc"]["subtasks"]["batch_label"]["params"])
    )
    repeats = expressions("OR", "released")["space"]["settings"]
    assert [s["num"] for s in repeats] == [1, 2, 4, 6, 8] and repeats[0]["sep"] == "###"
    kinds = Counter(s["kind"] for s in expressions("OQ", "released")["space"]["settings"])
    assert kinds == {"true": 2, "fake": 2, "ordinary": 2}


@needs_cases
def test_every_scorer_case_has_the_instruction_that_its_template_gives():
    cases = {}
    for case in read_jsonl(CASES / "scorer_cases_dev.jsonl"):
        cases.setdefault(case["task"], []).append(case)
    assert set(cases) == set(TASKS)
    for task, members in cases.items():
        templates = [e["template"] for e in expressions(task, "released")["expressions"]]
        for case in members:
            instruction = fill(templates[case["expression_id"]], case["param"], case["row"])
            assert instruction == case["instruction"]
