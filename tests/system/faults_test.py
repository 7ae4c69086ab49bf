"""Who dies, when, and what becomes of the job, for every start: on a virtual cluster.

Run by itself it makes the tables of docs/behaviour.md (over 1000 cells; an hour with three at a time):
faults_test.py --table FILE --seen FILE [--at-a-time N] [--part merge|baseline|joined|tight]: what the second file holds of an earlier run
is not seen again. It needs the environment of build/tests/system.env, and build/checks/bin/python, as the cases do.
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
# When: the phases of the broker then, microseconds a step, the environment of the program.
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
# Newcomers stop there for good, all of them in MPI_Init.
IN_MPI_INIT = ("between two barriers", "before the gate", "after the answer")
# With --join background, of a program with a frozen array.
JOINED = ("in the join", "while data move")
# With --memory tight, whose data move then.
TIGHT = ("after the commit",)
PARTS = ("merge", "baseline", "joined", "tight")
# Who: where, and when there is one.
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
        """To the hosts of the old ranks first, from there, a step later, to the others."""
        return self.method == "baseline" and self.start in ("hypercube", "diffusive")

    @property
    def is_member(self):
        """A leaver is one until it has left, a newcomer from the commit on."""
        return self.who == "member" or (self.who, self.when) in (("leaver", "before the point"), ("newcomer", "after the commit"))

    @property
    def is_borne(self):
        """Without a resize that is rolled back."""
        return self.when == "after it has left" or self.who == "broker"


def makes_sense(cell):
    """In a blocking resize nobody starts before the point; where nobody starts all overlaps are one."""
    if cell.who == "broker" and cell.how in PROCESSES and cell.how != "rank":
        return False  # it is a process of its own
    if cell.method == "baseline" and (cell.overlap != "background" or cell.who == "leaver" or cell.how not in ("rank", *LOSSES)):
        return False
    if cell.when not in WHO[cell.who][1]:
        return False
    if cell.when in (*JOINED, *TIGHT):
        return cell.method == "merge" and cell.overlap == "background"
    if cell.newcomers_come_later and cell.who == "newcomer" and cell.when == "while they start":
        return False
    if cell.when in IN_MPI_INIT:  # seen once: the overlap is nothing to those who wait for MPI_Init
        # A group of one rank has no barriers; who is launched has no gate.
        able = cell.start in ("launch", "collective", "single") if cell.when == "between two barriers" else cell.inside_mpi
        return able and cell.method == "merge" and cell.overlap == "background"
    if cell.who == "leaver" or cell.when == "afterwards":
        return cell.overlap == "background"
    return cell.when != "before the point" or cell.overlap == "background" or cell.who != "newcomer"


def expected(cell):
    """The words of docs/behaviour.md."""
    if cell.is_member:
        return ("ended",)
    if cell.who == "broker":
        return ("ended",) if cell.how in ("kill", "cut") else ("goes on",)
    return ("goes on" if cell.who == "leaver" else "rolled back",)


class Resize:
    """A job of two ranks on two hosts that becomes one of four, or of three that becomes one of two again, stopped at a moment."""

    def __init__(self, job, cell):
        self.job = job
        self.cell = cell
        phases = WHEN[cell.when][0]
        self.before, after = (3, 2) if cell.who == "leaver" else (2, 4) if cell.when != "afterwards" else (4, None)
        if self.before > 2:
            growth = job.start_resize(self.before)
            text, _ = growth.communicate(timeout=40)
            assert growth.returncode == 0, (text, job.text())
            # Old ranks of a baseline one may still be on their way out.
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
        """The oldest first: an old rank before a new one."""
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
    """(word, None). Its output lies in files."""
    time.sleep(1)  # nothing ends them at once
    assert runs(resize)
    time.sleep(ORPHANED - 1)  # nor at the limit, unless they are to
    went_on = resize.cell.how == "rank" and runs(resize)  # without its host it is to end by itself
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
    """(word, exit code of the job), looked at and not believed: the program itself says whether its data is right."""
    job, cell = resize.job, resize.cell
    if cell.who == "broker" and cell.how != "freeze":
        return without_its_broker(resize, folder)
    if cell.who == "broker":
        time.sleep(SILENCE)  # nothing ends them meanwhile
        assert runs(resize)
        cluster("thaw", cell.host)
        if cell.when == "while they start" or cell.when in (*IN_MPI_INIT, *JOINED):  # which takes long
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
    """[(names, value)]: those of equal value together, in the order in which they first come."""
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
    """What came of it in each start; what came to the same stands in one row."""
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
    """In a process and a runtime directory of its own, so that several clusters may stand at a time."""
    ran = subprocess.run([sys.executable, "-W", "ignore", __file__, "--cell", json.dumps(cell)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, timeout=300, env={**os.environ, "XDG_RUNTIME_DIR": runtime})
    if ran.returncode != 0:
        raise AssertionError(ran.stdout[-2000:])
    word, code = json.loads(ran.stdout.splitlines()[-1])
    return word, code


def see_all(known, at_a_time, parts):
    """Appends to the file `known`, whose lines are [cell, outcome]; returns both as a dictionary, what could not be seen, and what was not as said."""
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
            except (AssertionError, subprocess.TimeoutExpired) as error:  # the other cells are still to be seen
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
    """Of the table, which takes long."""
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
