"""Loads by its name what a job calls: of a module, or of a file of the user's."""

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from steadfast.base.errors import UserError

FILE = ".py"
"""How the name of a module ends that is a file of the user's."""


def load(name: str) -> Callable[..., Any]:
    """Returns the object that is called ``module:object``, or ``folder/file.py:object``."""
    module, _, attribute = name.rpartition(":")
    try:
        found = _of_file(module) if module.endswith(FILE) else import_module(module)
        called: Callable[..., Any] = getattr(found, attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"benchmark: {name} cannot be loaded ({error}); correct the component's name"
        ) from None
    return called


class _FileLoader(SourceFileLoader):
    def path_stats(self, path: Any) -> Any:
        """None, so that no compiled copy of the file is kept, which may be older than it."""
        raise OSError


@cache
def _of_file(path: str) -> ModuleType:
    name = f"file_{hashlib.sha256(path.encode()).hexdigest()[:16]}"
    spec = spec_from_file_location(name, path, loader=_FileLoader(name, path))
    assert spec is not None and spec.loader is not None, path
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UserError(
            f"{path}: it cannot be loaded ({type(error).__name__}: {error}); mend the file"
        ) from error
    return module
