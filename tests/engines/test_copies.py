"""Copies of a model share out the contexts; each has GPUs of its own, each part its own log, hint
and failure, and one's death is said."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from steadfast.base.files import read_jsonl
from steadfast.contract.request import Request
from steadfast.engines.vllm.copies import shares

HERE = Path(__file__).parent
ASK = """
import json, sys
from pathlib import Path
from steadfast.engines.base import EngineFailed, Loaded
from steadfast.contract.request import Item
from ask_items import ask_items
from steadfast.base.errors import UserError

if __name__ == "__main__":
    copies, folder = int(sys.argv[1]), Path(sys.argv[0]).parent
    answers = {"engine": "vllm", "model": "one", "window": 4_000_000}
    loaded, errors = Loaded(), {}
    for part, longest in (("first", 9), ("second", 2_000_000), ("third", 9)):
        items = [
            Item(f"{c}{q}", c, "Read. ", f"{part} context {c} " * 9, f" Ask {q}!",
                 longest if c == "b" else 9)
            for q in range(3) for c in "abcde"
        ]
        at = folder / f"{copies}-{part}"
        files = [at.with_suffix(end) for end in (".journal", ".out", ".provenance.json", ".log")]
        try:
            ask_items("one", answers, {"data_parallel_size": copies}, items, *files,
                     loaded=loaded)
        except UserError as error:
            errors[part] = str(error)
            if isinstance(error, EngineFailed):
                break
    print(json.dumps(errors))
    # 0.2 s are what the simulator takes.
    sys.exit("no load is known" if not errors and loaded.seconds < 0.2 else 0)
"""


def errors_of(folder: Path, copies: int, **variables: str) -> dict[str, str]:
    """Asks three parts of so many copies; what failed, by part."""
    script = folder / "ask.py"
    script.write_text(ASK)
    folders = {
        "PYTHONPATH": f"{HERE.parents[1] / 'scripts'}:{HERE / 'fake_vllm'}:{HERE}",
        "FAKE_VLLM_LOADS": str(folder / f"loads-{copies}"),
        "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b,GPU-c",
        "TMPDIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, script, str(copies)],
        env={**os.environ, **folders, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def gpus(folder: Path, copies: int) -> list[str]:
    """Those on which a model was loaded, each by a process of its own."""
    loads = [line.split() for line in (folder / f"loads-{copies}").read_text().splitlines()]
    assert len({process for _, process, _ in loads}) == len(loads)
    return sorted(gpu for _, _, gpu in loads)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def errors(folder) -> dict[str, str]:
    return errors_of(folder, 2)


def test_parts_are_answered_by_the_same_copies_as_by_one(folder, errors):
    errors_of(folder, 1)
    for part in ("first", "third"):
        both, alone = (folder / f"{copies}-{part}.out" for copies in (2, 1))
        assert part not in errors
        assert both.read_bytes() == alone.read_bytes()
    assert (gpus(folder, 1), gpus(folder, 2)) == (["GPU-a"], ["GPU-a", "GPU-b"])


def test_a_clusters_gpus_are_shared_out_as_they_are(tmp_path):
    errors_of(tmp_path, 2, SLURM_JOB_ID="1", CUDA_VISIBLE_DEVICES="2,3")
    assert gpus(tmp_path, 2) == ["2", "3"]


def test_the_copies_lines_are_in_the_log_of_the_part_that_they_answer(folder, errors):
    for part in ("first", "third"):
        log = (folder / f"2-{part}.log").read_text()
        assert log.count("KV cache") == 2
        counts = [
            int(line.split(" requests:")[0]) for line in log.splitlines() if "prompt tokens" in line
        ]
        assert sum(counts) == 15


def test_a_part_that_does_not_fit_fails_alone_and_keeps_what_the_other_copy_answers(folder, errors):
    assert list(errors) == ["second"]
    assert "the KV cache has room for 1,000,000 tokens" in errors["second"]
    # One copy has the large context; the other has the other four, of three questions each.
    assert len(list(read_jsonl(folder / "2-second.journal"))) == 12


def test_after_a_death_by_memory_it_is_that_part_which_asks_fewer_at_once(tmp_path):
    variables = {"FAKE_VLLM_DIES": "third context c", "FAKE_VLLM_DIES_OF": "out of memory"}
    errors = errors_of(tmp_path, 2, **variables)
    assert "out of memory with" in errors["third"]
    assert [path.name for path in tmp_path.glob("*.hint.json")] == ["2-third.hint.json"]


def test_the_death_of_a_copy_is_one_sentence_and_ends_the_job(tmp_path):
    errors = errors_of(tmp_path, 2, FAKE_VLLM_DIES="first context c")
    assert list(errors) == ["first"]
    assert "model one failed (RuntimeError: the engine died)" in errors["first"]


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
    shared = [[group[0].prompt_tokens // 100 for group in share] for share in shares(groups, 2)]
    assert shared == expected


def test_the_answers_of_a_context_are_work_too():
    long = [request(1000, 10)]
    wide = [request(600, 300) for _ in range(3)]
    assert shares([long, wide], 2) == [[wide], [long]]
