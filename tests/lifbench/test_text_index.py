"""Many short texts are found in a long one exactly as one by one."""

from hypothesis import given
from hypothesis import strategies as st

from steadfast.lifbench.rubric.facts import TextIndex

letters = st.text(st.sampled_from("ab\n: é\ud800😀"), max_size=12)


@given(st.text(st.sampled_from("ab\n: é\ud800😀"), max_size=200), st.sets(letters, max_size=60))
def test_present_is_containment(text, sought):
    assert TextIndex(text).present(sought) == {s for s in sought if s in text}


@given(st.text(min_size=1, max_size=300), st.data())
def test_pieces_of_the_text_are_present(text, data):
    places = st.integers(0, len(text))
    cuts = data.draw(st.lists(st.tuples(places, places), min_size=20, max_size=60))
    pieces = {text[min(cut) : max(cut)] for cut in cuts}
    assert TextIndex(text).present(pieces) == pieces
