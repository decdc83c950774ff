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
    judge_settings,
    model_settings,
    models_of,
    operation_settings,
    plan_settings,
    planned,
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
    "judge_settings",
    "load_config",
    "model_settings",
    "models_of",
    "nearest",
    "operation_settings",
    "plan_settings",
    "planned",
    "references",
    "replay_file",
    "resource",
    "scored_models",
]
