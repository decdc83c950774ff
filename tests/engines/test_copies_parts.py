"""Copies of a model answer one part after another: each part has its own log, hint and failure."""

import json
from pathlib import Path

import pytest

from steadfast.base.files import read_jsonl
from test_copies import ask_script

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
        files = [at.with_suffix(end) for end in (".journal", ".out", ".identity.json", ".log")]
        try:
            ask_items("one", answers, {"data_parallel_size": copies}, items, *files,
                     loaded=loaded)
        except UserError as error:
            errors[part] = str(error)
            if isinstance(error, EngineFailed):
                break
    print(json.dumps(errors))
    sys.exit("no load is known" if loaded.seconds < 0.2 else 0)  # what the stand-in takes
"""


def errors_of(folder: Path, copies: int, **variables: str) -> dict[str, str]:
    done = ask_script(ASK, folder, copies, **variables)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


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
    assert len((folder / "loads-2").read_text().splitlines()) == 2


def test_the_copies_lines_are_in_the_log_of_the_part_that_they_answer(folder, errors):
    for part in ("first", "third"):
        log = (folder / f"2-{part}.log").read_text()
        assert log.count("KV cache") == 2
        counts = [int(line.split(" requests:")[0]) for line in log.splitlines() if "cached" in line]
        assert sum(counts) == 15


def test_a_part_that_does_not_fit_fails_alone_and_keeps_what_the_other_copy_answers(folder, errors):
    assert list(errors) == ["second"]
    assert "the KV cache holds 1,000,000 tokens" in errors["second"]
    # One copy has the large context; the other has the other four, of three questions each.
    assert len(list(read_jsonl(folder / "2-second.journal"))) == 12


def test_after_a_death_by_memory_it_is_that_part_which_asks_fewer_at_once(tmp_path):
    variables = {"FAKE_VLLM_DIES": "third context c", "FAKE_VLLM_DIES_OF": "out of memory"}
    errors = errors_of(tmp_path, 2, **variables)
    assert "for want of memory" in errors["third"]
    assert [path.name for path in tmp_path.glob("*.hint.json")] == ["2-third.hint.json"]
