"""A policy resizes jobs of a real Slurm: `ductile run --policy natural`."""

import json

import pytest
from slurm_job_test import ALL_CORES, AT_ONCE, Job, jobs, sidecars
from slurm_test import IS_ROOT, NOBODY, on_head, packages, up  # noqa: F401 - a fixture
from virtual_cluster import wait_until

NATURAL = ("--policy", "natural", "--policy-every", "0.5")


def explained(job):
    shown = job.ask("explain", "--json")
    return json.loads(shown.stdout)["decisions"] if shown.returncode == 0 else []


def submit(cluster, nodes, seconds, *options, prefix=()):
    words = ("sbatch", "--parsable", f"--nodes={nodes}", "--exclusive", "--output=/dev/null", *options, "--wrap", f"sleep {seconds}")
    return on_head(cluster, *words, prefix=prefix).strip()


@pytest.mark.parametrize("prefix", [(), NOBODY] if IS_ROOT else [()], ids=["root", "plain_user"] if IS_ROOT else ["plain_user"])
def test_a_rigid_job_is_let_in(cluster, prefix):
    up(cluster, 4, *(AT_ONCE if prefix else ()))  # as root: with the default settings of Slurm
    job = Job(cluster, 1, "-n", "1", *NATURAL, prefix=prefix)
    assert wait_until(lambda: job.status()["ranks"] == 4, 40), (job.text(), explained(job))
    rigid = submit(cluster, 2, 300)
    assert wait_until(lambda: dict(jobs(cluster, "all"))[rigid] == "RUNNING", 40), (jobs(cluster), explained(job))
    assert job.status()["ranks"] == 2
    shrink = [one for one in explained(job) if one.get("for_job")]
    assert [(one["for_job"], one["to"], one["outcome"]) for one in shrink] == [(int(rigid), 2, "done")]
    on_head(cluster, "scancel", rigid)
    assert wait_until(lambda: job.status()["ranks"] == 4, 40), (jobs(cluster), explained(job))
    job.end()
    assert "bad 0" in job.text()
    assert wait_until(lambda: all(state == "COMPLETED" for _, state in jobs(cluster)), 20), jobs(cluster)


def test_moldable_jobs_share_the_hosts(cluster):
    """The first job starts on all hosts. The second job needs two of them, and the first job gives two back."""
    up(cluster, 4, *AT_ONCE)
    moldable = (*NATURAL, "--shrink-slurm-job=yes")
    first = Job(cluster, "1-4", "-n", "1:4", *moldable, sharing=ALL_CORES)
    assert first.status()["ranks"] == 4
    second = Job(cluster, "2-4", "-n", "2:4", "--min", "2", *moldable, sharing=ALL_CORES, name="other")
    assert (first.status()["ranks"], second.status()["ranks"]) == (2, 2), (explained(first), explained(second))
    assert (first.own_hosts(), second.own_hosts()) == (2, 2)
    first.end()
    assert wait_until(lambda: second.status()["ranks"] == 4, 40), explained(second)
    second.end()
    assert "bad 0" in first.text() and "bad 0" in second.text()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)


def test_the_limits_hold(cluster):
    """The malleable job does not shrink for a job that needs more hosts than it may give up, or for jobs that wait for something else
    than hosts."""
    up(cluster, 3, *AT_ONCE)
    job = Job(cluster, 1, "-n", "2", "--min", "2", *NATURAL)
    assert wait_until(lambda: job.status()["ranks"] == 3, 40), job.text()
    submit(cluster, 2, 1)
    submit(cluster, 1, 1, "--hold")
    submit(cluster, 1, 1, "--begin=now+1hour")
    submit(cluster, 1, 1, f"--dependency=afterok:{job.number}")
    assert wait_until(lambda: len(jobs(cluster, "pending")) == 4, 10), jobs(cluster)
    before = explained(job)[-1]
    assert wait_until(lambda: explained(job)[-1]["number"] > before["number"] or explained(job)[-1]["times"] > before["times"] + 3, 30)
    assert job.status()["ranks"] == 3 and not [one for one in explained(job) if one.get("for_job")], explained(job)
    job.end()


def nice(cluster, number):
    return on_head(cluster, "squeue", "--noheader", f"--jobs={number}", "--format=%y").strip()


@pytest.mark.parametrize("prefix", [(), NOBODY] if IS_ROOT else [()], ids=["slurm_user", "other_user"] if IS_ROOT else ["slurm_user"])
def test_the_job_that_gets_hosts_is_raised(cluster, prefix):
    """The malleable job shrinks for a small job, which waits behind a large job and would delay this. So the priority of the small job must be
    raised. Only Slurm's own user may do so."""
    up(cluster, 4, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1", *NATURAL, prefix=prefix)
    assert wait_until(lambda: job.status()["ranks"] == 4, 40), (job.text(), explained(job))
    large = submit(cluster, 4, 300)
    small = submit(cluster, 2, 300, "--time=60", "--nice=5", prefix=prefix)
    assert wait_until(lambda: [one for one in explained(job) if one.get("outcome") == "done" and one.get("for_job")], 20), explained(job)
    (shrink,) = [one for one in explained(job) if one.get("for_job")]
    assert shrink["for_job"] == int(small)
    if prefix:
        assert shrink["why"].endswith("; its priority stays: Slurm refuses"), explained(job)
        assert dict(jobs(cluster, "all"))[small] == "PENDING", jobs(cluster)
    else:
        assert shrink["why"].endswith("; its priority is raised"), explained(job)
        assert wait_until(lambda: dict(jobs(cluster, "all"))[small] == "RUNNING", 15), (jobs(cluster), explained(job))
    assert wait_until(lambda: nice(cluster, small) == "5", 10), nice(cluster, small)
    assert dict(jobs(cluster, "all"))[large] == "PENDING" and nice(cluster, large) == "0"
    on_head(cluster, "scancel", small, large)
    job.end()


def test_two_malleable_jobs_come_to_rest(cluster):
    up(cluster, 4, *AT_ONCE)
    first = Job(cluster, 1, "-n", "1", "--max", "3", *NATURAL)
    assert wait_until(lambda: first.status()["ranks"] == 3, 40), first.text()
    second = Job(cluster, 1, "-n", "1", *NATURAL, name="other")
    assert wait_until(lambda: all(explained(job)[-1]["times"] > 2 for job in (first, second)), 60), (explained(first), explained(second))
    resizes = [len(job.status()["resizes"]) for job in (first, second)]
    assert wait_until(lambda: all(explained(job)[-1]["times"] > 20 for job in (first, second)), 60), (explained(first), explained(second))
    assert [len(job.status()["resizes"]) for job in (first, second)] == resizes
    assert [job.status()["ranks"] for job in (first, second)] == [3, 1] and len(sidecars(cluster)) == 2
    first.end()
    # The second job gets the hosts that the first one has left.
    assert wait_until(lambda: second.status()["ranks"] == 4, 40), (second.text(), explained(second))
    second.end()
