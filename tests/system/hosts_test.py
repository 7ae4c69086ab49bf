"""Hosts of a virtual cluster are killed, frozen or cut off, and may come back: what docs/behaviour.md says about lost hosts."""
import time

import pytest
from ductile_job import wait_until
from host_job import HostJob, cluster
from patience import patient

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("virtual_hosts")]

LOSSES = ("kill", "freeze", "cut")


def test_hosts_come_back():
    with HostJob(100000, 10000) as job:
        assert job.resize("4").returncode == 0
        assert job.processes("node03")
        assert job.resize("2").returncode == 0
        assert not job.processes("node03") and not job.processes("node04")
        assert job.resize("4").returncode == 0
        assert job.resize("--release", "node01").returncode == 0
        assert not job.processes("node01")
        assert job.resize("1").returncode == 0
        job.ends_well(1)


def test_broker_stays_on_its_host():
    """If the broker runs on a host that is given back, it stays there, and a message says so."""
    with HostJob(100000, 10000, "-n", "2", broker_host="node01") as job:
        released = job.ask("resize", job.id, "--release", "node01", "--wait")
        assert released.returncode == 0 and "broker stays on node01" in released.stdout, released
        released = job.ask("resize", job.id, "3", "--wait")
        assert released.returncode == 0 and "broker stays" not in released.stdout, released
        job.ends_well(3)


def test_broker_dies_on_a_host():
    """Another broker takes the job over. The hosts of the open resize are free, and the job can use every host again."""
    late = ("STEADY_LATE_US=1000000", "STEADY_FIRST_NEWCOMER=2", "STEADY_LAST_NEWCOMER=2")  # so that the broker dies while the resize is open
    with HostJob(100000, 10000, *(word for setting in late for word in ("--env", setting))) as job:
        assert job.resize("2").returncode == 0
        broker = job.status()["broker_pid"]
        asked = job.start_resize(4)
        wait_until("the resize is open", lambda: "pending" in (job.status() or {}), 10)
        job.broker_is_killed()
        assert asked.wait(10) != 0
        status = job.resumes()
        assert status["broker_pid"] != broker and status["ranks"] in (2, 4), status
        if status["ranks"] == 2:
            wait_until("what was started is gone", lambda: not job.processes("node03") and not job.processes("node04"), 10, 0.2)
        for ranks in ("4", "1", "3"):
            assert job.resize(ranks).returncode == 0, job.text()
        assert not job.processes("node04")
        job.ends_well(3)


@pytest.mark.each
@pytest.mark.parametrize("how", LOSSES)
def test_member_host(how):
    with HostJob(6000, 10000, "--heartbeat-limit", "3", "--orphan-limit", "6") as job:
        assert job.resize("3").returncode == 0
        begin = time.monotonic()
        cluster(how, "node02")
        assert job.process.wait(25) == 125, job.text()
        assert time.monotonic() - begin < patient(13), "ended on each reachable host within 10 s of the limit"
        assert "node02" in job.text()
        for host in ("node01", "node03"):
            assert not job.processes(host)
        if how == "freeze":
            cluster("thaw", "node02")
        if how != "kill":  # cut off: the agent ends its ranks at the orphan limit; thawed: as soon as the broker refuses the agent
            wait_until("nothing is left on node02", lambda: not job.processes("node02"), 15, 0.3)


PHASES = {
    # when the host is lost: the broker's phases then, microseconds a step, what keeps the newcomers there
    "starting": (("starting",), 20000, ("STEADY_LATE_US=60000000", "STEADY_LAST_NEWCOMER=1")),
    "waiting": (("asking", "waiting"), 5000000, ()),
    "joined": (("switching",), 20000, ("STEADY_HANG_AT=merge",)),
    "filled": (("switching",), 20000, ("STEADY_HANG_AT=redistribute",)),
}


@pytest.mark.each
@pytest.mark.slow_for("freeze", "cut")
@pytest.mark.parametrize("when", PHASES)
@pytest.mark.parametrize("how", LOSSES)
def test_newcomer_host(how, when):
    phases, pause, misfortune = PHASES[when]
    settings = [word for setting in misfortune for word in ("--env", setting)]
    hangs = any("HANG" in setting for setting in misfortune)
    with HostJob(3000, pause, "--heartbeat-limit", "3", "--orphan-limit", "6", *settings) as job:
        asked = job.start_resize(3)
        wait_until(phases, lambda: (job.status() or {}).get("pending", {}).get("phase") in phases, 20, 0.02)
        cluster(how, "node02")
        assert asked.wait(40) == 4, asked.stdout.read()
        status = job.status()
        assert status["ranks"] == 1
        health = status["health"]
        again = job.resize("3")  # the lost host is passed over
        assert again.returncode == (3 if health == "final" else 4 if hangs else 0), (again, health, job.text())
        job.ends_well(1 if again.returncode else 3)
