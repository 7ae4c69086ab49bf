"""What each MPI can do under Ductile: one case for each ability, for the MPI that DUCTILE_MPI names.

As a program it makes the table of docs/mpi.md: matrix_test.py --table FILE [NAME=PREFIX[=BUILD]]...
BUILD: the build directory of a Ductile that was built for this MPI, if the MPI needs a build of its own. The program needs the environment of
build/tests/system.env, and build/checks/bin/python, as the cases do.
"""
import os
import signal
import subprocess
import sys
import time

import pytest
from ductile_job import DUCTILE, LONG, STEADY, Job, wait_until
from steady_job import GROUPS, Steady, ids, last, only_new_groups_may_run

pytestmark = pytest.mark.matrix
EXECUTORS = ("alltoallv", "rma-lock", "rma-lockall")
RULES = ("blocks", "cyclic", "weights", "slots", "hosts", "ranges", "columns", "grid")
ALL_EXECUTORS = ("p2p", "alltoallv", "rma-lock", "rma-lockall")
INSIDE_MPI = ("hypercube", "diffusive", "collective", "single")



def grows(job, *sizes, options=()):
    for size in sizes:
        done = job.resize(size, *options)
        if done.returncode == 3:  # what an MPI cannot do is refused with the reason
            job.tell_to_end()
            pytest.skip(f"refused: {done.stderr.strip()}")
        assert done.returncode == 0 and job.status()["ranks"] == size, (size, done, job.stderr())


class OfMpi(Steady):
    """A job with this --start, or with the default start of the MPI. Skips the case if Ductile refuses the start for this MPI."""

    def __init__(self, *options, start=None, **others):
        super().__init__(*options, start=start or "standard", **others)

    def __enter__(self):
        try:
            return super().__enter__()
        except AssertionError:
            if self.process.poll() != 2:
                raise
            assert "is refused: " in self.stderr(), self.stderr()
            pytest.skip(f"refused: {self.stderr().strip()}")


def test_merge_launch():
    """`launch`, in the background and blocking: grow, shrink, grow"""
    for overlap in ("background", "blocking"):
        with OfMpi("--overlap", overlap, start="launch") as job:
            grows(job, 4, 1, 3, 2)
            wait_until("left groups are gone", lambda: not job.group(1), 10)
            job.ends_well()


def test_groups_of_several_ranks():
    """Several ranks a host, and more than cores: 3 to 6 ranks, 4 to 6, 4 to 7, 4 to 8 and 2 to 8, and back"""
    for ranks, size in (3, 6), (4, 6), (4, 8), (4, 7), (2, 8):
        with OfMpi(ranks=ranks, per_host=ranks) as job:
            grows(job, size)
            for pid in (pid for group in ids(job) for pid in job.ranks(group).values()):
                assert os.sched_getaffinity(pid) == os.sched_getaffinity(0), "an MPI does not know which cores other groups have"
            grows(job, ranks)
            job.ends_well()


def test_baseline():
    """`baseline`, two ranks a host, and renewal"""
    with OfMpi("--method", "baseline", ranks=2, per_host=2) as job:
        grows(job, 4, 3, 1)
        assert job.ask("renew", job.id, "--wait", seconds=60).returncode == 0
        only_new_groups_may_run(job)
        job.ends_well()


def test_parking():
    """Ranks park and come back"""
    with OfMpi(ranks=4, per_host=4) as job:
        before = job.ranks(0)
        grows(job, 1, options=("--shrink", "park"))
        grows(job, 3)
        grows(job, 2, options=("--shrink", "park"))
        grows(job, 4)
        assert job.ranks(0) == before
        job.ends_well()


def test_process_groups():
    """[Process groups](process-groups.md), made again after each resize"""
    with OfMpi(ranks=2, per_host=2, environment=GROUPS) as job:
        grows(job, 5, 3, 1, 4, 2)
        job.ends_well()


def test_begins_on_several_hosts():
    """A job begins on several hosts, grows, and leaves some of them"""
    with OfMpi(ranks=3) as job:
        grows(job, 4, 3, 2, 4)
        job.ends_well()


@pytest.mark.slow
@pytest.mark.time_limit(900)
@pytest.mark.parametrize("executor", ALL_EXECUTORS)
@pytest.mark.parametrize("rule", RULES)
def test_rules_by_every_executor(rule, executor):
    """Each rule, moved by each executor, by merge and by baseline; the program looks at every element, and --verify at what moves"""
    with OfMpi("--redistribution", executor, "--verify", "--progress-within", "20", ranks=2, per_host=2,
               environment={"STEADY_ITEMS": str(7 * 4001), "STEADY_RULE": rule}) as job:
        grows(job, 4, 3)
        grows(job, 2, options=("--method", "baseline"))
        grows(job, 5)
        job.ends_well()


def test_newcomer_dies():
    """A newcomer dies while it is joined: rolled back, and the job goes on and ends well"""
    with Job([STEADY, LONG, 20000], options=("--progress-within", "2"), environment={"STEADY_DIE_AT": "merge", "STEADY_LAST_NEWCOMER": "1"}) as job:
        job.running()
        assert job.resize(3).returncode == 4, job.stderr()
        assert job.status()["ranks"] == 1
        job.ends_well(90)


def test_member_dies():
    """A member dies: the job is ended everywhere, with the rank's code"""
    with OfMpi() as job:
        grows(job, 3)
        os.kill(job.rank(ids(job)[-1]), signal.SIGKILL)
        assert job.end(20) == 128 + signal.SIGKILL, job.stderr()
        job.nothing_left()


@pytest.mark.each
@pytest.mark.parametrize("start", INSIDE_MPI)
def test_start(start):
    """`{start}` over several hosts"""
    with OfMpi(start=start) as job:
        grows(job, 3, 1, 4)
        assert last(job)["start"] == start, last(job)
        job.ends_well()


@pytest.mark.each
@pytest.mark.parametrize("executor", EXECUTORS, ids=("alltoallv", "rma_lock", "rma_lockall"))
def test_executor(executor):
    """Data move by `{executor}`: growing, shrinking, parking and coming back, two ranks a host"""
    with OfMpi("--redistribution", executor, ranks=2, per_host=2) as job:
        grows(job, 5, 3)
        grows(job, 1, options=("--shrink", "park"))
        grows(job, 3, 8, 2)
        assert last(job)["redistribution"] == executor, last(job)
        job.ends_well()


def test_single_in_several_worlds():
    """`single` in a job that has grown before: a second growth, and `baseline`"""
    with OfMpi("--progress-within", "10", start="single", ranks=2, per_host=2) as job:
        grows(job, 4)
        second = job.resize(6)
        other_start = ()
        if second.returncode == 3:
            assert "another world: use --start collective" in second.stderr, second
            other_start = ("--start", "collective")
            grows(job, 6, options=other_start)
        assert job.status()["ranks"] == 6, (second, job.stderr())
        grows(job, 3)
        grows(job, 2, options=("--method", "baseline", *other_start))
        grows(job, 5)  # from one world
        assert last(job)["start"] == "single", last(job)
        job.ends_well()
    if other_start:
        pytest.skip(f"refused: {second.stderr.strip()}")


def test_runs_or_is_refused():
    """An MPI under which Ductile cannot run is refused at once, with the reason and its prefix."""
    prefix = os.environ.get("DUCTILE_MPI", "")
    if prefix and (why := refused(prefix)):
        assert prefix in why or "cannot run on this MPI" in why, why
        return
    with Job([STEADY, 10, 1000]) as job:
        assert job.end() == 0, job.stderr()


@pytest.fixture(autouse=True)
def runs(request):
    """Skips all other cases if Ductile does not run on this MPI: test_runs_or_is_refused covers this."""
    if os.environ.get("DUCTILE_MPI") and request.function is not test_runs_or_is_refused and (why := refused(os.environ["DUCTILE_MPI"])):
        pytest.skip(f"refused: {why}")


def rows():
    """The rows of the table, {name of the case for pytest: text of the row}, in the order of this file. The texts are the cases' docstrings."""
    found = {}
    for name, case in globals().items():
        if name == "test_start":
            found.update({f"{name}[{start}]": case.__doc__.format(start=start) for start in INSIDE_MPI})
        elif name == "test_executor":
            found.update({f"{name}[{executor.replace('-', '_')}]": case.__doc__.format(executor=executor) for executor in EXECUTORS})
        elif name.startswith("test_") and case not in (test_runs_or_is_refused, test_rules_by_every_executor):  # which takes minutes
            found[name] = case.__doc__
    return found


def refused(prefix, ductile=DUCTILE):
    """Why Ductile does not run on this MPI; empty when it does."""
    ran = subprocess.run([ductile, "run", "--mpi", prefix, "--", "/bin/true"], capture_output=True, text=True, timeout=60)
    return ran.stderr.strip().removeprefix("ductile: ") if ran.returncode == 2 else ""


def outcome(case, prefix, runs, build=None):
    """A cell of the table: how many of these runs of a case went well."""
    chosen = {"DUCTILE_PROGRAM": f"{build}/bin/ductile", "STEADY_PROGRAM": f"{build}/tests/steady"} if build else {"DUCTILE_MPI": prefix}
    good = 0
    for _ in range(runs):
        begin = time.monotonic()
        try:
            ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", f"{__file__}::{case}"], capture_output=True, text=True, timeout=120, env=dict(os.environ, **chosen))
        except subprocess.TimeoutExpired:
            print(f"{prefix} {case}: not within 120 s", flush=True)
            continue
        said = ran.stdout.strip().splitlines()[-2:]
        print(f"{prefix} {case}: {ran.returncode} {' '.join(said)[:300]} ({time.monotonic() - begin:.0f} s)", flush=True)
        if ran.returncode == 77:
            return "refused"
        good += ran.returncode == 0
    return "yes" if good == runs else f"{good} of {runs} runs"


def table(named, runs):
    """The table in Markdown: a row for each case, a column for each MPI."""
    columns, notes = {}, []
    for name, prefix, *build in named:
        why = "" if build else refused(prefix)
        if why:
            columns[name] = dict.fromkeys(rows(), "-")
            notes.append(f"- {name}: refused: {why.replace(prefix, 'PREFIX')}")
            continue
        columns[name] = {case: outcome(case, prefix, runs, *build) for case in rows()}
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for case, words in rows().items():
        lines.append(f"| {words} | " + " | ".join(columns[name][case] for name in columns) + " |")
    return "\n".join(lines + [""] + notes) + "\n"


def write_table(file, named, runs=3):
    """Writes the table between the two marks in the file."""
    begin, end = "<!-- made by tests/system/matrix_test.py -->\n", "<!-- end -->"
    with open(file) as f:
        text = f.read()
    made = table(named, runs)
    with open(file, "w") as f:
        f.write(text[:text.index(begin) + len(begin)] + made + text[text.index(end):])


if __name__ == "__main__":
    if sys.argv[1:2] != ["--table"]:
        sys.exit(__doc__)
    write_table(sys.argv[2], [word.split("=", 2) for word in sys.argv[3:]])
