"""Rule plan_benchmark: what every model and part would take."""

from pathlib import Path

from steadfast.contract.part_files import PartFiles, sources_by_part
from steadfast.plan.requests import plan_requests
from steadfast.workflow.script import paths, run_rule

if "snakemake" in globals():
    sources = sources_by_part(snakemake.params.sources, snakemake.input.sources)
    files = zip(sources.items(), paths(snakemake.input.prompts), strict=True)
    out = Path(snakemake.output.md)
    certificates = paths(snakemake.output.certificate)
    run_rule(
        plan_requests,
        snakemake,
        engines=[
            snakemake.config[kind][name]
            for kind, names in (
                ("models", snakemake.params.models),
                ("judges", snakemake.params.judges),
            )
            for name in names
        ],
        benchmark=snakemake.wildcards.benchmark,
        models=snakemake.params.models,
        judges=snakemake.params.judges,
        judges_of=snakemake.params.judges_of,
        parts=[
            PartFiles(part, snakemake.params.samples, prompts, of) for (part, of), prompts in files
        ],
        judge_prompts=snakemake.params.judge_prompts,
        templates=snakemake.params.templates,
        answer_tokens=snakemake.params.answer_tokens,
        limit=snakemake.params.limit,
        asked=snakemake.params.asked,
        results=out.parents[1],
        hardware=snakemake.params.hardware,
        elsewhere=snakemake.params.elsewhere,
        out_md=out,
        out_csv=Path(snakemake.output.csv),
        out_prompts=Path(snakemake.output.prompts),
        certificate=snakemake.params.certificate,
        out_certificate=certificates[0] if certificates else None,
    )
