"""A simple benchmark as a data set of its own."""

from collections.abc import Iterator, Mapping, Sequence

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
        self._known = facts("simple/export.yaml")
        self._title = title
        self._settings = settings
        card = self._known["sources"][source] if isinstance(source, str) else source
        self._source = Source(**{"name": "instances", **card})

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns the tables by part; no contexts where no instance has one."""
        prompts = {part: _prompts(samples) for part, samples in parts.items()}
        kinds = {
            kind: {part: files[kind][part] for part, files in data.items()}
            for kind in ("instances", "contexts")
        }
        return {"prompts": prompts} | {
            kind: records for kind, records in kinds.items() if any(records.values())
        }

    def about(self) -> About:
        named = {"title": self._title, "summary": self._known["summary"].format(title=self._title)}
        return about_by({**self._known, **named}, [self._source], self._settings)


def _prompts(asked: Sequence[Asked]) -> Iterator[Record]:
    return ({**question.sample.prompt, "reference": question.reference} for question in asked)
