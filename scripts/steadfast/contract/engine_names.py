"""The engines by name, and groups of engines that others distinguish."""

# The function that builds each engine, by name, so that a job imports its own engine only, and a
# rule depends on no other.
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
# The function that checks what each engine's models need of a machine (``doctor.check.Needed``);
# other engines need nothing.
NEEDS = {
    "openai": "steadfast.doctor.models:api_checks",
    "anthropic": "steadfast.doctor.models:api_checks",
    "gemini": "steadfast.doctor.models:api_checks",
    "vllm": "steadfast.doctor.models:vllm_checks",
}
# Engines whose packages conflict with the locked base: the module whose presence in an interpreter
# shows that it has them, and the environment's folder beside the workflow.
OWN_ENVIRONMENT = {"vllm": ("vllm", ".venv-vllm")}
# Engines whose responses a benchmark's simulator makes.
SIMULATED_ENGINES = frozenset({"reference", "simulated", "baseline"})
# Engines without a model: they cost nothing and keep no journal.
WITHOUT_MODEL = SIMULATED_ENGINES | {"replay"}
# Engines whose models are behind an API.
BEHIND_APIS = frozenset({"openai", "anthropic", "gemini"})
# Engines that load the model into the job.
LOADS = frozenset({"vllm"})
