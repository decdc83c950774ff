"""The released instruction templates: fetched or copied, and read as expressions."""

import hashlib
import json

import pandas as pd
import pytest

from small_contexts import CASES, expressions, needs_cases, released_templates
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, read_jsonl
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.expressions import released_expressions
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.released_files import released_name, tasks_file
from steadfast.benchmarks.lifbench.templates import fill

RELEASED = CASES / "released"


def test_templates_are_read_from_a_directory(tmp_path):
    (tmp_path / "tasks.json").write_text('{"ü": 1}', encoding="utf-8")
    assert tasks_file({}, str(tmp_path)) == '{"ü": 1}'


def test_templates_without_network_name_the_config_key(monkeypatch):
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
        released_expressions(
            {"templates": tmp_path / "tasks.json"}, TASKS["LSI"].expression_settings
        )


@needs_cases
def test_pinned_checksum_is_that_of_the_shared_copy():
    content = (RELEASED / "tasks.json").read_bytes()
    pinned = facts("lifbench/released.yaml")
    assert len(content) == pinned["bytes"]
    assert hashlib.sha256(content).hexdigest() == pinned["sha256"]


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_templates_are_verbatim(task):
    record = expressions(task, "released")
    templates = [(row["template"], row["direction"]) for row in record["expressions"]]
    assert templates == released_templates(task)
    scenario = read_json(RELEASED / "tasks.json")[TASKS[task].scenario]
    assert record["scenario_prompt"] == scenario["sys_instruction"]


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_origins_and_clusters_agree_with_the_released_files(task):
    name = released_name(task)
    rewrites = read_json(RELEASED / "rewrites" / f"{name}_rewrite.json")
    clusters = read_json(RELEASED / "clusters" / f"{name}_cluster.json")
    for expression in expressions(task, "released")["expressions"]:
        text = expression["template"].strip()
        origin = expression["origin"]
        if origin == "hand-written":
            assert rewrites["ori"].strip() == text
        elif origin:
            assert text in map(str.strip, map(str, rewrites[origin]["parse_result"]))
        if expression["cluster"] is not None:
            members = clusters[str(expression["cluster"])]
            assert text in [member["text"].strip() for member in members]


@needs_cases
def test_edited_copy_has_no_origins(tmp_path):
    tasks = read_json(RELEASED / "tasks.json")
    tasks["list"]["subtasks"]["single_query_id"]["instructions"].insert(0, "Mine: {ordid}")
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    record = released_expressions(
        {"templates": tmp_path / "tasks.json"}, TASKS["LSI"].expression_settings
    )
    for expression in record["expressions"]:
        assert expression["origin"] is expression["cluster"] is None


def settings_of(task):
    return expressions(task, "released")["space"]["settings"]


@needs_cases
def test_released_variables_are_verbatim():
    tasks = read_json(RELEASED / "tasks.json")
    assert settings_of("MB") == tasks["multidoc"]["subtasks"]["batch_label"]["params"]
    repeats = pd.DataFrame(settings_of("OR"))
    assert repeats["num"].tolist() == [1, 2, 4, 6, 8] and repeats["sep"][0] == "###"
    kinds = pd.DataFrame(settings_of("OQ"))["kind"]
    assert kinds.value_counts().to_dict() == {"true": 2, "fake": 2, "ordinary": 2}


@needs_cases
def test_filled_templates_are_the_instructions_of_the_scorers_cases():
    tasks = set()
    for case in read_jsonl(CASES / "scorer_cases_dev.jsonl"):
        tasks.add(case["task"])
        record = expressions(case["task"], "released")["expressions"][case["expression_id"]]
        assert fill(record["template"], case["param"], case["row"]) == case["instruction"]
    assert tasks == set(TASKS)
