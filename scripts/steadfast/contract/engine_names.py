"""The engines by name: what makes each, and what others have to know of them."""

ENGINES = {
    "reference": "steadfast.engines.simulated:ReferenceEngine",
    "simulated": "steadfast.engines.simulated:SimulatedEngine",
    "baseline": "steadfast.engines.simulated:BaselineEngine",
    "replay": "steadfast.engines.simulated:ReplayEngine",
    "openai": "steadfast.engines.api.engines:build",
    "anthropic": "steadfast.engines.api.engines:build",
    "gemini": "steadfast.engines.api.engines:build",
    "vllm": "steadfast.engines.vllm.copies:build",
}
"""What makes each engine of its setup, by name, so that only its own module is imported, and a
rule depends on no other; those behind APIs are made in one place."""
NEEDS = {
    "openai": "steadfast.doctor.models:api_needs",
    "anthropic": "steadfast.doctor.models:api_needs",
    "gemini": "steadfast.doctor.models:api_needs",
    "vllm": "steadfast.doctor.models:vllm_needs",
}
"""What says of each engine what its models need of the surroundings (``doctor.check.Needed``); an
engine that is not here needs nothing."""
OWN_ENVIRONMENT = {"vllm": ("vllm", ".venv-vllm")}
"""Engines whose packages have no solution together with the locked base: the module by which an
interpreter is known to have them, and the environment's folder beside the workflow."""
SIMULATED_ENGINES = frozenset({"reference", "simulated", "baseline"})
"""Engines that answer from what a benchmark knows."""
WITHOUT_MODEL = SIMULATED_ENGINES | {"replay"}
"""Engines without a model: they cost nothing and keep no journal."""
BEHIND_APIS = frozenset({"openai", "anthropic", "gemini"})
"""Engines whose models answer behind an API."""
LOADS = frozenset({"vllm"})
"""Engines that load the model into the job."""
