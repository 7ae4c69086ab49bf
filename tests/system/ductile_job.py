"""Jobs under test: starts and resizes them, finds their processes, and checks that they leave nothing behind."""
import functools
import glob
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from patience import PatientProcess, patient

DUCTILE = os.environ["DUCTILE_PROGRAM"]
STEADY = os.environ.get("STEADY_PROGRAM", "")
LONG = 100000  # steps: more than a test needs; the job runs until it is told to end


def processes(**wanted):
    """Processes whose environment holds all of NAME=VALUE: {pid: command line}."""
    found = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as f:
                environment = f.read().split(b"\0")
            if all(f"{k}={v}".encode() in environment for k, v in wanted.items()):
                with open(f"/proc/{entry}/cmdline", "rb") as f:
                    command = f.read().replace(b"\0", b" ").decode(errors="replace").strip()
                with open(f"/proc/{entry}/stat") as f:
                    state = f.read().rsplit(")", 1)[1].split()[0]
                if state != "Z" and command:
                    found[int(entry)] = command
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def stale_files():
    """Files of MPI libraries that no living process holds: those that killed ranks leave behind."""
    files = set(glob.glob("/dev/shm/mpich_shm_*") + glob.glob("/dev/shm/Intel_MPI_*"))
    if files:
        held = subprocess.run(["sh", "-c", "cat /proc/[0-9]*/maps 2>/dev/null; readlink /proc/[0-9]*/fd/* 2>/dev/null"], stdout=subprocess.PIPE, text=True, timeout=30).stdout
        files = {name for name in files if name not in held}
    return files


def wait_until(what, condition, seconds=20.0, every=0.02):
    end = time.monotonic() + patient(seconds)
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(every)
    raise AssertionError(f"not within {patient(seconds)} s: {what}")


class Job:
    """`ductile run` on logical hosts (or with `where` options), with its output in files. The agents' logs are in `logs`, if given."""

    def __init__(self, program, *, where=("--local=4", "--ranks-per-host=1"), options=(), environment=None, prefix=(), stdin=None, logs=None, process_group=None):
        self.old_stale_files = stale_files()
        self.out = tempfile.NamedTemporaryFile(prefix="ductile-out", mode="w+")
        self.err = tempfile.NamedTemporaryFile(prefix="ductile-err", mode="w+")
        self.until = tempfile.mktemp(prefix="ductile-until")
        env = dict(os.environ, **{"DUCTILE_SHARED_CORES": "yes", "STEADY_UNTIL": self.until, **(environment or {})})
        self.logs = logs
        if logs:
            env["DUCTILE_LOG"] = str(logs)
        self.prefix = list(prefix)
        argv = [*prefix, DUCTILE, "run", *where, *options, "--", *map(str, program)]
        self.process = PatientProcess(argv, stdout=self.out, stderr=self.err, stdin=stdin or subprocess.DEVNULL, env=env, process_group=process_group)
        self.id = None

    def __enter__(self):
        return self

    def tell_to_end(self):
        """The program `steady` ends at its next step; how many steps are left no longer matters."""
        open(self.until, "w").close()

    def __exit__(self, *_):
        if os.path.exists(self.until):
            os.unlink(self.until)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.id:
            for pid in processes(DUCTILE_JOB=self.id):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def ask(self, *words, seconds=30):
        return subprocess.run([*self.prefix, DUCTILE, *words], capture_output=True, text=True, timeout=patient(seconds))

    def running(self):
        """Waits until the job runs; finds its id."""
        def look():
            if self.process.poll() is not None:
                raise AssertionError("the job has ended: " + self.stderr())
            for s in self.all_status():
                if s["state"] == "running" and s["program"] and self.is_mine(s):
                    self.id = s["job"]
                    return s
            return None
        return wait_until("the job runs", look, 40)

    def is_mine(self, status):
        return self.prefix or status.get("broker_pid") == self.process.pid

    def all_status(self):
        shown = self.ask("status", "--json")
        if shown.returncode != 0 or not shown.stdout.strip():
            return []
        data = json.loads(shown.stdout)
        return data if isinstance(data, list) else [data]

    def status(self):
        shown = self.ask("status", self.id, "--json")
        if shown.returncode != 0:
            print("status:", shown.returncode, shown.stderr.strip(), flush=True)
            return None
        return json.loads(shown.stdout)

    def resize(self, size, *options, wait=True):
        return self.ask("resize", self.id, str(size), *(["--wait"] if wait else []), *options, seconds=60)

    def start_resize(self, size, *options):
        return PatientProcess([*self.prefix, DUCTILE, "resize", self.id, str(size), "--wait", *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def phase(self):
        s = self.status()
        return s["pending"]["phase"] if s and "pending" in s else None

    def end(self, seconds=40):
        return self.process.wait(seconds)

    def ends_well(self, seconds=60, files=True):
        """Tells the job to end. All its data must be right, and nothing may be left."""
        self.tell_to_end()
        code = self.end(seconds)
        assert code == 0, (self.stdout(), self.stderr())
        assert "bad 0" in self.stdout()
        self.nothing_left(files=files)

    def stdout(self):
        return open(self.out.name).read()

    def stderr(self):
        return open(self.err.name).read()

    def says(self, text, times=1):
        """Waits until the ranks have written the text to standard error that often."""
        return wait_until(f"{text!r} on standard error", lambda: self.stderr().count(text) >= times)

    def broker_is_missed(self, times):
        """Waits until the logs of all agents together say so often that the broker is gone."""
        def seen():
            return sum(open(path).read().count("the broker is gone") for path in glob.glob(f"{self.logs}/agent-*.log"))
        wait_until("the agents see that the broker is gone", lambda: seen() >= times)

    def group(self, group):
        return processes(DUCTILE_JOB=self.id, DUCTILE_GROUP=group)

    def one(self, group, word):
        """The pid of the group's process whose command line holds `word`."""
        def look():
            for pid, command in self.group(group).items():
                if re.search(word, command):
                    return pid
            return None
        return wait_until(f"{word} of group {group}", look)

    def rank(self, group, rank=None):
        """The pid of this rank of the group's MPI_COMM_WORLD. None: the pid of any rank of the group."""
        if rank is None:
            return self.one(group, r"^\S*steady ")
        return wait_until(f"rank g{group}.{rank}", lambda: self.ranks(group).get(rank))

    def ranks(self, group):
        """The ranks of a group that run, by their rank in its MPI_COMM_WORLD: {rank: pid}."""
        found = {}
        candidates = [pid for pid, command in self.group(group).items() if re.search(r"^\S*steady ", command)]
        for pid in candidates:
            try:
                with open(f"/proc/{pid}/environ") as environment:
                    values = dict(entry.split("=", 1) for entry in environment.read().split("\0") if "=" in entry)
                with open(f"/proc/{pid}/stat") as stat:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent not in candidates:  # otherwise it is a short-lived copy that a library of the rank has forked
                found[int(values.get("PMI_RANK") or values["OMPI_COMM_WORLD_RANK"])] = pid
        return found

    def agent(self, host):
        """The pid of the agent of a host."""
        def look():
            for entry in os.listdir("/proc"):
                if not entry.isdigit():
                    continue
                try:
                    command = open(f"/proc/{entry}/cmdline").read().split("\0")
                    if command[0].endswith("/libexec/ductile/agent"):
                        children = processes(DUCTILE_JOB=self.id, DUCTILE_HOST=host)
                        for pid in children:
                            with open(f"/proc/{pid}/stat") as f:
                                if int(f.read().rsplit(")", 1)[1].split()[1]) == int(entry):
                                    return int(entry)
                except (FileNotFoundError, ProcessLookupError):
                    continue
            return None
        return wait_until(f"agent of host {host}", look)

    def nothing_left(self, seconds=10, files=True):
        """No process of the job is left, and no file. `files`: False if an agent was killed, which would have removed the files."""
        wait_until(f"no process of job {self.id} is left: {processes(DUCTILE_JOB=self.id)}",
                   lambda: not processes(DUCTILE_JOB=self.id), seconds)
        if files:
            wait_until(f"no file of job {self.id} is left: {stale_files() - self.old_stale_files}",
                       lambda: not stale_files() - self.old_stale_files, seconds)


@functools.cache
def possible(*starts):
    """Those of these starts that work over several hosts with the MPI of DUCTILE_MPI. All, if DUCTILE_MPI is not set."""
    if not os.environ.get("DUCTILE_MPI"):
        return starts

    def refused(start):
        with Job([STEADY, LONG, 20000], options=("--start", start)) as job:
            job.running()
            asked = job.resize(3)
            job.tell_to_end()
            return asked.returncode == 3 and "on one host only" in asked.stderr

    left = tuple(start for start in starts if not refused(start))
    assert left, f"of {starts} none is possible"
    return left
