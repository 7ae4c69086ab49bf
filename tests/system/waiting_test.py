"""A resize costs the program nothing while it is prepared, and while it waits for the resize point."""
import os
import re
import time

import pytest
from ductile_job import wait_until
from patience import FACTOR
from steady_job import STARTS, Steady, cpu_ticks, switches


@pytest.mark.slow
def test_nobody_wakes_before_the_switch(any_start):
    """Newcomers that are ready sleep without polling. So do the threads of the program that have started and joined them."""
    with Steady(start=any_start, pause=4000000) as job:
        asked = job.start_resize(3)
        wait_until("waiting", lambda job=job: job.phase() == "waiting", 20)
        pids = [pid for group in range(job.status()["groups_ever"]) for pid in job.ranks(group).values()]
        assert len(pids) == 3, (any_start, pids)
        before = {pid: (cpu_ticks(pid), switches(pid)) for pid in pids}
        time.sleep(1)  # they do not wake meanwhile
        after = {pid: (cpu_ticks(pid), switches(pid)) for pid in pids}
        assert job.phase() == "waiting", "the point came too soon to tell"
        for pid in pids:
            assert after[pid][0] - before[pid][0] <= 1, (any_start, pid, pids, before, after)
            assert after[pid][1] - before[pid][1] <= 3, (any_start, pid, pids, before, after)
        text, _ = asked.communicate(timeout=30)
        assert asked.returncode == 0, (any_start, text)
        job.ends_well()


@pytest.mark.parametrize("start", ("launch", *STARTS))
def test_program_continues_while_others_are_launched(start):
    """The ranks make an allreduce in each step, to the end of the program, while a newcomer is ten minutes late."""
    if start != "launch" and "intel" in os.environ.get("DUCTILE_MPI", ""):
        pytest.skip("Intel MPI keeps ranks out while others start some")
    with Steady(start=start, ranks=2, pause=5000, environment={"STEADY_LATE_US": "600000000"}) as job:
        asked = job.start_resize(3)
        wait_until("a newcomer is there", lambda job=job: job.rank(1))
        time.sleep(3)  # the program makes its steps meanwhile
        job.tell_to_end()
        wait_until("the program has come to its end", lambda job=job: "longest" in job.stdout())
        longest = int(re.search(r"longest allreduce (\d+) ms", job.stdout())[1])
        assert longest <= (200 if FACTOR == 1 else 2000), (start, longest)  # else a stall is longer than what it is to tell
        text, _ = asked.communicate(timeout=30)
        assert asked.returncode == 4, (start, text)
        job.ends_well()
