"""The form of a judge's reply as a JSON schema, where its engine can be held to one."""

from collections.abc import Sequence

from steadfast.base.files import Record

REASONS: Record = {"type": "string"}


def json_object(**properties: Record) -> Record:
    """Returns the schema of an object with these properties and no others, in this order.

    What OpenAI's Structured Outputs take: every property is required.
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def one_of(*values: str | int) -> Record:
    """Returns the schema of a value that is one of some, all texts or all numbers.

    >>> one_of("yes", "no"), one_of(1, 0)
    ({'type': 'string', 'enum': ['yes', 'no']}, {'type': 'integer', 'enum': [1, 0]})
    """
    return {"type": "string" if isinstance(values[0], str) else "integer", "enum": list(values)}


def numbered(items: Sequence[Record]) -> Record:
    """Returns the schema of an object with an item for each number from 1 on.

    >>> numbered([one_of(1, 0), REASONS])["properties"]
    {'1': {'type': 'integer', 'enum': [1, 0]}, '2': {'type': 'string'}}
    """
    return json_object(**{str(number): item for number, item in enumerate(items, start=1)})
