"""What the annotation guidelines ask of an instance beyond its shape (supplement, Tables 1-4).

A check reads certain fields, and is left out where one of them could not be read. It yields
findings as field, sentence and, where so, True: the instance cannot be scored with it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from steadfast.base.names import nearest
from steadfast.benchmarks.complexbench import decomposition
from steadfast.benchmarks.complexbench.facts import dimensions, normalised, taxonomy
from steadfast.benchmarks.complexbench.instance import (
    Finding,
    InstanceRecord,
    ScoringQuestion,
    Severity,
)
from steadfast.benchmarks.complexbench.rule_forms import RuleFormError, hazards, read_rule

Found = tuple[str, str] | tuple[str, str, bool]
Check = Callable[[InstanceRecord], Iterable[Found]]
_CATEGORY = re.compile(r"([A-Za-z_]+?)(?:_([1-9]\d?))?")
_SPELT_OUT = 5  # characters of a text that an instruction hardly asks for in other words
_COMPOSED = ("Chain", "Selection")


def instance_findings(
    position: int, instance: InstanceRecord, unread: frozenset[str]
) -> list[Finding]:
    """Returns all that is wrong with one instance."""
    return [
        Finding(severity, position, instance.main_id, *found)
        for severity, check, fields in _CHECKS
        if unread.isdisjoint([*fields.split(), "scoring_questions"])
        for found in check(instance)
    ]


def file_findings(instances: Mapping[int, InstanceRecord]) -> list[Finding]:
    """Returns what is wrong with instances beside each other, by position in their file."""
    findings = []
    seen: dict[int, int] = {}
    branches: dict[tuple[str | None, int | None], int] = {}
    for position, instance in instances.items():
        number, highest = instance.main_id, max(seen, default=-1)
        if number in seen:
            sentence = f"is that of instance {seen[number] + 1} too; number them as they stand"
            findings.append(Finding("error", position, number, "main_id", sentence, True))
        elif number < highest:
            sentence = f"follows {highest}; number the instances as they stand, from 0"
            findings.append(Finding("error", position, number, "main_id", sentence))
        seen.setdefault(number, position)
        branch = instance.group, instance.idx_in_group
        if None not in branch and branch in branches:
            sentence = (
                f"instance {branches[branch] + 1} is number {branch[1]} of {branch[0]!r} too; "
                "number the group's instances from 1"
            )
            findings.append(Finding("error", position, number, "idx_in_group", sentence))
        branches.setdefault(branch, position)
    numbers = list(range(len(instances)))
    # Numbers are not judged where an instance is missing, or named twice.
    if list(instances) == numbers and len(seen) == len(instances) and sorted(seen) != numbers:
        sentence = (
            f"the instances are numbered {min(seen)} to {max(seen)}, not all from 0: they are "
            "taken for a selection of a data set, and keep their numbers"
        )
        findings.append(Finding("warning", 0, instances[0].main_id, "main_id", sentence))
    return findings


def _questions(check: Callable[[InstanceRecord, int, ScoringQuestion], Iterable[Found]]) -> Check:
    """Returns a check that is made of each question, and names fields of the question."""

    def found(instance: InstanceRecord) -> Iterator[Found]:
        for number, question in enumerate(instance.scoring_questions):
            for field, *rest in check(instance, number, question):
                yield f"scoring_questions[{number}].{field}".removesuffix("."), *rest

    return found


def _blank(instance: InstanceRecord) -> Iterator[Found]:
    for name in ("instruction", "instruction_en"):
        if (getattr(instance, name) or "?").isspace():
            yield name, "is blank; fill it"


def _translation(
    instance: InstanceRecord, place: int, question: ScoringQuestion
) -> Iterator[Found]:
    if instance.instruction_en is not None and question.question_en is None:
        sentence = "is missing where the instruction is translated; translate the question too"
        yield "question_en", sentence


def _point_id(instance: InstanceRecord, place: int, question: ScoringQuestion) -> Iterator[Found]:
    if question.point_id != place:
        sentence = f"is {question.point_id} at position {place}; number the questions from 0"
        yield "point_id", sentence


def _dependencies(
    instance: InstanceRecord, place: int, question: ScoringQuestion
) -> Iterator[Found]:
    earlier = f"one of 0 to {place - 1}" if place else "none: it is the first"
    for point in dict.fromkeys(question.dep):
        if question.dep.count(point) > 1:
            yield "dep", f"names question {point} twice; name it once"
        if point == place:
            yield "dep", "names the question itself; leave it out"
        elif not 0 <= point < place:
            unknown = not 0 <= point < len(instance.scoring_questions)
            yield "dep", f"names {point}, which is no earlier question; name {earlier}", unknown


def _dependency_doubts(
    instance: InstanceRecord, place: int, question: ScoringQuestion
) -> Iterator[Found]:
    questions = instance.scoring_questions
    known = [point for point in question.dep if 0 <= point < place]
    ancestors = {a for point in known for a in questions[point].dep if 0 <= a < place}
    for ancestor in sorted(ancestors - set(known)):
        yield (
            "dep",
            f"leaves out question {ancestor}, on which one of {known} depends; name it too, "
            "since dependencies are followed one step",
        )
    composed = [n for n in range(place) if set(questions[n].composition_types) & set(_COMPOSED)]
    if composed and not question.dep and "Selection" not in question.composition_types:
        yield (
            "dep",
            f"is empty, though question {composed[0]} tells whether a task or branch is right; "
            "name it where this question is about what follows from it",
        )


def _vocabulary(instance: InstanceRecord) -> Iterator[Found]:
    given, known = instance.task_types, taxonomy()["task_types"]
    if given not in known:
        yield "task_types", f"there is no task type {given[:60]!r}; {nearest(given[:60], known)}"
    yield from _names(instance, 0, instance)


def _names(
    _: InstanceRecord, place: int, holder: InstanceRecord | ScoringQuestion
) -> Iterator[Found]:
    for field, what, known in (
        ("constraint_dimensions", "dimension", list(dimensions())),
        ("composition_types", "composition type", taxonomy()["composition_types"]),
    ):
        given = getattr(holder, field)
        for name in dict.fromkeys(given):
            if name not in known:
                yield field, f"there is no {what} {name[:60]!r}; {nearest(name[:60], known)}"
            if given.count(name) > 1:
                yield field, f"names {name!r} twice; name it once"


def _labels(instance: InstanceRecord) -> Iterator[Found]:
    """Checks that an instance's labels are those of its questions."""
    for field in ("constraint_dimensions", "composition_types"):
        own = getattr(instance, field)
        judged: dict[str, int] = {}
        for number, question in enumerate(instance.scoring_questions):
            for name in getattr(question, field):
                judged.setdefault(name, number)
        for name, number in judged.items():
            if name not in own:
                yield field, f"lacks {name!r}, which question {number} has; add it"
        for name in own:
            # And is no question's; Chain may stand in a branch that is not taken.
            if name not in judged and name not in ("And", "Chain"):
                sentence = "which no question verifies; add a question, or leave it out"
                yield field, f"has {name!r}, {sentence}"


def _label(instance: InstanceRecord, place: int, question: ScoringQuestion) -> Iterator[Found]:
    if not question.constraint_dimensions and not question.composition_types:
        yield "", "verifies no dimension and no composition type; name what it verifies"


def _label_doubts(instance: InstanceRecord) -> Iterator[Found]:
    kinds = {kind for question in instance.scoring_questions for kind in question.composition_types}
    if "Chain" in instance.composition_types and "Chain" not in kinds:
        yield (
            "composition_types",
            "has 'Chain', and no question tells whether a task is done that others build on; add "
            "one, unless the tasks stand in a branch that is not taken",
        )


def _category(instance: InstanceRecord) -> Iterator[Found]:
    match = _CATEGORY.fullmatch(instance.category)
    known = taxonomy()["categories"]
    name, depth = (match[1], match[2]) if match else (instance.category, None)
    if name not in known or bool(depth) != bool(known[name]["depths"]):
        forms = ", ".join(f"{n}_2" if facts["depths"] else n for n, facts in known.items())
        yield (
            "category",
            f"{instance.category[:60]!r} is no category; write one like {forms}, where the number "
            "is the layers of nesting",
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
        )
    elif depth and int(depth) < (least := known[name]["depths"][0]):
        yield "category", f"has {depth} layer of nesting; it takes at least {least}"


def _group(instance: InstanceRecord) -> Iterator[Found]:
    for field in ("group", "idx_in_group"):
        if "Selection" in instance.composition_types and getattr(instance, field) is None:
            yield (
                field,
                "is missing; instructions with Selection that differ in its condition alone "
                "share a group, and are numbered in it from 1",
            )


def _rule(instance: InstanceRecord, place: int, question: ScoringQuestion) -> Iterator[Found]:
    if question.rule is not None:
        try:
            read_rule(question.rule)
        except RuleFormError as error:
            yield "rule", str(error)


def _rule_doubts(
    instance: InstanceRecord, place: int, question: ScoringQuestion
) -> Iterator[Found]:
    if question.rule is None or any(_rule(instance, place, question)):
        return
    clauses = read_rule(question.rule)
    for sentence in hazards(clauses):
        yield "rule", sentence
    for clause in clauses:
        text = clause.words[0] if clause.name.endswith(("startswith", "endswith")) else ""
        if len(text) >= _SPELT_OUT and normalised(text) not in normalised(instance.instruction):
            yield (
                "rule",
                f"wants {text[:60]!r}, which the instruction does not hold; an answer that "
                "obeys the instruction may fail: make them agree",
            )


def _turns(doubtful: bool) -> Check:
    return lambda instance: (
        (f"sub_instructions.{problem.key}".removesuffix("."), problem.sentence)
        for problem in decomposition.turns(instance)[1]
        if problem.doubtful == doubtful
    )


def _needless_turns(instance: InstanceRecord) -> Iterator[Found]:
    if instance.sub_instructions and not set(instance.composition_types) & set(_COMPOSED):
        sentence = "decompose an instruction that has neither Chain nor Selection; leave them out"
        yield "sub_instructions", sentence


# Severity of what a check finds, the check, the fields it reads besides scoring_questions.
_CHECKS: tuple[tuple[Severity, Check, str], ...] = (
    ("error", _blank, "instruction instruction_en question_en"),
    ("error", _questions(_translation), "instruction instruction_en question_en"),
    ("error", _questions(_point_id), "point_id"),
    ("error", _questions(_dependencies), "dep"),
    ("error", _vocabulary, "task_types constraint_dimensions composition_types"),
    ("error", _questions(_names), "task_types constraint_dimensions composition_types"),
    ("error", _labels, "constraint_dimensions composition_types"),
    ("error", _questions(_label), "constraint_dimensions composition_types"),
    ("error", _category, "category composition_types"),
    ("error", _group, "group idx_in_group composition_types"),
    ("error", _questions(_rule), "rule"),
    ("error", _turns(doubtful=False), "sub_instructions question"),
    ("warning", _label_doubts, "composition_types"),
    ("warning", _questions(_dependency_doubts), "dep composition_types"),
    ("warning", _questions(_rule_doubts), "rule instruction"),
    ("warning", _turns(doubtful=True), "sub_instructions question composition_types"),
    ("warning", _needless_turns, "sub_instructions question composition_types"),
)
