"""On any machine: property tests without a limit of time, and a limit for what would never end."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("steady")


@pytest.fixture
def cpu_limit():
    """Fails a test that takes half a minute of CPU time, which only endless work does.

    Texts are so long that time which grows with their square would be minutes. What others do on
    the machine does not count.
    """

    def fail(*_):
        pytest.fail("this work grows faster than its input", pytrace=False)

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, 30)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)
