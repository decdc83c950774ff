import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from recs_pool import ORIGINAL, TASK, TEXTS, files, key, places, pool
from steadfast.base.errors import UserError
from steadfast.base.files import write_jsonl, write_text
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs.checks import Original, checked, text_hash
from steadfast.benchmarks.lifbench.recs.expressions import expressions
from steadfast.benchmarks.lifbench.recs.review import Decision, read_review, review

EDIT = "Name the entry that comes after the {ordid} one."


def read(tmp_path, decisions, **other):
    path = tmp_path / "LOI.yaml"
    write_text(path, yaml.safe_dump({"format": 1, "task": TASK, "decisions": decisions} | other))
    return read_review(path, TASK, pool())


def sampled(folder, path=None, sampling="nearest", **settings):
    review = str(path) if path else None
    return expressions(files(folder), TASKS[TASK].worded, review, sampling, 1, **settings)


def test_a_fresh_review_lists_each_cluster_from_its_centre_and_decides_nothing(tmp_path):
    text = review(files(tmp_path), TASK)
    order = [text.index(f'"{key(number)}": unread') for number in (1, 2, 0, 4, 3, 5)]
    assert order == sorted(order)
    assert "cluster 0: 3 texts" in text
    assert "fails: direction" in text
    write_text(tmp_path / "LOI.yaml", text)
    decisions = read_review(tmp_path / "LOI.yaml", TASK, pool())
    assert decisions == {key(number): Decision("unread") for number in range(6)}
    assert sampled(tmp_path, tmp_path / "LOI.yaml") == sampled(tmp_path)


def test_what_people_decide_moves_only_the_cluster_that_it_is_about(tmp_path):
    before = sampled(tmp_path)
    picks = [one for one in before["expressions"] if one["expression_id"] < 2]
    assert [one["template"] for one in picks] == [TEXTS[1][0], TEXTS[4][0]]
    assert not before["reviewed"]

    read(tmp_path, {key(1): "reject", key(2): {"edit": EDIT}, key(4): "accept"})
    after = sampled(tmp_path, tmp_path / "LOI.yaml")
    assert after["reviewed"]
    assert after["sampling"] == before["sampling"]
    first, second = after["expressions"][:2]
    assert (first["template"], first["edited"], first["hash"]) == (EDIT, True, key(2))
    assert second == picks[1] | {"reviewed": True}
    assert after["expressions"][2:] == before["expressions"][2:]


def test_texts_that_fail_a_check_can_be_accepted_or_edited_all_the_same(tmp_path):
    read(tmp_path, {key(1): "reject", key(2): "accept"})
    assert sampled(tmp_path, tmp_path / "LOI.yaml")["expressions"][0]["template"] == TEXTS[2][0]
    text = "Name the entry at the {ordid} place, plus one."
    with pytest.raises(UserError, match=r"fails the check of direction .* despite: \[direction\]"):
        read(tmp_path, {key(1): {"edit": text}})
    decisions = read(tmp_path, {key(1): {"edit": text, "despite": ["direction"]}})
    assert decisions[key(1)].text == text


@pytest.mark.parametrize(
    ("decisions", "sentence"),
    [
        ({"0123456789abcdef": "accept"}, "0123456789abcdef: no rewrite has this hash"),
        ({key(1): "ok"}, f"{key(1)}: Input should be 'unread', 'accept' or 'reject' or a mapping"),
        ({key(1): None}, "'reject' or a mapping of keys, not null"),
        ({key(1): ["accept"]}, "'reject' or a mapping of keys, not ['accept']"),
        ({key(1): {"edti": EDIT}}, f"unknown key 'decisions.{key(1)}.edti'; did you mean 'edit'"),
        ({key(1): {"edit": EDIT, "why": "x"}}, f"unknown key 'decisions.{key(1)}.why'"),
        ({key(1): {"edit": 3}}, "edit: Input should be a valid string, not 3"),
        ({key(1): {"edit": " "}}, r"edit: String should match pattern '\S', not ' '"),
        ({key(1): {"edit": "Name the entry after it."}}, "fails the check of fields"),
        ({key(1): {"edit": "What {order} comes after {ordid}?"}}, "fails the check of fields"),
        ({key(1): {"edit": EDIT, "despite": ["fields"]}}, "despite.0: 'fields' is not one of"),
        ({key(1): {"edit": EDIT, "despite": "terms"}}, "despite: Input should be a valid list"),
        ({key(1): {"edit": TEXTS[4][0].upper().replace("ORDID", "ordid")}}, "is that of"),
        ({key(1): {"edit": EDIT}, key(4): {"edit": EDIT + " "}}, "is that of"),
        ([key(1)], "decisions: Input should be a mapping of keys"),
    ],
)
def test_a_mistake_is_named_with_file_and_key(tmp_path, decisions, sentence):
    with pytest.raises(UserError) as raised:
        read(tmp_path, decisions)
    assert str(raised.value).startswith(f"{tmp_path}/LOI.yaml: ")
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"format": 2}, "format: Input should be 1, not 2"),
        ({"format": None}, "format: Input should be 1, not null"),
        ({"task": "LOE"}, "task: 'LOE' is not LOI"),
        ({"decision": {}}, "unknown key 'decision'; did you mean 'decisions'?"),
    ],
)
def test_a_review_of_another_kind_is_refused(tmp_path, other, sentence):
    with pytest.raises(UserError, match=r"LOI\.yaml") as raised:
        read(tmp_path, {}, **other)
    assert sentence in str(raised.value)


def test_a_hash_twice_or_a_text_that_cannot_be_filled_is_refused(tmp_path):
    lines = ["format: 1", "task: LOI", "decisions:", *[f'  "{key(1)}": accept'] * 2]
    write_text(tmp_path / "r.yaml", "\n".join(lines))
    with pytest.raises(UserError, match=r"r.yaml:5: duplicate key .* already on line 4"):
        read_review(tmp_path / "r.yaml", TASK, pool())
    candidates = list(checked(Original(TASK, 1, ORIGINAL), {"m": ["After it?"]}))
    hashed = text_hash("After it?")
    write_text(tmp_path / "r.yaml", f'format: 1\ntask: LOI\ndecisions: {{"{hashed}": accept}}')
    with pytest.raises(UserError, match="cannot be filled; edit or reject it"):
        read_review(tmp_path / "r.yaml", TASK, candidates)


@given(st.text(min_size=1).filter(lambda text: text.encode("utf-8", "replace").decode() == text))
def test_whatever_a_rewriter_wrote_the_review_can_be_read(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("any")
    candidates = pool()
    candidates[1] = candidates[1] | {"text": text}
    clusters = [one | {"decision": "unread", "edit": None} for one in places(candidates)]
    clusters[3] |= {
        "decision": "edit",
        "edit": TEXTS[3][0] + text.replace("{", "").replace("}", ""),
    }
    write_jsonl(folder / "candidates.jsonl", candidates)
    write_jsonl(folder / "clusters.jsonl", clusters)
    inputs = {name: folder / f"{name}.jsonl" for name in ("candidates", "clusters")}
    write_text(folder / "r.yaml", review(inputs, TASK))
    decisions = read_review(folder / "r.yaml", TASK, candidates)
    assert decisions[key(3)] == Decision("edit", clusters[3]["edit"])
    assert len(decisions) == len({one["text"] for one in candidates})
