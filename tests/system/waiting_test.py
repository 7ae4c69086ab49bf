"""What a resize costs while it is prepared, and while it waits for the resize point: nothing."""
import os
import re
import time

from ductile_job import main, possible, wait_until
from parking_test import cpu_ticks, switches
from starts_test import STARTS, Steady


def nobody_wakes_before_the_switch():
    """Newcomers that are ready, and the program's threads that have started and joined them, sleep, without polling."""
    for start in ("launch", *possible(*STARTS)):
        with Steady(start=start, pause=4000000) as job:
            asked = job.start_resize(3)
            wait_until("waiting", lambda job=job: job.phase() == "waiting", 20)
            pids = [pid for group in range(job.status()["groups_ever"]) for pid in job.ranks(group).values()]
            assert len(pids) == 3, (start, pids)
            before = {pid: (cpu_ticks(pid), switches(pid)) for pid in pids}
            time.sleep(1)
            after = {pid: (cpu_ticks(pid), switches(pid)) for pid in pids}
            assert job.phase() == "waiting", "the point came too soon to tell"
            for pid in pids:
                assert after[pid][0] - before[pid][0] <= 1, (start, pid, pids, before, after)
                assert after[pid][1] - before[pid][1] <= 3, (start, pid, pids, before, after)
            text, _ = asked.communicate(timeout=30)
            assert asked.returncode == 0, (start, text)
            job.ends_well()


def program_goes_on_while_others_are_launched():
    """Its ranks speak to each other all the time; what starts is 6 s late. (Intel MPI keeps them out while ranks start others.)"""
    for start in ("launch", *(() if "intel" in os.environ.get("DUCTILE_MPI", "") else STARTS)):
        with Steady(start=start, ranks=2, pause=5000, environment={"STEADY_LATE_US": "6000000"}) as job:
            asked = job.start_resize(3)
            wait_until("a newcomer is there", lambda job=job: job.rank(1))
            time.sleep(3)
            job.tell_to_end()
            wait_until("the program has come to its end", lambda job=job: "longest" in job.stdout(), 2)
            longest = int(re.search(r"longest allreduce (\d+) ms", job.stdout())[1])
            assert longest <= 200, (start, longest)
            text, _ = asked.communicate(timeout=30)
            assert asked.returncode == 4, (start, text)
            job.ends_well()


if __name__ == "__main__":
    main({f.__name__: f for f in (nobody_wakes_before_the_switch, program_goes_on_while_others_are_launched)})
