"""The user's own files that a bundle contains."""

import pytest

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.share.contents import files_of, own_files


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The working directory, with a folder ``data/more``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data/more").mkdir(parents=True)
    return tmp_path


def test_folder_contributes_all_but_hidden_files(folder):
    for name in ("one.txt", "more/two.txt", ".hidden", "more/.two"):
        (folder / "data" / name).touch()
    assert files_of({"data": "cfbench.directory"}) == ["data/more/two.txt", "data/one.txt"]


def test_names_that_differ_only_in_case_are_refused(folder):
    for name in ("One.txt", "one.txt"):
        (folder / "data" / name).touch()
    with pytest.raises(UserError, match=r"data/one\.txt: differs from data/One\.txt only in upper"):
        files_of({"data": "cfbench.directory"})


@pytest.mark.parametrize("path", ["/a/labels.jsonl", "../labels.jsonl", ".git/labels.jsonl"])
def test_file_outside_the_working_directory_is_reported(path):
    with pytest.raises(UserError, match=r"config: cfbench.labels: .*labels.jsonl: outside the"):
        files_of({path: "cfbench.labels"})


def test_checkpoint_file_is_left_out(folder):
    (folder / "model.gguf").touch()
    model = {"engine": "vllm", "model": "model.gguf", "window": 4096}
    config = load_config({"models": {"own": model}})
    assert files_of(own_files(Evaluation(config))) == []
