import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recs_pool import (
    ORIGINAL,
    TASK,
    TEXTS,
    cluster_records,
    files,
    key,
    pool,
    sampled,
    write_review,
)
from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl, write_text
from steadfast.benchmarks.lifbench.recs.checks import Original, checked, text_hash
from steadfast.benchmarks.lifbench.recs.review import Decision, read_review, review

EDIT = "Name the entry that comes after the {ordid} one."


def read(folder, decisions, **fields):
    return read_review(write_review(folder, decisions, **fields), TASK, pool())


def test_new_review_lists_clusters_from_their_centres_undecided(tmp_path):
    text = review(files(tmp_path), TASK)
    keys = [f'"{key(number)}": unread' for number in (1, 2, 0, 4, 3, 5)]
    headings = [f"# === direction +1, cluster {number}: 3 texts ===" for number in (0, 1)]
    positions = list(map(text.index, [headings[0], *keys[:3], headings[1], *keys[3:]]))
    assert positions == sorted(positions)
    assert "fails: direction" in text
    path = tmp_path / "LOI.yaml"
    write_text(path, text)
    unread = dict.fromkeys(map(key, range(6)), Decision("unread"))
    assert read_review(path, TASK, pool()) == unread
    assert sampled(tmp_path, review=path) == sampled(tmp_path)


def test_decisions_change_only_the_picks_of_their_clusters(tmp_path):
    before = sampled(tmp_path)
    assert not before["reviewed"]
    decisions = {key(1): "reject", key(2): {"edit": EDIT}, key(4): "accept"}
    after = sampled(tmp_path, review=write_review(tmp_path, decisions))
    assert after["reviewed"]
    assert after["sampling"] == before["sampling"]
    first, second, *unchanged = after["expressions"]
    assert (first["template"], first["edited"], first["hash"]) == (EDIT, True, key(2))
    assert second == before["expressions"][1] | {"reviewed": True}
    assert unchanged == before["expressions"][2:]


def test_texts_that_fail_a_check_can_be_accepted_or_edited(tmp_path):
    path = write_review(tmp_path, {key(1): "reject", key(2): "accept"})
    assert sampled(tmp_path, review=path)["expressions"][0]["template"] == TEXTS[2][0]
    text = "Name the entry at the {ordid} place, plus one."
    with pytest.raises(UserError, match=r"fails the check of direction .* despite: \[direction\]"):
        read(tmp_path, {key(1): {"edit": text}})
    decisions = read(tmp_path, {key(1): {"edit": text, "despite": ["direction"]}})
    assert decisions[key(1)].text == text


def test_texts_and_edits_are_shown_with_escapes_for_what_yaml_does_not_take(tmp_path):
    inputs = files(tmp_path)
    candidates = pool()
    candidates[1] |= {"text": "Où est-il\x85,\nle {ordid} ?"}
    write_jsonl(inputs["candidates"], candidates)
    clusters = cluster_records()
    clusters[3] |= {"decision": "edit", "edit": "Name the entry at the {ordid} place – plus one."}
    write_jsonl(inputs["clusters"], clusters)
    shown = "  # 1. 0.100000 from the centre, m\n  #      Où est-il\\x85,\n  #      le {ordid} ?\n"
    text = review(inputs, TASK)
    assert shown in text
    edit = f'{{"edit": "{clusters[3]["edit"]}", "despite": ["direction"]}}'
    assert f'"{key(3)}": {edit}\n' in text


@pytest.mark.parametrize(
    ("decisions", "fields", "message"),
    [
        ({"0123456789abcdef": "accept"}, {}, "0123456789abcdef: no rewrite has this hash"),
        (
            {key(1): "ok"},
            {},
            f"{key(1)}: Input should be 'unread', 'accept' or 'reject' or a mapping",
        ),
        ({key(1): None}, {}, "'reject' or a mapping of keys, not null"),
        ({key(1): ["accept"]}, {}, "'reject' or a mapping of keys, not ['accept']"),
        (
            {key(1): {"edti": EDIT}},
            {},
            f"unknown key 'decisions.{key(1)}.edti'; did you mean 'edit'",
        ),
        ({key(1): {"edit": EDIT, "why": "x"}}, {}, f"unknown key 'decisions.{key(1)}.why'"),
        ({key(1): {"edit": 3}}, {}, "edit: Input should be a valid string, not 3"),
        ({key(1): {"edit": " "}}, {}, r"edit: String should match pattern '\S', not ' '"),
        ({key(1): {"edit": "Name the entry after it."}}, {}, "fails the check of fields"),
        ({key(1): {"edit": "What {order} comes after {ordid}?"}}, {}, "fails the check of fields"),
        ({key(1): {"edit": EDIT, "despite": ["fields"]}}, {}, "despite.0: 'fields' is not one of"),
        ({key(1): {"edit": EDIT, "despite": "terms"}}, {}, "despite: Input should be a valid list"),
        ({key(1): {"edit": TEXTS[4][0].upper().replace("ORDID", "ordid")}}, {}, "is that of"),
        ({key(1): {"edit": EDIT}, key(4): {"edit": EDIT + " "}}, {}, "is that of"),
        ([key(1)], {}, "decisions: Input should be a mapping of keys"),
        ({}, {"format": 2}, "format: Input should be 1, not 2"),
        ({}, {"format": None}, "format: Input should be 1, not null"),
        ({}, {"task": "LOE"}, "task: 'LOE' is not LOI"),
        ({}, {"decision": {}}, "unknown key 'decision'; did you mean 'decisions'?"),
    ],
)
def test_mistake_is_reported_with_file_and_key(tmp_path, decisions, fields, message):
    with pytest.raises(UserError) as error:
        read(tmp_path, decisions, **fields)
    assert str(error.value).startswith(f"{tmp_path}/LOI.yaml: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_duplicate_hash_is_refused(tmp_path):
    lines = ["format: 1", "task: LOI", "decisions:", *[f'  "{key(1)}": accept'] * 2]
    write_text(tmp_path / "r.yaml", "\n".join(lines))
    with pytest.raises(UserError, match=r"r.yaml:5: duplicate key .* already on line 4"):
        read_review(tmp_path / "r.yaml", TASK, pool())


def test_accepted_text_that_cannot_be_filled_is_refused(tmp_path):
    candidates = list(checked(Original(TASK, 1, ORIGINAL), {"m": ["After it?"]}))
    path = write_review(tmp_path, {text_hash("After it?"): "accept"})
    with pytest.raises(UserError, match="cannot be filled; edit or reject it"):
        read_review(path, TASK, candidates)


@given(st.text(min_size=1).filter(lambda text: text.encode("utf-8", "replace").decode() == text))
def test_review_of_any_rewrite_can_be_read(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    inputs = files(folder)
    candidates = pool()
    candidates[1] |= {"text": text}
    write_jsonl(inputs["candidates"], candidates)
    clusters = [record | {"decision": "unread", "edit": None} for record in cluster_records()]
    edit = TEXTS[3][0] + text.replace("{", "").replace("}", "")
    clusters[3] |= {"decision": "edit", "edit": edit}
    write_jsonl(inputs["clusters"], clusters)
    write_text(folder / "r.yaml", review(inputs, TASK))
    decisions = read_review(folder / "r.yaml", TASK, candidates)
    assert decisions[key(3)] == Decision("edit", edit)
    assert len(decisions) == pd.DataFrame(candidates)["text"].nunique()
