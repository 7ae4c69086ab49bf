"""Ranks that park at a shrink (ZS): asleep, back before anything starts, ended with their group."""
import os
import signal
import time

from baseline_test import ids
from ductile_job import processes, wait_until, main
from hosts_test import Cluster, HostJob
from starts_test import Steady


def ranks_of(job, group):
    """The group's ranks by their rank in its MPI_COMM_WORLD: {rank: pid}."""
    found = {}
    for pid, command in processes(DUCTILE_JOB=job.id, DUCTILE_GROUP=str(group)).items():
        if not command.split()[0].endswith("/steady"):
            continue
        with open(f"/proc/{pid}/environ") as environment:
            values = dict(entry.split("=", 1) for entry in environment.read().split("\0") if "=" in entry)
        found[int(values.get("PMI_RANK") or values["OMPI_COMM_WORLD_RANK"])] = pid
    return found


def cpu_ticks(pid):
    """Processor time of all threads of a process, in clock ticks."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def switches(pid):
    """How often its threads have gone to sleep: one that polls, however seldom, does so all the time."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as f:
            total += sum(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))
    return total


def sizes(job):
    status = job.status()
    return status["ranks"], status["parked"]


def done(job, size, *options):
    result = job.resize(size, *options)
    assert result.returncode == 0, (size, options, result, job.stderr())
    return result.stdout


def park_and_come_back():
    """Inside one host; any number parks and comes back, in any order, and the data is right (the program looks)."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        processes_before = ranks_of(job, 0)
        assert sorted(processes_before) == [0, 1, 2, 3]
        for size in (3, 1, 2, 4, 2, 1, 3, 4, 1, 4):
            done(job, size)
            assert sizes(job) == (size, 4 - size), job.status()
            assert ids(job) == [0] and ranks_of(job, 0) == processes_before
        kinds = [(r["kind"], r["parked"]) for r in job.status()["resizes"]]
        assert kinds[:4] == [("shrink", 1), ("shrink", 2), ("expand", -1), ("expand", -2)], kinds
        job.ends_well()


def parked_ranks_sleep():
    """They use no processor time, and do not even wake."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 1)
        parked = [pid for rank, pid in ranks_of(job, 0).items() if rank > 0]
        time.sleep(0.5)
        before = {pid: (cpu_ticks(pid), switches(pid)) for pid in parked}
        time.sleep(3)
        after = {pid: (cpu_ticks(pid), switches(pid)) for pid in parked}
        for pid in parked:
            assert after[pid][0] - before[pid][0] <= 1, (before, after)
            assert after[pid][1] - before[pid][1] <= 3, (before, after)
        job.ends_well()


def parked_ranks_leave_with_their_group():
    with Steady(start="launch", ranks=8, per_host=4) as job:
        done(job, 7)
        assert sizes(job) == (7, 1) and ids(job) == [0, 1]
        done(job, 2)  # group 1 goes as a whole, of group 0 two ranks park
        assert sizes(job) == (2, 2) and ids(job) == [0], job.status()
        wait_until("group 1 has ended, the one that had parked, too", lambda: not job.group(1), 10)
        assert len(ranks_of(job, 0)) == 4
        # What is parked comes back before anything starts.
        text = done(job, 8)
        records = job.status()["resizes"][-2:]
        assert [(r["from"], r["to"], r["parked"]) for r in records] == [(2, 4, -2), (4, 8, 0)], records
        assert sizes(job) == (8, 0) and len(ids(job)) == 2 and "4 -> 8" in text, text
        done(job, 7)
        done(job, 4)  # whole groups do it: the host of the parked one is free
        assert sizes(job) == (4, 0) and ids(job) == [0], job.status()
        job.ends_well()


def kinds_by_name():
    with Steady(start="launch", ranks=8, per_host=4) as job:
        refused = job.resize(7, "--shrink", "ts")
        assert refused.returncode == 3 and "ask for 4" in refused.stderr, refused
        for options in ((9, "--shrink", "ts"), (4, "--shrink", "zs", "--method", "baseline")):
            refused = job.resize(*options)
            assert refused.returncode == 3 and "--shrink" in refused.stderr, (options, refused)
        done(job, 7)
        plan = job.resize(6, "--shrink", "zs", "--dry-run", wait=False)
        assert plan.returncode == 0 and "1 rank parked" in plan.stdout, plan
        plan = job.resize(12, "--dry-run", wait=False)
        assert plan.returncode == 0 and "come back" in plan.stdout and "to 12" in plan.stdout, plan
        done(job, 4, "--shrink", "ts")
        assert sizes(job) == (4, 0), job.status()
        job.ends_well()


def fresh_processes_while_some_are_parked():
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2)
        renewed = job.ask("renew", job.id, "--wait", seconds=60)
        assert renewed.returncode == 0, renewed
        assert sizes(job) == (2, 0) and ids(job) == [1], job.status()
        wait_until("the old group has ended, its parked ranks, too", lambda: not job.group(0), 10)
        done(job, 1)
        done(job, 4, "--method", "baseline")
        assert sizes(job) == (4, 0) and len(ids(job)) == 1, job.status()
        job.ends_well()


def program_ends_while_some_are_parked():
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2)
        job.ends_well()


def parked_rank_dies():
    """It is a member's process: the job ends."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2)
        os.kill(ranks_of(job, 0)[3], signal.SIGKILL)
        assert job.end(20) == 128 + signal.SIGKILL, job.stderr()
        assert "g0.3" in job.stderr(), job.stderr()
        job.nothing_left()


def broker_killed_while_some_are_parked():
    """The program goes on and ends, and who is parked ends with it."""
    with Steady(start="launch", ranks=4, per_host=4) as job:
        done(job, 2)
        os.kill(job.process.pid, signal.SIGKILL)
        job.process.wait()
        time.sleep(1)
        assert len(ranks_of(job, 0)) == 4
        job.tell_to_end()
        job.nothing_left(20)


def called_off_while_coming_back():
    """They stay parked, and can come back later."""
    with Steady(start="launch", ranks=4, per_host=4, pause=1000000) as job:
        done(job, 2)
        pending = job.start_resize(4)
        wait_until("the point is announced", lambda: job.phase() == "waiting", 10)
        assert job.ask("cancel", job.id).returncode == 0
        out, _ = pending.communicate(timeout=20)
        assert pending.returncode == 4, out
        assert sizes(job) == (2, 2), job.status()
        done(job, 4)
        assert sizes(job) == (4, 0)
        job.ends_well()


def ends_after_a_renewal_that_failed():
    """Its ranks do not finalise MPI then; those that are parked do not wait for them there."""
    environment = {"STEADY_DIE_AT": "merge"}
    with Steady(start="launch", ranks=4, per_host=4, environment=environment) as job:
        done(job, 2)
        assert job.ask("renew", job.id, "--wait", seconds=60).returncode == 4
        assert sizes(job) == (2, 2), job.status()
        job.ends_well()


def parking_on_hosts():
    """A host is given back when all of a group leaves, not when some of it parks."""
    with Cluster(), HostJob(100000, 2000, "-n", "8", per_host=2) as job:
        hosts = ["node01", "node02", "node03", "node04"]

        def held():
            return [host for host in hosts if job.processes(host)]
        assert held() == hosts
        for size, parked, left in ((7, 1, 4), (6, 0, 3), (3, 1, 2), (1, 1, 1), (2, 0, 1), (5, 0, 3)):
            result = job.resize(str(size))
            assert result.returncode == 0, (size, result, job.text())
            status = job.status()
            assert (status["ranks"], status["parked"]) == (size, parked), (size, status)
            promised = sorted(part["host"] for group in status["groups"] for part in group["hosts"])
            assert held() == promised and len(promised) == left, (size, held(), status)
        assert job.ask("end", job.id).returncode == 0
        job.process.wait(20)


if __name__ == "__main__":
    main({f.__name__: f for f in (
        park_and_come_back, parked_ranks_sleep, parked_ranks_leave_with_their_group, kinds_by_name,
        fresh_processes_while_some_are_parked, program_ends_while_some_are_parked, parked_rank_dies,
        broker_killed_while_some_are_parked, called_off_while_coming_back, ends_after_a_renewal_that_failed, parking_on_hosts)})
