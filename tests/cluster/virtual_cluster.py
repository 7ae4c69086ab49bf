"""What the tests of the virtual cluster share: a cluster as an object, and checks that a cluster has left nothing behind."""

import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

from patience import PatientProcess, patient

PROGRAM = os.path.abspath(os.environ.get("DUCTILE_PROGRAM", "build/bin/ductile"))
PYTHON = os.path.realpath(sys.executable)


def skip_reason(prefix=()):
    """Why no cluster can be made here; None when one can."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o777)
        probe = [*prefix, "unshare", "--user", "--map-root-user", "--net", "--pid", "--fork", "--mount-proc", "true"]
        if not prefix and os.geteuid() == 0:
            probe = ["unshare", "--net", "--pid", "--fork", "--mount-proc", "true"]
        result = subprocess.run(probe, cwd=place, capture_output=True, text=True, timeout=20)
    return None if result.returncode == 0 else f"namespaces are not permitted here: {result.stderr.strip()}"


def wait_until(condition, seconds=10.0):
    end = time.monotonic() + patient(seconds)
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


# The namespaces of a cluster that are watched. Network namespaces are not: while we hold one open, the kernel does not remove it.
NAMESPACES = ("pid", "mnt", "uts", "ipc")


def namespaces_of(pid):
    ids = set()
    for kind in NAMESPACES:
        try:
            ids.add(os.stat(f"/proc/{pid}/ns/{kind}").st_ino)
        except OSError:
            pass
    return ids


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def pids_in(namespaces):
    """Processes in these namespaces. Zombies do not count: it is up to the machine's init when they are collected."""
    return [int(p) for p in os.listdir("/proc") if p.isdigit() and namespaces_of(p) & set(namespaces) and not has_ended(p)]


def described(pids, namespaces):
    """What helps to find out where the processes came from, one line for each."""
    lines = []
    for pid in pids:
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/status") as status:
                facts = [line.strip() for line in status if line.split(":")[0] in ("Name", "State", "PPid", "NSpid")]
            shared = [kind for kind in NAMESPACES if os.stat(f"/proc/{pid}/ns/{kind}").st_ino in namespaces]
            lines.append(f"{pid}: {', '.join(facts)}, shares {' '.join(shared)}")
    return "\n".join(lines)


class World:
    """The network links and mounts of the machine, which a cluster must not change."""

    def __init__(self):
        links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, timeout=10).stdout
        self.links = {line.split(":")[1].strip() for line in links.splitlines()}
        with open("/proc/self/mountinfo") as mounts:
            self.mounts = {line.split()[4] for line in mounts}


def cgroups_of(name):
    found = []
    for root, directories, _ in os.walk("/sys/fs/cgroup"):
        found += [f"{root}/{d}" for d in directories if d.startswith(f"ductile-{name}-")]
    return found


class Cluster:
    """A cluster with a state directory of its own. `prefix`: words in front of each command, for example to run as another user."""

    def __init__(self, name="t", prefix=(), uid=None):
        self.name = name
        self.prefix = list(prefix)
        self.runtime = tempfile.mkdtemp(prefix="dvc-")
        if uid is not None:
            os.chown(self.runtime, uid, uid)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.runtime)
        self.state = f"{self.runtime}/ductile-cluster/cluster-{name}"
        self.namespaces = {}  # {id: open descriptor}: without a descriptor, the kernel might use the id for another namespace
        self.before = World()
        self.cleanup = contextlib.ExitStack()  # is closed at the end of a case, before the cluster is discarded

    def words(self, verb, *rest):
        return [*self.prefix, PROGRAM, "cluster", verb, "--name", self.name, *map(str, rest)]

    def run(self, verb, *rest, **options):
        options["timeout"] = patient(options.get("timeout", 30))
        options.setdefault("capture_output", True)
        options.setdefault("text", True)
        return subprocess.run(self.words(verb, *rest), env=self.environment, **options)

    def ok(self, verb, *rest, **options):
        result = self.run(verb, *rest, **options)
        if result.returncode != 0:
            raise AssertionError(f"{verb} {rest}: {result.returncode}: {result.stderr}")
        return result.stdout

    def start(self, verb, *rest, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("text", True)
        return PatientProcess(self.words(verb, *rest), env=self.environment, **options)

    def up(self, hosts, *rest):
        self.ok("up", hosts, *rest)
        self.note_namespaces()

    def init(self):
        """The pid of the cluster's init, which listens on its socket."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.state + "/socket")
            size = struct.calcsize("3i")
            return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[0]

    def note_namespaces(self):
        """Remembers all namespaces of the cluster, to find what is left in them later."""
        init = self.init()
        parents = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    parents[int(pid)] = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                pass
        found = [init]
        for pid in found:
            found.extend(child for child, parent in parents.items() if parent == pid)
        ours = namespaces_of("self")
        for pid in found:
            for kind in NAMESPACES:
                with contextlib.suppress(OSError):
                    self.hold(os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC), ours)
        assert self.namespaces

    def hold(self, namespace, ours):
        known = os.fstat(namespace).st_ino
        if known in ours or known in self.namespaces:
            os.close(namespace)
        else:
            self.namespaces[known] = namespace

    def status(self):
        return json.loads(self.ok("status", "--json"))

    def host(self, name):
        return next(h for h in self.status()["hosts"] if h["name"] == name)

    def processes(self, host, *rest):
        return [p for p in json.loads(self.ok("ps", host, "--json", *rest))["processes"] if not p["furniture"]]

    def discard(self):
        """Removes the cluster after a test, whatever the test has done."""
        if os.path.exists(self.state + "/socket"):
            self.run("down")
        while self.namespaces:
            os.close(self.namespaces.popitem()[1])
        shutil.rmtree(self.runtime, ignore_errors=True)

    def assert_nothing_left(self):
        assert self.namespaces, "the test noted no namespaces: this check would see nothing"
        gone = wait_until(lambda: not pids_in(self.namespaces))
        assert gone, "processes are left:\n" + described(pids_in(self.namespaces), self.namespaces)
        after = World()
        assert self.before.links == after.links
        assert self.before.mounts == after.mounts
        assert cgroups_of(self.name) == []
        assert os.listdir(self.runtime) == []
