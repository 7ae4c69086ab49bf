"""Arrays with other distribution rules than blocks: their data is right after every kind of resize (the program checks it)."""
import pytest
from ductile_job import STEADY, Job
from steady_job import last

LONG = 1000000
EXECUTORS = ("p2p", "alltoallv", "rma-lock", "rma-lockall")
ITEMS = {"STEADY_ITEMS": str(7 * 4001)}


@pytest.mark.parametrize("rule", ("cyclic", "weights", "slots", "hosts", "ranges", "columns", "grid"))
def test_rules_follow(rule):
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment={**ITEMS, "STEADY_RULE": rule}) as job:
        job.running()
        for size, how in ((5, ()), (3, ()), (8, ()), (2, ("--shrink", "park")), (4, ()), (6, ("--method", "baseline")), (1, ()), (3, ())):
            done = job.resize(size, *how)
            assert done.returncode == 0, (rule, size, how, done, job.stderr())
            assert job.status()["ranks"] == size
        job.ends_well()


@pytest.mark.parametrize("rule", ("weights", "slots", "hosts"))
def test_parked_ranks_come_back_one_after_the_other(rule):
    """The ranks then have another order than before they parked. So rules that use the order or the hosts give them other parts."""
    with Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=2"), options=("-n", "4"),
             environment={**ITEMS, "STEADY_RULE": rule}) as job:
        job.running()
        parked = job.ask("resize", job.id, "--release", "local0:1", "--release", "local1:1", "--shrink", "park", "--wait", seconds=60)
        assert parked.returncode == 0 and job.status()["parked"] == 2, parked
        for size in (3, 4, 2, 4):
            assert job.resize(size).returncode == 0, job.stderr()
        job.ends_well()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_executors_move_all(executor):
    """Growing, shrinking, parking, coming back and starting afresh: with the executor of the job, and with one that a request names."""
    # Ranks that make a window wait inside MPI. This takes long if many ranks share few cores.
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=2"),
             options=("-n", "2", "--redistribution", executor, "--progress-within", "20"),
             environment={**ITEMS, "STEADY_RULE": "cyclic"}) as job:
        job.running()
        for size, how in ((4, ()), (2, ("--shrink", "park")), (3, ()), (1, ()), (2, ("--method", "baseline"))):
            done = job.resize(size, *how)
            assert done.returncode == 0, (executor, size, how, done, job.stderr())
            assert last(job)["redistribution"] == executor and last(job)["to"] == size
        done = job.resize(3, "--redistribution", "alltoallv")
        assert done.returncode == 0 and last(job)["redistribution"] == "alltoallv", (done, job.stderr())
        job.ends_well()


@pytest.mark.parametrize("bad, why", [
    ("none", "array 'a' cannot be distributed over 3 ranks: element"),
    ("throws", "array 'a' cannot be distributed over 3 ranks: 3 ranks are bad luck"),
])
def test_bad_rule_calls_the_resize_off(bad, why):
    """A bad rule rolls back a growth and a shrink. The job goes on, and can still take other sizes."""
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment={**ITEMS, "STEADY_RULE": "ranges", "STEADY_BAD_RULE": bad}) as job:
        job.running()
        for other in (4, 2):
            refused = job.resize(3)
            assert refused.returncode == 4 and why in refused.stderr, refused
            assert job.resize(other).returncode == 0, job.stderr()
        job.ends_well()


def test_registrations_that_differ_call_the_resize_off():
    """A rank has registered a value that the others have not. The message of a growth or shrink names it, and the job goes on."""
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=1"), options=("-n", "3"), environment={"STEADY_ODD_RANK": "1"}) as job:
        job.running()
        for size in (4, 2):
            refused = job.resize(size)
            assert refused.returncode == 4 and "rank 1: replicated value 'odd' is registered on this rank and not on rank 0" in refused.stderr, refused
            assert job.status()["ranks"] == 3
        job.ends_well()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_changes_on_its_way_is_named(executor):
    """With --verify the new rank detects changed data, and the resize is rolled back. Without --verify the program computes with it."""
    way = ("-n", "1", "--redistribution", executor)
    with Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=1"), options=(*way, "--verify"), environment={"STEADY_SPOIL": "1"}) as job:
        job.running()
        refused = job.resize(2)
        assert refused.returncode == 4, refused
        said = "elements 50002 to 100002 of array 'a' on rank 1 differ from those that rank 0 had"
        job.says(said)
        assert job.status()["ranks"] == 1
        job.ends_well()
    with Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=1"), options=way, environment={"STEADY_SPOIL": "1"}) as job:
        job.running()
        job.resize(2)
        assert job.end(20) != 0


def test_what_arrives_is_to_be_registered():
    with Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=1"), options=("-n", "1"), environment={"STEADY_UNCLAIMED": "1"}) as job:
        job.running()
        job.resize(2)
        assert job.end(20) != 0
        assert "array 'a' has arrived, and this rank has not registered it" in job.stderr(), job.stderr()
