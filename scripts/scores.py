"""Rule scores: one model's answers to one part, scored."""

from pathlib import Path

from steadfast.base.seal import Seal
from steadfast.contract.part_files import PartFiles
from steadfast.stages.score import score_part
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    out, params = Path(snakemake.output.scores), snakemake.params
    answered = paths([snakemake.input.outputs, *snakemake.input.verdicts])
    run_rule(
        score_part,
        snakemake,
        reads=map(Seal.beside, answered, params.made_from.values()),
        part=PartFiles.of(snakemake),
        scoring=params.scoring,
        outputs=Path(snakemake.input.outputs),
        verdicts=dict(zip(params.judges, paths(snakemake.input.verdicts), strict=True)),
        draws=params.draws,
        out=out,
    )
