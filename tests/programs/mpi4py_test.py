"""Some files of mpi4py's own tests: point-to-point, collectives, communicators, spawn, ports and names.

Runs them on four ranks under the MPI's mpiexec and under `ductile run`; the same tests must pass."""
import collections
import os
import subprocess
import tempfile
import time

import pytest

RANKS = 4
PREFIX = os.environ["MPI4PY_PREFIX"]
MPI_LIBRARIES = os.environ["MPI_LIBRARIES"]
RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpi4py_rank.py")
WITHIN_S = 110
LAUNCHERS = {
    "mpiexec": [os.environ["MPIEXEC"], "-rmk", "user", "-n", str(RANKS)],
    "ductile run": [os.environ["DUCTILE_PROGRAM"], "run", "-n", str(RANKS), f"--local={RANKS}", "--ranks-per-host=1", "--"],
}
ENVIRONMENT = {"MPICH_CH4_NETMOD": "ofi", "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", "DUCTILE_SHARED_CORES": "yes"}


def outcomes_of(folder):
    """{(rank, test): "passed", "skipped" or "failed"}"""
    outcomes = {}
    for rank in os.listdir(folder):
        with open(os.path.join(folder, rank)) as lines:
            for outcome, test in map(str.split, lines):
                outcomes[int(rank), test] = "failed" if outcomes.get((int(rank), test)) == "failed" else outcome
    return outcomes


def run(launcher, module):
    with tempfile.TemporaryDirectory(prefix="ductile-mpi4py-") as folder:
        environment = {**os.environ, **ENVIRONMENT}
        environment["LD_LIBRARY_PATH"] = ":".join(filter(None, [MPI_LIBRARIES, os.environ.get("LD_LIBRARY_PATH")]))
        command = [*LAUNCHERS[launcher], f"{PREFIX}/bin/python", RANK, f"{PREFIX}/test", module, folder]
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=environment, start_new_session=True)
            try:
                code = process.wait(WITHIN_S)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait(20)
                code = f"no end within {WITHIN_S} s"
            said.seek(0)
            text = said.read()
        outcomes = outcomes_of(folder)
    counts = collections.Counter(outcomes.values())
    print(f"{launcher}: code {code}, {time.monotonic() - begin:.1f} s,", ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())), flush=True)
    if code != 0:
        print(text[-8000:], flush=True)
    return code, outcomes


@pytest.mark.each
@pytest.mark.parametrize("module", ("p2p_buf", "p2p_buf_matched", "p2p_obj", "p2p_obj_matched", "cco_buf", "cco_buf_inter", "cco_nb_buf", "cco_nb_vec", "cco_ngh_obj", "cco_obj",
                                    "cco_obj_inter", "cco_vec", "cco_vec_inter", "comm", "comm_inter", "dynproc", "spawn"))
def test_mpi4py(module):
    code, expected = run("mpiexec", f"test_{module}")
    assert code == 0 and "passed" in expected.values(), "the tests do not pass under mpiexec"
    code, found = run("ductile run", f"test_{module}")
    for key in sorted(expected.keys() | found.keys()):
        if expected.get(key) != found.get(key):
            print(f"rank {key[0]}, {key[1]}: {expected.get(key)} under mpiexec, {found.get(key)} under ductile run")
    assert code == 0 and found == expected, "the tests do not pass under `ductile run` as under mpiexec"
