"""Every rank calls MPI_Finalize, and a leaver does so when it leaves. A rank does not if a join of it was rolled back."""
import re

import pytest
from steady_job import Steady, done, ids

TELL = {"STEADY_TELL_FINALIZE": "1"}


def finalised(job):
    return sorted(re.findall(r"finalised (g\d+\.\d+)", job.stdout()))


@pytest.mark.parametrize("start", ("launch", "collective"))
def test_every_rank_finalises(start):
    with Steady(start=start, ranks=2, per_host=2, environment=TELL) as job:
        done(job, 4)
        assert not finalised(job)
        done(job, 1)
        assert finalised(job) == ["g0.1", "g1.0", "g1.1"], job.stdout()
        done(job, 3)
        job.ends_well()
        assert finalised(job) == ["g0.0", "g0.1", "g1.0", "g1.1", "g2.0", "g2.1"], job.stdout()


def test_none_finalises_after_a_join_that_was_rolled_back():
    """MPI_Finalize may abort because of what the dead rank has left behind (docs/decisions/0003)."""
    with Steady(start="launch", ranks=2, per_host=2, environment={**TELL, "STEADY_DIE_AT": "dup", "STEADY_LAST_NEWCOMER": "1"}) as job:
        assert job.resize(3).returncode == 4 and ids(job) == [0], job.stderr()
        job.ends_well()
        assert not finalised(job), job.stdout()
