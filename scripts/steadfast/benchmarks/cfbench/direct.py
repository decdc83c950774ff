"""Direct scoring: a judge's one score of a whole answer, in place of a verdict a checkpoint.

The paper (Table 6, "GPT-4o DS") says of it that the judge scores an answer directly, and that
people score on a scale of 0 to 1; neither wording nor code of it is released. So form and reading
of a reply (``replies.direct_score``) are ours, in both modes.
"""

NAME = "direct"  # of the judge template, and of what scores have
FORM = "评分：{score}"  # the last line of a reply


def request_id(sample: str) -> str:
    """What the request for a sample's score is called."""
    return f"{sample}/{NAME}"
