"""Formats and domains of contexts: the same content shown in several ways, or from other texts."""

import json
import re

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
from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of
from steadfast.corpora.contexts.formats import FORMATS, show_documents, show_list

BUDGET = 3072
TOKENIZER = load_tokenizer("o200k_base")
UUID = re.compile("[0-9a-f]{32}")


@pytest.fixture(scope="module")
def build(corpora):
    """Makes one context of a scenario, of the paper's domain or another."""
    module = {"list": lists, "multidoc": multidoc, "onedoc": onedoc}

    def made(scenario, domain="", budget=BUDGET, **settings):
        of = dict(facts_of(scenario, domain))
        inputs = {name: corpora[name] for name in of.pop("corpora")}
        if domain:
            settings |= of | {"domain": domain}
        contexts = module[scenario].contexts
        (context,) = contexts(inputs, "4k", budget, (1,), "o200k_base", **settings)
        return context

    return made


@given(st.lists(st.text(min_size=1).filter(lambda text: "\n" not in text), min_size=1))
def test_a_list_as_json_is_its_elements_and_as_bullets_they_stand_behind_hyphens(elements):
    assert json.loads(show_list(elements, "json")) == elements
    assert show_list(elements, "bulleted") == "- " + "\n- ".join(elements)


@given(st.lists(st.dictionaries(st.sampled_from(["id", "text", "title"]), st.text(), min_size=1)))
def test_documents_as_json_are_an_object_by_name_with_fields_in_their_order(documents):
    found = json.loads(show_documents(documents, "json"))
    assert list(found) == [f"doc-{number}" for number in range(1, len(documents) + 1)]
    assert [list(fields.items()) for fields in found.values()] == [
        list(fields.items()) for fields in documents
    ]


def test_documents_and_running_texts_are_shown_in_their_formats():
    documents = [{"id": "a", "text": "One.\nTwo."}, {"text": "Three."}]
    assert show_documents(documents, "bulleted") == (
        "- doc-1\n  - id: a\n  - text: One.\nTwo.\n\n- doc-2\n  - text: Three."
    )
    assert asked("onedoc", list(FORMATS)) == asked("onedoc", ["numbered"])


@pytest.mark.parametrize(
    ("scenario", "content", "show"),
    [("list", "elements", show_list), ("multidoc", "documents", show_documents)],
)
def test_the_budget_holds_in_all_formats_and_one_unit_more_would_not(
    build, scenario, content, show
):
    context = build(scenario, formats=list(FORMATS))
    counted = {format: TOKENIZER.count(show(context[content], format)) for format in FORMATS}
    assert context["format_tokens"] == counted
    assert context["tokens"] == counted["numbered"] == TOKENIZER.count(context["text"])
    unit = 60 if scenario == "list" else 700
    assert BUDGET - unit < max(counted.values()) <= BUDGET


def test_a_list_that_is_longest_as_numbered_is_that_of_no_other_format(build):
    alone = build("list")
    several = build("list", formats=list(FORMATS))
    counts = several.pop("format_tokens")
    assert max(counts, key=counts.__getitem__) == "numbered"
    assert several == alone


def asked(scenario, formats, **changes):
    context = small_context(scenario) | changes
    data = small_data()
    data["contexts"] = {scenario: [context]}
    tasks = [task for task in TASKS if TASKS[task].scenario == scenario]
    return data, list(
        prompts("4k", data, 1, [TASKS[task].asked for task in tasks], formats=formats)
    )


@pytest.mark.parametrize("scenario", ["list", "multidoc"])
def test_each_prompt_is_asked_in_each_format_and_those_of_the_default_stay_as_they_are(scenario):
    _, alone = asked(scenario, ["numbered"])
    _, several = asked(scenario, ["numbered", "json"])
    assert several[: len(alone)] == alone
    for prompt, other in zip(alone, several[len(alone) :], strict=True):
        more = {"sample_id": f"{prompt['sample_id']}/json"}
        assert other == prompt | more | {"format": "json", "perspective": "format"}


def test_further_formats_and_domains_leave_the_first_as_it_is():
    _, found = asked("list", ["json", "numbered"])
    half = len(found) // 2
    assert not any("perspective" in prompt for prompt in found[:half])
    assert {prompt["format"] for prompt in found[:half]} == {"json"}
    assert all(prompt["perspective"] == "format" for prompt in found[half:])
    assert not any("format" in prompt for prompt in found[half:])
    _, found = asked("list", ["numbered", "json"], domain="uuids", context_id="list-4k-uuids-s1")
    assert len(found) == len(asked("list", ["numbered"])[1])
    assert {prompt["domain"] for prompt in found} == {"uuids"}
    assert {prompt["perspective"] for prompt in found} == {"domain"}
    assert not any("format" in prompt for prompt in found)


def test_a_prompt_is_joined_to_its_context_and_description_in_its_format():
    data, found = asked("list", list(FORMATS), format_tokens=dict.fromkeys(FORMATS, 7))
    sources = list(LifbenchSamples().sources(found, data))
    formats = [prompt.get("format", "numbered") for prompt in found]
    by_format = dict(zip(formats, sources, strict=True))
    (context,) = data["contexts"]["list"]
    assert by_format["numbered"]["context"] is context
    for format in FORMATS:
        shown = by_format[format]["context"]
        assert shown["text"] == show_list(context["elements"], format)
        of_format = (s for f, s in zip(formats, sources, strict=True) if f == format)
        # What is known of a context is kept by provenance.
        assert all(source["context"] is shown for source in of_format)
    assert "JSON array" in by_format["json"]["scenario_prompt"]
    item = LifbenchSamples().item(Sample("4k", found[-1], sources[-1]))
    assert item.context == by_format["json"]["context"]["text"]
    assert item.context_id == "list-4k-s1/json"  # a prefix of its own


@pytest.mark.parametrize("rubric", RUBRICS)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("scenario", ["list", "multidoc"])
def test_gold_answers_have_full_marks_and_the_baseline_the_same_in_every_format(
    build, scenario, format, rubric
):
    context = build(scenario, formats=list(FORMATS))
    data = small_data() | {"contexts": {scenario: [context]}}
    tasks = [task for task in TASKS if TASKS[task].scenario == scenario]
    found = list(prompts("4k", data, 1, [TASKS[task].asked for task in tasks], formats=FORMATS))
    sources = LifbenchSamples().sources(found, data)
    totals = {}
    for prompt, source in zip(found, sources, strict=True):
        if prompt.get("format", "numbered") in (format, "numbered"):
            given = source["context"], source["scenario_prompt"]
            assert score(prompt, *given, reference_answer(prompt, given[0]), rubric).total == 1
            baseline = score(prompt, *given, baseline_answer(prompt, given[0]), rubric).total
            plain = prompt["sample_id"].removesuffix(f"/{format}")
            assert totals.setdefault(plain, baseline) == baseline


def test_a_domain_has_contexts_of_its_own_name_and_kind(build):
    uuids = build("list", "uuids")
    instructions = build("list", "instructions")
    assert uuids["context_id"] == "list-4k-uuids-s1" and uuids["domain"] == "uuids"
    assert all(UUID.fullmatch(element) for element in uuids["elements"])
    assert not any(UUID.fullmatch(element) for element in instructions["elements"])
    for context in (uuids, instructions):
        assert BUDGET - 60 < context["tokens"] <= BUDGET


@pytest.mark.parametrize("domain", ["govreport", "xsum", "qmsum", "paul_graham"])
def test_documents_of_a_domain_are_of_its_corpus_alone(build, corpora, domain):
    context = build("multidoc", domain)
    whole = corpora[domain].read_text()
    for document in context["documents"]:
        assert json.dumps(document["text"], ensure_ascii=False)[1:-1] in whole


@pytest.mark.parametrize("domain", ["govreport", "xsum", "qmsum"])
def test_a_running_text_of_another_domain_has_its_key_sentences(build, domain):
    context = build("onedoc", domain)
    assert BUDGET - 200 < context["tokens"] <= BUDGET
    assert all(sentence["text"] in context["text"] for sentence in context["key_sentences"])
    assert len([s for s in context["key_sentences"] if not s["fake"]]) >= 8


def test_instructions_alone_end_with_the_corpus(corpora):
    with pytest.raises(UserError, match=r"corpora/alpaca: .* are too few for a list context of"):
        list(
            lists.contexts(
                {"alpaca": corpora["alpaca"]}, "1M", 2**20, (1,), "o200k_base",
                domain="instructions", instruction_share=1,
            )
        )  # fmt: skip
