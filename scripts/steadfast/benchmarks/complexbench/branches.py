"""Whether all branches of a Selection are there (supplement, 5.2 and Tables 3 and 4).

Of an instruction whose selection function has M values, annotators write M − 1 more, which differ
in the condition alone, so that each branch is taken once; together they are a group. The released
data does not say M. So a group lacks a branch where its numbers leave one out; where its one
instance asks for one selection, since no selection has a single branch; or where its instances say
M themselves (``branches``, ours) and it has not as many. One instance with several selections may
take all branches by itself: of it nothing is said.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from steadfast.benchmarks.complexbench.instance import Finding, InstanceRecord

T = TypeVar("T")
Raw = Mapping[str, Any]  # an instance in the shape of the data files
SELECTION = "Selection"


class Member(NamedTuple):
    """What of an instance tells whether its group is whole."""

    number: int | None  # in its group, from 1; None where it has none
    selections: int  # its questions that tell whether the right branch is taken
    branches: int | None  # that the selection is said to have; None where nothing is said


def lacking(group: Sequence[Member]) -> str | None:
    """What of a group with Selection is missing, in a clause; None where nothing is known to be."""
    numbers = {member.number for member in group} - {None}
    highest = max((number for number in numbers if number is not None), default=0)
    if highest > len(group):
        gap = next(number for number in range(1, highest) if number not in numbers)
        return f"number {gap} of the group is missing"
    said = max((member.branches or 0 for member in group), default=0)
    if said > len(group):
        return f"the group has {len(group)} of {said} branches"
    if len(group) == 1 and group[0].selections == 1:
        return "no other instance takes another branch"
    return None


def selecting(instances: Iterable[Raw]) -> Iterator[tuple[str, list[Raw], str | None]]:
    """Yields the groups with Selection, their instances, and what each lacks, see ``lacking``."""
    for name, group in _groups(instances, lambda one: one["group"]).items():
        members = [_member(one) for one in group]
        if members[0].selections:
            yield name, group, lacking(members)


def branch_findings(instances: Mapping[int, InstanceRecord]) -> list[Finding]:
    """Warns of groups that lack a branch or take one twice, but for torn selections."""
    if sorted(one.main_id for one in instances.values()) != list(range(len(instances))):
        return []
    findings = []
    for group in _groups(instances.items(), lambda item: item[1].group).values():
        members = [_member(one.model_dump()) for _, one in group]
        if not members[0].selections:
            continue
        position, first = group[0]
        if clause := lacking(members):
            sentence = (
                f"{clause}, though its instructions are to take each branch of the selection once; "
                "add an instance for each that is missing"
            )
            findings.append(_finding(position, first, sentence))
        seen: dict[tuple[str, ...], int] = {}
        for place, one in group:
            questions = tuple(question.question for question in one.scoring_questions)
            if (earlier := seen.setdefault(questions, place)) != place:
                sentence = (
                    f"instance {earlier + 1} of the same group has the same questions, as if it "
                    "took the same branch; leave one out, or correct its condition"
                )
                findings.append(_finding(place, one, sentence))
    return findings


def _finding(position: int, instance: InstanceRecord, sentence: str) -> Finding:
    return Finding("warning", position, instance.main_id, "branches", sentence)


def _groups(items: Iterable[T], group: Callable[[T], str | None]) -> dict[str, list[T]]:
    """Items by group; those without one are left out, as a finding of their own names them."""
    found: dict[str, list[T]] = defaultdict(list)
    for item in items:
        if name := group(item):
            found[name].append(item)
    return found


def selections(instance: Raw) -> int:
    """Returns an instance's questions that tell whether the right branch is taken."""
    questions = instance["scoring_questions"]
    return sum(SELECTION in question["composition_types"] for question in questions)


def _member(instance: Raw) -> Member:
    return Member(instance.get("idx_in_group"), selections(instance), instance.get("branches"))
