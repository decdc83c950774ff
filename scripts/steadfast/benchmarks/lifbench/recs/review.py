"""Stage 6 of RECS: people's review of the rewrites, as a file that they edit."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple

import yaml
from pydantic import Field, ValidationError

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl, read_text
from steadfast.benchmarks.lifbench.recs import checks
from steadfast.config.source import check_source
from steadfast.config.validation_errors import first_error
from steadfast.schema.strict import StrictModel

FORMAT = 1
PAGE = "docs/lifbench-variants.md"
UNREAD = "unread"
ACCEPT = "accept"
EDIT = "edit"
_HEAD = """\
# Which rewrites of {task} may be used. Copy this file, edit the copy, and name its folder in
# lifbench.recs.review. Of each cluster the first text from its centre that is accepted or edited,
# or that is unread and passes the checks, becomes an expression. Write for each text:
#   accept                it can be used; where it fails a check, all the same
#   reject                it cannot be used
#   {{edit: "new text"}}    it can be used like this; the new text is checked. Checks that it may
#                         fail all the same are named: {{edit: "new text", despite: [terms]}}
#   unread                nobody has read it
format: {format}
task: {task}
decisions:
"""


class Decision(NamedTuple):
    """People's decision on a rewrite."""

    kind: str  # unread, accept, reject or edit
    text: str | None = None  # the new text of an edit


Decisions = Mapping[str, Decision]  # by the hash of the text that was clustered


def review(inputs: Mapping[str, Path], task: str) -> str:
    """Returns a review of a task's texts as YAML, made ready to be copied and edited."""
    pool = list(read_jsonl(inputs["candidates"]))
    texts = {candidate["text_id"]: candidate for candidate in pool}
    original = _original(task, pool)
    direction = "" if original.direction is None else f"direction {original.direction:+d}, "
    members = list(read_jsonl(inputs["clusters"]))
    sizes = Counter(member["cluster"] for member in members)
    lines = [_HEAD.format(task=task, format=FORMAT)]
    for member in sorted(members, key=itemgetter("cluster", "rank")):
        if member["rank"] == 1:
            cluster = member["cluster"]
            lines.append(f"\n  # === {direction}cluster {cluster}: {sizes[cluster]} texts ===\n")
        lines += _entry(member, texts[member["text_id"]], original)
    return "".join(lines)


def _entry(member: Record, candidate: Record, original: checks.Original) -> list[str]:
    """Returns a text in a comment, and the decision on it."""
    status = "" if candidate["status"] == checks.PASS else f", fails: {candidate['status']}"
    facts = f"{member['distance']:.6f} from the centre, {candidate['rewriter']}{status}"
    decision: str | Record = member.get("decision", UNREAD)
    if decision == EDIT:
        failed = original.failures(member["edit"])
        decision = {EDIT: member["edit"]} | ({"despite": failed} if failed else {})
    plain = ""
    for letter in candidate["text"]:
        # Without what YAML takes for the end of a line, or does not take at all.
        is_plain = letter.isprintable() or letter == "\n"
        plain += letter if is_plain else letter.encode("unicode_escape").decode()
    text = (f"  #      {line}\n" for line in plain.split("\n"))
    value = decision if isinstance(decision, str) else _one_line(decision)
    # In quotation marks: a hash of digits alone would be read as a number.
    key = f'"{checks.text_hash(candidate["text"])}"'
    return [f"  # {member['rank']}. {facts}\n", *text, f"  {key}: {value}\n"]


def _one_line(value: Record) -> str:
    # In double quotation marks: other styles make blanks of some characters.
    text: str = yaml.safe_dump(
        value,
        default_flow_style=True,
        default_style='"',
        width=math.inf,
        allow_unicode=True,
        sort_keys=False,
    )
    return text.strip()


def _original(task: str, candidates: Sequence[Record]) -> checks.Original:
    """Returns the original, which is the first of the candidates."""
    # A rewriter may have any name, so that the name alone would not tell which one it is.
    record = candidates[0]
    return checks.Original(task, record["direction"], record["text"])


class Edit(StrictModel):
    """The new text of an edit, and the checks that it may fail."""

    edit: str = Field(pattern=r"\S")
    despite: list[checks.Acceptable] = Field(default_factory=list)


class Review(StrictModel):
    """People's decisions, by the hash of each rewrite."""

    format: Literal[1]
    task: str
    decisions: dict[str, Literal["unread", "accept", "reject"] | Edit]


def read_review(path: Path | str, task: str, candidates: Sequence[Record]) -> dict[str, Decision]:
    """Reads the decisions of a review, checked, by the hash of each text that was read."""
    text = read_text(path)
    check_source(path)
    try:
        review = Review.model_validate(yaml.safe_load(text))
    except ValidationError as error:
        raise UserError(first_error(Review, error, str(path), PAGE)) from None
    if review.task != task:
        raise UserError(f"{path}: task: {review.task!r} is not {task}; rename the file")
    # Of equal texts the first counts; the others are duplicates.
    by_hash = {checks.text_hash(candidate["text"]): candidate for candidate in reversed(candidates)}
    original = _original(task, candidates)
    decided: dict[str, Decision] = {}
    for key, value in review.decisions.items():
        where = f"{path}: decisions: {key}"
        if key not in by_hash:
            raise UserError(
                f"{where}: no rewrite has this hash, since the rewrites have changed; copy the "
                "review that the workflow wrote last, and transfer the decisions that still apply"
            )
        if value == ACCEPT and by_hash[key]["status"] == "fields":
            raise UserError(
                f"{where}: the rewrite lacks fields of the original and cannot be filled; edit "
                "or reject it"
            )
        decided[key] = (
            _edited(value, where, original) if isinstance(value, Edit) else Decision(value)
        )
    _check_distinct(path, decided, by_hash)
    return decided


def _edited(value: Edit, where: str, original: checks.Original) -> Decision:
    failed = [reason for reason in original.failures(value.edit) if reason not in value.despite]
    if failed:
        raise UserError(
            f"{where}: edit: the new text fails the check of {failed[0]} ({PAGE}); change it"
            + ("" if failed[0] == "fields" else f", or add despite: [{failed[0]}]")
        )
    return Decision(EDIT, value.edit)


def _check_distinct(path: Path | str, decisions: Decisions, by_hash: Mapping[str, Record]) -> None:
    """Refuses an edit to a text that exists already."""
    other_texts = {checks.folded(candidate["text"]): key for key, candidate in by_hash.items()}
    for key, decision in decisions.items():
        if decision.text is not None:
            same = other_texts.setdefault(checks.folded(decision.text), key)
            if same != key:
                raise UserError(
                    f"{path}: decisions: {key}: edit: the new text is that of {same} already; "
                    "reject one of the two, or paraphrase it"
                )


def decisions_in(clusters: Iterable[Record], candidates: Sequence[Record]) -> dict[str, Decision]:
    """Returns the decisions in released cluster records; other records have none."""
    hashes = {candidate["text_id"]: checks.text_hash(candidate["text"]) for candidate in candidates}
    decided = [member for member in clusters if "decision" in member]
    return {hashes[m["text_id"]]: Decision(m["decision"], m["edit"]) for m in decided}
