"""What all sections of the config share."""

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""Names of models and lengths: they name files."""


class StrictModel(BaseModel):
    """A section whose unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


def role(name: str, default: Any, description: str, **kwargs: Any) -> Any:
    """A field of a model's settings, and who may notice a change of it (``schema.models``)."""
    return Field(default, description=description, json_schema_extra={"role": name}, **kwargs)
