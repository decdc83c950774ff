"""A judge's prompt out of a benchmark's released program: its text is put together, nothing is run.

The programs write a prompt as a text with places to fill, or as a function that joins texts. What
is read here is no more than that takes; whatever else stands in such a place is refused. The commit
in a program's address says what it holds, so that nothing here has to bound what a prompt may be.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.pinned import download


class _Places(Formatter):
    """Fills places by name or number; no attribute of anything is read."""

    def get_field(self, name: str, args: Any, named: Any) -> tuple[Any, str]:
        return self.get_value(int(name) if name.isdigit() else name, args, named), name


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
                    return _Places().vformat(_value(value, {}), (), dict(given))
        raise ValueError("it is not there")
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
                names[name] += _value(value, names)
            case ast.If(test=test, body=then, orelse=other):
                if (found := _result(then if _value(test, names) else other, names)) is not None:
                    return found
            case ast.For(target=ast.Name(id=name), iter=over, body=inner, orelse=[]):
                for one in _value(over, names):
                    names[name] = one
                    if (found := _result(inner, names)) is not None:
                        return found
            case ast.Return(value=ast.expr() as value):
                return _value(value, names)
            case ast.Expr(value=ast.Constant()):  # a docstring
                pass
            case _:
                raise ValueError(f"line {node.lineno} is none of a prompt")
    return None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left, names) + _value(right, names)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _value(left, names) - _value(right, names)
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _value(left, names) == _value(right, names)
        case ast.Subscript(value=of, slice=place):
            return _value(of, names)[_value(place, names)]
        case ast.JoinedStr(values=parts):
            return "".join(str(_value(part, names)) for part in parts)
        case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
            return _value(value, names)
        case ast.Call(func=ast.Name(id="len"), args=[one], keywords=[]):
            return len(_value(one, names))
        case ast.Call(func=ast.Name(id="range"), args=bounds, keywords=[]):
            return range(*(_value(bound, names) for bound in bounds))
        case ast.Call(func=ast.Attribute(value=text, attr="format"), args=args, keywords=named):
            by_name = {str(one.arg): _value(one.value, names) for one in named}
            filled = [_value(one, names) for one in args]
            return _Places().vformat(_value(text, names), filled, by_name)
    raise ValueError(f"line {node.lineno} is none of a prompt")
