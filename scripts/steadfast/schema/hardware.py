"""The section of the config on the machines that jobs run on: what the plan reckons with."""

from pydantic import Field, field_validator

from steadfast.base.names import nearest, shown
from steadfast.base.resources import facts
from steadfast.schema.strict import StrictModel


class Hardware(StrictModel):
    """The machines of the jobs, for the plan's hours and for what a job asks for."""

    gpu: str | None = Field(
        default=None,
        description="The GPUs, by their name in resources/engines/hardware.yaml, such as h100 or "
        "a100; null: unknown.",
    )
    load_gb_per_second: float | None = Field(
        default=None,
        gt=0,
        le=1e6,
        description="Speed at which weights are read, in GB/s; by default 1.",
    )
    max_hours: float | None = Field(
        default=None,
        gt=0,
        le=10_000,
        description="Hours that one job, or the jobs of one load of a model together, ask for at "
        "most, such as a partition's limit.",
    )
    margin: float = Field(
        default=2.0,
        ge=1,
        le=10,
        description="Time that a job asks for, as a multiple of the expected.",
    )

    @field_validator("gpu")
    @classmethod
    def _known_gpu(cls, gpu: str | None) -> str | None:
        known = facts("engines/hardware.yaml")["gpus"]
        if gpu is not None and gpu not in known:
            raise ValueError(f"unknown GPU {shown(gpu)}; {nearest(gpu, known)}")
        return gpu
