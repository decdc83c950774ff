"""What the annotation guidelines ask of an instance beyond its shape (supplement, Tables 1-4).

A check reads certain fields, and is left out where one of them could not be read. It yields
findings as (severity, field, sentence, structural).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from steadfast.complexbench import decomposition
from steadfast.complexbench.instance import Finding, Instance
from steadfast.complexbench.rule_forms import RuleFormError, hazards, read_rule
from steadfast.complexbench.rules.text import normalised
from steadfast.complexbench.taxonomy import dimensions, taxonomy
from steadfast.config.names import nearest

Found = tuple[str, str, bool]
"""Field, sentence, and whether it keeps the instance from being scored."""
_CATEGORY = re.compile(r"([A-Za-z_]+?)(?:_([1-9]\d?))?")
_SPELT_OUT = 5  # characters of a text that an instruction hardly asks for in other words
_COMPOSED = ("Chain", "Selection")


def instance_findings(position: int, instance: Instance, unread: frozenset[str]) -> list[Finding]:
    """All that is wrong with one instance.

    Args:
        position: of the instance in its file.
        instance: with something harmless in the fields that could not be read.
        unread: those fields.
    """
    return [
        Finding(severity, position, instance.main_id, field, sentence, structural)
        for severity, check, fields in _CHECKS
        if not unread & ({*fields.split()} | {"scoring_questions"})
        for field, sentence, structural in check(instance)
    ]


def file_findings(instances: Mapping[int, Instance]) -> list[Finding]:
    """What is wrong with instances beside each other, by position in their file."""
    findings = []
    seen: dict[int, int] = {}
    branches: dict[tuple[str, int], int] = {}
    highest = -1
    for position, instance in instances.items():
        number = instance.main_id
        if number in seen:
            sentence = f"is that of instance {seen[number] + 1} too; number them as they stand"
            findings.append(Finding("error", position, number, "main_id", sentence, True))
        elif number < highest:
            sentence = f"follows {highest}; number the instances as they stand, from 0"
            findings.append(Finding("error", position, number, "main_id", sentence))
        seen.setdefault(number, position)
        highest = max(highest, number)
        branch = instance.group, instance.idx_in_group
        if None not in branch and branch in branches:
            sentence = (
                f"instance {branches[branch] + 1} is number {branch[1]} of {branch[0]!r} too; "
                "number the group's instances from 1"
            )
            findings.append(Finding("error", position, number, "idx_in_group", sentence))
        branches.setdefault(branch, position)
    numbers = list(range(len(instances)))
    # Nothing is said of numbers where an instance is missing, or named twice.
    if list(instances) == numbers and len(seen) == len(instances) and sorted(seen) != numbers:
        sentence = (
            f"the instances are numbered {min(seen)} to {max(seen)}, not all from 0: they are "
            "taken for a selection of a data set, and keep their numbers"
        )
        findings.append(Finding("warning", 0, instances[0].main_id, "main_id", sentence))
    return findings


def _texts(instance: Instance) -> Iterator[Found]:
    for name in ("instruction", "instruction_en"):
        if (getattr(instance, name) or "?").isspace():
            yield name, "is blank; fill it", False
    if instance.instruction_en is None:
        return
    for number, question in enumerate(instance.scoring_questions):
        if question.question_en is None:
            yield (
                f"scoring_questions[{number}].question_en",
                "is missing where the instruction is translated; translate the question too",
                False,
            )


def _point_ids(instance: Instance) -> Iterator[Found]:
    for number, question in enumerate(instance.scoring_questions):
        if question.point_id != number:
            yield (
                f"scoring_questions[{number}].point_id",
                f"is {question.point_id} at position {number}; number the questions from 0",
                False,
            )


def _dependencies(instance: Instance) -> Iterator[Found]:
    for number, question in enumerate(instance.scoring_questions):
        field = f"scoring_questions[{number}].dep"
        earlier = f"one of 0 to {number - 1}" if number else "none: it is the first"
        for point in dict.fromkeys(question.dep):
            if question.dep.count(point) > 1:
                yield field, f"names question {point} twice; name it once", False
            if point == number:
                yield field, "names the question itself; leave it out", False
            elif not 0 <= point < number:
                unknown = not 0 <= point < len(instance.scoring_questions)
                yield field, f"names {point}, which is no earlier question; name {earlier}", unknown


def _dependency_doubts(instance: Instance) -> Iterator[Found]:
    questions = instance.scoring_questions
    composed: list[int] = []
    for number, question in enumerate(questions):
        field = f"scoring_questions[{number}].dep"
        known = [point for point in question.dep if 0 <= point < number]
        ancestors = {a for point in known for a in questions[point].dep if 0 <= a < number}
        for ancestor in sorted(ancestors - set(known)):
            yield (
                field,
                f"leaves out question {ancestor}, on which one of {known} depends; name it too, "
                "since dependencies are followed one step",
                False,
            )
        if composed and not question.dep and "Selection" not in question.composition_types:
            yield (
                field,
                f"is empty, though question {composed[0]} tells whether a task or branch is right; "
                "name it where this question is about what follows from it",
                False,
            )
        composed += [number] if set(question.composition_types) & set(_COMPOSED) else []


def _vocabulary(instance: Instance) -> Iterator[Found]:
    known = {
        "constraint_dimensions": list(dimensions()),
        "composition_types": taxonomy()["composition_types"],
    }
    if instance.task_types not in taxonomy()["task_types"]:
        hint = nearest(instance.task_types[:60], taxonomy()["task_types"])
        yield "task_types", f"there is no task type {instance.task_types[:60]!r}; {hint}", False
    labelled = {"": instance} | {
        f"scoring_questions[{number}].": question
        for number, question in enumerate(instance.scoring_questions)
    }
    for place, holder in labelled.items():
        for field, names in known.items():
            given = getattr(holder, field)
            for name in dict.fromkeys(given):
                what = "dimension" if field == "constraint_dimensions" else "composition type"
                if name not in names:
                    sentence = f"there is no {what} {name[:60]!r}; {nearest(name[:60], names)}"
                    yield place + field, sentence, False
                if given.count(name) > 1:
                    yield place + field, f"names {name!r} twice; name it once", False


def _labels(instance: Instance) -> Iterator[Found]:
    """An instance's labels are those of its questions."""
    questions = instance.scoring_questions
    for field in ("constraint_dimensions", "composition_types"):
        own = getattr(instance, field)
        judged: dict[str, int] = {}
        for number, question in enumerate(questions):
            for name in getattr(question, field):
                judged.setdefault(name, number)
        for name, number in judged.items():
            if name not in own:
                yield field, f"lacks {name!r}, which question {number} has; add it", False
        for name in own:
            # And is no question's; Chain may stand in a branch that is not taken.
            if name not in judged and name not in ("And", "Chain"):
                yield (
                    field,
                    f"has {name!r}, which no question verifies; add a question, or leave it out",
                    False,
                )
    for number, question in enumerate(questions):
        if not question.constraint_dimensions and not question.composition_types:
            yield (
                f"scoring_questions[{number}]",
                "verifies no dimension and no composition type; name what it verifies",
                False,
            )


def _label_doubts(instance: Instance) -> Iterator[Found]:
    questions = instance.scoring_questions
    if "Chain" in instance.composition_types and not any(
        "Chain" in question.composition_types for question in questions
    ):
        yield (
            "composition_types",
            "has 'Chain', and no question tells whether a task is done that others build on; add "
            "one, unless the tasks stand in a branch that is not taken",
            False,
        )


def _category(instance: Instance) -> Iterator[Found]:
    match = _CATEGORY.fullmatch(instance.category)
    known = taxonomy()["categories"]
    name, depth = (match[1], match[2]) if match else (instance.category, None)
    if name not in known or bool(depth) != bool(known[name]["depths"]):
        forms = ", ".join(f"{n}_2" if facts["depths"] else n for n, facts in known.items())
        yield (
            "category",
            f"{instance.category[:60]!r} is no category; write one like {forms}, where the number "
            "is the layers of nesting",
            False,
        )
        return
    composed = [kind for kind in _COMPOSED if kind in instance.composition_types]
    if composed != known[name]["needs"]:
        fitting = next(n for n, facts in known.items() if facts["needs"] == composed)
        yield (
            "category",
            f"is {instance.category!r} where composition_types has "
            f"{', '.join(composed) or 'neither Chain nor Selection'}; correct one of them "
            f"(category {fitting})",
            False,
        )
    elif depth and int(depth) < known[name]["depths"][0]:
        least = known[name]["depths"][0]
        yield "category", f"has {depth} layer of nesting; it takes at least {least}", False


def _group(instance: Instance) -> Iterator[Found]:
    if "Selection" in instance.composition_types:
        for field in ("group", "idx_in_group"):
            if getattr(instance, field) is None:
                yield (
                    field,
                    "is missing; instructions with Selection that differ in its condition alone "
                    "share a group, and are numbered in it from 1",
                    False,
                )


def _rules(instance: Instance) -> Iterator[Found]:
    for number, question in enumerate(instance.scoring_questions):
        if question.rule is not None:
            try:
                read_rule(question.rule)
            except RuleFormError as error:
                yield f"scoring_questions[{number}].rule", str(error), False


def _rule_doubts(instance: Instance) -> Iterator[Found]:
    instruction = normalised(instance.instruction)
    for number, question in enumerate(instance.scoring_questions):
        field = f"scoring_questions[{number}].rule"
        if question.rule is None:
            continue
        try:
            clauses = read_rule(question.rule)
        except RuleFormError:  # an error of its own
            continue
        for sentence in hazards(clauses):
            yield field, sentence, False
        for clause in clauses:
            text = clause.words[0] if clause.name.endswith(("startswith", "endswith")) else ""
            if len(text) >= _SPELT_OUT and normalised(text) not in instruction:
                yield (
                    field,
                    f"wants {text[:60]!r}, which the instruction does not hold; an answer that "
                    "obeys the instruction may fail: make them agree",
                    False,
                )


def _turns(instance: Instance) -> Iterator[Found]:
    for problem in decomposition.turns(instance)[1]:
        if not problem.doubtful:
            yield _turn_field(problem.key), problem.sentence, False


def _turn_doubts(instance: Instance) -> Iterator[Found]:
    for problem in decomposition.turns(instance)[1]:
        if problem.doubtful:
            yield _turn_field(problem.key), problem.sentence, False
    if instance.sub_instructions and not set(instance.composition_types) & set(_COMPOSED):
        sentence = "decompose an instruction that has neither Chain nor Selection; leave them out"
        yield "sub_instructions", sentence, False


def _turn_field(key: str) -> str:
    return f"sub_instructions.{key}" if key else "sub_instructions"


# Severity of what a check finds, the check, the fields it reads besides scoring_questions.
_CHECKS: tuple[tuple[Any, Callable[[Instance], Iterator[Found]], str], ...] = (
    ("error", _texts, "instruction instruction_en question_en"),
    ("error", _point_ids, "point_id"),
    ("error", _dependencies, "dep"),
    ("error", _vocabulary, "task_types constraint_dimensions composition_types"),
    ("error", _labels, "constraint_dimensions composition_types"),
    ("error", _category, "category composition_types"),
    ("error", _group, "group idx_in_group composition_types"),
    ("error", _rules, "rule"),
    ("error", _turns, "sub_instructions question"),
    ("warning", _label_doubts, "composition_types"),
    ("warning", _dependency_doubts, "dep composition_types"),
    ("warning", _rule_doubts, "rule instruction"),
    ("warning", _turn_doubts, "sub_instructions question composition_types"),
)
