"""Starts inside MPI on the hosts of a virtual cluster: hosts that left are free, and hosts that are lost meanwhile."""

from ductile_job import main, possible, wait_until
from hosts_test import Cluster, HostJob, cluster

STARTS = ("collective", "single", "hypercube", "diffusive")


def starts_give_hosts_back():
    """Nothing of a start stays on any host: also the one whose ranks have started all others can be given back."""
    with Cluster():
        for start in possible(*STARTS):
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


def baseline_starts_on_hosts():
    with Cluster():
        for start in ("launch", *possible(*STARTS)):
            with HostJob(100000, 2000, "--start", start, "--method", "baseline", "-n", "2", per_host=2) as job:
                for size, left in ((8, ()), (2, ("node02", "node03", "node04")), (4, ("node03", "node04"))):
                    done = job.resize(str(size))
                    assert done.returncode == 0, (start, size, done, job.text())
                    for host in ("node01", "node02", "node03", "node04"):
                        assert bool(job.processes(host)) == (host not in left), (start, size, host, job.processes(host))
                assert job.ask("end", job.id).returncode == 0
                job.process.wait(20)


def host_lost_during_a_start(how):
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


if __name__ == "__main__":
    cases = {f.__name__: f for f in (starts_give_hosts_back, baseline_starts_on_hosts)}
    for how in ("kill", "freeze", "cut"):
        cases[f"host_lost_during_a_start_{how}"] = lambda how=how: host_lost_during_a_start(how)
    main(cases)
