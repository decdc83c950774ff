"""A digest of all code that a rule depends on, computed from its imports.

A rule names the functions and components that its job calls. They depend on their modules, on all
that these import, and on the packaged data files that these name. Comments, docstrings, formatting
and time stamps change no digest; a change of code changes those of all rules that use it.
"""

import ast
import atexit
import hashlib
import json
import os
import symtable
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json, write_text
from steadfast.base.names import suggestion
from steadfast.base.provenance import digest_of
from steadfast.base.resources import LOADER, PACKAGE, PREFIX, resolve_path, resource
from steadfast.base.tokens import cache_folder
from steadfast.contract.components import Component

RESOURCE_CALLS = frozenset({"facts", "resource"})
# Nodes that may have a docstring, and fields of nodes that are no code.
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NO_CODE = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
# Version of the digests, and a part of each.
SCHEME = "4"


def digest(script: str, *used: str | Component[Any] | None) -> str:
    """The dependencies of a rule as one string for its params: names and a digest.

    ``used`` has the components and modules that the script's function loads by name, or None.
    """
    names: list[str] = []
    functions: set[str] = set()
    files: set[str] = set()
    for entry in used:
        if isinstance(entry, Component):
            names.append(entry.name)
            functions.update(entry.calls)
            files.update(entry.resources)
        elif entry:
            names.append(entry)
    names += sorted(functions)
    for name in names:
        _check_object(name)
    names = [script, *names]
    return f"{' '.join(names)} @ {_digest(tuple(names), tuple(sorted(files)))}"


@cache  # called for each job
def _digest(names: tuple[str, ...], files: tuple[str, ...]) -> str:
    paths = resources(*names)
    for name in files:
        paths.update(_files_of(resolve_path(PREFIX + name)))
    parts = {module: _contents(_source(module)).digest for module in modules(*names)}
    for path in paths:
        parts[_portable(path)] = _contents(path).digest
    code_digest = digest_of([SCHEME, parts])
    _PARTS[code_digest] = parts
    return code_digest


_PARTS: dict[str, dict[str, str]] = {}


def parts_of(code: str) -> dict[str, str]:
    """The modules and data files of a ``digest`` that this process has computed, by name."""
    return _PARTS.get(code.rpartition(" ")[2], {})


def modules(*names: str) -> set[str]:
    """Returns the modules that others depend on, directly or not, by ``module[:object]``."""
    named = {name.rpartition(":")[0] or name for name in names}
    return set[str]().union(*map(_closure, named))


def resources(*names: str) -> set[Path]:
    """The packaged data files that these modules name."""
    return set[Path]().union(*map(_resources, modules(*names)))


@cache  # called for each job
def _check_object(name: str) -> None:
    """Raises UserError where a module has no object of the name that a component gives."""
    module, _, attribute = name.rpartition(":")
    if not module or "." in attribute:
        return
    contents = _contents(_source(module))
    imports_all = any(imported.endswith("*") for imported in contents.imports)
    if attribute not in contents.objects and not imports_all:
        raise UserError(f"{module} has no {attribute!r}; {suggestion(attribute, contents.objects)}")


# --- modules and the files that they name ------------------------------------------------------


@cache
def _closure(module: str) -> frozenset[str]:
    """A module and all that it imports, directly or not."""
    closure: set[str] = set()
    pending = {module}
    while pending:
        closure |= pending
        imported = set().union(*map(_imported, pending))
        pending = imported - closure
    return frozenset(closure)


@cache
def _imported(module: str) -> frozenset[str]:
    """The modules of this package, and of its own, that a module imports.

    To import a module is to import the packages that it is in.
    """
    names = set(_with_packages(module))
    for name in _contents(_source(module)).imports:
        names.update(_with_packages(resolve_name(name, _package(module))))
    return frozenset(names) & (_sources(PACKAGE.name).keys() | _sources(_top(module)).keys())


def _with_packages(module: str) -> Iterator[str]:
    """A module's name, and those of the packages that it is in."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def _top(module: str) -> str:
    return module.partition(".")[0]


def _package(module: str) -> str:
    """The package that a module is in, or that it is."""
    return module if _source(module).name == "__init__.py" else module.rpartition(".")[0]


def _source(module: str) -> Path:
    """The file of a module."""
    source = _sources(_top(module)).get(module)
    if source is None:
        raise _unknown(module)
    return source


@cache
def _sources(top: str) -> Mapping[str, Path]:
    """The files of a package's modules, or of a module of none, by the modules' names."""
    spec = find_spec(top)
    if spec is None or not (spec.origin or "").endswith(".py"):
        raise _unknown(top)
    origin = Path(str(spec.origin))
    if origin.name != "__init__.py":
        return {top: origin}
    sources = {}
    for path in origin.parent.rglob("*.py"):
        module = ".".join(path.relative_to(origin.parents[1]).with_suffix("").parts)
        sources[module.removesuffix(".__init__")] = path
    return sources


def _unknown(module: str) -> UserError:
    return UserError(
        f"{module}: no such module; correct the name of the component, and make sure that each "
        "folder of the package has an __init__.py"
    )


@cache
def _resources(module: str) -> frozenset[Path]:
    """The packaged files that a module's own code names."""
    paths: set[Path] = set()
    for name, is_of_package in _contents(_source(module)).resources:
        paths.update(_files_of(resource(name, _package(module) if is_of_package else "")))
    return frozenset(paths)


def _files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file())


def _portable(path: Path) -> str:
    """A path without the part that differs between machines."""
    root = resource("")
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


# --- one file ----------------------------------------------------------------------------------


class Contents(NamedTuple):
    """The relevant contents of a file: its digest, imports, data files and names.

    Attributes:
        digest: of code without comments and docstrings, of YAML's values, or of any file's bytes.
        imports: names or modules that the code imports, relative ones with their dots.
        resources: packaged files that it names by a constant, each with whether they are of the
            module's own package.
        objects: the names of the module's own scope.
    """

    digest: str
    imports: Sequence[str] = ()
    resources: Sequence[tuple[str, bool]] = ()
    objects: Sequence[str] = ()

    @classmethod
    def read(cls, suffix: str, content: bytes) -> "Contents":
        """Reads a file with this suffix."""
        if suffix == ".py":
            return cls._of_code(content)
        if suffix in (".yaml", ".yml"):
            content = repr(yaml.load(content, LOADER)).encode()
        return cls(_digest_of(content))

    @classmethod
    def _of_code(cls, content: bytes) -> "Contents":
        tree = ast.parse(content)
        imports: set[str] = set()
        named_files = []
        for node in _nodes_that_run(tree):
            if isinstance(node, ast.Import):
                imports.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):  # names, or modules of a package
                module = "." * node.level + (node.module or "")
                dot = "." if node.module else ""
                imports.add(module)
                imports.update(f"{module}{dot}{alias.name}" for alias in node.names)
            elif isinstance(node, ast.Call) and _last_name(node.func) in RESOURCE_CALLS:
                is_of_package = "__package__" in map(_last_name, node.args)
                constants = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
                if constants:
                    named_files.append((str(constants[0]), is_of_package))
        code = _without_comments(tree).encode("utf-8", "surrogatepass")
        # Bytes are accepted too, with their encoding declaration, as by ast.parse.
        scope = symtable.symtable(content, "module", "exec").get_symbols()  # type: ignore[arg-type]
        objects = [name.get_name() for name in scope if name.is_assigned() or name.is_imported()]
        return cls(_digest_of(code), sorted(imports), named_files, sorted(objects))


def _nodes_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of code, but for what only type checkers read."""
    nodes = [tree]
    for node in nodes:
        yield node
        if isinstance(node, ast.If) and _last_name(node.test) == "TYPE_CHECKING":
            nodes += node.orelse
        else:
            nodes += ast.iter_child_nodes(node)


def _last_name(expression: ast.expr) -> str:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def _without_comments(tree: ast.AST) -> str:
    """The nodes of a syntax tree that run, without docstrings, places and empty fields.

    Which empty fields a tree has differs between versions of Python. The tree is changed.
    """
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        for name, value in list(ast.iter_fields(node)):
            if name in NO_CODE or value is None or value == []:
                delattr(node, name)
    return ast.dump(tree)


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@cache
def _contents(path: Path) -> Contents:
    """A file's contents, which are kept from run to run by the bytes that they were read from."""
    content = path.read_bytes()
    key = f"{path.suffix}/{hashlib.sha256(content).hexdigest()}"
    cached = _cached_contents()
    if key not in cached:
        cached[key] = Contents.read(path.suffix, content)
        atexit.unregister(_write_cache)  # registered once, whatever the number of new files
        atexit.register(_write_cache)
    return Contents(*cached[key])


@cache
def _cached_contents() -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):  # a damaged cache is made anew
        cached = json.loads(_cache_file().read_text(encoding="utf-8"))
        return cached if isinstance(cached, dict) else {}
    return {}


def _write_cache() -> None:
    """Writes them beside the user's other caches, where that is allowed."""
    with suppress(OSError):
        write_text(_cache_file(), canonical_json(_cached_contents()))


def _cache_file() -> Path:
    # What other code of this module read is none of its own reading.
    reader = _digest_of(Path(__file__).read_bytes())
    return cache_folder() / f"digests-{reader}-{os.getuid()}.json"
