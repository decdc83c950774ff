"""The task that a config gives, and the data set that it exports."""

import pytest
from ifeval_shared import PROMPTS, samples_of

from steadfast.base.errors import UserError
from steadfast.benchmarks.ifeval.benchmark import IFEVAL
from steadfast.benchmarks.ifeval.export import IfevalExports
from steadfast.benchmarks.ifeval.prompts import IfevalSamples
from steadfast.config.load import load_config
from steadfast.contract.exports import ExportedPrompt
from steadfast.contract.task import Task

MODELS = {"reference": {"engine": "reference"}}
API = {"m": {"engine": "openai", "model": "m"}}
PUBLISHED = {"source": "local", "directory": "here"}


def config(models=MODELS, corpora=(), benchmark="ifeval", **section):
    raw = {"benchmarks": [benchmark], "models": models, "corpora": dict(corpora)}
    return load_config(raw | {"ifeval": section})


def task(**settings) -> Task:
    return IFEVAL.of(config(**settings))


def test_each_length_is_a_part_and_length_0_has_no_context():
    parts = task(lengths={"8k": 6144, "4k": 3072}).parts
    assert list(parts) == ["0", "4k", "8k"]
    assert parts["0"].sources == {("data", "prompts"): "ifeval/data/prompts.jsonl"}
    assert parts["4k"].sources[("contexts", "multidoc")] == "ifeval/contexts/multidoc/4k.jsonl"
    # The longest prompt has some 2,048 tokens.
    assert [part.tokens for part in parts.values()] == [2048, 3072 + 2048, 6144 + 2048]
    without_context = task(lengths={})
    assert list(without_context.parts) == ["0"]
    assert [file.path for file in without_context.data] == ["ifeval/data/prompts.jsonl"]
    assert "ifeval_drops" not in without_context.tables.names
    names = task(lengths={}, positions=["after", "filler"]).tables.names
    assert not {"ifeval_positions", "ifeval_filler"} & set(names)


def test_several_positions_give_a_table():
    assert "ifeval_positions" in task(positions=["before", "after"]).tables.names
    assert "ifeval_positions" not in task(positions=["after"]).tables.names


def test_fillers_are_texts_of_their_own():
    path = "ifeval/contexts/filler/4k.jsonl"
    for positions, has_filler in ((["after", "filler"], True), (["after", "before"], False)):
        filled = task(lengths={"4k": 3072}, positions=positions)
        assert (path in filled.parts["4k"].sources.values()) is has_filler
        assert (path in {file.path for file in filled.data}) is has_filler
        assert ("ifeval_filler" in filled.tables.names) is has_filler


def test_contexts_are_seeded_and_built_of_corpora(tmp_path):
    files = {file.path for file in task(context="onedoc").data if file.step == "corpus"}
    assert files == {"ifeval/corpora/paul_graham.jsonl"}
    corpora = {"source": "local", "directory": str(tmp_path)}
    files = {file.path: file for file in task(corpora=corpora, context="onedoc").data}
    assert "corpora/paul_graham.jsonl" in files
    files = {file.path: file for file in task(lengths={"4k": 3072}, contexts_per_length=3).data}
    settings = files["ifeval/contexts/multidoc/4k.jsonl"].content.settings
    assert (settings["seeds"], settings["nested"]) == ([1, 2, 3], True)
    # Twice the tokens of two contexts, up to the next power of two.
    (corpus, *_) = task(lengths={"32k": 30_000}, context="onedoc").data[1:]
    assert (corpus.step, corpus.content.settings["tokens"]) == ("corpus", 131_072)


def test_reading_changes_scores_but_not_prompts_or_data():
    released = task()
    corrected = task(instructions="corrected")
    for name in ("prompts", "data", "metrics"):
        assert getattr(released, name) == getattr(corrected, name)
    assert released.scoring != corrected.scoring


def test_invalid_config_is_refused():
    for section, message in (
        ({"lengths": {"0": 512}}, "length 0, without a context, always runs"),
        ({"lengths": {"4k": 1}}, "choose a number between 512 and"),
        ({"positions": ["after", "after"]}, "positions: 'after' is listed twice"),
        ({"source": "local"}, "source local needs directory"),
        ({"framing_sentences": 5}, "less than or equal to 4"),
        (PUBLISHED, "has no reference answers to published prompts"),
    ):
        with pytest.raises(UserError, match=message):
            IFEVAL.check_config(config(**section))


def test_published_prompts_need_the_library_and_pinned_addresses():
    IFEVAL.check_config(config(models=API, **PUBLISHED))
    IFEVAL.check_config(config(benchmark="lifbench", **PUBLISHED))  # nothing of ifeval runs
    local = task(models=API, **PUBLISHED)
    assert [*local.data[0].needs.checks] == ["verifiers"]
    assert [path for _, path in local.files] == [
        "here/input_data.jsonl",
        "here/IFBench_test.jsonl",
    ]
    needs = task(models=API, source="released", sets=["ifbench"]).data[0].needs
    assert len(needs.addresses) == 1 and "/allenai/IFBench/db69a6f" in needs.addresses[0]


def test_export_card_names_sources_and_settings_but_no_folder():
    card = task(models=API, **PUBLISHED, sets=["ifbench"], lengths={}).exports.make().about()
    (source,) = card.sources
    assert (source.name, source.origin) == ("ifbench", "a directory of your own")
    assert card.languages == ["en"]
    assert {"seed", "positions", "lengths"} <= card.settings.keys()
    assert not {"directory", "instructions"} & card.settings.keys()
    sources = task().exports.make().about().sources
    assert [source.name for source in sources] == ["synthetic", "texts"]


EXPORTS = IfevalExports("ifeval/export.yaml", {"ifeval": "ifeval"}, {"seed": 1})


def exported_samples(position):
    samples_by_part = samples_of(PROMPTS[:1], texts=1, positions=(position,))
    rows = {}
    for part, samples in samples_by_part.items():
        rows[part] = [
            ExportedPrompt(sample, IfevalSamples().item(sample), "gold") for sample in samples
        ]
    return rows


def test_export_has_prompts_by_length_and_instances_and_contexts_once():
    context = {"context_id": "multidoc-4k-s0", "tokens": 2, "text": "text 0"}
    without_context = {"0": {"data": {"prompts": PROMPTS}}}
    data = without_context | {"4k": {"contexts": {"multidoc": [context | {"seed": 1}]}}}
    samples = exported_samples("after")
    tables = EXPORTS.tables(samples, data)
    prompts = tables.pop("prompts")
    assert [row["sample_id"] for row in prompts["0"]] == ["synthetic/0"]
    for row in (*prompts["0"], *prompts["4k"]):
        assert row["reference"] == "gold"
    assert tables == {"instances": {"all_lengths": PROMPTS}, "contexts": {"4k": [context]}}
    assert [*EXPORTS.tables(samples, without_context)] == ["prompts", "instances"]


@pytest.mark.parametrize("position", ["after", "before", "both"])
def test_exported_prompt_is_composed_around_its_context(position):
    samples = exported_samples(position)
    assert EXPORTS.prompt(samples["0"][0]) == "Say it."
    head, _, tail = EXPORTS.prompt(samples["4k"][0]).partition("text 0")
    assert ("Say it." in head) == (position != "after")
    assert ("Say it." in tail) == (position != "before")
