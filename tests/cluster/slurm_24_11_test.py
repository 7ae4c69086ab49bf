"""Some tests of slurm_test.py and slurm_job_test.py with Debian 13's Slurm. With it, `ductile run` takes hosts out of the Slurm job itself without an
option for this."""

import pytest
from slurm_job_test import ALL_CORES, AT_ONCE, Job, give_back_hosts_of_the_job_itself, jobs, sidecars, test_a_job_grows_and_shrinks  # noqa: F401 - a test, here too
from slurm_nested_test import test_a_plain_user_has_a_slurm_of_its_own  # noqa: F401 - a test, here too
from slurm_test import BUILD, on_head, states, test_whole_life, up  # noqa: F401 - a test, here too
from virtual_cluster import wait_until


@pytest.fixture(autouse=True)
def packages(monkeypatch):
    folder = BUILD / "slurm-24.11"
    if not (folder / "usr/sbin/slurmctld").exists():
        pytest.skip("Slurm 24.11 is not here; scripts/setup --with slurm-24.11 brings it")
    monkeypatch.setenv("DUCTILE_SLURM", str(folder))


@pytest.mark.parametrize("sharing", [ALL_CORES, "--exclusive"])
def test_hosts_of_the_job_itself_are_given_back(cluster, sharing):
    up(cluster, 4, *AT_ONCE)
    assert on_head(cluster, "sinfo", "--version").startswith("slurm-wlm 24.11.")
    give_back_hosts_of_the_job_itself(cluster, sharing=sharing)


def test_added_hosts_are_merged_into_the_job(cluster):
    """At the end it grows onto other hosts than at the start: Slurm needs about a second before it grants a host again that has left a job."""
    up(cluster, 5, "--slurm-set", "SchedulerParameters=batch_sched_delay=0,permit_job_expansion", "--slurm-set", "PrologFlags=Serial")
    job = Job(cluster, 1, "-n", "1", "--slurm-growth=merge", sharing="--exclusive")
    for size in (2, 3):
        job.resize(size)
        assert job.own_hosts() == size and sidecars(cluster) == [], (job.text(), jobs(cluster))
    job.resize(1)
    assert wait_until(lambda: job.own_hosts() == 1, 10), job.text()
    other = on_head(cluster, "sbatch", "--parsable", "--nodes=2", "--exclusive", "--nodelist=node[02-03]", "--output=/dev/null", "--wrap", "sleep 300").strip()
    assert wait_until(lambda: dict(jobs(cluster, "all"))[other] == "RUNNING", 10), (states(cluster), jobs(cluster), job.text())
    job.resize(3)
    assert job.own_hosts() == 3 and sidecars(cluster) == [], (job.text(), jobs(cluster))
    job.end()
    assert "bad 0" in job.text() and "not merged" not in job.text(), job.text()
    on_head(cluster, "scancel", other)
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)
