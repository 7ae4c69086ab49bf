"""Programs written for DMR are resized, and their data is right (the programs check it)."""
import os

import pytest
from ductile_job import Job

MAM = os.environ["DMR_MAM_PROGRAM"]
WORLD = os.environ["DMR_WORLD_PROGRAM"]
WORLD_CXX = os.environ["DMR_WORLD_PROGRAM_CXX"]


def start(program, *options, **environment):
    return Job([program, 1003, 1], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2", *options), environment=environment)


def lines(job):
    return job.stdout().splitlines()


@pytest.mark.parametrize("order", ("append", "interleave"))
def test_dmr_by_mam(order):
    """The program grows and shrinks within its limits, and leaves nothing behind."""
    with start(MAM, "--rank-order", order) as job:
        job.running()
        for size in (5, 3, 6):
            assert job.resize(size).returncode == 0, job.stderr()
        refused = job.resize(7)
        assert refused.returncode == 3 and "above max 6 (code)" in refused.stderr, refused
        assert job.resize(1).returncode == 0, job.stderr()
        assert job.end(40) == 0, (job.stdout(), job.stderr())
        sizes = (("began", 2), ("shrunk", 3), ("shrunk", 1), ("ends", 1))
        assert lines(job) == [f"{what}: {size} processes, bad 0" for what, size in sizes], (job.stdout(), job.stderr())
        job.nothing_left()


@pytest.mark.parametrize("program, options", ((WORLD, ("--check",)), (WORLD_CXX, ("--start=collective",))), ids=("c", "cxx"))
def test_dmr_by_dmrlib(program, options):
    """Each resize replaces all processes, whatever the method of the job. So MPI_COMM_WORLD is the job, and --check finds nothing wrong."""
    with start(program, *options) as job:
        job.running()
        for size in (5, 3, 6):
            assert job.resize(size).returncode == 0, (job.stdout(), job.stderr())
            assert len(job.status()["layout"]["active"]) <= 4 and job.status()["ranks"] == size
        refusals = (("7", (), "above max 6 (code)"), ("4", ("--method", "merge"), "use --method baseline"),
                    ("4", ("--start", "hypercube"), "makes a world on each host"))
        for size, how, why in refusals:
            refused = job.resize(size, *how)
            assert refused.returncode == 3 and why in refused.stderr, refused
        assert job.ask("renew", job.id, "--wait", seconds=60).returncode == 0, job.stderr()
        assert job.resize(1).returncode == 0, job.stderr()
        assert job.end(40) == 0, (job.stdout(), job.stderr())
        sizes = (("began", 2), ("grown", 5), ("shrunk", 3), ("grown", 6), ("grown", 6), ("shrunk", 1), ("ends", 1))
        assert lines(job) == [f"{what}: {size} processes, bad 0" for what, size in sizes], (job.stdout(), job.stderr())
        job.nothing_left()


def test_an_old_process_that_dies_before_it_has_sent_ends_the_job():
    """The resize is committed by then, and the new processes would wait for the data of this process for ever."""
    with start(WORLD, DMR_DIES_SENDING="1") as job:
        job.running()
        job.resize(4)
        assert job.end(30) == 137, job.stderr()
        assert "rank g0.1 on local0 has left the job, but has not given its data away: it was ended by signal 9" in job.stderr(), job.stderr()
        job.nothing_left()


@pytest.mark.parametrize("program, more", ((MAM, "0, 0"), (WORLD, "4, 0")), ids=("mam", "dmrlib"))
def test_limits_that_differ_are_named(program, more):
    with start(program, DMR_DIFFERS="1") as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4, refused
        assert f"rank 1 has DMR_Set_parameters(1, 5, {more}), and rank 0 has DMR_Set_parameters(1, 6, {more})" in refused.stderr, refused
