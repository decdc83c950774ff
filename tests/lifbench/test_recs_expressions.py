import sys
from pathlib import Path
from random import Random
from unittest.mock import Mock, call

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from recs_pool import TASK, TEXTS, files, key, sampled, write_review
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

EXPRESSION_SETTINGS = {name: task.expression_settings for name, task in TASKS.items()}


def test_nearest_usable_texts_have_their_clusters_number(tmp_path):
    record = sampled(tmp_path)
    rows = pd.DataFrame(record["expressions"])
    own = pd.DataFrame(own_record(TASK)["expressions"]).query("direction == -1")
    assert rows["expression_id"].tolist() == [0, 1, *(own["expression_id"] + 200)]
    assert rows["template"].tolist() == [TEXTS[1][0], TEXTS[4][0], *own["template"]]
    assert rows.loc[0, ["rewriter", "distance", "hash"]].tolist() == ["m", 0.1, key(1)]
    assert record["sampling"] == {"nearest": rows["expression_id"].tolist(), "random": []}
    assert record["origin"] == "recs"
    assert record["space"] == own_record(TASK)["space"]


def test_random_samples_have_as_many_usable_texts_as_clusters(tmp_path):
    record = sampled(tmp_path, "random", samples=20)
    rewrites = pd.DataFrame(record["expressions"]).query("direction == 1")["expression_id"]
    assert record["sampling"]["nearest"] == []
    samples = record["sampling"]["random"]
    assert len(samples) == 20
    for sample in samples:
        assert len(set(sample) & set(rewrites)) == 2
    assert len(set(map(tuple, samples))) > 5
    ids = sorted(set().union(*samples))
    assert ids[-5:] == [1000, 1001, 1003, 1004, 1005]  # 1002 fails a check
    assert ids[-6] < 1000


def test_rejected_text_is_replaced_in_samples_and_no_other_moves(tmp_path):
    before = sampled(tmp_path, "random", samples=30)["sampling"]["random"]
    path = write_review(tmp_path, {key(5): "reject"})
    after = sampled(tmp_path, "random", path, samples=30)["sampling"]["random"]
    assert 1005 in set().union(*before)
    for old_ids, new_ids in zip(before, after, strict=True):
        assert 1005 not in new_ids
        assert set(old_ids) - {1005} <= set(new_ids)


def test_error_without_usable_texts_names_the_review_file(tmp_path):
    inputs = files(tmp_path)
    unusable = [record | {"status": "terms"} for record in read_jsonl(inputs["candidates"])]
    write_jsonl(inputs["candidates"], unusable)
    message = (
        r"ready.yaml: LOI, direction .* can be used; accept or edit rewrites in a copy of that file"
    )
    with pytest.raises(UserError, match=message):
        expressions(inputs, EXPRESSION_SETTINGS[TASK], None, "nearest", 1, 1)


def test_random_sample_may_have_all_usable_texts(tmp_path):
    path = write_review(tmp_path, dict.fromkeys(map(key, (0, 1, 3)), "reject"))
    (sample,) = sampled(tmp_path, "random", path)["sampling"]["random"]
    assert sorted(sample)[-2:] == [1004, 1005]


@pytest.mark.parametrize(
    ("sampling", "rejected", "message"),
    [
        ("nearest", range(2), r"LOI, direction \+1: no rewrite of cluster 0 can be used"),
        ("random", range(5), "1 rewrites can be used, 2 are to be sampled"),
    ],
)
def test_too_few_usable_texts_are_reported(tmp_path, sampling, rejected, message):
    path = write_review(tmp_path, dict.fromkeys(map(key, rejected), "reject"))
    with pytest.raises(UserError, match=message):
        sampled(tmp_path, sampling, path)


# --- vectors, clusters, statistics ---------------------------------------------------------------


def write_points(folder, points, statuses=(), **fields):
    """The files of candidates with these vectors."""
    texts = []
    encoded = []
    for number, point in enumerate(points):
        status = statuses[number] if statuses else "pass"
        text = {"text_id": number, "text": str(number), "direction": None, "status": status}
        texts.append(text | fields)
        encoded.append({"text_id": number, "vector": point})
    inputs = {name: folder / f"{name}.jsonl" for name in ("candidates", "vectors")}
    write_jsonl(inputs["candidates"], texts)
    write_jsonl(inputs["vectors"], encoded)
    return inputs


def test_clusters_are_numbered_by_their_lowest_text(tmp_path):
    points = [[10.0, 0.0], [0.0, 0.0], [0.0, 1.0], [10.0, 3.0], [0.0, 5.0], [10.0, 0.0]]
    rows = pd.DataFrame(clusters(write_points(tmp_path, points), 2, seed=1, starts=9))
    assert rows["cluster"].tolist() == [0, 1, 1, 0, 1, 0]
    # The centres are (10, 1) and (0, 2).
    assert rows["distance"].tolist() == [1.0, 2.0, 1.0, 2.0, 3.0, 1.0]
    assert rows["rank"].tolist() == [1, 2, 1, 3, 3, 2]


def test_clusters_need_as_many_different_vectors(tmp_path):
    inputs = write_points(tmp_path, [[0.0], [0.0], [1.0]])
    with pytest.raises(UserError, match="2 different vectors are too few for 3 clusters"):
        list(clusters(inputs, 3, seed=1, starts=9))


def test_clusters_and_vectors_leave_out_unusable_texts(tmp_path):
    statuses = ["pass", "pass", "terms", "fields", "duplicate"]
    inputs = write_points(tmp_path, [[0.0], [0.1], [5.0], [9.0], [9.1]], statuses)
    rows = pd.DataFrame(clusters(inputs, 2, seed=1, starts=9))
    assert rows["cluster"].tolist() == [0, 0, 1]
    encoded = pd.DataFrame(vectors(inputs, {"kind": "tfidf"}))
    assert encoded["text_id"].tolist() == [0, 1, 2]


def test_vectors_and_clusters_are_made_in_one_thread_by_any_seed(tmp_path, monkeypatch):
    limits = Mock(wraps=threadpool_limits)
    for module in ("vectors", "clusters"):
        path = f"steadfast.benchmarks.lifbench.recs.{module}.threadpool_limits"
        monkeypatch.setattr(path, limits)
    inputs = write_points(tmp_path, [[0.0], [1.0]])
    assert len(list(vectors(inputs, {"kind": "tfidf"}))) == 2
    assert len(list(clusters(inputs, 2, seed=2**33 - 1, starts=1))) == 2
    assert limits.mock_calls == [call(limits=1)] * 2


def test_vectors_have_unit_length_and_are_reproducible(tmp_path):
    inputs = files(tmp_path)
    encoded = list(vectors(inputs, {"kind": "tfidf"}))
    assert encoded == list(vectors(inputs, {"kind": "tfidf"}))
    lengths = pd.DataFrame(encoded)["vector"].map(np.linalg.norm)
    assert lengths.tolist() == pytest.approx([1.0] * len(TEXTS), abs=1e-5)


def test_vector_has_an_entry_for_each_two_to_four_characters_of_a_word(tmp_path):
    (record,) = vectors(write_points(tmp_path, [[0.0]], text="abc"), {"kind": "tfidf"})
    # Of " abc " there are 4 of two, 3 of three and 2 of four, once each: the length is 3.
    assert record["vector"] == [0.333333] * 9
    assert len(record["key"]) == 16


def test_missing_encoder_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr("steadfast.benchmarks.lifbench.recs.vectors.find_spec", lambda name: None)
    encoder = {"kind": "sentence-transformers", "model": "m", "revision": "r", "pooling": "cls"}
    with pytest.raises(UserError, match="not installed; run 'make embeddings'"):
        list(vectors(files(tmp_path), encoder))


ENCODER = {"kind": "sentence-transformers", "model": "m", "revision": "r"}


@pytest.fixture
def libraries(monkeypatch):
    """In place of torch and of sentence-transformers' class; each text has a unit vector."""
    torch = Mock()
    load = Mock()
    load.return_value.encode.return_value = np.eye(len(TEXTS))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", Mock(SentenceTransformer=load))
    monkeypatch.setattr("steadfast.benchmarks.lifbench.recs.vectors.find_spec", str)
    return torch, load


def test_encoder_takes_one_text_at_a_time_in_one_thread(tmp_path, libraries):
    torch, load = libraries
    rows = pd.DataFrame(vectors(files(tmp_path), ENCODER))
    assert rows["vector"].tolist() == np.eye(len(TEXTS)).tolist()
    load.assert_called_once_with("m", revision="r", device="cpu")
    texts = [text for text, _, _ in TEXTS]
    load.return_value.encode.assert_called_once_with(
        texts, batch_size=1, normalize_embeddings=True, show_progress_bar=False
    )
    torch.set_num_threads.assert_called_once_with(1)
    torch.use_deterministic_algorithms.assert_called_once_with(True)


def test_encoder_that_cannot_be_loaded_is_reported(tmp_path, libraries):
    _, load = libraries
    load.side_effect = OSError("\nno such model\nSee the hub.")
    with pytest.raises(UserError, match=r"model: m cannot be loaded \(no such model\); name"):
        list(vectors(files(tmp_path), ENCODER))


@pytest.mark.usefixtures("libraries")
def test_vectors_are_known_by_revision_and_those_of_a_directory_by_what_it_holds(tmp_path):
    inputs = files(tmp_path)
    changes = [{}, {"revision": "s"}]
    for name, weights in (("a", "1"), ("b", "1"), ("c", "2")):
        write_text(tmp_path / name / "weights", weights)
        changes.append({"model": str(tmp_path / name)})
    keys = [next(vectors(inputs, ENCODER | change))["key"] for change in changes]
    assert keys[2] == keys[3]
    assert len(set(keys)) == 4


def test_statistics_of_a_square_by_hand(tmp_path):
    # The corners of a square of side 1 and its centre; picked are two corners that face each other.
    points = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]
    inputs = write_points(tmp_path, points, [*["pass"] * 4, "terms"], mended=False)
    texts = list(read_jsonl(inputs["candidates"]))
    texts[1]["mended"] = True
    write_jsonl(inputs["candidates"], texts)
    inputs["clusters"] = tmp_path / "clusters.jsonl"
    cluster = {"direction": None, "distance": 0.333333, "rank": 1}
    assigned = [{**cluster, "text_id": number, "cluster": number % 2} for number in range(5)]
    write_jsonl(inputs["clusters"], assigned)
    pick = {"direction": None, "hash": "h", "distance": 0.333333, "reviewed": True}
    picks = [
        {**pick, "expression_id": 0, "text_id": 0, "edited": False},
        {**pick, "expression_id": 1, "text_id": 1, "edited": True},
    ]
    sampling = {"nearest": [0, 1, 200], "random": [[1004, 200]]}
    # Neither a hand-written template nor a text sampled at random is near a centre.
    others = [{"expression_id": 200}, {**pick, "expression_id": 1004, "text_id": 4}]
    record = {"expressions": [*picks, *others], "sampling": sampling, "reviewed": True}
    row = statistics(inputs, "OQ", record, seed=1)
    assert (row["texts"], row["usable"], row["fails_terms"], row["mended"]) == (5, 4, 1, 1)
    # 5 times the square of 0.333333.
    assert (row["sizes"], row["inertia"], row["edited"]) == ([3, 2], 0.555554, 1)
    assert row["pick_distances"] == [0.333333, 0.333333]
    assert row["spread"] == 1.414214  # the square root of 2
    # Of the ten pairs four are sides, two diagonals, and four lead to the centre.
    mean = (4 * 1 + 2 * 2**0.5 + 4 * 0.5**0.5) / 10
    assert row["random_spread"] == pytest.approx(mean, abs=0.02)
    assert row["random_spread"] == round(row["random_spread"], 6)
    assert row["percentile"] == pytest.approx(0.8 + 0.2 / 2, abs=0.03)
    assert (4000 * row["percentile"]).is_integer()  # of 2,000 sets, in halves
    picks.append({**pick, "expression_id": 2, "text_id": 2, "edited": False})
    record = {"expressions": picks, "sampling": {"nearest": [0, 1, 2]}, "reviewed": True}
    # Two sides and a diagonal.
    assert statistics(inputs, "OQ", record, seed=1)["spread"] == round((2 + 2**0.5) / 3, 6)


# --- the whole chain, with simulated models ------------------------------------------------------


def write_replies(prompts: list[JudgePrompt], path: Path, slip: float, seed: int) -> None:
    """Outputs as the inference rule writes them, each requested up to three times."""
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
def test_every_task_has_expressions_from_rewriters_that_slip(tmp_path):
    inputs = {name: tmp_path / f"{name}.jsonl" for name in ("requests", "sim-a", "sim-b")}
    write_jsonl(inputs["requests"], requests({}, EXPRESSION_SETTINGS.values(), 20))
    prompts = read_judge_prompts(inputs["requests"])
    assert len(prompts) == 11
    write_replies(prompts, inputs["sim-a"], 0.2, 1)
    write_replies(prompts, inputs["sim-b"], 0.2, 2)
    reasons = set()
    for task in TASKS:
        names = ("candidates", "vectors", "clusters", "review")
        paths = {name: tmp_path / f"{task}_{name}" for name in names}
        write_jsonl(
            paths["candidates"], candidates(inputs, EXPRESSION_SETTINGS[task], ["sim-a", "sim-b"])
        )
        write_jsonl(paths["vectors"], vectors(paths, {"kind": "tfidf"}))
        write_jsonl(paths["clusters"], clusters(paths, 5, 1, 50))
        record = expressions(paths, EXPRESSION_SETTINGS[task], None, "both", 1, samples=2)
        assert pd.DataFrame(record["expressions"])["expression_id"].is_unique
        nearest = record["sampling"]["nearest"]
        assert np.sum(np.array(nearest) < 200) == 5
        assert set(map(len, record["sampling"]["random"])) == {len(nearest)}
        statuses = pd.DataFrame(read_jsonl(paths["candidates"]))["status"]
        assert len(statuses) >= 41
        reasons |= set(statuses)
        row = statistics(paths, task, record, 1)
        assert row["texts"] == len(statuses)
        clustered = len(statuses) - statuses.isin(["fields", "duplicate"]).sum()
        assert sum(row["sizes"]) == clustered
        assert review(paths, task).count(": unread\n") == clustered
    assert {"pass", "fields", "duplicate"} <= reasons


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"status": "ok", "response": '["Go.", "Lea'}, "the reply has no list"),
        ({"status": "ok", "response": '["one"]'}, "the reply has 1 rewrites, not 20"),
        ({"status": "refused", "response": ""}, "no rewrites came (status refused)"),
        (None, "no rewrites came (status missing)"),
    ],
)
def test_unreadable_reply_is_reported_with_task_and_rewriter(tmp_path, record, message):
    inputs = {name: tmp_path / f"{name}.jsonl" for name in ("requests", "gpt")}
    write_jsonl(inputs["requests"], requests({}, [EXPRESSION_SETTINGS["LOI"]], 20, [1]))
    records = [{"sample_id": "LOI/+1", "repeat": 0, "attempts": 3} | record] if record else []
    write_jsonl(inputs["gpt"], records)
    with pytest.raises(UserError) as error:
        list(candidates(inputs, EXPRESSION_SETTINGS["LOI"], ["gpt"]))
    assert "LOI/+1, rewriter gpt: " in str(error.value)
    assert message in str(error.value)
    assert str(error.value).endswith("or leave it out of rewriters")
