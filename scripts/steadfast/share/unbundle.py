"""Unpacks a bundle so that its tables can be made again, by the code that is here.

A bundle is a stranger's file: nothing of it is run here, nothing outside the folder is touched, and
what could do either later is refused.
"""

import glob
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from steadfast.base.commands import typed
from steadfast.base.errors import UserError
from steadfast.base.files import PARTIAL, Record, partial_folder, read_json, remove_partials
from steadfast.base.names import shown
from steadfast.config.load import load_config
from steadfast.config.portable import check_portable, foreign_code
from steadfast.config.source import read_source
from steadfast.contract.registry import installed
from steadfast.run.evaluation import Evaluation
from steadfast.run.lineage import Lineage
from steadfast.run.rounds import decided, follow
from steadfast.share import contents
from steadfast.share.archive import files_below, unpack

TIMES = (315_532_800, 315_532_800)
"""Of all files, so that none is newer than what is made of it: as any program unpacks them."""
SHA256, LINEAGE, COMMIT = (re.compile(f"[0-9a-f]{{{n}}}") for n in ("64", "16", "40,64"))
LARGEST_MANIFEST = 2**26  # bytes
SINGLE = {contents.CONFIG, contents.MANIFEST, contents.README, contents.WORKFLOW}
"""Files of each bundle that stand alone."""


class Unpacked(NamedTuple):
    """Files that the code here takes as they are, those it would make otherwise, the commit."""

    kept: list[str]
    made_again: list[str]
    commit: str | None


def unbundle(bundle: Path, folder: Path, code: bool = False) -> Unpacked:
    """Unpacks a bundle, and leaves out what this version of the workflow would make otherwise.

    What is left out is made again where it is wanted, answers from the journal that comes along:
    a request whose words and settings are the same is not sent again. Scores, metrics and tables
    are always made again; those of the bundle lie beside them, to be compared.

    Args:
        bundle: the file.
        folder: where to; it must not be there, or be empty.
        code: whether it may bring code, which will run when its tables are made.

    Raises:
        UserError: it is no bundle, or damaged, or has what no bundle of its config has, or brings
            code, or the folder has files. Nothing is left of it then.
    """
    with _new_folder(folder) as there:
        sums = unpack(bundle, there)
        try:
            with chdir(there):
                return _checked(sums, code)
        except UserError as error:
            raise UserError(f"{bundle}: {error}") from None


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """An empty folder that becomes the one that is wanted, or goes."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder}: it is there already and not empty; name another folder")
    wanted = folder.resolve()
    missing = [one for one in wanted.parents if not one.exists()]
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        remove_partials(wanted.parent.glob(f".{glob.escape(wanted.name)}.*{PARTIAL}"))
        with partial_folder(wanted) as partial:
            there = partial / "files"
            there.mkdir()
            yield there
            os.replace(there, wanted)
    except BaseException as error:
        for one in missing:
            with suppress(OSError):
                one.rmdir()
        if isinstance(error, OSError):
            raise UserError(f"{folder}: {error.strerror}; name another folder") from None
        raise


def _checked(sums: Mapping[str, str], code: bool) -> Unpacked:
    """Checks what was unpacked to the working directory, and takes out what is made otherwise."""
    manifest = _manifest(sums)
    raw = read_source(contents.CONFIG)
    check_portable(raw)
    _check_packages(manifest.get("packages"))
    run = Evaluation(load_config(raw))
    follow(run, Path(contents.ANSWERS))
    _check_places(run, sums)
    if not code:
        _check_code(run, raw, sums)
    steps = Lineage(run)
    here = {f"{contents.ANSWERS}/{made.path}": made for made in contents.answers(run, steps)}
    known = manifest["lineages"]
    kept = [path for path, made in here.items() if known.get(path) == made.lineage]
    taken = {name for path in kept for name in (path, contents.identity_path(path))}
    taken |= {f"{contents.ANSWERS}/{job.journal}" for job in run.jobs}
    taken |= {f"{contents.ANSWERS}/{path}" for path, _ in decided(run)}
    noise = (made.path for made in contents.noise(run, steps))
    taken |= {f"{contents.ANSWERS}/{of}" for p in noise for of in (p, contents.identity_path(p))}
    taken |= set(contents.files_of(contents.own_files(run)))
    for path in files_below(Path()):
        name = path.as_posix()
        answers = name.startswith(f"{contents.ANSWERS}/")
        if name == contents.WORKFLOW or (answers and name not in taken):
            path.unlink()
        else:
            os.utime(path, TIMES)  # one time for all: none is newer than what is made of it
    made_again = [path for path in known if path not in kept]
    return Unpacked(kept, made_again, manifest["commit"])


def _manifest(sums: Mapping[str, str]) -> Record:
    """What the bundle says of itself, which holds."""
    path = Path(contents.MANIFEST)
    if contents.MANIFEST not in sums or contents.CONFIG not in sums:
        raise UserError(f"it holds no {contents.MANIFEST} and config of a bundle; name a bundle")
    if path.stat().st_size > LARGEST_MANIFEST:
        raise UserError(f"{contents.MANIFEST}: it is larger than that of a bundle; name a bundle")
    found = read_json(path)
    if (
        not isinstance(found, dict)
        or not _texts(found.get("sha256"), SHA256)
        or not _texts(found.get("lineages"), LINEAGE)
        or not found["lineages"].keys() <= found["sha256"].keys()
        or not (found.get("commit", 0) is None or _texts({"": found.get("commit")}, COMMIT))
    ):
        raise UserError(f"{contents.MANIFEST}: it is not as bundles have it; name a bundle")
    for name, sha256 in found["sha256"].items():
        if sums.get(name) != sha256:
            raise UserError(f"its file {shown(name)} is missing or damaged; copy it once more")
    further = set(sums) - set(found["sha256"]) - {contents.MANIFEST}
    if further:
        raise UserError(f"it holds {shown(min(further))}, which its manifest does not name")
    return found


def _texts(value: Any, pattern: re.Pattern[str]) -> bool:
    """Whether a value is a mapping to texts of a pattern."""
    return isinstance(value, dict) and all(
        isinstance(text, str) and pattern.fullmatch(text) for text in value.values()
    )


def _check_packages(needed: object) -> None:
    """Whether the packages that bring its benchmarks are installed; older bundles name none."""
    there = {point.dist.name for point in installed().values() if point.dist}
    absent = [name for name in needed if name not in there] if isinstance(needed, dict) else []
    if absent:
        raise UserError(
            f"its benchmarks come with {', '.join(map(shown, absent))}, which is not installed; "
            "install it beside steadfast, or name its folder in PYTHONPATH"
        )


def _check_places(run: Evaluation, sums: Mapping[str, str]) -> None:
    """Whether each file has a place in a bundle of that config."""
    folders = (f"{contents.ANSWERS}/", f"{contents.MADE}/")
    known = SINGLE | set(contents.files_of(contents.own_files(run)))
    for name in sums:
        if name not in known and not name.startswith(folders):
            raise UserError(f"it holds {shown(name)}, which its config does not name")


def _check_code(run: Evaluation, raw: Record, sums: Mapping[str, str]) -> None:
    """Whether making its tables runs none of its code."""
    files = [n for n in sums if n.endswith(contents.CODE) and n != contents.WORKFLOW]
    found = [*files, *foreign_code(raw)]
    if found:
        raise UserError(
            f"it brings code that would run here: {shown(found[0])}"
            f"{f' and {len(found) - 1} more' if found[1:] else ''}; read it, and where you trust "
            f"it, unpack with {typed('code')}"
        )
