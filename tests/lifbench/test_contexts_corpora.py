"""Contexts of the paper's six lengths from real text."""

import os
from pathlib import Path
from typing import get_args

import pytest

from steadfast.base.files import write_jsonl
from steadfast.base.tokens import load_tokenizer
from steadfast.benchmarks.lifbench.tasks import SCENARIOS
from steadfast.corpora import local
from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of
from steadfast.schema.corpora import CorpusName

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = Path(os.environ.get("STEADFAST_CORPORA", REPOSITORY / ".." / "shared" / "corpora"))
BUDGETS = {"4k": 3, "8k": 6, "16k": 13, "32k": 28, "64k": 60, "128k": 120}  # 1,024 tokens
BUILT = {"list": lists.contexts, "multidoc": multidoc.contexts, "onedoc": onedoc.contexts}
LARGEST_UNIT = {"list": 48, "multidoc": 700, "onedoc": 1500}

pytestmark = pytest.mark.skipif(
    not TEXTS.is_dir(), reason=f"no corpora in {TEXTS}; set STEADFAST_CORPORA"
)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """The file of each corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    paths = {name: folder / f"{name}.jsonl" for name in get_args(CorpusName)}
    for name, path in paths.items():
        write_jsonl(path, local.corpus({}, name, directory=str(TEXTS)))
    return paths


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_length_is_filled(scenario, real):
    paths = {name: real[name] for name in facts_of(scenario)["corpora"]}
    for length, thousands in BUDGETS.items():
        budget = 1024 * thousands
        (context,) = BUILT[scenario](
            paths, length=length, budget=budget, seeds=[1], tokenizer="o200k_base"
        )
        assert load_tokenizer("o200k_base").count(context["text"]) == context["tokens"]
        assert budget - LARGEST_UNIT[scenario] < context["tokens"] <= budget
