"""A simple benchmark as a data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Data
from steadfast.contract.exports import About, Asked, Exports, Rows, Source, about_by


class SimpleExports(Exports):
    """Prompts, instances and contexts of the benchmark of that title.

    Args:
        title: of the benchmark.
        source: what it was made of: the fields of a ``Source``, or the name of one in
            ``resources/simple/export.yaml``.
        settings: of the config, to show.
    """

    def __init__(self, title: str, source: Settings | str, settings: Settings):
        self._facts = facts("simple/export.yaml")
        self._title = title
        self._settings = settings
        card = self._facts["sources"][source] if isinstance(source, str) else source
        self._source = Source(**{"name": "instances", **card})

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns the tables by part; no contexts where no instance has one."""
        tables: dict[str, Mapping[str, Iterable[Record]]] = {}
        tables["prompts"] = {part: _prompts(samples) for part, samples in parts.items()}
        for kind in ("instances", "contexts"):
            records = {part: files[kind][part] for part, files in data.items()}
            if any(records.values()):
                tables[kind] = records
        return tables

    def about(self) -> About:
        summary = self._facts["summary"].format(title=self._title)
        facts_of_title = {**self._facts, "title": self._title, "summary": summary}
        return about_by(facts_of_title, [self._source], self._settings)


def _prompts(requests: Sequence[Asked]) -> Iterator[Record]:
    for request in requests:
        yield {**request.sample.prompt, "reference": request.reference}
