"""New ranks join while the program computes (--join background)."""
import os
import re
import signal
import time

import pytest
from ductile_job import LONG, STEADY, Job, wait_until
from patience import patient
from steady_job import Steady, computes, done, last


def marks(resize):
    return resize["since_accepted_s"]


@pytest.mark.parametrize("start", ("launch", "single", "diffusive"))
def test_joined_before_the_point_is_asked_for(start):
    """The job grows and shrinks, by merge and by baseline, and its data is right."""
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
    """The point is far away. The MPI calls of the join return long before it."""
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
        done(job, 4, "--join", "background")
        assert last(job)["join"] == "background" and "joined" in marks(last(job))
        job.ends_well()
    with Steady("--join", "background", "--overlap", "blocking", start="launch") as job:
        done(job, 2)
        assert last(job)["join"] == "point" and "joined" not in marks(last(job))
        job.ends_well()


def continues_after(job, ranks):
    """No source was asked for its point, and the job goes on as before."""
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
            continues_after(job, sources)


def test_newcomer_dies_once_joined():
    """A newcomer dies after the join, while the point is far away. The next resize joins again."""
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
        assert time.monotonic() - begin < patient(50)
        continues_after(job, 2)


FROZEN = {"STEADY_FROZEN": "1"}


def test_frozen_arrays_move_before_the_point():
    """At a growth the frozen array (4 values an element) moves while the program computes; the other array (3 values) moves at the point."""
    with Steady("--join", "background", "--verify", start="launch", per_host=2, environment=FROZEN) as job:
        computes(job)
        for size, how in ((2, "merge"), (5, "merge"), (2, "merge"), (4, "baseline")):
            before = job.status()["ranks"]
            done(job, size, "--method", how)
            resize = last(job)
            if resize["join"] == "background":
                assert 3 * resize["bytes_sent_ahead"] == 4 * resize["bytes_sent"] > 0, resize
            else:
                assert size < before and resize["bytes_sent_ahead"] == 0, resize
        job.ends_well(90)


@pytest.mark.each
@pytest.mark.parametrize("executor", ("p2p", "alltoallv", "rma-lock", "rma-lockall", "auto"),
                         ids=("p2p", "alltoallv", "rma_lock", "rma_lockall", "auto"))
def test_frozen_arrays_move_by(executor):
    environment = FROZEN | {"STEADY_RULE": "grid", "STEADY_ITEMS": "70000"}
    with Steady("--join", "background", "--redistribution", executor, start="launch", environment=environment) as job:
        computes(job)
        done(job, 3)
        assert last(job)["bytes_sent_ahead"] > 0, last(job)
        done(job, 4)
        job.ends_well(90)


def test_frozen_arrays_move_at_the_point_without_a_join_before_it():
    with Steady(start="launch", environment=FROZEN) as job:
        done(job, 3)
        assert last(job)["bytes_sent_ahead"] == 0 < last(job)["bytes_sent"], last(job)
        done(job, 1)
        job.ends_well(90)


def test_frozen_array_is_written_to():
    """With --verify the resize is rolled back, and the message names the array. The program goes on."""
    # The steps are short, so that at least one step writes between the move and the resize point. It may also write during the move.
    environment = {"STEADY_FROZEN": "written", "STEADY_ITEMS": "1000"}
    with Steady("--join", "background", "--verify", start="launch", pause=300, environment=environment) as job:
        computes(job)
        result = job.resize(3)
        assert result.returncode == 4, (result, job.stderr())
        assert re.search("array 'k'.* is frozen, and (has been written to since it moved|perhaps it was written to as it moved)", last(job)["why"]), last(job)
        job.ends_well(90)


@pytest.mark.each
@pytest.mark.parametrize("moment", ("redistribute", "alltoallw"))
def test_newcomer_dies_while_frozen_arrays_move(moment):
    executor = {"redistribute": "p2p", "alltoallw": "alltoallv"}[moment]
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--join", "background", "--redistribution", executor),
             environment=FROZEN | {"STEADY_DIE_AT": moment}) as job:
        job.running()
        computes(job)
        result = job.resize(4)
        assert result.returncode == 4, (result, job.stderr())
        continues_after(job, 2)
