"""What a config asks of CFBench."""

import pytest

from steadfast.base.errors import UserError
from steadfast.benchmarks.cfbench.benchmark import CFBENCH
from steadfast.config.load import load_config

JUDGES = {"ref": {"engine": "reference"}, "sim-j": {"engine": "simulated"}}


def task(judges=JUDGES, section=None, **more):
    models = {"reference": {"engine": "reference"}}
    raw = {"benchmarks": ["cfbench"], "models": models, "judges": judges}
    return CFBENCH.of(load_config(raw | {"cfbench": section or {}} | more))


@pytest.mark.parametrize(
    ("section", "settings", "files"),
    [
        ({}, {}, ()),
        (
            {"source": "local", "directory": "here"},
            {"directory": "here"},
            ("here/cfbench_data.json",),
        ),
        ({"source": "released"}, {}, ()),
    ],
)
def test_data_depends_on_what_matters_to_its_source(section, settings, files):
    (data,) = task(section=section, seed=5).data
    assert (data.content.settings, data.files) == (settings, files)


def test_tables_depend_on_judges_and_labels():
    def tables(**more):
        return set(task(**more).tables.names)

    both = tables(section={"labels": "my.jsonl"})
    assert {"cfbench_table6_humans", "cfbench_agreement"} <= both
    assert both - tables() == {"cfbench_table6_humans", "cfbench_corrected"}
    assert tables() - tables(judges={"ref": JUDGES["ref"]}) == {"cfbench_agreement"}


def test_a_reply_is_asked_for_as_often_as_the_released_code_does():
    assert task(judging={"mode": "released"}).judging.attempts == 10
    assert task(judging={"attempts": 2}).judging.attempts == 2


def test_an_unknown_template_is_named():
    with pytest.raises(UserError, match="'en'"):
        task(section={"templates": {"en": "own.txt"}})
