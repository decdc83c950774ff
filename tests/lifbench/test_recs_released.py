"""The released rewrites and clusters (lifbench/RECS.md, "Numbers to hold")."""

from collections import Counter
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from small_contexts import CASES, needs_cases, released_templates
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
    folder = tmp_path_factory.mktemp("recs")
    for task in TASKS:
        paths = files(folder, task)
        write_jsonl(
            paths["candidates"], released.candidates({}, TASKS[task].expression_settings, RELEASED)
        )
        write_jsonl(paths["vectors"], vectors(paths, {"kind": "tfidf"}))
        write_jsonl(paths["clusters"], clusters(paths, 5, 1, 50))
        write_jsonl(
            paths["released"], released.clusters(paths, TASKS[task].expression_settings, RELEASED)
        )
    return folder


def files(folder, task):
    names = ("candidates", "vectors", "clusters", "released", "review")
    return {name: folder / f"{task}_{name}.jsonl" for name in names}


def rows(folder, name, task):
    return pd.DataFrame(read_jsonl(files(folder, task)[name]))


def released_expressions(folder, task, review=None):
    paths = files(folder, task)
    inputs = paths | {"clusters": paths["released"]}
    return expressions(inputs, TASKS[task].expression_settings, review, "nearest", 1, 1)


@cache
def published(task):
    """The picks of the released cluster file by cluster: the first usable or edited text."""
    record = read_json(CASES / "released" / "clusters" / f"{released_name(task)}_cluster.json")
    picks = []
    for cluster in "01234":
        entries = pd.DataFrame(record[cluster])
        picks.append(entries[entries[FLAG].isin([2, 3])]["text"].iloc[0])
    return picks


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", ["rewrites", "clusters"])
def test_pinned_ids_match_the_shared_copy(kind, task):
    path = CASES / "released" / kind / f"{released_name(task)}_{kind[:-1]}.json"
    assert git_blob(path.read_bytes()) == facts("lifbench/recs/released.yaml")[kind][task]


@pytest.mark.wide
def test_checks_find_lost_terms_and_mend_batch_label(folder):
    statuses = {}
    mended = Counter()
    for task in TASKS:
        rewrites = rows(folder, "candidates", task)[1:]
        statuses[task] = Counter(rewrites["status"])
        mended[task] += int(rewrites["mended"].sum())
    assert +mended == {"MB": 21}
    assert sum(map(Counter.total, statuses.values())) == 431
    # Neither loses a field; those of OQ and half of those of OR lose the term "key sentence".
    assert statuses.pop("OQ") == {"terms": 40}
    assert statuses.pop("OR") == {"terms": 20, "pass": 20}
    assert set().union(*statuses.values()) == {"pass"}


def test_picks_are_the_published_ones_with_rank_and_origin(folder):
    picks = []
    for task in TASKS:
        record = released_expressions(folder, task)
        assert record["reviewed"]
        rewrites = pd.DataFrame(record["expressions"]).dropna(subset="hash")
        assert rewrites["expression_id"].tolist() == [0, 1, 2, 3, 4]
        rewrites = rewrites.merge(rows(folder, "released", task), on="text_id")
        templates = pd.DataFrame(released_templates(task), columns=["text", "direction"])
        rewrites["printed"] = rewrites["released_text"].isin(templates["text"])
        rewrites["published"] = rewrites["released_text"] == published(task)
        picks.append(rewrites)
    picks = pd.concat(picks)
    assert (picks["published"].sum(), picks["printed"].sum()) == (55, 49)
    assert picks["rank"].value_counts().to_dict() == {1: 50, 2: 4, 4: 1}
    origins = picks["rewriter"].mask(picks["edited"].astype(bool), "edited")
    assert origins.value_counts().to_dict() == {
        "claude-3-opus-20240229": 16,
        "gpt-4o": 15,
        "hand-written": 2,
        "edited": 22,
    }


def test_edit_that_cannot_be_filled_is_corrected_as_in_tasks_json(folder):
    text = released_expressions(folder, "LOI")["expressions"][2]["template"]
    assert text == released_templates("LOI")[2][0]


@pytest.mark.parametrize("task", TASKS)
def test_review_of_the_released_flags_gives_equal_expressions(folder, task, tmp_path):
    paths = files(folder, task)
    path = tmp_path / f"{task}.yaml"
    write_text(path, review({**paths, "clusters": paths["released"]}, task))
    record = released_expressions(folder, task, str(path))
    assert record == released_expressions(folder, task)


def test_tfidf_clusters_agree_with_the_released_partition(folder):
    rand = []
    information = []
    touched = 0  # released clusters that hold a text nearest to one of our centres
    for task in TASKS:
        own = rows(folder, "clusters", task).set_index("text_id")
        partition = rows(folder, "released", task)["cluster"]
        rand.append(adjusted_rand_score(partition, own["cluster"]))
        information.append(normalized_mutual_info_score(partition, own["cluster"]))
        nearest = own[own["rank"] == 1].index
        released_clusters = rows(folder, "released", task).set_index("text_id")["cluster"]
        touched += released_clusters[nearest].nunique()
    assert np.mean(rand) >= 0.22
    assert np.mean(information) >= 0.40
    assert touched >= 39


def test_released_clusters_refuse_other_rewrites(folder, tmp_path):
    pool = list(read_jsonl(files(folder, "LMI")["candidates"]))
    write_jsonl(tmp_path / "c.jsonl", pool[:-1])
    with pytest.raises(UserError, match="go with the released rewrites alone"):
        list(
            released.clusters(
                {"candidates": tmp_path / "c.jsonl"}, TASKS["LMI"].expression_settings, RELEASED
            )
        )


def test_missing_or_malformed_file_is_reported(tmp_path):
    with pytest.raises(UserError, match=r"qa_rewrite\.json: no such file"):
        list(released.candidates({}, TASKS["OQ"].expression_settings, str(tmp_path)))
    write_json(tmp_path / "rewrites" / "qa_rewrite.json", {"ori": "x", "gpt-4o": []})
    with pytest.raises(UserError, match=r"qa_rewrite\.json: not a file of LIFBench's released"):
        list(released.candidates({}, TASKS["OQ"].expression_settings, str(tmp_path)))
