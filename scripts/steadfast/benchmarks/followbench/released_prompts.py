"""The judge's prompt of FollowBench's released program, as a template; fetched, not kept here."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.judging.released_prompt import fill_slots, program, texts_of

PINNED = facts("followbench/released.yaml")["judge"]
# The texts of a category's function for the prompt about one constraint, and about several.
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
            text = _prompt(texts[OF_ONE if level == 1 else OF_MORE], level)
            sections.append(f"=== for {category} {level} ===\n{text}\n")
    return "".join(sections)


def _prompt(texts: Sequence[str], level: int) -> str:
    """A category's prompt at a level, in the order in which its function joins its texts."""
    numbers = {"": str(level), "level": str(level)}
    opening, start, gap, step, step_gap, *next_step, answer, answer_gap, task = texts
    path = f"{start}{{{{start}}}}{gap}{step}{{{{step_1}}}}{step_gap}"
    for n in range(2, level + 1):
        next_text, next_gap = next_step
        path += f"{fill_slots(next_text, {'': str(n)})}{{{{step_{n}}}}}{next_gap}"
    question = f"{fill_slots(answer, numbers)}{{{{answer}}}}{answer_gap}{fill_slots(task, numbers)}"
    return f"{fill_slots(opening, numbers)}{path}{question}"
