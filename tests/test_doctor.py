"""What a config needs of a machine: found, missing, not needed; and no secret is shown."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from project import command
from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.benchmarks.ifeval.library import NEEDED
from steadfast.contract.engine_names import ENGINES, NEEDS
from steadfast.doctor import machine
from steadfast.doctor.check import Check, Surroundings
from steadfast.doctor.examine import examine
from steadfast.doctor.machine import unreachable
from steadfast.doctor.slurm import read_profile, slurm_checks
from steadfast.schema.api_model import AnthropicModel, GeminiModel, OpenaiModel
from steadfast.schema.models import VllmModel

ROOT = Path(__file__).parents[1]
SECRET = "sk-not-to-be-shown"
ANSWERS = {
    "/v1/models": (200, b'{"object": "list", "data": [{"id": "m", "object": "model"}]}'),
    "/locked/models": (401, b'{"error": {"message": "sk-not-to-be-shown"}}'),
    "/v1/models?limit=1000": (200, b'{"data": [{"type": "model", "id": "m"}]}'),
    "/v1/models?pageSize=1000": (200, b'{"models": [{"name": "models/m"}]}'),
    "/no/v1/models?pageSize=1000": (
        400,
        b'{"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}',
    ),
    "/data.json": (200, b""),
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server that has ``ANSWERS`` and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = ANSWERS.get(self.path, (404, b"{}"))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

        def log_message(self, *arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def checks(folder: Path, online: bool = False, profiles=(), **config) -> dict[str, Check]:
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump({"models": {"reference": {"engine": "reference"}}, **config}))
    return {check.what: check for check in examine(str(path), profiles, online)}


def of_model(model, **around) -> dict[str, Check]:
    needs = load(NEEDS[model.engine])
    return {one.what: one for one in needs(model.model_dump(), Surroundings(**around))}


def commands(folder: Path, monkeypatch, **scripts: str) -> None:
    """Puts commands that print, or fail, in the place of those of the machine."""
    for name, script in scripts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_engines_that_need_something_say_it_and_simulated_ones_need_nothing(tmp_path):
    assert NEEDS.keys() <= ENGINES.keys()
    assert all(map(callable, map(load, NEEDS.values())))
    found = checks(tmp_path)
    assert {one.status for one in found.values()} <= {"ok", "not needed"}
    assert found["data of LIFBench"].text == "needs no network"
    assert found["SLURM"].status == "not needed"


def test_data_and_mistakes_in_the_config_are_said_beside_the_machine(tmp_path, monkeypatch):
    monkeypatch.setitem(NEEDED, "package", "no-such-package")
    (tmp_path / "input_data.jsonl").write_text("")
    section = {"source": "local", "directory": str(tmp_path), "sets": ["ifeval"]}
    models = {"m": {"engine": "openai", "model": "m"}}
    found = checks(tmp_path, benchmarks=["ifeval"], ifeval=section, models=models)["verifiers"]
    assert found.status == "missing"
    assert "is not installed; run 'make verifiers'" in found.text
    found = checks(tmp_path, benchmark=["lifbench"])
    assert found["config"].status == "missing"
    assert "did you mean 'benchmarks'?" in found["config"].text
    assert found["disk"].status == "ok"


# --- the machine ------------------------------------------------------------------------------


def test_packages_and_encoding_of_the_machine_are_checked(tmp_path):
    lock = tmp_path / "requirements.txt"
    lock.write_text(
        "numpy==0.1 \\\n    --hash=sha256:0\nno-such-package==1.0\n"
        "pywin32==1 ; sys_platform == 'win32' \\\n    # via numpy\n"
    )
    found = machine.packages(lock)
    assert found.status == "missing"
    assert "numpy 2" in found.text and "(needs ==0.1)" in found.text
    assert "no-such-package is not installed" in found.text and "pywin32" not in found.text
    assert machine.packages(tmp_path / "none").status == "not needed"
    assert machine.tokenizer("o200k_base").status == "ok"
    assert "has no encoding 'o300k'" in machine.tokenizer("o300k").text


def test_a_full_disk_and_a_directory_without_a_model_are_told(tmp_path, monkeypatch):
    assert machine.disk(tmp_path / "not/yet").status == "ok"
    monkeypatch.setattr(machine, "LEAST_GB", 10**9)
    assert "free disk space" in machine.disk(tmp_path).text
    (tmp_path / "config.json").write_text("{}")
    whole = local().model_copy(update={"model": str(tmp_path)})
    assert of_model(whole)[f"files of {tmp_path}"].status == "ok"
    assert of_model(local())[f"files of {ROOT}"].status == "missing"


# --- servers and data -------------------------------------------------------------------------


def api(**settings) -> OpenaiModel:
    return OpenaiModel(engine="openai", model="m", api_key_env="A_KEY", **settings)


def test_a_key_is_named_and_never_shown(address, monkeypatch):
    monkeypatch.delenv("A_KEY", raising=False)
    assert "A_KEY contains no API key" in of_model(api(base_url=f"{address}/v1"))["key"].text
    monkeypatch.setenv("A_KEY", SECRET)
    found = of_model(api(base_url=f"{address}/v1"))
    assert found["key"].text == "A_KEY is set"
    locked = of_model(api(base_url=f"{address}/locked"))["endpoint"]
    assert locked.status == "missing" and "check the API key in A_KEY" in locked.text
    assert SECRET not in " ".join(map(str, [*found.values(), locked]))


def test_an_endpoint_answers_lists_the_model_or_is_silent(address, monkeypatch):
    monkeypatch.setenv("A_KEY", SECRET)
    found = of_model(api(base_url=f"{address}/v1"))["endpoint"]
    assert (found.status, found.text) == ("ok", f"{address[7:]} responds")
    other = api(base_url=f"{address}/v1").model_copy(update={"model": "other"})
    unlisted = of_model(other)["endpoint"]
    assert unlisted.status == "missing"
    assert "the server has no model other; did you mean 'm'?" in unlisted.text
    # A server without that list answers all the same.
    assert of_model(api(base_url=f"{address}/none"))["endpoint"].status == "ok"
    gone = of_model(api(base_url="http://127.0.0.1:9/v1"))["endpoint"]
    assert gone.status == "missing" and "no response; start the server" in gone.text
    unasked = of_model(api(base_url="http://127.0.0.1:9/v1"), online=False)["endpoint"]
    assert unasked.status == "unchecked"


@pytest.mark.parametrize("engine", [AnthropicModel, GeminiModel])
def test_a_provider_is_asked_for_its_models_in_its_own_dialect(engine, address, monkeypatch):
    monkeypatch.setenv("A_KEY", SECRET)
    name = engine.__name__.removesuffix("Model").lower()
    how = {"engine": name, "api_key_env": "A_KEY", "base_url": address}
    found = of_model(engine(model="m", **how))["endpoint"]
    assert (found.status, found.text) == ("ok", f"{address[7:]} responds")
    assert "did you mean 'm'?" in of_model(engine(model="n", **how))["endpoint"].text
    monkeypatch.delenv("A_KEY")
    assert "A_KEY contains no API key" in of_model(engine(model="m", **how))["key"].text


def test_a_key_that_a_provider_refuses_is_said(address, monkeypatch):
    monkeypatch.setenv("A_KEY", SECRET)
    how = {"engine": "gemini", "api_key_env": "A_KEY", "base_url": f"{address}/no"}
    found = of_model(GeminiModel(model="m", **how))["endpoint"]
    assert found.status == "missing" and "check the API key in A_KEY" in found.text


def test_a_server_that_jobs_start_needs_its_program_and_no_key(tmp_path):
    found = of_model(api(serve=["python", "{port}"], tokenizer=f"{tmp_path}/model"))
    assert (found["server"].status, "key" in found) == ("ok", False)
    assert found[f"files of {tmp_path}/model"].status == "missing"
    gone = of_model(api(serve=["no-such-program", "{port}"]))["server"]
    assert "no-such-program not found" in gone.text


def test_addresses_of_data_are_asked_and_nothing_is_fetched(address):
    here = f"{address}/data.json"
    gone = f"{address}/other.json"
    assert unreachable([here, gone, here]) == {gone: "HTTP status 404"}


def test_published_data_is_needed_where_the_config_asks_it(tmp_path):
    released = {"contexts": "released", "expressions": "released"}
    judges = {"judge": {"engine": "reference"}}
    sources = {name: {"source": "released"} for name in ("followbench", "cfbench", "complexbench")}
    names = ["lifbench", *sources]
    found = checks(tmp_path, lifbench=released, judges=judges, benchmarks=names, **sources)
    for title in ("LIFBench", "FollowBench", "CFBench", "ComplexBench"):
        assert found[f"data of {title}"].status == "unchecked"
    own = checks(tmp_path, corpora={"source": "hub"})["data of LIFBench"]
    assert (own.status, "huggingface.co" in own.text) == ("unchecked", True)


def test_data_of_an_earlier_run_serves_where_the_network_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    asked = {"online": True, "corpora": {"source": "hub"}}
    gone = checks(tmp_path, **asked)["data of LIFBench"]
    assert (gone.status, "127.0.0.1:9" in gone.text) == ("missing", True)
    for name in ("alpaca", "govreport", "paul_graham", "qmsum", "xsum"):
        path = tmp_path / f"results/corpora/{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert checks(tmp_path, **asked)["data of LIFBench"].status == "unchecked"


# --- GPUs and clusters ------------------------------------------------------------------------


def local(**settings) -> VllmModel:
    return VllmModel(engine="vllm", model=str(ROOT), window=4096, **settings)


def test_gpus_are_counted_as_a_job_would_see_them(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    assert of_model(local(tensor_parallel_size=2))["GPU"].text == "2 found, 2 needed"
    assert "2 found, 4 needed" in of_model(local(tensor_parallel_size=4))["GPU"].text
    assert of_model(local(tensor_parallel_size=4), cluster=True)["GPU"].status == "not needed"


PROFILE = {"executor": "slurm", "default-resources": {"slurm_partition": "gpu"}}


def of_cluster(profile, models=None) -> dict[str, Check]:
    return {one.what: one for one in slurm_checks({"site": profile}, models or {})}


def test_a_cluster_answers_and_has_the_partition(tmp_path, monkeypatch):
    commands(tmp_path, monkeypatch, sinfo="echo cpu; echo gpu")
    found = of_cluster(PROFILE, {"model m": {"partition": "gpu,huge"}, "judge j": {}})
    assert found["partition gpu"].status == found["SLURM"].status == "ok"
    assert found["partition huge"].text == (
        "no such partition; set slurm.partition of model m to one of cpu, gpu"
    )
    listed = {"executor": "slurm", "default-resources": ["slurm_partition=big", "mem_mb=1"]}
    big = of_cluster(listed)["partition big"]
    assert (big.status, "cpu, gpu" in big.text) == ("missing", True)
    commands(tmp_path, monkeypatch, sinfo="exit 1")
    assert of_cluster(PROFILE)["SLURM"].status == "missing"


def test_a_profile_is_found_by_directory_or_by_name(tmp_path, monkeypatch):
    assert read_profile(str(ROOT / "profiles/slurm"))["executor"] == "slurm"
    monkeypatch.setenv("HOME", str(tmp_path))
    site = tmp_path / ".config/snakemake/mine"
    site.mkdir(parents=True)
    (site / "config.yaml").write_text("jobs: 3\n")
    assert read_profile("mine") == {"jobs": 3}
    with pytest.raises(UserError, match="profile other: not found, neither"):
        read_profile("other")
    (site / "config.yaml").write_text("- gpu\n")
    with pytest.raises(UserError, match="a mapping of options was expected"):
        read_profile("mine")


def test_the_command_prints_a_line_a_check_and_ends_with_1_where_something_is_missing(tmp_path):
    config = tmp_path / "my.yaml"
    config.write_text("models: {m: {engine: openai, model: m, api_key_env: NO_SUCH_KEY}}\n")
    done = command("doctor", "--offline", config)
    assert done.returncode == 1, done.stderr
    assert "missing     key (model m): environment variable NO_SUCH_KEY contains no" in done.stdout
    assert done.stdout.endswith("1 thing is missing\n")
    config.write_text("models: {m: {engine: reference}}\n")
    done = command("doctor", "--offline", config)
    assert done.returncode == 0 and done.stdout.endswith("nothing is missing\n"), done.stdout
