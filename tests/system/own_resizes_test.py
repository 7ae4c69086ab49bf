"""Resizes that a program asks for itself."""
import os

import pytest
from ductile_job import Job

ASKS = os.environ["ASKS_ITSELF_PROGRAM"]


@pytest.mark.parametrize("executor", ("p2p", "alltoallv", "rma-lock", "rma-lockall"))
def test_program_asks_for_resizes(executor):
    """The C program grows, shrinks, and asks for its present size and for too many ranks. Its data is right, also in memory that only its functions access."""
    with Job([ASKS, 4, 3, 3, 999, 8, 1], where=("--local=4", "--ranks-per-host=2"),
             options=("-n", "2", "--max", "8", "--redistribution", executor, "--progress-within", "20")) as job:
        job.running()
        assert job.end(40) == 0, (job.stdout(), job.stderr())
        assert job.stdout().splitlines() == [
            "done: 4 ranks", "done: 3 ranks", "done: 3 ranks", "refused: 3 ranks", "done: 8 ranks", "done: 1 ranks", "bad 0"], job.stderr()
        job.nothing_left()

