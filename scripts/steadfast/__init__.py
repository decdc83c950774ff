"""How well, and how stably, language models follow instructions in long contexts.

``run`` runs a config, ``load`` reads a finished run as data frames, ``score`` scores one answer
(docs/notebook.ipynb).
The floors of the package, from the rules down: CONTRIBUTING.md. Each benchmark is a package, which
``contract.registry`` finds by its entry point: no other module knows one by name.
"""

from importlib import import_module
from typing import Any

__version__ = "1.0.0"

# By name, so that no part of the workflow imports what they do, and depends on it.
_CALLS = {
    "run": "notebook.start",
    "load": "notebook.run",
    "Run": "notebook.run",
    "score": "notebook.sample",
}


def __getattr__(name: str) -> Any:
    if name in _CALLS:
        return getattr(import_module(f"{__name__}.{_CALLS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_CALLS]
