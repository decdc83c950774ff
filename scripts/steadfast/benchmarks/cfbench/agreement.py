"""How well judges agree with each other and with people (Table 6), and what people correct."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.facts import DIRECT, FULL, MEASURE_OF, MEASURES, SETS, ScoreRecord
from steadfast.benchmarks.cfbench.frames import record_frame, sample_frame, with_full
from steadfast.benchmarks.cfbench.satisfaction import is_satisfied, satisfaction
from steadfast.contract.components import Labels, Question, Sample, Scored
from steadfast.stats import raters
from steadfast.stats.agreement import agreement_rows, answer_agreement, consensus, majority
from steadfast.stats.breakdown import by_measure
from steadfast.stats.corrected import corrected_rows
from steadfast.stats.intervals import Clusters
from steadfast.stats.scores import expected_responses
from steadfast.stats.tidy import in_order

VALUES = ["n", "raw", "raw_low", "raw_high", "kappa", "kappa_low", "kappa_high"]
WHOLE = 0  # in place of a checkpoint's number: a person's score of the whole answer
# Whether a rater is satisfied with an answer, 1 or 0, by model and answer.
Satisfied = Mapping[tuple[str, str], int | None]


def agreement(
    scores: Sequence[Scored[ScoreRecord]],
    data: Mapping[str, Record],
    judges: Sequence[str],
    labels: Labels | None,
    with_direct: bool,
) -> dict[str, pd.DataFrame]:
    """Returns agreement of judges and people on single checkpoints, and on whole answers (Table 6).

    A judge is satisfied with an answer where its checklist gives a PSR of 1, or its direct score
    exceeds 0.8. Answers are the first repeats of samples, which people label.
    """
    labelled = _labelled(labels, scores, data)
    people = _checked(labelled)
    verdicts = raters.judge_verdicts(scores, judges, raters.numbered_points)
    rows = answer_agreement(verdicts, people, scores)
    human = _people(labelled, people, data)
    first_answers = [score for score in scores if not score.record["repeat"]]
    names = raters.first_repeats(judges)

    def humans(read: Callable[[Record], int | None]) -> pd.DataFrame:
        verdicts = raters.judge_verdicts(first_answers, names, lambda rated: {"": read(rated)})
        satisfied = raters.by_answer(verdicts, lambda _, values: values[0])
        return _with_people(satisfied, human, data, names)

    frames = {
        # People label the answers of few models; the others would be rows without a value.
        "agreement": rows[(rows["n"] > 0) | (rows["model"] == "")],
        "humans": humans(lambda rated: rated["total"]),
    }
    if with_direct:
        frames["direct_humans"] = humans(_satisfied_by_score)
    return frames


def _satisfied_by_score(rated: Record) -> int | None:
    return None if rated[DIRECT] is None else is_satisfied(rated[DIRECT])


def questions(sample: Sample) -> list[Question]:
    """Returns the questions to people about a response: its checkpoints."""
    texts = [checkpoint["text"] for checkpoint in sample.source["checkpoints"]]
    return [Question(str(number), text) for number, text in enumerate(texts, start=1)]


def _labelled(
    labels: Labels | None, scores: Sequence[Scored[ScoreRecord]], data: Mapping[str, Record]
) -> raters.ByRater[int, float]:
    """Returns each person's verdicts on checkpoints, and scores of whole answers."""

    def label(verdicts: object, score: Record) -> dict[int, float]:
        if isinstance(verdicts, int | float) and not isinstance(verdicts, bool):
            if not 0 <= verdicts <= 1:
                raise ValueError(f"the score {verdicts!r} is not between 0 and 1")
            return {WHOLE: float(verdicts)}
        checkpoints = data[score["sample_id"]]["checkpoints"]
        return dict(raters.listed_verdicts(verdicts, len(checkpoints), "checkpoint"))

    return raters.read_labels(labels, scores, label)


def _checked(labelled: raters.ByRater[int, float]) -> raters.ByRater[int, int]:
    """Returns only the verdicts on checkpoints."""
    checked: raters.ByRater[int, int] = {}
    for rater, verdicts in labelled.items():
        points = {item: int(verdict) for item, verdict in verdicts.items() if item[2] != WHOLE}
        if points:
            checked[rater] = points
    return checked


def _priorities(checkpoints: Sequence[Record]) -> list[str]:
    return [checkpoint["priority"] for checkpoint in checkpoints]


def _people(
    labelled: raters.ByRater[int, float],
    people: raters.ByRater[int, int],
    data: Mapping[str, Record],
) -> Satisfied:
    """Returns whether people are satisfied with each answer that they labelled.

    A checklist counts by its PSR; if any rater scored the whole answer, the mean of all raters has
    to exceed 0.8. With several raters, answers that only one labelled are left out.
    """

    def psr(sample: str, verdicts: Sequence[int]) -> int:
        return satisfaction(_priorities(data[sample]["checkpoints"]), verdicts).psr

    checked = raters.by_answer(people, psr)
    values: dict[tuple[str, str], list[float]] = {}  # of all raters, by answer
    scored_whole = set()
    for rater, labels_of_rater in labelled.items():
        by_rater: dict[tuple[str, str], float] = dict(checked.get(rater, {}))
        for item, label in labels_of_rater.items():
            if item[2] == WHOLE:
                by_rater[item[:2]] = label
                scored_whole.add(item[:2])
        for answer, value in by_rater.items():
            values.setdefault(answer, []).append(value)
    several = len(labelled) > 1
    satisfied = majority(checked, min_verdicts=2 if several else 1)
    for answer in scored_whole:
        if len(values[answer]) > several:
            satisfied[answer] = is_satisfied(*values[answer])
    return satisfied


def _with_people(
    judges: Mapping[str, Satisfied],
    human: Satisfied,
    data: Mapping[str, Record],
    names: Sequence[str],
) -> pd.DataFrame:
    """Returns agreement of each judge with people on the easy, the hard and all records."""

    def split(answer: tuple[str, str]) -> str:
        return str(data[answer[1]]["split"])

    parts = []
    for judge, verdicts in judges.items():
        sides = ({judge: verdicts}, {raters.HUMAN: human})
        parts.append(agreement_rows(*sides, by=split, cluster=lambda answer: answer[1]))
    pairs = pd.concat(parts).replace({"model": {"": FULL}})
    index = pd.MultiIndex.from_product([names if human else [], SETS], names=["judge", "split"])
    humans = pairs.set_index(["first", "model"])[VALUES].reindex(index).fillna({"n": 0})
    return humans.reset_index()


def corrected(
    scores: Sequence[Scored[ScoreRecord]],
    data: Mapping[str, Record],
    labels: Labels | None,
    raw: pd.DataFrame,
) -> pd.DataFrame:
    """Returns CSR, ISR and PSR by ``corrected_rows``: all records, which are the clusters."""
    people = consensus(_checked(_labelled(labels, scores, data)))
    labelled = []
    for scored in scores:
        verdicts = people.get((scored.model, raters.answer_name(scored.record)), {})
        checkpoints = data[scored.record["sample_id"]]["checkpoints"]
        if len(verdicts) == len(checkpoints):
            points = [verdicts[number] for number in sorted(verdicts)]
            csr, isr, psr = satisfaction(_priorities(checkpoints), points)
            record: ScoreRecord = {**scored.record, "csr": csr, "isr": isr, "psr": psr}
            labelled.append(scored._replace(record=record))
    units = _units(scores, data)
    labelled_units = _units(labelled, data) if labelled else units.iloc[:0]
    return corrected_rows(units, labelled_units, raw, dict.fromkeys(MEASURES, 1.0))


def _units(scores: Sequence[Scored[ScoreRecord]], data: Mapping[str, Record]) -> pd.DataFrame:
    rows = by_measure(sample_frame(scores, record_frame(data)), MEASURE_OF)
    unit = rows["cluster"] + "#" + rows["repeat"].astype(str)
    return rows[["model", "measure", "cluster", "value"]].assign(unit=unit, weight=1.0, sure=False)


SCORE = "score"
SATISFIED = "satisfied"
KAPPA = "kappa"
OF_DIRECT = (SCORE, SATISFIED, KAPPA)
KEYS = ["model", "split", "measure"]


def direct_scores(
    scores: Sequence[Scored[ScoreRecord]], samples: pd.DataFrame, splits: dict[str, str]
) -> pd.DataFrame:
    """Returns direct scores by the judge that counts, and their agreement with its checklists.

    Measures: score (the mean), satisfied (the share above 0.8), kappa (of that with PSR).
    """
    columns = ["model", "split", "cluster"]
    directs = [record["direct"] for _, _, record in scores]
    rows = samples[columns].assign(stratum=samples["split"], score=directs)
    with_score = rows.dropna(subset="score").astype({"score": float})
    satisfied = with_score["score"].map(is_satisfied).astype(float)
    with_score = with_score.assign(satisfied=satisfied)
    tall = with_full(with_score).melt([*columns, "stratum"], [SCORE, SATISFIED], "measure", "value")
    parts = [_agreement(scores, splits)]
    if not tall.empty:
        parts.append(Clusters(tall, ["stratum"]).means(tall, KEYS, "value").rows())
    expected = expected_responses(with_full(samples), ["split"], ["cluster"])
    table = pd.concat(parts).merge(expected, on=["model", "split"])
    order = {"model": sorted(set(samples["model"])), "split": SETS, "measure": OF_DIRECT}
    return in_order(table, order)[[*KEYS, "value", "low", "high", "n", "expected"]]


def _agreement(scores: Sequence[Scored[ScoreRecord]], splits: dict[str, str]) -> pd.DataFrame:
    """Returns kappa of each model's satisfied direct scores with the same answers' PSR."""
    direct_by: dict[str, dict[tuple[str, str], int]] = {}
    psr_by: dict[str, dict[tuple[str, str], int]] = {}
    for model, _, record in scores:
        value = record["direct"]
        psr = record["psr"]
        if value is not None and psr is not None:
            item = record["sample_id"], raters.answer_name(record)
            direct_by.setdefault(model, {})[item] = is_satisfied(value)
            psr_by.setdefault(model, {})[item] = int(psr)
    columns = [*KEYS, "value", "low", "high", "n"]
    parts = []
    for model, direct in direct_by.items():
        sides = ({"direct": direct}, {"checklist": psr_by[model]})
        rows = agreement_rows(*sides, by=lambda item: splits[item[0]], cluster=lambda item: item[0])
        parts.append(rows.assign(split=rows["model"].replace({"": FULL}), model=model))
    if not parts:
        return pd.DataFrame(columns=columns)
    names = {"kappa": "value", "kappa_low": "low", "kappa_high": "high"}
    return pd.concat(parts).rename(columns=names).assign(measure=KAPPA)[columns]
