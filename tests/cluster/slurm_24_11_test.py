"""Some tests of slurm_test.py and slurm_job_test.py with Debian 13's Slurm. With it, `ductile run` takes hosts out of the Slurm job itself without an
option for this."""

import pytest
from slurm_job_test import ALL_CORES, AT_ONCE, give_back_hosts_of_the_job_itself, test_a_job_grows_and_shrinks  # noqa: F401 - a test, here too
from slurm_test import BUILD, on_head, test_whole_life, up  # noqa: F401 - a test, here too


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
