"""Contexts of the paper's six lengths from real text."""

import os
from pathlib import Path

import pytest

from steadfast.corpora import CORPORA, build_corpus, default_source
from steadfast.files import read_jsonl
from steadfast.lifbench.contexts import CORPORA_OF, build_contexts
from steadfast.tokens import load_tokenizer

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = Path(os.environ.get("STEADFAST_CORPORA", REPOSITORY / ".." / "shared" / "corpora"))
BUDGETS = {"4k": 3, "8k": 6, "16k": 13, "32k": 28, "64k": 60, "128k": 120}  # 1,024 tokens
LARGEST_UNIT = {"list": 48, "multidoc": 700, "onedoc": 1500}

pytestmark = pytest.mark.skipif(
    not TEXTS.is_dir(), reason=f"no corpora in {TEXTS}; set STEADFAST_CORPORA"
)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    paths = {corpus: folder / f"{corpus}.jsonl" for corpus in CORPORA}
    for corpus, path in paths.items():
        source = default_source("local", corpus) | {"kind": "local", "directory": str(TEXTS)}
        build_corpus(corpus, source, 1, path)
    return paths


@pytest.mark.parametrize("scenario", CORPORA_OF)
def test_every_length_is_filled(scenario, corpora, tmp_path):
    for length, thousands in BUDGETS.items():
        out = tmp_path / f"{length}.jsonl"
        budget = 1024 * thousands
        build_contexts(scenario, length, budget, [1], corpora, "o200k_base", out)
        (context,) = read_jsonl(out)
        assert load_tokenizer("o200k_base").count(context["text"]) == context["tokens"]
        assert budget - LARGEST_UNIT[scenario] < context["tokens"] <= budget
