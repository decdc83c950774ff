"""LIFBench's section of the config."""

from typing import Literal

from pydantic import Field, field_validator

from steadfast.schema.strict import StrictModel, check_names

MAX_LENGTH = 2 * 1024 * 1024  # tokens


class Released(StrictModel):
    """Where LIFBench's own released files are taken from."""

    directory: str | None = Field(
        default=None,
        description=(
            "Directory with the released tasks.json and scores/*.csv; without one the pinned URLs "
            "are used."
        ),
    )


TaskName = Literal["OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"]


class Lifbench(StrictModel):
    """LIFBench: which contexts and prompts are built, and how they are scored."""

    lengths: dict[str, int] = Field(
        default={"4k": 3072, "8k": 6144, "16k": 13312},
        description=(
            "Name of each length and its token budget for the context; the published ones are "
            "4k 3072, 8k 6144, 16k 13312, 32k 28672, 64k 61440, 128k 122880. Any up to 2M tokens."
        ),
        min_length=1,
    )
    contexts_per_length: int = Field(
        default=1, ge=1, le=100, description="Contexts of each scenario and length, by seed."
    )
    tasks: list[TaskName] = Field(
        default=["OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"],
        description="Tasks that run.",
        min_length=1,
    )
    expressions: Literal["own", "released"] = Field(
        default="own",
        description="own: the project's templates; released: the published ones.",
    )
    released: Released = Field(
        default_factory=Released, description="Where the published templates come from."
    )
    rubric: Literal["released", "corrected"] = Field(
        default="released",
        description=(
            "released: the published scorer, point by point, with its quirks; corrected: what each "
            "score point's name says (docs/rubrics.md). Scores have both; tables show this one."
        ),
    )
    weighting: Literal["rubric", "mean"] = Field(
        default="rubric",
        description="Overall ARS: weighted by the rubric (equation 3), or the plain mean.",
    )

    @field_validator("lengths")
    @classmethod
    def _lengths(cls, lengths: dict[str, int]) -> dict[str, int]:
        check_names("length", lengths, dots=False)
        for name, budget in lengths.items():
            if not 512 <= budget <= MAX_LENGTH:
                raise ValueError(
                    f"length {name}: a budget of {budget:,} tokens is not between 512 and "
                    f"{MAX_LENGTH:,}"
                )
        return dict(sorted(lengths.items(), key=lambda item: item[1]))

    @field_validator("tasks")
    @classmethod
    def _tasks_once(cls, tasks: list[str]) -> list[str]:
        if len(set(tasks)) < len(tasks):
            raise ValueError("a task is named twice")
        return tasks
