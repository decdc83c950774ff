"""Seeded instances of our own in the released shape, which cover all that an instance may have.

An instruction is a tree of blocks (a task and its constraints), chains (blocks in turn) and
selections (branches of which a condition takes one). A selection gives a group of instances, one a
branch, that differ in the stated condition alone. The wording is data:
``resources/complexbench/synthetic.yaml``. Some 40 instances cover every category, task type,
dimension and rule.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import chain, cycle
from pathlib import Path

from steadfast.base.files import Record
from steadfast.benchmarks.complexbench.data import records
from steadfast.benchmarks.complexbench.synthetic_trees import (
    MATERIAL,
    Block,
    Chain,
    Grower,
    Node,
    composition_types,
    paths,
    stated,
    text,
    worded,
)
from steadfast.benchmarks.complexbench.taxonomy import LANGUAGES, taxonomy


def data(
    inputs: Mapping[str, Path], language: str, extra: str | None, instances: int, seed: int
) -> list[Record]:
    """So many generated instances; see ``generated`` and ``data.records``."""
    raw = generated(instances, seed)
    return records(raw, "synthetic instances", "synthetic", language, extra)


def generated(count: int, seed: int) -> list[Record]:
    """So many instances; a group that would exceed the count is left out."""
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
    """The instances of one tree: one for each path that its conditions may open."""
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
    """The instance of one path through a tree, in both languages."""
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
    """The words of one path through a tree in one language.

    Attributes:
        questions: of the branches taken.
        turns: of the decomposed instruction, with the places of their questions.
        instruction: as a whole.
    """

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
        return worded(form, self._language, **slots)

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
