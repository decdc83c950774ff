"""The verifiers of published instructions: those of a library, with its data pinned and local."""

import random
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from steadfast.base.commands import installation
from steadfast.base.errors import UserError
from steadfast.base.resources import facts

NEEDED = facts("ifeval/verifiers.yaml")


def check_library(kinds: Collection[str] = ()) -> None:
    """Raises UserError where the library, as pinned, or data that kinds need is not here."""
    install = f"run '{installation('verifiers')}'"
    try:
        installed = version(NEEDED["package"])
    except PackageNotFoundError:
        raise UserError(
            f"ifeval: {NEEDED['package']}, which verifies published instructions, is not "
            f"installed; {install}, or take source: synthetic"
        ) from None
    if installed != NEEDED["version"]:
        raise UserError(
            f"ifeval: {NEEDED['package']} {installed} is installed, whose verdicts may differ from "
            f"those of {NEEDED['version']}; {install}"
        )
    import nltk

    for resource, needing_kinds in NEEDED["nltk_data"].items():
        if not needing_kinds or set(needing_kinds) & set(kinds):
            try:
                nltk.data.find(resource)
            except LookupError:
                raise UserError(
                    f"ifeval: NLTK's data {resource} is not here; {install}, or name a directory "
                    "that has it in NLTK_DATA"
                ) from None


@cache
def _kinds(task: str) -> Mapping[str, Any]:
    """Returns the library's verifiers of a set, by kind."""
    import langdetect
    import nltk

    # The library fetches what it believes to lack when it is imported.
    download = nltk.download
    nltk.download = lambda *_, **__: False
    try:
        module = import_module(f"{NEEDED['package']}.{task}.instructions_registry")
    finally:
        nltk.download = download
    langdetect.DetectorFactory.seed = 0
    verifiers: Mapping[str, Any] = module.INSTRUCTION_DICT
    return verifiers


def library_verifier(
    task: str, kind: str, kwargs: Mapping[str, Any], prompt: str
) -> Callable[[str], bool]:
    """Returns the verifier of an instruction of a set, built anew.

    What it samples where an argument is not given is sampled by the same seed each time.

    Raises:
        UserError: the set has no instruction of that kind, or it takes other arguments.
    """
    random.seed(0)
    try:
        verifier = _kinds(task)[kind](kind)
        verifier.build_description(**kwargs)
    except (KeyError, TypeError) as error:
        raise UserError(
            f"ifeval: {task} has no instruction {kind!r} with the arguments {dict(kwargs)!r} "
            f"({type(error).__name__}: {error}); correct the data"
        ) from None
    arguments = verifier.get_instruction_args()
    if arguments and "prompt" in arguments:
        verifier.build_description(prompt=prompt)
    return lambda text: bool(verifier.check_following(text))
