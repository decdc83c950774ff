"""The released rubric: what the benchmark's own scorer computes, its quirks Q1 to Q18 kept.

Where the released scorer crashed, these functions go on with what can still be read.
"""

from steadfast.lifbench.rubric.released.lists import SCORERS as LISTS
from steadfast.lifbench.rubric.released.multidoc import SCORERS as MULTIDOC
from steadfast.lifbench.rubric.released.onedoc import SCORERS as ONEDOC

SCORERS = {**LISTS, **MULTIDOC, **ONEDOC}
