"""Seeded instances of our own in the released shape, which cover all that an instance may have.

An instruction is a tree of blocks (a task and its constraints), chains (blocks in turn) and
selections (branches of which a condition takes one). A selection gives a group of instances, one a
branch. The wording is data: ``resources/complexbench/synthetic.yaml``.
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, cycle
from pathlib import Path

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.data import records
from steadfast.benchmarks.complexbench.facts import LANGUAGES, taxonomy

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
        """Returns a tree of a shape of ``synthetic.yaml``; its conditions differ."""
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
    """Yields all paths through a tree, each as the branches taken, outermost first."""
    if not isinstance(node, Selection):
        yield ()
        return
    for number, branch in enumerate(node.branches):
        yield from ((number, *path) for path in paths(branch))


def stated(node: Node, path: tuple[int, ...]) -> Iterator[tuple[Record, int]]:
    """Yields every condition of a tree with the number of its value: on the path, the branch's."""
    if isinstance(node, Selection):
        yield node.condition, path[0] if path else 0
        for number, branch in enumerate(node.branches):
            yield from stated(branch, path[1:] if path and number == path[0] else ())


def composition_types(node: Node) -> set[str]:
    """Returns the composition types that a tree is an example of."""
    if isinstance(node, Block):
        return {"And"} if len(node.constraints) > 1 else set()
    parts = node.steps if isinstance(node, Chain) else node.branches
    below = set().union(*(composition_types(part) for part in parts))
    return below | {"Chain" if isinstance(node, Chain) else "Selection"}


def text(node: Node, language: str) -> str:
    """Returns the words of a whole tree, whatever branch is taken."""
    wording = MATERIAL["wording"][language]
    if isinstance(node, Block):
        if not node.constraints:
            return str(node.task[language])
        constraints = wording["between"].join(part[language] for part in node.constraints)
        return str(wording["block"].format(task=node.task[language], constraints=constraints))
    if isinstance(node, Chain):
        return "".join(
            wording["next" if number else "first"].format(text=text(step, language))
            for number, step in enumerate(node.steps)
        )
    between: str = wording["between"]
    return between.join(
        wording["nested" if isinstance(branch, Selection) else "branch"].format(
            subject=node.condition[language], value=value[language], text=text(branch, language)
        )
        for value, branch in zip(node.condition["values"], node.branches, strict=False)
    )


def data(
    inputs: Mapping[str, Path], language: str, extra: str | None, instances: int, seed: int
) -> list[Record]:
    """Returns so many generated instances; see ``generated``."""
    raw = generated(instances, seed)
    return records(raw, "synthetic instances", "synthetic", language, extra)


def generated(count: int, seed: int) -> list[Record]:
    """Returns so many instances; a group that would exceed the count is left out."""
    grower = Grower(seed)
    found: list[Record] = []
    for number, category in enumerate(cycle(MATERIAL["shapes"])):
        rng = random.Random(f"{seed}/complexbench/{number}")
        group = _group(grower, category, number, rng)
        if len(found) + len(group) <= count:
            found += group
        if len(found) == count:
            break
    return [{"main_id": number, **instance} for number, instance in enumerate(found)]


def _group(grower: Grower, category: str, number: int, rng: random.Random) -> list[Record]:
    """Returns the instances of one tree: one for each path that its conditions may open."""
    task_types = list(MATERIAL["tasks"])
    task_type = task_types[number % len(task_types)]
    others = list(MATERIAL["tasks"].values())
    rng.shuffle(others)
    tasks: Iterator[Record] = chain([MATERIAL["tasks"][task_type]], others)
    tree = grower.tree(MATERIAL["shapes"][category], tasks, rng)
    shared = {"group": f"synthetic_{number + 1}", "task_types": task_type, "category": category}
    return [
        {"idx_in_group": place, **shared, **_instance(tree, path)}
        for place, path in enumerate(paths(tree), start=1)
    ]


def _instance(tree: Node, path: tuple[int, ...]) -> Record:
    """Returns the instance of one path through a tree, in both languages."""
    zh, en = (_Writer(tree, path, language) for language in LANGUAGES)
    questions = [
        own | {"question_en": translated["question"]}
        for own, translated in zip(zh.questions, en.questions, strict=True)
    ]
    turns = {
        f"sub_instruction_{number}": {
            "instruction": own,
            "instruction_en": translated,
            "scoring_questions": [questions[point]["question"] for point in points],
        }
        for number, ((own, points), (translated, _)) in enumerate(
            zip(zh.turns, en.turns, strict=True)
        )
    }
    verified = chain(*(question["constraint_dimensions"] for question in questions))
    kinds = composition_types(tree)
    return {
        "instruction": zh.instruction,
        "instruction_en": en.instruction,
        "constraint_dimensions": list(dict.fromkeys(verified)),
        "composition_types": [k for k in taxonomy()["composition_types"] if k in kinds],
        "scoring_questions": questions,
        "sub_instructions": None if isinstance(tree, Block) else turns,
    }


class _Writer:
    """The words of one path through a tree in one language: questions, turns, instruction."""

    def __init__(self, tree: Node, path: tuple[int, ...], language: str):
        self._language, self._stated = language, list(stated(tree, path))
        self._facts = "".join(
            self._worded("fact", **self._fact(condition, value))
            for condition, value in self._stated
        )
        self.questions: list[Record] = []
        self.turns: list[tuple[str, list[int]]] = []
        self._ask(tree, [])
        self.instruction = self._worded("whole", facts=self._facts, text=text(tree, language))

    def _worded(self, form: str, **slots: str) -> str:
        """Returns a wording of ``synthetic.yaml`` in the language, with its slots filled."""
        text: str = MATERIAL["wording"][self._language][form].format(**slots)
        english = self._language == "en"
        return _SENTENCE.sub(lambda letter: letter[0].upper(), text) if english else text

    def _fact(self, condition: Record, value: int) -> dict[str, str]:
        chosen = condition["values"][value]
        return {"subject": condition[self._language], "value": chosen[self._language]}

    def _ask(self, node: Node, needed: list[int]) -> None:
        """Adds the questions of the branches taken; each depends on all that is ``needed``."""
        if isinstance(node, Block):
            self._block(node, needed, last=True)
        elif isinstance(node, Chain):
            for place, step in enumerate(node.steps, start=1):
                needed = needed + self._block(step, needed, last=place == len(node.steps))
        else:
            value = next(value for condition, value in self._stated if condition is node.condition)
            fact = self._fact(node.condition, value)
            question = self._worded("chose", **fact)
            chosen = self._question(question, needed, composition_types=["Selection"])
            possible = node.condition["values"][: len(node.branches)]
            values = " / ".join(each[self._language] for each in possible)
            judge = self._worded("judge", **fact, facts=self._facts, values=values)
            self.turns.append((judge, [chosen]))
            self._ask(node.branches[value], [*needed, chosen])

    def _block(self, block: Block, needed: list[int], last: bool) -> list[int]:
        """Adds a block's questions and its turn; the one that the next step depends on, if any."""

        def asked(part: Record, dimension: str, **labels: object) -> int:
            question = self._worded("asks", text=part[self._language])
            return self._question(question, needed, constraint_dimensions=[dimension], **labels)

        points = [asked(one, one["dimension"], rule=one["rule"]) for one in block.constraints]
        done = asked(block.task, "Helpfulness", composition_types=[] if last else ["Chain"])
        form = "go_on" if self.turns else "plain"
        turn = self._worded(form, text=text(block, self._language))
        self.turns.append((turn, [*points, done]))
        return [] if last else [done]

    def _question(self, text: str, needed: list[int], **labels: object) -> int:
        number = len(self.questions)
        question: Record = {"point_id": number, "question": text, "dep": list(needed)}
        question |= {"rule": None, "constraint_dimensions": [], "composition_types": []}
        self.questions.append(question | labels)
        return number
