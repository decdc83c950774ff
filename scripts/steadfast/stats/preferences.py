"""Which of two models answered better, by their scores, and whether people say the same.

People compare two answers to one instruction: the first one wins, ties or loses. So do scores: the
answer with the larger total wins.

Source: ComplexBench, supplement, 5.3 and Table 5.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import combinations

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.contract.components import Labels, Scored
from steadfast.stats.agreement import agreement_rows, majority
from steadfast.stats.raters import HUMAN, first_draws, is_preference, judge_verdicts, label_texts

WIN, TIE, LOSE = "win", "tie", "lose"
TURNED = {WIN: LOSE, TIE: TIE, LOSE: WIN}
Pair = tuple[str, str]
"""Two models, in alphabetical order; a preference is the first one's."""
Item = tuple[str, str, str]
"""Such a pair, and a sample."""
AGREEMENT = ("raw", "raw_low", "raw_high", "kappa", "kappa_low", "kappa_high")
COUNTS = (
    WIN, TIE, LOSE, "n", "expected", "labelled", *(f"human_{word}" for word in (WIN, TIE, LOSE)),
)  # fmt: skip
COLUMNS = ("judge", "model", "other", *COUNTS, *AGREEMENT)


def preference(first: float, second: float) -> str:
    """Returns what the first of two totals does."""
    return WIN if first > second else LOSE if first < second else TIE


def preferences(
    scores: Sequence[Scored],
    judges: Sequence[str],
    labels: Labels | None,
    references: Collection[str] = (),
    turns: Collection[str] = (),
) -> pd.DataFrame:
    """Returns what every two models win and lose by judges' totals, and people's preferences.

    Each sample counts once, by the first draw of each model, which is what people label. A sample
    of which one model has no total is in no count but expected. Of several people counts what more
    of them prefer; an answer that only one of several labelled is left out.

    Args:
        scores: of all models; a sample that occurs in several parts has a name of its own in each.
        judges: the names of all.
        labels: people's labels, see ``read_preferences``.
        references: models that give the gold answer, which are not compared.
        turns: names of samples that are turns of a conversation, which are not compared.

    Returns:
        Columns judge (whose totals), model, other, win, tie, lose (samples, as the model fares), n
        (samples that both have a total of), expected (that either was asked), labelled (of n, that
        people compared), human_win, human_tie, human_lose (of these, as people say), and raw
        agreement and Cohen's kappa of totals with people, with the ends of their intervals. A
        judge's last row, with empty model and other, is about all its pairs together.
    """
    first = [scored for scored in scores if not scored.record["draw"]]
    people = read_preferences(labels, first, turns)
    human = majority(people) if len(people) > 1 else next(iter(people.values()), {})
    contexts = {scored.record["sample_id"]: scored.record["context_id"] for scored in first}
    judges = first_draws(judges)
    given = judge_verdicts(first, judges, lambda rated: {"": rated["total"]})
    rows: list[Record] = []
    for judge in judges:
        by_model: dict[str, dict[str, float | None]] = defaultdict(dict)
        for (model, sample, _), total in given[judge].items():
            by_model[model][sample] = total
        counted, words = dict[Pair, Record](), dict[Item, str]()
        for pair in combinations(sorted(set(by_model) - set(references)), 2):
            first_totals, totals = (by_model[model] for model in pair)
            its = {
                sample: preference(total, other)
                for sample, total in first_totals.items()
                if total is not None and (other := totals.get(sample)) is not None
            }
            labelled = [sample for sample in its if (*pair, sample) in human] if human else []
            words |= {(*pair, sample): its[sample] for sample in labelled}
            counts = Counter(its.values())
            of_people = Counter(human[*pair, sample] for sample in labelled)
            counted[pair] = {
                **{word: counts[word] for word in TURNED},
                "n": len(its),
                "expected": len(first_totals.keys() | totals.keys()),
                "labelled": len(labelled),
                **{f"human_{word}": of_people[word] for word in TURNED},
            }
        both = {item: words[item] for item in human if item in words}
        agreed = _with_people(both, human, contexts)
        if counted:
            counted["", ""] = {name: sum(row[name] for row in counted.values()) for name in COUNTS}
        rows += [
            {"judge": judge, "model": pair[0], "other": pair[1], **row, **agreed.get(pair, {})}
            for pair, row in counted.items()
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _with_people(
    totals: Mapping[Item, str], human: Mapping[Item, str], contexts: Mapping[str, Hashable]
) -> dict[Pair, Record]:
    """Returns the agreement of totals with people by pair; of all pairs under two empty names."""
    numbers = {pair: str(place) for place, pair in enumerate(sorted({i[:2] for i in totals}))}
    names = {number: pair for pair, number in numbers.items()} | {"": ("", "")}
    rows = agreement_rows(
        {"totals": totals},
        {HUMAN: {item: human[item] for item in totals}},
        by=lambda item: numbers[item[:2]],
        cluster=lambda item: contexts[item[2]],
    )
    values = rows[list(AGREEMENT)].to_dict("records")
    return {names[number]: row for number, row in zip(rows["model"], values, strict=True)}


def read_preferences(
    labels: Labels | None, scores: Iterable[Scored], turns: Collection[str] = ()
) -> dict[str, dict[Item, str]]:
    """Returns people's preferences, by rater and pair with sample, of a file of labels.

    A record has ``model``, ``other``, ``sample_id``, ``preference`` (win, tie or lose, as the model
    fares), and ``rater`` where several people have compared; other records, and those of models
    without ``scores``, are passed over. Answers to ``turns`` of a conversation are not compared.
    A record that is at fault is a UserError, and so are preferences of none of the models that run.
    """
    known: dict[str, set[str]] = defaultdict(set)
    for model, _, score in scores:
        known[model].add(score["sample_id"])
    found: dict[str, dict[Item, str]] = defaultdict(dict)
    passed_over = set()
    if labels is None:
        return {}
    for number, record in enumerate(labels.records, start=1):
        if not is_preference(record):
            continue
        where = f"{labels.name}: record {number}"
        rater, models, sample, word = _preference(record, where)
        if strangers := [model for model in models if model not in known]:
            passed_over.add(strangers[0])
            continue
        if sample in turns:
            raise UserError(
                f"{where}: sample {sample!r} is a turn, and preferences are of whole "
                "instructions; leave the record out, or name the whole instruction"
            )
        if any(sample not in known[model] for model in models):
            if labels.of_more:
                continue
            raise UserError(
                f"{where}: unknown sample_id {sample!r} of models {models[0]!r} and {models[1]!r}; "
                "correct it"
            )
        item = min(models), max(models), sample
        if item in found[rater]:
            raise UserError(
                f"{where} is the second of rater {rater!r} on sample {sample!r} of these models; "
                "leave one of the two"
            )
        found[rater][item] = word if models == item[:2] else TURNED[word]
    if not found and passed_over and all(map(is_preference, labels.records)):
        raise UserError(
            f"{labels.name}: no preference is between models that run, as "
            f"{min(passed_over)!r} does not; models that run: {', '.join(sorted(known))}"
        )
    return dict(found)


def _preference(record: Record, where: str) -> tuple[str, Pair, str, str]:
    """Returns rater, both models, sample_id and preference."""
    rater, model, other, sample = label_texts(record, where, "model", "other", "sample_id")
    if "verdicts" in record:
        raise UserError(f"{where} has verdicts and a preference; make two records of it")
    if model == other:
        raise UserError(f"{where}: model and other are both {model!r}; mend one of them")
    if record["preference"] not in list(TURNED):
        raise UserError(
            f"{where}: the preference is {record['preference']!r}; write one of {', '.join(TURNED)}"
        )
    return rater, (model, other), sample, record["preference"]
