"""New ranks come between the old ranks, and leavers are taken from between the others (--rank-order interleave)."""
import pytest
from steady_job import Steady, done, last

ITEMS = 800000  # of 24 bytes
HALF = ITEMS * 24 // 2


def moved(job, size, *options):
    done(job, size, *options)
    resize = last(job)
    assert resize["to"] == size, resize
    return resize["bytes_sent"]


@pytest.mark.parametrize("start", ("launch", "collective", "diffusive"))
def test_a_doubling_and_a_halving_move_half_of_the_data(start):
    """Each rank checks its data in each step."""
    with Steady("--rank-order", "interleave", "--verify", start=start, ranks=2, per_host=2, environment={"STEADY_ITEMS": str(ITEMS)}) as job:
        for size in (4, 8, 4, 2):
            assert moved(job, size) == HALF
        job.ends_well()
    with Steady(start=start, ranks=2, per_host=2, environment={"STEADY_ITEMS": str(ITEMS)}) as job:
        assert moved(job, 4) > HALF
        assert moved(job, 8) > 1.5 * HALF
        job.ends_well()


def test_what_else_a_job_does():
    """Other sizes, both methods, joins in the background and at the point, parking, and little memory."""
    with Steady("--rank-order", "interleave", "--join", "background", "--verify", start="launch", ranks=3, per_host=2,
                environment={"STEADY_FROZEN": "1", "STEADY_GROUPS": "1", "STEADY_ITEMS": "100009"}) as job:
        for size, how in ((5, "merge"), (8, "merge"), (3, "merge"), (4, "baseline"), (7, "merge"), (2, "baseline"), (6, "merge")):
            moved(job, size, "--method", how)
        moved(job, 4, "--shrink", "park")
        moved(job, 7, "--join", "point")
        moved(job, 2, "--memory", "tight")
        moved(job, 5, "--memory", "tight", "--join", "point")
        job.ends_well(90)


def test_a_newcomer_that_dies_is_rolled_back():
    for where in ("merge", "redistribute"):
        with Steady("--rank-order", "interleave", start="launch", ranks=2, environment={"STEADY_DIE_AT": where}) as job:
            assert job.resize(4).returncode == 4
            assert job.status()["ranks"] == 2
            job.ends_well()
