"""Hooks and fixtures of all Python tests."""
import pathlib
import signal
import tempfile

import pytest

# Who runs the tests may ignore these signals, by nohup or by a shell's `&`. The jobs under test would then ignore them, too.
signal.signal(signal.SIGINT, signal.default_int_handler)
for ignored in (signal.SIGHUP, signal.SIGQUIT):
    signal.signal(ignored, signal.SIG_DFL)

SKIPPED = 77  # the exit code that ctest takes for "skipped"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """If all cases of a run are skipped, ctest shows the run as skipped."""
    outcomes = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and outcomes.get("skipped") and not outcomes.get("passed"):
        session.exitstatus = SKIPPED


@pytest.fixture
def tmp_path():
    """Replaces the fixture of pytest: if several runs of pytest run side by side, one removes the folders of another."""
    with tempfile.TemporaryDirectory(prefix="dt.") as path:
        yield pathlib.Path(path)
