"""A job that begins on several hosts of a virtual cluster: it has one MPI_COMM_WORLD. Every way to end it."""
import os
import re
import signal
import subprocess
import time

import pytest
from ductile_job import DUCTILE, wait_until
from host_job import NAME, THREE, HostJob, cluster, layout, nothing_left, processes_on
from patience import patient

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("virtual_hosts")]


def run(*argv, seconds=60, ranks=5, hosts=None):
    """`ductile run` on the head of the cluster: two ranks a host, or as many as the file `hosts` says."""
    where = ("--hosts", hosts) if hosts else ("--hosts", cluster("hosts").stdout.strip(), "--ranks-per-host", "2")
    shell = f"{DUCTILE} cluster exec --name {NAME} {{host}} -- {{argv}}"
    return subprocess.run([DUCTILE, "cluster", "exec", "--name", NAME, "head", "--", DUCTILE, "run", "-n", str(ranks), "--tag",
                           *where, "--remote-shell", shell, "--shared-cores", "yes", "--", *argv], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


def test_world_plain_program():
    result = run("sh", "-c", 'echo "on $(hostname) by host $DUCTILE_HOST"; exec "$0"', os.environ["MPI_PROGRAM"])
    assert result.returncode == 0, result
    lines = sorted(result.stdout.splitlines())
    for rank in range(5):
        host = rank // 2
        assert f"[g0.{rank}] on node0{host + 1} by host {host}" in lines, result
        assert f"[g0.{rank}] rank {rank} of 5" in lines, result
    nothing_left(1)


def test_one_rank_on_a_host_two_on_the_next_and_three(tmp_path):
    """MPI knows which ranks share a machine (by PMI_process_mapping)."""
    hosts = tmp_path / "hosts"
    hosts.write_text("node01 slots=1\nnode02 slots=2\nnode03 slots=3\n")
    result = run(os.environ["MPI_PROGRAM"], "here", ranks=6, hosts=str(hosts))
    assert result.returncode == 0, result
    assert sorted(result.stdout.splitlines()) == [
        f"[g0.{rank}] rank {rank} of 6, {here} here" for rank, here in enumerate((1, 2, 2, 3, 3, 3))], result
    nothing_left(1)


def test_children_on_virtual_hosts_without_ranks():
    """The remote shell starts an agent on such a host. PMI_process_mapping of the children tells which hosts they are on."""
    result = run(os.environ["SPAWNER_PROGRAM"], "info", "4", "self", ranks=1)
    assert result.returncode == 0 and "[g0.0] info 10" in result.stdout, result
    places = sorted(line.split(" in ")[0] for line in result.stdout.splitlines() if "child" in line)
    assert places == [f"[g1.{rank}] child {rank} on host {host}" for rank, host in enumerate((0, 1, 1, 2))], result
    nothing_left(1)


def test_children_on_a_host_that_cannot_be_had(tmp_path):
    """No agent can be started on the other hosts. MPI_Comm_spawn returns an error, a message names one of these hosts, and the job goes on."""
    hosts = cluster("hosts").stdout.strip()
    shell = tmp_path / "shell"
    shell.write_text(f'#!/bin/sh\nhost=$1\nshift\n[ "$host" = node01 ] || exit 7\nexec {DUCTILE} cluster exec --name {NAME} "$host" -- "$@"\n')
    shell.chmod(0o755)
    result = subprocess.run([DUCTILE, "cluster", "exec", "--name", NAME, "head", "--", DUCTILE, "run", "-n", "1", "--hosts", hosts,
                             "--ranks-per-host", "1", "--remote-shell", f"{shell} {{host}} {{argv}}", "--", os.environ["SPAWNER_PROGRAM"], "info", "2", "self"],
                            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert result.returncode == 0 and "info -1" in result.stdout, result
    assert re.search("MPI_Comm_spawn by rank g0.0 fails: host node0[23] is lost", result.stderr), result


def test_world_exit_code():
    """A rank that fails ends the job with its code. Ranks that merely end at different times are no failure."""
    begin = time.monotonic()
    result = run("sh", "-c", "[ $PMI_RANK != 3 ] || exit 3; sleep 600")
    assert result.returncode == 3 and time.monotonic() - begin < patient(15), result
    assert "rank g0.3 on node02 has ended with code 3" in result.stderr, result
    result = run("sh", "-c", "[ $PMI_RANK -lt 2 ] || sleep 4")
    assert result.returncode == 0 and not result.stderr, result


class World(HostJob):
    """A job of four ranks on two hosts."""

    def __init__(self, *options):
        super().__init__(6000, 10000, "-n", "4", *options, per_host=2)

    def kill(self, host, program):
        pid = next(p["pid"] for p in processes_on(host) if os.path.basename(p["command"][0]).split(".")[0] == program)
        cluster("exec", host, "--", "kill", "-9", str(pid))

    def ends(self, code, *words, reachable=THREE):
        begin = time.monotonic()
        assert self.process.wait(25) == code, self.text()
        assert time.monotonic() - begin < patient(10), "ended on each reachable host within 10 s"
        said = [line for line in self.text().splitlines() if line.startswith("ductile: ")]
        assert len(said) == 1 and all(word in said[0] for word in words), self.text()
        nothing_left(hosts=reachable)


def test_world_job():
    with HostJob(150, 10000, "-n", "4", per_host=2) as job:
        status = job.status()
        assert status["ranks"] == 4 and status["groups"][0]["hosts"] == [{"host": "node01", "ranks": 2}, {"host": "node02", "ranks": 2}], status
        assert [h["ranks"] for h in status["hosts"]][:3] == [2, 2, 0], status
        assert job.process.wait(60) == 0, job.text()
        assert "end 4 bad 0" in job.text(), job.text()
        nothing_left()


def test_world_resized():
    """Any part of a world can leave: no other rank is replaced, and the host is free. A growth is one world over all its hosts."""
    with HostJob(100000, 10000, "-n", "4", per_host=2) as job:
        first = job.processes("node01")
        assert job.resize("8").returncode == 0, job.text()
        assert layout(job) == [("node01", 0, 2), ("node02", 0, 2), ("node03", 1, 2), ("node04", 1, 2)], job.status()
        assert job.resize("2").returncode == 0, job.text()
        assert layout(job) == [("node01", 0, 2)], job.status()
        for host in ("node02", "node03", "node04"):
            assert not processes_on(host), (host, processes_on(host))
        assert job.resize("6").returncode == 0, job.text()
        assert layout(job)[1:] == [("node02", 2, 2), ("node03", 2, 2)], job.status()
        assert job.ask("resize", job.id, "--release", "node01:1", "--release", "node02", "--wait").returncode == 0, job.text()
        assert layout(job) == [("node01", 0, 1), ("node03", 2, 2)] and not processes_on("node02"), job.status()
        assert first[0]["pid"] in [p["pid"] for p in job.processes("node01")], "it is the same process as ever"
        assert job.ask("resize", job.id, "--release", "node01", "--wait").returncode == 0, job.text()
        assert layout(job) == [("node03", 2, 2)] and not processes_on("node01"), job.status()
        assert job.resize("7", "--reclaim", "node01").returncode == 0, job.text()
        assert all(resize["kind"] != "replace" for resize in job.status()["resizes"])
        job.ends_well(7)
        nothing_left(hosts=(*THREE, "node04"))


def test_world_newcomers_of_several_hosts_die():
    with HostJob(100000, 10000, "-n", "2", "--heartbeat-limit", "3", "--env", "STEADY_HANG_AT=merge", "--progress-within", "20") as job:
        asked = job.start_resize(4)
        wait_until("it switches", lambda: job.status().get("pending", {}).get("phase") == "switching", 30, 0.05)
        cluster("kill", "node04")
        assert asked.wait(40) == 4, job.text()
        assert layout(job) == [("node01", 0, 1), ("node02", 0, 1)], job.status()
        wait_until("node03 is free", lambda: not processes_on("node03"), 10)
        cluster("kill", "node02")
        assert job.process.wait(25) == 125 and "node02" in job.text(), job.text()
        nothing_left(hosts=("node01", "node03"))


def test_world_rank():
    with World() as job:
        job.kill("node02", "steady")
        job.ends(137, "node02", "signal 9")


def test_world_agent():
    with World() as job:
        job.kill("node02", "agent")
        job.ends(125, "node02")


@pytest.mark.each
@pytest.mark.parametrize("how", ("kill", "freeze", "cut"))
def test_world_host(how):
    with World("--heartbeat-limit", "3", "--orphan-limit", "6") as job:
        cluster(how, "node02")
        job.ends(125, "node02", reachable=("node01", "node03"))
        if how == "freeze":
            cluster("thaw", "node02")
        nothing_left(15)  # cut off: the agent ends its ranks at the orphan limit; thawed: as soon as the broker refuses the agent


def test_world_interrupted():
    with World() as job:
        job.process.send_signal(signal.SIGINT)
        job.ends(130, "signal 2")
