"""Rule bundle: a run as one file, of which another machine makes the same tables."""

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath

from steadfast import __version__
from steadfast.base import files
from steadfast.base.commit import git_output
from steadfast.base.errors import UserError
from steadfast.base.provenance import Provenance
from steadfast.base.resources import resource
from steadfast.config.load import load_config
from steadfast.config.portable import as_yaml, replace_strings
from steadfast.contract.exports import Source
from steadfast.contract.registry import packages
from steadfast.contract.request import FINAL
from steadfast.engines.api.redaction import Redaction
from steadfast.engines.sending.journal import journal_line, kept_replies
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.rounds import decisions_made
from steadfast.share import contents
from steadfast.share.card import sources_table
from steadfast.share.contents import ANSWERS, CONFIG, MADE, MANIFEST, README
from steadfast.workflow.script import run_rule

# Environment variables that hold keys, beside those that the config names.
SECRETS = (
    "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
)  # fmt: skip
# Of every file in a bundle, so that equal files give equal bytes; a zip file knows none before.
TIME = (1980, 1, 1, 0, 0, 0)
# The content of a file of a bundle: as bytes, in a file, or from a function.
Member = bytes | Path | Callable[[], bytes]


def bundle_results(
    config: files.Settings,
    shortened: Mapping[str, str],
    own_files: Mapping[str, str],
    key_variables: Iterable[str],
    input_digests: Mapping[str, str],
    results: Path,
    out: Path,
    rounds: Mapping[str, Mapping[str, int]] | None = None,
) -> None:
    """Writes the bundle: config, data, answers and journals, and the tables.

    Equal results give equal bytes. No clock, host, address, absolute path or key is in it, but for
    what a model or server wrote. ``input_digests`` are those of ``contents.answers`` by the run's
    own config. ``shortened`` maps each placeholder to the value of a provenance that it replaces,
    such as a checkpoint's path; ``rounds`` are those of an adaptive run (``Evaluation.rounds``).
    """
    run = Evaluation(load_config(config))
    run.rounds = {name: dict(chosen) for name, chosen in (rounds or {}).items()}
    members: dict[str, Member] = {CONFIG: as_yaml(config).encode()}
    members |= {path: Path(path) for path in contents.files_of(own_files)}
    answers: dict[str, str] = {}  # input digests by the bundle's config
    for path, input_digest in contents.answers(run, InputDigests(run)).items():
        if path not in input_digests:
            continue
        provenance = Provenance.beside(results / path, input_digests[path])
        provenance.check()
        record = replace_strings(files.read_json(provenance.path), shortened)
        record_name = provenance.path.relative_to(results)
        answers[f"{ANSWERS}/{path}"] = input_digest
        members[f"{ANSWERS}/{path}"] = results / path
        members[f"{ANSWERS}/{record_name}"] = _json(record, input_digest)
    for job in run.jobs:
        # Where settings of a model were shortened, its requests have other hashes.
        unchanged = answers[f"{ANSWERS}/{job.outputs}"] == input_digests[job.outputs]
        if unchanged and (results / job.journal).exists():
            members[f"{ANSWERS}/{job.journal}"] = partial(_journal, results / job.journal)
    for path, step in decisions_made(run):
        decision = files.read_json(results / path)
        members[f"{ANSWERS}/{path}"] = _json(decision, step.input_digest)
    members |= {f"{MADE}/{path}": results / path for path in contents.made_files(run, results)}
    members[README] = _readme(run).encode()
    manifest = {
        "steadfast": __version__,
        "commit": git_output("log", "-1", "--format=%H") or None,
        "packages": packages(run.config),
        "input_digests": answers,
    }
    write_archive(checked_contents(members, manifest, key_variables), out)


def _json(record: files.Record, input_digest: str) -> bytes:
    """A record with the input digest by the bundle's config."""
    return files.indented_json(record | {"input_digest": input_digest}).encode()


def _journal(path: Path) -> bytes:
    """The last final reply to each request, by hash: the order in which they came varies."""
    replies = {request: reply for request, reply in kept_replies(path) if reply.status in FINAL}
    return b"".join(journal_line(*request) for request in sorted(replies.items()))


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
    warning = ""
    if withheld:
        warning = (
            f"**Do not publish as it is**: the licence of {', '.join(dict.fromkeys(withheld))} "
            "forbids redistribution, or is unknown.\n\n"
        )
    needed = ", ".join(f"{name} {version}" for name, version in packages(run.config).items())
    return files.read_text(resource("bundle/readme.md")).format(
        packages=f", and also {needed}" if needed else "",
        withheld=warning,
        sources=sources_table(sources.values()),
    )


def checked_contents(
    members: Mapping[str, Member], manifest: Mapping[str, object], key_variables: Iterable[str]
) -> Iterator[tuple[str, bytes]]:
    """Yields the name and content of each file, in the order of names, and then the manifest.

    A file is read once, so that what is written is what was checked, and the manifest has its sum.
    """
    keys = _keys(key_variables)
    checksums: dict[str, str] = {}
    for name in sorted(members, key=PurePosixPath):
        content = _content(members[name])
        _check_secrets(name, content, keys)
        checksums[name] = sha256(content).hexdigest()
        yield name, content
    content = files.indented_json({**manifest, "sha256": checksums}).encode()
    _check_secrets(MANIFEST, content, keys)
    yield MANIFEST, content


def _content(member: Member) -> bytes:
    if isinstance(member, bytes):
        return member
    if not isinstance(member, Path):
        return member()
    if not member.is_file():
        raise UserError(f"{member}: no such file; run the workflow again before bundling")
    return member.read_bytes()


def _keys(variables: Iterable[str]) -> dict[str, Redaction]:
    """The API keys in the environment, each by its variable."""
    values = {name: os.environ.get(name, "").strip() for name in sorted({*variables, *SECRETS})}
    return {name: Redaction([value]) for name, value in values.items() if value}


def _check_secrets(path: str, content: bytes, keys: Mapping[str, Redaction]) -> None:
    """Raises UserError where a file contains an API key, such as in a response, in any encoding."""
    for name, key in keys.items():
        if key.content(content) != content:
            raise UserError(
                f"{path}: contains the API key in {name}; remove the key from the file that "
                "this is made from, and revoke it at its provider"
            )


def write_archive(members: Iterable[tuple[str, bytes]], out: Path) -> None:
    """Writes files by name in their order; replaces the zip file atomically once it has all."""
    with (
        files.atomic_writer(out) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, content in members:
            member = zipfile.ZipInfo(name, TIME)
            member.create_system = 3  # Unix, wherever it is written
            member.external_attr = 0o644 << 16  # the mode's place in a zip file
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)


if job := globals().get("snakemake"):
    out = Path(job.output.bundle)
    run_rule(bundle_results, job, results=out.parent, out=out)
