"""A program written for MaM resizes itself, and its data is right (the program checks it)."""
import os

import pytest
from ductile_job import Job, wait_until

MAM = os.environ["MAM_PROGRAM"]
OWN_MOVES = os.environ["MAM_OWN_MOVES_PROGRAM"]


def lines(job):
    return job.stdout().splitlines()


@pytest.mark.parametrize("environment", ({}, {"MAM_SPAWN_METHOD": "0"}, {"DUCTILE_JOIN": "background"},
                                         {"DUCTILE_JOIN": "background", "MAM_SPAWN_METHOD": "0"}, {"DUCTILE_RANK_ORDER": "interleave"},
                                         {"MAM_RED_METHOD": "0", "MAM_RED_STRATS": "1"}),
                         ids=("merge", "baseline", "merge_joined", "baseline_joined", "interleaved", "alltoallv_by_a_thread"))
def test_mam_program(environment):
    """The program grows, shrinks, and asks for too many processes and for fresh ones. `ductile resize` resizes it, too. It leaves nothing behind."""
    with Job([MAM, 1003, 4, 3, 999, 3, 8, 0, 1], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment=environment) as job:
        job.running()
        wait_until("the program waits for a resize", lambda: "resized: 8 " in job.stdout(), 30)
        resizes = job.status()["resizes"]
        ahead = [resize["bytes_sent_ahead"] > 0 for resize in resizes if resize["join"] == "background"]
        assert all(ahead) and bool(ahead) == ("DUCTILE_JOIN" in environment or "MAM_RED_STRATS" in environment), resizes
        moved_by = {resize["redistribution"] for resize in resizes}
        assert ("alltoallv" in moved_by) == ("MAM_RED_METHOD" in environment), resizes
        assert job.resize(5).returncode == 0, job.stderr()
        assert job.end(40) == 0, (job.stdout(), job.stderr())
        sizes = [("began", 2), ("resized", 4), ("resized", 3), ("denied", 3), ("resized", 3), ("resized", 8), ("resized", 5), ("resized", 1)]
        assert lines(job) == [f"{what}: {size} processes, bad 0" for what, size in sizes], (job.stdout(), job.stderr())
        assert "the program asked for 999 ranks and keeps 3: " in job.stderr(), job.stderr()
        job.nothing_left()


@pytest.mark.parametrize("environment", ({}, {"MAM_SPAWN_METHOD": "0"}, {"DUCTILE_JOIN": "background"}),
                         ids=("merge", "baseline", "merge_joined"))
def test_user_function(environment):
    """At each resize a user function moves data that MaM does not know, in several calls. New processes have the data before MAM_Init returns."""
    with Job([OWN_MOVES, 4, 3, 1, 2], where=("--local=4",), options=("-n", "2"), environment=environment) as job:
        assert job.end(60) == 0, (job.stdout(), job.stderr())
        sizes = [("began", 2, 0), ("resized", 4, 10), ("resized", 3, 20), ("resized", 1, 30), ("resized", 2, 40)]
        assert lines(job) == [f"{what}: {size} processes, {steps} steps, bad 0" for what, size, steps in sizes], job.stderr()
        assert job.stderr() == "", job.stderr()
        job.nothing_left()
