"""Lengths of contexts, by name, in any benchmark's section of the config."""

from steadfast.schema.strict import check_names

MAX_LENGTH = 2 * 1024 * 1024  # tokens


def checked_lengths(lengths: dict[str, int]) -> dict[str, int]:
    """Returns the token budget of each length, from the shortest on.

    Raises:
        ValueError: a name can name no file, or a budget is out of range.
    """
    check_names("length", lengths, dots=False)
    for name, budget in lengths.items():
        if not 512 <= budget <= MAX_LENGTH:
            raise ValueError(
                f"length {name}: a budget of {budget:,} tokens is not between 512 and "
                f"{MAX_LENGTH:,}"
            )
    return dict(sorted(lengths.items(), key=lambda item: item[1]))
