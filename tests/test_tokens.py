"""Tokens are counted without network, by the vocabularies that come with the project."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer


@pytest.mark.parametrize(("name", "tokens"), [("o200k_base", 4), ("cl100k_base", 4)])
def test_a_known_count(name, tokens):
    assert load_tokenizer(name).count("Hello, world!") == tokens


def test_known_texts_are_counted_and_an_unknown_encoding_is_one_sentence():
    assert load_tokenizer("o200k_base").count("<|endoftext|>") > 1
    with pytest.raises(UserError, match="no encoding 'o300k'; choose one of"):
        load_tokenizer("o300k")


@given(st.text())
def test_decoding_gives_the_text_back(text):
    tokenizer = load_tokenizer("o200k_base")
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text())
def test_a_long_text_has_as_many_tokens_counted_as_an_array(text):
    tokenizer = load_tokenizer("o200k_base")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steadfast.base.tokens.LONG", 0)
        assert tokenizer.count(text) == len(tokenizer.encode(text))
        assert tokenizer.count(f"{text}<|endoftext|>") == len(
            tokenizer.encode(f"{text}<|endoftext|>")
        )
