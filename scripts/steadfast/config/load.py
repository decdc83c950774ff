"""Checks a config against the schema; every complaint is one sentence that names the key."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, create_model

from steadfast.base.errors import UserError
from steadfast.base.names import nearest, shown
from steadfast.config.complaint import complaint
from steadfast.config.values import check_plain, check_values
from steadfast.contract.registry import (
    benchmarks,
    benchmarks_of,
    checked_members,
    families,
    installed,
)
from steadfast.schema.config import Config
from steadfast.schema.strict import section


@cache
def config_model(
    asked: frozenset[str] = frozenset(), members: tuple[str, ...] = ()
) -> type[Config]:
    """The schema with a section for each benchmark of this package, and for those asked for.

    ``members`` are the names of benchmarks of which the config says what they are.
    """
    known = (*installed(), *members)
    chosen = Field(
        default=list(members) or [known[0]],
        description=f"Benchmarks that run: {', '.join(installed())}, and names under datasets; by "
        "default these, or lifbench where there are none.",
        min_length=1,
    )
    sections: dict[str, Any] = {
        name: (one.section, section(one.section, f"{one.title}'s settings."))
        for name, one in benchmarks(asked).items()
    }
    for key, family in families().items():
        named = Annotated[dict[str, family.section], AfterValidator(checked_members)]  # type: ignore[name-defined]
        sections[key] = (named, Field(default={}, description=f"{family.title} by name."))
    return create_model(
        "Config",
        __base__=Config,
        __doc__="The whole config.",
        benchmarks=(list[Literal[known]], chosen),  # type: ignore[valid-type]
        **sections,
    )


def load_config(raw: Mapping[str, Any]) -> Config:
    """The typed config.

    Args:
        raw: what Snakemake read from YAML and the command line.

    Raises:
        UserError: one sentence for the first thing that is wrong.
    """
    check_plain(raw)
    model = config_model(_asked(raw), _members(raw))
    try:
        config = model.model_validate(dict(raw))
    except ValidationError as error:
        raise UserError(complaint(model, error)) from None
    check_values(config)
    _check_task_names(config)
    for name in config.benchmarks:
        chosen = benchmarks_of(config)[name]
        chosen.check_config(config)
        if not config.judges and chosen.of(config).judging:
            raise UserError(f"config: judges: {name} needs a judge; name one under judges")
    return config


def _asked(raw: Mapping[str, Any]) -> frozenset[str]:
    """The installed benchmarks that a config names, or has a section of."""
    listed = raw.get("benchmarks")
    named = [
        *raw.keys() - Config.model_fields.keys(),
        *(listed if isinstance(listed, list) else ()),
    ]
    return frozenset(name for name in installed() if name in named)


def _members(raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The benchmarks of which a config says what they are."""
    found = (raw.get(key) for key in families())
    return tuple(name for of in found if isinstance(of, Mapping) for name in of)


def _check_task_names(config: Config) -> None:
    """Output limits name tasks of benchmarks; those of one that lists none may have any name."""
    limits = [(n, m.max_tokens) for n, m in config.models.items() if isinstance(m.max_tokens, dict)]
    there = benchmarks_of(config).values()
    if not limits or not all(one.task_names for one in there):
        return
    known = {task for one in there for task in (*one.task_names, *one.of(config).task_names)}
    for name, by_task in limits:
        for task in by_task:
            if task not in known:
                raise UserError(
                    f"config: models.{name}.max_tokens: unknown task {shown(task)}; "
                    f"{nearest(task, known)}"
                )
