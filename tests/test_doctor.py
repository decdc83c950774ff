"""What a config needs of a machine: present, missing or not needed; and no secret is shown."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from http_server import http_server
from steadfast.base.errors import UserError
from steadfast.base.loading import load
from steadfast.benchmarks.ifeval.library import NEEDED
from steadfast.command.main import main
from steadfast.contract.engine_names import ENGINES, NEEDS
from steadfast.doctor import machine
from steadfast.doctor.check import Check, Environment
from steadfast.doctor.examine import examine, needed_data
from steadfast.doctor.machine import unreachable
from steadfast.doctor.slurm import read_profile, slurm_checks
from steadfast.schema.api_model import AnthropicModel, GeminiModel, OpenaiModel
from steadfast.schema.models import VllmModel

ROOT = Path(__file__).parents[1]
SECRET = "sk-not-to-be-shown"
RESPONSES = {
    "/v1/models": (200, b'{"object": "list", "data": [{"id": "m", "object": "model"}]}'),
    "/locked/models": (401, b'{"error": {"message": "sk-not-to-be-shown"}}'),
    "/v1/models?limit=1000": (200, b'{"data": [{"type": "model", "id": "m"}]}'),
    "/v1/models?pageSize=1000": (200, b'{"models": [{"name": "models/m"}]}'),
    "/no/v1/models?pageSize=1000": (
        400,
        b'{"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}',
    ),
    "/down/models": (500, b'{"data": [{"id": "m"}]}'),
    "/data.json": (200, b""),
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with http_server(lambda path, headers: RESPONSES.get(path, (404, b"{}"))) as address:
        yield address


def config_checks(folder: Path, online: bool = False, **config) -> dict[str, Check]:
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump({"models": {"reference": {"engine": "reference"}}, **config}))
    return {check.what: check for check in examine(str(path), (), online)}


def model_checks(model, **surroundings) -> dict[str, Check]:
    checks = load(NEEDS[model.engine])(model.model_dump(), Environment(**surroundings))
    return {check.what: check for check in checks}


def test_reference_model_needs_nothing_of_the_machine(tmp_path):
    assert NEEDS.keys() <= ENGINES.keys()
    assert all(map(callable, map(load, NEEDS.values())))
    checks = config_checks(tmp_path)
    assert {check.status for check in checks.values()} <= {"ok", "not needed"}
    assert checks["data of LIFBench"].text == "needs no network"
    assert checks["SLURM"].status == "not needed"
    simulated = {"engine": "simulated", "tokenizer": "cl100k_base"}
    assert "tokenizer cl100k_base" in config_checks(tmp_path, models={"sim-a": simulated})


def test_missing_package_of_a_benchmark_is_reported(tmp_path, monkeypatch):
    monkeypatch.setitem(NEEDED, "package", "no-such-package")
    (tmp_path / "input_data.jsonl").write_text("")
    section = {"source": "local", "directory": str(tmp_path), "sets": ["ifeval"]}
    models = {"m": {"engine": "openai", "model": "m"}}
    checks = config_checks(tmp_path, benchmarks=["ifeval"], ifeval=section, models=models)
    assert checks["verifiers"].status == "missing"
    assert "is not installed; run 'make verifiers'" in checks["verifiers"].text


def test_machine_is_checked_despite_a_config_error(tmp_path):
    checks = config_checks(tmp_path, benchmark=["lifbench"])
    assert checks["config"].status == "missing"
    assert "did you mean 'benchmarks'?" in checks["config"].text
    assert checks["disk"].status == "ok"


# --- the machine ------------------------------------------------------------------------------


def test_packages_and_tokenizer_of_the_machine(tmp_path):
    lock = tmp_path / "requirements.txt"
    lock.write_text(
        "numpy==0.1 \\\n    --hash=sha256:0\nno-such-package==1.0\n"
        "pywin32==1 ; sys_platform == 'win32' \\\n    # via numpy\n"
    )
    packages = machine.packages(lock)
    assert packages.status == "missing"
    assert "numpy 2" in packages.text and "(needs ==0.1)" in packages.text
    assert "no-such-package is not installed" in packages.text and "pywin32" not in packages.text
    assert machine.packages(tmp_path / "none").status == "not needed"
    lock.write_text("".join(f"no-such-{number}==1\n" for number in range(7)))
    many = machine.packages(lock).text
    assert many.count("is not installed") == 5 and " and 2 more" in many
    lock.write_text("numpy>=2\npandas>=2\n")
    assert machine.packages(lock).text == "2 packages in the versions of requirements.txt"
    assert machine.tokenizer("o200k_base").status == "ok"
    assert "has no encoding 'o300k'" in machine.tokenizer("o300k").text


def test_full_disk_and_directory_without_a_model_are_reported(tmp_path, monkeypatch):
    for free, status in ((2e9, "ok"), (1.99e9, "missing")):
        usage = SimpleNamespace(free=free)
        monkeypatch.setattr("shutil.disk_usage", lambda path, usage=usage: usage)
        assert machine.disk(tmp_path / "not/yet").status == status
    assert machine.disk(tmp_path).text == (
        f"2.0 GB free for {tmp_path}, 2 GB needed; free disk space"
    )
    (tmp_path / "config.json").write_text("{}")
    complete = vllm_model().model_copy(update={"model": str(tmp_path)})
    assert model_checks(complete)[f"files of {tmp_path}"].status == "ok"
    assert model_checks(vllm_model())[f"files of {ROOT}"].status == "missing"


# --- servers and data -------------------------------------------------------------------------


def api_model(model: str = "m", **settings) -> OpenaiModel:
    return OpenaiModel(engine="openai", model=model, api_key_env="A_KEY", **settings)


@pytest.fixture
def api_key(monkeypatch):
    monkeypatch.setenv("A_KEY", SECRET)


def test_api_key_is_named_and_never_shown(address, monkeypatch):
    monkeypatch.delenv("A_KEY", raising=False)
    model = api_model(base_url=f"{address}/v1")
    assert "A_KEY contains no API key" in model_checks(model)["key"].text
    monkeypatch.setenv("A_KEY", SECRET)
    checks = model_checks(model)
    assert checks["key"].text == "A_KEY is set"
    locked = model_checks(api_model(base_url=f"{address}/locked"))["endpoint"]
    assert locked.status == "missing" and "check the API key in A_KEY" in locked.text
    assert SECRET not in " ".join(map(str, [*checks.values(), locked]))


def test_endpoint_responds_and_lists_the_model(address, api_key):
    def endpoint(url: str, model: str = "m", online: bool = True) -> Check:
        return model_checks(api_model(model, base_url=url), online=online)["endpoint"]

    listed = endpoint(f"{address}/v1")
    assert (listed.status, listed.text) == ("ok", f"{address[7:]} responds")
    unlisted = endpoint(f"{address}/v1", "other")
    assert unlisted.status == "missing"
    assert "the server has no model other; did you mean 'm'?" in unlisted.text
    assert endpoint(f"{address}/without-list").status == "ok"
    assert "HTTP status 500; the server is down" in endpoint(f"{address}/down").text
    silent = endpoint("http://127.0.0.1:9/v1")
    assert silent.status == "missing" and "no response; start the server" in silent.text
    assert endpoint("http://127.0.0.1:9/v1", online=False).status == "unchecked"


@pytest.mark.parametrize("engine", [AnthropicModel, GeminiModel])
def test_provider_lists_its_models_in_its_own_format(engine, address, api_key, monkeypatch):
    name = engine.__name__.removesuffix("Model").lower()
    settings = {"engine": name, "api_key_env": "A_KEY", "base_url": address}
    endpoint = model_checks(engine(model="m", **settings))["endpoint"]
    assert (endpoint.status, endpoint.text) == ("ok", f"{address[7:]} responds")
    assert "did you mean 'm'?" in model_checks(engine(model="n", **settings))["endpoint"].text
    monkeypatch.delenv("A_KEY")
    assert "A_KEY contains no API key" in model_checks(engine(model="m", **settings))["key"].text


def test_invalid_key_of_gemini_is_reported(address, api_key):
    settings = {"engine": "gemini", "api_key_env": "A_KEY", "base_url": f"{address}/no"}
    endpoint = model_checks(GeminiModel(model="m", **settings))["endpoint"]
    assert endpoint.status == "missing" and "check the API key in A_KEY" in endpoint.text


def test_server_started_by_jobs_needs_its_program_and_no_key(tmp_path):
    checks = model_checks(api_model(serve=["python", "{port}"], tokenizer=f"{tmp_path}/model"))
    assert checks["server"].status == "ok" and "key" not in checks
    assert checks[f"files of {tmp_path}/model"].status == "missing"
    absent = model_checks(api_model(serve=["no-such-program", "{port}"]))["server"]
    assert "no-such-program not found" in absent.text


def test_data_addresses_are_checked_without_a_download(address):
    present = f"{address}/data.json"
    absent = f"{address}/other.json"
    assert unreachable([present, absent, present]) == {absent: "HTTP status 404"}


def test_published_data_is_unchecked_offline(tmp_path):
    released = {"contexts": "released", "expressions": "released"}
    judges = {"judge": {"engine": "reference"}}
    names = ("followbench", "cfbench", "complexbench")
    sections = {"lifbench": released} | {name: {"source": "released"} for name in names}
    checks = config_checks(tmp_path, judges=judges, benchmarks=list(sections), **sections)
    for title in ("LIFBench", "FollowBench", "CFBench", "ComplexBench"):
        assert checks[f"data of {title}"].status == "unchecked"
    corpora = config_checks(tmp_path, corpora={"source": "hub"})["data of LIFBench"]
    assert corpora.status == "unchecked" and "huggingface.co" in corpora.text


def test_corpora_of_an_earlier_run_need_no_network(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    config = {"online": True, "corpora": {"source": "hub"}}
    data = config_checks(tmp_path, **config)["data of LIFBench"]
    assert data.status == "missing" and "127.0.0.1:9" in data.text
    corpora = tmp_path / "results/corpora"
    corpora.mkdir(parents=True)
    for name in ("alpaca", "govreport", "paul_graham", "qmsum", "xsum"):
        (corpora / f"{name}.jsonl").touch()
    assert config_checks(tmp_path, **config)["data of LIFBench"].status == "unchecked"


def test_needed_data_are_those_of_prompts_with_their_inputs():
    def file(name: str, **inputs: str) -> SimpleNamespace:
        return SimpleNamespace(path=name, inputs=inputs)

    raw = file("raw")
    data = file("data", raw="raw", weights="of/somebody")
    part = SimpleNamespace(sources={"data": "data", "again": "raw", "made": "results/contexts"})
    task = SimpleNamespace(data=[raw, data, file("unused")], parts={"p": part}, judging=None)
    assert sorted(file.path for file in needed_data(task)) == ["data", "raw"]


# --- GPUs and clusters ------------------------------------------------------------------------


def vllm_model(**settings) -> VllmModel:
    return VllmModel(engine="vllm", model=str(ROOT), window=4096, **settings)


def test_gpus_are_those_visible_to_a_job(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    four_gpus = vllm_model(tensor_parallel_size=4)
    assert model_checks(vllm_model(tensor_parallel_size=2))["GPU"].text == "2 found, 2 needed"
    assert "2 found, 4 needed" in model_checks(four_gpus)["GPU"].text
    assert model_checks(four_gpus, cluster=True)["GPU"].status == "not needed"


def test_partitions_of_the_profile_and_models_are_checked(tmp_path, monkeypatch):
    def cluster_checks(defaults, models) -> dict[str, Check]:
        profile = {"executor": "slurm", "default-resources": defaults}
        return {check.what: check for check in slurm_checks({"site": profile}, models)}

    sinfo = tmp_path / "sinfo"
    sinfo.write_text("#!/bin/sh\necho cpu; echo gpu\n")
    sinfo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    defaults = {"slurm_partition": "gpu"}
    checks = cluster_checks(defaults, {"model m": {"partition": "gpu,huge"}, "judge j": {}})
    assert checks["partition gpu"].status == checks["SLURM"].status == "ok"
    assert checks["partition huge"].text == (
        "no such partition; set slurm.partition of model m to one of cpu, gpu"
    )
    big = cluster_checks(["slurm_partition=big", "mem_mb=1"], {})["partition big"]
    assert big.status == "missing" and "cpu, gpu" in big.text
    sinfo.write_text("#!/bin/sh\nexit 1\n")
    assert cluster_checks(defaults, {})["SLURM"].status == "missing"


def test_profile_is_read_by_directory_or_name(tmp_path, monkeypatch):
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


def test_command_prints_each_check_and_exits_with_1_if_any_is_missing(tmp_path, capsys):
    def run(models: str) -> tuple[object, str]:
        (tmp_path / "my.yaml").write_text(f"models: {models}\n")
        with pytest.raises(SystemExit) as end:
            main(["doctor", "--offline", str(tmp_path / "my.yaml")])
        return end.value.code, capsys.readouterr().out

    first = "m: {engine: openai, model: m, api_key_env: NO_SUCH_KEY}"
    second = "n: {engine: openai, model: n, api_key_env: NOR_THIS_KEY}"
    code, text = run(f"{{{first}}}")
    assert code == 1 and text.endswith("1 thing is missing\n")
    assert "missing     key (model m): environment variable NO_SUCH_KEY contains no" in text
    code, text = run(f"{{{first}, {second}}}")
    assert code == 1 and text.endswith("2 things are missing\n")
    code, text = run("{m: {engine: reference}}")
    assert code == 0 and text.endswith("nothing is missing\n")
