"""What a rule's code depends on, computed from its imports, as one digest by content.

A rule names the functions and components that its job calls. They depend on their modules, on all
that these import, and on the packaged data files that these name. A comment, a docstring, the
formatting or a time stamp changes no digest; a change of code changes those that use it.
"""

import ast
import atexit
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json, write_text
from steadfast.base.names import nearest
from steadfast.base.resources import PACKAGE, resource
from steadfast.base.seal import digest_of
from steadfast.base.tokens import cache_folder
from steadfast.contract.components import Component

RESOURCE_CALLS = frozenset({"facts", "resource"})
SCHEME = "1"
"""Part of every digest; another where the same content is to give another digest."""


def digest(script: str, *used: str | Component[Any] | None) -> str:
    """Returns what a rule depends on, in a word for its params: names used and one digest.

    ``used`` is what the script's function loads by name; None is passed over.
    """
    components = [one for one in used if isinstance(one, Component)]
    names = [one.name if isinstance(one, Component) else one for one in used if one]
    names += sorted({function for one in components for function in one.calls})
    files = sorted({file for one in components for file in one.resources})
    for name in names:
        _check_object(name)
    names = [script, *names]
    return f"{' '.join(names)} @ {_digest(tuple(names), tuple(files))}"


@cache  # asked for once a job
def _check_object(name: str) -> None:
    """Raises UserError where a module has no object of the name that a component gives."""
    module, _, attribute = name.rpartition(":")
    if not module or "." in attribute:
        return
    source = _source(module)
    known = json.loads(_cached(source, _objects, "objects"))
    if attribute not in known and "*" not in known:
        raise UserError(f"{module} has no {attribute!r}; {nearest(attribute, known)}")


def _objects(source: Path) -> str:
    """The names that stand in a module's own scope, as JSON; ``*`` where there may be others."""
    found: set[str] = set()
    for node in _statements(ast.parse(source.read_bytes()).body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {one.asname or one.name for one in node.names}
        else:
            named = (one for one in ast.walk(node) if isinstance(one, ast.Name))
            found |= {one.id for one in named if isinstance(one.ctx, ast.Store)}
    return json.dumps(sorted(found))


def _statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a scope, also those under conditions."""
    for node in nodes:
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _statements(ast.iter_child_nodes(node))


@cache  # asked for once a job
def _digest(names: tuple[str, ...], files: tuple[str, ...]) -> str:
    found, paths = modules(*names), resources(*names)
    paths |= {path for name in files for path in _files_of(resource(name))}
    parts = [[module, _file_digest(_source(module))] for module in sorted(found)]
    parts += [[_short(path), _file_digest(path)] for path in sorted(paths)]
    digest = digest_of([SCHEME, parts])
    _PARTS[digest] = {name: content[:16] for name, content in parts}
    return digest


_PARTS: dict[str, dict[str, str]] = {}


def parts_of(code: str) -> dict[str, str]:
    """The modules and data files of a ``digest`` that this process has computed, by name."""
    return _PARTS.get(code.rpartition(" ")[2], {})


def modules(*names: str) -> set[str]:
    """Returns the modules that others depend on, directly or not, by ``module[:object]``."""
    return {module for entry in map(_named_module, names) for module in _closure(entry)}


def resources(*names: str) -> set[Path]:
    """The packaged data files that these modules name."""
    return {path for module in modules(*names) for path in _resources(module)}


def _named_module(name: str) -> str:
    return name.rpartition(":")[0] or name


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules of this package, and of its own, that a module imports."""
    source, parts = _source(module), module.split(".")
    package = parts if source.name == "__init__.py" else parts[:-1]
    found = set()
    for level, name in json.loads(_cached(source, _imports, "imports")):
        above = package[: len(package) + 1 - level] if level else []
        found.add(".".join([*above, *filter(None, [name])]))
    own = (_modules(top) for top in {PACKAGE.name, *parts[:1]})
    return frozenset(found).intersection(frozenset().union(*own))


def _imports(source: Path) -> str:
    """What a module's code imports, names or modules, with how far up it starts, as JSON."""
    found: set[tuple[int, str]] = set()
    nodes: list[ast.AST] = [ast.parse(source.read_bytes())]
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {(0, each.name) for each in node.names}
        elif isinstance(node, ast.ImportFrom):  # names, or modules of a package
            begin = node.module or ""
            found.add((node.level, begin))
            found |= {(node.level, f"{begin}.{each.name}".strip(".")) for each in node.names}
        if isinstance(node, ast.If) and _called(node.test) == "TYPE_CHECKING":
            nodes += node.orelse
        else:
            nodes += ast.iter_child_nodes(node)
    return json.dumps(sorted(found))


@cache
def _closure(module: str) -> frozenset[str]:
    if "." in module and module not in _modules(module.split(".")[0]):
        raise _unknown(module)
    found: set[str] = set()
    new = {module}
    while new:
        found |= new
        # To import a module is to import the packages that it is in.
        new |= {up for one in new for up in _imported(one)}
        new = (new | {package for one in new for package in _packages(one)}) - found
    return frozenset(found)


def _packages(module: str) -> Iterator[str]:
    parts = module.split(".")
    return (".".join(parts[:place]) for place in range(1, len(parts)))


@cache
def _modules(top: str) -> frozenset[str]:
    """The modules of a package, or one of none."""
    origin, found = _origin(top), {top}
    folders = [(top, origin.parent)] if origin.name == "__init__.py" else []
    for name, folder in folders:
        for path in folder.iterdir():
            if path.suffix == ".py" and path.name != "__init__.py":
                found.add(f"{name}.{path.stem}")
            elif (path / "__init__.py").is_file():
                found.add(f"{name}.{path.name}")
                folders.append((f"{name}.{path.name}", path))
    return frozenset(found)


@cache
def _source(module: str) -> Path:
    top, *inner = module.split(".")
    if not inner:
        return _origin(top)
    path = _origin(top).parent.joinpath(*inner)
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def _origin(top: str) -> Path:
    """The file of a package or of a module of none."""
    spec = find_spec(top)
    if spec is None or not (spec.origin or "").endswith(".py"):
        raise _unknown(top)
    return Path(str(spec.origin))


def _unknown(module: str) -> UserError:
    return UserError(
        f"{module}: no such module; correct the name of the component, and give each folder of "
        "the package an __init__.py"
    )


@cache
def _resources(module: str) -> frozenset[Path]:
    """The packaged files that a module's own code names."""
    source = _source(module)
    found: set[Path] = set()
    for name, package in json.loads(_cached(source, _named, "resources")):
        found.update(_files_of(resource(name, package)))
    return frozenset(found)


def _named(source: Path) -> str:
    """The constants by which a module asks for packaged files: names and packages, as JSON."""
    named = []
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Call) and _called(node.func) in RESOURCE_CALLS:
            constants = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            own = [a.id for a in node.args if isinstance(a, ast.Name) and a.id == "__package__"]
            if constants:
                named.append([constants[0], _package_of(source) if own else ""])
    return json.dumps(named)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _package_of(source: Path) -> str:
    parts, folder = [], source.parent
    while (folder / "__init__.py").exists():
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts))


def _files_of(path: Path) -> list[Path]:
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


@cache  # of many digests' files
def _short(path: Path) -> str:
    """A path without the part that differs between machines."""
    root = resource("")
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


@cache  # of many digests' files
def _file_digest(path: Path) -> str:
    """A digest of what a file means: code without comments and docstrings, YAML as its values."""
    return _cached(path, _meaning, "digest")


def _meaning(path: Path) -> str:
    hasher = hashlib.sha256()
    if path.suffix == ".py":
        for word in _skeleton(ast.parse(path.read_bytes())):
            hasher.update(word.encode("utf-8", "surrogatepass") + b"\0")
    elif path.suffix in (".yaml", ".yml"):
        hasher.update(repr(yaml.safe_load(path.read_text(encoding="utf-8"))).encode())
    else:
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


def _skeleton(node: ast.AST) -> Iterator[str]:
    """The words of a syntax tree, without docstrings, places and what Python versions add."""
    yield type(node).__name__
    for name, value in ast.iter_fields(node):
        if name in ("ctx", "kind", "type_comment", "type_ignores") or value is None or value == []:
            continue
        yield name
        members = value if isinstance(value, list) else [value]
        for member in members[_has_docstring(node) if name == "body" else 0 :]:
            if isinstance(member, ast.AST):
                yield from _skeleton(member)
            else:
                yield repr(member)
        yield "end"


def _has_docstring(node: ast.AST) -> bool:
    holds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, holds) and ast.get_docstring(node, clean=False) is not None


# --- what was found of a file is kept, by its content ----------------------------------------


def _cached(path: Path, find: Callable[[Path], str], kind: str) -> str:
    key = f"{kind}/{path.suffix}/{_content(path)}"
    known = _known()
    if key not in known:
        known[key] = find(path)
        atexit.unregister(_keep)
        atexit.register(_keep)
    return known[key]


@cache  # of which several kinds are found
def _content(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _known() -> dict[str, str]:
    known: dict[str, str] = {}
    with suppress(OSError, ValueError):
        known = json.loads(_cache_file().read_text(encoding="utf-8"))
    return known


def _keep() -> None:
    """Writes what was found of files beside the user's other caches, where that is allowed."""
    with suppress(OSError):
        write_text(_cache_file(), canonical_json(_known()))


def _cache_file() -> Path:
    return cache_folder() / f"digests-{SCHEME}-{os.getuid()}.json"
