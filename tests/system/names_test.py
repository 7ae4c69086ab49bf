"""The names that users give to jobs, and how a script asks a job."""
import os
import re
import signal
import subprocess
import time

import pytest
from ductile_job import DUCTILE, LONG, STEADY, Job, wait_until


def named(*options):
    return Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=1"), options=("-n", "1", "--name", "heat", *options))


def test_a_job_is_asked_by_its_name(tmp_path):
    file = f"{tmp_path}/id"
    with named("--id-file", file) as job:
        job.running()
        assert open(file).read() == job.id + "\n" and os.listdir(tmp_path) == ["id"]
        assert job.id.startswith("heat-") and len(job.id) == 13
        assert f"job      {job.id}  running" in job.ask("status", "heat").stdout
        assert job.ask("resize", "heat", "2", "--wait").returncode == 0
        with named("--id-file", file) as other:
            other.running()
            assert open(file).read() == other.id + "\n"
            both = job.ask("status", "heat")
            assert both.returncode == 2 and "'heat' means several jobs" in both.stderr, both
            assert job.id in both.stderr and other.id in both.stderr, both
            assert job.status()["ranks"] == 2 and other.status()["ranks"] == 1
            other.ends_well()
        missing = job.ask("resize", "hea", "1")
        assert missing.returncode == 2 and "there is no job 'hea'" in missing.stderr, missing
        job.process.kill()
        job.process.wait()
        job.process = subprocess.Popen([DUCTILE, "run", "--resume", "heat"], stdout=job.out, stderr=job.err, stdin=subprocess.DEVNULL)
        job.running()
        assert job.ask("resize", "heat", "1", "--wait").returncode == 0
        job.ends_well()


def test_bad_names_and_files_are_refused(tmp_path):
    for options, why in ((("--name", "a b"), "'a b' is no name for a job"), (("--name", "x" * 40), "is no name for a job"),
                         (("--id-file", f"{tmp_path}/nowhere/id"), "--id-file is"), (("--id-file", str(tmp_path)), "that is a folder")):
        refused = subprocess.run([DUCTILE, "run", *options, "--", "/bin/true"], capture_output=True, text=True, timeout=20)
        assert refused.returncode == 2 and why in refused.stderr, refused


def test_the_last_resize_point_is_told():
    with named() as job:
        job.running()
        assert wait_until("the pace is known", lambda: job.status() if "point_s" in job.status() else None)["since_point_s"] < 2
        rank = job.rank(0)
        begin = time.monotonic()
        os.kill(rank, signal.SIGSTOP)
        time.sleep(2.2)
        shown = job.ask("status", "heat").stdout
        os.kill(rank, signal.SIGCONT)
        told = re.search(r", the last one (\d+) s ago", shown)
        assert told and 2 <= int(told[1]) <= time.monotonic() - begin + 1, shown
        job.ends_well()


def of_three_hosts(tmp_path, remote_shell, **more):
    hosts = tmp_path / "hosts"
    hosts.write_text("one\ntwo\nthree\n")
    return Job([STEADY, LONG, 5000], where=("--hosts", str(hosts), "--ranks-per-host", "1", "--remote-shell", remote_shell), **more)


@pytest.mark.parametrize("start", ("launch", "collective"))
def test_three_names_of_one_machine(tmp_path, start):
    """MPI sees that all ranks are on one machine. So PMI_process_mapping must say this, too."""
    with of_three_hosts(tmp_path, "sh -c {command} {host}", options=("-n", "2", "--start", start)) as job:
        job.running()
        for size in (3, 1, 3):
            assert job.resize(size).returncode == 0, job.stderr()
        job.ends_well()
        assert not job.stderr(), job.stderr()


def test_machines_of_one_name_are_told(tmp_path):
    """Hosts of one machine name may be containers, each with its own /dev/shm. A warning says so."""
    own = tmp_path / "own"
    own.write_text('#!/bin/sh\nmount -t tmpfs none /dev/shm\nexec sh -c "$1"\n')
    own.chmod(0o700)
    with of_three_hosts(tmp_path, f"unshare --mount {own} {{command}} {{host}}", options=("-n", "2"), environment={"MPIR_CVAR_NOLOCAL": "1"}) as job:
        job.running()
        assert job.resize(3).returncode == 0, job.stderr()
        assert job.stderr().count("are different machines with one host name") == 1, job.stderr()
        job.ends_well()
