"""Tokens are counted without network, with the vocabularies of the project."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base import tokens
from steadfast.base.errors import UserError
from steadfast.base.tokens import load_tokenizer


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_tokens_of_a_known_text(name):
    assert load_tokenizer(name).count("Hello, world!") == 4


def test_special_tokens_are_counted_as_text():
    assert load_tokenizer("o200k_base").count("<|endoftext|>") > 1


def test_unknown_encoding_is_reported():
    with pytest.raises(UserError, match="no encoding 'o300k'; choose one of"):
        load_tokenizer("o300k")


@given(st.text())
def test_decoding_restores_the_text(text):
    tokenizer = load_tokenizer("o200k_base")
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(st.text())
def test_long_text_is_counted_as_it_is_encoded(text):
    tokenizer = load_tokenizer("o200k_base")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("steadfast.base.tokens.LONG", 0)
        for long_text in (text, f"{text}<|endoftext|>"):
            assert tokenizer.count(long_text) == len(tokenizer.encode(long_text))


def test_vocabularies_are_copied_once_and_a_damaged_copy_is_replaced(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tokens._cache_copy()
    assert folder == tmp_path / "steadfast/tiktoken"
    copies = sorted(folder.iterdir())
    originals = [path for path in sorted(tokens.VOCABULARIES.iterdir()) if not path.suffix]
    assert [path.name for path in copies] == [path.name for path in originals]
    kept, damaged = copies
    modified = kept.stat().st_mtime_ns
    damaged.write_bytes(b"")
    assert tokens._cache_copy() == folder
    assert damaged.read_bytes() == originals[1].read_bytes()
    assert kept.stat().st_mtime_ns == modified
