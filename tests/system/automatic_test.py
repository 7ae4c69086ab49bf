"""The automatic choice of method, start and overlap: by measured costs, or by rule if nothing was measured."""
import json
import os
import subprocess

from ductile_job import DUCTILE, LONG, STEADY, Job
from steady_job import Steady, last



def term(constant=0.0, per_rank=0.0, per_level=0.0):
    return {"constant": constant, "per_rank": per_rank, "per_level": per_level}


def ductile(*words, config=None, seconds=120):
    environment = dict(os.environ, **({"XDG_CONFIG_HOME": config} if config else {}))
    return subprocess.run([DUCTILE, *words], capture_output=True, text=True, timeout=seconds, env=environment)


def this_mpi(folder):
    """The name of the MPI in the file of costs."""
    with Steady(start="launch") as job:
        name = job.status()["mpi"]
        job.ends_well()
    return name


def move(executor, constant, per_mebibyte=0.0):
    return {"executor": executor, "constant": constant, "per_rank": 0.0, "per_mebibyte": per_mebibyte}


def costs_file(folder, cheapest, moves=()):
    starts = [{"start": start, "overlap": overlap, "spawn": term(constant=0.01 if (start, overlap) == cheapest else 0.5), "connect": term(),
               "omega": 1.0 if overlap == "blocking" else 4.0, "samples": 3}
              for start in ("collective", "single", "hypercube", "diffusive", "launch") for overlap in ("blocking", "background")]
    path = f"{folder}/costs.json"
    with open(path, "w") as file:
        json.dump({"mpi": this_mpi(folder), "starts": starts, "merge": term(constant=0.001), "split": term(constant=0.001), "moves": list(moves)},
                  file)
    return path


def test_chooses_what_costs_least(tmp_path):
    path = costs_file(tmp_path, ("diffusive", "blocking"))
    with Steady("--method", "auto", "--costs", path, start="auto") as job:
        done = job.resize(3)
        assert done.returncode == 0 and "(merge diffusive blocking)" in done.stdout, done
        record = last(job)
        assert (record["method"], record["start"], record["overlap"]) == ("merge", "diffusive", "blocking"), record
        assert 0.01 < record["expected_total_s"] < 0.1, record
        planned = job.resize(4, "--dry-run", wait=False)
        assert "chosen: merge" in planned.stdout and "lost ms" in planned.stdout, planned
        # The resize took longer than the file says, so a longer time is expected for the next one.
        job.resize(1)
        job.resize(3)
        assert last(job)["expected_total_s"] > 1.2 * record["expected_total_s"], (record, last(job))
        assert job.resize(1).returncode == 0 and last(job)["kind"] == "shrink", last(job)
        job.ends_well()


def test_chooses_how_data_move(tmp_path):
    path = costs_file(tmp_path, ("launch", "background"), moves=[move("p2p", 0.2), move("rma-lock", 0.1)])
    with Steady("--redistribution", "auto", "--costs", path, start="launch") as job:
        for size in (3, 1):
            assert job.resize(size).returncode == 0
            assert last(job)["redistribution"] == "rma-lock", last(job)
        assert job.resize(2, "--redistribution", "alltoallv").returncode == 0
        assert last(job)["redistribution"] == "alltoallv", last(job)
        job.ends_well()


def test_rule_of_last_resort(tmp_path):
    with Steady("--method", "auto", start="launch", environment={"XDG_CONFIG_HOME": str(tmp_path)}) as job:
        done = job.resize(3)
        assert done.returncode == 0 and "(merge launch background)" in done.stdout, done
        assert "expected_total_s" not in last(job)
        assert last(job)["redistribution"] == "alltoallv", last(job)
        job.ends_well()


def test_bad_costs_are_named(tmp_path):
    path = f"{tmp_path}/costs.json"
    with open(path, "w") as file:
        file.write('{"mpi": "LAM 7"}')
    refused = ductile("run", "--method", "auto", "--costs", path, "--", STEADY)
    assert refused.returncode == 2 and path in refused.stderr and "LAM 7" in refused.stderr, refused
    refused = ductile("plan", "--explain", "--from", "1x1", "--to", "2x1", "--costs", f"{tmp_path}/nothing")
    assert refused.returncode == 2 and "nothing" in refused.stderr, refused


def test_calibrates(tmp_path):
    """A short calibration writes a file that `plan --explain` and `run --method auto` use."""
    measured = ductile("calibrate", "--local", "2", "--rounds", "1", config=str(tmp_path))
    assert measured.returncode == 0, measured
    path = f"{tmp_path}/ductile/costs.json"
    with open(path) as file:
        costs = json.load(file)
    assert len(costs["starts"]) == 10 and all(start["samples"] >= 1 for start in costs["starts"]), costs
    assert [cost["executor"] for cost in costs["moves"]] == ["p2p", "alltoallv", "rma-lock", "rma-lockall"], costs
    assert path in measured.stdout and "launch" in measured.stdout, measured
    explained = ductile("plan", "--explain", "--from", "1x1", "--to", "2x1", "--json", config=str(tmp_path))
    assert explained.returncode == 0, explained
    plan = json.loads(explained.stdout)
    chosen = plan["alternatives"][plan["chosen"]]
    assert chosen["cost"]["lost_s"] <= 1.03 * min(a["cost"]["lost_s"] for a in plan["alternatives"] if "cost" in a), plan
    with Job([STEADY, LONG, 10000], options=("--method", "auto"), environment={"XDG_CONFIG_HOME": str(tmp_path)}) as job:
        job.running()
        assert job.resize(2).returncode == 0
        assert last(job)["start"] == chosen["start"] and last(job)["overlap"] == chosen["overlap"], (last(job), chosen)
        job.tell_to_end()
        assert job.end() == 0, job.stderr()
        job.nothing_left()
    unwritable = ductile("calibrate", "--local", "1")
    assert unwritable.returncode == 2, unwritable
