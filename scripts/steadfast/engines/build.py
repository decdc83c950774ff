"""From a model's settings to its engine: the one place that knows the engines by name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from steadfast.engines.base import Engine
from steadfast.engines.request import Oracle
from steadfast.errors import UserError
from steadfast.tokens import load_tokenizer

FITTING = frozenset({"engine", "window", "on_overflow", "tokenizer", "template_tokens"})
"""Settings that act on the prompt: what they change is in the rendered prompt's hash."""


def build_engine(
    answers: Mapping[str, Any],
    operation: Mapping[str, Any],
    oracle: Oracle,
    log: Callable[[str], None],
    journal: Path | None = None,
) -> Engine:
    """The engine of a model; only its own module is imported.

    Args:
        answers: what determines the responses, with the key ``engine``.
        operation: how requests are sent.
        oracle: the benchmark's, for the engines without a model.
        log: takes lines for the log while the engine runs.
        journal: the job's; what an engine must not forget lies beside it.

    Raises:
        UserError: there is no such engine, or its settings point nowhere.
    """
    own = {key: value for key, value in answers.items() if key not in FITTING}
    match answers["engine"]:
        case "reference":
            from steadfast.engines.reference import ReferenceEngine

            return ReferenceEngine(oracle)
        case "simulated":
            from steadfast.engines.simulated import SimulatedEngine

            tokenizer = load_tokenizer(answers.get("tokenizer") or "o200k_base")
            return SimulatedEngine(own, oracle, tokenizer)
        case "replay":
            from steadfast.engines.replay import ReplayEngine

            return ReplayEngine(operation["file"], operation.get("fields"))
        case "openai" if operation.get("batch") == "files":
            from steadfast.engines.batch_local import BatchFilesEngine

            return BatchFilesEngine(own, operation, log, journal)
        case "openai" if operation.get("batch"):
            from steadfast.engines.batch_api import BatchEngine

            return BatchEngine(own, operation, log, journal)
        case "openai":
            from steadfast.engines.openai_api import OpenaiEngine

            return OpenaiEngine(own, operation, log, journal)
        case "vllm":
            from steadfast.engines.vllm_engine import VllmEngine

            local = {name: answers.get(name) for name in ("window", "tokenizer")}
            return VllmEngine({**own, **local}, operation, log, journal)
    raise UserError(
        f"engine: there is no {answers['engine']!r}; use reference, simulated, replay, openai or "
        "vllm"
    )
