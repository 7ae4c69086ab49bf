"""cg: on any number of ranks and over resizes, the history of residuals is that of one rank."""
import json
import os
import subprocess
import time

import pytest

BIN = os.environ["DUCTILE_BIN"]
DUCTILE = f"{BIN}/ductile"
CG = f"{BIN}/cg"
SHIPPED = f"{os.environ['CG_MATRICES']}/diffusion20.mtx"
CLOSE, UNTIL = 1e-6, 1e-8  # the relative difference that is allowed; smaller residuals are not compared


def run(words, limit=60):
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def history(path):
    """{solve: its residuals by iteration}."""
    solves = {}
    with open(path) as file:
        for line in file:
            solve, iteration, residual = line.split()
            solves.setdefault(int(solve), []).append(float(residual))
            assert len(solves[int(solve)]) == int(iteration), line
    return solves


def is_close(one, other):
    assert abs(len(one) - len(other)) <= 1, (len(one), len(other))
    both = list(zip(one, other))
    assert any(a <= UNTIL for a, _ in both)
    return all(abs(a - b) <= CLOSE * a for a, b in both if a > UNTIL)


def fixed(folder, ranks, *options):
    path = os.path.join(folder, f"of{ranks}")
    said = run([DUCTILE, "run", "--local=1", "--ranks-per-host", str(ranks), "-n", str(ranks), "--", CG, "--history", path, *options])
    return history(path)[1], said


def test_the_history_does_not_depend_on_the_number_of_ranks(tmp_path):
    one, said = fixed(tmp_path, 1, "--matrix", SHIPPED)
    assert one[-1] <= 1e-10 < one[-2] and f"solve 1: {len(one)} iterations" in said, said
    assert float(said.split("error ")[1].split(",")[0]) < 1e-7, said
    for ranks in (2, 3):
        other, _ = fixed(tmp_path, ranks, "--matrix", SHIPPED)
        assert is_close(one, other), ranks


def test_the_shipped_matrix_is_the_one_that_is_made(tmp_path):
    path = tmp_path / "again.mtx"
    run([CG, "--side", "20", "--write", str(path)])
    with open(SHIPPED) as shipped:
        assert path.read_text() == shipped.read()


def test_there_may_be_more_ranks_than_rows(tmp_path):
    path = tmp_path / "tiny.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 3\n")
    for ranks in (1, 3):
        residuals, said = fixed(tmp_path, ranks, "--matrix", str(path))
        assert len(residuals) <= 3 and residuals[-1] < 1e-10, said


@pytest.mark.parametrize("text, why", [
    ("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n3 1 1\n", "line 3: a row is '3'"),
    ("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 2 -1\n", "is the matrix positive definite?"),
])
def test_a_bad_matrix_ends_all_ranks(tmp_path, text, why):
    path = tmp_path / "bad.mtx"
    path.write_text(text)
    done = subprocess.run([DUCTILE, "run", "--local=1", "--ranks-per-host=2", "-n", "2", "--", CG, "--matrix", str(path)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.count(why) == 1, done


def status(job):
    return json.loads(run([DUCTILE, "status", job, "--json"]))


def wait_until_another_solve(path):
    """Waits until the job has begun another solve."""
    def now():
        return max(history(path), default=0) if os.path.exists(path) else 0
    begin, until = now(), time.monotonic() + 30
    while now() <= begin:
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("options", [(), ("--method", "baseline"), ("--join", "background"), ("--memory", "tight", "--rank-order", "interleave")],
                         ids=lambda options: "-".join(options).replace("--", "") or "merge")
def test_the_history_does_not_depend_on_resizes(tmp_path, options):
    path, until, job = tmp_path / "history", tmp_path / "until", tmp_path / "job"
    grid = ("--side", "20")
    one, _ = fixed(tmp_path, 1, *grid)
    began = subprocess.Popen([DUCTILE, "run", "--local=4", "--ranks-per-host=2", "-n", "2", "--id-file", str(job), *options, "--", CG, *grid,
                              "--solves", "1000000", "--until", str(until), "--history", str(path)],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until_another_solve(path)
        name = job.read_text().strip()
        park = () if "baseline" in options else ("--shrink", "park")
        for size, *how in ((5,), (3, *park), (4,), (8,), (1,), (4,)):
            run([DUCTILE, "resize", name, str(size), "--wait", *how])
            assert status(name)["ranks"] == size
            wait_until_another_solve(path)
        until.touch()
        out, err = began.communicate(timeout=60)
        assert began.returncode == 0, (out, err)
    finally:
        if began.poll() is None:
            began.kill()
            began.wait(10)
    solves = history(path)
    assert len(solves) > 6 and sorted(solves) == list(range(1, len(solves) + 1))
    assert all(is_close(one, residuals) for residuals in solves.values())
    assert out.splitlines()[-1].endswith("4 ranks"), out
