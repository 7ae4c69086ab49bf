"""Jobs of the program `steady` with any start, and what tests check in them."""
import os
import re
import time

from ductile_job import STEADY, Job, processes, wait_until

STARTS = ("collective", "single", "hypercube", "diffusive")
GROUPS = {"STEADY_GROUPS": "1"}


class Steady(Job):
    """A job on logical hosts. It runs until it is told to end."""

    def __init__(self, *options, start, ranks=1, environment=None, per_host=1, program=STEADY, pause=5000):
        super().__init__([program, 1000000, pause], where=("--local=4", f"--ranks-per-host={per_host}"),
                         options=("-n", str(ranks), *(() if start == "standard" else ("--start", start)), *options), environment=environment)

    def __enter__(self):
        self.running()
        return self


def computes(job):
    """Waits until the program has done a step. An array that it freezes before its first step is then frozen."""
    wait_until("the pace of its steps is known", lambda: "point_s" in (job.status() or {}))


def last(job):
    return job.status()["resizes"][-1]


def only_new_groups_may_run(job):
    """Waits until the ranks of old groups have ended. A launcher of an old group may still run if this group has started the new ones."""
    now = set(map(str, ids(job)))

    def look():
        old = [command for group in range(job.status()["groups_ever"]) if str(group) not in now
               for command in job.group(group).values() if command.startswith(STEADY)]
        return not old
    wait_until("old ranks are gone", look, 10)


def ids(job):
    return [group["id"] for group in job.status()["groups"]]


def only_new_groups_run(job):
    """Waits until no host has a process of a group that has left."""
    now = set(map(str, ids(job)))

    def look():
        for pid in processes(DUCTILE_JOB=job.id):
            try:
                with open(f"/proc/{pid}/environ") as environment:
                    group = re.search(r"DUCTILE_GROUP=(\d+)", environment.read())
            except (FileNotFoundError, ProcessLookupError):
                continue
            if group and group[1] not in now:
                return False
        return True
    wait_until("old groups are gone", look, 10)


def cpu_ticks(pid):
    """Processor time of all threads of a process, in clock ticks."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def switches(pid):
    """How often the threads of a process have gone to sleep. This number grows all the time if a thread polls, however seldom."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as f:
            total += sum(int(line.split()[1]) for line in f if line.startswith("voluntary_ctxt_switches"))
    return total


def stay_asleep(pids, seconds):
    """Once the processes have gone to sleep, they use no processor time, and do not even wake."""
    looks = []

    def quiet():
        looks.append({pid: (cpu_ticks(pid), switches(pid)) for pid in pids})
        return len(looks) > 1 and looks[-1] == looks[-2]
    wait_until("they sleep", quiet, 5, 0.1)
    before = looks[-1]
    time.sleep(seconds)
    for pid, (ticks, woken) in before.items():
        assert cpu_ticks(pid) - ticks <= 1 and switches(pid) - woken <= 3, (before, pid)


def done(job, size, *options):
    result = job.resize(size, *options)
    assert result.returncode == 0, (size, options, result, job.stderr())
    return result.stdout


LOCAL_RANKS = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK")


def local_rank(pid):
    with open(f"/proc/{pid}/environ") as environment:
        values = dict(entry.split("=", 1) for entry in environment.read().split("\0") if "=" in entry)
    numbers = {values[name] for name in LOCAL_RANKS}
    assert len(numbers) == 1, values
    return int(numbers.pop())


def local_ranks_are(job, expected):
    """Waits until these are the local ranks of all groups: {group: those of its ranks}."""
    def look():
        return {group: [local_rank(pid) for _, pid in sorted(job.ranks(group).items())] for group in ids(job)} == expected
    wait_until(f"the local ranks are {expected}", look, 10)
