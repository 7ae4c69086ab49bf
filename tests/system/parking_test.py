"""Ranks park at a shrink (`--shrink park`): they sleep, they come back before new ranks start, and they end with their group."""
import os
import signal
import time

import pytest
from ductile_job import wait_until
from host_job import HostJob
from steady_job import Steady, done, ids, stay_asleep



def sizes(job):
    status = job.status()
    return status["ranks"], status["parked"]


PARK = ("--shrink", "park")


def test_park_and_come_back():
    """On one host. Any number of ranks parks and comes back, and the data is right (the program checks it)."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        processes_before = job.ranks(0)
        assert sorted(processes_before) == [0, 1, 2, 3]
        now = 4
        for size in (3, 1, 2, 4, 2, 1, 3, 4, 1, 4):
            done(job, size, *(PARK if size < now else ()))
            assert sizes(job) == (size, 4 - size), job.status()
            assert ids(job) == [0] and job.ranks(0) == processes_before
            now = size
        kinds = [(r["kind"], r["parked"]) for r in job.status()["resizes"]]
        assert kinds[:4] == [("shrink", 1), ("shrink", 2), ("expand", -1), ("expand", -2)], kinds
        job.ends_well()


def test_parked_ranks_sleep():
    """Parked ranks use no processor time, and do not even wake."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 1, *PARK)
        parked = [pid for rank, pid in job.ranks(0).items() if rank > 0]
        stay_asleep(parked, 3)
        job.ends_well()


def test_parked_ranks_leave_with_their_host():
    with Steady(start="launch", ranks=8, per_host=4) as job:
        done(job, 7, *PARK)
        assert sizes(job) == (7, 1) and sorted(job.ranks(0)) == list(range(8))
        done(job, 2, *PARK)  # no rank stays active on the second host, so all its ranks end
        assert sizes(job) == (2, 2), job.status()
        wait_until("the ranks of the second host have ended, the one that had parked, too", lambda: sorted(job.ranks(0)) == [0, 1, 2, 3], 10)
        # Parked ranks come back before new ranks start.
        text = done(job, 8)
        records = job.status()["resizes"][-2:]
        assert [(r["from"], r["to"], r["parked"]) for r in records] == [(2, 4, -2), (4, 8, 0)], records
        assert sizes(job) == (8, 0) and len(ids(job)) == 2 and "4 -> 8" in text, text
        done(job, 7, *PARK)
        done(job, 5)  # the second host keeps an active rank, and so its parked rank, too
        assert sizes(job) == (5, 1), job.status()
        done(job, 4)  # the last active rank of the second host ends, and so its parked rank ends, too
        assert sizes(job) == (4, 0) and ids(job) == [0], job.status()
        wait_until("the host is empty", lambda: not job.group(1), 10)
        job.ends_well()


def test_who_comes_back_is_the_last():
    """Processes that stay keep their ranks. Parked ranks come back behind them: by group, then by rank in the group."""
    with Steady(start="launch", ranks=6, per_host=3) as job:
        for host in ("local0:1", "local1:2"):
            result = job.ask("resize", job.id, "--release", host, *PARK, "--wait")
            assert result.returncode == 0, (result, job.stderr())

        def layout(kind):
            return [(r["group"], r["first"], r["ranks"]) for r in job.status()["layout"][kind]]
        assert layout("active") == [(0, 0, 2), (0, 3, 1)] and layout("parked") == [(0, 2, 1), (0, 4, 2)], job.status()
        done(job, 4)
        assert layout("active") == [(0, 0, 2), (0, 3, 1), (0, 2, 1)] and layout("parked") == [(0, 4, 2)], job.status()
        done(job, 6)
        assert layout("active") == [(0, 0, 2), (0, 3, 1), (0, 2, 1), (0, 4, 2)], job.status()
        job.ends_well()


def test_kinds_by_name():
    with Steady(start="launch", ranks=8, per_host=4) as job:
        for options in ((9, "--shrink", "ts"), (4, "--shrink", "park", "--method", "baseline")):
            refused = job.resize(*options)
            assert refused.returncode == 3 and "--shrink" in refused.stderr, (options, refused)
        assert job.resize(7, "--shrink", "zs").returncode == 2
        done(job, 7, *PARK)
        plan = job.resize(6, *PARK, "--dry-run", wait=False)
        assert plan.returncode == 0 and "1 rank parks" in plan.stdout, plan
        plan = job.resize(12, "--dry-run", wait=False)
        assert plan.returncode == 0 and "come back" in plan.stdout and "to 12" in plan.stdout, plan
        done(job, 4, "--shrink", "ts")
        assert sizes(job) == (4, 0), job.status()
        job.ends_well()


def test_fresh_processes_while_some_are_parked():
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2, *PARK)
        renewed = job.ask("renew", job.id, "--wait", seconds=60)
        assert renewed.returncode == 0, renewed
        assert sizes(job) == (2, 0) and ids(job) == [1], job.status()
        wait_until("the old group has ended, its parked ranks, too", lambda: not job.group(0), 10)
        done(job, 1, *PARK)
        done(job, 4, "--method", "baseline")
        assert sizes(job) == (4, 0) and len(ids(job)) == 1, job.status()
        job.ends_well()


def test_program_ends_while_some_are_parked():
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2, *PARK)
        job.ends_well()


def test_parked_rank_dies():
    """A parked rank is a process of a member: the job ends."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2, *PARK)
        os.kill(job.ranks(0)[3], signal.SIGKILL)
        assert job.end(20) == 128 + signal.SIGKILL, job.stderr()
        assert "g0.3" in job.stderr(), job.stderr()
        job.nothing_left()


def test_broker_killed_while_some_are_parked():
    """The program goes on to its end, and the parked ranks end with it."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2, *PARK)
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait()
        time.sleep(1)  # nothing ends them meanwhile
        assert len(job.ranks(0)) == 4
        job.tell_to_end()
        job.nothing_left(20)


def test_called_off_while_coming_back():
    """A growth is cancelled while parked ranks come back. They stay parked, and can come back later."""
    with Steady(start="launch", ranks=4, per_host=4, pause=1000000) as job:
        done(job, 2, *PARK)
        pending = job.start_resize(4)
        wait_until("the point is announced", lambda: job.phase() == "waiting", 10)
        assert job.ask("cancel", job.id).returncode == 0
        out, _ = pending.communicate(timeout=20)
        assert pending.returncode == 4, out
        assert sizes(job) == (2, 2), job.status()
        done(job, 4)
        assert sizes(job) == (4, 0)
        job.ends_well()


def test_ends_after_a_renewal_that_failed():
    """After a failed renewal the ranks do not call MPI_Finalize. So the parked ranks must not wait for them in MPI_Finalize."""
    environment = {"STEADY_DIE_AT": "merge"}
    with Steady(start="launch", ranks=4, per_host=4, environment=environment) as job:
        done(job, 2, *PARK)
        assert job.ask("renew", job.id, "--wait", seconds=60).returncode == 4
        assert sizes(job) == (2, 2), job.status()
        job.ends_well()


@pytest.mark.cluster
@pytest.mark.usefixtures("virtual_hosts")
def test_parking_on_hosts():
    """A host is given back when it has no active rank, but not if only some of its ranks park."""
    with HostJob(100000, 2000, "-n", "8", per_host=2) as job:
        hosts = ["node01", "node02", "node03", "node04"]

        def held():
            return [host for host in hosts if job.processes(host)]
        assert held() == hosts
        for size, parked, left in ((7, 1, 4), (6, 0, 3), (3, 1, 2), (1, 1, 1), (2, 0, 1), (5, 0, 3)):
            result = job.resize(str(size), *(PARK if size < job.status()["ranks"] else ()))
            assert result.returncode == 0, (size, result, job.text())
            status = job.status()
            assert (status["ranks"], status["parked"]) == (size, parked), (size, status)
            promised = sorted({part["host"] for part in status["layout"]["active"]})
            assert held() == promised and len(promised) == left, (size, held(), status)
        assert job.ask("end", job.id).returncode == 0
        job.process.wait(20)
