"""A judge's prompt out of a benchmark's released program: its text is put together, nothing is run.

The programs write a prompt as a text with places to fill, or as a function that joins texts. What
is read here is no more than that takes; whatever else stands in such a place is refused.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.pinned import download

LONGEST = 100_000  # characters of a prompt, and steps of a loop


class _UnknownError(ValueError):
    """Something that no prompt needs."""


def fetched(
    inputs: Mapping[str, Path],
    benchmark: str,
    url: str,
    name: str,
    slots: Sequence[str] | Mapping[str, str],
) -> str:
    """Returns a prompt of a benchmark's program as a template, with slots for ``given`` below."""
    marks: Any = [f"{{{{{slot}}}}}" for slot in slots]
    if isinstance(slots, Mapping):
        marks = {place: f"{{{{{slot}}}}}" for place, slot in slots.items()}
    return prompt_of(program(url, benchmark), name, marks, url)


def program(url: str, benchmark: str) -> str:
    """Returns a benchmark's released program, which the commit in its address identifies."""
    alternative = f"name a file with the prompt under {benchmark}.templates"
    return download({"url": url}, alternative).decode("utf-8")


def prompt_of(source: str, name: str, given: Sequence[Any] | Mapping[str, Any], where: str) -> str:
    """Returns the prompt that a program's function, or its text with places to fill, gives.

    Args:
        source: the program, in Python.
        name: of the function, or of what a lambda or a text is assigned to at the top.
        given: a function's arguments in order (texts, lists of texts), or a text's by name.
        where: what the program is called in errors.

    Raises:
        UserError: the program has no such name, or does there what no prompt needs.
    """
    try:
        for node in ast.parse(source).body:
            match node:
                case ast.FunctionDef(name=found, args=taken, body=body) if found == name:
                    return str(_result(body, _named(taken, given)))
                case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                    if isinstance(value, ast.Lambda):
                        return str(_value(value.body, _named(value.args, given)))
                    return _filled(_value(value, {}), [], dict(given))
        raise _UnknownError("it is not there")
    except (ValueError, TypeError, LookupError, SyntaxError, RecursionError) as error:
        raise UserError(
            f"{where}: {name} could not be read as a prompt ({error}); name a file with the prompt "
            "under templates"
        ) from None


def _named(taken: ast.arguments, given: Iterable[Any]) -> dict[str, Any]:
    return dict(zip((arg.arg for arg in taken.args), given, strict=True))


def _result(body: Iterable[ast.stmt], names: dict[str, Any]) -> Any:
    """What a function's statements return; None where they end before."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names[name] = _value(value, names)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                names[name] = _short(names[name] + _value(value, names))
            case ast.If(test=test, body=then, orelse=other):
                if (found := _result(then if _value(test, names) else other, names)) is not None:
                    return found
            case ast.For(target=ast.Name(id=name), iter=over, body=inner, orelse=[]):
                for one in _value(over, names)[:LONGEST]:
                    names[name] = one
                    if (found := _result(inner, names)) is not None:
                        return found
            case ast.Return(value=ast.expr() as value):
                return _value(value, names)
            case ast.Expr(value=ast.Constant()):  # a docstring
                pass
            case _:
                raise _UnknownError(f"line {node.lineno} is none of a prompt")
    return None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _short(_value(left, names) + _value(right, names))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left, names) - _value(right, names)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _value(left, names) == _value(right, names)
        case ast.Subscript(value=of, slice=place):
            return _value(of, names)[_value(place, names)]
        case ast.JoinedStr(values=parts):
            return _short("".join(str(_value(part, names)) for part in parts))
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return _value(value, names)
        case ast.Call(func=ast.Name(id="len"), args=[one], keywords=[]):
            return len(_value(one, names))
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
            return range(*(_value(bound, names) for bound in bounds))
        case ast.Call(func=ast.Attribute(value=text, attr="format"), args=args, keywords=named):
            by_name = {str(one.arg): _value(one.value, names) for one in named}
            return _filled(_value(text, names), [_value(one, names) for one in args], by_name)
    raise _UnknownError(f"line {node.lineno} is none of a prompt")


def _filled(text: str, args: Sequence[Any], named: Mapping[str, Any]) -> str:
    """A text with its places filled, as ``str.format`` does; no attribute of anything is read."""
    parts, waiting = [], list(args)
    for literal, field, form, conversion in Formatter().parse(text):
        parts.append(literal)
        if field is not None:
            if form or conversion or (field and field not in named):
                raise _UnknownError(f"the place {field!r} is unknown")
            parts.append(str(named[field] if field else waiting.pop(0)))
    return str(_short("".join(parts)))


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST:
        raise _UnknownError(f"it has more than {LONGEST:,} characters")
    return value
