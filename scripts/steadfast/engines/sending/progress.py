"""The progress of a job: a bar on a terminal, else a line every few seconds."""

import sys
import time
from typing import TYPE_CHECKING, Never, TextIO

from steadfast.base.names import escape_hidden
from steadfast.contract.request import Response

if TYPE_CHECKING:
    from tqdm import tqdm

LINE_SECONDS = 10.0
NOTICE_SECONDS = 60.0
# Responses after the first one from which the remaining time is shown.
MIN_RESPONSES = 10


class Notices:
    """Lines on stderr next to the progress, at most one in ``NOTICE_SECONDS``."""

    def __init__(self) -> None:
        self._shown: float | None = None

    def show(self, line: str) -> None:
        """Shows a line, unless one was shown less than ``NOTICE_SECONDS`` ago."""
        now = time.monotonic()
        if self._shown is not None and now - self._shown < NOTICE_SECONDS:
            return
        self._shown = now
        line = escape_hidden(line)  # it may contain a server's message
        if sys.stderr.isatty():
            from tqdm import tqdm

            tqdm.write(line, file=sys.stderr)  # above the bar
        else:
            print(line, file=sys.stderr, flush=True)


class Progress:
    """Shows progress on stderr: responses done, failed, tokens, remaining time."""

    _bar: "tqdm[Never] | None" = None

    def __init__(self, label: str, total: int, stream: TextIO | None = None):
        self._label = label
        self._total = total
        self._done = 0
        self._received = 0  # since the first response, which is not counted
        self._failed = 0
        self._tokens = 0
        self._stream = stream or sys.stderr
        self._shown = time.monotonic()
        self._has_lines = False
        self._first: float | None = None
        if self._stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(desc=label, total=total, file=self._stream, unit="req", leave=False)

    def skip(self, count: int) -> None:
        """Counts requests that need not be sent, such as those in the journal."""
        self._done += count
        if self._bar is not None:
            self._bar.update(count)

    def update(self, response: Response, count: int = 1) -> None:
        """Counts a response, for ``count`` equal requests (0: a re-requested one)."""
        if self._first is None:
            self._first = time.monotonic()  # the time until the first response was a start
            self._received = -count
        self._done += count
        self._received += count
        self._failed += count * (response.status == "error")
        self._tokens += (response.prompt_tokens or 0) + (response.completion_tokens or 0)
        if self._bar is not None:
            self._bar.set_postfix(failed=self._failed, tokens=f"{self._tokens:,}", refresh=False)
            self._bar.update(count)
        elif time.monotonic() - self._shown >= LINE_SECONDS:
            self._line()

    def close(self) -> None:
        """Removes the bar, or prints a last line after others."""
        if self._bar is not None:
            self._bar.close()
        elif self._has_lines:
            self._line()

    def _line(self) -> None:
        self._shown = time.monotonic()
        self._has_lines = True
        left = ""
        if self._first is not None and self._received >= MIN_RESPONSES and self._done < self._total:
            # Requests from the journal took no time, so the pace is that of received responses.
            seconds = (self._shown - self._first) / self._received * (self._total - self._done)
            left = f", {duration(seconds)} left"
        done = f"{self._label}: {self._done}/{self._total} done, {self._failed} failed"
        print(f"{done}, {self._tokens:,} tokens{left}", file=self._stream, flush=True)


def duration(seconds: float) -> str:
    """A remaining time, in a unit that fits it.

    >>> [duration(seconds) for seconds in (7.4, 80, 5000, 9000)]
    ['7 s', '80 s', '83 min', '2.5 h']
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
