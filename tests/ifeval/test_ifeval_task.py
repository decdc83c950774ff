"""What a config asks of IFEval, and what it refuses."""

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.ifeval.benchmark import IFEVAL
from steadfast.config.load import load_config
from steadfast.contract.task import Task

MODELS = {"reference": {"engine": "reference"}}
API = {"m": {"engine": "openai", "model": "m"}}
PUBLISHED = {"source": "local", "directory": "."}


def config(models=MODELS, corpora=(), **section):
    return load_config(
        {
            "benchmarks": ["ifeval"],
            "models": models,
            "corpora": {**dict(corpora)},
            "ifeval": section,
        }
    )


def task(**wanted) -> Task:
    return IFEVAL.of(config(**wanted))


def test_a_part_is_a_length_after_0_which_alone_needs_no_text():
    parts = task(lengths={"8k": 6144, "4k": 3072}).parts
    assert list(parts) == ["0", "4k", "8k"]
    assert parts["0"].sources == {("data", "prompts"): "ifeval/data/prompts.jsonl"}
    assert parts["4k"].sources[("contexts", "multidoc")] == "ifeval/contexts/multidoc/4k.jsonl"
    found = task(lengths={})
    assert list(found.parts) == ["0"]
    assert [file.path for file in found.data] == ["ifeval/data/prompts.jsonl"]
    assert "ifeval_drops" not in found.tables.names
    assert "ifeval_positions" in task(positions=["before", "after"]).tables.names
    assert "ifeval_positions" not in task(positions=["after"]).tables.names


def test_synthetic_text_is_seeded_and_the_benchmark_s_own(tmp_path):
    files = {file.path for file in task(context="onedoc").data if file.step == "corpus"}
    assert files == {"ifeval/corpora/paul_graham.jsonl"}
    own = {"source": "local", "directory": str(tmp_path)}
    files = {file.path for file in task(corpora=own, context="onedoc").data}
    assert "corpora/paul_graham.jsonl" in files
    (text,) = (file for file in task(lengths={"4k": 3072}, contexts_per_length=3).data
               if file.path == "ifeval/contexts/multidoc/4k.jsonl")  # fmt: skip
    assert text.content.settings["seeds"] == [1, 2, 3]


def test_the_reading_makes_nothing_but_scores_and_tables_anew():
    one = task()
    other = task(instructions="corrected")
    assert one.prompts == other.prompts and one.data == other.data and one.metrics == other.metrics
    assert one.scoring != other.scoring


def test_what_is_refused():
    for section, said in (
        ({"lengths": {"0": 512}}, "length 0, without a context, always runs"),
        ({"lengths": {"4k": 1}}, "choose a number between 512 and"),
        ({"positions": ["after", "after"]}, "positions: 'after' is listed twice"),
        ({"source": "local"}, "source local needs directory"),
        ({"framing_sentences": 5}, "less than or equal to 4"),
        (PUBLISHED, "has no reference answers to published prompts"),
    ):
        with pytest.raises(UserError, match=said):
            IFEVAL.check_config(config(**section))


def test_models_are_asked_published_prompts_at_pinned_addresses():
    IFEVAL.check_config(config(models=API, **PUBLISHED))
    found = task(models=API, **PUBLISHED)
    assert [*found.data[0].needs.checks] == ["verifiers"]
    assert [path for _, path in found.files] == ["input_data.jsonl", "IFBench_test.jsonl"]
    needs = task(models=API, source="released", sets=["ifbench"]).data[0].needs
    assert len(needs.addresses) == 1 and "/allenai/IFBench/db69a6f" in needs.addresses[0]


def test_an_export_says_what_was_asked_and_nothing_of_one_s_own_folders():
    card = task(models=API, **PUBLISHED, sets=["ifbench"], lengths={}).exports.make().about()
    assert [source.name for source in card.sources] == ["ifbench"]
    assert card.sources[0].origin == "a directory of your own"
    assert card.languages == ["en"]
    assert {"seed", "positions", "lengths"} <= card.settings.keys()
    assert not {"directory", "instructions"} & card.settings.keys()
    sources = task().exports.make().about().sources
    assert [source.name for source in sources] == ["synthetic", "texts"]
