"""Rule trial_prompts: a few of a part's prompts."""

from collections.abc import Sequence
from pathlib import Path

from steadfast.base.files import write_jsonl
from steadfast.contract.records import read_prompts
from steadfast.contract.trial import chosen_prompts
from steadfast.workflow.script import run_rule


def choose_prompts(
    prompts: Path, limit: int, together: str, spread: Sequence[str], seed: int, out: Path
) -> None:
    """Writes the prompts of a trial, as they stand among all prompts (``contract.trial``)."""
    whole = list(read_prompts(prompts))
    chosen = chosen_prompts(whole, limit, together, spread, seed)
    print(f"trial of {limit} of each task: {len(chosen):,} of {len(whole):,} prompts")
    write_jsonl(out, chosen)


if job := globals().get("snakemake"):
    run_rule(
        choose_prompts,
        job,
        prompts=Path(job.input.prompts),
        out=Path(job.output.prompts),
    )
