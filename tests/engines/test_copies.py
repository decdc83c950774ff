"""Copies of a model share out the contexts; each has GPUs of its own, and one's death is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from steadfast.contract.request import Request
from steadfast.engines.vllm.copies import shares

HERE = Path(__file__).parent
ASK = """
import json, sys
from steadfast.engines.base import Setup
from steadfast.engines.base import build_engine
from steadfast.engines.fit import fitted
from steadfast.contract.request import Item, grouped
from steadfast.base.errors import UserError

if __name__ == "__main__":
    copies = int(sys.argv[1])
    answers = {"engine": "vllm", "model": "one", "window": 4096}
    engine = build_engine(Setup(answers, {"data_parallel_size": copies}, lambda line: None))
    items = [
        Item(f"{c}{q}", c, "Read. ", f"context {c} " * 9, f" Ask {q}!", 9)
        for q in range(3) for c in "abcde"
    ]
    requests = fitted("one", engine, answers, items)
    for again in range(2):
        try:
            found = {r.sample_id: a.text for r, a in engine.answer(grouped(requests))}
        except UserError as error:
            sys.exit(str(error))
    print(json.dumps(found, sort_keys=True))
"""


def ask(folder: Path, copies: int, **variables: str) -> subprocess.CompletedProcess:
    return ask_script(ASK, folder, copies, **variables)


def ask_script(
    text: str, folder: Path, copies: int, **variables: str
) -> subprocess.CompletedProcess:
    script = folder / "ask.py"
    script.write_text(text)
    own = {
        "PYTHONPATH": f"{HERE.parents[1] / 'scripts'}:{HERE / 'fake_vllm'}:{HERE}",
        "FAKE_VLLM_LOADS": str(folder / f"loads-{copies}"),
        "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b,GPU-c",
        "TMPDIR": str(folder),
    }
    return subprocess.run(
        [sys.executable, script, str(copies)],
        env={**os.environ, **own, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def loads(folder: Path, copies: int) -> list[list[str]]:
    return [line.split() for line in (folder / f"loads-{copies}").read_text().splitlines()]


def test_two_copies_answer_as_one_does_on_gpus_of_their_own(tmp_path):
    alone, both = ask(tmp_path, 1), ask(tmp_path, 2)
    assert alone.returncode == both.returncode == 0, both.stderr
    assert alone.stdout == both.stdout and alone.stdout.count("tokens") == 15
    ((_, _, gpu),) = loads(tmp_path, 1)
    assert gpu == "GPU-a"
    processes = loads(tmp_path, 2)
    assert sorted(gpu for _, _, gpu in processes) == ["GPU-a", "GPU-b"]
    assert len({process for _, process, _ in processes}) == 2


def test_a_clusters_gpus_are_shared_out_as_they_are(tmp_path):
    done = ask(tmp_path, 2, SLURM_JOB_ID="1", CUDA_VISIBLE_DEVICES="2,3")
    assert done.returncode == 0, done.stderr
    assert sorted(gpu for _, _, gpu in loads(tmp_path, 2)) == ["2", "3"]


def test_the_death_of_a_copy_is_one_sentence_and_ends_the_job(tmp_path):
    done = ask(tmp_path, 2, FAKE_VLLM_DIES="context c")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "model one failed (RuntimeError: the engine died)" in done.stderr


def request(tokens: int, answer: int) -> Request:
    return Request("s", "c", ("c", ""), "p", "s", answer, tokens, 0, 1.0, None, "h")


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([5, 4, 3, 2, 1], [[5, 2, 1], [4, 3]]),
        ([9, 1, 1, 1], [[9], [1, 1, 1]]),
        ([7], [[7], []]),
    ],
)
def test_contexts_are_shared_out_by_their_work(sizes, expected):
    groups = [[request(size * 100, 0)] for size in sizes]
    found = [[group[0].prompt_tokens // 100 for group in share] for share in shares(groups, 2)]
    assert found == expected


def test_the_answers_of_a_context_are_work_too():
    long, wide = [request(1000, 10)], [request(600, 300) for _ in range(3)]
    assert shares([long, wide], 2) == [[wide], [long]]
