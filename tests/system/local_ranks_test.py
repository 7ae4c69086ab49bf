"""The number of each rank on its host, by which programs choose a GPU."""
import pytest
from ductile_job import wait_until
from steady_job import Steady, done, local_ranks_are

@pytest.mark.parametrize("start", ("launch", "collective"))
def test_the_ranks_of_a_host_have_numbers_of_their_own(start):
    with Steady("--method", "merge", start=start, per_host=4) as job:
        local_ranks_are(job, {0: [0]})
        done(job, 3)
        local_ranks_are(job, {0: [0], 1: [1, 2]})
        done(job, 2)
        wait_until("rank 2 has ended", lambda: len(job.ranks(1)) == 1, 10)
        done(job, 4)
        local_ranks_are(job, {0: [0], 1: [1], 2: [2, 3]})
        job.ends_well()


def test_ranks_that_replace_others_take_their_numbers():
    with Steady(start="launch", ranks=2, per_host=4) as job:
        done(job, 3)
        assert job.ask("renew", job.id, "--wait").returncode == 0, job.stderr()
        local_ranks_are(job, {2: [0, 1, 2]})
        done(job, 2, "--method", "baseline")
        local_ranks_are(job, {3: [0, 1]})
        job.ends_well()


def test_parked_ranks_keep_theirs():
    with Steady(start="launch", ranks=3, per_host=4) as job:
        done(job, 2, "--shrink", "park")
        done(job, 4)  # the parked rank comes back first
        local_ranks_are(job, {0: [0, 1, 2], 1: [3]})
        job.ends_well()
