"""Starts by MPI_Comm_spawn on a virtual cluster: hosts that the job leaves are free, and hosts are lost during a start."""

import pytest
from ductile_job import possible, wait_until
from host_job import Cluster, HostJob, cluster
from steady_job import STARTS


@pytest.mark.cluster
@pytest.mark.usefixtures("virtual_hosts")
def test_starts_give_hosts_back(start):
    """A start leaves nothing on any host. Even a host whose ranks have started all other ranks can be given back."""
    with HostJob(100000, 2000, "--start", start) as job:
        for size, left in ((4, ()), (1, ("node02", "node03", "node04")), (3, ("node04",))):
            done = job.resize(str(size))
            assert done.returncode == 0, (start, size, done, job.text())
            for host in left:
                assert not job.processes(host), (start, size, host, job.processes(host))
            assert len(job.processes("node01")) > 0
        assert job.resize("--release", "node01", "--method", "merge").returncode == 0, job.text()
        assert not job.processes("node01")
        status = job.status()
        assert status["ranks"] == 2 and status["resizes"][-1]["kind"] == "shrink", status
        assert job.ask("end", job.id).returncode == 0
        job.process.wait(20)
        wait_until("no process is left", lambda: not any(job.processes(h) for h in ("node01", "node02", "node03", "node04")), 10, 0.2)


@pytest.mark.cluster
@pytest.mark.usefixtures("virtual_hosts")
def test_baseline_starts_on_hosts(any_start):
    with HostJob(100000, 2000, "--start", any_start, "--method", "baseline", "-n", "2", per_host=2) as job:
        for size, left in ((8, ()), (2, ("node02", "node03", "node04")), (4, ("node03", "node04"))):
            done = job.resize(str(size))
            assert done.returncode == 0, (any_start, size, done, job.text())
            for host in ("node01", "node02", "node03", "node04"):
                assert bool(job.processes(host)) == (host not in left), (any_start, size, host, job.processes(host))
        assert job.ask("end", job.id).returncode == 0
        job.process.wait(20)


@pytest.mark.cluster
@pytest.mark.each
@pytest.mark.slow_for("freeze", "cut")
@pytest.mark.parametrize("how", ("kill", "freeze", "cut"))
def test_host_lost_during_a_start(how):
    """MPI_Comm_spawn returns with an error: the resize is rolled back, and the program goes on."""
    for start in possible(*STARTS):
        with Cluster(), HostJob(100000, 2000, "--start", start, "--heartbeat-limit", "3", "--orphan-limit", "6",
                                "--env", "STEADY_LATE_US=60000000") as job:
            asked = job.start_resize(3)
            wait_until("newcomers are there", lambda: any("steady" in " ".join(p["command"]) for p in job.processes("node02")), 20, 0.1)
            cluster(how, "node02")
            text, _ = asked.communicate(timeout=20)
            assert asked.returncode == 4 and "node02" in text, (start, text, job.text())
            assert job.status()["ranks"] == 1 and job.status()["health"] == "good", job.status()
            wait_until("nothing is left on node03", lambda: not job.processes("node03"), 15, 0.3)
            assert job.ask("end", job.id).returncode == 0
            job.process.wait(20)
