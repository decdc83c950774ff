"""Verifiers of a library: how they are built, and what is said of one that fails."""

import sys
from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.ifeval.library import NEEDED, library_verifier
from steadfast.benchmarks.ifeval.scoring import followed

MODULE = '''
import random
import nltk

FETCHED = nltk.download("punkt")


class Holds:
    """Follows a text with the word, which is drawn where none is given, and with the prompt."""

    def __init__(self, kind):
        self.takes_prompt, self.prompt = kind == "a:prompt", ""

    def build_description(self, word=None, prompt=""):
        self.word, self.prompt = word or str(random.random()), prompt

    def get_instruction_args(self):
        return {"prompt": None} if self.takes_prompt else None

    def check_following(self, text):
        if self.word == "fails" or self.word == "late" and "oh" not in text:
            raise ValueError("cut")
        return (self.prompt or self.word) in text


INSTRUCTION_DICT = {"a:word": Holds, "a:prompt": Holds}
'''


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library of two kinds, which would fetch what it lacks as it is imported."""
    folder = tmp_path_factory.mktemp("library") / "own_verifiers" / "mine"
    folder.mkdir(parents=True)
    (folder / "instructions_registry.py").write_text(MODULE)
    nltk = SimpleNamespace(download=lambda name: pytest.fail(f"{name} was fetched"))
    factory = SimpleNamespace(seed=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder.parents[1])
        patch.setitem(sys.modules, "nltk", nltk)
        patch.setitem(sys.modules, "langdetect", SimpleNamespace(DetectorFactory=factory))
        patch.setitem(NEEDED, "package", "own_verifiers")
        download = nltk.download
        yield lambda *of: library_verifier("mine", *of)
        assert (factory.seed, nltk.download) == (0, download)


def test_a_verifier_takes_its_arguments_and_draws_the_same_each_time(library):
    holds = library("a:word", {"word": "yes"}, "Say it.")
    assert (holds("oh yes"), holds("Say it.")) == (True, False)
    assert library("a:prompt", {"word": "yes"}, "Say it.")("I: Say it.")
    drawn = "0.8444218515250481"  # Python's first number of the seed 0
    assert [library("a:word", {}, "")(f"so {drawn}") for _ in range(2)] == [True, True]


@pytest.mark.parametrize(("kind", "kwargs"), [("a:other", {}), ("a:word", {"words": 3})])
def test_an_instruction_that_the_library_does_not_have_is_one_sentence(library, kind, kwargs):
    with pytest.raises(UserError, match=f"mine has no instruction '{kind}' with the arguments"):
        library(kind, kwargs, "")
    with pytest.raises(UserError, match="correct the data"):
        followed("mine", [{"kind": kind, "kwargs": kwargs}], "", "yes")


def test_a_verifier_that_fails_leaves_no_verdict_of_its_instruction_alone(library):
    asks = [{"kind": "a:word", "kwargs": {"word": word}} for word in ("yes", "fails", "no")]
    found = followed("mine", asks, "", "oh yes")
    assert found == ([True, None, False], [True, None, False], {"1": "a:word: ValueError: cut"})
    # nor where it fails of a loose reading alone
    asks = [{"kind": "a:word", "kwargs": {"word": word}} for word in ("late", "yes")]
    found = followed("mine", asks, "", "oh\nyes")
    assert found == ([None, True], [None, True], {"0": "a:word: ValueError: cut"})
