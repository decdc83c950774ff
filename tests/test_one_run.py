"""One run at a time in a results folder."""

from types import SimpleNamespace

import pytest
from snakemake_interface_common.exceptions import ApiError

from steadfast.workflow.one_run import OneRun

RUN = SimpleNamespace(
    executor_plugin="local", dryrun=False, execution_settings=SimpleNamespace(lock=True)
)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "journal").write_text("a file in the place of a folder")
    with pytest.raises(ApiError, match=r"run\.lock: it cannot be written \(.+\); mend that"):
        OneRun(tmp_path).hold(RUN)
