"""A policy resizes a job, and says why (`ductile run --policy`, `ductile explain`)."""
import json
import os
import subprocess
import sys

import pytest
from ductile_job import DUCTILE, STEADY, Job, wait_until

WHERE = ("--local=4", "--ranks-per-host=1")


def start(*options, ranks=1):
    return Job([STEADY, 1000000, 1000], where=WHERE, options=("-n", str(ranks), "--policy-every", "0.2", *options))


def explained(job):
    run = subprocess.run([DUCTILE, "explain", job.id, "--json"], capture_output=True, text=True, timeout=30, check=True)
    return json.loads(run.stdout)


@pytest.mark.parametrize("options, ranks, size", [
    (("--policy", "natural", "--max", "3"), 1, 3),
    (("--policy", "natural", "--multiple", "2"), 2, 4),
    (("--policy", "preferred", "--preferred", "2"), 4, 2),
    (("--policy", "preferred", "--preferred", "3"), 1, 3),
], ids=["natural_to_max", "natural_to_all", "preferred_shrinks", "preferred_grows"])
def test_the_job_gets_the_size(options, ranks, size):
    with start(*options, ranks=ranks) as job:
        job.running()
        wait_until("it has the size", lambda: job.status()["ranks"] == size)
        wait_until("it stays there", lambda: explained(job)["decisions"][-1]["times"] > 3)
        first, last = explained(job)["decisions"]
        assert (first["ranks"], first["to"], first["outcome"]) == (ranks, size, "done")
        assert last["ranks"] == size and "to" not in last
        shown = subprocess.run([DUCTILE, "explain", job.id], capture_output=True, text=True, timeout=30, check=True).stdout
        assert f"{ranks} -> {size}" in shown and f"{size} stays" in shown
        assert job.status()["resizes"][-1]["outcome"] == "done" and len(job.status()["resizes"]) == 1


def test_an_inhibitor_holds_for_a_policy():
    with start("--policy", "preferred", "--preferred", "2", "--inhibitor", "1000") as job:
        job.running()
        wait_until("it has grown", lambda: job.status()["ranks"] == 2)
        # The policy is not even asked any more.
        wait_until("points pass", lambda: job.status()["points"] > 300)
        (only,) = explained(job)["decisions"]
        assert only["to"] == 2


def test_a_person_is_not_undone():
    with start("--policy", "natural") as job:
        job.running()
        wait_until("it has grown", lambda: job.status()["ranks"] == 4)
        assert job.resize(2).returncode == 0
        points = job.status()["points"]
        wait_until("points pass", lambda: job.status()["points"] > points + 300)
        assert job.status()["ranks"] == 2 and "a person" in explained(job)["decisions"][-1]["why"]


def test_a_program_decides(tmp_path):
    """The example program doubles the job up to its limit. Then: a program that dies each time, and a program that does not exist."""
    example = os.path.join(os.path.dirname(__file__), "../../examples/policy_program/powers_of_two.py")
    with start("--policy-command", f"{sys.executable} {example}", "--max", "3") as job:
        job.running()
        wait_until("it has doubled", lambda: job.status()["ranks"] == 2)
        wait_until("it stays there", lambda: explained(job)["decisions"][-1]["times"] > 3)
        first, last = explained(job)["decisions"]
        assert (first["ranks"], first["to"], first["outcome"], first["why"]) == (1, 2, "done", "3 slots are free, and no job waits")
        assert explained(job)["name"] == f"{sys.executable} {example}" and "limit" in last["why"]
    dies = tmp_path / "dies.sh"
    dies.write_text("#!/bin/sh\necho no idea >&2\nexit 7\n")
    dies.chmod(0o755)
    with start("--policy-command", dies) as job:
        job.running()
        wait_until("it has died twice", lambda: explained(job)["decisions"][-1:] and explained(job)["decisions"][-1]["times"] > 1)
        assert f"{dies} has ended (exit code 7: no idea)" in explained(job)["decisions"][-1]["why"]
        assert job.status()["ranks"] == 1


def test_a_job_without_a_policy_explains_nothing():
    with Job([STEADY, 1000000, 1000], where=WHERE) as job:
        job.running()
        run = subprocess.run([DUCTILE, "explain", job.id], capture_output=True, text=True, timeout=30, check=False)
        assert run.returncode == 2 and "has no policy" in run.stderr


def test_bad_values_are_refused():
    for options, why in ((("--policy", "unnatural"), "unnatural"), (("--policy", "natural", "--policy-every", "0"), "--policy-every"),
                         (("--policy-command", "/no/such/program"), "/no/such/program"), (("--policy-command", " "), "names no program"),
                         (("--policy-command", "/bin/cat", "--policy", "natural"), "exclude each other")):
        run = subprocess.run([DUCTILE, "run", *options, "--", "/bin/true"], capture_output=True, text=True, timeout=30, check=False)
        assert run.returncode == 2 and why in run.stderr, run
