"""Synthetic corpora that contexts are built from."""

from pathlib import Path
from typing import get_args

import pytest

from steadfast.base.files import write_jsonl
from steadfast.corpora import synthetic
from steadfast.schema.corpora import CorpusName

TOKENS = 60_000


@pytest.fixture(scope="session")
def corpora(tmp_path_factory) -> dict[str, Path]:
    """The file of each corpus."""
    folder = tmp_path_factory.mktemp("corpora")
    paths = {name: folder / f"{name}.jsonl" for name in get_args(CorpusName)}
    for name, path in paths.items():
        write_jsonl(path, synthetic.corpus({}, name, 1, TOKENS))
    return paths
