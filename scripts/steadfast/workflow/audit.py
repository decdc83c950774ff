"""The results folder of a run: held by it alone, and compared with what it wants before it prints.

Snakemake goes by what it remembers of earlier runs, and by times. It forgets where its memory is
removed, or the results are copied or shared; and it can be told to take files as they are. So each
file's provenance is compared with what the rules want of it: a file that was made from anything
else is made again, whatever Snakemake would do, and one that somebody edited is refused.
"""

import atexit
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from steadfast.base.checksums import Checksums
from steadfast.base.errors import UserError
from steadfast.base.files import replacing
from steadfast.base.locks import take
from steadfast.base.provenance import OTHER, Provenance, State, provenances
from steadfast.workflow.insides import Snakemake


class Audit:
    """The provenances of a run's files that are not what the run wants."""

    def __init__(self, results: Path):
        self._results = results
        self._checksums = Checksums(str(results.absolute()))
        self._other: list[Provenance] = []
        self.outdated: list[tuple[Any, object]] = []
        """Jobs whose files have other input digests than the run wants, with these digests."""

    @property
    def left(self) -> str | None:
        """Why a run's results are not shown: Snakemake was told to leave some as they were."""
        for provenance in self._other:
            if provenance.state(self._checksums) is not State.CURRENT:
                return f"{provenance.files[0]}: {OTHER}; run the workflow without this option"
        return None

    def leaves(self, path: Path) -> bool:
        """Whether a file or folder is left that was made of something else than the run wants."""
        of_path = (provenance for provenance in self._other if path in provenance.files)
        return any(provenance.state(self._checksums) is not State.CURRENT for provenance in of_path)

    def compare(self, snakemake: Snakemake) -> None:
        """Has Snakemake make what is not as the run wants it; refuses what somebody edited."""
        for job in snakemake.jobs:
            if not any(Path(path).exists() for path in job.output):
                continue
            by_command = snakemake.is_wanted(job)
            for provenance in provenances(job, self._results):
                state = provenance.state(self._checksums)
                if state is State.OTHER:
                    self._other.append(provenance)
                    self.outdated.append((job, provenance.recorded_input_digest))
                    snakemake.force(job)
                elif state is State.EDITED and not by_command:
                    provenance.check_unchanged(self._checksums)
        self._checksums.keep()
        if (option := snakemake.taking_option) and self._other:
            first, *further = self._other
            also = f", and so are {len(further)} more" if further else ""
            raise UserError(
                f"{first.files[0]}: {OTHER}{also}; {option} would accept outdated files: run "
                "without it"
            )


LOCK = "journal/.locks/run.lock"
"""Below the results folder, beside the locks of loads."""
HELD: set[Path] = set()
"""The folders that this process holds, also where it reads the Snakefile more than once."""


def hold(results: Path, snakemake: Snakemake, again: bool = False) -> None:
    """Takes a results folder for a run that makes files, and what dead runs have locked there.

    Snakemake's own locks lie in its working directory. They outlive a process that is killed, and
    say nothing to a run from another directory. This one does neither: the system gives it up with
    the process, and no job inherits it.
    """
    if results in HELD or not snakemake.holds_folder:
        return
    lock = results / LOCK
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise UserError(
            f"{lock}: cannot be written ({error.strerror}); correct its permissions, or set "
            "pathvars.results to another folder"
        ) from None
    try:
        held = take(fd)
    except OSError:  # a file system without locks: Snakemake's own must do
        os.close(fd)
        return
    if not held:
        holder = os.read(fd, 99).decode("utf-8", errors="replace").strip()
        raise UserError(
            f"{results}: in use by another run ({holder}); wait until it ends, or set "
            "pathvars.results to another folder"
        )
    if _is_shared(lock, fd, again):
        os.close(fd)
        hold(results, snakemake, again=True)
        return
    for journal in (results / "journal").rglob("*"):
        if journal != lock and journal.is_file() and journal.stat().st_nlink > 1:
            _copy_own(journal)
    os.truncate(fd, 0)
    with suppress(OSError):  # a full disk: the lock holds, though it does not say for whom
        os.write(fd, f"process {os.getpid()}\n".encode())
    atexit.register(os.truncate, fd, 0)
    HELD.add(results)
    # Of Snakemake's locks, those on files of this folder are nobody's now.
    for dead, locked in snakemake.locks:
        if any(Path(path).is_relative_to(results) for path in locked):
            dead.with_name(dead.name.replace("output", "input")).unlink(missing_ok=True)
            dead.unlink(missing_ok=True)


def _is_shared(lock: Path, fd: int, again: bool) -> bool:
    """Whether an open lock that was taken must be opened anew.

    A copy of a folder by hard links (cp -al) has its very files. Where one is written in place, as
    locks and journals are, the folder gets its own. Another run may have done so since the lock was
    opened.
    """
    try:
        status = lock.stat()
    except FileNotFoundError:
        return True
    if not os.path.samestat(status, os.fstat(fd)):
        return True
    if status.st_nlink > 1 and not again:  # some file systems count two of any file
        lock.unlink()  # nobody else does so who does not hold it
        return True
    return False


def _copy_own(journal: Path) -> None:
    """Puts a copy in the place of a journal that a copy of the folder shares."""
    with open(journal, "rb") as shared, replacing(journal) as copy:
        if not take(shared):
            raise UserError(
                f"{journal}: shared by hard links (cp -l) with a copy of this folder, where a job "
                "is writing it; wait until that job ends, then run again"
            )
        shutil.copyfileobj(shared, copy)
