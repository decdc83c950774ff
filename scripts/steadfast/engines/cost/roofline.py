"""How long a model takes for some requests on some GPUs: a roofline (docs/cost.md).

Prefill is bound by computation, decoding by reading weights and KV cache; what a GPU does of either
at most, and the share of it that an engine reaches, are facts in resources/engines/hardware.yaml.
"""

import json
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path

from steadfast.base.files import Settings
from steadfast.base.resources import facts

BYTES = 2  # of a weight, or of an element of the KV cache, in bfloat16
BILLION = 1e9
HEAD = 128  # elements of an attention head, in most models


@dataclass(frozen=True)
class ModelSize:
    """What a model's own files say of its size."""

    parameters: float
    active: float  # those that a token takes part in; fewer than all where experts are chosen
    layers: float
    hidden: float  # elements of a token's state
    kv: float  # elements of a token's keys in a layer; its values have as many
    weight_bytes: float  # of all weights

    @classmethod
    def stated(cls, size: Settings) -> "ModelSize":
        """As the config has it; what is missing follows from the parameters, as in most models."""
        parameters = size["parameters"] * BILLION
        layers = size.get("layers") or round((parameters / (12 * HEAD**2)) ** (1 / 3))
        return cls(
            parameters,
            (size.get("active") or size["parameters"]) * BILLION,
            layers,
            size.get("hidden") or HEAD * layers,
            size.get("kv") or 8 * HEAD,
            parameters * (size.get("bits") or 8 * BYTES) / 8,
        )

    @classmethod
    def of_checkpoint(cls, folder: Path) -> "ModelSize | None":
        """As the files of a checkpoint have it; None where they do not say."""
        try:
            config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            config = config.get("text_config") or config
            layers, hidden = config["num_hidden_layers"], config["hidden_size"]
            heads = config["num_attention_heads"]
            kv_heads = config.get("num_key_value_heads") or heads
            head = config.get("head_dim") or hidden // heads
            vocabulary = config["vocab_size"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        inner = config.get("intermediate_size") or 4 * hidden
        attention = 2 * hidden * head * (heads + kv_heads)
        active = layers * (attention + 3 * hidden * inner) + 2 * vocabulary * hidden
        found = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
        parameters = max(active, found / BYTES)
        return cls(parameters, active, layers, hidden, head * kv_heads, found or parameters * BYTES)

    @property
    def token_bytes(self) -> float:
        """Bytes of the KV cache that a token takes."""
        return 2 * self.layers * self.kv * BYTES


@dataclass(frozen=True)
class Work:
    """What is asked of a model."""

    requests: int
    prompt: int  # tokens of prompts, of each request in full
    distinct: int  # those left when prompts share their prefix
    output: int  # tokens of all answers
    contexts: int  # groups of requests that share a prefix

    @classmethod
    def sum(cls, works: Iterable["Work"]) -> "Work":
        """All that is asked in several jobs, or about several draws."""
        return cls(*map(sum, zip(*map(astuple, works), strict=True)))


@dataclass(frozen=True)
class Machine:
    """The GPUs of a job."""

    gpus: int  # that share the model
    memory: float  # bytes of one GPU
    bandwidth: float  # bytes per second of one
    flops: float  # floating-point operations per second of one, in bfloat16
    load: float  # bytes per second at which weights are read

    @classmethod
    def of(cls, hardware: Settings, gpus: int) -> "Machine | None":
        """As the config's ``hardware`` has it; None where it names no GPU, or the job has none."""
        named = hardware.get("gpu")
        if not named or not gpus:
            return None
        known = facts("engines/hardware.yaml")
        gpu = known["gpus"][named]
        read = hardware.get("load_gb_per_second") or known["load"]["gb_per_second"]
        return cls(
            gpus,
            gpu["memory_gb"] * BILLION,
            gpu["bandwidth_gb_s"] * BILLION,
            gpu["tflops"] * 1e12,
            read * BILLION,
        )


def hardware_fact(section: str, name: str) -> float:
    """A number of resources/engines/hardware.yaml."""
    return float(facts("engines/hardware.yaml")[section][name])


def load_seconds(size: ModelSize, machine: Machine) -> float:
    """Seconds until a model can be asked."""
    return hardware_fact("load", "start_seconds") + size.weight_bytes / machine.load


def work_seconds(work: Work, size: ModelSize, machine: Machine, at_once: int) -> float:
    """Seconds that a loaded model takes for requests, if the memory holds it with one of them."""
    if not work.requests:
        return 0.0
    compute = machine.gpus * machine.flops * hardware_fact("efficiency", "compute")
    bandwidth = machine.gpus * machine.bandwidth * hardware_fact("efficiency", "bandwidth")
    prompt, answer = work.prompt / work.requests, work.output / work.requests
    # Of contexts, which the requests of each share.
    held = max(1, room(size, machine) // (prompt + answer))
    running = max(1, min(at_once, work.requests, held * work.requests / work.contexts))
    # A token of a prompt looks back on half of it, one of an answer on all of it.
    looked_back = 4 * size.layers * size.hidden * (work.distinct * prompt / 2)
    steps = work.output / running
    prefill = (2 * size.active * work.distinct + looked_back) / compute
    step = size.weight_bytes / bandwidth + hardware_fact("efficiency", "step_seconds")
    cache = work.output * prompt * size.token_bytes / bandwidth
    return prefill + steps * step + cache + 2 * size.active * work.output / compute


def room(size: ModelSize, machine: Machine) -> float:
    """Tokens that the KV cache holds; negative where the weights alone do not fit."""
    usable = machine.gpus * machine.memory * hardware_fact("efficiency", "memory")
    return (usable - size.weight_bytes) / size.token_bytes


def gpus_needed(size: ModelSize, hardware: Settings, tokens: int) -> int | None:
    """The least power of two of GPUs that hold the model and a request of so many tokens."""
    for gpus in (1 << power for power in range(8)):
        machine = Machine.of(hardware, gpus)
        if machine is None:
            return None
        if room(size, machine) >= tokens:
            return gpus
    return None
