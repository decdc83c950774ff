"""Copies of a model share the contexts and the GPUs; logs, hints and errors belong to parts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from steadfast.base.files import read_jsonl
from steadfast.contract.request import Request
from steadfast.engines.vllm.copies import Copies, shares

HERE = Path(__file__).parent
RUN_PARTS = """
import json, sys
from pathlib import Path
from steadfast.engines.base import EngineFailed, Loaded
from steadfast.contract.request import Item
from send_items import send_items
from steadfast.base.errors import UserError

if __name__ == "__main__":
    copies = int(sys.argv[1])
    folder = Path(sys.argv[0]).parent
    answers = {"engine": "vllm", "model": "one", "window": 4_000_000}
    loaded = Loaded()
    errors = {}
    for part, longest in (("first", 9), ("second", 2_000_000), ("third", 9)):
        items = [
            Item(f"{c}{q}", c, "Read. ", f"{part} context {c} " * 9, f" Ask {q}!",
                 longest if c == "b" else 9)
            for q in range(3) for c in "abcde"
        ]
        base = folder / f"{copies}-{part}"
        files = [base.with_suffix(end) for end in (".journal", ".out", ".provenance.json", ".log")]
        try:
            send_items("one", answers, {"data_parallel_size": copies}, items, *files,
                     loaded=loaded)
        except UserError as error:
            errors[part] = str(error)
            if isinstance(error, EngineFailed):
                break
    print(json.dumps(errors))
    # The simulated vLLM takes 0.2 s to load.
    sys.exit("load time is missing" if not errors and loaded.seconds < 0.2 else 0)
"""


def errors_of(folder: Path, copies: int, **variables: str) -> dict[str, str]:
    """Runs three parts with so many copies; the error messages by part."""
    script = folder / "run_parts.py"
    script.write_text(RUN_PARTS)
    environment = {
        "PYTHONPATH": f"{HERE.parents[1] / 'scripts'}:{HERE / 'fake_vllm'}:{HERE}",
        "FAKE_VLLM_LOADS": str(folder / f"loads-{copies}"),
        "CUDA_VISIBLE_DEVICES": "GPU-a,GPU-b,GPU-c",
        "TMPDIR": str(folder),
    }
    done = subprocess.run(
        [sys.executable, script, str(copies)],
        env={**os.environ, **environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def loaded_gpus(folder: Path, copies: int) -> list[str]:
    """The GPUs that loaded a model, each in another process."""
    loads = [line.split() for line in (folder / f"loads-{copies}").read_text().splitlines()]
    assert len({process for _, process, _ in loads}) == len(loads)
    return sorted(gpu for _, _, gpu in loads)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("parts")


@pytest.fixture(scope="module")
def errors(folder) -> dict[str, str]:
    return errors_of(folder, 2)


def test_outputs_do_not_depend_on_the_copies(folder, errors):
    errors_of(folder, 1)
    for part in ("first", "third"):
        assert part not in errors
        outputs = (folder / f"2-{part}.out").read_bytes()
        assert outputs == (folder / f"1-{part}.out").read_bytes()
    assert loaded_gpus(folder, 1) == ["GPU-a"]
    assert loaded_gpus(folder, 2) == ["GPU-a", "GPU-b"]


@pytest.mark.wide
def test_copies_use_the_gpus_of_a_cluster_job(tmp_path):
    errors_of(tmp_path, 2, SLURM_JOB_ID="1", CUDA_VISIBLE_DEVICES="2,3")
    assert loaded_gpus(tmp_path, 2) == ["2", "3"]


def test_part_log_has_the_lines_of_all_copies(folder, errors):
    for part in ("first", "third"):
        log = (folder / f"2-{part}.log").read_text()
        assert log.count("KV cache") == 2
        counts = re.findall(r"^(\d+) requests:.*prompt tokens", log, re.MULTILINE)
        assert sum(map(int, counts)) == 15


def test_part_that_exceeds_the_kv_cache_fails_alone(folder, errors):
    assert list(errors) == ["second"]
    assert "the KV cache has room for 1,000,000 tokens" in errors["second"]
    # One copy has the long context; the other has the other four, with three questions each.
    assert len(list(read_jsonl(folder / "2-second.journal"))) == 12


def test_copy_out_of_memory_leaves_a_hint_for_its_part(tmp_path):
    variables = {"FAKE_VLLM_DIES": "third context c", "FAKE_VLLM_DIES_OF": "out of memory"}
    errors = errors_of(tmp_path, 2, **variables)
    assert "out of memory with" in errors["third"]
    assert [path.name for path in tmp_path.glob("*.hint.json")] == ["2-third.hint.json"]


def test_copy_that_dies_ends_the_job_with_its_error(tmp_path):
    errors = errors_of(tmp_path, 2, FAKE_VLLM_DIES="first context c")
    assert list(errors) == ["first"]
    assert "model one failed (RuntimeError: the engine died)" in errors["first"]


def test_each_copy_sees_its_own_gpus(monkeypatch):
    context = Mock()
    context.Pipe.side_effect = lambda: (Mock(), Mock())
    monkeypatch.setattr("multiprocessing.get_context", lambda method: context)
    assert Copies(2, ["0", "1", "2", "3", "4"]).load_seconds == 0
    visible = [call.kwargs["args"][1] for call in context.Process.call_args_list]
    assert visible == ["0,1", "2,3"]


def request(prompt_tokens: int, max_tokens: int) -> Request:
    return Request("s", "c", ("c", ""), "p", "s", max_tokens, prompt_tokens, 0, 1.0, None, "h")


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([5, 4, 3, 2, 1], [[5, 2, 1], [4, 3]]),
        ([9, 1, 1, 1], [[9], [1, 1, 1]]),
        ([7], [[7], []]),
    ],
)
def test_contexts_are_shared_by_prompt_tokens(sizes, expected):
    sizes_of_copies = []
    for groups in shares([[request(size, 0)] for size in sizes], 2):
        sizes_of_copies.append([group[0].prompt_tokens for group in groups])
    assert sizes_of_copies == expected


def test_contexts_are_shared_by_output_tokens_too():
    long = [request(1000, 10)]
    wide = [request(600, 300) for _ in range(3)]
    assert shares([long, wide], 2) == [[wide], [long]]
