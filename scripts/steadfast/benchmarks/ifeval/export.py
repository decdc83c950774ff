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
        self._card = facts("ifeval/export.yaml")
        self._settings = settings
        kinds = {name: "local" if source == "local" else name for name in sets}
        self._sources = {name: self._card["sources"][kind] for name, kind in kinds.items()}
        if texts:
            self._sources["texts"] = self._card["texts"][texts]

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns the prompts by length, the texts by length, and the instructions of all."""
        prompts: dict[str, list[Record]] = {}
        for part, requests in parts.items():
            prompts[part] = []
            for request in requests:
                prompts[part].append({**request.sample.prompt, "reference": request.reference})
        contexts: dict[str, list[Record]] = {}
        for part, files in data.items():
            by_id = {}
            for record in chain(*files.get("contexts", {}).values()):
                by_id[record["context_id"]] = {key: record[key] for key in TEXT}
            if by_id:
                contexts[part] = list(by_id.values())
        # Instances are the same in all parts.
        instances = next(iter(data.values()))["data"]
        tables = {"prompts": prompts, "instances": {ALL: list(chain(*instances.values()))}}
        return tables | ({"contexts": contexts} if contexts else {})

    def about(self) -> About:
        card = dict(self._card)
        if "texts" not in self._sources:
            for part in ("tables", "columns"):
                card[part] = {name: text for name, text in card[part].items() if name != "contexts"}
        sources = [Source(name=name, **fields) for name, fields in self._sources.items()]
        return about_by(card, sources, self._settings)
