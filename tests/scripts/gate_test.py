"""`.ci/run` and `./test --retry`: what is red, what is flaky, and the summary that stands at the end of each run."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORT = ROOT / "scripts/lib/test_report.py"

LOG = """\
Test project /tmp/build
        Start   1: core/ids
        Start   2: system/exit_codes
  1/9 Test   #1: core/ids ................   Passed    0.02 sec
        Start   3: plan/order
  2/9 Test   #2: system/exit_codes .......***Failed    1.20 sec
run_test.py::test_exit_codes FAILED
    def test_exit_codes():
E   AssertionError: assert 3 == 4
E     more of it

  3/9 Test   #3: plan/order ..............***Failed    0.10 sec
[ RUN      ] Order.IsKept
tests/plan/order_test.cpp:31: Failure
Expected equality of these values:
  1

        Start   4: agent/slow
  4/9 Test   #4: agent/slow ..............***Timeout 120.03 sec
[ RUN      ] Slow.Ends
  5/9 Test   #5: cli/crash ...............***Exception: SegFault  0.10 sec
unknown file: Failure
C++ exception with description "boom" thrown in the test body.
  6/9 Test   #6: cli/words ...............Subprocess aborted***Exception:  0.10 sec
\x1b[1mterminate called\x1b[0m
  7/9 Test   #7: system/root .............***Skipped   0.10 sec
  8/9 Test   #8: scripts/silent ..........***Failed    0.10 sec
        Start   9: system/last
"""
AGAIN = """\
  1/2 Test   #2: system/exit_codes .......   Passed    1.00 sec
  2/2 Test   #3: plan/order ..............***Failed    0.10 sec
"""


def report(folder, *logs):
    files = [folder / f"{number}.log" for number in range(len(logs))]
    for file, text in zip(files, logs):
        file.write_text(text)
    done = subprocess.run([sys.executable, REPORT, *files, folder / "none.log"], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, done.stdout.splitlines()


def test_the_report_says_why(tmp_path):
    assert report(tmp_path, LOG, AGAIN) == (1, [
        "FAILED     agent/slow: no end within 120 s",
        'FAILED     cli/crash: unknown file: Failure C++ exception with description "boom" thrown in the test body.',
        "FAILED     cli/words: Subprocess aborted: terminate called",
        "FAILED     plan/order: tests/plan/order_test.cpp:31: Failure Expected equality of these values:",
        "FAILED     scripts/silent: it printed nothing",
        "FLAKY      system/exit_codes: AssertionError: assert 3 == 4",
        "NOT ENDED  system/last",
        "1 skipped",
        "2 passed, 5 failed"])
    assert report(tmp_path) == (0, ["0 passed, 0 failed"])


@pytest.mark.parametrize("flaky, status", [(1, 0), (10, 0), (11, 1)])
def test_more_than_ten_flaky_tests_are_red(tmp_path, flaky, status):
    log = "".join(f"{n}/{flaky} Test #{n}: a/{n} ...OUTCOME 0.1 sec\n" for n in range(flaky))
    found, lines = report(tmp_path, log.replace("OUTCOME", "***Failed"), log.replace("OUTCOME", "   Passed"))
    assert (found, lines[-1]) == (status, f"{flaky} passed, 0 failed")


@pytest.fixture
def tree(tmp_path):
    """A tree whose `.ci/run` and `scripts/lib` are ours, and whose steps each case writes. Its CTest tests are real."""
    for name in (".ci/run", "scripts/lib/retry.sh", "scripts/lib/test_report.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    write_step(tmp_path / "scripts/setup", "mkdir -p build/log")
    write_step(tmp_path / "scripts/check", "true")
    write_step(tmp_path / "test", 'root=$PWD build=$PWD/build; source scripts/lib/retry.sh; run_ctest_twice build -j 2')
    (tmp_path / "build").mkdir()
    return tmp_path


def write_step(file, script):
    file.write_text(f"#!/usr/bin/env bash\nset -euo pipefail\n{script}\n")
    file.chmod(0o755)


def write_tests(tree, **commands):
    """A test for each name, with what bash runs for it."""
    lines = (f'add_test({name} "bash" "-c" [==[{command}]==])\n' for name, command in commands.items())
    (tree / "build/CTestTestfile.cmake").write_text("".join(lines))


def run_gate(tree):
    done = subprocess.run(["bash", tree / ".ci/run"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=50, check=False)
    return done.returncode, done.stdout


def summary(output):
    """The lines after the heading, without the seconds of the steps."""
    return [re.sub(r"^ *\d+ s  ", "", line) for line in output.split("== Summary ==\n")[1].splitlines()]


STEPS = ["scripts/setup --werror --with checks", "scripts/check", "./test --retry"]
# Fails in the first run, and passes in the next.
FLAKY = "test -e flaky || { touch flaky; echo 'E   too late'; false; }"


def test_green(tree):
    write_tests(tree, good="true", also="true")
    status, output = run_gate(tree)
    assert (status, summary(output)) == (0, [*STEPS, "2 passed, 0 failed"])


def test_a_flaky_test_is_printed_and_green(tree):
    write_tests(tree, good="true", late=FLAKY)
    status, output = run_gate(tree)
    assert (status, summary(output)) == (0, [*STEPS, "FLAKY      late: too late", "2 passed, 0 failed"])


def test_a_test_that_fails_twice_is_red(tree):
    write_tests(tree, late=FLAKY, bad="echo no; false")  # the last test: ctest's total comes after it
    status, output = run_gate(tree)
    assert (status, summary(output)) == (8, [*STEPS[:2], "./test --retry: failed with 8", "FAILED     bad: no", "FLAKY      late: too late",
                                             "1 passed, 1 failed"])


def test_ctest_has_the_last_word(tree):
    """A test that prints what ctest would print does not pass, nor is a test that it names one."""
    write_tests(tree, bad="echo '1/1 Test #1: bad ...   Passed    0.01 sec'; echo '    Start 2: none'; false")
    status, output = run_gate(tree)
    assert (status, summary(output)[-2:]) == (8, ["FAILED     bad: 1/1 Test #1: bad ...   Passed    0.01 sec", "0 passed, 1 failed"])


@pytest.mark.parametrize("failing, runs", [(20, 2), (21, 1)])
def test_at_most_twenty_run_once_more(tree, failing, runs):
    write_tests(tree, **{f"bad{number}": "echo x >>runs; false" for number in range(failing)})
    status, output = run_gate(tree)
    assert (status, summary(output)[-1]) == (8, f"0 passed, {failing} failed")
    assert len((tree / "build/runs").read_text().split()) == failing * runs


def test_an_old_list_of_failures_is_not_run(tree):
    """Without tests ctest fails, too, and leaves the list of the run before it."""
    write_tests(tree, bad="false")
    assert run_gate(tree)[0] == 8
    write_tests(tree)
    status, output = run_gate(tree)
    assert status != 0 and "run once more" not in output and summary(output)[-1] == "0 passed, 0 failed"


def test_a_step_that_fails(tree):
    write_tests(tree, good="true")
    write_step(tree / "scripts/check", "exit 3")
    status, output = run_gate(tree)
    assert (status, summary(output)) == (3, [STEPS[0], "scripts/check: failed with 3", STEPS[2], "1 passed, 0 failed"])
    write_step(tree / "scripts/setup", "exit 4")
    status, output = run_gate(tree)
    assert (status, summary(output)) == (4, [f"{STEPS[0]}: failed with 4", "0 passed, 0 failed"])


def test_the_limit_of_time(tree):
    gate = tree / ".ci/run"
    gate.write_text(gate.read_text().replace("limit_s=5100", "limit_s=1"))
    write_step(tree / "scripts/setup", "sleep 600")
    status, output = run_gate(tree)
    assert (status, summary(output)) == (124, [f"{STEPS[0]}: failed with 124", "0 passed, 0 failed"])
    assert "did not end within 1 s" in output


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_all_that_it_started(tree, number):
    """Also a process that ignores SIGTERM in a session of its own, with an environment of its own."""
    write_tests(tree, good="true", long="trap '' TERM INT; env -i setsid sleep 600 & echo $! >pid.new; mv pid.new pid; wait")
    command = ["bash", tree / ".ci/run"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as gate:
        until = time.monotonic() + 30
        log = tree / "build/log/tests.log"
        while not (tree / "build/pid").exists() or not log.exists() or "Passed" not in log.read_text():
            assert time.monotonic() < until and gate.poll() is None
            time.sleep(0.02)
        started = int((tree / "build/pid").read_text())
        assert is_running(started)
        os.kill(gate.pid, number)
        output = gate.communicate(timeout=30)[0]
    assert gate.returncode == 128 + number
    assert summary(output) == [*STEPS[:2], "./test --retry: not ended", "NOT ENDED  long", "1 passed, 0 failed"]
    assert not is_running(started)
