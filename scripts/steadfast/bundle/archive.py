"""A folder as a zip file whose bytes follow from the names and contents of its files."""

import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from steadfast.errors import UserError

TIME = (1980, 1, 1, 0, 0, 0)
"""Of every member; a zip file knows no earlier one."""


def write_archive(folder: Path, out: Path) -> None:
    """Writes all files of a folder, by name; replaces the zip file atomically."""
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            for path in files_below(folder):
                name = path.relative_to(folder).as_posix()
                member = zipfile.ZipInfo(name, TIME)
                member.create_system, member.external_attr = 3, 0o644 << 16
                member.compress_type = zipfile.ZIP_DEFLATED
                with open(path, "rb") as source, archive.open(member, "w", force_zip64=True) as to:
                    shutil.copyfileobj(source, to)
        os.replace(partial, out)
    finally:
        partial.unlink(missing_ok=True)


def files_below(folder: Path) -> Iterator[Path]:
    """All files of a folder, by name."""
    yield from sorted(path for path in folder.rglob("*") if path.is_file())


def unpack(bundle: Path, folder: Path) -> None:
    """Unpacks a zip file into a folder that is not there yet, or is empty.

    Raises:
        UserError: it is no zip file, a member would lie outside the folder, or the folder has
            files.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: it is there already and not empty; name another folder")
    try:
        with zipfile.ZipFile(bundle) as archive:
            for name in archive.namelist():
                path = PurePosixPath(name)
                if path.is_absolute() or ".." in path.parts or "\\" in name:
                    raise UserError(f"{bundle}: its member {name!r} would lie outside the folder")
            archive.extractall(folder)
    except FileNotFoundError:
        raise UserError(f"{bundle}: no such file; name a bundle") from None
    except (zipfile.BadZipFile, OSError) as error:
        raise UserError(f"{bundle}: no readable bundle ({error}); copy it once more") from None
