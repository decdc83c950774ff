"""The released rewrites and clusters (lifbench/RECS.md, "Numbers to hold")."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from small_contexts import CASES, needs_cases
from steadfast.base.errors import UserError
from steadfast.base.files import read_json, read_jsonl, write_json, write_jsonl, write_text
from steadfast.base.pinned import git_blob
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs import released
from steadfast.benchmarks.lifbench.recs.clusters import clusters
from steadfast.benchmarks.lifbench.recs.expressions import expressions
from steadfast.benchmarks.lifbench.recs.review import review
from steadfast.benchmarks.lifbench.recs.vectors import vectors
from steadfast.benchmarks.lifbench.released_files import released_name

RELEASED = str(CASES / "released")
FLAG = "check_flag(1 checked, 2canbeused)"
pytestmark = needs_cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Candidates, vectors and clusters of each task: own ones and the released ones."""
    out = tmp_path_factory.mktemp("recs")
    for task in TASKS:
        files = of(out, task)
        write_jsonl(files["candidates"], released.candidates({}, TASKS[task].worded, RELEASED))
        write_jsonl(files["vectors"], vectors(files, {"kind": "tfidf"}))
        write_jsonl(files["clusters"], clusters(files, 5, 1))
        write_jsonl(files["released"], released.clusters(files, TASKS[task].worded, RELEASED))
    return out


def of(folder, task):
    names = ("candidates", "vectors", "clusters", "released", "review")
    return {name: folder / f"{task}_{name}.jsonl" for name in names}


def rows(folder, name):
    return {task: list(read_jsonl(of(folder, task)[name])) for task in TASKS}


def released_expressions(folder, task, **settings):
    files = of(folder, task)
    inputs = {name: files[name] for name in ("candidates", "review")}
    inputs["clusters"] = files["released"]
    settings = {"review": None, "sampling": "nearest", "seed": 1} | settings
    return expressions(inputs, TASKS[task].worded, **settings)


@cache
def published(task):
    """The picks of the released cluster file by cluster: the first usable or edited text."""
    record = read_json(CASES / "released" / "clusters" / f"{released_name(task)}_cluster.json")
    return [
        next(entry["text"] for entry in record[str(n)] if entry[FLAG] in (2, 3)) for n in range(5)
    ]


def test_the_pinned_ids_are_those_of_the_shared_copy():
    known = facts("lifbench/recs/released.yaml")
    for kind, suffix in (("rewrites", "rewrite"), ("clusters", "cluster")):
        for task in TASKS:
            path = CASES / "released" / kind / f"{released_name(task)}_{suffix}.json"
            assert git_blob(path.read_bytes()) == known[kind][task]


@pytest.mark.wide
def test_the_field_check_loses_none_and_mends_the_21_of_batch_label(folder):
    pool = rows(folder, "candidates")
    texts = [one for records in pool.values() for one in records[1:]]
    assert Counter(one["mended"] for one in texts) == {False: 410, True: 21}
    assert not [one for one in texts if one["status"] == "fields"]
    mended = {task for task, records in pool.items() if any(one["mended"] for one in records)}
    assert mended == {"MB"}


@pytest.mark.wide
def test_rewrites_that_lose_the_key_sentence_are_found(folder):
    found = {
        task: Counter(one["status"] for one in records[1:])
        for task, records in rows(folder, "candidates").items()
    }
    assert found.pop("OQ") == {"terms": 40}
    assert found.pop("OR") == {"terms": 20, "pass": 20}
    assert all(set(statuses) == {"pass"} for statuses in found.values())


def test_the_picks_are_the_published_ones_with_their_ranks_and_origins(folder):
    same = 0
    printed = 0
    ranks = Counter()
    origins = Counter()
    tasks = read_json(CASES / "released" / "tasks.json")
    for task, records in rows(folder, "released").items():
        places = {one["text_id"]: one for one in records}
        entries = tasks[TASKS[task].scenario]["subtasks"][released_name(task)]["instructions"]
        in_use = [entry if isinstance(entry, str) else entry[0] for entry in entries]
        whole = released_expressions(folder, task)
        assert whole["reviewed"]
        picks = [one for one in whole["expressions"] if "hash" in one]
        assert [one["expression_id"] for one in picks] == [0, 1, 2, 3, 4]
        for pick, text in zip(picks, published(task), strict=True):
            place = places[pick["text_id"]]
            same += place["released_text"] == text
            printed += place["released_text"] in in_use
            ranks[place["rank"]] += 1
            origins["edited" if pick["edited"] else pick["rewriter"]] += 1
    assert (same, printed) == (55, 49)
    assert ranks == {1: 50, 2: 4, 4: 1}
    assert origins == {"claude-3-opus-20240229": 16, "gpt-4o": 15, "hand-written": 2, "edited": 22}


def test_the_one_edit_that_cannot_be_filled_is_corrected_as_in_tasks_json(folder):
    texts = [one["template"] for one in released_expressions(folder, "LOI")["expressions"]]
    record = read_json(CASES / "released" / "tasks.json")
    in_use = record["list"]["subtasks"]["offset_query_id"]["instructions"]
    assert texts[2] == in_use[2][0]


@pytest.mark.parametrize("task", TASKS)
def test_a_review_made_of_the_released_flags_gives_the_same_expressions(folder, task, tmp_path):
    files = of(folder, task)
    path = tmp_path / f"{task}.yaml"
    write_text(path, review({**files, "clusters": files["released"]}, task))
    whole = released_expressions(folder, task)
    assert released_expressions(folder, task, review=str(path)) == whole


def agreement(folder):
    """Mean ARI and NMI with the released partition over the tasks."""
    labels = [
        [[one["cluster"] for one in rows(folder, name)[task]] for name in ("released", "clusters")]
        for task in TASKS
    ]
    return (
        np.mean([adjusted_rand_score(*pair) for pair in labels]),
        np.mean([normalized_mutual_info_score(*pair) for pair in labels]),
    )


def touched(folder):
    """Released clusters that hold a text nearest to one of our centres."""
    found = 0
    for task, own in rows(folder, "clusters").items():
        places = {one["text_id"]: one["cluster"] for one in rows(folder, "released")[task]}
        found += len({places[one["text_id"]] for one in own if one["rank"] == 1})
    return found


def test_clusters_of_tf_idf_agree_with_the_released_partition(folder):
    rand, information = agreement(folder)
    assert rand >= 0.22
    assert information >= 0.40
    assert touched(folder) >= 39


def test_released_clusters_go_with_no_other_rewrites(folder, tmp_path):
    pool = list(read_jsonl(of(folder, "LMI")["candidates"]))
    write_jsonl(tmp_path / "c.jsonl", pool[:-1])
    with pytest.raises(UserError, match="go with the released rewrites alone"):
        list(released.clusters({"candidates": tmp_path / "c.jsonl"}, TASKS["LMI"].worded, RELEASED))


def test_a_missing_or_misshapen_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"qa_rewrite\.json: no such file"):
        list(released.candidates({}, TASKS["OQ"].worded, str(tmp_path)))
    write_json(tmp_path / "rewrites" / "qa_rewrite.json", {"ori": "x", "gpt-4o": []})
    with pytest.raises(UserError, match=r"qa_rewrite\.json: not a file of LIFBench's released"):
        list(released.candidates({}, TASKS["OQ"].worded, str(tmp_path)))
