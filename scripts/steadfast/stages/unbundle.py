"""Unpacks a bundle so that its tables can be made again, by the code that is here."""

import os
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from steadfast.bundle import contents
from steadfast.bundle.archive import files_below, unpack
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.errors import UserError
from steadfast.evaluation import Evaluation
from steadfast.files import Record, file_sha256, read_json
from steadfast.lineage import Lineage
from steadfast.names import shown

TIMES = (315_532_800, 315_532_800)
"""Of all files, so that none is newer than what is made of it: as any program unpacks them."""


class Unpacked(NamedTuple):
    """What was unpacked.

    Attributes:
        kept: files that the code here would make of the same, and so takes as they are.
        made_again: files that it would make otherwise; they were taken out.
        commit: of the workflow that made the bundle, where it is known.
    """

    kept: list[str]
    made_again: list[str]
    commit: str | None


def unbundle(bundle: Path, folder: Path) -> Unpacked:
    """Unpacks a bundle, and takes out what this version of the workflow would make otherwise.

    What was taken out is made again where it is wanted, answers from the journal that comes along:
    a request whose words and settings are the same is not sent again. Scores, metrics and tables
    are always made again; those of the bundle lie beside them, to be compared.

    Args:
        bundle: the file.
        folder: where to; it must not be there, or be empty.

    Raises:
        UserError: it is no bundle, or damaged, or the folder has files.
    """
    unpack(bundle, folder)
    manifest = _manifest(bundle, folder)
    _check(bundle, folder, manifest["sha256"])
    with chdir(folder):
        run = Evaluation(load_config(read_source(contents.CONFIG)))
        here = {
            f"{contents.ANSWERS}/{made.path}": made for made in contents.answers(run, Lineage(run))
        }
    known = manifest["lineages"]
    kept = [path for path, made in here.items() if known.get(path) == made.lineage]
    made_again = [path for path in known if path not in kept]
    for path in made_again:
        for one in (folder / path, folder / contents.identity_path(path)):
            one.unlink(missing_ok=True)
    for path in files_below(folder):
        os.utime(path, TIMES)  # one time for all: none is newer than what is made of it
    return Unpacked(kept, made_again, manifest["commit"])


def _manifest(bundle: Path, folder: Path) -> Record:
    path = folder / contents.MANIFEST
    found = read_json(path) if path.is_file() else None
    if not isinstance(found, dict) or not {"sha256", "lineages", "commit"} <= set(found):
        raise UserError(f"{bundle}: it holds no {contents.MANIFEST} of a bundle; name a bundle")
    return found


def _check(bundle: Path, folder: Path, sums: Record) -> None:
    """Whether all files are there, as they were bundled, and no others."""
    found = {path.relative_to(folder).as_posix(): path for path in files_below(folder)}
    for name, sha256 in sums.items():
        if name not in found or file_sha256(found[name]) != sha256:
            raise UserError(f"{bundle}: its file {name} is missing or damaged; copy it once more")
    further = set(found) - set(sums) - {contents.MANIFEST, contents.CRATE}
    if further:
        raise UserError(
            f"{bundle}: it holds {shown(min(further))}, which its manifest does not name"
        )
