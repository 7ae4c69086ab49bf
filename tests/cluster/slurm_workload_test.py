"""`ductile workload` on a real Slurm."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from slurm_job_test import AT_ONCE, DUCTILE, jobs
from slurm_test import on_head, packages, up  # noqa: F401 - a fixture
from virtual_cluster import wait_until

# Three jobs of some seconds each. The first one is alone at first. So it is resized if it is malleable.
STUDY = """
seed = 1
jobs = 3
mean_interarrival_s = 1
hosts = 4
repetitions = 1
policy_every_s = 0.5
inhibitor_points = 1

[[classes]]
name = "only"
likelihood = 1.0
min_hosts = 1
iterations = 30
iteration_s = {1 = 0.3, 2 = 0.15, 3 = 0.1, 4 = 0.1}
data_mib = 1
"""


def run(cluster, folder, *options):
    return cluster.start("exec", "head", "--", DUCTILE, "workload", "run", f"{folder}/study.toml", "-d", f"{folder}/results", *options)


def records(folder, name):
    return json.loads(pathlib.Path(folder, "results", name, "records.json").read_text(encoding="utf-8"))["jobs"]


def test_a_study_goes_on_where_it_was_interrupted(cluster):
    up(cluster, 4, *AT_ONCE)
    folder = tempfile.mkdtemp(prefix="dsw-")
    cluster.cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
    pathlib.Path(folder, "study.toml").write_text(STUDY, encoding="utf-8")
    first = run(cluster, folder, "--only", "static")
    assert wait_until(lambda: jobs(cluster, "running"), 30)
    on_head(cluster, "kill", "-INT", next(p["pid"] for p in cluster.processes("head") if p["name"] == "ductile"))
    said = first.communicate(timeout=30)
    assert first.returncode == 130 and "interrupted" in said[1], (first.returncode, said)
    assert wait_until(lambda: not jobs(cluster), 20), jobs(cluster)
    assert not os.path.exists(f"{folder}/results/static-1/records.json")

    both = run(cluster, folder, "--only", "static,merge")
    said = both.communicate(timeout=120)
    assert both.returncode == 0, said
    assert not jobs(cluster), "nothing is left in the queue"
    for name in ("static-1", "merge-1"):
        assert [job["number"] for job in records(folder, name)] == [1, 2, 3] and all(job["succeeded"] for job in records(folder, name))
    assert all(job["hosts"][0][1] == 3 and not job["resizes"] for job in records(folder, "static-1"))
    resized = [job for job in records(folder, "merge-1") if job["resizes"]]
    # Slurm records whole seconds. A job may have grown in the second of its start.
    assert resized and all(job["resizes"][0]["old_hosts"] == 1 for job in resized)
    assert any(hosts > 1 for job in resized for _, hosts in job["hosts"]), "its sidecars count"

    again = run(cluster, folder, "--only", "static,merge")
    said = again.communicate(timeout=30)
    assert again.returncode == 0 and said[1].count("are there already") == 2, said
    # The results need no Slurm.
    subprocess.run([DUCTILE, "workload", "report", f"{folder}/results", "--csv", f"{folder}/rows.csv"], check=True, timeout=30)
    with open(f"{folder}/rows.csv", encoding="utf-8", newline="") as file:
        assert [row["configuration"] for row in csv.DictReader(file)] == ["static"] * 3 + ["merge"] * 3
    pathlib.Path(folder, "study.toml").write_text(STUDY.replace("seed = 1", "seed = 2"), encoding="utf-8")
    other = run(cluster, folder)
    said = other.communicate(timeout=30)
    assert other.returncode == 2 and "another study" in said[1], said


def test_the_times_of_an_iteration_are_measured(cluster):
    """`measure` prints the times of a program whose times are known. The study file has other times, so they cannot come from there. The
    program has the environment of the command."""
    up(cluster, 3, *AT_ONCE)
    folder = tempfile.mkdtemp(prefix="dsw-")
    cluster.cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
    paced = pathlib.Path(DUCTILE).with_name("paced")
    program = ["sh", "-c", f"test $OF_THE_STUDY = seen && exec {paced} --iterations 40 --curve 1:0.2,2:0.1"]
    study = STUDY.replace("1 = 0.3, 2 = 0.15, 3 = 0.1, 4 = 0.1", "1 = 5.0, 2 = 5.0").replace("hosts = 4", "hosts = 3")
    pathlib.Path(folder, "study.toml").write_text(f"{study}command = {json.dumps(program)}\n", encoding="utf-8")
    words = ("workload", "measure", f"{folder}/study.toml", "-d", f"{folder}/results")
    said = cluster.run("exec", "head", "--", "env", "OF_THE_STUDY=seen", "SBATCH_PARTITION=none", DUCTILE, *words, timeout=60)
    assert said.returncode == 0, said
    measured = dict(re.findall(r"(\d+) = ([0-9.]+)", said.stdout.partition("iteration_s")[2]))
    assert set(measured) == {"1", "2"}, said.stdout
    assert 0.19 <= float(measured["1"]) <= 0.25 and 0.09 <= float(measured["2"]) <= 0.15, said.stdout
