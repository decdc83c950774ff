"""Rule bundle: a run as one file that another machine makes the same tables of."""

import os
import shutil
import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from steadfast import __version__
from steadfast.base import files
from steadfast.base.commit import asked_of_git
from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.base.resources import resource
from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, replaced
from steadfast.contract.exports import Source
from steadfast.contract.registry import packages
from steadfast.contract.request import FINAL
from steadfast.engines.api.redaction import Redaction
from steadfast.engines.asking.journal import journal_line, kept_replies
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.rounds import decided
from steadfast.share import contents
from steadfast.share.card import sources_table
from steadfast.workflow.script import run_rule

# Environment variables that hold keys, beside those that the config names.
SECRETS = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
)  # fmt: skip
# Of every file in a bundle, so that equal files give equal bytes; a zip file knows none before.
TIME = (1980, 1, 1, 0, 0, 0)


def bundle_results(
    config: files.Settings,
    shortened: Mapping[str, str],
    own_files: Mapping[str, str],
    key_variables: Iterable[str],
    input_digests: Mapping[str, str],
    results: Path,
    out: Path,
    rounds: Mapping[str, Mapping[str, int]] | None = None,
    nondeterminism: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> None:
    """Writes the bundle: config, data, answers and journals, and the tables.

    Equal results give equal bytes. No clock, host, address, absolute path or key is in it, but for
    what a model or server wrote. ``input_digests`` are those of the run's responses,
    ``nondeterminism`` what was measured of them (``InputDigests.measured_nondeterminism``).
    ``shortened`` maps each placeholder to the value of a provenance that it replaces, such as a
    checkpoint's path; ``rounds`` are those of an adaptive run
    (``Evaluation.rounds``).
    """
    run = Evaluation(load_config(config))
    run.rounds = {name: dict(chosen) for name, chosen in (rounds or {}).items()}
    steps = InputDigests(run)
    recorded = dict(input_digests)  # by the run's own config; contents: by the bundle's
    for path, (input_digest, _) in nondeterminism.items():
        recorded[path] = input_digest
    possible = contents.answers(run, steps)
    answers = {path: digest for path, digest in possible.items() if path in recorded}
    with files.partial_folder(out.with_suffix("")) as staging:
        folder = staging / "files"
        files.write_text(folder / contents.CONFIG, as_yaml(config))
        for path in contents.files_of(own_files):
            _copy(Path(path), folder / path)
        for path, input_digest in answers.items():
            provenance = Provenance.beside(results / path, recorded[path])
            _take(provenance, results, folder / contents.ANSWERS, input_digest, shortened)
        # Where settings of a model were shortened, its requests have other hashes.
        unchanged = {path for path, digest in answers.items() if digest == recorded[path]}
        _take_journals(run, results, folder / contents.ANSWERS, unchanged)
        for path, step in decided(run):
            decision = files.read_json(results / path) | {"input_digest": step.input_digest}
            files.write_json(folder / contents.ANSWERS / path, decision)
        for path in contents.made_files(run, results):
            _copy(results / path, folder / contents.MADE / path)
        files.write_text(folder / contents.README, _readme(run))
        _write_manifest(folder, answers, packages(run.config))
        _check_secrets(key_variables, folder)
        write_archive(folder, out)  # only what has passed all checks


def _copy(source: Path, to: Path) -> None:
    if not source.is_file():
        raise UserError(f"{source}: no such file; run the workflow again before bundling")
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)


def _take(
    provenance: Provenance, results: Path, to: Path, input_digest: str, shortened: Mapping[str, str]
) -> None:
    """Copies a file and the provenance beside it, with the input digest by the bundle's config."""
    _copy(provenance.files[0], to / provenance.files[0].relative_to(results))
    provenance.check()
    record = replaced(files.read_json(provenance.path), shortened) | {"input_digest": input_digest}
    files.write_json(to / provenance.path.relative_to(results), record)


def _take_journals(run: Evaluation, results: Path, to: Path, outputs: Collection[str]) -> None:
    """Copies the last final reply to each request, by hash: the order in which they came varies.

    ``outputs`` are those that have the input digest of the run's own config.
    """
    for job in run.jobs:
        if job.outputs in outputs and (results / job.journal).exists():
            replies = kept_replies(results / job.journal)
            final = {request: reply for request, reply in replies if reply.status in FINAL}
            with files.replacing(to / job.journal) as journal:
                journal.writelines(journal_line(*request) for request in sorted(final.items()))


def _readme(run: Evaluation) -> str:
    sources: dict[str, Source] = {}
    withheld: list[str] = []
    for name in run.running:
        if exports := run.tasks[name].exports:
            about = exports.make().about()
            sources |= {source.name: source for source in about.sources}
            withheld += about.withheld
        else:
            withheld.append(f"the data of {run.benchmarks[name].title}")
    needed = ", ".join(f"{name} {version}" for name, version in packages(run.config).items())
    warning = ""
    if withheld:
        warning = (
            f"**Do not publish as it is**: the licence of {', '.join(dict.fromkeys(withheld))} "
            "forbids redistribution, or is unknown.\n\n"
        )
    return files.read_text(resource("bundle/readme.md")).format(
        config=contents.CONFIG,
        answers=contents.ANSWERS,
        made=contents.MADE,
        manifest=contents.MANIFEST,
        packages=f", and also {needed}" if needed else "",
        withheld=warning,
        sources=sources_table(sources.values()),
    )


def _write_manifest(folder: Path, answers: Mapping[str, str], needed: Mapping[str, str]) -> None:
    """Writes the manifest: version and commit, and each file's checksum and input digest."""
    sums = {}
    for path in contents.files_below(folder):
        sums[path.relative_to(folder).as_posix()] = files.file_sha256(path)
    manifest = {
        "steadfast": __version__,
        "commit": asked_of_git("log", "-1", "--format=%H") or None,
        "packages": needed,
        "sha256": sums,
        "input_digests": {f"{contents.ANSWERS}/{name}": digest for name, digest in answers.items()},
    }
    files.write_json(folder / contents.MANIFEST, manifest)


def _check_secrets(variables: Iterable[str], folder: Path) -> None:
    """Raises UserError where a file has an API key, such as in a response, in any encoding."""
    values = {name: os.environ.get(name, "").strip() for name in sorted({*variables, *SECRETS})}
    keys = {name: Redaction([value]) for name, value in values.items() if value}
    for path in contents.files_below(folder):
        content = path.read_bytes()
        for name, key in keys.items():
            if key.content(content) != content:
                raise UserError(
                    f"{path.relative_to(folder)}: contains the API key in {name}; remove the key "
                    "from the file that this is made from, and revoke it at its provider"
                )


def write_archive(folder: Path, out: Path) -> None:
    """Writes all files of a folder, by name; replaces the zip file atomically."""
    with files.replacing(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in contents.files_below(folder):
            member = zipfile.ZipInfo(path.relative_to(folder).as_posix(), TIME)
            member.create_system = 3  # Unix, wherever it is written
            member.external_attr = 0o644 << 16  # the mode's place in a zip file
            member.compress_type = zipfile.ZIP_DEFLATED
            with open(path, "rb") as source, archive.open(member, "w", force_zip64=True) as to:
                shutil.copyfileobj(source, to)


if job := globals().get("snakemake"):
    out = Path(job.output.bundle)
    run_rule(bundle_results, job, results=out.parent, out=out)
