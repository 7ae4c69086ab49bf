"""What a resize that waits for the resize point costs: nothing."""
import time

from ductile_job import main, possible, wait_until
from parking_test import cpu_ticks, ranks_of, switches
from starts_test import STARTS, Steady


def nobody_wakes_before_the_switch():
    """Newcomers that are ready, and the program's threads that have started and joined them, sleep, without polling."""
    for start in ("launch", *possible(*STARTS)):
        with Steady(start=start, pause=4000000) as job:
            asked = job.start_resize(3)
            wait_until("waiting", lambda job=job: job.phase() == "waiting", 20)
            pids = [pid for group in range(job.status()["groups_ever"]) for pid in ranks_of(job, group).values()]
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


if __name__ == "__main__":
    main({"nobody_wakes_before_the_switch": nobody_wakes_before_the_switch})
