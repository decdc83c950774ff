"""Verifiers of the library: how they are built, and errors of those that fail."""

import sys
from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.ifeval.library import NEEDED, library_verifier
from steadfast.benchmarks.ifeval.scoring import verify

MODULE = '''
import random
import nltk

FETCHED = nltk.download("punkt")


class Holds:
    """Holds for texts with the prompt, or else with the word, which is random by default."""

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
    """A library of two kinds, which downloads data as it is imported."""
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
        yield lambda *arguments: library_verifier("mine", *arguments)
        assert (factory.seed, nltk.download) == (0, download)


def test_verifier_gets_its_arguments(library):
    holds = library("a:word", {"word": "yes"}, "Say it.")
    assert (holds("oh yes"), holds("Say it.")) == (True, False)
    assert library("a:prompt", {"word": "yes"}, "Say it.")("I: Say it.")


def test_verifier_has_the_same_random_numbers_each_time(library):
    first_of_seed_0 = "0.8444218515250481"
    for _ in range(2):
        assert library("a:word", {}, "")(f"so {first_of_seed_0}")


@pytest.mark.parametrize(("kind", "kwargs"), [("a:other", {}), ("a:word", {"words": 3})])
def test_unknown_kind_or_argument_is_refused(library, kind, kwargs):
    with pytest.raises(UserError, match=f"mine has no instruction '{kind}' with the arguments"):
        library(kind, kwargs, "")
    with pytest.raises(UserError, match="correct the data"):
        verify("mine", [{"kind": kind, "kwargs": kwargs}], "", "yes")


@pytest.mark.parametrize(
    ("words", "response", "verdicts"),
    [
        (["yes", "fails", "no"], "oh yes", [True, None, False]),
        (["yes", "late"], "oh\nyes", [True, None]),  # fails for a loose variant only
    ],
)
def test_failing_verifier_gives_no_verdict(library, words, response, verdicts):
    instructions = [{"kind": "a:word", "kwargs": {"word": word}} for word in words]
    problems = {"1": "a:word: ValueError: cut"}
    assert verify("mine", instructions, "", response) == (verdicts, verdicts, problems)
