"""One run at a time in a results folder."""

from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.workflow.one_run import hold

RUN = SimpleNamespace(holds_folder=True, locks=[])


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "journal").write_text("a file in the place of a folder")
    with pytest.raises(UserError, match=r"run\.lock: it cannot be written \(.+\); mend that"):
        hold(tmp_path, RUN)
