from pathlib import Path

import numpy as np
import pytest
import yaml

from recs_pool import TASK, TEXTS, files, key
from small_contexts import expressions as own_record
from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl, write_jsonl, write_text
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs.clusters import clusters
from steadfast.benchmarks.lifbench.recs.expressions import expressions, statistics
from steadfast.benchmarks.lifbench.recs.requests import candidates, requests
from steadfast.benchmarks.lifbench.recs.review import review
from steadfast.benchmarks.lifbench.recs.vectors import vectors
from steadfast.contract.components import JudgePrompt
from steadfast.contract.part_files import read_judge_prompts
from steadfast.judging.rewriting import RewriterSimulator, readable

FILES = ("candidates", "vectors", "clusters", "review")
WORDED = {name: task.worded for name, task in TASKS.items()}


def sampled(folder, sampling="nearest", seed=1, review=None, **settings):
    return expressions(files(folder), WORDED[TASK], review, sampling, seed, **settings)


def test_the_nearest_usable_texts_have_their_cluster_s_number(tmp_path):
    whole = sampled(tmp_path)
    first, second, *kept = whole["expressions"]
    assert (first["expression_id"], first["template"]) == (0, TEXTS[1][0])
    assert (second["expression_id"], second["template"]) == (1, TEXTS[4][0])
    assert (first["rewriter"], first["distance"], first["hash"]) == ("m", 0.1, key(1))
    own = [one for one in own_record(TASK)["expressions"] if one["direction"] == -1]
    assert [one["template"] for one in kept] == [one["template"] for one in own]
    assert [one["expression_id"] for one in kept] == [200 + one["expression_id"] for one in own]
    assert whole["sampling"] == {
        "nearest": [one["expression_id"] for one in whole["expressions"]],
        "random": [],
    }
    assert whole["origin"] == "recs"
    assert whole["space"] == own_record(TASK)["space"]


def test_draws_hold_as_many_usable_texts_as_there_are_clusters(tmp_path):
    whole = sampled(tmp_path, "random", samples=20)
    texts = {one["expression_id"]: one for one in whole["expressions"]}
    assert whole["sampling"]["nearest"] == []
    drawn = whole["sampling"]["random"]
    assert len(drawn) == 20
    for draw in drawn:
        ids = [number for number in draw if texts[number]["direction"] == 1]
        assert len(set(ids)) == 2
        assert 1002 not in ids  # fails a check
    assert len({tuple(draw) for draw in drawn}) > 5
    assert {number for draw in drawn for number in draw if number >= 1000} == {
        1000,
        1001,
        1003,
        1004,
        1005,
    }


def test_rejecting_a_text_replaces_it_in_the_draws_and_moves_no_other(tmp_path):
    before = sampled(tmp_path, "random", samples=30)
    decisions = {"format": 1, "task": TASK, "decisions": {key(5): "reject"}}
    write_text(tmp_path / "r.yaml", yaml.safe_dump(decisions))
    after = sampled(tmp_path, "random", samples=30, review=str(tmp_path / "r.yaml"))
    pairs = list(zip(before["sampling"]["random"], after["sampling"]["random"], strict=True))
    assert any(1005 in one for one, _ in pairs)
    for one, other in pairs:
        assert 1005 not in other
        assert set(one) - {1005} <= set(other)


def test_where_nobody_has_read_the_texts_the_file_for_that_is_named(tmp_path):
    inputs = files(tmp_path)
    unfit = [{**one, "status": "terms"} for one in read_jsonl(inputs["candidates"])]
    write_jsonl(inputs["candidates"], unfit)
    sentence = (
        r"ready.yaml: LOI, direction .* can be used; accept or edit rewrites in a copy of that file"
    )
    with pytest.raises(UserError, match=sentence):
        expressions(inputs, WORDED[TASK], None, "nearest", 1)


def test_too_few_usable_texts_are_one_sentence(tmp_path):
    rejected = {key(number): "reject" for number in (0, 1)}
    record = {"format": 1, "task": TASK, "decisions": rejected}
    write_text(tmp_path / "r.yaml", yaml.safe_dump(record))
    with pytest.raises(UserError, match=r"LOI, direction \+1: no rewrite of cluster 0 can be used"):
        sampled(tmp_path, review=str(tmp_path / "r.yaml"))
    record["decisions"] = {key(number): "reject" for number in range(5)}
    write_text(tmp_path / "r.yaml", yaml.safe_dump(record))
    with pytest.raises(UserError, match="1 rewrites can be used, 2 are to be sampled"):
        sampled(tmp_path, "random", review=str(tmp_path / "r.yaml"))


# --- vectors, clusters, statistics ---------------------------------------------------------------


def written(folder, points, direction=None):
    """Candidates and vectors of given points."""
    inputs = {name: folder / f"{name}.jsonl" for name in ("candidates", "vectors")}
    records = [
        {"text_id": n, "text": str(n), "direction": direction, "status": "pass"}
        for n in range(len(points))
    ]
    write_jsonl(inputs["candidates"], records)
    write_jsonl(
        inputs["vectors"], ({"text_id": n, "vector": point} for n, point in enumerate(points))
    )
    return inputs


def test_clusters_are_numbered_by_their_lowest_text_and_need_enough_texts(tmp_path):
    points = [[10.0, 0.0], [0.0, 0.0], [0.0, 1.0], [10.0, 3.0], [0.0, 5.0], [10.0, 0.0]]
    found = list(clusters(written(tmp_path, points), 2, seed=1))
    assert [one["cluster"] for one in found] == [0, 1, 1, 0, 1, 0]
    # The centres are (10, 1) and (0, 2).
    assert [one["distance"] for one in found] == [1.0, 2.0, 1.0, 2.0, 3.0, 1.0]
    assert [one["rank"] for one in found] == [1, 2, 1, 3, 3, 2]
    inputs = written(tmp_path, [[0.0], [0.0], [1.0]])
    with pytest.raises(UserError, match="2 different vectors are too few for 3 clusters"):
        list(clusters(inputs, 3, seed=1))


def test_clusters_are_of_what_can_be_used_by_direction(tmp_path):
    inputs = written(tmp_path, [[0.0], [0.1], [5.0], [9.0], [9.1]])
    records = list(read_jsonl(inputs["candidates"]))
    records[3]["status"] = "fields"
    records[4]["status"] = "duplicate"
    records[2]["status"] = "terms"
    write_jsonl(inputs["candidates"], records)
    assert [one["cluster"] for one in clusters(inputs, 2, seed=1)] == [0, 0, 1]
    encoded = vectors(inputs, {"kind": "tfidf"})
    assert [one["text_id"] for one in encoded] == [0, 1, 2]


def test_vectors_have_length_one_and_need_their_encoder(tmp_path, monkeypatch):
    inputs = files(tmp_path)
    found = list(vectors(inputs, {"kind": "tfidf"}))
    assert found == list(vectors(inputs, {"kind": "tfidf"}))
    lengths = [np.linalg.norm(one["vector"]) for one in found]
    assert lengths == pytest.approx([1.0] * len(TEXTS), abs=1e-5)
    monkeypatch.setattr("steadfast.benchmarks.lifbench.recs.vectors.find_spec", lambda name: None)
    encoder = {"kind": "sentence-transformers", "model": "m", "revision": "r", "pooling": "cls"}
    with pytest.raises(UserError, match="not installed; run 'make embeddings'"):
        list(vectors(files(tmp_path), encoder))


def test_statistics_of_a_square_are_those_by_hand(tmp_path):
    # The corners of a square of side 1 and its centre; picked are two corners that face each other.
    points = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    texts = [
        {"text_id": n, "direction": None, "status": "pass", "mended": n == 1} for n in range(5)
    ]
    texts[4]["status"] = "terms"
    encoded = [{"text_id": n, "vector": point} for n, point in enumerate(points)]
    places = [
        {"text_id": n, "direction": None, "cluster": n % 2, "distance": 0.5, "rank": 1}
        for n in range(5)
    ]
    picks = [
        {
            "expression_id": n,
            "text_id": n,
            "direction": None,
            "hash": "h",
            "distance": 0.5,
            "edited": n == 1,
            "reviewed": True,
        }
        for n in (0, 1)
    ]
    inputs = {"candidates": texts, "vectors": encoded, "clusters": places}
    paths = {name: tmp_path / f"{name}.jsonl" for name in inputs}
    for name, records in inputs.items():
        write_jsonl(paths[name], records)
    sampling = {"nearest": [0, 1], "random": []}
    record = {"expressions": picks, "sampling": sampling, "reviewed": True}
    row = statistics(paths, "OQ", record, seed=1)
    assert (row["texts"], row["usable"], row["fails_terms"], row["mended"]) == (5, 4, 1, 1)
    assert (row["sizes"], row["inertia"], row["edited"]) == ([3, 2], 1.25, 1)
    assert row["spread"] == pytest.approx(2**0.5, abs=1e-6)
    # Of the ten pairs four are sides, two diagonals, and four lead to the centre.
    mean = (4 * 1 + 2 * 2**0.5 + 4 * 0.5**0.5) / 10
    assert row["random_spread"] == pytest.approx(mean, abs=0.02)
    assert row["percentile"] == pytest.approx(0.8 + 0.2 / 2, abs=0.03)


# --- the whole chain, with simulated models
# --------------------------------------------------------------


def answered(prompts: list[JudgePrompt], path: Path, slip: float, seed: int) -> None:
    """Outputs as the inference rule writes them, each asked for up to three times."""
    from random import Random

    simulator = RewriterSimulator()
    records = []
    for prompt in prompts:
        (request,) = prompt.requests
        for attempt in range(3):
            rng = Random(f"{seed}/{request.id}/{attempt}")
            text = simulator.simulated(prompt, request, {"slip": slip}, rng)
            if readable(request.expected, text, prompt.answer):
                break
        reply = {"status": "ok", "response": text, "attempts": attempt}
        records.append({"sample_id": request.id, "repeat": 0} | reply)
    write_jsonl(path, records)


@pytest.mark.wide
def test_rewriters_that_slip_give_expressions_of_every_task_and_prompts_of_them(tmp_path):
    inputs = {name: tmp_path / f"{name}.jsonl" for name in ("requests", "sim-a", "sim-b")}
    write_jsonl(inputs["requests"], requests({}, WORDED.values(), 20))
    asked = read_judge_prompts(inputs["requests"])
    assert len(asked) == 11
    answered(asked, inputs["sim-a"], 0.2, 1)
    answered(asked, inputs["sim-b"], 0.2, 2)
    reasons = set()
    for task in TASKS:
        made = {name: tmp_path / f"{task}_{name}" for name in FILES}
        write_jsonl(made["candidates"], candidates(inputs, WORDED[task], ["sim-a", "sim-b"]))
        write_jsonl(made["vectors"], vectors(made, {"kind": "tfidf"}))
        write_jsonl(made["clusters"], clusters(made, 5, 1))
        whole = expressions(made, WORDED[task], None, "both", 1, samples=2)
        ids = [one["expression_id"] for one in whole["expressions"]]
        assert len(set(ids)) == len(ids)
        assert len([i for i in whole["sampling"]["nearest"] if i < 200]) == 5
        assert all(
            len(draw) == len(whole["sampling"]["nearest"]) for draw in whole["sampling"]["random"]
        )
        statuses = [one["status"] for one in read_jsonl(made["candidates"])]
        assert len(statuses) >= 41
        reasons |= set(statuses)
        row = statistics(made, task, whole, 1)
        assert row["texts"] == len(statuses)
        kept = [status for status in statuses if status not in ("fields", "duplicate")]
        assert sum(row["sizes"]) == len(kept)
        assert review(made, task).count(": unread\n") == len(kept)
    assert {"pass", "fields", "duplicate"} <= reasons


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"status": "ok", "response": '["Go.", "Lea'}, "the reply has no list"),
        ({"status": "ok", "response": '["one"]'}, "the reply has 1 rewrites, not 20"),
        ({"status": "refused", "response": ""}, "no rewrites came (status refused)"),
        (None, "no rewrites came (status missing)"),
    ],
)
def test_a_task_without_a_readable_reply_names_task_rewriter_and_what_to_do(
    tmp_path, record, sentence
):
    inputs = {name: tmp_path / f"{name}.jsonl" for name in ("requests", "gpt")}
    write_jsonl(inputs["requests"], requests({}, [WORDED["LOI"]], 20, [1]))
    records = [{"sample_id": "LOI/+1", "repeat": 0, "attempts": 3} | record] if record else []
    write_jsonl(inputs["gpt"], records)
    with pytest.raises(UserError) as raised:
        list(candidates(inputs, WORDED["LOI"], ["gpt"]))
    message = str(raised.value)
    assert "LOI/+1, rewriter gpt: " in message
    assert sentence in message
    assert message.endswith("or leave it out of rewriters")
