"""Rule plan_rewrites: what rewriters would take, before there are prompts; nothing is sent."""

from collections.abc import Mapping
from pathlib import Path

from steadfast.base.files import Record, Settings, write_rows, write_text
from steadfast.base.paths import REWRITES, JournalFolders, rewrites_journal_path
from steadfast.contract.part_files import judge_items, read_judge_prompts
from steadfast.engines.asking.journal import final_hashes
from steadfast.engines.cost.forecast import COLUMNS, CachedTokenizer
from steadfast.plan.model import PlannedModel
from steadfast.plan.page import page
from steadfast.workflow.script import paths, run_rule


def plan_rewrites(
    benchmark: str,
    rewriters: Mapping[str, Settings],
    requests: Mapping[str, Path],
    results: Path,
    hardware: Settings,
    elsewhere: Mapping[str, int],
    out_md: Path,
    out_csv: Path,
) -> None:
    """Writes what each rewriter would take.

    Args:
        benchmark: its name.
        rewriters: of each its ``answers`` and ``plan`` settings.
        requests: what is asked in each round that is known, as judge prompts.
        results: folder of all results, which holds the journals.
        hardware: the config's.
        elsewhere: by rewriter, the jobs of other benchmarks that share its loads.
        out_md: the plan for people.
        out_csv: the plan, a row a rewriter and round.

    Raises:
        UserError: a file is damaged.
    """
    tokenizers: dict[str, CachedTokenizer] = {}
    planned = {
        name: PlannedModel(
            name, **of, hardware=hardware, folders=JournalFolders(results, name, REWRITES)
        )
        for name, of in rewriters.items()
    }
    rows: list[Record] = []
    for round, asked in requests.items():
        items = judge_items(read_judge_prompts(asked))
        for name in rewriters:
            known = final_hashes(rewrites_journal_path(results, benchmark, name, round))
            row, _ = planned[name].of_part(items, known, tokenizers)
            rows.append({"model": name, "part": round, "judges": "", **row})
    remarks = [
        remark
        for name, rewriter in planned.items()
        for remark in rewriter.add_requested(
            [row for row in rows if row["model"] == name], elsewhere=elsewhere.get(name, 0)
        )
    ]
    write_rows(out_csv, COLUMNS, rows)
    write_text(
        out_md, "\n".join(page(f"{benchmark}: {REWRITES}", rows, (), misfits=remarks)) + "\n"
    )


if job := globals().get("snakemake"):
    out = Path(job.output.md)
    run_rule(
        plan_rewrites,
        job,
        benchmark=job.wildcards.benchmark,
        rewriters=job.params.rewriters,
        requests=dict(zip(job.params.rounds, paths(job.input.requests), strict=True)),
        results=out.parents[1],
        hardware=job.params.hardware,
        elsewhere=job.params.elsewhere,
        out_md=out,
        out_csv=Path(job.output.csv),
    )
