"""What a config makes of LIFBench's export: whose texts it holds, and what the card shows."""

from collections.abc import Sequence

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.section import Lifbench
from steadfast.contract.components import Component
from steadfast.contract.exports import Exports
from steadfast.contract.task import DataFile
from steadfast.schema.config import Config

SHOWN = {"lengths", "contexts", "contexts_per_length", "formats", "domains", "expressions"}
"""Keys of the section that say what was built, as far as the section has them; none is a path."""


def exports(
    config: Config,
    section: Lifbench,
    tasks: Sequence[str],
    data: Sequence[DataFile],
    own: Sequence[str] = (),
) -> Component[Exports]:
    """Returns how LIFBench is exported."""
    settings: Record = {"seed": config.seed, "tokenizer": config.tokenizer}
    settings |= {"corpora": config.corpora.source, **section.model_dump(include=SHOWN)}
    settings["tasks"] = [*tasks, *own]
    templates = str(section.expressions)
    if templates == "recs":
        settings["recs"] = section.recs.model_dump(exclude={"review", "encoder"})
        templates = f"recs of {section.recs.rewrites} rewrites"
    return Component(
        "steadfast.benchmarks.lifbench.export:LifbenchExports",
        {"texts": _texts(data), "templates": templates, "settings": settings, "own": list(own)},
    )


def _texts(data: Sequence[DataFile]) -> dict[str, Record]:
    """Returns where the text of each corpus is from, or that the contexts are the released ones."""
    corpora = {file.path: file.content for file in data if file.step == "corpus"}
    texts: dict[str, Record] = {}
    for content in corpora.values():
        known = {name: content.settings.get(name) for name in ("repo", "revision")}
        source = content.name.split(":")[0].split(".")[-1]
        texts[content.settings["corpus"]] = {"source": source, **known}
    if any(
        path not in corpora
        for file in data
        if file.step == "contexts"
        for path in file.inputs.values()
    ):
        texts["contexts"] = {"source": "released"}
    return texts
