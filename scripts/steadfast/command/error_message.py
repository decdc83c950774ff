"""Errors of the commands beside the workflow, as one message without a traceback."""

import io
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import visible


@contextmanager
def errors_as_messages(*read: Path) -> Iterator[None]:
    """Ends the process with exit code 1 and an error message where the block raises.

    ``read`` are the files or folders that it reads.
    """
    try:
        yield
    except UserError as error:
        sys.exit(visible(f"error: {error}"))
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = " ".join(f"{type(error).__name__}: {error}".split())
        place = f"{Path(last.filename).name}:{last.lineno}"
        sys.exit(
            visible(
                f"error: {' or '.join(map(str, read))}: a file there is damaged or not written by "
                f"this workflow ({what}, {place}); remake it, or report a bug if this workflow "
                "wrote it"
            )
        )


def take_any_text() -> None:
    """Has a terminal that lacks some characters show their codes, in place of an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
