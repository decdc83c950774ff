"""The released rubric: what the benchmark's own scorer computes, its quirks Q1 to Q18 kept.

Where the released scorer crashed, these functions go on with what can still be read.
"""

from steadfast.benchmarks.lifbench.rubric.marks import Scorer
from steadfast.benchmarks.lifbench.rubric.released import lists, multidoc, onedoc

SCORERS: dict[str, Scorer] = {
    **dict.fromkeys(("LSI", "LOI", "LOE"), lists.one_element),
    **dict.fromkeys(("LBI", "LBE"), lists.any_element),
    "LMI": lists.many_elements,
    "MB": multidoc.label_documents,
    "MF": multidoc.find_duplicates,
    "OR": onedoc.repeat,
    "OQ": onedoc.question,
    "OE": onedoc.extract,
}
