"""The settings of a model that vLLM runs in the job."""

from typing import Any, Literal

from pydantic import Field

from steadfast.schema.model_base import SamplingModel
from steadfast.schema.model_parts import MOST_GPUS, MOST_TOKENS
from steadfast.schema.strict import role


class VllmModel(SamplingModel):
    """A model that runs in the job itself, offline, on this machine's GPUs (or CPU)."""

    engine: Literal["vllm"]
    model: str = Field(
        description="Hub id, such as Qwen/Qwen2.5-7B-Instruct, or a directory.",
        json_schema_extra={"role": "answer"},
    )
    window: int = Field(
        description="Tokens of prompt and answer together that the model takes; the engine's "
        "max_model_len.",
        ge=256,
        le=MOST_TOKENS,
        json_schema_extra={"role": "answer"},
    )
    revision: str | None = role("answer", None, "Commit of the model on the hub.")
    tokenizer: str | None = role(  # type: ignore[assignment]  # None: the model's own
        "answer", None, "Hub id or directory of the tokenizer, where it is not the model's own."
    )
    template: Literal["chat", "base"] = role(
        "answer",
        "chat",
        "chat: the model's chat template; base: none, with the suffix 'Output: ' (appendix E).",
    )
    system: str | None = role("answer", None, "System message before the prompt.", verbatim=True)
    template_args: dict[str, Any] = role(
        "answer", {}, "Further variables of the chat template, such as enable_thinking."
    )
    dtype: str = role("answer", "auto", "Data type of weights and activations.")
    quantization: str | None = role("answer", None, "Quantization method, as vLLM names it.")
    hf_overrides: dict[str, Any] = role(
        "answer", {}, "Changes to the model's own config, such as rope_parameters for YaRN."
    )
    seed: int = role(
        "answer", 0, "Seed of the engine, and of sampling, where it is one more for each draw."
    )
    engine_args: dict[str, Any] = role(
        "answer", {}, "Further arguments of vLLM's LLM that may change answers."
    )
    batch_invariant: bool = role(
        "answer",
        False,
        "vLLM's batch-invariant kernels: an answer does not depend on what is asked beside it.",
    )
    python: str | None = role(
        "operation",
        None,
        "Interpreter of the jobs, with vLLM and the base requirements; by default the one they are "
        "in where it has vLLM, else that of `make vllm`, .venv-vllm.",
    )
    tensor_parallel_size: int = role(
        "operation", 1, "GPUs that share the model.", ge=1, le=MOST_GPUS
    )
    data_parallel_size: int = role(
        "operation",
        1,
        "Copies of the model in one job, which share out the contexts; each has GPUs of its own.",
        ge=1,
        le=MOST_GPUS,
    )
    gpu_memory_utilization: float = role(
        "operation", 0.9, "Share of the GPUs' memory that vLLM takes.", gt=0, le=1
    )
    batch: int | None = role(
        "operation",
        None,
        "Requests under way at once; by default as many as vLLM has by itself.",
        ge=1,
    )
    engine_operation_args: dict[str, Any] = role(
        "operation", {}, "Further arguments of vLLM's LLM that change no answer."
    )
