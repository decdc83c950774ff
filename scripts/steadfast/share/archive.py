"""A folder as a zip file whose bytes follow from the names and contents of its files."""

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256, replacing
from steadfast.base.names import shown, visible

TIME = (1980, 1, 1, 0, 0, 0)
"""Of every member; a zip file knows no earlier one."""
MOST_FILES = 200_000
MOST_TIMES, ALWAYS = 200, 2**28
"""What is unpacked has so many times the bytes of its archive, or so many bytes, at most: a run's
files shrink to a tenth, and what holds nothing but one letter to a thousandth."""
LONGEST_NAME, DEEPEST = 255, 50
"""Bytes of a file's name, and folders one in another, at most."""
ENCRYPTED = 0x1
DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError)
"""What the reader of zip files raises of one that is damaged, or packed in another way."""


def write_archive(folder: Path, out: Path) -> None:
    """Writes all files of a folder, by name; replaces the zip file atomically."""
    with replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files_below(folder):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), TIME)
            member.create_system, member.external_attr = 3, 0o644 << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as source, archive.open(member, "w", force_zip64=True) as to:
                shutil.copyfileobj(source, to)


def files_below(folder: Path) -> Iterator[Path]:
    """All files of a folder, by name."""
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


def unpack(bundle: Path, folder: Path) -> dict[str, str]:
    """Unpacks a zip file, whoever wrote it, into an empty folder; gives each file's sha256.

    One that is damaged, or holds what is no plain file of the folder, or too much, is a UserError.
    """
    if not bundle.is_file():
        raise UserError(f"{bundle}: no such file; name a bundle")
    try:
        with zipfile.ZipFile(bundle) as archive:
            _check_sizes(bundle, archive.infolist(), folder)
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check_names(bundle, members)
            return {one.filename: _unpack(archive, one, folder) for one in members}
    except DAMAGED as error:
        reason = shown(str(error) or type(error).__name__)
        raise UserError(f"{bundle}: no readable bundle ({reason}); copy it once more") from None
    except OSError as error:
        raise UserError(
            f"{bundle}: it cannot be unpacked ({error.strerror}); copy it once more, or name a "
            "folder with room"
        ) from None


def _check_sizes(bundle: Path, members: list[zipfile.ZipInfo], folder: Path) -> None:
    """Whether what is unpacked fits; no member gives more bytes than it says."""
    if len(members) > MOST_FILES:
        raise UserError(f"{bundle}: it holds {len(members):,} files, more than {MOST_FILES:,}")
    size = sum(member.file_size for member in members)
    if size > max(ALWAYS, MOST_TIMES * bundle.stat().st_size):
        raise UserError(
            f"{bundle}: it would be {size:,} bytes, more than {MOST_TIMES} times its own size, as "
            "no bundle is; it is not unpacked"
        )
    if size > shutil.disk_usage(folder).free:
        raise UserError(f"{bundle}: the disk has no room for its {size:,} bytes; make room")


def _check_names(bundle: Path, members: list[zipfile.ZipInfo]) -> None:
    """Whether each member is a plain file with a place of its own below the folder."""
    seen: set[str] = set()
    for member in members:
        name, parts = member.orig_filename, member.orig_filename.split("/")
        if name.startswith("/") or ".." in parts or "\\" in name or parts[0].endswith(":"):
            what = "would lie outside the folder"
        elif not name.isprintable() or name != visible(name) or {"", "."} & {*parts}:
            what = "has a name that no file of a bundle has"
        elif max(map(len, map(os.fsencode, parts))) > LONGEST_NAME or len(parts) > DEEPEST:
            what = "has a name that is too long"
        elif name in seen:
            what = "is there twice"
        elif stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            what = "is no plain file"
        elif member.flag_bits & ENCRYPTED:
            what = "is encrypted"
        else:
            seen.add(name)
            continue
        raise UserError(f"{bundle}: its member {shown(name)} {what}; nothing is unpacked")
    folders = {str(folder) for name in seen for folder in PurePosixPath(name).parents}
    if both := folders & seen:
        raise UserError(f"{bundle}: {shown(min(both))} is a file and a folder; nothing is unpacked")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> str:
    path = folder / member.filename
    path.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, open(path, "xb") as to:
        shutil.copyfileobj(source, to)
    return file_sha256(path)
