"""What stands in the results folder, compared with what a run wants before anything is printed.

Snakemake goes by what it remembers of earlier runs, and by times. It forgets where its memory is
removed, or the results are copied or shared; and it can be told to take files as they are. So each
file's seal is compared with what the rules want of it: a file that was made from anything else is
made again, whatever Snakemake would do, and one that somebody edited is refused.
"""

from pathlib import Path

from steadfast.base.checksums import Checksums
from steadfast.base.errors import UserError
from steadfast.base.seal import OTHER, Seal, State, seals
from steadfast.workflow.insides import Snakemake


class Audit:
    """The seals of a run's files that are not what the run wants."""

    def __init__(self, results: Path):
        self._results = results
        self._checksums = Checksums(str(results.absolute()))
        self._other: list[Seal] = []

    @property
    def left(self) -> str | None:
        """Why a run's results are not shown: Snakemake was told to leave some as they were."""
        for seal in self._other:
            if seal.state(self._checksums) is not State.CURRENT:
                return (
                    f"{seal.files[0]}: {OTHER}; this command was not to make it, the plain one does"
                )
        return None

    def leaves(self, path: Path) -> bool:
        """Whether a file or folder is left that was made of something else than the run wants."""
        its = (seal for seal in self._other if path in seal.files)
        return any(seal.state(self._checksums) is not State.CURRENT for seal in its)

    def compare(self, snakemake: Snakemake) -> None:
        """Has Snakemake make what is not as the run wants it; refuses what somebody edited."""
        for job in snakemake.jobs:
            if not any(Path(path).exists() for path in job.output):
                continue
            by_command = snakemake.is_wanted(job)
            for seal in seals(job, self._results):
                state = seal.state(self._checksums)
                if state is State.OTHER:
                    self._other.append(seal)
                    snakemake.force(job)
                elif state is State.EDITED and not by_command:
                    seal.check_unchanged(self._checksums)
        self._checksums.keep()
        if (option := snakemake.taking_option) and self._other:
            first, *more = self._other
            also = f", and so are {len(more)} more" if more else ""
            raise UserError(
                f"{first.files[0]}: {OTHER}{also}; {option} would pass that for what it asks for: "
                "run without it"
            )
