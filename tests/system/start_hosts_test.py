"""Starts inside MPI on the hosts of a virtual cluster: hosts that left are free, and hosts that are lost meanwhile."""
import time

from ductile_job import main, possible, wait_until
from hosts_test import Cluster, HostJob, cluster

STARTS = ("collective", "single", "hypercube", "diffusive")


def starts_give_hosts_back():
    """What a start leaves on a host of its starter's (mpiexec) stays there; on the others nothing does."""
    with Cluster():
        for start in possible(*STARTS):
            with HostJob(100000, 2000, "--start", start) as job:
                for size, left in ((4, ()), (1, ("node02", "node03", "node04")), (3, ("node04",))):
                    done = job.resize(str(size))
                    assert done.returncode == 0, (start, size, done, job.text())
                    for host in left:
                        assert not job.processes(host), (start, size, host, job.processes(host))
                    assert len(job.processes("node01")) > 0
                # Group g0 has started the others, so its host can be given back only with all replaced.
                refused = job.resize("--release", "node01", "--method", "merge")
                assert refused.returncode == 3 and "node01" in refused.stderr, refused
                assert job.resize("--release", "node01").returncode == 0, job.text()
                assert not job.processes("node01")
                status = job.status()
                assert status["ranks"] == 2 and status["resizes"][-1]["kind"] == "replace", status
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
    """It cannot be undone: the job ends, with one line that says why."""
    for start in possible("single", "diffusive"):
        with Cluster(), HostJob(100000, 2000, "--start", start, "--heartbeat-limit", "3", "--orphan-limit", "6",
                                "--env", "STEADY_LATE_US=60000000") as job:
            asked = job.start_resize(3)
            wait_until("newcomers are there", lambda: any("steady" in " ".join(p["command"]) for p in job.processes("node02")), 20, 0.1)
            begin = time.monotonic()
            cluster(how, "node02")
            assert job.process.wait(30) != 0, job.text()
            assert time.monotonic() - begin < 25
            asked.communicate(timeout=20)
            said = [line for line in job.text().splitlines() if line.startswith("ductile: ")]
            assert len(said) == 1 and ("node01" in said[0] or "node02" in said[0]), said
            for host in ("node01", "node03"):
                wait_until("nothing is left on " + host, lambda host=host: not job.processes(host), 15, 0.3)


if __name__ == "__main__":
    cases = {f.__name__: f for f in (starts_give_hosts_back, baseline_starts_on_hosts)}
    for how in ("kill", "freeze", "cut"):
        cases[f"host_lost_during_a_start_{how}"] = lambda how=how: host_lost_during_a_start(how)
    main(cases)
