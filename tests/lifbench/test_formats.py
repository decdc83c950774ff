"""Formats and domains of contexts: the same content shown in several ways, or from other texts."""

import json
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from small_contexts import small_context, small_data
from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.lifbench.answers import reference_answer
from steadfast.benchmarks.lifbench.baseline import baseline_answer
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.prompts import prompts
from steadfast.benchmarks.lifbench.rubric import RUBRICS, score
from steadfast.benchmarks.lifbench.samples import LifbenchSamples
from steadfast.contract.components import Sample
from steadfast.corpora.contexts.formats import FORMATS, show_documents, show_list

BUDGET = 3072
TOKENIZER = load_tokenizer("o200k_base")
UUID = re.compile("[0-9a-f]{32}")


@given(st.lists(st.text(min_size=1).filter(lambda text: "\n" not in text), min_size=1))
def test_list_in_json_and_as_bullets(elements):
    assert json.loads(show_list(elements, "json")) == elements
    assert show_list(elements, "bulleted") == "- " + "\n- ".join(elements)


@given(st.lists(st.dictionaries(st.sampled_from(["id", "text", "title"]), st.text(), min_size=1)))
def test_documents_in_json_are_objects_with_ordered_fields(documents):
    objects = json.loads(show_documents(documents, "json"))
    assert list(objects) == [f"doc-{number}" for number in range(1, len(documents) + 1)]
    assert list(objects.values()) == documents
    assert list(map(list, objects.values())) == list(map(list, documents))  # the fields


def test_json_has_text_unescaped():
    assert show_list(["Café", "清单"], "json") == '["Café",\n"清单"]'
    assert show_documents([{"title": "Café"}], "json") == '{"doc-1": {"title": "Café"}}'


def test_documents_as_bullets():
    documents = [{"id": "a", "text": "One.\nTwo."}, {"text": "Three."}]
    assert show_documents(documents, "bulleted") == (
        "- doc-1\n  - id: a\n  - text: One.\nTwo.\n\n- doc-2\n  - text: Three."
    )


@pytest.mark.parametrize(
    ("scenario", "content", "show"),
    [("list", "elements", show_list), ("multidoc", "documents", show_documents)],
)
def test_budget_is_filled_in_the_longest_format(build, scenario, content, show):
    (context,) = build(scenario, formats=list(FORMATS))
    counts = {format: TOKENIZER.count(show(context[content], format)) for format in FORMATS}
    assert context["format_tokens"] == counts
    assert context["tokens"] == counts["numbered"] == TOKENIZER.count(context["text"])
    unit = 60 if scenario == "list" else 700
    assert BUDGET - unit < max(counts.values()) <= BUDGET


def test_further_formats_leave_a_list_that_is_longest_when_numbered(build):
    (several,) = build("list", formats=list(FORMATS))
    counts = several.pop("format_tokens")
    assert max(counts, key=counts.__getitem__) == "numbered"
    assert [several] == build("list")


def prompts_of(context, formats):
    """The data of one context, and the prompts of all its tasks."""
    scenario = context["scenario"]
    data = small_data() | {"contexts": {scenario: [context]}}
    tasks = [task.prompt_settings for task in TASKS.values() if task.scenario == scenario]
    return data, list(prompts("4k", data, 1, tasks, formats=formats))


def small_prompts(scenario, formats, **changes):
    _, built = prompts_of(small_context(scenario) | changes, formats)
    return built


def test_running_text_has_the_same_prompts_in_all_formats():
    assert small_prompts("onedoc", list(FORMATS)) == small_prompts("onedoc", ["numbered"])


@pytest.mark.parametrize("scenario", ["list", "multidoc"])
def test_prompts_in_a_further_format_follow_those_of_the_first(scenario):
    first = small_prompts(scenario, ["numbered"])
    several = small_prompts(scenario, ["numbered", "json"])
    expected = []
    for prompt in first:
        fields = {"format": "json", "perspective": "format"}
        expected.append(prompt | fields | {"sample_id": f"{prompt['sample_id']}/json"})
    assert several == first + expected


def kinds(built, *keys):
    """The combinations of these fields that prompts have."""
    return {tuple(map(prompt.get, keys)) for prompt in built}


def test_first_of_the_formats_is_the_one_that_others_are_compared_with():
    built = small_prompts("list", ["json", "numbered"])
    half = len(built) // 2
    assert kinds(built[:half], "format", "perspective") == {("json", None)}
    assert kinds(built[half:], "format", "perspective") == {(None, "format")}


def test_prompts_of_a_further_domain_have_the_first_format_alone():
    changes = {"domain": "uuids", "context_id": "list-4k-uuids-s1"}
    built = small_prompts("list", ["numbered", "json"], **changes)
    assert len(built) == len(small_prompts("list", ["numbered"]))
    assert kinds(built, "domain", "perspective", "format") == {("uuids", "domain", None)}


def test_prompt_is_joined_to_context_and_description_in_its_format():
    context = small_context("list") | {"format_tokens": dict.fromkeys(FORMATS, 7)}
    data, built = prompts_of(context, list(FORMATS))
    sources = list(LifbenchSamples().sources(built, data))
    contexts = {"numbered": context}
    for prompt, source in zip(built, sources, strict=True):
        format = prompt.get("format", "numbered")
        # One object for all prompts of a format: what is derived from a context is cached by it.
        assert source["context"] is contexts.setdefault(format, source["context"])
        assert source["context"]["text"] == show_list(context["elements"], format)
        assert ("JSON array" in source["scenario_prompt"]) == (format == "json")
    assert set(contexts) == set(FORMATS)
    prompt = next(prompt for prompt in built if prompt.get("format") == "json")
    source = sources[built.index(prompt)]
    item = LifbenchSamples().item(Sample("4k", prompt, source))
    assert item.context == source["context"]["text"]
    assert item.context_id == "list-4k-s1/json"  # a prefix of its own


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("scenario", ["list", "multidoc"])
def test_reference_and_baseline_score_alike_in_every_format(build, scenario, format, rubric):
    data, built = prompts_of(*build(scenario, formats=list(FORMATS)), FORMATS)
    totals = {}
    for prompt, source in zip(built, LifbenchSamples().sources(built, data), strict=True):
        if prompt.get("format", "numbered") not in (format, "numbered"):
            continue
        context = source["context"]
        sample = (prompt, context, source["scenario_prompt"])
        assert score(*sample, reference_answer(prompt, context), rubric).total == 1
        baseline = score(*sample, baseline_answer(prompt, context), rubric).total
        sample_id = prompt["sample_id"].removesuffix(f"/{format}")
        assert totals.setdefault(sample_id, baseline) == baseline


@pytest.mark.parametrize(("domain", "uuids"), [("uuids", True), ("instructions", False)])
def test_list_of_a_domain_has_its_kind_of_elements(build, domain, uuids):
    (context,) = build("list", domain=domain)
    assert (context["context_id"], context["domain"]) == (f"list-4k-{domain}-s1", domain)
    elements = pd.Series(context["elements"])
    assert (elements.str.fullmatch(UUID) == uuids).all()
    assert BUDGET - 60 < context["tokens"] <= BUDGET


@pytest.mark.parametrize("domain", ["govreport", "xsum", "qmsum", "paul_graham"])
def test_documents_of_a_domain_are_from_its_corpus(build, corpora, domain):
    (context,) = build("multidoc", domain=domain)
    corpus = corpora[domain].read_text()
    for document in context["documents"]:
        assert json.dumps(document["text"], ensure_ascii=False)[1:-1] in corpus


@pytest.mark.parametrize("domain", ["govreport", "xsum", "qmsum"])
def test_running_text_of_another_domain_has_key_sentences(build, domain):
    (context,) = build("onedoc", domain=domain)
    assert BUDGET - 200 < context["tokens"] <= BUDGET
    sentences = pd.DataFrame(context["key_sentences"])
    for text in sentences["text"]:
        assert text in context["text"]
    assert sum(~sentences["fake"]) >= 8


def test_list_of_instructions_ends_with_the_corpus(build):
    settings = {"domain": "instructions", "length": "1M"}
    with pytest.raises(UserError, match=r"corpora/alpaca: .* are too few for a list context of"):
        build("list", 2**20, **settings)
