"""The benchmark's released files, from a directory or fetched and checked; names in them."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings, read_text
from steadfast.base.pinned import check, download, fetch
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.tasks import Task
from steadfast.contract.task import Needs
from steadfast.corpora.lock import LOCK, LockFile
from steadfast.corpora.lock import check as check_digest

LOCAL = "set lifbench.released.directory in the config to a directory that holds {name}"
SUBFOLDER = "data/meta"  # of the files in a clone of the repository
NOTHING = Needs()
UNIT = 1024  # tokens; released lengths count in these


def released_name(task: str) -> str:
    """Returns what the released files call one of the paper's tasks."""
    return str(facts("lifbench/released.yaml")["names"][task])


def scores_file(task: Task) -> str:
    """Returns the name of the file that holds a task's released scores."""
    return f"{task.scenario}-{released_name(task.id)}.csv"


def released_lengths() -> dict[str, int]:
    """Returns the name of each released length, and its budget in tokens."""
    lengths = facts("lifbench/released.yaml")["lengths"]
    return {name: units * UNIT for units, name in lengths.items()}


def input_name(scenario: str) -> str:
    """Returns the name of the file that holds a scenario's contexts."""
    return f"{scenario}_input.json"


def released_path(directory: str, name: str) -> Path:
    """Returns the path of a released file: in a directory's ``data/meta``, or else in itself."""
    in_clone = Path(directory) / SUBFOLDER / name
    return in_clone if in_clone.exists() else Path(directory) / name


def input_file(
    inputs: Mapping[str, Path],
    scenario: str,
    directory: str | None,
    lock: str = LOCK,
    source: Settings | None = None,
) -> str:
    """Returns a scenario's published contexts; the lock file holds an unknown one's sha256."""
    source = source or facts("lifbench/released.yaml")["contexts"]
    name = input_name(scenario)
    pinned = source["files"][name]
    if directory is None:
        origin = source["url"].format(**source, file=name)
        advice = LOCAL.format(name=name)
        content = download({"url": origin, **pinned}, advice)
    else:
        path = released_path(directory, name)
        origin = str(path)
        advice = "fetch the released file again"
        try:
            content = path.read_bytes()
        except OSError as error:
            message = f"{path}: {error.strerror}; check lifbench.released.directory"
            raise UserError(message) from None
    if "git_blob" in pinned:
        check(content, pinned, origin, advice)
    else:
        revision = source["repository"], source["commit"]
        actual = hashlib.sha256(content).hexdigest()
        expected = LockFile(lock).read(*revision).get(name)
        check_digest(origin, actual, expected, lock, "fetch the released file again")
        LockFile(lock).record(*revision, {name: actual})
    return content.decode("utf-8")


def released_text(name: str, directory: str | None, source: Settings) -> tuple[str, str]:
    """Returns where a released file is taken from, a directory or its source, and its text."""
    if directory is None:
        return source["url"], fetch(source, LOCAL.format(name=name)).decode("utf-8")
    path = released_path(directory, name)
    return str(path), read_text(path)


def tasks_file(inputs: Mapping[str, Path], directory: str | None, pinned: bool = False) -> str:
    """Returns tasks.json, from a directory (``pinned``: only the published one) or fetched."""
    source = facts("lifbench/released.yaml")
    origin, text = released_text("tasks.json", directory, source)
    if pinned:
        advice = "fetch the released file again, or choose lifbench.contexts nested"
        check(text.encode(), source, origin, advice)
    return text


def addresses_to_fetch(directory: str | None, addresses: Iterable[str]) -> Needs:
    """Returns the addresses to fetch from; none where a directory has the files."""
    return Needs(tuple(addresses)) if directory is None else NOTHING
