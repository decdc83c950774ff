"""Groups of documents in an MF answer: lists of lists, or lines, bullets and tables of values."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, NamedTuple

from steadfast.benchmarks.lifbench.rubric import facts, parsing
from steadfast.benchmarks.lifbench.rubric.corrected import reading
from steadfast.benchmarks.lifbench.rubric.text import folded

Row = tuple[str | None, ...]
Group = list[Row]

# A bracket, or a string that may hold some; an unclosed string ends with its line.
_TOKEN = re.compile(r"""[\[\]]|"(?:[^"\\\n]|\\.)*"?|(?<=[\[, ])'(?:[^'\\\n]|\\.)*'(?=\s*[\],])""")
# A word for a missing value, or what looks like an identifier or a date but is not a document's.
_OTHER = re.compile(r"\b(?:(none|null|n/a)\b|(?!doc|group)(?=[a-z_-]*[0-9])[\w-]{8,})")
_NEXT_ROW = re.compile(r"[;)\]]")
_NEXT_GROUP = re.compile(r"\]\s*\].*\[|\][^\[\]]*:\s*\[|[.!?]\s|\b[0-9]+\s*[:.)]")
_OPENING = re.compile(r"[\[{]")
_WORD = re.compile(r"\w+")
_BULLET = re.compile(r"[-*•+]\s|[0-9]+[.)]\s")


class GroupPart(NamedTuple):
    """A bracketed part of an answer; one that is cut was read as far as its last inner list."""

    is_json: bool  # whether it is JSON, None being let pass
    value: Any  # what it says; None where it cannot be read
    is_cut: bool = False

    @property
    def is_group(self) -> bool:
        """Whether it is a list of lists, and these hold neither lists nor objects."""
        return _is_lists(self.value) and not reading.containers(chain.from_iterable(self.value))


def parts_of(line: str) -> list[GroupPart]:
    """Returns the parts of a line from each ``[`` to its ``]``, brackets in strings apart."""
    parts = []
    position = 0
    while (start := line.find("[", position)) >= 0:
        depth = 0
        inner_end = start  # of the last inner list that is complete
        for token in _TOKEN.finditer(line, start):
            depth += (token[0] == "[") - (token[0] == "]")
            if depth == 1 and token[0] == "]":
                inner_end = token.end()
            if depth == 0:
                position = token.end()
                parts.append(_read(line[start:position]))
                break
        else:  # the list is never closed: the response was cut
            if inner_end > start:
                value = _read(line[start:inner_end] + "]").value
                parts.append(GroupPart(False, value, is_cut=True))
            break
    return parts


def _read(text: str) -> GroupPart:
    is_json, value = reading.json_with_none(text)
    if not is_json:
        _, value = reading.read_value(text)
    return GroupPart(is_json, value)


def groups_of(response: str, lines: list[list[GroupPart]], keys: Sequence[str]) -> list[Group]:
    """Returns the groups of documents that an answer gives, each document as its entries.

    Read are lists of lists, one after another or together in one more list or object. Lists that
    are in no other, and hold none, make a group with those of their line. A document may be an
    object of its fields.
    """
    # Lists that go on over several lines leave brackets open in more than one line.
    unbalanced = sum(line.count("[") != line.count("]") for line in response.split("\n"))
    if unbalanced > 1:
        lines = [parts_of(response)]
    value = _outermost(response, keys) if "\n" in response or "{" in response else None
    groups = _groups(value) if value else []
    for parts in lines if not value else ():
        groups += _groups([_lists(part.value, keys) for part in parts])
    return groups if len(keys) > 1 else _of_one_field(groups)


def _of_one_field(groups: list[Group]) -> list[Group]:
    """Returns groups of documents that have one field each: every entry is a document."""
    rows = list(chain.from_iterable(groups))
    # A list of several values is a group then, if all lists have several.
    if rows and min(map(len, rows)) > 1:
        groups = [[row] for row in rows]
    documents: list[Group] = []
    for group in groups:
        documents.append([(entry,) for entry in chain.from_iterable(group)])
    return documents


def _outermost(response: str, keys: Sequence[str]) -> list[Any] | None:
    """Returns the list, or the object in a list, from an answer's first bracket to its last."""
    first = _OPENING.search(response)
    end = max(map(response.rfind, "]}")) + 1
    if first is None:
        return None
    value = _lists(_read(response[first.start() : end]).value, keys)
    return value if isinstance(value, list) else None


def _lists(value: Any, keys: Sequence[str], depth: int = 6) -> Any:
    """Returns a value with the values of each object for the object, as deep as groups can be."""
    if isinstance(value, dict):
        if not value.keys().isdisjoint(keys):
            return list(map(value.get, keys))
        inner = reading.containers(value.values())
        if len(inner) == 1 and depth:
            return _lists(inner[0], keys, depth - 1)
        value = inner or list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return [_lists(item, keys, depth - 1) for item in value]
    return value


def _groups(values: list[Any]) -> list[Group]:
    """Returns the groups in values; those that are in no list of their own are the last group."""
    listed_groups = []
    loose_rows = []
    for value in values:
        if not _is_lists(value):
            loose_rows.append(value)
        elif all(map(_is_lists, value)):
            listed_groups += value
        else:
            listed_groups.append(value)
    groups = []
    for group in [*listed_groups, loose_rows]:
        rows = [as_row(row) for row in group if row]
        if rows:
            groups.append(rows)
    return groups


def _is_lists(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and parsing.all_of(list, value)


def as_row(entries: Any) -> Row:
    """Returns a document's entries as they are compared."""
    return tuple(map(as_entry, entries if isinstance(entries, list) else [entries]))


def without_names(groups: list[Group], keys: Sequence[str], values: Container[str]) -> list[Group]:
    """Returns groups without the fields' names that stand before values of the documents."""
    names = list(map(folded, keys))

    def unnamed(entry: str | None) -> str | None:
        if entry is None or entry in values:
            return entry
        name, sign, value = entry.partition(":" if ":" in entry else "=")
        return as_entry(value.strip()) if sign and name.strip() in names else entry

    unnamed_groups = []
    for group in groups:
        unnamed_groups.append([tuple(map(unnamed, row)) for row in group])
    return unnamed_groups


def as_entry(value: Any) -> str | None:
    """Returns a field's value as it is compared; null, None and these words as text are None."""
    if value is None:
        return None
    text = folded(parsing.as_text(value) or "")
    return None if text in ("none", "null") else text


class Value(NamedTuple):
    """A field's value in an answer."""

    fields: tuple[int, ...]  # indices of the fields that have it; none if no document has it
    text: str | None  # the value, folded; None for a missing one
    before: str  # what stands between it and the value before, or the beginning of its line


def written_groups(response: str, known: facts.FieldValues) -> list[Group]:
    """Returns the groups of two or more documents that an answer's lines name.

    A line with several documents is a group; so are lines of one each that follow each other.
    """
    lines = []
    parts: list[Group] = []
    for line in response.split("\n"):
        lines.append(list(_values(folded(line), known)))
        parts += _parts(lines[-1], known.width)
    if max(map(len, parts)) < 2:
        parts = []
        # Lines without values stand between groups.
        for has_values, run in groupby(lines, bool):
            parts += _of_lines(list(run), known) if has_values else []
    groups = [list(filter(known.identifies, part)) for part in parts]
    return [group for group in groups if sum(map(known.holds, group)) > 1]


def _values(line: str, known: facts.FieldValues) -> Iterator[Value]:
    """Yields the values in a line: those of documents, and what looks like one in between."""
    document_end = 0  # end of the last value of a document
    last_end = 0  # end of the last value of any kind
    for key, start, end in [*known.finder.spans(line), ("", len(line), len(line))]:
        for unknown in _OTHER.finditer(line, document_end, start):
            text = None if unknown[1] else unknown[0]
            yield Value((), text, line[last_end : unknown.start()])
            last_end = unknown.end()
        if key:
            fields, text = known.by_core[key]
            yield Value(fields, text, line[last_end:start])
        document_end = end
        last_end = end


def _parts(line: list[Value], width: int) -> Iterator[Group]:
    """Yields the documents of a line, apart where a number, stop or brackets begin a group."""
    part: list[Value] = []
    for value in line:
        if part and _NEXT_GROUP.search(value.before):
            yield list(_rows(part, width))
            part = []
        part.append(value)
    yield list(_rows(part, width))


def _of_lines(lines: list[list[Value]], known: facts.FieldValues) -> list[Group]:
    """Returns the groups in lines that follow each other, by a column before the documents."""
    if known.width > 1 and max(map(len, lines)) == 1:
        # A document goes over several lines, one for each of its fields.
        return [list(_rows(chain.from_iterable(lines), known.width))]
    documents: Group = []
    by_column: list[Group] = []
    column: list[str] = []
    for line in lines:
        words = [word for word in _WORD.findall(line[0].before) if word not in known.names]
        # The column may be written for the first document of a group alone.
        if not by_column or (words and words != column):
            by_column.append([])
        column = words or column
        rows = list(_rows(line, known.width))
        by_column[-1] += rows
        documents += rows
    # A column that is different in each line numbers the documents and groups nothing.
    return by_column if len(by_column) < len(documents) else [documents]


def _rows(values: Iterable[Value], width: int) -> Iterator[Row]:
    """Yields documents of so many fields: the next begins where a field recurs, or at a sign."""
    row: dict[int, str | None] = {}
    last = -1
    for value in values:
        # A value that no document has is of the field behind the last one.
        fields = value.fields or (last + 1,)
        free = [field for field in fields if field < width and field not in row]
        if row and (not free or _NEXT_ROW.search(value.before) or _BULLET.match(value.before)):
            yield tuple(map(row.get, range(width)))
            row = {}
            free = list(value.fields or (0,))
        # A value of several fields is of the next in their order, else of the first.
        last = next((field for field in free if row and field > last), free[0])
        row[last] = value.text
    if row:
        yield tuple(map(row.get, range(width)))
