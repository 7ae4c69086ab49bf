"""Process groups over resizes: ranks that stay make them again, newcomers make them, parked ranks have none."""
import os
import subprocess

import pytest
from ductile_job import DUCTILE
from steady_job import GROUPS, Steady, done, stay_asleep


def test_groups_over_resizes():
    """Growing, shrinking and starting afresh; the program checks its groups in each step."""
    with Steady(start="launch", ranks=2, per_host=2, environment=GROUPS) as job:
        for size in (5, 8, 3, 1, 6, 2):
            done(job, size)
        done(job, 4, "--method", "baseline")
        done(job, 7)
        job.ends_well()


@pytest.mark.parametrize("hosts, ranks", (("--local=1", 4), ("--local=4", 7)))
def test_example_on_several_hosts(hosts, ranks):
    """The example checks its own result, on one host and on several."""
    words = (DUCTILE, "run", hosts, f"--ranks-per-host={4 if ranks == 4 else 2}", "-n", str(ranks), "--", os.environ["DENSE_LU_PROGRAM"], "20", "4")
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "80 x 80 numbers, 40 groups" in done.stdout, done


def test_parked_ranks_with_groups_sleep():
    """A parked rank has no helper thread that polls for packets of its groups."""
    with Steady(start="launch", ranks=3, per_host=3, environment=GROUPS) as job:
        done(job, 1, "--shrink", "park")
        parked = [pid for rank, pid in job.ranks(0).items() if rank > 0]
        stay_asleep(parked, 2)
        done(job, 3)
        job.ends_well()
