"""Unpacking an untrusted bundle: nothing of it runs, nothing outside its folder is touched."""

import hashlib
import io
import json
import os
import shutil
import stat
import struct
import warnings
import zipfile
from functools import cache, partial

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.base.names import escape_hidden
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
LOCAL_DATA = {
    **CONFIG,
    "benchmarks": ["cfbench"],
    "judges": {"j": {"engine": "reference"}},
    "cfbench": {"source": "local", "directory": "data"},
}
SHARE = "steadfast.share.unbundle"
ESCAPE = "\x1b[2J\x1b]0;owned\x07\u202e"
FILES = {
    "config.yaml": yaml.safe_dump(CONFIG).encode(),
    "README.md": b"A run.\n",
    OUTPUTS: b'{"sample_id": "a", "response": "x"}\n',
    OUTPUTS.replace(".jsonl", ".provenance.json"): b"{}",
    "made/tables/summary.md": b"| Model | ARS |\n",
}
"""A valid bundle with one file of outputs, without its manifest."""


@cache
def outputs_digest() -> str:
    run = Evaluation(load_config(CONFIG))
    return contents.answers(run, InputDigests(run))[OUTPUTS.removeprefix("results/")]


def checksums(files) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


def manifest(files, **fields) -> bytes:
    digests = {OUTPUTS: outputs_digest()}
    valid = {"commit": "0" * 40, "sha256": checksums(files), "input_digests": digests}
    return json.dumps(valid | fields).encode()


def archive_of(members, compression=zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of members, each a name or a ZipInfo, and its content."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", compression) as archive:
        warnings.simplefilter("ignore")  # a duplicate name
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def bundle(further_names=(), fields=None, config=None, **options) -> bytes:
    """A valid bundle with further files, other fields of its manifest, or another config."""
    files = {**FILES, **dict.fromkeys(further_names, b"x")}
    if config is not None:
        files["config.yaml"] = config if isinstance(config, bytes) else yaml.dump(config).encode()
    content = fields if isinstance(fields, bytes) else manifest(files, **(fields or {}))
    return archive_of([*files.items(), ("manifest.json", content)], **options)


def overwritten(archive: bytes, offset: int, value: bytes) -> bytes:
    """An archive with another value of a field of the outputs' entry, in the central directory
    and in the local header. The offset is that in the directory."""
    content = bytearray(archive)
    start = content.rindex(b"PK\1\2", 0, content.rindex(OUTPUTS.encode()))
    (header,) = struct.unpack_from("<I", content, start + 42)
    content[start + offset : start + offset + len(value)] = value
    if offset < 28:  # the header has the same fields, two bytes earlier
        content[header + offset - 2 : header + offset - 2 + len(value)] = value
    return bytes(content)


def bundle_with_file_type(file_type: int) -> bytes:
    """A bundle with a member that is no regular file."""
    info = zipfile.ZipInfo("made/tables/x")
    info.create_system = 3
    info.external_attr = (file_type | 0o777) << 16
    content = b"/etc/passwd"
    files = {**FILES, info.filename: content}
    return archive_of([*FILES.items(), (info, content), ("manifest.json", manifest(files))])


def bundle_with_model(**settings) -> bytes:
    return bundle(config={**CONFIG, "models": {**CONFIG["models"], "evil": settings}})


ALIASES = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
for number in range(1, 9):
    aliases = ",".join([f"*a{number - 1}"] * 9)
    ALIASES += f"a{number}: &a{number} [{aliases}]\n"
NAMES = [
    "../out.txt", "made/tables/../../../out.txt", "made/tables/./x", "made/tables//x",
    f"made/tables/{ESCAPE}", "made/tables/a\nerror: all is well", "made/tables/a\u200bb",
    f"made/tables/{'x' * 300}", "/".join(["made/tables", *["x" * 200] * 60]),
    "made/tables/summary.md/x", "made/tables/Summary.md", "made/tables/.git/config",
    ".git/config", ".snakemake/metadata/x", "profiles/default/config.yaml", "made/evil/x",
    "made/cfbench/scores/x.jsonl", "labels.jsonl", "Snakefile", "sitecustomize.py",
]  # fmt: skip
"""Names that no file of a bundle of that config has."""
WITHOUT_OUTPUTS = {name: content for name, content in FILES.items() if name != OUTPUTS}
WRONG_TYPES = [None, 5, [1], {"a": 1}]
MANIFESTS = [
    {"sha256": {**checksums(FILES), "missing.txt": "0" * 64}},
    {"sha256": {**checksums(FILES), OUTPUTS: "0" * 64}},
    {"sha256": checksums(WITHOUT_OUTPUTS)},
    *[{"sha256": value} for value in WRONG_TYPES],
    *[{"input_digests": value} for value in WRONG_TYPES],
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
    "wrong CRC": lambda: overwritten(bundle(), 16, b"\1\2\3\4"),
    "another's header": lambda: overwritten(bundle(), 42, bytes(4)),
    "unknown compression": lambda: overwritten(bundle(), 10, b"\x63\0"),
    "not compressed": lambda: overwritten(bundle(compression=zipfile.ZIP_STORED), 10, b"\x08\0"),
    "encrypted": lambda: overwritten(bundle(), 8, b"\1\0"),
    "declares 4 GB": lambda: overwritten(bundle(), 24, b"\xf0\xff\xff\xff"),
    "NUL in a name": lambda: bundle(["made/tables/axb"]).replace(b"/axb", b"/a\0b"),
    "link": lambda: bundle_with_file_type(stat.S_IFLNK),
    "device": lambda: bundle_with_file_type(stat.S_IFCHR),
    "duplicate": lambda: archive_of([*FILES.items(), ("README.md", b""), ("manifest.json", b"{}")]),
    "no manifest": lambda: archive_of(FILES.items()),
    "object": lambda: bundle(config=b"models: !!python/object/apply:os.system [touch x]"),
    "aliases": lambda: bundle(config=ALIASES.encode()),
    "list": lambda: bundle(config=b"[1, 2]"),
    "no UTF-8": lambda: bundle(config=b"a: \xff"),
    "deep": lambda: bundle(config=b"a: " + b"[" * 1_500 + b"]" * 1_500),
    "escape": lambda: bundle(config=b'models: {m: {engine: "\\e[2J"}}'),
    "file outside": lambda: bundle(config={**CONFIG, "cfbench": {"labels": "/dev/zero"}}),
    "server": lambda: bundle_with_model(engine="openai", model="m", serve=["sh", "{port}"]),
    "data with a.py": lambda: bundle(["data/a.py"], config=LOCAL_DATA),
    "data with a.so": lambda: bundle(["data/a.so"], config=LOCAL_DATA),
}
CODE_ARGUMENTS = [
    {"trust_remote_code": True},
    {"worker_cls": "evil.worker.Worker"},
    {"worker_cls": "evil:Worker"},
    {"logits_processors": ["evil.code:C"]},
]
for arguments in CODE_ARGUMENTS:
    HOSTILE[f"model with {arguments}"] = partial(bundle_with_model, **VLLM, engine_args=arguments)
for name in NAMES:
    HOSTILE[f"name {name[:40]!r}"] = partial(bundle, [name])
for number, fields in enumerate(MANIFESTS):
    HOSTILE[f"manifest {number}"] = partial(bundle, fields=fields)


@pytest.fixture
def unpack(tmp_path):
    """Unpacks a bundle of these bytes into the folder ``target``."""

    def unpack(content, **options):
        (tmp_path / "bundle.zip").write_bytes(content)
        return unbundle.unbundle(tmp_path / "bundle.zip", tmp_path / "target", **options)

    return unpack


def test_valid_bundle_is_unpacked(unpack, tmp_path):
    unpacked = unpack(bundle())
    assert (unpacked.kept, unpacked.outdated, unpacked.commit) == ([OUTPUTS], [], "0" * 40)
    assert (tmp_path / "target" / OUTPUTS).read_bytes() == FILES[OUTPUTS]
    files = [path for path in (tmp_path / "target").rglob("*") if path.is_file()]
    assert len(files) == len(FILES) + 1  # the manifest
    assert len({path.stat().st_mtime for path in files}) == 1  # or some would be made again
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bundle.zip", "target"]


def test_archive_of_another_program_is_unpacked(unpack):
    members = [("results/", b""), *FILES.items(), ("manifest.json", manifest(FILES))]
    assert unpack(archive_of(members, zipfile.ZIP_STORED)).kept == [OUTPUTS]


@pytest.mark.quick(20)
@pytest.mark.parametrize("make_bundle", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bundle_is_refused_and_leaves_nothing(unpack, tmp_path, make_bundle):
    environment = {**os.environ}
    with pytest.raises(UserError) as error:
        unpack(make_bundle())
    message = str(error.value)
    assert escape_hidden(message) == message and "\n" not in message
    assert len(message.replace(str(tmp_path), "")) < 300
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.zip"]
    assert {**os.environ} == environment


@pytest.mark.parametrize("name", ["{}/out.txt", "../../out.txt"])
def test_nothing_is_written_outside_the_folder(unpack, tmp_path, name):
    with pytest.raises(UserError, match="would be written outside the folder"):
        unpack(bundle([name.format(tmp_path)]))
    assert [path.name for path in tmp_path.iterdir()] == ["bundle.zip"]


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        (f"{SHARE}.MOST_FILES", 5, "would unpack to 6 files of"),
        (f"{SHARE}.ALWAYS", 10, r"6 files of 1,000,\d+ bytes, which no bundle of its size does"),
        (
            "shutil.disk_usage",
            lambda _: shutil._ntuple_diskusage(8, 1, 7),
            r"not enough disk space for its .* bytes; free some",
        ),
    ],
)
def test_bundle_beyond_a_limit_is_refused(unpack, monkeypatch, limit, value, message):
    monkeypatch.setattr(limit, value)
    with pytest.raises(UserError, match=message):
        unpack(archive_of([*FILES.items(), ("made/tables/x", b"a" * 10**6)]))


def test_bundle_at_the_limits_is_unpacked(unpack, monkeypatch):
    members = zipfile.ZipFile(io.BytesIO(bundle())).infolist()
    size = sum(member.file_size for member in members)
    monkeypatch.setattr(f"{SHARE}.MOST_FILES", len(members))
    monkeypatch.setattr(f"{SHARE}.ALWAYS", size)
    monkeypatch.setattr(f"{SHARE}.MOST_TIMES", 0)
    usage = shutil._ntuple_diskusage(size, 0, size)
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)
    assert unpack(bundle()).kept == [OUTPUTS]


@pytest.mark.parametrize(
    ("make_bundle", "message"),
    [
        (HOSTILE["link"], "its member 'made/tables/x' is not a regular file"),
        (HOSTILE["manifest 0"], r"its file 'missing\.txt' is missing or damaged"),
        (lambda: archive_of([("manifest.json", b"{}")]), "not a bundle: .* the config is missing"),
        (
            lambda: bundle(fields={"packages": {"absent-one": "1"}}),
            "need the package 'absent-one', which is not installed",
        ),
        (
            lambda: bundle(["data/a.py", "data/b.py"], config=LOCAL_DATA),
            r"code that would run here: 'data/a\.py' and 1 more",
        ),
    ],
    ids=["link", "missing file", "no config", "package", "code"],
)
def test_refused_bundle_has_a_reason(unpack, make_bundle, message):
    with pytest.raises(UserError, match=message):
        unpack(make_bundle())


def test_code_is_unpacked_with_option_code(unpack, tmp_path):
    unpack(bundle(["data/evil.py"], config=LOCAL_DATA), code=True)
    assert (tmp_path / "target/data/evil.py").is_file()


def test_results_other_than_outputs_are_left_out(unpack, tmp_path):
    unpacked = unpack(bundle(["results/tables/summary.md", "results/lifbench/scores/x/y.jsonl"]))
    assert unpacked.kept == [OUTPUTS]
    paths = sorted((tmp_path / "target/results").rglob("*"))
    assert [path.name for path in paths if path.is_file()] == ["1k.jsonl", "1k.provenance.json"]


def test_outputs_of_other_code_are_left_out(unpack, tmp_path):
    unpacked = unpack(bundle(fields={"input_digests": {OUTPUTS: "0" * 16}}))
    assert (unpacked.kept, unpacked.outdated) == ([], [OUTPUTS])
    assert not (tmp_path / "target" / OUTPUTS).exists()


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_existing_target_is_not_overwritten(unpack, tmp_path, kind):
    target = tmp_path / "target"
    folder = tmp_path / ("target" if kind == "folder" else "other")
    folder.mkdir()
    (folder / "config.yaml").write_text("mine")
    if kind == "file":
        target.write_text("mine")
    elif kind == "link":
        target.symlink_to(folder)
    with pytest.raises(UserError, match="exists and is not empty; name another folder"):
        unpack(bundle())
    assert [path.read_text() for path in folder.iterdir()] == ["mine"]


def test_link_to_an_empty_folder_is_a_valid_target(unpack, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "target").symlink_to(tmp_path / "other")
    unpack(bundle())
    assert (tmp_path / "other/config.yaml").is_file()


def test_folder_in_place_of_a_bundle_is_refused(tmp_path):
    with pytest.raises(UserError, match="no such file; name a bundle"):
        unbundle.unbundle(tmp_path, tmp_path / "target")


def test_archive_does_not_depend_on_file_times_and_order(tmp_path):
    (tmp_path / "a").write_text("a.txt")
    members = {"a.txt": tmp_path / "a", "b/two.txt": b"two", "b-1.txt": b"1"}
    write_archive(checked_contents(members, {}, ()), tmp_path / "first.zip")
    os.utime(tmp_path / "a", (1, 1))
    reversed_members = dict(reversed(members.items()))
    write_archive(checked_contents(reversed_members, {}, ()), tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        contents_by_name = {name: archive.read(name) for name in archive.namelist()}
    last_name, manifest_json = contents_by_name.popitem()
    assert last_name == "manifest.json"
    assert contents_by_name == {"a.txt": b"a.txt", "b/two.txt": b"two", "b-1.txt": b"1"}
    assert json.loads(manifest_json)["sha256"].keys() == contents_by_name.keys()
