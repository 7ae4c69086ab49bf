"""Hooks and fixtures of all Python tests."""
import pathlib
import tempfile

import pytest

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
