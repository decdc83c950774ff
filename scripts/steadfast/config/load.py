"""Checks a config against the schema; every error is one sentence that names the key."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, create_model

from steadfast.base.errors import UserError
from steadfast.base.names import quoted, suggestion
from steadfast.config.validation_errors import first_error
from steadfast.config.values import check_plain, check_values
from steadfast.contract import registry
from steadfast.schema.config import Config
from steadfast.schema.strict import section


@cache
def config_model(
    requested: frozenset[str] = frozenset(), members: tuple[str, ...] = ()
) -> type[Config]:
    """The schema with a section for each benchmark of this package, and for those ``requested``.

    ``members`` are the names of benchmarks that the config itself defines (datasets).
    """
    installed = list(registry.installed())
    benchmark_names = (*installed, *members)
    benchmarks_field = Field(
        default=list(members) or installed[:1],
        description=f"Benchmarks to run: {', '.join(installed)}, and names under datasets; by "
        "default all names under datasets, or lifbench without any.",
        min_length=1,
    )
    sections: dict[str, Any] = {}
    for name, benchmark in registry.benchmarks(requested).items():
        description = f"Settings of {benchmark.title}."
        sections[name] = (benchmark.section, section(benchmark.section, description))
    for key, family in registry.families().items():
        checked = AfterValidator(registry.checked_members)
        named = Annotated[dict[str, family.section], checked]  # type: ignore[name-defined]
        sections[key] = (named, Field(default={}, description=f"{family.title} by name."))
    return create_model(
        "Config",
        __base__=Config,
        __doc__="The whole config.",
        benchmarks=(list[Literal[benchmark_names]], benchmarks_field),  # type: ignore[valid-type]
        **sections,
    )


def load_config(raw: Mapping[str, Any]) -> Config:
    """The typed config.

    Args:
        raw: the config as Snakemake read it from YAML and the command line.

    Raises:
        UserError: one sentence on the first error.
    """
    check_plain(raw)
    model = config_model(_requested(raw), _defined_names(raw))
    try:
        config = model.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError(first_error(model, error)) from None
    check_values(config)
    _check_task_names(config)
    for name in config.benchmarks:
        benchmark = registry.benchmarks_of(config)[name]
        benchmark.check_config(config)
        if not config.judges and benchmark.of(config).judging:
            raise UserError(f"config: judges: {name} needs a judge; add one under judges")
    return config


def _requested(raw: Mapping[str, Any]) -> frozenset[str]:
    """The installed benchmarks that a config lists, or has a section for."""
    listed = raw.get("benchmarks")
    names = [*raw.keys() - Config.model_fields.keys()]
    if isinstance(listed, list):
        names += listed
    # Members of the list may be of any type: it is not yet checked.
    return frozenset(name for name in registry.installed() if name in names)


def _defined_names(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the benchmarks that a config itself defines."""
    names: list[str] = []
    for key in registry.families():
        family = raw.get(key)
        if isinstance(family, Mapping):
            names += family
    return tuple(names)


def _check_task_names(config: Config) -> None:
    """Checks that output limits name tasks; a benchmark without a list of tasks allows any."""
    configured = registry.benchmarks_of(config).values()
    if not all(benchmark.task_names for benchmark in configured):
        return
    tasks: set[str] = set()
    for benchmark in configured:
        tasks.update(benchmark.task_names, benchmark.of(config).task_names)
    for name, model in config.models.items():
        for task in model.max_tokens if isinstance(model.max_tokens, dict) else ():
            if task not in tasks:
                raise UserError(
                    f"config: models.{name}.max_tokens: unknown task {quoted(task)}; "
                    f"{suggestion(task, tasks)}"
                )
