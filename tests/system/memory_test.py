"""How much memory a resize needs, and resizes that need little (--memory tight; docs/memory.md)."""
import json
import os
import re
import time

import pytest
from ductile_job import Job, wait_until
from steady_job import Steady, done, last

MEBIBYTE = 2 ** 20
WINDOW = 16 * MEBIBYTE
ITEMS = 7 * 2 ** 20  # of 8 bytes: several windows for each rank


def moved(job, size, *options):
    done(job, size, *options)
    resize = last(job)
    assert resize["to"] == size and resize["memory"] == "tight", resize
    return resize


@pytest.mark.parametrize("executor", ("p2p", "alltoallv", "rma-lock", "rma-lockall"))
def test_data_come_along(executor):
    """Growing, shrinking, parking and coming back, by both methods. Each rank checks its data in each step."""
    with Steady("--memory", "tight", "--verify", "--redistribution", executor, start="launch", ranks=2, per_host=2,
                environment={"STEADY_ITEMS": str(ITEMS)}) as job:
        assert moved(job, 4)["bytes_sent"] > 0
        moved(job, 3, "--shrink", "park")
        moved(job, 4)
        moved(job, 2, "--method", "baseline")
        moved(job, 5, "--method", "baseline")
        moved(job, 1)
        job.ends_well(120)


@pytest.mark.parametrize("executor", ("p2p", "alltoallv"))
def test_each_rule(executor):
    for rule in ("cyclic", "weights", "columns", "grid"):
        with Steady("--memory", "tight", "--redistribution", executor, start="launch", ranks=2, per_host=2,
                    environment={"STEADY_ITEMS": "700007", "STEADY_RULE": rule}) as job:
            for size in (3, 1, 4):
                moved(job, size)
            job.ends_well(60)


def test_a_newcomer_that_dies_before_the_commit_is_rolled_back():
    with Steady("--memory", "tight", start="launch", environment={"STEADY_DIE_AT": "merge"}) as job:
        assert job.resize(3).returncode != 0
        resize = last(job)
        assert resize["outcome"] == "rolled_back" and job.status()["ranks"] == 1, resize
        job.ends_well()


def test_a_newcomer_that_dies_while_data_move_ends_the_job():
    """The sources no longer have their old parts then. So the newcomer is already a member."""
    with Steady("--memory", "tight", start="launch", environment={"STEADY_DIE_AT": "redistribute"}) as job:
        assert job.resize(3).returncode != 0
        assert job.end() == 137 and "rank g1." in job.stderr(), job.stderr()
        job.nothing_left(files=False)


def test_nobody_calls_it_off_while_data_move(tmp_path):
    moved_when = tmp_path / "moved"
    with Steady("--memory", "tight", start="launch", environment={"STEADY_MOVE_UNTIL": str(moved_when)}) as job:
        asked = job.start_resize(3)
        job.says("data move")
        cancelled = job.ask("cancel", job.id)
        assert cancelled.returncode == 3 and "tight" in cancelled.stderr, cancelled
        moved_when.touch()
        assert asked.wait(20) == 0, asked.stdout.read()
        assert job.status()["ranks"] == 3
        job.ends_well()


def test_an_own_move_that_hangs_ends_the_job():
    with Job([os.environ["OWN_DATA_PROGRAM"], 100000, 5000, 1000], environment={"OWN_DATA_FAIL": "hang:move:new:3"},
             options=("-n", "1", "--memory", "tight", "--redistribute-within", "2")) as job:
        job.running()
        job.resize(3)
        assert job.end(30) == 125, job.stderr()
        assert "has not ended on rank" in job.stderr() and "g1." in job.stderr(), job.stderr()


def test_an_own_move_that_throws_ends_the_job():
    """The rank whose own move throws has no data to go on with. The job ends before this rank would end by itself: after 5 s, with code 1."""
    with Job([os.environ["OWN_DATA_PROGRAM"], 100000, 5000, 1000], environment={"OWN_DATA_FAIL": "throw:move:new:3"},
             options=("-n", "1", "--memory", "tight")) as job:
        job.running()
        job.resize(3)
        assert job.end(30) == 125, job.stderr()
        assert re.search(r"rank g1\.\d: the program's function that moves its own data failed: told to throw", job.stderr()), job.stderr()


def test_a_broker_that_dies_while_data_move_costs_nothing(tmp_path):
    """The new ranks are already members. So their agents do not end them."""
    moved_when = tmp_path / "moved"
    with Steady("--memory", "tight", "--orphan-limit", "5", start="launch", environment={"STEADY_MOVE_UNTIL": str(moved_when)}) as job:
        asked = job.start_resize(3)
        job.says("data move", 3)  # each rank and its agent know of the commit
        job.process.kill()
        job.process.wait()
        asked.wait(15)
        asked.stdout.close()
        time.sleep(6)  # longer than the orphan limit
        moved_when.touch()
        time.sleep(1)
        assert len(job.ranks(0)) == 1 and len(job.ranks(1)) == 2, ("the job runs on", job.stderr())
        job.tell_to_end()
        job.nothing_left(30)


def test_what_moves_before_the_point_is_there_twice():
    with Steady("--join", "background", start="launch") as job:
        refused = job.resize(2, "--memory", "tight")
        assert refused.returncode != 0 and "--join point" in refused.stderr, refused
        job.ends_well()


def told(job):
    """What ranks have reported about their memory so far."""
    whole = job.stdout().rpartition("\n")[0]  # the last line may still be on its way
    return [json.loads(line) for line in whole.splitlines() if line.startswith("{")]


def expected_peak(memory, rank):
    before, after = rank["before"], rank["after"]
    return rank["other"] + (before + after if memory == "keep" else max(before, after) + min(before, after, WINDOW))


@pytest.mark.parametrize("method", ("merge", "baseline"))
@pytest.mark.parametrize("memory", ("keep", "tight"))
def test_the_peak_is_what_docs_say(memory, method):
    """Two ranks with 256 MiB each, then four with 128 MiB each, and back. The kernel counts MPI's buffers, too."""
    with Job([os.environ["PEAK_PROGRAM"], 512], where=("--local=2", "--ranks-per-host=2"),
             options=("-n", "2", "--memory", memory, "--method", method)) as job:
        job.running()
        ranks = 0
        for size, tell in ((4, 4 if method == "merge" else 6), (2, 4 if method == "merge" else 6)):
            done(job, size)
            ranks += tell
            wait_until("each rank has told", lambda: len(told(job)) == ranks)  # pylint: disable=cell-var-from-loop
        for rank in told(job):
            expected = expected_peak(memory, rank)
            print(method, memory, rank["who"], *(round(rank[key] / MEBIBYTE) for key in ("before", "after", "other", "peak")),
                  f"{rank['peak'] / expected:.3f}")
            assert 0.9 * expected <= rank["peak"] <= 1.1 * expected, rank
        job.ends_well()
