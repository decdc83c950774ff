"""The verdicts on models' answers to several parts, with their instances."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import NamedTuple

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.benchmarks.complexbench.aggregation import Instance, Verdicts, apply_dependencies
from steadfast.benchmarks.complexbench.facts import Prompt, ScoreRecord, language_and_split
from steadfast.benchmarks.complexbench.rules.checks import UNDECIDED, Verdict
from steadfast.contract.components import Data, Labels, Question, Sample, Scored
from steadfast.stats.agreement import answer_agreement, consensus, on_rule_items
from steadfast.stats.raters import answer_name, judge_verdicts, read_labels
from steadfast.stats.scores import STATUSES, evaluated_models, is_empty, prompts_of, with_prompts


class ScoredPart(NamedTuple):
    """One part: its language, whole or turn by turn, and its instances."""

    language: str
    split: str
    instances: Mapping[int, Instance]  # by main_id, in the data's order


class ScoredAnswers:
    """The verdicts on models' answers to all parts.

    Attributes:
        parts: by name.
        records: score records by model and part.
        evaluated: of each model, as ``stats.scores.evaluated_models`` gives it.
        models: all of them, by name.
        verdicts: of each model and part, by repeat and instance: those on its questions, once
            dependencies count.
    """

    def __init__(self, scores: Iterable[Scored[ScoreRecord]], data: Mapping[str, Data]):
        self.parts: dict[str, ScoredPart] = {}
        self.records: dict[tuple[str, str], list[ScoreRecord]] = defaultdict(list)
        instances_of_part: dict[str, dict[int, Instance]] = {}
        for model, part, record in scores:
            if part not in instances_of_part:
                language, _ = language_and_split(part)
                instances = data[part]["data"][language]
                instances_of_part[part] = {instance["main_id"]: instance for instance in instances}
            instance = instances_of_part[part].get(record["instance"])
            if instance is None or not _points(instance).issuperset(record["raw"] or ()):
                raise UserError(
                    f"scores: sample {record['sample_id']} of model {model!r}, part {part!r}, is "
                    "of a question that is not in the data; score it again"
                )
            self.records[model, part].append(record)
        for part, by_number in instances_of_part.items():
            numbers = {record["instance"] for record in self.of_part(part)}
            instances = {number: by_number[number] for number in by_number if number in numbers}
            self.parts[part] = ScoredPart(*language_and_split(part), instances)
        answers = []
        for (model, _), records in self.records.items():
            answers += [(model, prompts_of(record), record["repeat"]) for record in records]
        columns = ["model", "prompts", "repeat"]
        self.evaluated = evaluated_models(pd.DataFrame(answers, columns=columns).drop_duplicates())
        self.models = list(self.evaluated["model"])
        self.verdicts = {(model, part): self._verdicts(model, part) for model, part in self.records}

    def of_part(self, part: str) -> Iterator[ScoreRecord]:
        """Returns the score records of a part, of all models."""
        for (_, name), part_records in self.records.items():
            if name == part:
                yield from part_records

    def _verdicts(self, model: str, part: str) -> dict[int, dict[int, Verdicts]]:
        instances = self.parts[part].instances
        records = self.records[model, part]
        raw: dict[int, dict[int, list[Verdict | None]]] = {}
        for repeat in sorted({record["repeat"] for record in records}):
            raw[repeat] = {n: [None] * len(_points(i)) for n, i in instances.items()}
        for record in records:
            for point, verdict in (record["raw"] or {}).items():
                raw[record["repeat"]][record["instance"]][int(point)] = verdict
        verdicts: dict[int, dict[int, Verdicts]] = {}
        for repeat, by_number in raw.items():
            verdicts[repeat] = {
                n: apply_dependencies(by_number[n], instances[n]) for n in by_number
            }
        return verdicts


def _points(instance: Instance) -> set[str]:
    return set(map(str, range(len(instance["scoring_questions"]))))


COUNTS = ("n", "unread", "open")


def coverage(scored: ScoredAnswers) -> pd.DataFrame:
    """Returns expected questions and samples of each model, and how many have verdicts."""
    rows = []
    repeats = scored.evaluated.set_index("model")["repeats"]
    for name, part in scored.parts.items():
        for model in scored.models:
            records = scored.records.get((model, name), ())
            verdicts = scored.verdicts.get((model, name), {})
            counts: Counter[bool | int | None] = Counter()
            for by_instance in verdicts.values():
                counts.update(chain.from_iterable(by_instance.values()))
            questions = sum(len(i["scoring_questions"]) for i in part.instances.values())
            samples = {record["sample_id"] for record in scored.of_part(name)}
            statuses = Counter(record["status"] for record in records)
            row = {
                "model": model,
                "language": part.language,
                "split": part.split,
                "expected": questions * repeats[model],
                "scored": counts.total() - counts[None],
                "open": counts[UNDECIDED],
                "samples": len(samples) * repeats[model],
                **{f"status_{status}": statuses[status] for status in STATUSES},
                "prompt_truncated": sum(bool(record["prompt_truncated"]) for record in records),
                "empty": sum(map(is_empty, records)),
            }
            rows.append(row)
    return with_prompts(pd.DataFrame(rows), scored.evaluated)


def judging(scored: ScoredAnswers) -> pd.DataFrame:
    """Returns what decided the questions of each model's answers, and how often that failed.

    Kinds: judge; rule, on what a judge copied; rule_judged, a judge though there is a rule.
    """
    rows = []
    for model, name in product(scored.models, scored.parts):
        part = scored.parts[name]
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for record in scored.records.get((model, name), ()):
            for point, decision in (record["extracted"] or {}).items():
                verdict = (record["raw"] or {})[point]
                unread = int(verdict is None)
                left_open = int(verdict == UNDECIDED)
                by = record["judge"] or "", decision["by"]
                counts[by].update(n=1, unread=unread, open=left_open)
        for judge, kind in sorted(counts):
            numbers = (counts[judge, kind][column] for column in COUNTS)
            rows.append((model, part.language, part.split, judge, kind, *numbers))
    columns = ["model", "language", "split", "judge", "kind", *COUNTS]
    return pd.DataFrame(rows, columns=columns)


STRINGS = {"yes": True, "no": False}


def agreement(
    scored: ScoredAnswers, judges: Sequence[str], labels: Labels | None = None
) -> pd.DataFrame:
    """Returns agreement on the questions' verdicts before dependencies; open ones are none."""
    scores = _named(scored)
    by_judge = judge_verdicts(scores, judges, _judged)
    people = read_labels(labels, scores, _labelled)
    rows = answer_agreement(by_judge, people, scores)
    on_rules = on_rule_items(judges, scores, _judged, _by_rule)
    return rows if on_rules.empty else pd.concat([rows, on_rules], ignore_index=True)


def _by_rule(record: ScoreRecord) -> list[str]:
    decisions = record["extracted"] or {}
    return [point for point in decisions if decisions[point]["by"] == "rule"]


def questions(sample: Sample[Prompt]) -> list[Question]:
    """Returns the questions to people about a response: its scoring questions."""
    texts = sample.source["scoring_questions"]
    return [Question(str(point), texts[point]["question"]) for point in sample.prompt["points"]]


def labelled_scores(scored: ScoredAnswers, labels: Labels | None) -> Iterator[Scored[ScoreRecord]]:
    """Yields the scores of answers that people labelled, with their verdicts in place of others."""
    named = _named(scored)
    by_answer = consensus(read_labels(labels, named, _labelled))
    for model, part, record in named:
        if verdicts := by_answer.get((model, answer_name(record))):
            yield Scored(model, part, record | {"raw": verdicts})


def _named(scored: ScoredAnswers) -> list[Scored[ScoreRecord]]:
    """Returns the scores with the part in the sample's id, which is the same in each language."""
    named = []
    for (model, part), records in scored.records.items():
        for record in records:
            sample_id = f"{part}/{record['sample_id']}"
            named.append(Scored(model, part, record | {"sample_id": sample_id}))
    return named


def _judged(rated: Record) -> dict[str, bool]:
    raw = rated["raw"] or {}
    return {point: verdict for point, verdict in raw.items() if isinstance(verdict, bool)}


def _labelled(verdicts: object, score: Record) -> dict[str, bool]:
    if not isinstance(verdicts, dict) or not set(map(str, verdicts.values())) <= set(STRINGS):
        raise ValueError('verdicts must be yes or no by question, such as {"0": "yes"}')
    questions = list(map(str, score["questions"]))
    for point in verdicts:
        if point not in questions:
            raise ValueError(f"there is no question {point!r}, only {', '.join(questions)}")
    return {point: STRINGS[word] for point, word in verdicts.items()}
