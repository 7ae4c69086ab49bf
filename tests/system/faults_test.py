"""What becomes of a job on a virtual cluster if a process or a host fails: of a newcomer, member, leaver or the broker, at each time in a
resize, with each start.

Run as a program, this file makes the tables of docs/reports/faults.md (over 1000 cells; an hour with three at a time):
faults_test.py --table FILE --seen FILE [--at-a-time N] [--part merge|baseline|joined|tight]: cells that the file
of --seen holds from an earlier run are not run again. It needs the environment of build/tests/system.env, and build/checks/bin/python, as the cases do.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import queue
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import pytest
from ductile_job import possible, wait_until
from host_job import Cluster, HostJob, cluster

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.time_limit(300)]


STARTS = ("launch", "collective", "single", "hypercube", "diffusive")
OVERLAPS = ("background", "blocking")
# The time of the fault: the phases of the broker at this time, microseconds a step, the environment of the program.
WHEN = {
    "while they start": (("starting",), 20000, "STEADY_LATE_US=30000000"),
    "between two barriers": (("starting",), 20000, "STEADY_HOLD_AT=barriers"),
    "before the gate": (("starting",), 20000, "STEADY_HOLD_AT=gate"),
    "after the answer": (("starting",), 20000, "STEADY_HOLD_AT=answered"),
    "before the point": (("asking", "waiting"), 5000000, None),
    "in the join": (("joining",), 20000, "STEADY_HANG_AT=merge"),
    "while data move": (("joining",), 20000, "STEADY_HANG_AT=redistribute"),
    "in the switch": (("switching",), 20000, "STEADY_HANG_AT=merge"),
    "after the commit": (("switching",), 20000, "STEADY_HANG_AT=redistribute"),
    "afterwards": ((), 20000, None),
    "after it has left": ((), 20000, "STEADY_LEAVE_HANG=1"),
}
HOSTS = ("node01", "node02", "node03", "node04")
BROKER_HOST = "node05"
SILENCE, ORPHANED = 5, 8  # seconds, longer than --heartbeat-limit and --orphan-limit
# At these times all newcomers have stopped for good in MPI_Init.
IN_MPI_INIT = ("between two barriers", "before the gate", "after the answer")
# These cells have --join background, and a program with a frozen array.
JOINED = ("in the join", "while data move")
# These cells have --memory tight: the data moves after the commit.
TIGHT = ("after the commit",)
PARTS = ("merge", "baseline", "joined", "tight")
# What fails: its host, and the times at which it exists.
WHO = {
    "newcomer": ("node03", ("while they start", *IN_MPI_INIT, *JOINED, "before the point", "in the switch", *TIGHT)),
    "member": ("node02", ("while they start", *IN_MPI_INIT, *JOINED, "before the point", "in the switch", *TIGHT, "afterwards")),
    "leaver": ("node03", ("before the point", "after it has left")),
    "broker": (BROKER_HOST, ("while they start", *IN_MPI_INIT, *JOINED, "before the point", "in the switch", "afterwards")),
}
PROCESSES = {"rank": "/steady", "agent": "/libexec/ductile/agent"}
LOSSES = {"kill": "killed", "freeze": "frozen", "cut": "cut off"}


class Cell(NamedTuple):
    method: str
    who: str
    how: str
    when: str
    start: str
    overlap: str

    @property
    def host(self):
        return WHO[self.who][0]

    @property
    def part(self):
        return "joined" if self.when in JOINED else "tight" if self.when in TIGHT else self.method

    @property
    def inside_mpi(self):
        return self.start != "launch"

    @property
    def newcomers_come_later(self):
        """Whether newcomers start first on the hosts of the old ranks. Those start the newcomers on the other hosts, one step later."""
        return self.method == "baseline" and self.start in ("hypercube", "diffusive")

    @property
    def is_member(self):
        """A leaver is a member until it has left. A newcomer is a member from the commit on."""
        return self.who == "member" or (self.who, self.when) in (("leaver", "before the point"), ("newcomer", "after the commit"))

    @property
    def is_borne(self):
        """Whether the job goes on without rolling back a resize."""
        return self.when == "after it has left" or self.who == "broker"


def makes_sense(cell):
    """A blocking resize starts nothing before the point. If a resize starts nothing, the overlap makes no difference."""
    if cell.who == "broker" and cell.how in PROCESSES and cell.how != "rank":
        return False  # the broker is one process, called `rank` here
    if cell.method == "baseline" and (cell.overlap != "background" or cell.who == "leaver" or cell.how not in ("rank", *LOSSES)):
        return False
    if cell.when not in WHO[cell.who][1]:
        return False
    if cell.when in (*JOINED, *TIGHT):
        return cell.method == "merge" and cell.overlap == "background"
    if cell.newcomers_come_later and cell.who == "newcomer" and cell.when == "while they start":
        return False
    if cell.when in IN_MPI_INIT:  # one overlap is enough: it makes no difference inside MPI_Init
        # The groups of hypercube and diffusive have one rank here, and so no barriers. Launched ranks have no gate.
        able = cell.start in ("launch", "collective", "single") if cell.when == "between two barriers" else cell.inside_mpi
        return able and cell.method == "merge" and cell.overlap == "background"
    if cell.who == "leaver" or cell.when == "afterwards":
        return cell.overlap == "background"
    return cell.when != "before the point" or cell.overlap == "background" or cell.who != "newcomer"


def expected(cell):
    """The outcomes that are right, in the words of docs/reports/faults.md."""
    if cell.is_member:
        return ("ended",)
    if cell.who == "broker":
        return ("ended",) if cell.how in ("kill", "cut") else ("goes on",)
    return ("goes on" if cell.who == "leaver" else "rolled back",)


class Resize:
    """A job that is stopped at a chosen time of a resize: from two ranks to four or, with a leaver, from three to two. One rank a host."""

    def __init__(self, job, cell):
        self.job = job
        self.cell = cell
        phases = WHEN[cell.when][0]
        self.before, after = (3, 2) if cell.who == "leaver" else (2, 4) if cell.when != "afterwards" else (4, None)
        if self.before > 2:
            growth = job.start_resize(self.before)
            text, _ = growth.communicate(timeout=40)
            assert growth.returncode == 0, (text, job.text())
            # After a baseline, old ranks may not have ended yet.
            wait_until("one rank a host", lambda: all(len(self.pids(host, "rank")) == 1 for host in HOSTS[:self.before]), 30, 0.05)
        self.asked = job.start_resize(after) if after else None
        if phases:
            wait_until(phases, lambda: (job.status() or {}).get("pending", {}).get("phase") in phases, 30, 0.02)
        if cell.when == "while they start" or cell.when in IN_MPI_INIT:
            hosts, ranks = (HOSTS[:2], 2) if cell.newcomers_come_later else (HOSTS[2:], 1)
            wait_until("newcomers are there", lambda: all(len(self.pids(host, "rank")) == ranks for host in hosts), 30, 0.05)
        if cell.when in IN_MPI_INIT:
            wait_until("newcomers have stopped", lambda: job.text().count("held at") == len(hosts), 30, 0.05)
        if cell.when in TIGHT:
            wait_until("newcomers wait for data", lambda: job.text().count("hangs at the redistribute") == 2, 30, 0.05)
        if cell.when == "after it has left":
            wait_until("the others go on", lambda: job.status()["ranks"] == 2, 30, 0.02)

    def pids(self, host, what):
        """The pids, the oldest first: an old rank comes before a new one."""
        shown = json.loads(cluster("ps", host, "--json").stdout)["processes"]
        return sorted(p["pid"] for p in shown if p["command"] and p["command"][0].endswith(PROCESSES[what]))

    def hurt(self):
        if self.cell.how in LOSSES:
            cluster(self.cell.how, self.cell.host)
        elif self.cell.who == "broker":
            self.job.broker_is_killed()
        else:
            cluster("exec", self.cell.host, "--", "kill", "-9", str(self.pids(self.cell.host, self.cell.how)[0]))


def ends_within(process, seconds):
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def nothing_is_left(resize, seconds):
    lost = resize.cell.host if resize.cell.how in LOSSES else None
    for host in HOSTS:
        if host != lost:
            wait_until(f"nothing is left on {host}", lambda host=host: not resize.job.processes(host), seconds, 0.3)


def runs(resize):
    return all(resize.pids(host, "rank") for host in HOSTS[:2])


def without_its_broker(resize, folder):
    """(word, None) for a job whose broker is lost. The output of the ranks is in files."""
    time.sleep(1)  # nothing ends the ranks immediately
    assert runs(resize)
    time.sleep(ORPHANED - 1)  # the orphan limit passes
    went_on = resize.cell.how == "rank" and runs(resize)  # if the host of the broker is lost, the ranks must end by themselves
    if went_on:
        resize.job.tell_to_end()
    nothing_is_left(resize, 25)
    said = "".join(open(file).read() for file in glob.glob(f"{folder}/ductile-*.out"))
    assert went_on == ("bad 0" in said), (went_on, said)
    for process in (resize.asked, resize.job.process):
        if process and process.poll() is None:
            process.kill()
            process.wait(10)
    return ("goes on" if went_on else "ended"), None


def outcome(resize, folder):
    """(word, exit code of the job). The word is what happened, not what Ductile says: the program checks its own data."""
    job, cell = resize.job, resize.cell
    if cell.who == "broker" and cell.how != "freeze":
        return without_its_broker(resize, folder)
    if cell.who == "broker":
        time.sleep(SILENCE)  # nothing ends them meanwhile
        assert runs(resize)
        cluster("thaw", cell.host)
        if cell.when == "while they start" or cell.when in (*IN_MPI_INIT, *JOINED):  # the resize would take long
            job.ask("cancel", job.id)
    answer = None
    text = ""
    if resize.asked:
        text, _ = resize.asked.communicate(timeout=60)
        answer = resize.asked.returncode
    if answer == 4:
        went_on, size = job.process.poll() is None, resize.before
    else:
        went_on, size = cell.is_borne and not ends_within(job.process, 6), 2 if cell.who == "leaver" else 4
    if went_on:
        assert job.status()["ranks"] == size, (size, answer, text, job.text())
        job.tell_to_end()
        code = job.process.wait(60)
        assert f"end {size} bad 0" in job.text() and (code == 0 or cell.who == "leaver"), (code, job.text())
        nothing_is_left(resize, 15)
        return "rolled back" if answer == 4 and cell.who == "newcomer" else "goes on", code
    ended = job.process.wait(40)
    said = [line for line in job.text().splitlines() if line.startswith("ductile: ") and "ended" in line]
    assert ended != 0 and len(said) == 1, (text, job.text())
    nothing_is_left(resize, 15)
    return "ended", ended


def fault(cell):
    pause, environment = WHEN[cell.when][1:]
    more = ("--env", environment) if environment else ()
    if cell.part == "joined":
        more += ("--join", "background", "--env", "STEADY_FROZEN=1")
    if cell.part == "tight":
        more += ("--memory", "tight")
    with tempfile.TemporaryDirectory() as folder, Cluster(5 if cell.who == "broker" else 4):
        with open(f"{folder}/hosts", "w") as file:
            file.write("".join(host + "\n" for host in HOSTS))
        with HostJob(100000, pause, "-n", "2", "--method", cell.method, "--start", cell.start, "--overlap", cell.overlap, "--heartbeat-limit", "3",
                     "--orphan-limit", "6", "--progress-within", "20", "--leave-within", "10", *more,
                     hosts=f"{folder}/hosts", broker_host=BROKER_HOST if cell.who == "broker" else "head", folder=folder) as job:
            resize = Resize(job, cell)
            resize.hurt()
            try:
                return outcome(resize, folder)
            finally:
                print(job.text(), file=sys.stderr)


def cells():
    for method in ("merge", "baseline"):
        for who in WHO:
            for how in (*PROCESSES, *LOSSES):
                for when in WHO[who][1]:
                    for start in STARTS:
                        for overlap in OVERLAPS:
                            cell = Cell(method, who, how, when, start, overlap)
                            if makes_sense(cell):
                                yield cell


def grouped(rows):
    """[(names, value)]: names of equal value together, in the order in which the values first come."""
    groups = []
    for name, value in rows:
        for names, known in groups:
            if known == value:
                names.append(name)
                break
        else:
            groups.append(([name], value))
    return groups


def what_happened(who, hows):
    processes = ", ".join("process" if who == "broker" else how for how in hows if how in PROCESSES)
    losses = ", ".join(LOSSES[how] for how in hows if how in LOSSES)
    return "; ".join([processes + " killed"] * bool(processes) + ["host " + losses] * bool(losses))


def as_table(seen, part):
    """A table of the outcomes with each start. Cases with equal outcomes share a row."""
    seen = {cell: result for cell, result in seen.items() if cell.part == part}
    method = "baseline" if part == "baseline" else "merge"

    def of_starts(who, how, when):
        words = []
        for start in STARTS:
            found = [seen[c] for c in (Cell(method, who, how, when, start, overlap) for overlap in OVERLAPS) if c in seen]
            words.append(" / ".join(dict.fromkeys(word + (f" ({code})" if code else "") for word, code in found)) or "-")
        return tuple(words)

    lines = ["| who | what | when | " + " | ".join(STARTS) + " |", "|---" * (3 + len(STARTS)) + "|"]
    for who, (_, whens) in WHO.items():
        by_how = [(how, tuple((when, of_starts(who, how, when)) for when in whens)) for how in (*PROCESSES, *LOSSES)]
        for hows, rows in grouped(by_how):
            for times, words in grouped(rows):
                if set(words) != {"-"}:
                    lines.append(f"| {who} | {what_happened(who, hows)} | {', '.join(times)} | " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"


def write_table(table, seen, part):
    begin, end = f"<!-- {part}: made by tests/system/faults_test.py -->\n", "<!-- end -->\n"
    with open(table) as found:
        before, rest = found.read().split(begin)
    faults = sum(cell.part == part for cell in seen)
    if part == "joined":
        begin += "By merge, with `--join background`, *in the join*, and then *while data move*, which are those of a frozen array: "
    if part == "tight":
        begin += "By merge, with `--memory tight`, *after the commit*, while data move; a newcomer is a member then: "
    with open(table, "w") as out:
        out.write(f"{before}{begin}{faults} faults, {time.strftime('%-d %B %Y')}.\n\n{as_table(seen, part)}{end}{rest.split(end, 1)[1]}")


def see(cell, runtime):
    """Runs a cell in a process and a runtime directory of its own, so that several clusters can run at a time."""
    ran = subprocess.run([sys.executable, "-W", "ignore", __file__, "--cell", json.dumps(cell)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=300, env={**os.environ, "XDG_RUNTIME_DIR": runtime})
    if ran.returncode != 0:
        raise AssertionError(ran.stdout[-2000:])
    word, code = json.loads(ran.stdout.splitlines()[-1])
    return word, code


def see_all(known, at_a_time, parts):
    """Appends to the file `known`, whose lines are [cell, outcome]; returns a dictionary {cell: outcome}, the cells that
    failed, and the cells with an unexpected outcome."""
    seen, failed = {}, []
    if os.path.exists(known):
        with open(known) as lines:
            seen = {Cell(*cell): tuple(result) for cell, result in map(json.loads, lines)}
    left = [cell for cell in cells() if cell.part in parts and cell not in seen]
    with tempfile.TemporaryDirectory() as runtimes, concurrent.futures.ThreadPoolExecutor(at_a_time) as workers, open(known, "a") as out:
        free = queue.Queue()
        for i in range(at_a_time):
            os.mkdir(f"{runtimes}/{i}", 0o700)
            free.put(f"{runtimes}/{i}")

        def work(cell):
            runtime = free.get()
            since = time.monotonic()
            try:
                return cell, see(cell, runtime), time.monotonic() - since
            except (AssertionError, subprocess.TimeoutExpired) as error:  # the other cells still run
                return cell, error, time.monotonic() - since
            finally:
                free.put(runtime)
        for done in concurrent.futures.as_completed([workers.submit(work, cell) for cell in left]):
            cell, result, seconds = done.result()
            if isinstance(result, Exception):
                failed.append((*cell, str(result)))
            else:
                seen[cell] = result
                out.write(json.dumps([cell, result]) + "\n")
                out.flush()
            print(*cell, result, f"{seconds:.1f} s", flush=True)
    return seen, failed, [(*cell, result) for cell, result in seen.items() if result[0] not in expected(cell)]


def is_as_said(cell):
    """Tests one cell of the table. The whole table takes too long for a test."""
    if cell.start != "launch" and cell.start not in possible(*STARTS):
        pytest.skip(f"this MPI cannot do {cell.start} over several hosts")
    seen = fault(cell)
    assert seen[0] in expected(cell), seen


@pytest.mark.parametrize("cell", [
    ("merge", "newcomer", "rank", "in the switch", "collective", "background"),
    ("merge", "newcomer", "rank", "in the switch", "hypercube", "blocking"),
    ("merge", "newcomer", "rank", "before the point", "diffusive", "background"),
    ("merge", "newcomer", "rank", "while they start", "launch", "blocking"),
    ("merge", "newcomer", "rank", "while they start", "diffusive", "blocking"),
    ("merge", "newcomer", "rank", "between two barriers", "launch", "background"),
    ("merge", "newcomer", "agent", "before the gate", "single", "background"),
    ("merge", "broker", "rank", "after the answer", "collective", "background"),
    ("merge", "newcomer", "agent", "before the point", "hypercube", "background"),
    ("merge", "member", "rank", "in the switch", "single", "background"),
    ("merge", "member", "agent", "while they start", "launch", "background"),
    ("merge", "member", "rank", "afterwards", "hypercube", "background"),
    ("merge", "leaver", "rank", "after it has left", "diffusive", "background"),
    ("merge", "newcomer", "rank", "after the commit", "launch", "background"),
    ("merge", "newcomer", "rank", "in the join", "single", "background"),
    ("merge", "newcomer", "agent", "while data move", "launch", "background"),
    ("merge", "member", "rank", "in the join", "launch", "background"),
    ("merge", "broker", "rank", "while data move", "launch", "background"),
    ("merge", "broker", "rank", "in the switch", "diffusive", "background")], ids=" ".join)
def test_faults_of_processes(cell):
    is_as_said(Cell(*cell))


@pytest.mark.parametrize("cell", [
    ("merge", "newcomer", "kill", "after the answer", "hypercube", "background"),
    ("merge", "newcomer", "kill", "before the point", "diffusive", "background"),
    ("merge", "newcomer", "freeze", "in the switch", "single", "blocking"),
    ("merge", "newcomer", "cut", "before the point", "launch", "background"),
    ("merge", "newcomer", "cut", "in the join", "hypercube", "background"),
    ("merge", "member", "kill", "while they start", "hypercube", "background"),
    ("merge", "member", "cut", "afterwards", "collective", "background"),
    ("merge", "leaver", "cut", "after it has left", "launch", "background"),
    ("merge", "broker", "freeze", "before the point", "hypercube", "background"),
    ("merge", "broker", "cut", "afterwards", "launch", "background")], ids=" ".join)
def test_faults_of_hosts(cell):
    is_as_said(Cell(*cell))


@pytest.mark.parametrize("cell", [
    ("baseline", "newcomer", "rank", "in the switch", "diffusive", "background"),
    ("baseline", "newcomer", "kill", "in the switch", "launch", "background"),
    ("baseline", "newcomer", "cut", "before the point", "single", "background"),
    ("baseline", "member", "kill", "in the switch", "launch", "background"),
    ("baseline", "member", "rank", "afterwards", "collective", "background"),
    ("baseline", "broker", "rank", "afterwards", "hypercube", "background")], ids=" ".join)
def test_faults_of_baselines(cell):
    is_as_said(Cell(*cell))


def run():
    options = argparse.ArgumentParser()
    options.add_argument("--table")
    options.add_argument("--seen")
    options.add_argument("--at-a-time", type=int, default=1)
    options.add_argument("--part", choices=PARTS, action="append")
    options.add_argument("--cell")
    given = options.parse_args()
    if given.cell:
        print(json.dumps(fault(Cell(*json.loads(given.cell)))))
        return
    if not given.table or not given.seen:
        options.error("--table and --seen are both needed")
    parts = given.part or PARTS
    seen, failed, wrong = see_all(given.seen, given.at_a_time, parts)
    for one in failed:
        print("not seen:", *one)
    for one in wrong:
        print("not as said:", *one)
    for part in () if failed else parts:
        write_table(given.table, seen, part)
    sys.exit(1 if failed or wrong else 0)


if __name__ == "__main__":
    run()
