"""Signals that `ductile run` gets: those that end the job, and those that are for the program."""
import signal
import sys

import pytest
from ductile_job import LONG, STEADY, Job, wait_until
from steady_job import Steady, done

BLOCKED = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); os.execvp(sys.argv[1], sys.argv[1:])"
FOR_THE_PROGRAM = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGPROF, signal.SIGIO, signal.SIGURG, signal.SIGXCPU, signal.SIGRTMIN, signal.SIGRTMAX)


def test_what_nohup_ignores_stays_ignored():
    with Job([STEADY, LONG, 10000], prefix=("nohup",)) as job:
        before = job.running()["points"]
        job.process.send_signal(signal.SIGHUP)
        wait_until("the program continues", lambda: job.status()["points"] > before + 20)
        job.ends_well()


@pytest.mark.parametrize("number", (signal.SIGTERM, signal.SIGHUP))
def test_a_signal_that_was_blocked_ends_the_job(number):
    with Job([STEADY, LONG, 10000], prefix=(sys.executable, "-c", BLOCKED)) as job:
        job.running()
        job.process.send_signal(number)
        assert job.end(12) == 128 + number, job.stderr()
        job.nothing_left(2)


def test_signals_reach_a_script_and_its_processes():
    numbers = " ".join(str(int(number)) for number in FOR_THE_PROGRAM)
    inner = f"for n in {numbers}; do trap \"echo inner $n\" $n; done; echo ready; while :; do sleep 0.05; done"
    outer = f"for n in {numbers}; do trap : $n; done; trap 'exit 0' TERM; sh -c '{inner}'; echo the end"
    with Job(["sh", "-c", outer], where=("--local=2", "--ranks-per-host=1"), options=("-n", "2")) as job:
        wait_until("both ranks are ready", lambda: job.stdout().count("ready") == 2)
        for number in FOR_THE_PROGRAM:
            job.process.send_signal(number)
            wait_until(number, lambda number=number: job.stdout().count(f"inner {int(number)}\n") == 2)
        job.process.send_signal(signal.SIGTERM)
        assert job.end(12) == 143, job.stderr()


def test_parked_ranks_get_no_signal():
    with Steady(start="launch", ranks=4, per_host=4, environment={"STEADY_TELL_SIGNAL": "1"}) as job:
        done(job, 2, "--shrink", "park")
        job.process.send_signal(signal.SIGUSR1)
        for rank in (0, 1):
            job.says(f"signalled g0.{rank}\n")
        done(job, 4)  # the parked ranks come back, and would handle a signal that waits
        job.ends_well()
        assert job.stderr().count("signalled") == 2, job.stderr()


def test_new_ranks_get_signals_when_they_belong_to_the_job(tmp_path):
    late = {"STEADY_TELL_START": "1", "STEADY_LATE_UNTIL": str(tmp_path / "go")}
    with Steady(start="launch", environment={"STEADY_TELL_SIGNAL": "1", **late}) as job:
        resize = job.start_resize(2)
        job.says("started g1.0")
        job.process.send_signal(signal.SIGUSR1)
        job.says("signalled g0.0")
        (tmp_path / "go").touch()
        assert resize.wait(30) == 0, job.stderr()
        assert "signalled g1" not in job.stderr()
        job.process.send_signal(signal.SIGUSR1)
        job.says("signalled g1.0")
        job.says("signalled g0.0", 2)
        job.ends_well()


def test_a_program_that_expects_no_signal_ends_by_it():
    with Job([STEADY, LONG, 10000]) as job:
        job.running()
        job.process.send_signal(signal.SIGUSR2)  # MPICH handles SIGUSR1
        assert job.end(12) == 128 + signal.SIGUSR2, job.stderr()
        job.nothing_left(2)
