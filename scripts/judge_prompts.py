"""Rule judge_prompts: what is asked of a judge about one model's answers."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.contract.part_files import PartFiles
from steadfast.judging.ask_judge import write_judge_prompts
from steadfast.workflow.script import run_rule

if "snakemake" in globals():
    outputs = Path(snakemake.input.outputs)
    run_rule(
        write_judge_prompts,
        snakemake,
        reads=[Seal.beside(outputs, snakemake.params.made_from)],
        part=PartFiles.of(snakemake),
        judge_prompts=snakemake.params.judge_prompts,
        outputs=outputs,
        draws=snakemake.params.draws,
        templates=snakemake.params.templates,
        out=Path(snakemake.output.judging),
    )
