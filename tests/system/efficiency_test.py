"""The policy `efficiency` finds the size at which a program of known efficiency is close to the set point."""
import json
import os
import subprocess
import sys

import pytest
from ductile_job import DUCTILE, STEADY, Job, processes, wait_until

TURNS = os.environ["TURNS_PROGRAM"]
ALIKE = ("80", "80")  # both parts take equally long, so on n ranks the efficiency is 2 / (1 + n): 1, 0.67, 0.5, 0.4
LIBRARY = "libductile_mpi_time"


def start(*options, ranks=1):
    return Job([TURNS, *ALIKE], options=("-n", str(ranks), "--policy-every", "0.2", *options))


def explained(job):
    return json.loads(subprocess.run([DUCTILE, "explain", job.id, "--json"], capture_output=True, text=True, timeout=30, check=True).stdout)["decisions"]


def resizes(decisions):
    return [(one["ranks"], one["to"], one["outcome"]) for one in decisions if "to" in one]


@pytest.mark.parametrize("target, band, ranks, sizes, bounds", [
    ("0.5", "0.08", 1, (1, 2, 3), ("0.42", "0.58")),
    ("0.72", "0.14", 4, (4, 3, 2), ("0.58", "0.86")),
], ids=["grows", "shrinks"])
def test_the_job_finds_its_size(target, band, ranks, sizes, bounds):
    def is_between():
        decisions = explained(job)
        return decisions and "to" not in decisions[-1] and all(bound in decisions[-1]["why"] for bound in bounds)

    with start("--policy", "efficiency", "--efficiency", target, "--efficiency-band", band, ranks=ranks) as job:
        job.running()
        wait_until("it has its size, and stays there", is_between, seconds=100, every=0.2)
        decisions = explained(job)
        assert resizes(decisions) == [(before, after, "done") for before, after in zip(sizes, sizes[1:])], decisions
        assert job.status()["ranks"] == sizes[-1]
        assert decisions[0]["why"] == "the efficiency at this size is not known yet"
        assert all(one["why"].startswith("the efficiency is about 0.") or one["ranks"] == 1 for one in decisions if "to" in one), decisions
        job.tell_to_end()
        assert job.end(40) == 0, job.stderr()
        assert f"end on {sizes[-1]} ranks" in job.stdout()
        job.nothing_left()


def loaded(job):
    """Whether each rank has the library that measures."""
    ranks = [pid for pid, command in processes(DUCTILE_JOB=job.id).items() if command.startswith((TURNS, STEADY))]
    assert ranks
    return [LIBRARY in open(f"/proc/{pid}/maps").read() for pid in ranks]


def test_a_program_of_the_user_gets_the_efficiency(tmp_path):
    """Only if it is to be measured."""
    lines = tmp_path / "lines"
    policy = tmp_path / "policy.py"
    policy.write_text(f"""import json, sys
for line in sys.stdin:
    line = json.loads(line)
    if line["type"] == "decide":
        with open({str(lines)!r}, "a") as out:
            print(line["job"].get("efficiency", -1), file=out)
        print(json.dumps({{"type": "decision", "id": line["id"], "why": "nothing"}}), flush=True)
""")
    command = ("--policy-command", f"{sys.executable} {policy}")
    with start(*command, ranks=2) as job:
        job.running()
        wait_until("it was asked", lambda: explained(job)[-1:] and explained(job)[-1]["times"] > 2)
        assert set(lines.read_text().split()) == {"-1"} and not any(loaded(job))
    with start(*command, "--measure-efficiency", ranks=2) as job:
        job.running()
        told = wait_until("it is told", lambda: [float(one) for one in lines.read_text().split() if one != "-1"], seconds=60)
        assert 0.57 < told[0] < 0.77 and all(loaded(job))


def test_measuring_and_checking_exclude_each_other():
    for option in (("--policy", "efficiency"), ("--measure-efficiency",)):
        run = subprocess.run([DUCTILE, "run", *option, "--check", "--", "/bin/true"], capture_output=True, text=True, timeout=30, check=False)
        assert run.returncode == 2 and f"{' '.join(option)} and --check exclude each other" in run.stderr, run
    for options in (("--efficiency", "0"), ("--efficiency", "1.5"), ("--efficiency-band", "x")):
        run = subprocess.run([DUCTILE, "run", *options, "--", "/bin/true"], capture_output=True, text=True, timeout=30, check=False)
        assert run.returncode == 2 and options[0] in run.stderr and "above 0 and up to 1" in run.stderr, run
