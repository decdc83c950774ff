"""Corpora and the long contexts built from them, as data files of a benchmark."""

import os
from collections.abc import Mapping
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Component
from steadfast.contract.task import DataFile, Needs
from steadfast.corpora import local
from steadfast.schema.config import Config
from steadfast.schema.corpora import CorpusName

# The module in ``corpora.contexts`` that makes each kind of context.
BUILDERS = {"list": "lists", "multidoc": "multidoc", "onedoc": "onedoc", "filler": "filler"}
FOLDER = "corpora"
PUBLIC_HUB = "https://huggingface.co"
LEAST_TOKENS = 128 * 1024  # of a synthetic corpus


def corpus_file(config: Config, corpus: CorpusName, tokens: int, folder: str = FOLDER) -> DataFile:
    """The file of a corpus, from the config's source of raw text.

    Each benchmark has its synthetic text in its own folder: its size depends on the ``tokens`` of
    the benchmark's contexts, and no benchmark's contexts may depend on another's.
    """
    source = config.corpora.source
    settings: Record = {"corpus": corpus}
    files = list[Path]()
    needs = Needs()
    match source:
        case "synthetic":
            # The next power of two, so that slightly longer contexts need no other corpus.
            tokens = max(LEAST_TOKENS, 1 << (tokens - 1).bit_length())
            settings |= {"seed": config.seed, "tokens": tokens}
        case "local":
            settings["directory"] = config.corpora.directory
            if local_file := config.corpora.local.get(corpus):
                settings |= local_file.model_dump()
            files, _ = local.corpus_files(corpus, settings["directory"], settings.get("glob"))
        case "hub":
            if data_set := config.corpora.hub.get(corpus):
                settings |= data_set.model_dump(exclude_none=True)
            else:
                settings |= facts("corpora/hub.yaml")[corpus]
            hub = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC_HUB
            revision = f"{settings['repo']}/revision/{settings['revision']}"
            needs = Needs((f"{hub}/api/datasets/{revision}",))
    return DataFile(
        f"{folder if source == 'synthetic' else FOLDER}/{corpus}.jsonl",
        "corpus",
        Component(f"steadfast.corpora.{source}:corpus", settings),
        files=tuple(map(str, files)),
        needs=needs,
    )


def contexts_file(
    path: str, scenario: str, corpora: Mapping[str, str], settings: Settings
) -> DataFile:
    """The file of the contexts of a scenario and length.

    Args:
        path: of the file.
        scenario: a key of ``BUILDERS``.
        corpora: paths of the corpora that the contexts are built from, by name.
        settings: further arguments of ``corpora.contexts.filling.seeded_contexts``.
    """
    made_by = f"steadfast.corpora.contexts.{BUILDERS[scenario]}:contexts"
    return DataFile(path, "contexts", Component(made_by, settings), dict(corpora))
