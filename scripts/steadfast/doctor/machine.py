"""What every config needs of a machine: Python, locked packages, disk, tokenizers, a network."""

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
from steadfast.base.names import some
from steadfast.base.resources import HOME
from steadfast.base.tokens import load_tokenizer
from steadfast.doctor.check import Check, found, unneeded

OLDEST = (3, 11)
REQUIREMENTS = HOME / "envs" / "requirements.txt"
INSTALL = "{python} -m pip install --require-hashes -r {file}"
LEAST_GB = 2
"""Free space that results and logs of a run have room in; weights of models come on top."""
NAMED = 5  # packages that a sentence names
PDF = ("latexmk", "pdflatex")


def machine_checks(results: Path, tokenizers: Iterable[str]) -> Iterator[Check]:
    """What is there of all that any run needs; the results folder may not be there yet."""
    here, at_least = sys.version.split()[0], ".".join(map(str, OLDEST))
    advice = f"{here} is too old; make PYTHON=python{at_least} tables"
    yield found("Python", sys.version_info >= OLDEST, here, advice)
    yield packages(REQUIREMENTS)
    yield disk(results)
    yield from map(tokenizer, dict.fromkeys(tokenizers))
    yield latex()


def packages(requirements: Path) -> Check:
    """Whether the packages of a file of requirements are installed, each in its locked version."""
    from packaging.requirements import Requirement

    if not requirements.is_file():
        return unneeded("packages", "no lock file here: pip installed what the package asks for")
    lines = requirements.read_text(encoding="utf-8").splitlines()
    locked = [Requirement(line.rstrip(" \\")) for line in lines if line[:1].isalnum()]
    locked = [one for one in locked if one.marker is None or one.marker.evaluate()]
    installed = {one.name: _installed(one.name) for one in locked}
    wrong = [
        f"{one.name} {installed[one.name] or 'is not installed'} ({one.specifier})"
        for one in locked
        if not installed[one.name] or installed[one.name] not in one.specifier
    ]
    install = INSTALL.format(python=sys.executable, file=requirements)
    return found(
        "packages",
        not wrong,
        f"{len(locked)}, each in the version of {requirements.name}",
        f"not those of {requirements.name}: {some(wrong, NAMED)}; {install}",
    )


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def disk(folder: Path) -> Check:
    """Whether there is room for results, and they may be written."""
    there = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    free = shutil.disk_usage(there).free / 1e9
    writable = os.access(there, os.W_OK)
    return found(
        "disk",
        writable and free >= LEAST_GB,
        f"{free:,.0f} GB free for {folder}",
        f"{folder} cannot be written to; correct its rights, or name another with pathvars.results"
        if not writable
        else f"{free:.1f} GB free for {folder}, {LEAST_GB} are needed; make room there",
    )


def tokenizer(name: str) -> Check:
    """Whether a tiktoken encoding can be loaded."""
    try:
        load_tokenizer(name)
        reason = ""
    except UserError as error:
        reason = str(error)
    except Exception as error:  # tiktoken fetches what is not there, and tells of it in many ways
        reason = f"cannot be fetched ({type(error).__name__}); set TIKTOKEN_CACHE_DIR to its files"
    return found(f"tokenizer {name}", not reason, "its files are there", reason)


def latex() -> Check:
    """Whether tables can be typeset; the workflow itself never does."""
    if there := [name for name in PDF if shutil.which(name)]:
        return Check("LaTeX", "ok", f"{there[0]} is there, for results/tables/all_tables.tex")
    return unneeded("LaTeX", "tables are .tex files; only to typeset them is it needed")


SECONDS = 5.0
AT_ONCE = 8


def silent(addresses: Iterable[str]) -> dict[str, str]:
    """The addresses that do not give what they should, and why; nothing is downloaded."""
    asked = list(dict.fromkeys(addresses))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = dict(zip(asked, pool.map(_reason, asked), strict=True))
    return {address: reason for address, reason in reasons.items() if reason}


def hosts(addresses: Iterable[str]) -> str:
    """The hosts of addresses, for a sentence."""
    return ", ".join(dict.fromkeys(urlsplit(address).netloc for address in addresses))


def _reason(address: str) -> str:
    try:
        request = urllib.request.Request(address, method="HEAD")
        with urllib.request.urlopen(request, timeout=SECONDS):
            return ""
    except HTTPError as error:
        return f"HTTP status {error.code}"
    except (OSError, HTTPException, ValueError) as error:
        return str(getattr(error, "reason", None) or error)
