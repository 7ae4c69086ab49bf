"""Functions of a program that are also called on new processes: on_prepare, and on_redistribute, which moves data that the job does not know."""
import os

import pytest
from ductile_job import Job, wait_until

PROGRAM = os.environ["OWN_DATA_PROGRAM"]
WHERE = ("--local=4", "--ranks-per-host=2")


def own_data(*, fail="", options=(), steps=100000, **environment):
    if fail:
        environment["OWN_DATA_FAIL"] = fail
    return Job([PROGRAM, steps, 5000, 1003], where=WHERE, options=("-n", "2", *options), environment=environment)


def continues(job):
    """The job goes on with right data, and can be resized."""
    done = job.resize(3)
    assert done.returncode == 0, (done, job.stderr())
    assert job.status()["ranks"] == 3
    done = job.resize(1)
    assert done.returncode == 0, (done, job.stderr())


def test_own_data_follow():
    """Growing, shrinking, parking and coming back, replacing all ranks, blocking. --check finds nothing wrong."""
    with own_data(OWN_DATA_ENOUGH="6", options=("--check",)) as job:
        job.running()
        steps = ((5, ()), (3, ()), (2, ("--shrink", "park")), (4, ()), (6, ("--method", "baseline")), (1, ()), (4, ("--overlap", "blocking")), (2, ()), (8, ()))
        for size, how in steps:
            done = job.resize(size, *how)
            assert done.returncode == 0, (size, how, done, job.stderr())
        assert job.end(30) == 0, job.stderr()


@pytest.mark.parametrize("who", ("new", "old", "all"))
def test_what_preparing_throws_calls_the_resize_off(who):
    with own_data(fail=f"throw:prepare:{who}:4") as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4, refused
        assert "the program's on_prepare function failed: told to throw" in refused.stderr, refused
        continues(job)


@pytest.mark.parametrize("who", ("new", "all"))
def test_what_moving_throws_calls_an_expand_off(who):
    with own_data(fail=f"throw:move:{who}:4") as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4, refused
        assert "the program's function that moves its own data failed: told to throw" in refused.stderr, refused
        job.running()
        assert job.status()["ranks"] == 2
        assert job.resize(1).returncode == 0


def test_a_source_that_throws_alone_is_not_waited_for():
    """One source throws, and the others would wait for it inside MPI for ever. The message names the rank that threw."""
    with own_data(fail="throw:move:old:4") as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4, refused
        assert "rank g0.1: the program's function that moves its own data failed: told to throw" in refused.stderr, refused
        wait_until("it goes on", lambda: job.status()["state"] == "running")
        assert job.status()["ranks"] == 2


def test_what_moving_throws_at_a_shrink_ends_the_job():
    with own_data(fail="throw:move:all:1") as job:
        job.running()
        job.resize(1)
        assert job.end(30) != 0
        assert "told to throw" in job.stderr(), job.stderr()


@pytest.mark.parametrize("where", ("prepare", "move"))
def test_a_new_rank_that_dies_there_calls_the_resize_off(where):
    with own_data(fail=f"die:{where}:new:4") as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4 and "ended" in refused.stderr + refused.stdout, refused
        wait_until("it goes on", lambda: job.status()["state"] == "running")
        assert job.status()["ranks"] == 2


def test_the_program_computes_while_it_prepares():
    with own_data(OWN_DATA_PREPARE_US="3000000", DUCTILE_PROGRESS_WITHIN="1", DUCTILE_VOTE_WITHIN="1") as job:
        job.running()
        done = job.resize(4)
        assert done.returncode == 0, (done, job.stderr())
        resize = job.status()["resizes"][-1]
        assert resize["stall_s"] < 1.5, resize


@pytest.mark.parametrize("size, how, environment", (
    (4, (), {"OWN_DATA_PREPARE_OLD_US": "4000000"}), (4, ("--overlap", "blocking"), {"OWN_DATA_PREPARE_OLD_US": "4000000"}),
    (1, (), {"OWN_DATA_PREPARE_US": "4000000"})), ids=("expand", "blocking", "shrink"))
def test_the_program_computes_while_ranks_that_stay_prepare(size, how, environment):
    with own_data(**environment) as job:
        job.running()
        done = job.resize(size, *how)
        assert done.returncode == 0, (done, job.stderr())
        assert job.status()["resizes"][-1]["stall_s"] < 2.5, job.status()["resizes"][-1]


def test_a_resize_is_cancelled_while_a_rank_that_stays_prepares():
    with own_data(OWN_DATA_PREPARE_OLD_US="4000000") as job:
        job.running()
        assert job.ask("resize", job.id, "4").returncode == 0
        wait_until("it prepares", lambda: job.phase() == "preparing")
        assert job.ask("cancel", job.id).returncode == 0
        wait_until("it goes on", lambda: job.status()["state"] == "running")
        assert job.status()["ranks"] == 2
        continues(job)


def test_an_own_move_that_hangs_is_given_up_at_an_expand():
    with own_data(fail="hang:move:new:4", options=("--redistribute-within", "2")) as job:
        job.running()
        refused = job.resize(4)
        assert refused.returncode == 4, refused
        assert "the program's function that moves its own data has not ended on rank" in refused.stderr, refused
        assert "g1.0" in refused.stderr and "--redistribute-within" in refused.stderr, refused
        wait_until("it goes on", lambda: job.status()["state"] == "running")
        assert job.status()["ranks"] == 2
        assert job.resize(1).returncode == 0, job.stderr()


def test_an_own_move_that_hangs_ends_the_job_at_a_shrink():
    with own_data(fail="hang:move:old:1", options=("--redistribute-within", "2")) as job:
        job.running()
        job.resize(1)
        assert job.end(30) == 125, job.stderr()
        assert "has not ended on rank" in job.stderr() and "g0.1" in job.stderr(), job.stderr()


def test_moving_own_data_may_take_longer_than_a_switch_without_progress():
    with own_data(OWN_DATA_MOVE_US="2500000", DUCTILE_PROGRESS_WITHIN="1", DUCTILE_VOTE_WITHIN="1") as job:
        job.running()
        for size in (4, 2):
            done = job.resize(size)
            assert done.returncode == 0, (done, job.stderr())
            assert job.status()["resizes"][-1]["stall_s"] > 2
