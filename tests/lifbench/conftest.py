"""Synthetic corpora, and the contexts that are built from them."""

from pathlib import Path
from typing import get_args

import pytest

from steadfast.base.files import Record, write_jsonl
from steadfast.corpora import synthetic
from steadfast.corpora.contexts import lists, multidoc, onedoc
from steadfast.corpora.contexts.domains import facts_of
from steadfast.schema.corpora import CorpusName

TOKENS = 60_000
MODULES = {"list": lists, "multidoc": multidoc, "onedoc": onedoc}


@pytest.fixture(scope="session")
def corpora(tmp_path_factory) -> dict[str, Path]:
    """The file of each corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    paths = {name: folder / f"{name}.jsonl" for name in get_args(CorpusName)}
    for name, path in paths.items():
        write_jsonl(path, synthetic.corpus({}, name, 1, TOKENS))
    return paths


@pytest.fixture(scope="session")
def build(corpora):
    """Builds the contexts of some seeds, of the paper's domain or another."""

    def build_contexts(
        scenario, budget=3072, seeds=(1,), tokenizer="o200k_base", domain="", paths=None, **settings
    ) -> list[Record]:
        facts = dict(facts_of(scenario, domain))
        inputs = {name: corpora[name] for name in facts.pop("corpora")} | (paths or {})
        if domain:
            settings |= facts | {"domain": domain}
        settings = {"length": "4k"} | settings
        contexts = MODULES[scenario].contexts
        return list(contexts(inputs, budget=budget, seeds=seeds, tokenizer=tokenizer, **settings))

    return build_contexts
