"""Rule scores: one model's responses to one part, scored sample by sample."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from steadfast.base.files import Record, write_jsonl
from steadfast.contract import components, votes
from steadfast.contract.part_files import PartFiles, read_answers, read_repeats
from steadfast.contract.records import ScoreRecord
from steadfast.contract.request import repeat_key
from steadfast.stats.raters import first_repeats
from steadfast.workflow.script import paths, run_rule


def score_part(
    part: PartFiles,
    scoring: Sequence[Any],
    outputs: Path,
    verdicts: Mapping[str, Path],
    out: Path,
    repeats: int = 1,
    majority: bool = False,
) -> None:
    """Writes the scores of one model, a record per prompt and repeat, in the prompts' order."""
    samples = part.read(repeats)
    answers = read_answers(outputs, samples)
    replies = {}
    for judge, path in verdicts.items():
        for repeat, judge_replies in read_repeats(path).items():
            replies[repeat_key(judge, repeat)] = judge_replies
    scorer = components.component(scoring).make()
    write_jsonl(out, score_records(scorer, samples, answers, replies, majority))


def score_records(
    scoring: components.Scoring,
    samples: Sequence[components.Sample],
    answers: Mapping[str, components.Answer],
    replies: Mapping[str, Mapping[str, components.Reply]],
    majority: bool = False,
) -> Iterator[ScoreRecord]:
    """Yields the score's record of each sample; the first judge's first replies count.

    With ``majority`` the majority's verdict counts, where there are at least three judges.
    """
    judges: Mapping[str, Mapping[str, components.Reply]] = replies or {"": {}}
    voting = [replies[judge] for judge in first_repeats(replies)]
    vote = majority and len(voting) >= votes.VOTERS
    counting = votes.MAJORITY if vote else next(iter(replies), None)
    for sample in samples:
        answer = answers[sample.id]
        scores = {}
        if vote:
            scores[votes.MAJORITY] = scoring.majority(sample, answer, voting)
        for judge, judge_replies in judges.items():
            scores[judge] = scoring.score(sample, answer, judge_replies)
        (_, counted), *other_raters = _by_rater(scores)
        record = {
            "sample_id": sample.prompt["sample_id"],
            "repeat": sample.repeat,
            "task": sample.prompt["task"],
            "context_id": sample.prompt["context_id"],
            **scoring.facts(sample),
            "prompt_truncated": answer.prompt_truncated,
            "empty": answer.empty,
            "judge": counting,
            **_rated(counted),
            "extracted": counted.extracted,
            "other_raters": {name: _rated(score) for name, score in other_raters},
        }
        yield cast(ScoreRecord, record)  # with the benchmark's own fields


def _by_rater(scores: Mapping[str, components.Score]) -> Iterator[tuple[str, components.Score]]:
    """Each judge's score, followed by the other ratings that it contains."""
    for judge, score in scores.items():
        yield judge, score
        for way, other in score.other_raters.items():
            yield votes.rater_name(judge, way), other


def _rated(score: components.Score) -> Record:
    return {
        "status": score.status,
        "points": None if score.points is None else dict(score.points),
        "total": score.total,
        **score.values,
    }


if job := globals().get("snakemake"):
    run_rule(
        score_part,
        job,
        read=("judges", "samples", "sources"),
        part=PartFiles.of(job),
        outputs=Path(job.input.outputs),
        out=Path(job.output.scores),
        verdicts=dict(zip(job.params.judges, paths(job.input.verdicts), strict=True)),
    )
