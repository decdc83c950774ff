"""Chromium without a window, installed where it is missing, and what a page does in it."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OWN = ("file:", "blob:", "data:")


def chromium(shared: Path) -> str:
    """The path of a browser.

    Args:
        shared: folder of all tests that run side by side: one of them installs, the others wait.
    """
    with open(shared / "chromium.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if found := next(filter(None, map(shutil.which, NAMES)), None):
            return found
        if not shutil.which("apt-get"):
            pytest.skip("no Chromium, and no apt-get to install it with")
        for command in (
            ["update", "-qq"],
            ["install", "-yqq", "--no-install-recommends", "chromium"],
        ):
            done = subprocess.run(
                ["apt-get", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                text=True,
            )
            if done.returncode:
                pytest.skip(f"no Chromium, and no way to install it: {done.stderr.strip()[-200:]}")
        return shutil.which("chromium") or pytest.skip("no Chromium after its installation")


class Watched:
    """A page in the browser, and all that it should not have done.

    Attributes:
        page: Playwright's.
        complaints: what stood on the console, errors, and addresses that were asked for.
    """

    def __init__(self, page: Any):
        self.page = page
        self.complaints = []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(OWN):
            self.complaints.append(request.url)


@contextmanager
def browser(path: str) -> Iterator[Any]:
    """The browser, which asks no network for anything of its own either."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Without its sandbox, which a container does not allow; the pages are the tests' own.
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()
