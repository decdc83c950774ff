"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

from tabulate import tabulate

ALIGN = {"l": "left", "c": "center", "r": "right"}


def markdown_table(
    head: Sequence[str], rows: Iterable[Sequence[object]], align: str = "", padded: bool = True
) -> str:
    """A table; the caller escapes the cells.

    Args:
        head: of each column.
        rows: cells of each row.
        align: l, c or r for each column; by default Markdown's own.
        padded: whether columns are aligned as plain text too.
    """
    if not padded:
        lines = [f"| {' | '.join(map(str, row))} |" for row in [head, *rows]]
        lines.insert(1, "|" + "---|" * len(head))
        return "\n".join(lines)
    rows = list(rows)
    return tabulate(
        rows,
        headers=head,
        tablefmt="pipe" if align else "github",
        colalign=[ALIGN[column] for column in align] if rows and align else None,
        disable_numparse=True,  # "1.50" stays as it is
    )
