"""Seeded instances of our own in the released shape, which cover all that an instance may have.

An instruction is a tree of blocks (a task and its constraints), chains (blocks in turn) and
selections (branches of which a condition takes one). A selection gives a group of instances, one a
branch, that differ in the stated condition alone. What is said is data:
``resources/complexbench/synthetic.yaml``. Some 40 instances cover every category, task type,
dimension and rule.
"""

import random
from itertools import chain, cycle
from typing import Any

from steadfast.complexbench.synthetic_trees import (
    Block,
    Chain,
    Grower,
    Node,
    Texts,
    composition_types,
    stated,
    text,
    ways,
    worded,
)
from steadfast.complexbench.taxonomy import LANGUAGES, read_yaml, taxonomy
from steadfast.files import Record


def instances(count: int, seed: int) -> list[Record]:
    """So many instances; a larger count goes on from a smaller one, but for its end.

    Args:
        count: of instances; a group that would exceed it is left out.
        seed: of all that is drawn.
    """
    facts = read_yaml("synthetic.yaml")
    grower = Grower(facts, seed)
    found: list[Record] = []
    for number, category in enumerate(cycle(facts["shapes"])):
        task_type = list(facts["tasks"])[number % len(facts["tasks"])]
        rng = random.Random(f"{seed}/complexbench/{number}")
        group = _group(grower, facts, category, task_type, number, rng)
        if len(found) + len(group) <= count:
            found += group
        if len(found) == count:
            break
    return [{"main_id": number, **instance} for number, instance in enumerate(found)]


def _group(
    grower: Grower,
    facts: Record,
    category: str,
    task_type: str,
    number: int,
    rng: random.Random,
) -> list[Record]:
    """The instances of one tree: one for each way that its conditions may turn out."""
    others = list(facts["tasks"].values())
    rng.shuffle(others)
    tasks = chain([facts["tasks"][task_type]], others)
    tree = grower.tree(facts["shapes"][category], tasks, rng)
    found = []
    for place, way in enumerate(ways(tree), start=1):
        writer = _Writer(tree, way)
        found.append(
            {
                "group": f"synthetic_{number + 1}",
                "idx_in_group": place,
                **writer.texts(),
                "task_types": task_type,
                **writer.labels(),
                "category": category,
                "scoring_questions": writer.questions,
                "sub_instructions": writer.sub_instructions(),
            }
        )
    return found


class _Writer:
    """One instance: the tree's text, and the questions and turns of the branches taken."""

    def __init__(self, tree: Node, way: tuple[int, ...]):
        self._tree, self._stated = tree, list(stated(tree, way))
        self.questions: list[Record] = []
        self._turns: list[tuple[Texts, list[int]]] = []
        self._ask(tree, [])

    def texts(self) -> Texts:
        """The instruction in both languages."""
        slots = {
            language: {"facts": self._facts(language), "text": text(self._tree, language)}
            for language in LANGUAGES
        }
        whole = worded("whole", slots)
        return {"instruction": whole["zh"], "instruction_en": whole["en"]}

    def labels(self) -> Record:
        """Dimensions of the questions, and composition types of the tree."""
        found = [d for question in self.questions for d in question["constraint_dimensions"]]
        kinds = composition_types(self._tree)
        return {
            "constraint_dimensions": list(dict.fromkeys(found)),
            "composition_types": [k for k in taxonomy()["composition_types"] if k in kinds],
        }

    def sub_instructions(self) -> dict[str, Record] | None:
        """The turns of the decomposed instruction; None where there is nothing to decompose."""
        if isinstance(self._tree, Block):
            return None
        return {
            f"sub_instruction_{number}": {
                "instruction": texts["zh"],
                "instruction_en": texts["en"],
                "scoring_questions": [self.questions[point]["question"] for point in points],
            }
            for number, (texts, points) in enumerate(self._turns)
        }

    def _facts(self, language: str) -> str:
        return "".join(
            worded("fact", {name: _fact(condition, value, name) for name in LANGUAGES})[language]
            for condition, value in self._stated
        )

    def _ask(self, node: Node, needed: list[int]) -> None:
        """Adds the questions of the branches taken; each depends on all that is ``needed``."""
        if isinstance(node, Block):
            self._block(node, needed, last=True)
        elif isinstance(node, Chain):
            for place, step in enumerate(node.steps, start=1):
                needed = needed + self._block(step, needed, last=place == len(node.steps))
        else:
            value = next(value for condition, value in self._stated if condition is node.condition)
            slots = {
                language: {
                    **_fact(node.condition, value, language),
                    "facts": self._facts(language),
                    "values": " / ".join(
                        each[language] for each in node.condition["values"][: len(node.branches)]
                    ),
                }
                for language in LANGUAGES
            }
            chosen = self._question("chose", slots, needed, kind="Selection")
            self._turns.append((worded("judge", slots), [chosen]))
            self._ask(node.branches[value], [*needed, chosen])

    def _block(self, block: Block, needed: list[int], last: bool) -> list[int]:
        """Adds a block's questions and its turn; the one that the next step depends on, if any."""
        points = [
            self._question(
                "asks", _slots(part), needed, rule=part.get("rule"), dimension=part["dimension"]
            )
            for part in block.constraints
        ]
        kind = None if last else "Chain"
        done = self._question(
            "asks", _slots(block.task), needed, dimension="Helpfulness", kind=kind
        )
        texts = {language: {"text": text(block, language)} for language in LANGUAGES}
        self._turns.append((worded("go_on" if self._turns else "plain", texts), [*points, done]))
        return [] if last else [done]

    def _question(
        self,
        form: str,
        slots: dict[str, Texts],
        needed: list[int],
        rule: str | None = None,
        dimension: str | None = None,
        kind: str | None = None,
    ) -> int:
        number, texts = len(self.questions), worded(form, slots)
        self.questions.append(
            {
                "point_id": number,
                "question": texts["zh"],
                "question_en": texts["en"],
                "rule": rule,
                "constraint_dimensions": [dimension] if dimension else [],
                "composition_types": [kind] if kind else [],
                "dep": list(needed),
            }
        )
        return number


def _slots(part: Record) -> dict[str, Texts]:
    return {language: {"text": part[language]} for language in LANGUAGES}


def _fact(condition: Record, value: int, language: str) -> dict[str, Any]:
    return {"subject": condition[language], "value": condition["values"][value][language]}
