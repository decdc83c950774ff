"""How each scoring question is decided, by a judge or by a rule, and the judge's prompts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from steadfast.benchmarks.complexbench.facts import STRICT, Prompt, language_and_split
from steadfast.benchmarks.complexbench.rule_forms import RuleFormError, clauses
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate, boundary

JUDGE = {"zh": "judge_zh", "en": "judge_en"}
EXTRACT_ONE = "extract_one_zh"
EXTRACT_EACH = "extract_each_zh"
TEMPLATES = (*JUDGE.values(), EXTRACT_ONE, EXTRACT_EACH)
# Characters that the released code shows a judge.
CUT = {"instruction": 6000, "answer": 4000}


@dataclass(frozen=True)
class Route:
    """How a question is decided."""

    # judge; rule, on what a judge copies; rule_judged, a judge though there is a rule; rule_asked,
    # a judge in addition to the rule, which decides
    by: str
    template: str  # name of the judge's template
    each: bool = False  # whether the rule is about several parts of the answer

    @property
    def language(self) -> str:
        """The language that the template has replies written in."""
        return self.template.rpartition("_")[2]


def routes(sample: Sample[Prompt], mode: str, judging: str) -> dict[int, Route]:
    """Returns how each scoring question of a sample is decided, by the question's index.

    Rules are Chinese: in English a judge decides, and in mode strict where a rule is unreadable.
    """
    language, _ = language_and_split(sample.part)
    template = _judge_template(language, mode)
    by_point = {}
    for point in sample.prompt["points"]:
        rule = sample.source["scoring_questions"][point]["rule"]
        if rule is None:
            by_point[point] = Route("judge", template)
        elif judging == "plain" or language != "zh" or not is_decided_by_rule(rule, mode):
            by_point[point] = Route("rule_judged", template)
        else:
            each = is_about_each_part(rule, mode)
            by_point[point] = Route("rule", EXTRACT_EACH if each else EXTRACT_ONE, each)
    return by_point


def is_decided_by_rule(rule: str, mode: str) -> bool:
    """Whether a question with this rule is decided by it; otherwise a judge answers it plainly."""
    if mode != STRICT:
        return True
    try:
        return bool(clauses(rule))
    except RuleFormError:
        return False


def is_about_each_part(rule: str, mode: str) -> bool:
    """Whether a usable rule is about several parts of the answer, so that all are copied out."""
    if mode != STRICT:
        return "each" in rule
    return any(clause.each for clause in clauses(rule))


def _judge_template(language: str, mode: str) -> str:
    # Released code has Chinese prompts alone, and reads Chinese verdicts alone.
    return JUDGE[language if mode == STRICT else "zh"]


def templates_in_use(languages: Sequence[str], mode: str, judging: str) -> list[str]:
    """Returns names of the templates that parts of these languages need."""
    needed = [_judge_template(language, mode) for language in languages]
    if judging == "rules" and "zh" in languages:
        needed += [EXTRACT_ONE, EXTRACT_EACH]
    return list(dict.fromkeys(needed))


def plain_route(sample: Sample[Prompt], mode: str) -> Route:
    """Returns the judge's template for a question that a rule decides."""
    return Route("rule_asked", _judge_template(language_and_split(sample.part)[0], mode))


def rule_item_id(sample_id: str, point: int) -> str:
    """Returns the id of a judge's request about a question that a rule decides."""
    return f"{request_id(sample_id, point)}/asked"


def request_id(sample_id: str, point: int) -> str:
    """Returns the id of a judge's request about one question on a response."""
    return f"{sample_id}/{point}"


def instruction_for_judge(sample: Sample[Prompt], mode: str) -> str:
    """Returns the instructions up to a turn, as a judge's prompt shows them."""
    text = _numbered([turn.prompt["instruction"] for turn in sample.turns])
    return text if mode == STRICT else text[: CUT["instruction"]]


def answer_for_judge(answer: Answer, by: str, mode: str) -> str:
    """Returns an answer with the turns before it, which it may refer to; for a rule, alone."""
    text = answer.text if by == "rule" else _numbered([turn.text for turn in answer.turns])
    return text if mode == STRICT else text[: CUT["answer"]]


def _numbered(texts: list[str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return "\n\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, start=1))


MAX_TOKENS = 2048  # of a reply; a copied part may be long


class ComplexbenchJudgePrompts(JudgePrompts):
    """A request for each question; those of one template share the prompt up to the answer's end.

    With ``rule_items`` a judge also answers each question that a rule decides.
    """

    slots = frozenset({"instruction", "question", "boundary"})
    required = frozenset({"instruction", "question"})
    after_response = frozenset({"question"})

    def __init__(self, mode: str, judging: str, rule_items: bool = False):
        self._mode = mode
        self._judging = judging
        self._rule_items = rule_items

    def prompts(
        self, sample: Sample[Prompt], answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        by_point = routes(sample, self._mode, self._judging)
        judged = [(request_id(sample.id, point), point, by_point[point]) for point in by_point]
        if self._rule_items:
            beside_rule = plain_route(sample, self._mode)
            for point, route in by_point.items():
                if route.by == "rule":
                    judged.append((rule_item_id(sample.id, point), point, beside_rule))
        for name in TEMPLATES:
            same_template = [request for request in judged if request[2].template == name]
            if not same_template:
                continue
            answer_text = answer_for_judge(answer, same_template[0][2].by, self._mode)
            instruction = instruction_for_judge(sample, self._mode)
            slots = {"instruction": instruction, "boundary": boundary(answer_text)}
            requests = []
            for question_id, point, route in same_template:
                question = sample.source["scoring_questions"][point]
                head, tail = templates[name].render(slots | {"question": question["question"]})
                expected = {"mode": self._mode, "by": route.by, "each": route.each}
                expected |= {"language": route.language, "point": point, "rule": question["rule"]}
                reminder = templates[name].reminder
                requests.append(JudgeRequest(question_id, tail, expected, reminder, MAX_TOKENS))
            yield JudgePrompt(sample.id, name, head, answer_text, requests)
