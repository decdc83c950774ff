"""The corrected rubric: each score point does what its name says, Q1 to Q18 mended.

Points and weights are the released ones (Table 6's for LSI, LOI and LOE, Q17). What is claimed
beyond the right answer costs as much as what is missing, and another form costs format alone.
"""
