"""Hypothesis strategies for prompts of every task with contexts in any letters at all."""

from collections import Counter

from hypothesis import strategies as st

from lifbench_samples import LIST, SCENARIO_PROMPTS, SENTENCES
from small_contexts import numbered, prompt_record
from steadfast.benchmarks.lifbench.expected import TYPE_NAMES
from steadfast.benchmarks.lifbench.rubric.text import normal

PHRASES = [
    *LIST,
    *(sentence[4] for sentence in SENTENCES),
    *("😀 fünf ﬁsche 👩‍👩‍👧", "שלום, עולם — זה משפט.", "مرحبا [بالعالم]"),
    *("cafe\u0301", "café", "é", "e"),
    *('"quoted" \\ and [[bracketed]] {so}', "null", "None", "doc1", "#Topic#", "2016", "a ### b"),
    *("two\nlines", "two  blanks", "\\u00e9", "- 1. *", "```json"),
    *("\U0001f1ea\U0001f1f8", "한국어"),
]
TEXTS = st.one_of(
    st.sampled_from(PHRASES),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
).filter(normal)


def distinct(size: int, max_size: int | None = None):
    """Lists of so many texts that are different to the rubric."""
    return st.lists(TEXTS, min_size=size, max_size=max_size or size, unique_by=normal)


def sample(task: str, scenario: str, context: dict, variables: dict) -> tuple[dict, dict, str]:
    """A prompt, its context and the scenario prompt."""
    context = {"context_id": "x", "scenario": scenario, "text": ""} | context
    return prompt_record(task, variables), context, SCENARIO_PROMPTS[scenario]


@st.composite
def list_samples(draw, task: str):
    """A list whose elements may be equal, or parts of each other."""
    elements = draw(st.lists(TEXTS, min_size=3, max_size=9))
    index = draw(st.integers(1, len(elements) - 2))
    variables = {
        "id": index + 1,
        "element": elements[index],
        "pre_element": elements[index - 1],
        "post_element": elements[index + 1],
        "bias": draw(st.sampled_from([1, -1])),
    }
    if task == "LMI":
        numbers = st.integers(1, len(elements))
        ids = draw(st.lists(numbers, min_size=1, max_size=5, unique=True))
        variables = {"id_arr": ids, "elements": [elements[number - 1] for number in ids]}
    context = {"elements": elements, "text": numbered(elements)}
    return sample(task, "list", context, variables)


@st.composite
def label_samples(draw, task: str):
    """Documents with or without title and source, and any four labels."""
    fields = st.sets(st.sampled_from(["title", "source"]))
    documents = [dict.fromkeys(["id", *sorted(f)], "x") for f in draw(st.lists(fields, min_size=1))]
    labels = draw(distinct(4))
    key = "".join(label[0] for label in draw(st.permutations(labels)))
    context = {"documents": documents, "duplicate_groups": []}
    return sample(task, "multidoc", context, {"rule_key": key, "candidates": labels})


@st.composite
def duplicate_samples(draw, task: str):
    """Documents with any values in any fields, some of them duplicates."""
    keys = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True))
    values = st.one_of(TEXTS, st.just(""))
    document = st.dictionaries(st.sampled_from("abcd"), values)
    documents = draw(st.lists(document, min_size=2, max_size=8))
    indices = draw(st.permutations(range(len(documents))))
    cut = draw(st.integers(1, len(indices)))
    groups = [sorted(part) for part in (indices[:cut], indices[cut:]) if part]
    context = {"documents": documents, "duplicate_groups": groups}
    return sample(task, "multidoc", context, {"info_keys": " ".join(keys)})


@st.composite
def document_samples(draw, task: str):
    """Labelled sentences, at least one of them true, and what to do with them."""
    texts = draw(distinct(2, 9))
    sentences = []
    counts = Counter()
    for index, text in enumerate(texts):
        name = draw(st.sampled_from(TYPE_NAMES))
        sentence = {"type": name, "id": counts[name], "index": index, "text": text}
        sentences.append(sentence | {"fake": index > 0 and draw(st.booleans())})
        counts[name] += 1
    if task == "OR":
        separator = draw(st.sampled_from(["###", "|||||", "[sep]", "#", "é", "^^^", "(next)"]))
        true = [sentence for sentence in sentences if not sentence["fake"]]
        variables = {"num": draw(st.integers(1, len(true))), "sep": separator}
    elif task == "OQ":
        options = draw(st.one_of(distinct(2), st.sampled_from([["Yes", "No"], ["a", "ab"]])))
        absent = TEXTS.filter(lambda text: normal(text) not in set(map(normal, texts)))
        evidence = draw(st.one_of(st.sampled_from(texts), absent))
        variables = {"evidence": evidence, "options": options}
    else:
        variables = {"type": f"<{draw(st.sampled_from(TYPE_NAMES))}>"}
    context = {"key_sentences": draw(st.permutations(sentences)), "text": " ".join(texts)}
    return sample(task, "onedoc", context, variables)


SAMPLES = {
    **{task: list_samples(task) for task in ("LSI", "LOI", "LOE", "LBI", "LBE", "LMI")},
    "MB": label_samples("MB"),
    "MF": duplicate_samples("MF"),
    **{task: document_samples(task) for task in ("OR", "OQ", "OE")},
}
