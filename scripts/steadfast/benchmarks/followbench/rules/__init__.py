"""Rules: whether an answer satisfies all the constraints of its level, as released.

A rule gives one verdict for all constraints of an item. Answers are taken as they are: nothing
is stripped or folded unless a condition says so.
"""
