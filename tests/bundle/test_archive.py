"""Zip files: the same bytes of the same files, and nothing outside the folder."""

import os
import zipfile

import pytest

from steadfast.bundle.archive import unpack, write_archive
from steadfast.errors import UserError


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    (folder / "b/two.txt").write_text("zwei")
    (folder / "a.txt").write_text("eins")
    return folder


def test_times_and_the_order_of_making_change_no_byte(folder, tmp_path):
    write_archive(folder, tmp_path / "first.zip")
    (folder / "a.txt").unlink()
    (folder / "a.txt").write_text("eins")
    os.utime(folder / "b/two.txt", (1, 1))
    write_archive(folder, tmp_path / "second.zip")
    first, second = ((tmp_path / f"{name}.zip").read_bytes() for name in ("first", "second"))
    assert first == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.zip", "folder", "second.zip"]


def test_what_is_unpacked_is_what_was_packed(folder, tmp_path):
    write_archive(folder, tmp_path / "one.zip")
    unpack(tmp_path / "one.zip", tmp_path / "there")
    assert (tmp_path / "there/a.txt").read_text() == "eins"
    assert (tmp_path / "there/b/two.txt").read_text() == "zwei"


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt"])
def test_a_member_outside_the_folder_is_refused(name, tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), "x")
    with pytest.raises(UserError, match="would lie outside the folder"):
        unpack(tmp_path / "bad.zip", tmp_path / "there")
    assert not (tmp_path / "there").exists() and not (tmp_path / "out.txt").exists()


def test_a_folder_with_files_is_left_as_it_is(folder, tmp_path):
    write_archive(folder, tmp_path / "one.zip")
    with pytest.raises(UserError, match="not empty; name another folder"):
        unpack(tmp_path / "one.zip", folder)


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "no such file"), (b"no zip", "no readable bundle")]
)
def test_what_is_no_zip_file_is_one_sentence(content, sentence, tmp_path):
    bundle = tmp_path / "bundle.zip"
    if content is not None:
        bundle.write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        unpack(bundle, tmp_path / "there")
