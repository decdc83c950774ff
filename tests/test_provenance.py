"""What stands beside files about what they were made from."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from steadfast.base.checksums import Checksums, contents
from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256, read_json, write_json
from steadfast.base.provenance import Provenance, State, provenances

CAT = "77af778b51abd4a3c51c5ddd97204a9c3ae614ebccb75a606c3b6865aed6744e"
"""sha256 of the three letters "cat", by sha256sum."""


@pytest.fixture
def with_provenance(tmp_path) -> Provenance:
    """A table that was made of a score, both in a folder of results."""
    (tmp_path / "score.jsonl").write_text("{}\n")
    table = tmp_path / "table.md"
    table.write_text("cat")
    provenance = Provenance.beside(
        table, "lin", settings="set", inputs=(tmp_path / "score.jsonl",), results=tmp_path
    )
    provenance.write()
    return provenance


def state(provenance: Provenance) -> State:
    return provenance.state(file_sha256)


def test_provenance_holds_contents_and_no_path_of_the_machine(with_provenance, tmp_path):
    known = read_json(tmp_path / "table.provenance.json")
    assert known["sha256"] == {"table.md": CAT}
    assert (known["input_digest"], known["settings"]) == ("lin", "set")
    assert list(known["inputs"]) == ["score.jsonl"]
    assert str(tmp_path) not in (tmp_path / "table.provenance.json").read_text()


def test_what_was_made_is_current_absent_edited_or_of_something_else(with_provenance):
    assert state(with_provenance) is State.CURRENT
    # an input that is gone changes nothing
    with_provenance.inputs[0].unlink()
    assert state(with_provenance) is State.CURRENT
    with_provenance.files[0].write_text("hat")
    assert state(with_provenance) is State.EDITED
    with_provenance.files[0].unlink()
    assert state(with_provenance) is State.ABSENT


@pytest.mark.parametrize("change", ["input_digest", "settings", "inputs", "sha256"])
def test_what_was_made_from_something_else_is_other(with_provenance, change):
    known = read_json(with_provenance.path)
    write_json(with_provenance.path, known | {change: {"score.jsonl": CAT}})
    assert state(with_provenance) is State.OTHER


@pytest.mark.parametrize(
    "text", ["", "[]", '{"sha256": {}}', '{"input_digest": "lin", "settings": "set"}', "[" * 9**5]
)
def test_what_nothing_is_known_of_is_other(with_provenance, text):
    with_provenance.path.write_text(text)
    assert state(with_provenance) is State.OTHER
    with pytest.raises(UserError):
        with_provenance.check()
    with_provenance.check_inputs(file_sha256)


@pytest.mark.parametrize("name", ["n" * 9_000, "a/" * 3_000, "\0", ""])
@pytest.mark.parametrize("key", ["inputs", "sha256"])
def test_a_name_that_no_file_can_have_is_that_of_none(with_provenance, key, name):
    known = read_json(with_provenance.path)
    write_json(with_provenance.path, known | {key: known[key] | {name: CAT}})
    assert state(with_provenance) is (State.CURRENT if key == "inputs" else State.OTHER)
    with_provenance.check()
    with_provenance.check_inputs(file_sha256)


def test_an_input_that_changed_makes_it_other(with_provenance):
    with_provenance.inputs[0].write_text("{1}\n")
    assert state(with_provenance) is State.OTHER


def test_a_folder_is_sealed_file_by_file(tmp_path):
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


@pytest.fixture
def corpus(tmp_path, monkeypatch) -> Path:
    """A file that is settled, in a folder with a cache of checksums."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("steadfast.base.checksums.SETTLED_SECONDS", -1)
    (tmp_path / "corpus").write_text("dog")
    return tmp_path / "corpus"


def test_a_checksum_is_taken_anew_where_a_file_is_replaced_or_its_times_were_set_back(corpus):
    known = Checksums("test")
    known(corpus)
    known.keep()
    changed = corpus.stat().st_mtime_ns
    other = corpus.with_name("other")
    other.write_text("cat")
    os.utime(other, ns=(0, changed))
    other.replace(corpus)
    assert Checksums("test")(corpus) == CAT
    corpus.write_text("dog")
    known(corpus)
    changed = corpus.stat().st_mtime_ns
    corpus.write_text("cat")
    os.utime(corpus, ns=(changed, changed))
    assert known(corpus) == CAT


def test_a_known_checksum_is_not_taken_anew(corpus, monkeypatch):
    corpus.write_text("cat")
    known = Checksums("test")
    assert known(corpus) == CAT
    known.keep()
    monkeypatch.setattr("steadfast.base.checksums.file_sha256", None)
    assert Checksums("test")(corpus) == CAT


def test_a_file_that_has_just_changed_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "corpus"
    read = []
    file.write_text("cat")
    monkeypatch.setattr(
        "steadfast.base.checksums.file_sha256", lambda path: read.append(path) or CAT
    )
    known = Checksums("test")
    assert (known(file), known(file), len(read)) == (CAT, CAT, 2)


def test_contents_of_files_and_folders(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "folder" / "a.jsonl"
    file.parent.mkdir()
    file.write_text("cat")
    [[_, whole], [_, missing], [path, one]] = contents(
        [str(file.parent), str(tmp_path / "none"), str(file)]
    )
    assert (path, one, missing) == (str(file), CAT, None)
    file.write_text("hat")
    assert contents([str(file.parent)]) != [[str(file.parent), whole]]

    (file.parent / "b.jsonl").write_text("dog")
    [[_, two]] = contents([str(file.parent)])
    (file.parent / "b.jsonl").rename(file.parent / "c.jsonl")
    assert contents([str(file.parent)]) != [[str(file.parent), two]]


def test_settings_are_params_but_for_replies_and_edited_files_are_refused(with_provenance):
    with_provenance.check_unchanged(file_sha256)
    with_provenance.files[0].write_text("hat")
    with pytest.raises(UserError, match=r"table\.md: edited since it was made"):
        with_provenance.check_unchanged(file_sha256)
    assert settings_of("outputs", input_digest="l", request="r") == ""
    first = settings_of("scores", input_digest="l", code="c", title="t")
    assert first == settings_of("scores", input_digest="m", code="d", title="t")
    assert first != settings_of("scores", input_digest="l", code="c", title="u")


class Output(dict):
    """Snakemake's: files, which may have names."""

    def __iter__(self):
        return iter(self.values())


def settings_of(output: str, **params: str) -> str:
    """The settings in the provenance of a job that makes one output."""
    job = SimpleNamespace(params=params, output=Output({output: "results/a.jsonl"}), input=[])
    (provenance,) = provenances(job, Path("results"))
    return provenance.settings


def test_the_provenance_of_a_job_is_of_its_files_and_of_each_released_score():
    output = Output(
        ars="results/m/ars.csv", ifs="results/m/ifs.csv", provenance="results/m/id.json"
    )
    read = ["results/scores/a.jsonl", "elsewhere/model.json"]
    job = SimpleNamespace(params={"input_digest": "l"}, output=output, input=read)
    (provenance,) = provenances(job, Path("results"))
    assert provenance.files == (Path("results/m/ars.csv"), Path("results/m/ifs.csv"))
    assert (provenance.path, provenance.input_digest) == (Path("results/m/id.json"), "l")
    assert provenance.inputs == (Path("results/scores/a.jsonl"),)
    del output["provenance"]
    (provenance,) = provenances(job, Path("results"))
    assert provenance.path == Path("results/m/ars.provenance.json")
    # released scores have one each
    names = ["results/a/4k.jsonl", "results/b/4k.jsonl"]
    output = Output(scores=names, provenances=[])
    job = SimpleNamespace(params={"input_digests": ["la", "lb"]}, output=output, input=[])
    found = [
        (str(provenance.files[0]), provenance.input_digest)
        for provenance in provenances(job, Path("results"))
    ]
    assert found == list(zip(names, ["la", "lb"], strict=True))


def test_a_change_is_noticed_however_far_down_what_a_file_was_made_of(with_provenance, tmp_path):
    (tmp_path / "answers").mkdir()
    answers = tmp_path / "answers/a.jsonl"
    score = tmp_path / "score.jsonl"
    answers.write_text("yes\n")
    Provenance.beside(score, "", inputs=(answers,), results=tmp_path).write()
    with_provenance.check_inputs(file_sha256)
    answers.write_text("no\n")
    with pytest.raises(
        UserError, match=r"score\.jsonl: outdated, since .*answers/a\.jsonl has changed"
    ):
        with_provenance.check_inputs(file_sha256)
