"""The config: checked against its schema, and taken apart for the rules."""

from steadfast.config.load import load_config
from steadfast.config.names import nearest
from steadfast.config.resources import asked, resource
from steadfast.config.settings import (
    answer_settings,
    asked_models,
    corpus_files,
    corpus_source,
    display,
    model_settings,
    operation_settings,
    plan_settings,
    references,
    replay_file,
    scored_models,
)

__all__ = [
    "answer_settings",
    "asked",
    "asked_models",
    "corpus_files",
    "corpus_source",
    "display",
    "load_config",
    "model_settings",
    "nearest",
    "operation_settings",
    "plan_settings",
    "references",
    "replay_file",
    "resource",
    "scored_models",
]
