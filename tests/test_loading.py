"""What is loaded by name: of a module, and of a file of the user's."""

import sys

import pytest

from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.contract.components import Component
from steadfast.run.digests import digest, modules

SCORES = "steadfast.benchmarks.lifbench.scoring:LifbenchScoring"


def test_a_file_is_loaded_by_its_path_and_hides_no_module(tmp_path, monkeypatch):
    (tmp_path / "random.py").write_text("import json\ndef random(): return json.dumps([1])\n")
    (tmp_path / "json.py").write_text("def dumps(value): return 'the wrong one'\n")
    monkeypatch.chdir(tmp_path)
    assert load("random.py:random")() == "[1]"
    assert load("random:random")() != "[1]"
    assert str(tmp_path) not in sys.path


def test_no_compiled_copy_is_kept_or_read(tmp_path):
    file = tmp_path / "one.py"
    file.write_text("def one(): return 1\n")
    assert load(f"{file}:one")() == 1
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1 / 0\n", "it cannot be loaded .ZeroDivisionError: division by zero.; mend the file"),
        ("from nowhere import x\n", "ModuleNotFoundError: No module named 'nowhere'"),
        ("", "functions.py:f cannot be loaded"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named(tmp_path, text, complaint):
    file = tmp_path / "functions.py"
    file.write_text(text)
    with pytest.raises(UserError, match=complaint):
        load(f"{file}:f")


def used(path: str) -> str:
    for kept in ("_digest", "_file_digest", "_content"):
        digest.__globals__[kept].cache_clear()  # asked for again, as of another process
    return digest("steadfast.stages.score", Component(SCORES, uses=(f"{path}:score",)))


def test_the_digest_follows_the_code_of_a_file(tmp_path):
    file = tmp_path / "task.py"
    found = {}
    for kind, text in {
        "first": "def score(): return 1\n",
        "comment": '"""What it is."""\ndef score(): return 1  # one\n',
        "changed": "def score(): return 2\n",
    }.items():
        file.write_text(text)
        found[kind] = used(str(file))
    assert found["first"] == found["comment"] != found["changed"]


def test_the_digest_follows_what_a_file_imports_of_the_package(tmp_path):
    file = tmp_path / "task.py"
    file.write_text("from steadfast.judging.reply import parse\n")
    assert "steadfast.judging.reply" in modules(SCORES, f"{file}:score")
    assert "steadfast.judging.reply" not in modules(SCORES)
