"""Jobs of as many hosts as a virtual cluster can have, one rank a host."""
import os
import time

import pytest
from host_job import HostJob

# 128 ranks that poll leave other processes little processor time. When such tests ran side by side, agents did not reach their broker
# within 15 s.
pytestmark = [pytest.mark.cluster, pytest.mark.alone, pytest.mark.time_limit(300), pytest.mark.usefixtures("virtual_hosts")]


ROUNDS = int(os.environ.get("MANY_HOSTS_ROUNDS", "2"))
# All agents and ranks share the cores of the test machine, which may be only two.
PATIENT = ("--heartbeat-limit", "30", "--progress-within", "30")


@pytest.mark.hosts(61)
def test_grows_to_60_hosts_and_back():
    with HostJob(100000, 20000, *PATIENT) as job:
        for number in range(ROUNDS):
            for size in ("60", "1"):
                begin = time.monotonic()
                done = job.resize(size)
                assert done.returncode == 0, (number, size, done, job.text())
                print(f"to {size} hosts: {time.monotonic() - begin:.2f} s", flush=True)
            left = [host for host in job.status()["hosts"] if host["agent"]]
            assert [host["name"] for host in left] == ["node01"], left
        assert all(resize["outcome"] == "done" for resize in job.status()["resizes"])
        job.ends_well(1)


@pytest.mark.slow
@pytest.mark.hosts(64)
def test_job_of_64_hosts_is_renewed():
    """For a moment old and new ranks are in one communicator. It consists of two worlds, however many hosts there are."""
    with HostJob(100000, 20000, *PATIENT, "-n", "64") as job:
        renewed = job.ask("renew", job.id, "--wait", seconds=120)
        assert renewed.returncode == 0, (renewed, job.text())
        status = job.status()
        assert status["ranks"] == 64 and [group["id"] for group in status["groups"]] == [1], status["groups"]
        job.ends_well(64, 90)
