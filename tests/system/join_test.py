"""New ranks that are joined while the program computes (--join background)."""
import os
import signal
import time

import pytest
from ductile_job import LONG, STEADY, Job, wait_until
from steady_job import Steady, done, last


def marks(resize):
    return resize["since_accepted_s"]


@pytest.mark.parametrize("start", ("launch", "single", "diffusive"))
def test_joined_before_the_point_is_asked_for(start):
    """Sizes go up and down, by merge and by baseline, and the data come along."""
    with Steady("--join", "background", start=start, ranks=2, per_host=2) as job:
        for size, how in ((4, "merge"), (1, "merge"), (5, "merge"), (3, "baseline"), (6, "merge")):
            before = job.status()["ranks"]
            done(job, size, "--method", how)
            resize = last(job)
            assert resize["to"] == size
            if size < before and how == "merge":
                assert resize["join"] == "point" and "joined" not in marks(resize), resize
            else:
                assert resize["join"] == "background", resize
                assert marks(resize)["bridged"] <= marks(resize)["joined"] <= marks(resize)["asked"], resize
        job.ends_well(90)


def test_nothing_is_joined_at_the_point():
    """The point is far away. When it comes, MPI's calls of the join have long returned."""
    with Job([STEADY, 5, 2500000], options=("-n", "1", "--join", "background")) as job:
        job.running()
        asked = job.start_resize(3)
        wait_until("waiting", lambda: job.phase() in ("asking", "waiting"))
        assert asked.wait(30) == 0, asked.stdout.read()
        resize = last(job)
        assert marks(resize)["arrived"] - marks(resize)["joined"] > resize["join_s"], resize
        job.ends_well(90)


def test_at_the_point_where_it_is_not_asked_for():
    with Steady(start="launch") as job:
        done(job, 2)
        assert last(job)["join"] == "point" and "joined" not in marks(last(job))
        done(job, 3, "--overlap", "blocking")
        job.ends_well()
    with Steady("--join", "background", "--overlap", "blocking", start="launch") as job:
        done(job, 2)
        assert last(job)["join"] == "point" and "joined" not in marks(last(job))
        job.ends_well()


def goes_on_after(job, ranks):
    """No source was asked for its point, and the job is as it was."""
    resize = last(job)
    assert resize["outcome"] == "rolled_back" and "asked" not in marks(resize), resize
    assert job.status()["ranks"] == ranks
    job.ends_well(90)


@pytest.mark.each
@pytest.mark.parametrize("moment", ("create", "merge", "dup"))
def test_newcomer_dies_in_background_join(moment):
    for sources in (1, 2, 2):
        with Job([STEADY, LONG, 20000], options=("-n", str(sources), "--join", "background"),
                 environment={"STEADY_DIE_AT": moment}) as job:
            job.running()
            result = job.resize(sources + 2)
            assert result.returncode == 4, (result, job.stderr())
            goes_on_after(job, sources)


def test_newcomer_dies_once_joined():
    """On the way to a point that is far away. The next resize joins again."""
    with Job([STEADY, 8, 2500000], options=("-n", "1", "--join", "background")) as job:
        job.running()
        asked = job.start_resize(3)
        wait_until("waiting", lambda: job.phase() in ("asking", "waiting"))
        os.kill(job.rank(1, 0), signal.SIGKILL)
        assert asked.wait(30) == 4, asked.stdout.read()
        assert job.status()["ranks"] == 1
        assert job.resize(2).returncode == 0, job.stderr()
        job.ends_well(90)


@pytest.mark.slow
@pytest.mark.time_limit(120)
def test_newcomer_hangs_in_background_join():
    """The program goes on meanwhile, and the resize is rolled back at the deadline of the join."""
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--join", "background"), environment={"STEADY_HANG_AT": "merge"}) as job:
        job.running()
        begin = time.monotonic()
        result = job.resize(4)
        assert result.returncode == 4, (result, job.stderr())
        assert time.monotonic() - begin < 50
        goes_on_after(job, 2)
