"""DUCTILE_TEST_PATIENCE, and a machine that stalls (tests/under_stalls)."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import patience
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STALLS = ROOT / "tests/under_stalls"


def limits(folder, factor):
    """By ctest, of two tests: {name: {property: value}}."""
    (folder / "below").mkdir(exist_ok=True)
    listed = """set_tests_properties([=[{0}]=] PROPERTIES  ENVIRONMENT "A=1;B=x y" LABELS "pure;slow" TIMEOUT "7" SKIP_RETURN_CODE "77")\n"""
    (folder / "CTestTestfile.cmake").write_text(
        f'include("{ROOT}/cmake/TestPatience.cmake")\nadd_test([=[one]=] "true")\n' + listed.format("one") + 'subdirs("below")\n')
    (folder / "below/CTestTestfile.cmake").write_text('add_test([=[two]=] "true")\n' + listed.format("two"))
    environment = {**os.environ, "DUCTILE_TEST_PATIENCE": factor or ""}
    if factor is None:
        del environment["DUCTILE_TEST_PATIENCE"]
    shown = subprocess.run(["ctest", "--test-dir", folder, "--show-only=json-v1"], env=environment, capture_output=True, text=True, timeout=30, check=True)
    return {test["name"]: {one["name"]: one["value"] for one in test["properties"]} for test in json.loads(shown.stdout)["tests"]}


@pytest.mark.parametrize("factor, limit", ((None, 7), ("", 7), ("1", 7), ("4", 28)))
def test_limits_of_tests_are_stretched(tmp_path, factor, limit):
    """And nothing else of a test, wherever it is."""
    found = limits(tmp_path, factor)
    assert list(found) == ["one", "two"]
    for properties in found.values():
        assert properties["TIMEOUT"] == limit and properties["SKIP_RETURN_CODE"] == 77, properties
        assert properties["LABELS"] == ["pure", "slow"] and properties["ENVIRONMENT"] == ["A=1", "B=x y"], properties


@pytest.mark.parametrize("factor", ("0", "-1", "1.5", "four"))
def test_other_factors_are_refused(tmp_path, factor):
    with pytest.raises(subprocess.CalledProcessError) as refused:
        limits(tmp_path, factor)
    assert f"'{factor}', not a whole number" in " ".join(refused.value.stderr.split())


def test_waits_are_stretched(monkeypatch):
    monkeypatch.setattr(patience, "FACTOR", 4)
    assert patience.patient(0.5) == 2 and patience.patient(None) is None
    with patience.PatientProcess(["sleep", "0.5"]) as process:
        assert process.wait(0.4) == 0  # it has 1.6 s
    for script in ("exec sleep 100", "exec >&-; exec sleep 100"):  # its output ends later, and before it ends
        with patience.PatientProcess(["sh", "-c", script], stdout=subprocess.PIPE) as process:
            begin = time.monotonic()
            with pytest.raises(subprocess.TimeoutExpired):
                process.communicate(timeout=1)
            assert 4 <= time.monotonic() - begin < 12, "once, not twice: that would be 16 s"
            process.kill()


@pytest.fixture(name="root")
def freezer():
    """The control groups of which tests/under_stalls makes one, if they can be had here."""
    old = pathlib.Path("/sys/fs/cgroup/freezer")
    root = old if old.is_dir() else pathlib.Path("/sys/fs/cgroup")
    try:
        group = pathlib.Path(tempfile.mkdtemp(prefix="ductile-probe-", dir=root))
        try:
            with subprocess.Popen(["sleep", "0.1"]) as process:
                (group / "cgroup.procs").write_text(str(process.pid))
            assert (group / "freezer.state").exists() or (group / "cgroup.freeze").exists()
        finally:
            group.rmdir()
    except OSError as error:
        pytest.skip(f"no control groups: {error}")
    return root


def until(what, condition):
    end = time.monotonic() + patience.patient(10)
    while not condition():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.01)


def groups(root, said):
    """Those of a process that has said what /proc/self/cgroup is; by the name, since in a container the path before it may be another."""
    return list(root.rglob(re.search(r"/(ductile-stalls-\w+)$", said, re.MULTILINE)[1]))


def test_all_processes_stall(root):
    """Each that the command has started, for 1.5 s in every 4 s: seen by what a loop of short sleeps does not do meanwhile."""
    loop = "import time\nlast, longest, end = time.monotonic(), 0, time.monotonic() + 5\n" \
           "while last < end:\n    time.sleep(0.01)\n    now = time.monotonic()\n    longest, last = max(longest, now - last), now\nprint(longest)"
    ran = subprocess.run([STALLS, "sh", "-c", 'cat /proc/self/cgroup; "$@"; exit 3', "sh", sys.executable, "-c", loop],
                         capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 3 and float(ran.stdout.split()[-1]) > 1.4, ran
    assert not groups(root, ran.stdout)


@pytest.mark.parametrize("signals, status", (((signal.SIGTERM,), 143), ((signal.SIGINT, signal.SIGTERM, signal.SIGINT), 130), ((signal.SIGKILL,), -9)))
def test_what_stalls_ends_with_its_command(root, signals, status):
    """Also what the command has left, and after signals while all stand still."""
    with subprocess.Popen([STALLS, "sh", "-c", "setsid sleep 1000 & cat /proc/self/cgroup; echo; sleep 1000"], stdout=subprocess.PIPE, text=True) as stalls:
        group, = groups(root, "".join(iter(stalls.stdout.readline, "\n")))
        pids = (group / "cgroup.procs").read_text().split()
        assert len(pids) >= 2, pids
        state = group / ("freezer.state" if (group / "freezer.state").exists() else "cgroup.events")
        until("all stand still", lambda: any(word in state.read_text() for word in ("FROZEN", "frozen 1")))
        for number in signals:
            stalls.send_signal(number)
            time.sleep(0.005)
        assert stalls.wait(20) == status
        until("the group is gone", lambda: not group.exists())
        until("its processes have ended", lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
