"""Which of the user's files a bundle has."""

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.share.contents import files_of, own_files

MODELS = {"reference": {"engine": "reference"}}


def named(**settings):
    return own_files(Evaluation(load_config({"models": MODELS, **settings})))


def test_a_folder_is_all_its_files(tmp_path, monkeypatch):
    (tmp_path / "data/more").mkdir(parents=True)
    for name in ("one.txt", "more/two.txt", ".hidden", "more/.two"):
        (tmp_path / "data" / name).touch()
    monkeypatch.chdir(tmp_path)
    assert files_of({"data": "cfbench.directory"}) == ["data/more/two.txt", "data/one.txt"]


def test_two_files_whose_names_differ_in_capitals_alone_are_named(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for name in ("One.txt", "one.txt"):
        (tmp_path / "data" / name).touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"data/one\.txt: differs from data/One\.txt only in upper"):
        files_of({"data": "cfbench.directory"})


@pytest.mark.parametrize("path", ["/a/labels.jsonl", "../labels.jsonl", ".git/labels.jsonl"])
def test_a_file_outside_the_working_directory_is_named_with_its_key(path):
    with pytest.raises(UserError, match=r"config: cfbench.labels: .*labels.jsonl: outside the"):
        files_of({path: "cfbench.labels"})


def test_a_checkpoint_that_is_a_file_is_none_of_them(tmp_path, monkeypatch):
    (tmp_path / "model.gguf").touch()
    monkeypatch.chdir(tmp_path)
    own = {"engine": "vllm", "model": "model.gguf", "window": 4096}
    found = own_files(Evaluation(load_config({"models": {"own": own}})))
    assert files_of(found) == []
