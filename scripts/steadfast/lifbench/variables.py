"""The instruction variables of each task: their sampling spaces, and the values for a context."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from steadfast.errors import UserError
from steadfast.files import read_text
from steadfast.lifbench.tasks import RESOURCES

VARIABLES = RESOURCES / "variables.yaml"
Record = dict[str, Any]


def read_yaml(path: Path) -> Record:
    """The mapping in a YAML file.

    Raises:
        UserError: the file is missing, is not YAML, or holds something else than a mapping.
    """
    try:
        value = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else path
        problem = getattr(error, "problem", None) or "unreadable"
        raise UserError(
            f"{where}: not valid YAML ({problem}); mend that line, quoting texts that hold "
            "colons, braces or quotation marks"
        ) from None
    if not isinstance(value, dict):
        raise UserError(f"{path}: a mapping of keys to values was expected; see docs/")
    return value


def sampling_space(task: str) -> tuple[list[str], Record]:
    """What a template of the task must show, and the space of our own variables.

    Returns:
        (names, space): a name ``a|b`` means that a template shows either of the two.
    """
    facts = read_yaml(VARIABLES)[task]
    space = facts["space"]
    return facts["shown"], _label_rules(space) if task == "MB" else space


def draw_settings(task: str, space: Record, context: Record, seed: int) -> list[tuple]:
    """The settings of a task's variables for one context (paper, section 3.3, appendix C).

    The same seed, context and task give the same settings; the one at place k (``variable_id``) is
    of the same kind in every context.

    Returns:
        pairs (variables, gold): what a template may show with what describes it, and what only the
        scorer may know.

    Raises:
        UserError: the context is too small for the task.
    """
    rng = random.Random(f"{seed}/{context['context_id']}/{task}")
    return list(_DRAW[task](task, space, context, rng, seed))


def ordinal(number: int) -> str:
    """An English ordinal: 1st, 2nd, 11th, 112th."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _too_small(task: str, context: Record, what: str) -> UserError:
    return UserError(
        f"{task}: context {context['context_id']} has {what}; "
        "give its length a larger token budget in the config"
    )


def _unique_places(elements: list[str]) -> list[int]:
    # An entry that occurs twice would make "the one after it" ambiguous.
    counts = Counter(elements)
    return [place for place, element in enumerate(elements) if counts[element] == 1]


def _positions(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    elements = context["elements"]
    margin, wanted = space["margin"], space["per_section"]
    places = [p for p in _unique_places(elements) if margin <= p < len(elements) - margin]
    start = 0.0
    for end in space["section_ends"]:
        section = [p for p in places if start <= p / len(elements) < end]
        if len(section) < wanted:
            raise _too_small(task, context, f"only {len(elements)} elements")
        for place in sorted(rng.sample(section, wanted)):
            yield _position(task, elements, place)
        start = end


def _position(task: str, elements: list[str], place: int) -> tuple[Record, Record]:
    number = {"id": place + 1, "ordid": ordinal(place + 1)}
    element = {"element": elements[place]}
    variables, gold = (element, number) if task in ("LOE", "LBE") else (number, element)
    if task in ("LOI", "LOE"):
        gold |= {"pre_element": elements[place - 1], "post_element": elements[place + 1]}
    return variables, gold


def _index_lists(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    elements = context["elements"]
    places = _unique_places(elements)
    if len(places) < max(space["sizes"]):
        raise _too_small(task, context, f"only {len(elements)} elements")
    for size in space["sizes"]:
        chosen = rng.sample(places, size)
        if chosen == sorted(chosen):  # in the list's own order, the order would test nothing
            chosen.reverse()
        yield {"id_arr": [p + 1 for p in chosen]}, {"elements": [elements[p] for p in chosen]}


def _listed(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    for setting in space["settings"]:
        yield dict(setting), {}


def _repeats(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    genuine = sum(not sentence["fake"] for sentence in context["key_sentences"])
    most = max(setting["num"] for setting in space["settings"])
    if genuine < most:
        raise _too_small(task, context, f"{genuine} key sentences where {most} are asked for")
    yield from _listed(task, space, context, rng, seed)


def _evidence(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    labelled = {sentence["text"].strip() for sentence in context["key_sentences"]}
    pools = {
        "true": [s["text"] for s in context["key_sentences"] if not s["fake"]],
        "fake": [s["text"] for s in context["key_sentences"] if s["fake"]],
        "ordinary": [text for text in context["ordinary"] if text.strip() not in labelled],
    }
    wanted = Counter(setting["kind"] for setting in space["settings"])
    chosen = {}
    for kind, count in wanted.items():
        if len(pools[kind]) < count:
            raise _too_small(task, context, f"fewer than {count} {kind} sentences")
        chosen[kind] = iter(rng.sample(pools[kind], count))
    for setting in space["settings"]:
        kind, options = setting["kind"], setting["options"]
        yield {"evidence": next(chosen[kind]), "options": options}, {"kind": kind}


def _types(
    task: str, space: Record, context: Record, rng: random.Random, seed: int
) -> Iterator[tuple]:
    absent = f"<{context['absent_type']}>" if context.get("absent_type") else None
    types = [name for name in space["types"] if name != absent]
    # Not by context: the type left out, and so what each variable_id is, stays the same.
    types.remove(random.Random(f"{seed}/{task}").choice(types))
    for name in [*types, absent] if absent else types:
        yield {"type": name}, {}


_DRAW: dict[str, Callable[..., Iterator[tuple]]] = {
    **dict.fromkeys(("LSI", "LOI", "LOE", "LBI", "LBE"), _positions),
    "LMI": _index_lists,
    "MB": _listed,
    "MF": _listed,
    "OR": _repeats,
    "OQ": _evidence,
    "OE": _types,
}


def _label_rules(space: Record) -> Record:
    """Batch-label's settings from label sets: candidates, their order's key, the rules' text."""
    settings = []
    for labels in space["label_sets"]:
        names = labels["labels"]
        _check_labels(names)
        lines = (
            space["rule"].format(case=case, label=name)
            for case, name in zip(space["cases"], names, strict=True)
        )
        settings.append(
            {
                "rule_key": "".join(name[0] for name in names),
                "candidates": labels.get("shown", names),
                "rules": "\n".join(lines),
            }
        )
    return {"settings": settings}


def _check_labels(names: list[str]) -> None:
    distinct = len({name[0] for name in names}) == len(names) == 4
    apart = not any(a != b and a in b for a in names for b in names)
    plain = not any(mark in name for name in names for mark in (*",{}[]", "doc"))
    if not (distinct and apart and plain):
        raise UserError(
            f"{VARIABLES}: the labels {', '.join(names)} cannot be scored; choose four with "
            "different first characters, none inside another, without commas, brackets or 'doc'"
        )
