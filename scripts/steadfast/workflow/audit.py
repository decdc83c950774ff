"""The results folder of a run: locked by the run, and its files checked against what it makes.

Snakemake decides by its own metadata and by modification times what to make again. It cannot know
where its metadata was removed, where results are copied or shared, or where an option tells it to
accept files. So each file's provenance is compared with the input digest that the run wants: a file
made from other inputs is made again, whatever Snakemake would do, and an edited file is refused.
"""

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from steadfast.base.checksums import Checksums
from steadfast.base.errors import UserError
from steadfast.base.files import atomic_writer
from steadfast.base.locks import acquire_lock
from steadfast.base.provenance import OTHER, Provenance, State, provenances
from steadfast.workflow.insides import Snakemake


class Audit:
    """The files in the results folder that were made from other inputs than this run has."""

    def __init__(self, results: Path):
        self._results = results
        self._checksums = Checksums(str(results.absolute()))
        self.outdated: list[tuple[Any, Provenance]] = []
        """Jobs with files that were made from other inputs, and what this run wants there."""

    @property
    def outdated_error(self) -> str | None:
        """The error message where an option made Snakemake leave outdated files; else None."""
        for provenance in self._still_outdated:
            return f"{provenance.files[0]}: {OTHER}; run the workflow without this option"
        return None

    def is_outdated(self, path: Path) -> bool:
        """Whether a file or folder is still outdated."""
        return any(path in provenance.files for provenance in self._still_outdated)

    @property
    def _still_outdated(self) -> Iterator[Provenance]:
        """What was outdated and was not made again."""
        for _, provenance in self.outdated:
            if provenance.state(self._checksums) is not State.CURRENT:
                yield provenance

    def compare(self, snakemake: Snakemake) -> None:
        """Makes Snakemake remake outdated files; refuses edited ones."""
        for job in snakemake.jobs:
            if not any(Path(path).exists() for path in job.output):
                continue
            is_forced = snakemake.is_wanted(job)
            for provenance in provenances(job, self._results):
                state = provenance.state(self._checksums)
                if state is State.OTHER:
                    self.outdated.append((job, provenance))
                    snakemake.force(job)
                elif state is State.EDITED and not is_forced:
                    provenance.check_unchanged(self._checksums)
        self._checksums.keep()
        if (option := snakemake.accepting_option) and self.outdated:
            _, first = self.outdated[0]
            further = len(self.outdated) - 1
            also = f", and so are {further} more" if further else ""
            raise UserError(
                f"{first.files[0]}: {OTHER}{also}; {option} would accept outdated files: run "
                "without it"
            )


# Below the results folder, beside the locks of loads.
LOCK = "journal/.locks/run.lock"
# The folders that this process has locked; it may read the Snakefile more than once.
HELD: set[Path] = set()


def lock_results(results: Path, snakemake: Snakemake, again: bool = False) -> None:
    """Locks a results folder for a run that makes files, and removes the locks of killed runs.

    Snakemake's own locks lie in its working directory: they outlive a killed process, and do not
    stop a run from another directory. The operating system releases this lock with the process,
    and no job inherits it.
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
        held = acquire_lock(fd)
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
        lock_results(results, snakemake, again=True)  # with the lock file that replaced it
        return
    for journal in (results / "journal").rglob("*"):
        if journal != lock and journal.is_file() and journal.stat().st_nlink > 1:
            _copy_own(journal)
    os.truncate(fd, 0)
    with suppress(OSError):  # a full disk: the lock holds, but does not name this process
        os.write(fd, f"process {os.getpid()}\n".encode())
    atexit.register(os.truncate, fd, 0)
    HELD.add(results)
    # No run is left that could hold Snakemake's locks on files of this folder.
    for dead, locked in snakemake.locks:
        if any(Path(path).is_relative_to(results) for path in locked):
            dead.with_name(dead.name.replace("output", "input")).unlink(missing_ok=True)
            dead.unlink(missing_ok=True)


def _is_shared(lock: Path, fd: int, again: bool) -> bool:
    """Whether a lock file that this process has locked is shared with a copy of the folder.

    A copy by hard links (cp -al) shares its files with the original. Of files that are written in
    place, as locks and journals are, each folder needs its own. Another run may have replaced the
    lock file since it was opened.
    """
    try:
        status = lock.stat()
    except FileNotFoundError:
        return True
    if not os.path.samestat(status, os.fstat(fd)):
        return True
    if status.st_nlink > 1 and not again:  # some file systems count two of any file
        lock.unlink()  # only the process that holds the lock does so
        return True
    return False


def _copy_own(journal: Path) -> None:
    """Replaces a journal that is shared with a copy of the folder by a copy of its own."""
    with open(journal, "rb") as shared, atomic_writer(journal) as copy:
        if not acquire_lock(shared):
            raise UserError(
                f"{journal}: shared by hard links (cp -l) with a copy of this folder, where a job "
                "is writing it; wait until that job ends, then run again"
            )
        shutil.copyfileobj(shared, copy)
