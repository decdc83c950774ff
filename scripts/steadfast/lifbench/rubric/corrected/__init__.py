"""The corrected rubric: each score point does what its name says, Q1 to Q18 mended.

Points and weights are the released ones (Table 6's for LSI, LOI and LOE, Q17), and so is what
partly right answers earn, which keeps the two rubrics comparable.
"""

from steadfast.lifbench.rubric.corrected.lists import SCORERS as LISTS
from steadfast.lifbench.rubric.corrected.multidoc import SCORERS as MULTIDOC
from steadfast.lifbench.rubric.corrected.onedoc import SCORERS as ONEDOC

SCORERS = {**LISTS, **MULTIDOC, **ONEDOC}
