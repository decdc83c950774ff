"""How readable the code is, by counts of what slows a reader down: python bench/style.py [--goals].

For each package of scripts/steadfast and for all together, or for folders that are named: assigned
names that do not say what a value is (share of all assigned names), comprehensions and assignments
of several values in one statement (a 100 lines), lines of comments and of imports (share of lines).
"""

import argparse
import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1] / "scripts/steadfast"
VAGUE = frozenset(
    """found of its own one known both these there here more others rest said given taken shown
    whole made how least most told kept wanted asked""".split()  # noqa: SIM905
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# The base of each percentage, and its goal: at least, at most.
MEASURES = {
    "vague": ("names", 0, 1),
    "comprehensions": ("lines", 0, 2),
    "tuples": ("lines", 0, 0.1),
    "comments": ("lines", 3, 100),
    "imports": ("lines", 0, 6),
}


def style_counts(text: str) -> Counter[str]:
    """The counts of a module's source text, with its ``lines`` and assigned ``names``."""
    counts = Counter(lines=text.count("\n"))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        counts["comments"] += token.type == tokenize.COMMENT
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, COMPREHENSIONS):
            counts["comprehensions"] += 1
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            counts["tuples"] += isinstance(node.value, ast.Tuple | ast.GeneratorExp)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            counts["names"] += 1
            counts["vague"] += node.id in VAGUE
        elif isinstance(node, ast.Import | ast.ImportFrom):
            counts["imports"] += node.end_lineno - node.lineno + 1
    return counts


def table_row(name: str, counts: Counter[str], goals: bool) -> str:
    """A package's row; with goals, an asterisk follows each percentage that misses its goal."""
    row = f"{name:<14}{counts['lines']:>8,}"
    for measure, (base, low, high) in MEASURES.items():
        percentage = 100 * counts[measure] / max(counts[base], 1)
        row += f"{percentage:>15.2f}" + ("*" if goals and not low <= percentage <= high else " ")
    return row.rstrip()


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="How readable the code is, by counts.")
    parser.add_argument("folders", nargs="*", type=Path, help="in place of all packages")
    parser.add_argument("--goals", action="store_true", help="mark with * what misses its goal")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    print(f"{'package':<14}{'lines':>8}" + " ".join(f"{measure:>15}" for measure in MEASURES))
    for folder in arguments.folders or sorted(
        path.parent for path in PACKAGES.glob("*/__init__.py")
    ):
        counts: Counter[str] = Counter()
        for path in sorted(folder.rglob("*.py")):
            counts += style_counts(path.read_text(encoding="utf-8"))
        print(table_row(folder.name, counts, arguments.goals))
        total += counts
    print(table_row("all", total, arguments.goals))


if __name__ == "__main__":
    main()
