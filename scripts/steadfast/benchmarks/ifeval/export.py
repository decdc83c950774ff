"""IFEval as a data set of its own: prompts that refer to texts and instructions, each once."""

from collections.abc import Mapping, Sequence
from itertools import chain

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Data
from steadfast.contract.exports import About, Asked, Exports, Rows, Source, about_by

TEXT = ("context_id", "tokens", "text")
ALL = "all_lengths"


class IfevalExports(Exports):
    """Tables and card. ``texts`` says where the texts are from; empty where there are none."""

    def __init__(self, source: str, sets: Sequence[str], texts: str, settings: Settings):
        self._known, self._settings = facts("ifeval/export.yaml"), settings
        kinds = {name: "local" if source == "local" else name for name in sets}
        self._sources = {name: self._known["sources"][kind] for name, kind in kinds.items()}
        if texts:
            self._sources["texts"] = self._known["texts"][texts]

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns the prompts by length, the texts by length, and the instructions of all."""
        texts = {
            part: {
                one["context_id"]: {key: one[key] for key in TEXT}
                for one in chain(*of.get("contexts", {}).values())
            }
            for part, of in data.items()
        }
        instances = next(iter(data.values()))["data"]
        found: dict[str, dict[str, list[Record]]] = {
            "prompts": {
                part: [one.sample.prompt | {"reference": one.reference} for one in asked]
                for part, asked in parts.items()
            },
            "instances": {ALL: list(chain(*instances.values()))},
        }
        if any(texts.values()):
            found["contexts"] = {part: list(of.values()) for part, of in texts.items() if of}
        return found

    def about(self) -> About:
        known = dict(self._known)
        if "texts" not in self._sources:
            for part in ("tables", "columns"):
                known[part] = {name: of for name, of in known[part].items() if name != "contexts"}
        sources = [Source(name=name, **of) for name, of in self._sources.items()]
        return about_by(known, sources, self._settings)
