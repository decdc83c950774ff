"""Users' mistakes that end a run before its jobs: an error message in place of a traceback.

Snakemake wraps what an input function raises, and adds the rule, its wildcards and a traceback.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from steadfast.base.errors import UserError, fixable_error
from steadfast.base.names import escape_hidden, first_names, suggestion
from steadfast.workflow import insides

DEFAULT_RESULTS = Path("results")
# Files that a message names; the others are counted.
MOST_FILES = 3


def error_sentence(
    error: BaseException,
    results: Path = DEFAULT_RESULTS,
    targets: Callable[[], Iterable[str]] = tuple,
) -> str | None:
    """The error message for a user's mistake; None for other errors.

    Args:
        results: the results folder.
        targets: gives all possible targets.
    """
    message = _user_error(error) or _file_error(error, results, targets)
    return escape_hidden(f"Error: {message}") if message else None


def _user_error(error: BaseException) -> str | None:
    for cause in _causes(error):
        if isinstance(cause, UserError):
            return str(cause)
        if isinstance(cause, OSError) and (message := fixable_error(cause)):
            return str(message)
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and its causes, the last one first."""
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or cause.__context__


def _file_error(
    error: BaseException, results: Path, targets: Callable[[], Iterable[str]]
) -> str | None:
    if insides.is_locked(error):
        return (
            f"{Path.cwd()}: locked by another run; wait until it ends or, where none is running, "
            "remove the lock with --unlock"
        )
    if target := insides.missing_target(error):
        if results != DEFAULT_RESULTS and Path(target).is_relative_to(DEFAULT_RESULTS):
            elsewhere = results / Path(target).relative_to(DEFAULT_RESULTS)
            return (
                f"{target}: no rule makes this file; the results folder is {results} "
                f"(pathvars.results), so name {elsewhere}"
            )
        return f"{target}: no rule makes this; {_nearest_target(target, set(targets()))}"
    if missing := insides.missing_inputs(error):
        rule, files = missing
        return (
            f"{first_names(files, MOST_FILES)}: no such file (input of rule {rule}); add it, or "
            "correct its path in the config"
        )
    return None


def _nearest_target(target: str, targets: set[str]) -> str:
    """Advice with the nearest rule or file, else with all rules; there are too many files."""
    advice = suggestion(target, targets)
    if advice.startswith("did you mean"):
        return advice
    return suggestion(target, [name for name in targets if "/" not in name])
