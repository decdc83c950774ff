"""IFEval as a data set of its own: prompts that refer to texts and instructions, each once."""

from collections.abc import Mapping, Sequence
from itertools import chain

from steadfast.base.files import Record
from steadfast.contract.components import Data
from steadfast.contract.exports import ExportedPrompt, Exports, Rows

TEXT = ("context_id", "tokens", "text")
ALL = "all_lengths"


class IfevalExports(Exports):
    """Tables of prompts, instances and contexts; without contexts where no prompt has one."""

    def tables(
        self, parts: Mapping[str, Sequence[ExportedPrompt]], data: Mapping[str, Data]
    ) -> Rows:
        """Returns the prompts by length, the texts by length, and the instructions of all."""
        contexts: dict[str, list[Record]] = {}
        for part, files in data.items():
            for record in chain(*files.get("contexts", {}).values()):
                row = {key: record[key] for key in TEXT}
                contexts.setdefault(part, []).append(row)
        # Instances are the same in all parts.
        instances = next(iter(data.values()))["data"]
        all_instances = {ALL: list(chain(*instances.values()))}
        tables = {**super().tables(parts, {}), "instances": all_instances}
        return tables | ({"contexts": contexts} if contexts else {})
