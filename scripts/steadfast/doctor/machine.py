"""Checks for every config: locked packages, disk, tokenizers, addresses of downloads."""

import os
import shutil
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

from steadfast.base.errors import UserError
from steadfast.base.names import first_names
from steadfast.base.resources import HOME
from steadfast.base.tokens import load_tokenizer
from steadfast.doctor.check import Check, check_of

REQUIREMENTS = HOME / "envs" / "requirements.txt"
# Free space for the results and logs of a run, without the weights of models.
LEAST_GB = 2
# Packages that a message names, at most.
NAMED = 5
# Timeout of a server.
SECONDS = 5.0
# Addresses that are checked at a time.
AT_ONCE = 8


def machine_checks(results: Path, tokenizers: Iterable[str]) -> Iterator[Check]:
    """Yields the checks of every run; the results folder may not exist yet."""
    yield packages(REQUIREMENTS)
    yield disk(results)
    yield from map(tokenizer, dict.fromkeys(tokenizers))


def packages(requirements: Path) -> Check:
    """Checks that the packages of a requirements file are installed in their locked versions."""
    from packaging.requirements import Requirement

    if not requirements.is_file():
        return Check("packages", "not needed", "no lock file here: pip chose the versions")
    locked = 0
    wrong = []
    for line in requirements.read_text(encoding="utf-8").splitlines():
        if not line[:1].isalnum():  # a hash or a comment
            continue
        package = Requirement(line.rstrip(" \\"))
        if package.marker and not package.marker.evaluate():  # of another system or Python
            continue
        locked += 1
        try:
            installed = version(package.name)
        except PackageNotFoundError:
            wrong.append(f"{package.name} is not installed (needs {package.specifier})")
            continue
        if installed not in package.specifier:
            wrong.append(f"{package.name} {installed} (needs {package.specifier})")
    install = f"{sys.executable} -m pip install --require-hashes -r {requirements}"
    return check_of(
        "packages",
        not wrong,
        f"{locked} packages in the versions of {requirements.name}",
        f"other versions than in {requirements.name}: {first_names(wrong, NAMED)}; {install}",
    )


def disk(folder: Path) -> Check:
    """Checks that the results folder is writable and has space."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK):
        advice = "correct its permissions, or set pathvars.results to another folder"
        return Check("disk", "missing", f"{folder} is not writable; {advice}")
    free = shutil.disk_usage(existing).free / 1e9
    text = f"{free:,.1f} GB free for {folder}"
    return check_of(
        "disk", free >= LEAST_GB, text, f"{text}, {LEAST_GB} GB needed; free disk space"
    )


def tokenizer(name: str) -> Check:
    """Checks that a tiktoken encoding can be loaded."""
    try:
        load_tokenizer(name)
        reason = ""
    except UserError as error:
        reason = str(error)
    except Exception as error:  # tiktoken downloads missing files; many errors can occur
        advice = "set TIKTOKEN_CACHE_DIR to a folder with it"
        reason = f"cannot be downloaded ({type(error).__name__}); {advice}"
    return check_of(f"tokenizer {name}", not reason, "available", reason)


def unreachable(addresses: Iterable[str]) -> dict[str, str]:
    """The reason for each address from which nothing can be downloaded."""
    distinct = list(dict.fromkeys(addresses))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = zip(distinct, pool.map(_fault, distinct), strict=True)
        return {address: fault for address, fault in faults if fault}


def hosts(addresses: Iterable[str]) -> str:
    """The hosts of addresses, as text."""
    return ", ".join(dict.fromkeys(urlsplit(address).netloc for address in addresses))


def _fault(address: str) -> str:
    """Why an address does not respond to a HEAD request; empty where it does."""
    try:
        request = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except HTTPError as error:
        return f"HTTP status {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return str(getattr(error, "reason", None) or error)
