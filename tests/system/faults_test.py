"""Who dies, when, and what becomes of the job, for every start: on a virtual cluster.

Run by itself it makes the table of docs/behaviour.md: faults_test.py --table FILE [START...]
"""
import json
import os
import subprocess
import sys
import tempfile
import time

from ductile_job import DUCTILE, main, possible, wait_until
from hosts_test import NAME, Cluster, HostJob, cluster

STARTS = ("launch", "collective", "single", "hypercube", "diffusive")
OVERLAPS = ("background", "blocking")
# When: the phases of the broker then, microseconds a step, the environment of the program.
WHEN = {
    "while they start": (("starting",), 20000, "STEADY_LATE_US=30000000"),
    "before the point": (("asking", "waiting"), 5000000, None),
    "in the switch": (("switching",), 20000, "STEADY_HANG_AT=merge"),
    "afterwards": ((), 20000, None),
}
VICTIMS = [(who, how) for who in ("newcomer", "member") for how in ("rank", "kill", "freeze", "cut")] + [("broker", "rank")]
HOSTS = ("node01", "node02", "node03", "node04")
SAID = {"rank": "process killed", "kill": "host killed", "freeze": "host frozen", "cut": "host cut off"}


def makes_sense(who, when, overlap):
    """In a blocking resize nobody starts before the point; afterwards there are no newcomers, and all overlaps are one."""
    if when == "before the point":
        return overlap == "background" or who != "newcomer"
    return when != "afterwards" or (who != "newcomer" and overlap == "background")


def expected(start, who, how, when):
    """What docs/behaviour.md says."""
    if who == "member":
        return "ended"
    if who == "broker":
        return "goes on"
    return "ended" if start != "launch" and (when == "while they start" or how == "kill") else "rolled back"


class Resize:
    """A job of two ranks on two hosts that becomes one of four, stopped at a moment."""

    def __init__(self, job, when):
        self.job = job
        self.asked = subprocess.Popen([DUCTILE, "cluster", "exec", "--name", NAME, "head", "--", DUCTILE, "resize", job.id, "4", "--wait"],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        phases = WHEN[when][0]
        if not phases:
            assert self.asked.wait(40) == 0, (self.asked.stdout.read(), job.text())
            return
        wait_until(phases, lambda: (job.status() or {}).get("pending", {}).get("phase") in phases, 30, 0.02)
        if when == "while they start":
            wait_until("newcomers are there", lambda: self.ranks("node03") and self.ranks("node04"), 30, 0.05)

    def ranks(self, host):
        return [p for p in self.job.processes(host) if p["command"] and p["command"][0].endswith("/steady")]


def hurt(resize, who, how):
    host = {"newcomer": "node03", "member": "node02"}.get(who)
    if who == "broker":
        cluster("exec", "head", "--", "kill", "-9", str(resize.job.status()["broker_pid"]))
    elif how == "rank":
        cluster("exec", host, "--", "kill", "-9", str(resize.ranks(host)[0]["pid"]))
    else:
        cluster(how, host)


def outcome(resize, who, how, folder):
    """(word, exit code of the job), looked at and not believed: the program itself says whether its data is right."""
    job = resize.job
    lost = {"newcomer": "node03", "member": "node02"}.get(who) if how != "rank" else None
    if who == "broker":
        job.process.wait(10)
        resize.asked.communicate(timeout=15)
        time.sleep(2)
        runs = all(resize.ranks(host) for host in HOSTS[:2])
        open(f"{folder}/end", "w").close()
        wait_until("nothing is left", lambda: not any(job.processes(host) for host in HOSTS), 60, 0.3)
        return ("goes on" if runs else "has ended"), None
    text, _ = resize.asked.communicate(timeout=60)
    code = resize.asked.returncode
    if code == 4 and job.process.poll() is None:
        status = job.status()
        assert status["ranks"] == 2, status
        open(f"{folder}/end", "w").close()
        assert job.process.wait(60) == 0, job.text()
        assert "end 2 bad 0" in job.text(), job.text()
        return "rolled back", 0
    ended = job.process.wait(40)
    said = [line for line in job.text().splitlines() if line.startswith("ductile: ") and "ended" in line]
    assert ended != 0 and said, (text, job.text())
    for host in HOSTS:
        if host != lost:
            wait_until(f"nothing is left on {host}", lambda host=host: not job.processes(host), 15, 0.3)
    return "ended", ended


def fault(start, overlap, when, who, how):
    pause, environment = WHEN[when][1:]
    more = ("--env", environment) if environment else ()
    with tempfile.TemporaryDirectory() as folder, Cluster(), HostJob(
            100000, pause, "-n", "2", "--start", start, "--overlap", overlap, "--heartbeat-limit", "3", "--orphan-limit", "6", "--progress-within", "20",
            "--env", f"STEADY_UNTIL={folder}/end", "--env", "STEADY_FIRST_NEWCOMER=2", *more) as job:
        resize = Resize(job, when)
        hurt(resize, who, how)
        return outcome(resize, who, how, folder)


def cells(starts):
    for who, how in VICTIMS:
        for when in WHEN:
            for start in starts:
                for overlap in OVERLAPS:
                    if makes_sense(who, when, overlap):
                        yield who, how, when, start, overlap


def as_table(seen, starts):
    head = "| who | when | " + " | ".join(starts) + " |\n" + "|---" * (2 + len(starts)) + "|\n"
    rows = []
    for who, how in VICTIMS:
        for when in WHEN:
            row = []
            for start in starts:
                words = [seen[who, how, when, start, overlap] for overlap in OVERLAPS if (who, how, when, start, overlap) in seen]
                row.append(" / ".join(dict.fromkeys(word + (f" ({code})" if code else "") for word, code in words)))
            if any(row):
                rows.append(f"| {who}'s {SAID[how]} | {when} | " + " | ".join(row) + " |" if who != "broker" else
                            f"| broker killed | {when} | " + " | ".join(row) + " |")
    return head + "\n".join(rows) + "\n"


def write_table(file, starts):
    begin, end = "<!-- made by tests/system/faults_test.py -->\n", "<!-- end -->\n"
    seen, wrong = {}, []
    for cell in cells(starts):
        who, how, when, start, overlap = cell
        since = time.monotonic()
        try:
            seen[cell] = fault(start, overlap, when, who, how)
        except Exception as error:  # whatever it is, the other cells are still to be seen
            seen[cell] = ("?", None)
            wrong.append((cell, str(error)[:400]))
        if seen[cell][0] != expected(start, who, how, when):
            wrong.append((cell, seen[cell]))
        print(*cell, seen[cell], f"{time.monotonic() - since:.1f} s", flush=True)
        with open(file) as found:
            before, rest = found.read().split(begin)
        with open(file, "w") as out:
            out.write(before + begin + as_table(seen, starts) + end + rest.split(end, 1)[1])
    for one in wrong:
        print("not as said:", one)
    sys.exit(1 if wrong else 0)


def is_as_said(*cells_to_see):
    """Some of the table, which takes half an hour; of it what the MPI can do."""
    able = possible(*STARTS)
    print("left out:", *(start for start in STARTS if start not in able))
    for who, how, when, start, overlap in (cell for cell in cells_to_see if cell[3] in able):
        seen = fault(start, overlap, when, who, how)
        assert seen[0] == expected(start, who, how, when), (who, how, when, start, overlap, seen)


def faults_of_processes():
    is_as_said(("newcomer", "rank", "in the switch", "collective", "background"),
               ("newcomer", "rank", "in the switch", "hypercube", "blocking"),
               ("newcomer", "rank", "before the point", "diffusive", "background"),
               ("newcomer", "rank", "while they start", "launch", "blocking"),
               ("newcomer", "rank", "while they start", "diffusive", "blocking"),
               ("member", "rank", "in the switch", "single", "background"),
               ("member", "rank", "afterwards", "hypercube", "background"),
               ("broker", "rank", "in the switch", "diffusive", "background"))


def faults_of_hosts():
    is_as_said(("newcomer", "kill", "before the point", "diffusive", "background"),
               ("newcomer", "freeze", "in the switch", "single", "blocking"),
               ("newcomer", "cut", "before the point", "launch", "background"),
               ("member", "kill", "while they start", "hypercube", "background"),
               ("member", "cut", "afterwards", "collective", "background"))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"]:
        write_table(sys.argv[2], tuple(sys.argv[3:]) or STARTS)
    main({f.__name__: f for f in (faults_of_processes, faults_of_hosts)})
