"""A bundle's description as a Workflow Run RO-Crate 0.5 (RO-Crate 1.1, as JSON-LD)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from steadfast import __version__
from steadfast.base.files import Record
from steadfast.run.evaluation import Evaluation
from steadfast.share.contents import ANSWERS, CONFIG, FURTHER, MADE, MANIFEST, README, WORKFLOW

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5.0"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5.0"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0.0"),
}
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
LICENCES, RUN = "#licences", "#run"
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}


def crate(run: Evaluation, files: Sequence[str], commit: str | None, seconds: int) -> Record:
    """Returns the metadata: the workflow, its run, what that took and what it made.

    The seconds since 1970 stand for the date; the files are all but the metadata itself.
    """
    return {"@context": CONTEXT, "@graph": list(_entities(run, files, commit, seconds))}


def _entities(
    run: Evaluation, files: Sequence[str], commit: str | None, seconds: int
) -> Iterator[Record]:
    titles = ", ".join(run.benchmarks[name].title for name in run.running)
    models = run.config.running
    yield {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": [_ref(SPECIFICATION), _ref(list(PROFILES)[-1])],
    }
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": f"A run of steadfast: {titles}",
        "description": f"Data, prompts, answers, scores and tables of {titles}, of the models "
        f"{', '.join(models)}.",
        "datePublished": datetime.fromtimestamp(seconds, UTC).date().isoformat(),
        "license": _ref(LICENCES),
        "conformsTo": [_ref(profile) for profile in PROFILES],
        "hasPart": [_ref(name) for name in files],
        "mainEntity": _ref(WORKFLOW),
        "mentions": _ref(RUN),
    }
    for profile, (name, version) in PROFILES.items():
        yield {"@id": profile, "@type": "CreativeWork", "name": name, "version": version}
    yield {
        "@id": LICENCES,
        "@type": "CreativeWork",
        "name": "Licences of the texts",
        "description": f"Each source with its licence is in {README}.",
    }
    yield {
        "@id": SNAKEMAKE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "alternateName": "snakemake",
        "identifier": _ref("https://snakemake.github.io"),
        "url": _ref("https://snakemake.github.io"),
    }
    yield {
        "@id": RUN,
        "@type": "CreateAction",
        "name": f"The run that made the tables of {titles}",
        "instrument": _ref(WORKFLOW),
        "object": [_ref(name) for name in files if _is_input(name)],
        "result": [_ref(name) for name in files if name.startswith((f"{MADE}/", f"{FURTHER}/"))],
        "actionStatus": _ref("http://schema.org/CompletedActionStatus"),
    }
    for name in files:
        yield _workflow(commit) if name == WORKFLOW else _file(name)


def _ref(id: str) -> Record:
    return {"@id": id}


def _is_input(name: str) -> bool:
    return name.startswith(f"{ANSWERS}/") or name == CONFIG


def _workflow(commit: str | None) -> Record:
    return {
        "@id": WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "steadfast",
        "description": "How well, and how stably, language models follow instructions in long "
        "contexts. The Snakefile alone; the rules and scripts are those of the version.",
        "version": commit or __version__,
        "programmingLanguage": _ref(SNAKEMAKE),
        "license": "https://spdx.org/licenses/MIT",
    }


def _file(name: str) -> Record:
    suffix = name[name.rindex(".") :] if "." in name else ""
    described = {
        CONFIG: "The config with its defaults.",
        MANIFEST: "The checksum of each file, and the lineage of those that were asked.",
        README: "What this is, how to make the tables again, and the licences of the texts.",
    }
    return {
        "@id": name,
        "@type": "File",
        "name": name.rpartition("/")[2],
        **({"encodingFormat": FORMATS[suffix]} if suffix in FORMATS else {}),
        **({"description": described[name]} if name in described else {}),
    }
