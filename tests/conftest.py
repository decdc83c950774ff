"""Settings of property tests, a limit on CPU time, the tiers, and the cost of tests by file.

The longest tests begin first, so that no worker is left alone with one.
"""

import gc
import os
import re
import resource
import signal
from collections import Counter, defaultdict

# As in a run's jobs (workflow/forking.py), before numpy is loaded: threads that wait for each other
# cost CPU time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

import project
from warm_python import warm_seconds

# Examples differ from run to run, except in CI; the quick tier has fewer.
for name, examples in {"quick": 20, "wide": 50}.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize="CI" in os.environ,
    )


# Collected tests live until the end. Searching them for garbage takes a third of the time of the
# collection, and would take more while tests run.
gc.disable()


@pytest.hookimpl(tryfirst=True)  # also where workers collect
def pytest_runtestloop():
    global counted
    gc.enable()
    gc.freeze()
    counted = cpu_seconds()  # the collection is not a cost of the first test


def pytest_configure(config):
    settings.load_profile("quick" if "not wide" in config.option.markexpr else "wide")


@pytest.fixture(scope="session", autouse=True)
def shared(tmp_path_factory, worker_id):
    """The folder in which projects keep files for all workers."""
    base = tmp_path_factory.getbasetemp()
    project.SHARED = base if worker_id == "master" else base.parent


@pytest.fixture
def cpu_limit():
    """Fails a test that takes five seconds of CPU time; other processes do not count.

    The texts of such tests are so long that work which grows with their square takes more.
    """

    def fail(*_):
        pytest.fail("this work grows faster than its input", pytrace=False)

    before = signal.signal(signal.SIGVTALRM, fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, 5)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def cpu_seconds() -> float:
    """The CPU time of this process, and of those that it started and that have ended."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages) + warm_seconds()


counted = cpu_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    global counted
    report = yield
    before = counted
    counted = cpu_seconds()
    report.cpu = counted - before
    return report


@pytest.hookimpl(tryfirst=True)  # before the tier is selected by its marks
def pytest_collection_modifyitems(items):
    """Of a test marked ``quick(n)``, n of the parameters are in the quick tier, spread evenly."""
    by_function = defaultdict(list)
    for item in items:
        if item.get_closest_marker("quick"):
            by_function[item.nodeid.partition("[")[0]].append(item)
    for parametrized in by_function.values():
        (count,) = parametrized[0].get_closest_marker("quick").args
        quick = {round(n * len(parametrized) / count) for n in range(count)}
        for number, item in enumerate(parametrized):
            if number not in quick:
                item.add_marker("wide")
    items.sort(key=start_order)


def start_order(item):
    """Tests that wait for a cluster come first, then those that start long programs."""
    group = item.get_closest_marker("xdist_group")
    waits = group is not None and group.args == ("slurm",)
    is_long = any(map(item.get_closest_marker, ("workflow", "heavy")))
    return not waits, not is_long


TIERS = ("heavy", "wide")
DATA_VARIABLE = re.compile(r"[A-Z]+_(?:CASES|DATA|CORPORA|FAIR)\b")
"""In the reason of a test that is skipped since files beside the project are absent."""


def pytest_terminal_summary(terminalreporter):
    variables = Counter()
    reasons = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        variable = DATA_VARIABLE.search(reason)
        if variable:
            variables[variable[0]] += 1
        else:
            reasons[reason] += 1
    if variables:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(variables.items()))
        terminalreporter.write_line(f"skipped, since files are absent that these name: {counts}")
    for reason, count in reasons.items():
        terminalreporter.write_line(f"skipped {count}: {reason}")
    cpu = Counter()
    wall = Counter()
    tiers = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "cpu"):
                file = report.nodeid.partition("::")[0]
                cpu[file] += report.cpu
                wall[file] += report.duration
                tier = next((tier for tier in TIERS if tier in report.keywords), "quick")
                tiers[tier] += report.cpu
    terminalreporter.section("what tests cost: seconds of CPU (and of waiting), by file")
    for file, seconds in cpu.most_common(10):
        terminalreporter.write_line(f"{seconds:7.1f} ({wall[file]:6.1f})  {file}")
    terminalreporter.write_line(f"{cpu.total():7.1f} ({wall.total():6.1f})  all")
    for tier, seconds in tiers.items():
        terminalreporter.write_line(f"{seconds:7.1f} of them  {tier}")
