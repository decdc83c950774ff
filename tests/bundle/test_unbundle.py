"""Unpacking a stranger's file: nothing of it runs, nothing outside its folder is touched."""

import os
import zipfile

import hostile
import pytest

from steadfast.base.errors import UserError
from steadfast.base.names import visible
from steadfast.share.unbundle import unbundle

BOUND = 300  # characters of a sentence, without the path of the bundle


@pytest.fixture
def outside(tmp_path):
    path = tmp_path / "outside.txt"
    path.write_text("mine")
    return path


@pytest.fixture
def unpacked(tmp_path):
    """Unpacks a bundle of these bytes."""

    def unpack(content, **how):
        (tmp_path / "bundle.zip").write_bytes(content)
        return unbundle(tmp_path / "bundle.zip", tmp_path / "new/there", **how)

    return unpack


def test_a_genuine_bundle_is_taken(unpacked, tmp_path):
    found = unpacked(hostile.packed(hostile.files()))
    assert (found.kept, found.made_again, found.commit) == ([hostile.OUTPUTS], [], "0" * 40)
    there = tmp_path / "new/there"
    assert (there / hostile.OUTPUTS).read_bytes() == hostile.files()[hostile.OUTPUTS]
    assert (there / "made/tables/report.md").read_text() == "| Model | ARS |\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.zip", "new"]
    assert [path.name for path in there.parent.iterdir()] == ["there"]


def test_one_that_was_packed_by_another_program_is_taken(unpacked):
    whole = hostile.files() | {"manifest.json": hostile._json(hostile.manifest(hostile.files()))}
    members = [("results/", b""), *whole.items()]  # with entries of folders, and not compressed
    assert unpacked(hostile.zipped(members, zipfile.ZIP_STORED)).kept == [hostile.OUTPUTS]


def test_every_hostile_archive_is_refused_in_one_sentence(tmp_path, outside):
    bundle, there, count, environment = (
        tmp_path / "b.zip",
        tmp_path / "new/there",
        0,
        {**os.environ},
    )
    for what, content in hostile.archives(outside):
        bundle.write_bytes(content)
        with pytest.raises(UserError) as refused:
            unbundle(bundle, there)
        sentence = str(refused.value)
        assert visible(sentence) == sentence and "\n" not in sentence, what
        assert len(sentence.replace(str(bundle), "")) < BOUND, what
        assert sorted(path.name for path in tmp_path.iterdir()) == ["b.zip", "outside.txt"], what
        assert outside.read_text() == "mine", what
        count += 1
    assert count > 300
    assert {**os.environ} == environment


def test_code_is_taken_where_that_is_asked_for_and_does_not_run(unpacked, outside, tmp_path):
    unpacked(hostile.own_code(str(outside)), code=True)
    assert (tmp_path / "new/there/data/evil.py").is_file()
    assert not outside.with_name("outside.txt.run").exists()


def test_what_no_answer_of_the_config_is_does_not_come_along(unpacked, tmp_path):
    """A result that somebody else made of it is made again; so is one that is planted."""
    planted = {
        "results/tables/report.md": b"| m | 1.000 |",
        "results/lifbench/scores/x/y.jsonl": b"",
    }
    found = unpacked(hostile.with_files(**planted))
    assert found.kept == [hostile.OUTPUTS]
    left = tmp_path / "new/there/results"
    assert [p.name for p in left.rglob("*") if p.is_file()] == ["1k.jsonl"]
    assert not (tmp_path / "new/there/workflow/Snakefile").exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_was_there_stays_and_one_that_was_not_goes(unpacked, tmp_path, there):
    if there:
        (tmp_path / "new/there").mkdir(parents=True)
    with pytest.raises(UserError):
        unpacked(b"no archive")
    assert (tmp_path / "new/there").exists() == (tmp_path / "new").exists() == there


@pytest.mark.parametrize("kind", ["file", "full", "link"])
def test_what_stands_where_it_is_to_go_is_left_alone(unpacked, tmp_path, kind):
    (tmp_path / "new").mkdir()
    there, other = tmp_path / "new/there", tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    if kind == "file":
        there.write_text("mine")
    elif kind == "full":
        there.mkdir()
        (there / "config.yaml").write_text("mine")
    else:
        there.symlink_to(other)
    with pytest.raises(UserError, match="there already and not empty; name another folder"):
        unpacked(hostile.packed(hostile.files()))
    assert (other / "mine.txt").read_text() == "mine"
    assert [path.name for path in other.iterdir()] == ["mine.txt"]


def test_an_empty_folder_behind_a_link_is_filled(unpacked, tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "new/there").symlink_to(tmp_path / "other")
    unpacked(hostile.packed(hostile.files()))
    assert (tmp_path / "other/config.yaml").is_file()


def test_a_folder_is_no_bundle(tmp_path):
    with pytest.raises(UserError, match="no such file; name a bundle"):
        unbundle(tmp_path, tmp_path / "there")
