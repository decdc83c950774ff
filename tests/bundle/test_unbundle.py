"""Unpacking a stranger's file: nothing of it runs, nothing outside its folder is touched."""

import hashlib
import io
import json
import os
import shutil
import stat
import struct
import warnings
import zipfile
from functools import cache

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.base.names import visible
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.share import contents, unbundle
from steadfast.share.bundle import checked_contents, write_archive

OUTPUTS = "results/lifbench/outputs/reference/1k.jsonl"
CONFIG = {
    "benchmarks": ["lifbench"],
    "models": {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated"}},
    "lifbench": {"lengths": {"1k": 2048}},
}
VLLM = {"engine": "vllm", "model": "org/m", "window": 4096}
DATA = {
    **CONFIG,
    "benchmarks": ["cfbench"],
    "judges": {"j": {"engine": "reference"}},
    "cfbench": {"source": "local", "directory": "data"},
}
ESCAPE = "\x1b[2J\x1b]0;owned\x07\u202e"
FILES = {
    "config.yaml": yaml.safe_dump(CONFIG).encode(),
    "README.md": b"A run.\n",
    OUTPUTS: b'{"sample_id": "a", "response": "x"}\n',
    OUTPUTS.replace(".jsonl", ".provenance.json"): b"{}",
    "made/tables/summary.md": b"| Model | ARS |\n",
}
"""A genuine bundle, without its manifest: of the answers, one file."""


@cache
def input_digest() -> str:
    """What the answers are made from."""
    run = Evaluation(load_config(CONFIG))
    return contents.answers(run, InputDigests(run))[OUTPUTS.removeprefix("results/")]


def sums(files) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def manifest(files) -> dict:
    return {"commit": "0" * 40, "sha256": sums(files), "input_digests": {OUTPUTS: input_digest()}}


def zipped(members, kind=zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of members, each a name or an info, and its content."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", kind) as archive:
        warnings.simplefilter("ignore")  # a name that is there twice
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def bundle(more=(), said=None, config=None, **how) -> bytes:
    """A genuine bundle with further files, other words in its manifest, or another config."""
    files = {**FILES, **dict.fromkeys(more, b"x")}
    if config is not None:
        files["config.yaml"] = config if isinstance(config, bytes) else yaml.dump(config).encode()
    if not isinstance(said, bytes):
        said = json.dumps(manifest(files) | (said or {})).encode()
    return zipped([*files.items(), ("manifest.json", said)], **how)


def changed(content: bytes, offset: int, value: bytes) -> bytes:
    """An archive with a field of the answers' entry in its directory, and of their own header,
    replaced; the offset is that of the directory's."""
    whole = bytearray(content)
    start = whole.rindex(b"PK\1\2", 0, whole.rindex(OUTPUTS.encode()))
    (local,) = struct.unpack_from("<I", whole, start + 42)
    whole[start + offset : start + offset + len(value)] = value
    if offset < 28:  # the header has the same fields, two bytes earlier
        whole[local + offset - 2 : local + offset - 2 + len(value)] = value
    return bytes(whole)


def with_member(**attributes) -> bytes:
    """One of whose members is of another kind."""
    info = zipfile.ZipInfo("made/tables/x")
    for name, value in attributes.items():
        setattr(info, name, value)
    files = {**FILES, info.filename: b"/etc/passwd"}
    said = json.dumps(manifest(files)).encode()
    return zipped([*FILES.items(), (info, b"/etc/passwd"), ("manifest.json", said)])


def with_model(**settings) -> bytes:
    return bundle(config={**CONFIG, "models": {**CONFIG["models"], "evil": settings}})


BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)
)
NAMES = [
    "../out.txt",
    "made/tables/../../../out.txt",
    "made/tables/./x",
    "made/tables//x",
    f"made/tables/{ESCAPE}",
    "made/tables/a\nerror: all is well",
    "made/tables/a\u200bb",
    f"made/tables/{'x' * 300}",
    "/".join(["made/tables", *["x" * 200] * 60]),
    "made/tables/summary.md/x",
    "made/tables/Summary.md",
    "made/tables/.git/config",
    ".git/config",
    ".snakemake/metadata/x",
    "profiles/default/config.yaml",
    "made/evil/x",
    "made/cfbench/scores/x.jsonl",
    "labels.jsonl",
    "Snakefile",
    "sitecustomize.py",
]
"""What no file of a bundle of that config is called."""
MANIFESTS = [
    {"sha256": {**sums(FILES), "missing.txt": "0" * 64}},
    {"sha256": {**sums(FILES), OUTPUTS: "0" * 64}},
    {"sha256": {name: made for name, made in sums(FILES).items() if name != OUTPUTS}},
    *({key: value} for key in ("sha256", "input_digests") for value in (None, 5, [1], {"a": 1})),
    {"commit": ESCAPE},
    {"commit": 5},
    {"input_digests": {OUTPUTS: ESCAPE}},
    b"null",
    b'{"sha256": ',
    b'{"sha256": "\xff"}',
    b'{"sha256":' * 50_000 + b"1" + b"}" * 50_000,
    b'{"sha256": {"\\ud800": "x"}, "input_digests": {}, "commit": null}',
]
HOSTILE = {
    "nothing": lambda: b"",
    "text": lambda: b"no archive",
    "half": lambda: bundle()[:400],
    "no end": lambda: bundle()[:-60],
    "wrong CRC": lambda: changed(bundle(), 16, b"\1\2\3\4"),
    "another's header": lambda: changed(bundle(), 42, bytes(4)),
    "unknown compression": lambda: changed(bundle(), 10, b"\x63\0"),
    "noise": lambda: changed(bundle(kind=zipfile.ZIP_STORED), 10, b"\x08\0"),
    "encrypted": lambda: changed(bundle(), 8, b"\1\0"),
    "declares much": lambda: changed(bundle(), 24, b"\xf0\xff\xff\xff"),
    "NUL in a name": lambda: bundle(["made/tables/axb"]).replace(b"/axb", b"/a\0b"),
    "link": lambda: with_member(external_attr=(stat.S_IFLNK | 0o777) << 16, create_system=3),
    "device": lambda: with_member(external_attr=(stat.S_IFCHR | 0o777) << 16, create_system=3),
    "twice": lambda: zipped([*FILES.items(), ("README.md", b""), ("manifest.json", b"{}")]),
    "no manifest": lambda: zipped(FILES.items()),
    "object": lambda: bundle(config=b"models: !!python/object/apply:os.system [touch x]"),
    "aliases": lambda: bundle(config=BOMB.encode()),
    "list": lambda: bundle(config=b"[1, 2]"),
    "no UTF-8": lambda: bundle(config=b"a: \xff"),
    "deep": lambda: bundle(config=b"a: " + b"[" * 1_500 + b"]" * 1_500),
    "escape": lambda: bundle(config=b'models: {m: {engine: "\\e[2J"}}'),
    "file outside": lambda: bundle(config={**CONFIG, "cfbench": {"labels": "/dev/zero"}}),
    "server": lambda: with_model(engine="openai", model="m", serve=["sh", "{port}"]),
    "trusts code": lambda: with_model(**VLLM, engine_args={"trust_remote_code": True}),
    "class": lambda: with_model(**VLLM, engine_args={"worker_cls": "evil.worker.Worker"}),
    "class of a module": lambda: with_model(**VLLM, engine_args={"worker_cls": "evil:Worker"}),
    "functions": lambda: with_model(**VLLM, engine_args={"logits_processors": ["evil.code:C"]}),
    **{f"data with {n}": lambda n=n: bundle([f"data/{n}"], config=DATA) for n in ("a.py", "a.so")},
    **{f"name {name[:40]!r}": lambda name=name: bundle([name]) for name in NAMES},
    **{f"manifest {n}": lambda said=said: bundle(said=said) for n, said in enumerate(MANIFESTS)},
}


@pytest.fixture
def unpacked(tmp_path):
    """Unpacks a bundle of these bytes."""

    def unpack(content, **how):
        (tmp_path / "bundle.zip").write_bytes(content)
        return unbundle.unbundle(tmp_path / "bundle.zip", tmp_path / "there", **how)

    return unpack


def test_a_genuine_bundle_is_taken(unpacked, tmp_path):
    found = unpacked(bundle())
    assert (found.kept, found.made_again, found.commit) == ([OUTPUTS], [], "0" * 40)
    assert (tmp_path / "there" / OUTPUTS).read_bytes() == FILES[OUTPUTS]
    files = [path for path in (tmp_path / "there").rglob("*") if path.is_file()]
    assert len(files) == len(FILES) + 1  # the manifest
    assert len({path.stat().st_mtime for path in files}) == 1  # or some would be made again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.zip", "there"]


def test_one_that_was_packed_by_another_program_is_taken(unpacked):
    said = json.dumps(manifest(FILES)).encode()
    members = [("results/", b""), *FILES.items(), ("manifest.json", said)]
    assert unpacked(zipped(members, zipfile.ZIP_STORED)).kept == [OUTPUTS]


@pytest.mark.quick(20)
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_one_is_refused_in_one_sentence_and_leaves_nothing(unpacked, tmp_path, what):
    environment = {**os.environ}
    with pytest.raises(UserError) as refused:
        unpacked(HOSTILE[what]())
    sentence = str(refused.value)
    assert visible(sentence) == sentence and "\n" not in sentence
    assert len(sentence.replace(str(tmp_path), "")) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.zip"]
    assert {**os.environ} == environment


@pytest.mark.parametrize("name", ["{}/out.txt", "../../out.txt"])
def test_nothing_is_written_outside_the_folder(unpacked, tmp_path, name):
    with pytest.raises(UserError, match="would be written outside the folder"):
        unpacked(bundle([name.format(tmp_path)]))
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.zip"]


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        ("MOST_FILES", 5, "would unpack to 6 files of"),
        ("ALWAYS", 10, r"6 files of 1,000,\d+ bytes, which no bundle of its size does"),
    ],
)
def test_what_would_be_too_much_is_refused(unpacked, monkeypatch, limit, value, said):
    monkeypatch.setattr(unbundle, limit, value)
    with pytest.raises(UserError, match=said):
        unpacked(zipped([*FILES.items(), ("made/tables/x", b"a" * 10**6)]))


def test_what_the_disk_has_no_room_for_is_refused(unpacked, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(8, 1, 7))
    with pytest.raises(UserError, match=r"not enough disk space for its .* bytes; free some"):
        unpacked(bundle())


def test_code_is_taken_where_that_is_asked_for(unpacked, tmp_path):
    unpacked(bundle(["data/evil.py"], config=DATA), code=True)
    assert (tmp_path / "there/data/evil.py").is_file()


def test_what_no_answer_of_the_config_is_does_not_come_along(unpacked, tmp_path):
    """A result that somebody else made of it is made again; so is one that is planted."""
    found = unpacked(bundle(["results/tables/summary.md", "results/lifbench/scores/x/y.jsonl"]))
    assert found.kept == [OUTPUTS]
    left = (tmp_path / "there/results").rglob("*")
    names = sorted(path.name for path in left if path.is_file())
    assert names == ["1k.jsonl", "1k.provenance.json"]


def test_an_answer_that_the_code_here_makes_otherwise_is_left_out(unpacked, tmp_path):
    found = unpacked(bundle(said={"input_digests": {OUTPUTS: "0" * 16}}))
    assert (found.kept, found.made_again) == ([], [OUTPUTS])
    assert not (tmp_path / "there" / OUTPUTS).exists()


@pytest.mark.parametrize("kind", ["file", "full", "link"])
def test_what_stands_where_it_is_to_go_is_left_alone(unpacked, tmp_path, kind):
    there = tmp_path / "there"
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    if kind == "file":
        there.write_text("mine")
    elif kind == "full":
        there.mkdir()
        (there / "config.yaml").write_text("mine")
    else:
        there.symlink_to(other)
    with pytest.raises(UserError, match="exists and is not empty; name another folder"):
        unpacked(bundle())
    assert [path.read_text() for path in other.iterdir()] == ["mine"]


def test_an_empty_folder_behind_a_link_is_filled(unpacked, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "there").symlink_to(tmp_path / "other")
    unpacked(bundle())
    assert (tmp_path / "other/config.yaml").is_file()


def test_a_folder_is_no_bundle(tmp_path):
    with pytest.raises(UserError, match="no such file; name a bundle"):
        unbundle.unbundle(tmp_path, tmp_path / "there")


def test_times_and_the_order_of_making_change_no_byte_of_an_archive(tmp_path):
    (tmp_path / "a").write_text("a.txt")
    members = {"a.txt": tmp_path / "a", "b/two.txt": b"two", "b-1.txt": b"1"}
    write_archive(checked_contents(members, {}, ()), tmp_path / "first.zip")
    os.utime(tmp_path / "a", (1, 1))
    backwards = dict(reversed(members.items()))
    write_archive(checked_contents(backwards, {}, ()), tmp_path / "second.zip")
    first, second = ((tmp_path / f"{name}.zip").read_bytes() for name in ("first", "second"))
    assert first == second
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        *names, last = archive.namelist()
        assert json.loads(archive.read(last))["sha256"].keys() == set(names)
        assert {name: archive.read(name) for name in names} == {
            "a.txt": b"a.txt",
            "b/two.txt": b"two",
            "b-1.txt": b"1",
        }
