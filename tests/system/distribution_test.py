"""Arrays that are distributed by other rules than blocks: their data follow over every kind of resize (the program looks)."""
import pytest
from ductile_job import STEADY, Job

LONG = 1000000
ITEMS = {"STEADY_ITEMS": str(7 * 4001)}


@pytest.mark.parametrize("rule", ("cyclic", "weights", "ranges", "columns", "grid"))
def test_rules_follow(rule):
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment={**ITEMS, "STEADY_RULE": rule}) as job:
        job.running()
        for size, how in ((5, ()), (3, ()), (8, ()), (2, ("--shrink", "park")), (4, ()), (6, ("--method", "baseline")), (1, ()), (3, ())):
            done = job.resize(size, *how)
            assert done.returncode == 0, (rule, size, how, done, job.stderr())
            assert job.status()["ranks"] == size
        job.ends_well()


@pytest.mark.parametrize("bad, why", [
    ("none", "array 'a' cannot be distributed over 3 ranks: element"),
    ("throws", "array 'a' cannot be distributed over 3 ranks: 3 ranks are bad luck"),
])
def test_bad_rule_calls_the_resize_off(bad, why):
    """By growing, by shrinking; the job goes on at its size, and at others."""
    with Job([STEADY, LONG, 5000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment={**ITEMS, "STEADY_RULE": "ranges", "STEADY_BAD_RULE": bad}) as job:
        job.running()
        for other in (4, 2):
            refused = job.resize(3)
            assert refused.returncode == 4 and why in refused.stderr, refused
            assert job.resize(other).returncode == 0, job.stderr()
        job.ends_well()
