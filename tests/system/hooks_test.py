"""What a program does itself at a resize: its ghosts, and functions before and after the data moves."""
import os

import pytest
from ductile_job import Job, wait_until

NEIGHBOURS = os.environ["NEIGHBOURS_PROGRAM"]
WHERE = ("--local=4", "--ranks-per-host=2")


def stencil(*, options=("-n", "2"), **environment):
    return Job([NEIGHBOURS, 100000, 5000, 1003], where=WHERE, options=options, environment=environment)


@pytest.mark.parametrize("verify", ("false", "true"))
def test_work_and_ghosts_follow(verify):
    """Growing, shrinking, parking and coming back, replacing all ranks. The program ends when it has more than 6 ranks."""
    with stencil(NEIGHBOURS_ENOUGH="6", DUCTILE_VERIFY=verify) as job:
        job.running()
        for size, how in ((5, ()), (3, ()), (2, ("--shrink", "park")), (4, ()), (6, ("--method", "baseline")), (1, ()), (8, ())):
            done = job.resize(size, *how)
            assert done.returncode == 0, (size, how, done, job.stderr())
        assert job.end(30) == 0, job.stderr()
        moved = int(job.stdout().split("end moved ")[1])
        assert moved >= 7, moved


def test_what_is_thrown_before_data_move_calls_the_resize_off():
    with stencil(NEIGHBOURS_THROW="before_move") as job:
        job.running()
        for size in (4, 1):
            refused = job.resize(size)
            assert refused.returncode == 4 and "the program's before_move function failed: told to throw" in refused.stderr, refused
            assert job.status()["ranks"] == 2


def test_what_rebuilding_throws_ends_the_job():
    with stencil(NEIGHBOURS_THROW="rebuild") as job:
        job.running()
        job.resize(4)
        assert job.end(30) != 0
        assert "told to throw" in job.stderr(), job.stderr()


def test_rebuilding_may_take_longer_than_a_switch_without_progress():
    """The time for rebuilding counts as time that the program has waited."""
    with stencil(NEIGHBOURS_REBUILD_US="2500000", DUCTILE_PROGRESS_WITHIN="1", DUCTILE_VOTE_WITHIN="1") as job:
        job.running()
        for size in (4, 2):
            done = job.resize(size)
            assert done.returncode == 0 and " ms to rebuild)" in done.stdout, (done, job.stderr())
        rebuilt = [resize["rebuild_s"] for resize in job.status()["resizes"]]
        assert rebuilt == [pytest.approx(2.5, abs=1)] * 2, rebuilt
        wait_until("it goes on", lambda: job.status()["state"] == "running")
