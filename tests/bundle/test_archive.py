"""Zip files: the same bytes of the same files, and nothing outside the folder."""

import os
import shutil
import zipfile

import pytest

from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256
from steadfast.share.archive import unpack, write_archive


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    (folder / "b/two.txt").write_text("zwei")
    (folder / "a.txt").write_text("eins")
    return folder


@pytest.fixture
def there(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    return there


def test_times_and_the_order_of_making_change_no_byte(folder, tmp_path):
    write_archive(folder, tmp_path / "first.zip")
    (folder / "a.txt").unlink()
    (folder / "a.txt").write_text("eins")
    os.utime(folder / "b/two.txt", (1, 1))
    write_archive(folder, tmp_path / "second.zip")
    first, second = ((tmp_path / f"{name}.zip").read_bytes() for name in ("first", "second"))
    assert first == second
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.zip", "folder", "second.zip"]


def test_what_is_unpacked_is_what_was_packed(folder, there, tmp_path):
    write_archive(folder, tmp_path / "one.zip")
    sums = unpack(tmp_path / "one.zip", there)
    assert (there / "a.txt").read_text() == "eins"
    assert (there / "b/two.txt").read_text() == "zwei"
    assert sums == {name: file_sha256(folder / name) for name in ("a.txt", "b/two.txt")}


def test_one_that_the_disk_has_no_room_for_is_refused(folder, there, tmp_path, monkeypatch):
    write_archive(folder, tmp_path / "one.zip")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(8, 1, 7))
    with pytest.raises(UserError, match="has no room for its 8 bytes; make room"):
        unpack(tmp_path / "one.zip", there)


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "..\\out.txt"])
def test_a_member_outside_the_folder_is_refused(name, there, tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), "x")
    with pytest.raises(UserError, match="would lie outside the folder"):
        unpack(tmp_path / "bad.zip", there)
    assert not list(there.iterdir()) and not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    ("content", "sentence"), [(None, "no such file"), (b"no zip", "no readable bundle")]
)
def test_what_is_no_zip_file_is_one_sentence(content, sentence, there, tmp_path):
    bundle = tmp_path / "bundle.zip"
    if content is not None:
        bundle.write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        unpack(bundle, there)


def test_what_is_small_is_unpacked_however_well_it_was_packed(tmp_path):
    for name in ("files", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "files" / "a.txt").write_bytes(b"a" * 10**6)  # packed to a thousandth
    write_archive(tmp_path / "files", tmp_path / "a.zip")
    assert list(unpack(tmp_path / "a.zip", tmp_path / "out")) == ["a.txt"]
