"""The corrected rubric: each score point does what its name says, Q1 to Q18 mended.

Points and weights are the released ones (Table 6's for LSI, LOI and LOE, Q17). What is claimed
beyond the right answer costs as much as what is missing, and another form costs format alone.
"""

from functools import partial

from steadfast.benchmarks.lifbench.rubric.corrected import lists, multidoc, onedoc, repeating
from steadfast.benchmarks.lifbench.rubric.marks import Scorer
from steadfast.benchmarks.lifbench.weights import RUBRICS

WEIGHTS = RUBRICS["corrected"]
SCORERS: dict[str, Scorer] = {
    **{t: partial(lists.one_element, weights=WEIGHTS[t]) for t in ("LSI", "LOI", "LOE")},
    **dict.fromkeys(("LBI", "LBE"), lists.any_element),
    "LMI": lists.many_elements,
    "MB": multidoc.label_documents,
    # Without what of the prompt is around the context.
    "MF": lambda response, facts, gold, keys, _: multidoc.find_duplicates(
        response, facts, gold, keys
    ),
    "OR": repeating.repeat,
    "OQ": onedoc.question,
    "OE": onedoc.extract,
}
