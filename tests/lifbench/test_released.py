import hashlib
import http.server
import json
import socket
import threading
from collections import Counter

import pytest

from small_contexts import CASES, needs_cases
from steadfast.errors import UserError
from steadfast.files import read_json, read_jsonl
from steadfast.lifbench.expressions import build_expressions, fill
from steadfast.lifbench.released import SOURCE, fetch_tasks, released_task
from steadfast.lifbench.tasks import TASKS
from steadfast.lifbench.variables import read_yaml

RELEASED = CASES / "released"


@pytest.fixture
def server(tmp_path):
    """A web server on this machine, and the folder that it serves."""
    folder = tmp_path / "web"
    folder.mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(folder))

        def log_message(self, *arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", folder
        running.shutdown()
        thread.join()


def source(url, content):
    return {"url": url, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_the_fetched_file_is_the_pinned_one(server, tmp_path):
    url, folder = server
    (folder / "tasks.json").write_bytes(b'{"a": 1}\n')
    out = tmp_path / "new" / "tasks.json"
    fetch_tasks(None, out, source(f"{url}/tasks.json", b'{"a": 1}\n'))
    assert out.read_bytes() == b'{"a": 1}\n'


@pytest.mark.parametrize("content", [b'{"a": 2}\n', b'{"a": 1}\n and more', b""])
def test_another_file_is_refused_and_not_written(content, server, tmp_path):
    url, folder = server
    (folder / "tasks.json").write_bytes(content)
    out = tmp_path / "tasks.json"
    with pytest.raises(UserError, match="the pinned one"):
        fetch_tasks(None, out, source(f"{url}/tasks.json", b'{"a": 1}\n'))
    assert not out.exists()


def test_a_missing_page_names_the_local_alternative(server, tmp_path):
    url, _ = server
    with pytest.raises(UserError, match=r"could not be fetched .*lifbench\.released\.directory"):
        fetch_tasks(None, tmp_path / "tasks.json", source(f"{url}/none.json", b"x"))


def test_no_network_names_the_local_alternative(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/tasks.json"
    with pytest.raises(UserError, match=r"could not be fetched .*lifbench\.released\.directory"):
        fetch_tasks(None, tmp_path / "tasks.json", source(url, b"x"))


def test_a_directory_is_copied_without_network(tmp_path):
    (tmp_path / "tasks.json").write_text('{"ü": 1}', encoding="utf-8")
    fetch_tasks(str(tmp_path), tmp_path / "out" / "tasks.json")
    assert (tmp_path / "out" / "tasks.json").read_bytes() == '{"ü": 1}'.encode()


def test_a_directory_without_the_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"tasks\.json: no such file"):
        fetch_tasks(str(tmp_path), tmp_path / "out.json")


def test_without_released_files_the_config_key_is_named():
    with pytest.raises(UserError, match=r"lifbench\.released\.directory"):
        released_task("LSI", None, {})


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"list": {}}', '{"list": {"subtasks": {"single_query_id": {}}}}']
)
def test_another_json_file_is_refused(content, tmp_path):
    (tmp_path / "tasks.json").write_text(content)
    with pytest.raises(UserError, match=r"not LIFBench's tasks\.json, 'single_query_id'"):
        released_task("LSI", tmp_path, {})


@needs_cases
def test_the_recorded_facts_are_those_of_the_shared_copy():
    content, facts = (RELEASED / "tasks.json").read_bytes(), read_yaml(SOURCE)
    assert source(facts["url"], content) == {k: facts[k] for k in ("url", "bytes", "sha256")}


def built(task, tmp_path):
    build_expressions(task, "released", tmp_path / "unused.yaml", RELEASED, tmp_path / "e.json")
    return read_json(tmp_path / "e.json")


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_templates_are_kept_verbatim(task, tmp_path):
    tasks = read_json(RELEASED / "tasks.json")[TASKS[task].scenario]
    entries = tasks["subtasks"][TASKS[task].released_name]["instructions"]
    record = built(task, tmp_path)
    pairs = [(e["template"], e["direction"]) for e in record["expressions"]]
    assert pairs == [(e, None) if isinstance(e, str) else tuple(e) for e in entries]
    assert record["scenario_prompt"] == tasks["sys_instruction"]


@needs_cases
@pytest.mark.parametrize("task", TASKS)
def test_origin_and_cluster_are_those_of_the_released_rewrites_and_clusters(task, tmp_path):
    name = TASKS[task].released_name
    rewrites = read_json(RELEASED / "rewrites" / f"{name}_rewrite.json")
    clusters = read_json(RELEASED / "clusters" / f"{name}_cluster.json")
    for expression in built(task, tmp_path)["expressions"]:
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
    _, expressions, _ = released_task("LSI", tmp_path, {})
    assert {(e["origin"], e["cluster"]) for e in expressions} == {(None, None)}


@needs_cases
def test_released_variables_are_used_as_they_are(tmp_path):
    tasks = read_json(RELEASED / "tasks.json")
    assert (
        built("MB", tmp_path)["space"]["settings"]
        == (tasks["multidoc"]["subtasks"]["batch_label"]["params"])
    )
    repeats = built("OR", tmp_path)["space"]["settings"]
    assert [s["num"] for s in repeats] == [1, 2, 4, 6, 8] and repeats[0]["sep"] == "###"
    kinds = Counter(s["kind"] for s in built("OQ", tmp_path)["space"]["settings"])
    assert kinds == {"true": 2, "fake": 2, "ordinary": 2}


@needs_cases
def test_every_scorer_case_has_the_instruction_that_its_template_gives(tmp_path):
    cases = {}
    for case in read_jsonl(CASES / "scorer_cases_dev.jsonl"):
        cases.setdefault(case["task"], []).append(case)
    assert set(cases) == set(TASKS)
    for task, members in cases.items():
        templates = [e["template"] for e in built(task, tmp_path)["expressions"]]
        for case in members:
            instruction = fill(templates[case["expression_id"]], case["param"], case["row"])
            assert instruction == case["instruction"]
