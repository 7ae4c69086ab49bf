"""The policy `energy` finds the size at which the iterations of a program of known times and power cost least."""
import json
import os
import subprocess
import sys

import pytest
from ductile_job import DUCTILE, Job, wait_until

PACED = os.environ["PACED_PROGRAM"]
METER = """import json, select, sys
# The third host draws much more power than the others.
hosts = []
while True:
    if select.select([sys.stdin], [], [], 0.2)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        hosts = json.loads(line)["hosts"]
    for position, host in enumerate(hosts):
        print(json.dumps({"type": "power", "host": host, "watts": 5000 if position == 2 else 100.5}), flush=True)
"""


def start(curve, *options, ranks=1):
    return Job([PACED, "--iterations", "100000", "--curve", curve], options=("-n", str(ranks), "--policy-every", "0.2", *options))


def explained(job):
    return json.loads(subprocess.run([DUCTILE, "explain", job.id, "--json"], capture_output=True, text=True, timeout=30, check=True).stdout)["decisions"]


def rests(job):
    """Its decisions, once it has found its size."""
    decisions = explained(job)
    return decisions if decisions and "no size next to it costs less" in decisions[-1]["why"] else None


def sizes(decisions):
    resized = [one for one in decisions if "to" in one]
    assert all(one["outcome"] == "done" for one in resized), decisions
    return [one["ranks"] for one in resized[:1]] + [one["to"] for one in resized]


@pytest.mark.parametrize("curve, options, ranks, way", [
    ("1:0.3,2:0.1,3:0.3", ("--host-power", "100"), 1, [1, 2, 3, 2]),
    ("1:0.3,2:0.2,3:0.15", ("--host-power", "100", "--energy-delay", "0", "--max", "3"), 3, [3, 2, 1]),
], ids=["energy-delay", "energy"])
def test_the_job_finds_its_cheapest_size(curve, options, ranks, way):
    with start(curve, "--policy", "energy", *options, ranks=ranks) as job:
        job.running()
        decisions = wait_until("it has its size, and stays there", lambda: rests(job), seconds=60, every=0.2)
        assert sizes(decisions) == way, decisions
        assert job.status()["ranks"] == way[-1]
        assert decisions[0]["why"] == "the energy of an iteration at this size is not known yet"
        assert "the cost at" in next(one["why"] for one in decisions if "to" in one)


def test_a_program_reports_the_power_of_the_hosts(tmp_path):
    meter = tmp_path / "meter.py"
    meter.write_text(METER)
    with start("1:0.3,2:0.15,3:0.1", "--policy", "energy", "--power-command", f"{sys.executable} {meter}") as job:
        job.running()
        decisions = wait_until("it has its size, and stays there", lambda: rests(job), seconds=60, every=0.2)
        assert sizes(decisions) == [1, 2, 3, 2], decisions


@pytest.mark.parametrize("options, why", [
    ((), " is not known: several hosts of the job are on one machine"),
    (("--power-command", "false"), " is not known: the program false has failed: it has ended (exit code 1)"),
], ids=["counters", "program"])
def test_a_power_that_is_not_known_is_said(options, why):
    with start("1:0.1", "--policy", "energy", *options) as job:
        job.running()
        wait_until("it says why", lambda: any(one["why"].endswith(why) for one in explained(job)), seconds=20, every=0.2)
        assert job.status()["ranks"] == 1


def test_a_policy_program_gets_the_energy(tmp_path):
    lines = tmp_path / "lines"
    policy = tmp_path / "policy.py"
    policy.write_text(f"""import json, sys
for line in sys.stdin:
    line = json.loads(line)
    if line["type"] == "decide":
        with open({str(lines)!r}, "a") as out:
            print(json.dumps(line["job"].get("point")), file=out)
        print(json.dumps({{"type": "decision", "id": line["id"], "why": "nothing"}}), flush=True)
""")
    with start("1:0.2", "--policy-command", f"{sys.executable} {policy}", "--measure-energy", "--host-power", "50", ranks=2) as job:
        job.running()
        point = wait_until("it is told", lambda: lines.exists() and [json.loads(one) for one in lines.read_text().splitlines() if one != "null"], seconds=20)[0]
        assert 0.15 < point["seconds"] < 0.4 and abs(point["joules"] - 100 * point["seconds"]) < 1e-6, point


def test_options_that_do_not_fit_are_refused():
    for options, why in [
        (("--host-power", "100", "--power-command", "cat"), "--host-power and --power-command exclude each other"),
        (("--host-power", "-1"), "--host-power"),
        (("--power-command", " "), "--power-command names no program"),
        (("--energy-delay", "11"), "--energy-delay is '11', not a number from 0 to 10"),
        (("--policy", "energy", "--power-command", "/no/such/meter"), "/no/such/meter"),
    ]:
        run = subprocess.run([DUCTILE, "run", *options, "--", "/bin/true"], capture_output=True, text=True, timeout=30, check=False)
        assert run.returncode == 2 and why in run.stderr, run
