"""The values of each task's instruction variables for a context."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.benchmarks.lifbench.tasks import Task

# The variables that a template may show, and the reference answer, which only the scorer knows.
Setting = tuple[Record, Record]


def sample_settings(task: Task, space: Settings, context: Record, seed: int) -> list[Setting]:
    """Returns the settings of a task's variables for one context (section 3.3, appendix C)."""
    # The type that is left out, and so what each variable_id is, is the same in every context.
    key = task.id if task.sampling == "types" else f"{context['context_id']}/{task.id}"
    rng = Random(f"{seed}/{key}")
    match task.sampling:
        case "positions":
            return list(_positions(task, space, context, rng))
        case "index_lists":
            return list(_index_lists(task, space, context, rng))
        case "evidence":
            return list(_evidence(task, space, context, rng))
        case "types":
            return list(_types(space, context, rng))
        case "duplicates" if not context["duplicate_groups"]:
            raise too_small(task, context, "no two documents with the same text")
        case "repeats":
            genuine = sum(not sentence["fake"] for sentence in context["key_sentences"])
            largest = max(setting["num"] for setting in space["settings"])
            if genuine < largest:
                raise too_small(task, context, f"{genuine} key sentences, of {largest} needed")
    return [(dict(setting), {}) for setting in space["settings"]]


def ordinal(number: int) -> str:
    """Returns an English ordinal."""
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def too_small(task: Task, context: Record, shortage: str) -> UserError:
    """Returns the error for a context with too few of what a task needs."""
    length = context["length"]
    return UserError(
        f"lifbench.lengths: {length} is too short for {task.id}: context {context['context_id']} "
        f"has {shortage}; give {length} a larger token budget, or remove {task.id} from the tasks"
    )


def _unique_indices(elements: Sequence[str]) -> list[int]:
    # An entry that occurs twice would make "the one after it" ambiguous.
    counts = Counter(elements)
    return [index for index, element in enumerate(elements) if counts[element] == 1]


def _positions(task: Task, space: Settings, context: Record, rng: Random) -> Iterator[Setting]:
    elements = context["elements"]
    margin = space["margin"]
    per_section = space["per_section"]
    indices = sorted({*_unique_indices(elements)} & {*range(margin, len(elements) - margin)})
    start = 0.0
    for end in space["section_ends"]:
        section = [i for i in indices if start <= i / len(elements) < end]
        if len(section) < per_section:
            raise too_small(task, context, f"only {len(elements)} elements")
        for index in sorted(rng.sample(section, per_section)):
            yield position(task, elements, index)
        start = end


def position(task: Task, elements: Sequence[str], index: int) -> Setting:
    """Returns the setting of variables that name the element at a 0-based index."""
    fields = {"id": index + 1, "ordid": ordinal(index + 1), "element": elements[index]}
    if task.neighbours:
        fields |= {"pre_element": elements[index - 1], "post_element": elements[index + 1]}
    names = "|".join(task.shown).split("|")
    visible = {name: value for name, value in fields.items() if name in names}
    return visible, {name: value for name, value in fields.items() if name not in names}


def _index_lists(task: Task, space: Settings, context: Record, rng: Random) -> Iterator[Setting]:
    elements = context["elements"]
    indices = _unique_indices(elements)
    if len(indices) < max(space["sizes"]):
        raise too_small(task, context, f"only {len(elements)} elements")
    for size in space["sizes"]:
        chosen = rng.sample(indices, size)
        if chosen == sorted(chosen):  # in the list's own order, the order would test nothing
            chosen.reverse()
        yield index_list(elements, chosen)


def index_list(elements: Sequence[str], indices: Sequence[int]) -> Setting:
    """Returns LMI's setting for the elements at some 0-based indices."""
    # Positions in instructions count from 1.
    numbers = [index + 1 for index in indices]
    return {"id_arr": numbers}, {"elements": [elements[index] for index in indices]}


def _evidence(task: Task, space: Settings, context: Record, rng: Random) -> Iterator[Setting]:
    pools: dict[str, list[str]] = {"true": [], "fake": []}
    labelled = set()
    for sentence in context["key_sentences"]:
        pools["fake" if sentence["fake"] else "true"].append(sentence["text"])
        labelled.add(sentence["text"].strip())
    pools["ordinary"] = [text for text in context["ordinary"] if text.strip() not in labelled]
    counts = Counter(setting["kind"] for setting in space["settings"])
    chosen = {}
    for kind, count in counts.items():
        if len(pools[kind]) < count:
            raise too_small(task, context, f"fewer than {count} {kind} sentences")
        chosen[kind] = iter(rng.sample(pools[kind], count))
    for setting in space["settings"]:
        kind = setting["kind"]
        yield {"evidence": next(chosen[kind]), "options": setting["options"]}, {"kind": kind}


def _types(space: Settings, context: Record, rng: Random) -> Iterator[Setting]:
    absent = f"<{context['absent_type']}>" if context.get("absent_type") else None
    types = [name for name in space["types"] if name != absent]
    types.remove(rng.choice(types))
    for name in [*types, absent] if absent else types:
        yield {"type": name}, {}
