"""The form in which a judge copies out of an answer what a rule is to decide."""

HEADING = "【模型回复中评分问题的评测对象】"
LABEL = "评分对象"
WHOLE, ABSENT, SEPARATOR = "all", "None", "||"
