"""The judge's prompt of FollowBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.judging.released_prompt import filled, program, texts_of

PINNED = facts("followbench/released.yaml")["judge"]
# Which texts of a category's function make the prompt about one constraint, and about more.
OF_ONE = slice(0, 8)
OF_MORE = slice(8, 18)


def prompt(inputs: Mapping[str, Path], benchmark: str, url: str) -> str:
    """Returns the prompts of a language's program as a template with a section for each."""
    source = program(url, benchmark)
    sections = []
    for category in PINNED["categories"]:
        name = PINNED["name"].format(category=category)
        texts = texts_of(source, name, OF_MORE.stop, url)
        for level in LEVELS:
            sections.append(f"=== for {category} {level} ===\n{_prompt(texts, level)}\n")
    return "".join(sections)


def _prompt(texts: Sequence[str], level: int) -> str:
    """A category's prompt at a level, in the order in which its function joins its texts."""
    if level == 1:
        opening, start, gap, step, step_gap, answer, answer_gap, task = texts[OF_ONE]
        further = ""
    else:
        numbers = {"": str(level), "level": str(level)}
        *parts, next_step, next_gap, answer, answer_gap, task = texts[OF_MORE]
        opening, start, gap, step, step_gap = parts
        further = ""
        for n in range(2, level + 1):
            further += f"{filled(next_step, {'': str(n)})}{{{{step_{n}}}}}{next_gap}"
        opening, answer, task = (filled(text, numbers) for text in (opening, answer, task))
    return (
        f"{opening}{start}{{{{start}}}}{gap}{step}{{{{step_1}}}}{step_gap}{further}"
        f"{answer}{{{{answer}}}}{answer_gap}{task}"
    )
