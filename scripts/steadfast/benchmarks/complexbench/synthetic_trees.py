"""What a synthetic instruction is made of: blocks, chains of them, and selections between them."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.taxonomy import LANGUAGES

Texts = dict[str, str]
"""A text in each language."""
MATERIAL: Record = facts("complexbench/synthetic.yaml")
_SENTENCE = re.compile(r"(?:^|(?<=\. )|(?<=\n))[a-z]")


@dataclass(frozen=True)
class Block:
    """A task and the constraints on it, each with its texts; constraints may have a rule."""

    task: Record
    constraints: tuple[Record, ...]


@dataclass(frozen=True)
class Chain:
    """Blocks of which each goes on from the one before."""

    steps: tuple[Block, ...]


@dataclass(frozen=True)
class Selection:
    """A branch for each of the first values of a condition."""

    condition: Record
    branches: tuple["Node", ...]


Node = Block | Chain | Selection


class Grower:
    """Grows trees; constraints come in turn, so that none is left out."""

    def __init__(self, seed: int):
        order = random.Random(f"{seed}/complexbench")
        judged = [{"dimension": name, "rule": None, **c} for name, c in MATERIAL["judged"].items()]
        ruled = list(MATERIAL["ruled"])
        order.shuffle(judged)
        order.shuffle(ruled)
        self._judged, self._ruled = cycle(judged), cycle(ruled)

    def tree(self, shape: Record, tasks: Iterator[Record], rng: random.Random) -> Node:
        """A tree of a shape of ``synthetic.yaml``; its conditions differ."""
        conditions = iter(rng.sample(MATERIAL["conditions"], len(MATERIAL["conditions"])))

        def grown(shape: Record) -> Node:
            if "chain" in shape:
                steps = (step["block"] for step in shape["chain"])
                return Chain(tuple(self._block(step, next(tasks), rng) for step in steps))
            if "select" in shape:
                condition = next(conditions)
                return Selection(condition, tuple(grown(branch) for branch in shape["select"]))
            return self._block(shape["block"], next(tasks), rng)

        return grown(shape)

    def _block(self, numbers: list[int], task: Record, rng: random.Random) -> Block:
        ruled, judged = (
            [next(source) for _ in range(number)]
            for source, number in zip((self._ruled, self._judged), numbers, strict=True)
        )
        # One opening and one ending, and no word twice: constraints must not contradict each other.
        words = iter(rng.sample(MATERIAL["words"], len(MATERIAL["words"])))
        opening, ending = rng.choice(MATERIAL["openings"]), rng.choice(MATERIAL["endings"])
        topic = rng.choice(MATERIAL["topics"])

        def filled(record: Record) -> Record:
            key, other_key = rng.sample(MATERIAL["keys"], 2)
            slots = {"opening": opening, "ending": ending, "key": key, "other_key": other_key}
            slots |= {name: next(words) for name in ("word", "other", "third")}
            return _filled(record, slots, topic)

        return Block(_filled(task, {}, topic), tuple(filled(part) for part in ruled + judged))


def _filled(record: Record, slots: Texts, topic: Texts) -> Record:
    """A record's texts with their slots filled: topics are translated, what rules want is not."""

    def fill(text: str, language: str) -> str:
        for slot, value in {**slots, "topic": topic[language]}.items():
            text = text.replace(f"{{{slot}}}", value)
        return text

    filled = {language: fill(record[language], language) for language in LANGUAGES}
    rule = {"rule": fill(record["rule"], "zh")} if record.get("rule") else {}
    return {**record, **filled, **rule}


def paths(node: Node) -> Iterator[tuple[int, ...]]:
    """All paths through a tree, each as the branches taken, outermost first."""
    if not isinstance(node, Selection):
        yield ()
        return
    for number, branch in enumerate(node.branches):
        yield from ((number, *path) for path in paths(branch))


def stated(node: Node, path: tuple[int, ...]) -> Iterator[tuple[Record, int]]:
    """Every condition of a tree with the number of its value: on the path, the branch's."""
    if isinstance(node, Selection):
        yield node.condition, path[0] if path else 0
        for number, branch in enumerate(node.branches):
            yield from stated(branch, path[1:] if path and number == path[0] else ())


def composition_types(node: Node) -> set[str]:
    """The composition types that a tree is an example of."""
    if isinstance(node, Block):
        return {"And"} if len(node.constraints) > 1 else set()
    parts = node.steps if isinstance(node, Chain) else node.branches
    below = set().union(*(composition_types(part) for part in parts))
    return below | {"Chain" if isinstance(node, Chain) else "Selection"}


def text(node: Node, language: str) -> str:
    """The words of a whole tree, whatever branch is taken."""
    wording = MATERIAL["wording"][language]
    if isinstance(node, Block):
        if not node.constraints:
            return node.task[language]
        constraints = wording["between"].join(part[language] for part in node.constraints)
        return wording["block"].format(task=node.task[language], constraints=constraints)
    if isinstance(node, Chain):
        return "".join(
            wording["next" if number else "first"].format(text=text(step, language))
            for number, step in enumerate(node.steps)
        )
    return wording["between"].join(
        wording["nested" if isinstance(branch, Selection) else "branch"].format(
            subject=node.condition[language], value=value[language], text=text(branch, language)
        )
        for value, branch in zip(node.condition["values"], node.branches, strict=False)
    )


def worded(form: str, language: str, **slots: str) -> str:
    """A wording of ``synthetic.yaml`` in a language, with its slots filled."""
    text = MATERIAL["wording"][language][form].format(**slots)
    return _SENTENCE.sub(lambda letter: letter[0].upper(), text) if language == "en" else text
