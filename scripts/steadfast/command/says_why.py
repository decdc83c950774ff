"""What the commands beside the workflow share: whatever they read, they say why in one sentence."""

import io
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import visible


@contextmanager
def says_why(*read: Path) -> Iterator[None]:
    """Ends the process with 1 and a sentence where what is done within fails."""
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
                f"error: {' or '.join(map(str, read))}: a file there is not as this workflow "
                f"writes it ({what}, {place}); have it made again, or report this where this "
                "workflow made it"
            )
        )


def take_any_text() -> None:
    """Has a terminal that lacks some characters show their codes, in place of an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
