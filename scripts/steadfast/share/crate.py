"""A bundle's description as a Workflow Run RO-Crate 0.5 (RO-Crate 1.1, as JSON-LD)."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from steadfast import __version__
from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.run.evaluation import Evaluation
from steadfast.share.contents import ANSWERS, CONFIG, FURTHER, MADE, WORKFLOW

LICENCES, RUN = "#licences", "#run"


def crate(run: Evaluation, files: Sequence[str], commit: str | None, seconds: int) -> Record:
    """Returns the metadata: the workflow, its run, what that took and what it made."""
    return {
        "@context": facts("bundle/crate.yaml")["context"],
        "@graph": list(_entities(run, files, commit, seconds)),
    }


def _entities(
    run: Evaluation, files: Sequence[str], commit: str | None, seconds: int
) -> Iterator[Record]:
    titles = ", ".join(run.benchmarks[name].title for name in run.running)
    models, known = run.config.running, facts("bundle/crate.yaml")
    yield known["metadata"]
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": f"A run of steadfast: {titles}",
        "description": f"Data, prompts, answers, scores and tables of {titles}, of the models "
        f"{', '.join(models)}.",
        "datePublished": datetime.fromtimestamp(seconds, UTC).date().isoformat(),
        "license": _ref(LICENCES),
        "conformsTo": [_ref(profile) for profile in known["conforms_to"]],
        "hasPart": [_ref(name) for name in files],
        "mainEntity": _ref(WORKFLOW),
        "mentions": _ref(RUN),
    }
    yield from known["entities"]
    yield {
        "@id": RUN,
        "@type": "CreateAction",
        "name": f"The run that made the tables of {titles}",
        "instrument": _ref(WORKFLOW),
        "object": [_ref(n) for n in files if n.startswith(f"{ANSWERS}/") or n == CONFIG],
        "result": [_ref(name) for name in files if name.startswith((f"{MADE}/", f"{FURTHER}/"))],
        "actionStatus": _ref("http://schema.org/CompletedActionStatus"),
    }
    for name in files:
        workflow = {"@id": WORKFLOW, **known["workflow"], "version": commit or __version__}
        yield workflow if name == WORKFLOW else _file(name)


def _ref(id: str) -> Record:
    return {"@id": id}


def _file(name: str) -> Record:
    suffix = name[name.rindex(".") :] if "." in name else ""
    known = facts("bundle/crate.yaml")
    formats, described = known["formats"], known["descriptions"]
    return {
        "@id": name,
        "@type": "File",
        "name": name.rpartition("/")[2],
        **({"encodingFormat": formats[suffix]} if suffix in formats else {}),
        **({"description": described[name]} if name in described else {}),
    }
