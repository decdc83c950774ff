"""Errors of the commands, as one message without a traceback."""

import io
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import escape_hidden


@contextmanager
def errors_as_messages(*read: Path) -> Iterator[None]:
    """Ends the process with exit code 1 and an error message if the block raises.

    ``read`` are the files or folders that the block reads.
    """
    try:
        yield
    except UserError as error:
        sys.exit(escape_hidden(f"error: {error}"))
    except Exception as error:
        # With the line that raised it, so that a bug report needs no more than the message.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        sys.exit(
            escape_hidden(
                f"error: {' or '.join(map(str, read))}: a file there is damaged or not written by "
                f"this workflow ({reason}, {place}); remake it, or report a bug if this workflow "
                "wrote it"
            )
        )


def escape_unprintable() -> None:
    """Prints characters that the terminal cannot show as codes, instead of an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
