"""Provenance: what files were made from, in a file beside them."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.iocontainers import OutputFiles

from steadfast.base import checksums
from steadfast.base.checksums import Checksums, contents
from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256, read_json, write_json
from steadfast.base.provenance import Provenance, State, provenances

CAT = "77af778b51abd4a3c51c5ddd97204a9c3ae614ebccb75a606c3b6865aed6744e"
"""sha256 of the three letters "cat", by sha256sum."""


@pytest.fixture
def provenance(tmp_path) -> Provenance:
    """The provenance of a table that was made from a score."""
    table = tmp_path / "table.md"
    table.write_text("cat")
    score = tmp_path / "score.jsonl"
    score.write_text("{}\n")
    provenance = Provenance.beside(table, "lin", settings="set", inputs=(score,), results=tmp_path)
    provenance.write()
    return provenance


def state(provenance: Provenance) -> State:
    return provenance.state(file_sha256)


def test_provenance_has_checksums_and_no_absolute_path(provenance, tmp_path):
    record = read_json(tmp_path / "table.provenance.json")
    assert record["sha256"] == {"table.md": CAT}
    assert (record["input_digest"], record["settings"]) == ("lin", "set")
    assert list(record["inputs"]) == ["score.jsonl"]
    assert str(tmp_path) not in provenance.path.read_text()


def test_file_is_current_edited_or_absent(provenance, tmp_path):
    assert state(provenance) is State.CURRENT
    (tmp_path / "score.jsonl").unlink()  # a missing input does not outdate a file
    assert state(provenance) is State.CURRENT
    (tmp_path / "table.md").write_text("hat")
    assert state(provenance) is State.EDITED
    (tmp_path / "table.md").unlink()
    assert state(provenance) is State.ABSENT


def test_file_has_its_input_digest_while_it_exists(provenance, tmp_path):
    assert provenance.has_input_digest
    assert not replace(provenance, input_digest="other").has_input_digest
    (tmp_path / "table.md").unlink()
    assert not provenance.has_input_digest


@pytest.mark.parametrize("key", ["input_digest", "settings", "inputs", "sha256"])
def test_file_with_another_provenance_is_other(provenance, key):
    record = read_json(provenance.path)
    write_json(provenance.path, record | {key: {"score.jsonl": CAT}})
    assert state(provenance) is State.OTHER


def test_file_with_a_changed_input_is_other(provenance, tmp_path):
    (tmp_path / "score.jsonl").write_text("{1}\n")
    assert state(provenance) is State.OTHER


@pytest.mark.parametrize(
    "text", ["", "[]", '{"sha256": {}}', '{"input_digest": "lin", "settings": "set"}', "[" * 9**5]
)
def test_file_with_damaged_provenance_is_other(provenance, text):
    provenance.path.write_text(text)
    assert state(provenance) is State.OTHER
    with pytest.raises(UserError):
        provenance.check()
    provenance.check_inputs(file_sha256)


@pytest.mark.parametrize("name", ["n" * 9_000, "a/" * 3_000, "\0", ""])
@pytest.mark.parametrize("key", ["inputs", "sha256"])
def test_impossible_file_names_in_provenance_are_missing_files(provenance, key, name):
    record = read_json(provenance.path)
    record[key][name] = CAT
    write_json(provenance.path, record)
    assert state(provenance) is (State.CURRENT if key == "inputs" else State.OTHER)
    provenance.check()
    provenance.check_inputs(file_sha256)


def test_edited_file_is_refused(provenance, tmp_path):
    provenance.check_unchanged(file_sha256)
    (tmp_path / "table.md").write_text("hat")
    with pytest.raises(UserError, match=r"table\.md: edited since it was made"):
        provenance.check_unchanged(file_sha256)


def test_changed_input_of_an_input_is_reported(provenance, tmp_path):
    (tmp_path / "answers").mkdir()
    answers = tmp_path / "answers/a.jsonl"
    answers.write_text("yes\n")
    Provenance.beside(tmp_path / "score.jsonl", "", inputs=(answers,), results=tmp_path).write()
    provenance.check_inputs(file_sha256)
    answers.write_text("no\n")
    message = r"score\.jsonl: outdated, since .*answers/a\.jsonl has changed"
    with pytest.raises(UserError, match=message):
        provenance.check_inputs(file_sha256)


def test_provenance_of_a_folder_has_each_file(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "a.md").write_text("cat")
    (folder / ".hidden").write_text("")
    provenance = Provenance.beside(folder, "lin")
    provenance.write()
    assert read_json(tmp_path / "tables.provenance.json")["sha256"] == {"tables/a.md": CAT}
    (folder / "of_the_user.txt").write_text("notes")
    assert state(provenance) is State.CURRENT
    (folder / "a.md").write_text("hat")
    assert state(provenance) is State.EDITED
    (folder / "a.md").unlink()
    assert state(provenance) is State.OTHER


# --- the provenances of a job -----------------------------------------------------------------


def job_provenances(output: dict, inputs=(), **params) -> list[Provenance]:
    job = SimpleNamespace(params=params, output=OutputFiles(fromdict=output), input=inputs)
    return provenances(job, Path("results"))


def settings_of(output: str, **params: str) -> str:
    (provenance,) = job_provenances({output: "results/a.jsonl"}, **params)
    return provenance.settings


def test_settings_are_the_params_except_those_in_the_input_digest():
    assert settings_of("outputs", input_digest="l", request="r") == ""
    settings = settings_of("scores", input_digest="l", code="c", title="t")
    assert settings == settings_of("scores", input_digest="m", code="d", title="t")
    assert settings != settings_of("scores", input_digest="l", code="c", title="u")


def test_job_has_one_provenance_of_its_files_and_inputs_in_the_results():
    output = {"ars": "results/m/ars.csv", "ifs": "results/m/ifs.csv"}
    inputs = ["results/scores/a.jsonl", "elsewhere/model.json"]
    named = output | {"provenance": "results/m/id.json"}
    (provenance,) = job_provenances(named, inputs, input_digest="l")
    assert provenance.files == (Path("results/m/ars.csv"), Path("results/m/ifs.csv"))
    assert (provenance.path, provenance.input_digest) == (Path("results/m/id.json"), "l")
    assert provenance.inputs == (Path("results/scores/a.jsonl"),)
    (provenance,) = job_provenances(output, inputs, input_digest="l")
    assert provenance.path == Path("results/m/ars.provenance.json")


def test_released_scores_have_a_provenance_each():
    names = ["results/a/4k.jsonl", "results/b/4k.jsonl"]
    output = {"scores": names, "provenances": []}
    released = job_provenances(output, input_digests=["la", "lb"])
    assert [str(provenance.files[0]) for provenance in released] == names
    assert [provenance.input_digest for provenance in released] == ["la", "lb"]


# --- checksums --------------------------------------------------------------------------------


@pytest.fixture
def corpus(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "corpus"
    path.write_text("dog")
    return path


@pytest.fixture
def recent_is_cached(monkeypatch):
    monkeypatch.setattr(checksums, "SETTLED_SECONDS", -1)


def test_checksum_is_renewed_after_a_change_with_older_times(corpus, recent_is_cached):
    sums = Checksums("test")
    sums(corpus)
    sums.keep()
    time = corpus.stat().st_mtime_ns
    replacement = corpus.with_name("replacement")
    replacement.write_text("cat")
    os.utime(replacement, ns=(0, time))
    replacement.replace(corpus)
    assert Checksums("test")(corpus) == CAT
    corpus.write_text("dog")
    sums(corpus)
    time = corpus.stat().st_mtime_ns
    corpus.write_text("cat")
    os.utime(corpus, ns=(time, time))
    assert sums(corpus) == CAT


def test_cached_checksum_is_used(corpus, recent_is_cached, monkeypatch):
    corpus.write_text("cat")
    sums = Checksums("test")
    assert sums(corpus) == CAT
    sums.keep()
    monkeypatch.setattr(checksums, "file_sha256", None)
    assert Checksums("test")(corpus) == CAT


def test_checksum_of_a_recent_file_is_not_cached(corpus, monkeypatch):
    reads = []
    monkeypatch.setattr(checksums, "file_sha256", lambda path: reads.append(path) or CAT)
    sums = Checksums("test")
    assert [sums(corpus), sums(corpus)] == [CAT, CAT]
    assert len(reads) == 2


def test_contents_change_with_a_file_or_its_name(tmp_path, monkeypatch):
    def folder_content():
        [[_, content]] = contents([str(folder)])
        return content

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "a.jsonl"
    file.write_text("cat")
    absent = str(tmp_path / "none")
    assert contents([absent, str(file)]) == [[absent, None], [str(file), CAT]]
    one_file = folder_content()
    file.write_text("hat")
    assert folder_content() != one_file
    (folder / "b.jsonl").write_text("dog")
    two_files = folder_content()
    (folder / "b.jsonl").rename(folder / "c.jsonl")
    assert folder_content() != two_files
