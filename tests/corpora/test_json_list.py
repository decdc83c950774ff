"""A list that is read value by value is the list that Python's own parser reads at once."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.corpora import local, rows
from steadfast.corpora.rows import listed

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
spelled = st.builds(json.dumps, st.lists(values, max_size=5), indent=st.none() | st.integers(0, 2))


def outcome(read, text: str):
    try:
        found = read(text)
    except ValueError:
        return "refused"
    return found if isinstance(found, list) else "refused"


@given(spelled, st.integers(1, 40), st.data())
def test_whatever_is_read_at_once_also_where_a_character_is_missing(text, chunk, data):
    cut = data.draw(st.integers(0, len(text)))
    texts = [text, f" \n{text}\n", text + "]", text[:cut], text[:cut] + text[cut + 1 :]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "CHUNK", chunk)
        for one in texts:
            assert outcome(lambda given: list(listed(io.StringIO(given))), one) == outcome(
                json.loads, one
            )


@pytest.mark.parametrize("number", ["1.5", "-12e+3", "0.25", "123456"])
def test_a_number_that_is_half_read_goes_on(monkeypatch, number):
    monkeypatch.setattr(rows, "CHUNK", 1)
    assert list(listed(io.StringIO(f"[{number},{number}]"))) == [float(number)] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"text": "One."},\n {"text": }]', "data.json:2: not valid JSON (Expecting value"),
        ('[{"text": "One."}', "data.json:1: not valid JSON (Expecting ',' delimiter"),
        ('[{"text": "One."}] []', "data.json:1: not valid JSON (Extra data"),
        ('"One."', "a list of records was expected, not str"),
        ('[{"text": "One."}, "Two."]', "record 2: a JSON object was expected, not str"),
        ('[{"text": ' + "1" * 5000 + "}]", "data.json: not valid JSON (Exceeds the limit (4300"),
        ("[" * 10**5, "data.json: not valid JSON (maximum recursion depth"),
        ("", "data.json:1: not valid JSON"),
    ],
)
def test_a_file_that_holds_no_list_of_records_is_one_sentence(tmp_path, text, said):
    (tmp_path / "data.json").write_text(text)
    with pytest.raises(UserError) as caught:
        list(local.corpus({}, "xsum", str(tmp_path), "*.json", {"text": "text"}))
    assert said in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_a_list(tmp_path):
    (tmp_path / "data.json").write_text('[{"text": "Café."}]', encoding="utf-8-sig")
    (record,) = local.corpus({}, "xsum", str(tmp_path), "*.json", {"text": "text"})
    assert record["text"] == "Café."
