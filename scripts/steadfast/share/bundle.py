"""Rule bundle: a run as one file that another machine makes the same tables of."""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from steadfast import __version__
from steadfast.base import files
from steadfast.base.commit import asked_of_git
from steadfast.base.errors import UserError
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import resource
from steadfast.base.seal import Seal
from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, replaced
from steadfast.contract.exports import About, Source
from steadfast.contract.registry import packages
from steadfast.contract.request import FINAL
from steadfast.engines.api.redaction import Redaction
from steadfast.engines.asking.journal import final_tiers
from steadfast.run.evaluation import Evaluation
from steadfast.run.lineage import Lineage
from steadfast.run.rounds import decided
from steadfast.share import contents
from steadfast.share.archive import files_below, write_archive
from steadfast.share.contents import Made
from steadfast.workflow.script import run_rule

SECRETS = (
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
)
"""Environment variables that hold keys, beside those that the config names."""


def bundle_results(
    config: files.Settings,
    shortened: Mapping[str, str],
    own_files: Mapping[str, str],
    key_variables: Iterable[str],
    lineages: Mapping[str, str],
    results: Path,
    out: Path,
    snakefile: Path,
    rounds: Mapping[str, Mapping[str, int]] | None = None,
    noise: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Writes the bundle: config, data, answers and journals, tables, and what the workflow was.

    Equal results give equal bytes. No clock, host, address, absolute path or key is in it, but for
    what a model or server wrote. ``shortened`` gives texts of the identities, such as a
    checkpoint's path, by what stands for each; ``rounds`` are those of an adaptive run
    (``Evaluation.rounds``), ``noise`` is what was measured of it (``Lineage.measured_noise``).
    """
    run = Evaluation(load_config(config))
    run.rounds = {name: dict(asked) for name, asked in (rounds or {}).items()}
    steps = Lineage(run)
    with files.partial_folder(out.with_suffix("")) as staging:
        folder = staging / "files"
        files.write_text(folder / contents.CONFIG, as_yaml(config))
        for path in contents.files_of(own_files):
            _copy(Path(path), folder / path)
        answers = {made.path: made for made in contents.answers(run, steps)}
        for path, made in answers.items():
            _take(results, folder / contents.ANSWERS, made, lineages[path], shortened)
        for made in (one for one in contents.noise(run, steps) if one.path in noise):
            _take(results, folder / contents.ANSWERS, made, noise[made.path][0], shortened)
        _take_journals(
            run, results, folder, {p for p in answers if answers[p].lineage == lineages[p]}
        )
        _take_decisions(run, results, folder / contents.ANSWERS)
        _take_made(run, steps, results, folder / contents.MADE)
        _copy(snakefile, folder / contents.WORKFLOW)
        files.write_text(folder / contents.README, _readme(run))
        _write_manifest(folder, answers.values(), packages(run.config))
        _check_secrets(key_variables, folder)
        write_archive(folder, out)


def files_in(folder: Path) -> list[str]:
    """The names of all files below a folder."""
    return [path.relative_to(folder).as_posix() for path in files_below(folder)]


def _copy(source: Path, to: Path) -> None:
    if not source.is_file():
        raise UserError(f"{source}: no such file; run the workflow once more")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


def _take(results: Path, to: Path, made: Made, lineage: str, shortened: Mapping[str, str]) -> None:
    """Copies a file and the identity beside it, with the lineage by the bundle's config."""
    _copy(results / made.path, to / made.path)
    seal = Seal.beside(results / made.path, lineage)
    seal.check()
    identity = replaced(files.read_json(seal.identity), shortened) | {"lineage": made.lineage}
    files.write_json(to / contents.identity_path(made.path), identity)


def _take_journals(run: Evaluation, results: Path, folder: Path, same: Iterable[str]) -> None:
    """The answers by their requests; of a model whose settings were shortened they have others."""
    for job in run.jobs:
        journal = results / job.journal
        if job.outputs in same and journal.exists():
            path = folder / contents.ANSWERS / job.journal
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(_final_lines(journal)))


def _final_lines(journal: Path) -> list[bytes]:
    """The last final response to each request, in the order of their hashes: not as they came."""
    known, found = final_tiers(journal), {}
    for line in journal.read_bytes().splitlines(keepends=True):
        with suppress(ValueError):  # torn by a crash
            record = json.loads(line)
            if record["hash"] in known and record["status"] in FINAL:
                found[record["hash"]] = line
    return [found[request_hash] for request_hash in sorted(found)]


def _take_decisions(run: Evaluation, results: Path, to: Path) -> None:
    """The decisions of an adaptive run, with the lineages by the bundle's config."""
    for path, step in decided(run):
        decision = files.read_json(results / path)
        files.write_json(to / path, decision | {"lineage": step.lineage})


def _take_made(run: Evaluation, steps: Lineage, results: Path, to: Path) -> None:
    for made in contents.scores(run, steps):
        _copy(results / made.path, to / made.path)
        identity = Path(contents.identity_path(made.path))
        _copy(results / identity, to / identity)
    for path in contents.metrics(run):
        _copy(results / path, to / path)
    for table in sorted((results / "tables").glob("[!.]*")):  # Snakemake's time stamp is no table
        _copy(table, to / table.relative_to(results))


def _readme(run: Evaluation) -> str:
    page = files.read_text(resource("bundle/readme.md"))
    needed = ", ".join(f"{name} {version}" for name, version in packages(run.config).items())
    asked = [run.tasks[name].asked for name in run.running if run.tasks[name].asked]
    return page.format(
        config=contents.CONFIG,
        answers=contents.ANSWERS,
        made=contents.MADE,
        manifest=contents.MANIFEST,
        packages=f", with {needed} installed beside it" if needed else "",
        benchmarks=", ".join(run.benchmarks[name].title for name in run.running),
        models=", ".join(f"`{name}`" for name in run.config.running),
        asked="".join(f"{sentence}\n\n" for sentence in asked),
        sources="\n\n".join(_sources(run)),
    )


def _sources(run: Evaluation) -> Iterator[str]:
    """Each text's source, and whether it may be passed on."""
    listed, withheld, unknown = dict[str, Source](), dict[str, None](), []
    for name in run.running:
        exports = run.tasks[name].exports
        if exports is None:
            unknown.append(run.benchmarks[name].title)
            continue
        about: About = exports.make().about()
        listed |= {source.name: source for source in about.sources}
        withheld |= dict.fromkeys(about.withheld)
    if names := [*withheld, *(f"the texts of {title}" for title in unknown)]:
        yield (
            f"**Not for publication as it is**: of {', '.join(names)} the text may not be "
            "passed on, or nobody knows."
        )
    rows = [
        [one.name, one.origin, one.licence, one.redistribution, one.note] for one in listed.values()
    ]
    headers = ["source", "from", "licence", "may be passed on", "note"]
    yield markdown_table(headers, rows)
    yield "What models and judges wrote is here too: their providers' terms say what may be done."


def _write_manifest(folder: Path, answers: Iterable[Made], needed: Mapping[str, str]) -> None:
    """What a bundle says of itself: who made it, the checksum of each file, and what it is from."""
    lineages = {f"{contents.ANSWERS}/{made.path}": made.lineage for made in answers}
    files.write_json(
        folder / contents.MANIFEST,
        {
            "steadfast": __version__,
            "commit": asked_of_git("log", "-1", "--format=%H") or None,
            "packages": needed,
            "sha256": {path: files.file_sha256(folder / path) for path in files_in(folder)},
            "lineages": lineages,
        },
    )


def _check_secrets(variables: Iterable[str], folder: Path) -> None:
    """Whether the key of an API stands in a file, such as in a model's answer, however spelled."""
    held = {name: os.environ.get(name, "").strip() for name in sorted({*variables, *SECRETS})}
    keys = {name: Redaction([key]) for name, key in held.items() if key}
    for path in files_below(folder):
        content = path.read_bytes()
        for name, key in keys.items():
            if key.content(content) != content:
                raise UserError(
                    f"{path.relative_to(folder)}: it holds the value of {name}; take the key out "
                    "of the file that this is made from, and have it replaced where it was issued"
                )


if job := globals().get("snakemake"):
    out = Path(job.output.bundle)
    run_rule(
        bundle_results,
        job,
        results=out.parent,
        out=out,
        snakefile=Path(job.params.snakefile),
    )
