"""Rule scores: one model's answers to one part, scored."""

from pathlib import Path

from steadfast.stages.samples import PartFiles
from steadfast.stages.score import score_part
from steadfast.workflow import paths, run_rule

if "snakemake" in globals():
    run_rule(
        score_part,
        snakemake.log,
        part=PartFiles.of(snakemake),
        scoring=snakemake.params.scoring,
        outputs=Path(snakemake.input.outputs),
        verdicts=dict(zip(snakemake.params.judges, paths(snakemake.input.verdicts), strict=True)),
        out=Path(snakemake.output.scores),
    )
