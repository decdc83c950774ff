"""Headless Chromium, installed if it is missing, and what a page does in it."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOCAL = ("file:", "blob:", "data:")


def chromium(shared: Path) -> str:
    """The path of a browser.

    Args:
        shared: folder of all workers: one of them installs, the others wait.
    """
    with open(shared / "chromium.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for program in PROGRAMS:
            if path := shutil.which(program):
                return path
        if not shutil.which("apt-get"):
            pytest.skip("no Chromium, and no apt-get to install it with")
        install = ["install", "-yqq", "--no-install-recommends", "chromium"]
        for arguments in (["update", "-qq"], install):
            done = subprocess.run(
                ["apt-get", *arguments],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                text=True,
            )
            if done.returncode:
                pytest.skip(f"no Chromium, and no way to install it: {done.stderr.strip()[-200:]}")
        return shutil.which("chromium") or pytest.skip("no Chromium after its installation")


class Watched:
    """A page in the browser, and what it should not have done.

    Attributes:
        page: Playwright's.
        complaints: console messages, errors, dialogs, and addresses of requests.
    """

    def __init__(self, page: Any):
        self.page = page
        self.complaints = []
        page.set_default_timeout(20_000)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        page.on("request", self._requested)

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(LOCAL):
            self.complaints.append(request.url)


@contextmanager
def browser(path: str) -> Iterator[Any]:
    """A browser that requests nothing by itself."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A container does not allow the sandbox; the pages are the tests' own.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            chromium.close()
