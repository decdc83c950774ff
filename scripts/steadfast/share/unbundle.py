"""Unpacks a bundle so that its tables can be made again, by the code that is here.

A bundle is a stranger's file: nothing of it is run here, nothing outside the folder is touched, and
what could do either later is refused.
"""

import os
import shutil
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import chdir
from pathlib import Path, PurePosixPath
from typing import Annotated, NamedTuple

from pydantic import BaseModel, Field, ValidationError

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, file_sha256, partial_folder
from steadfast.base.names import quoted
from steadfast.config.load import load_config
from steadfast.config.portable import check_portable, foreign_code
from steadfast.config.source import read_source
from steadfast.contract.registry import installed
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.rounds import decisions_made, follow_decisions
from steadfast.share import contents
from steadfast.share.contents import ANSWERS, CONFIG, MADE, MANIFEST, README

# Of all files, so that none is newer than what is made of it: as any program unpacks them.
TIMES = (315_532_800, 315_532_800)
# How names of files end that a run could be made to execute.
CODE = (".py", ".pyc", ".pyd", ".so", ".pth", ".smk", "Snakefile")
MOST_FILES = 200_000
# The files have at most so many times the bytes of the archive, or so many bytes: a run's files
# shrink to a tenth, a file of one repeated letter to a thousandth.
MOST_TIMES = 200
ALWAYS = 2**28
# What the reader of zip files raises of one that is damaged, or packed in another way.
DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError)


class Unpacked(NamedTuple):
    """Files that this version keeps, outdated files that it makes again, and the commit."""

    kept: list[str]
    outdated: list[str]
    commit: str | None


def unbundle(bundle: Path, folder: Path, code: bool = False) -> Unpacked:
    """Unpacks a bundle without the files that this version of the workflow would make otherwise.

    The workflow makes these again, with responses from the bundle's journal where the requests are
    the same. Scores, metrics and tables are always made again; those of the bundle are kept in
    another folder for comparison.

    Args:
        bundle: the file.
        folder: a new or empty folder.
        code: whether it may contain code, which will run when its tables are made.

    Raises:
        UserError: it is no bundle, is damaged, contains files that its config does not use or code,
            or the folder is not empty. Nothing is unpacked then.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: exists and is not empty; name another folder")
    target = folder.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(target) as partial:
            # Under another name until all checks have passed: a refused bundle leaves nothing.
            staging = partial / "files"
            staging.mkdir()
            sums = _unpack(bundle, staging)
            with chdir(staging):  # the config names its files relative to where it runs
                unpacked = _checked(sums, code)
            os.replace(staging, target)
            return unpacked
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; name another folder") from None
    except UserError as error:
        raise UserError(f"{bundle}: {error}") from None


# --- the archive ------------------------------------------------------------------------------


def _unpack(bundle: Path, folder: Path) -> dict[str, str]:
    """Unpacks an untrusted zip file into an empty folder; returns each file's sha256."""
    if not bundle.is_file():
        raise UserError("no such file; name a bundle (bundle.zip)")
    sums: dict[str, str] = {}
    try:
        with zipfile.ZipFile(bundle) as archive:
            # Both before the first byte is written.
            _check_sizes(archive.infolist(), bundle.stat().st_size, folder)
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check_names(members)
            for member in members:
                path = folder / member.filename
                path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, open(path, "xb") as to:
                    shutil.copyfileobj(source, to)
                sums[member.filename] = file_sha256(path)
    except DAMAGED as error:
        reason = quoted(str(error) or type(error).__name__)
        raise UserError(f"not a readable zip file ({reason}); copy the bundle again") from None
    except OSError as error:
        raise UserError(
            f"cannot be unpacked ({error.strerror}); copy it again, or name a folder with free "
            "space"
        ) from None
    return sums


def _check_sizes(members: list[zipfile.ZipInfo], packed: int, folder: Path) -> None:
    """Raises UserError where the files are too large; no member unpacks to more than it states."""
    size = sum(member.file_size for member in members)
    if len(members) > MOST_FILES or size > max(ALWAYS, MOST_TIMES * packed):
        raise UserError(
            f"would unpack to {len(members):,} files of {size:,} bytes, which no bundle of its "
            "size does"
        )
    if size > shutil.disk_usage(folder).free:
        raise UserError(f"not enough disk space for its {size:,} bytes; free some")


def _check_names(members: list[zipfile.ZipInfo]) -> None:
    """Raises UserError unless each member is a regular file with its own path below the folder."""
    spellings = Counter(member.orig_filename.casefold() for member in members)
    # By orig_filename: zipfile cuts filename at a null byte, and changes separators on Windows.
    for member in members:
        name = member.orig_filename
        path = PurePosixPath(member.orig_filename)
        if path.is_absolute() or contents.is_hidden(path):  # .. is hidden too
            problem = "would be written outside the folder, or hidden in it"
        elif not name.isprintable() or name != path.as_posix():
            problem = "has an invalid name"
        elif spellings[name.casefold()] > 1:
            problem = "is there twice, or differs from another only in upper and lower case"
        elif stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            problem = "is not a regular file"
        else:
            continue
        raise UserError(f"its member {quoted(name)} {problem}; nothing is unpacked")


# --- what it holds ----------------------------------------------------------------------------


def _checked(sums: Mapping[str, str], code: bool) -> Unpacked:
    """Checks the files in the working directory, and deletes those that this version makes anew."""
    manifest = _manifest(sums)
    raw = read_source(CONFIG)
    check_portable(raw)
    _check_packages(manifest.packages)
    run = Evaluation(load_config(raw))
    follow_decisions(run, Path(ANSWERS))
    own_files = contents.files_of(contents.own_files(run))
    _check_places(run, own_files, sums)
    if not code:
        _check_code(raw, sums)
    # A file is good here if the bundle's digest of what it was made from is the one that the code
    # here computes; anything else would be remade by Snakemake in any case.
    answers = contents.answers(run, InputDigests(run))
    current = {f"{ANSWERS}/{path}": input_digest for path, input_digest in answers.items()}
    recorded = manifest.input_digests
    unchanged = [path for path in recorded if recorded[path] == current.get(path)]
    expected = {*unchanged, *map(contents.provenance_path, unchanged), *own_files}
    expected |= {f"{ANSWERS}/{job.journal}" for job in run.jobs}
    expected |= {f"{ANSWERS}/{path}" for path, _ in decisions_made(run)}
    for name in sums:
        if name.startswith(f"{ANSWERS}/") and name not in expected:
            Path(name).unlink()
        else:
            os.utime(name, TIMES)  # one time for all: none is newer than what is made of it
    outdated = [path for path in recorded if recorded[path] != current.get(path)]
    return Unpacked(unchanged, outdated, manifest.commit)


class Manifest(BaseModel):
    """The manifest of a bundle."""

    sha256: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{64}$")]]
    input_digests: dict[str, Annotated[str, Field(pattern="^[0-9a-f]{16}$")]]
    commit: Annotated[str, Field(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$")] | None
    packages: dict[str, str] = {}


def _manifest(sums: Mapping[str, str]) -> Manifest:
    """Returns the manifest, checked against the files."""
    if MANIFEST not in sums or CONFIG not in sums:
        raise UserError(f"not a bundle: {MANIFEST} or the config is missing; name a bundle")
    try:
        manifest = Manifest.model_validate_json(Path(MANIFEST).read_bytes())
    except ValidationError:
        raise UserError(f"not a bundle: {MANIFEST} has another format; name a bundle") from None
    for name, sha256 in manifest.sha256.items():
        if sums.get(name) != sha256:
            raise UserError(f"its file {quoted(name)} is missing or damaged; copy the bundle again")
    unlisted = set(sums) - set(manifest.sha256) - {MANIFEST}
    if unlisted:
        raise UserError(f"contains {quoted(min(unlisted))}, which its manifest does not list")
    return manifest


def _check_packages(needed: Iterable[str]) -> None:
    """Raises UserError unless the packages of its benchmarks are installed."""
    installed_names = {point.dist.name for point in installed().values() if point.dist}
    absent = [name for name in needed if name not in installed_names]
    if absent:
        raise UserError(
            f"its benchmarks need the package {', '.join(map(quoted, absent))}, which is not "
            "installed; install it, or add its folder to PYTHONPATH"
        )


def _check_places(run: Evaluation, own_files: Collection[str], names: Collection[str]) -> None:
    """Raises UserError for a file that the config does not use."""
    folders = [f"{ANSWERS}/", f"{MADE}/tables/"]
    for benchmark in run.running:
        folders += [f"{MADE}/{benchmark}/scores/", f"{MADE}/{benchmark}/metrics/"]
    single = {CONFIG, MANIFEST, README, *own_files}
    for name in names:
        if name not in single and not name.startswith(tuple(folders)):
            raise UserError(f"contains {quoted(name)}, which its config does not use")


def _check_code(raw: Settings, names: Collection[str]) -> None:
    """Raises UserError where making its tables would run code of the bundle."""
    code_files = [name for name in names if name.endswith(CODE)]
    code_files += foreign_code(raw)
    if code_files:
        count = f" and {len(code_files) - 1} more" if code_files[1:] else ""
        raise UserError(
            f"contains code that would run here: {quoted(code_files[0])}{count}; read it and, if "
            "you trust it, unpack with --code"
        )
