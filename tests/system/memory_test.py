"""Data that move with little memory (--memory tight)."""
import pytest
from steady_job import Steady, done, last

# Windows of 16 MiB: several to each rank.
ITEMS = 7 * 2 ** 20


def moved(job, size, *options):
    done(job, size, *options)
    resize = last(job)
    assert resize["to"] == size and resize["memory"] == "tight", resize
    return resize


@pytest.mark.parametrize("executor", ("p2p", "alltoallv", "rma-lock", "rma-lockall"))
def test_data_come_along(executor):
    """Ranks grow and shrink, park and come back, by both methods; each looks at its data in each step."""
    with Steady("--memory", "tight", "--verify", "--redistribution", executor, start="launch", ranks=2, per_host=2,
                environment={"STEADY_ITEMS": str(ITEMS)}) as job:
        up = moved(job, 4)
        assert up["bytes_sent"] > 0
        moved(job, 3, "--shrink", "park")
        moved(job, 4)
        moved(job, 2, "--method", "baseline")
        moved(job, 5, "--method", "baseline")
        moved(job, 1)
        job.ends_well(120)
