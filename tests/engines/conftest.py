import pytest

from parts import Part
from servers import running


@pytest.fixture
def server():
    with running() as started:
        yield started


@pytest.fixture
def part(tmp_path, server):
    return Part(tmp_path, server.url)
