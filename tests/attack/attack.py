"""What the attacks share: other users, sockets, frames, a fake broker, and a job that must survive an attack."""
import collections
import functools
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

import pytest

from ductile_job import DUCTILE, LONG, STEADY, Job, stale_files, processes, wait_until
from private_tmp import INSIDE

STRANGER, PLAIN = 65533, 65532  # users who need no account
LIBEXEC = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(DUCTILE))), "libexec", "ductile")
AGENT = os.path.join(LIBEXEC, "agent")
MINUTE, WEEK = 60, 7 * 24 * 3600


def need_root():
    """Skips a case that needs a second user, unless root runs the tests."""
    if int(os.environ[INSIDE]) != 0:
        pytest.skip("needs a second user, which only root can become")


def as_user(uid):
    """The words in front of a command that make it run as this user."""
    return [] if uid == os.geteuid() else ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]


@functools.cache
def python_of(uid):
    """A Python interpreter that this user can run. The one of the tests may be in a directory of root's that others cannot enter."""
    for one in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([*as_user(uid), one, "-c", "import select, socket"], capture_output=True, timeout=20, cwd="/").returncode == 0:
            return one
    pytest.skip(f"user {uid} has no Python to run")


def parent(uid=None):
    """The directory in which the directories of a user's jobs are."""
    outer = int(os.environ[INSIDE])
    return f"/tmp/ductile-{outer if uid is None or uid == os.geteuid() else uid}"


# --- commands, and what they may not do ---


def run(*words, user=None, seconds=30, env=None, prefix=(), cwd=None):
    """Runs a command of ductile. Returns its exit code, and both outputs as bytes."""
    argv = [*as_user(os.geteuid() if user is None else user), *prefix, DUCTILE, *words]
    return subprocess.run(argv, capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL, cwd=cwd, env=dict(os.environ, **(env or {})))


def control_characters(data, but=b"\n\t"):
    """The control characters in `data` that a terminal obeys: C0 except line feed and tab, DEL, and C1 as UTF-8 or as bytes."""
    text = data.decode(errors="surrogateescape")
    found = [c for c in text if (ord(c) < 32 and c.encode() not in [bytes([b]) for b in but]) or 127 <= ord(c) < 160 or 0xDC80 <= ord(c) < 0xDCA0]
    return sorted(set(found))


def expect_calm(result, what, codes=None):
    """The command was not ended by a signal, and its output has no control characters. Its exit code is one of `codes`, if given."""
    brief = (what, result.returncode, result.stdout[-300:], result.stderr[-300:])
    no_connection = 255  # exit code of `cluster exec` without a connection, as of ssh
    assert 0 <= result.returncode < 126 or result.returncode == no_connection, ("ended by a signal", *brief)
    assert not control_characters(result.stdout + result.stderr), ("control characters", *brief)
    assert codes is None or result.returncode in codes, ("exit code", *brief)


def tree_of(folder):
    """All that is in the folder: {path: content of a plain file, otherwise None}."""
    found = {}
    for where, folders, files in os.walk(folder):
        found.update({os.path.join(where, one): None for one in folders})
        for path in (os.path.join(where, one) for one in files):
            plain = os.path.isfile(path) and not os.path.islink(path)
            found[path] = open(path, "rb").read() if plain else None
    return found


def make_files(folder, *names, age=0, text="keep me\n"):
    """Makes the files `names` in the folder (directories, if the name ends with a slash). They and the folder are `age` seconds old."""
    os.makedirs(folder, exist_ok=True)
    for name in names:
        path = os.path.join(folder, name)
        os.makedirs(path if name.endswith("/") else os.path.dirname(path), exist_ok=True)
        if not name.endswith("/"):
            with open(path, "w") as f:
                f.write(text)
    make_old(folder, age)


def make_old(folder, age):
    then = time.time() - age
    for where, folders, files in os.walk(folder, topdown=False):
        for one in folders + files:
            os.utime(os.path.join(where, one), (then, then), follow_symlinks=False)
    os.utime(folder, (then, then))


# --- jobs ---


class AttackedJob(Job):
    """A job of `steady`. After an attack its data must be right, and it must be able to resize (expect_whole)."""

    def __init__(self, *options, user=None, program=(STEADY, LONG, 10000), **more):
        prefix = [*as_user(os.geteuid() if user is None else user), *more.pop("prefix", ())]
        self.mark = {"ATTACK_JOB": f"{os.getpid()}-{time.monotonic_ns()}"}  # in the environment of all its processes
        super().__init__(program, options=options, prefix=prefix, environment={**(more.pop("environment", None) or {}), **self.mark}, **more)

    def __exit__(self, *_):
        super().__exit__()
        while left := processes(**self.mark):
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)
        # Removes files that MPI leaves when an attack has ended agents or deleted their list of such files.
        for path in stale_files() - self.old_stale_files:
            os.unlink(path)

    def nothing_left(self, seconds=10, files=False):
        """No process of the job is left: no rank, agent or sweeper, and no process that they have started."""
        end = time.monotonic() + seconds
        while left := processes(**self.mark):
            assert time.monotonic() < end, ("processes are left", left, self.stderr()[-500:])
            time.sleep(0.05)

    def started(self):
        """Waits until a program that makes no Job has started. Finds the id of the job."""
        def look():
            assert self.process.poll() is None, ("the job has ended", self.process.returncode, self.stderr())
            self.id = next((s["job"] for s in self.all_status()), None)
            return self.id and processes(DUCTILE_JOB=self.id, DUCTILE_GROUP=0)
        return wait_until("the program is started", look, 20)

    def resize(self, size, *options, seconds=60):
        return self.ask("resize", self.id, str(size), "--wait", *options, seconds=seconds)

    def expect_resize(self, *sizes):
        for size in sizes:
            done = self.resize(size)
            assert done.returncode == 0, ("the job can be resized", size, done.returncode, done.stdout, done.stderr, self.stderr())
            assert self.status()["ranks"] == size

    def expect_whole(self, *sizes):
        """The job lives, it can be resized, and it ends in order with right data."""
        assert self.process.poll() is None, ("the broker lives", self.process.returncode, self.stderr())
        self.expect_resize(*sizes)
        self.tell_to_end()
        code = self.end(40)
        assert code == 0 and "bad 0" in self.stdout(), (code, self.stdout()[-500:], self.stderr()[-500:])
        self.nothing_left()

    def broker_dies(self):
        self.process.kill()
        self.process.wait(10)

    def start_next_broker(self):
        self.process = subprocess.Popen([*self.prefix, DUCTILE, "run", "--resume", self.id], stdout=self.out, stderr=self.err, stdin=subprocess.DEVNULL,
                                        env={**os.environ, **self.mark})
        return self.process

    def resume(self, seconds=60):
        """Another broker takes the job over."""
        self.start_next_broker()

        def settled():
            assert self.process.poll() is None, ("taken over", self.process.returncode, self.stderr())
            status = self.status()
            return status if status and status["state"] == "running" and "pending" not in status else None
        return wait_until("the job is taken over", settled, seconds, 0.1)

    def ranks(self):
        """The pids of the program's processes."""
        return [pid for pid, command in processes(DUCTILE_JOB=self.id).items() if command.split(" ")[0] == STEADY]

    def is_stepping(self):
        """The program reaches resize points."""
        before = self.status().get("points", 0)
        return wait_until("the program goes on", lambda: self.status().get("points", 0) > before, 10, 0.1)

    def directory(self, uid=None):
        base = os.environ.get("XDG_RUNTIME_DIR")
        return f"{base + '/' + os.path.basename(parent(uid)) if base else parent(uid)}/{self.id}"

    def agent_sockets(self, uid=None):
        folder = os.path.dirname(self.directory(uid))
        return sorted(f"{folder}/{name}/agent.sock" for name in os.listdir(folder) if name.startswith(self.id + "."))

    def agents(self):
        """The pids of the agents, with or without a broker. A process that an agent forks has the agent's command line until it runs the
        program of the rank. So a child of an agent does not count."""
        agents = {pid for pid, command in family(self.process.pid).items() if command.startswith(AGENT + " ") or command == AGENT}
        above = parents()  # has only those that still live
        return sorted(pid for pid in agents if pid in above and above[pid] not in agents)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def parents():
    """{pid: pid of the parent} of all processes that live."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            if fields[0] != "Z":
                found[int(entry)] = int(fields[1])
        except OSError:
            continue
    return found


def family(pid):
    """A process and all its descendants: {pid: command line}."""
    above = parents()
    members = {pid}
    for before in iter(lambda: len(members), None):
        members |= {one for one, over in above.items() if over in members}
        if len(members) == before:
            return {one: command_of(one) for one in members if one in above}


class DeadJob:
    """A job whose processes were all killed. The directories that Ductile made for it are left, and no process uses them."""

    def __init__(self, user=None):
        with AttackedJob(user=user) as job:
            self.status = job.running()
            self.job = job.id
            job.broker_dies()
            for pid in processes(**job.mark):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            wait_until("all of it is gone", lambda: not processes(**job.mark), 10)
        self.directory = f"{parent(user)}/{self.job}"
        assert os.path.isdir(self.directory)


# --- sockets ---

Listener = collections.namedtuple("Listener", "pid kind address port")


def sockets_of(pid):
    """The inodes of a process's sockets."""
    inodes = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{fd}"))
            if match:
                inodes.add(match[1])
    except OSError:
        pass
    return inodes


def unix_sockets_of(pid):
    """The names of the Unix sockets on which a process listens."""
    inodes, names = sockets_of(pid), []
    with open("/proc/net/unix", errors="replace") as f:
        for line in f.readlines()[1:]:
            fields = line.split(None, 7)
            if fields[6] in inodes and int(fields[3], 16) & 0x10000 and len(fields) > 7:
                names.append(fields[7].strip())
    return names


def listeners_of(pid):
    """Where others can reach a process: TCP sockets that listen, UDP sockets that are bound, listening Unix sockets."""
    inodes, found = sockets_of(pid), []
    for kind in ("tcp", "tcp6", "udp", "udp6"):
        with open(f"/proc/net/{kind}") as f:
            for line in f.readlines()[1:]:
                fields = line.split()
                address, port = fields[1].split(":")
                open_to_all = fields[3] == "0A" if kind.startswith("tcp") else int(port, 16) != 0
                if fields[9] in inodes and open_to_all:
                    found.append(Listener(pid, kind, address_of(address), int(port, 16)))
    return found + [Listener(pid, "unix", name, 0) for name in unix_sockets_of(pid)]


def address_of(text):
    packed = b"".join(struct.pack("=I", int(text[i:i + 8], 16)) for i in range(0, len(text), 8))
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed)


def tcp_port_of(pid):
    """The one port on which a process listens."""
    ports = [one.port for one in listeners_of(pid) if one.kind.startswith("tcp")]
    assert len(ports) == 1, ports
    return ports[0]


# --- frames ---


def cbor(value):
    """The CBOR of a value of JSON's types."""
    def head(major, n):
        for info, size, limit in ((None, 0, 24), (24, 1, 1 << 8), (25, 2, 1 << 16), (26, 4, 1 << 32), (27, 8, 1 << 64)):
            if n < limit:
                return bytes([major << 5 | (n if info is None else info)]) + (n.to_bytes(size, "big") if size else b"")
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if value is None:
        return b"\xf6"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, bytes):
        return head(3, len(value)) + value  # text, of any bytes
    if isinstance(value, str):
        return cbor(value.encode())
    if isinstance(value, (list, tuple)):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in value.items())


def frame(content):
    """A frame: 4 bytes of length, then CBOR. `content`: a value, or bytes that are sent as they are."""
    content = content if isinstance(content, bytes) else cbor(content)
    return struct.pack("<I", len(content)) + content


def reply(kind, text=b"", data=b""):
    return frame({"type": "reply", "kind": kind, "text": text, "data": data})


def bombs():
    """Frames that would cost a careless reader memory, stack or time: {name: bytes}."""
    deep = 100_000
    found = {f"{name} of 2^63": frame(bytes([0x1B | major << 5]) + bytes.fromhex("8000000000000000"))
             for name, major in (("bytes", 2), ("text", 3), ("list", 4), ("map", 5), ("tag", 6))}
    found.update({f"{name} of 2^32 - 1": frame(bytes([0x1A | major << 5]) + b"\xff" * 4) for name, major in (("bytes", 2), ("text", 3), ("list", 4), ("map", 5))})
    found.update({f"100,000 times {unit.hex()}": frame(unit * deep) for unit in (
        b"\x7f", b"\x5f", b"\x9f", b"\xbf", b"\x81", b"\xd8\x18", b"\xd9\xd9\xf7", b"\xc0", b"\xa1\x60", b"\xbf\x60", b"\x9f\x81", b"\xff")})
    found["a frame of 4 GB"] = b"\xff\xff\xff\xff"
    found["an empty frame"] = b"\0\0\0\0"
    found["a map of a million"] = frame(b"\xba\x00\x0f\x42\x40" + b"\x61a\x00" * 1_000_000)
    found["a list of four million"] = frame(b"\x9a\x00\x3d\x09\x00" + b"\x00" * 4_000_000)
    found["text that is no UTF-8"] = frame({"type": b"\xff\xfe\x80"})
    found["a key that is no text"] = frame(b"\xa1\x01\x02")
    found["no object"] = frame(cbor([1, 2, 3]))
    return found


def talk(path, data, seconds=8):
    """The answer to `data`, up to the end of the connection. None if the other side does not close within so many seconds."""
    with socket.socket(socket.AF_UNIX) as one:
        one.settimeout(seconds)
        one.connect(path)
        said = b""
        try:
            one.sendall(data)
            while more := one.recv(65536):
                said += more
        except (ConnectionError, BrokenPipeError):
            pass
        except TimeoutError:
            return None
        return said


class FakeBroker:
    """A process of `user` that listens on a socket and answers every request with the same bytes."""

    def __init__(self, path, answer, user=None):
        self.answer = tempfile.NamedTemporaryFile(prefix="answer")
        os.chmod(self.answer.name, 0o644)
        self.say(answer)
        self.path = path
        code = (f"import os, socket\nos.umask(0)\nserver = socket.socket(socket.AF_UNIX)\nserver.bind({path!r})\nserver.listen(64)\n"
                f"while True:\n one, _ = server.accept()\n try:\n  one.settimeout(5)\n  one.recv(65536)\n  one.sendall(open({self.answer.name!r}, 'rb').read())\n"
                f"  one.shutdown(socket.SHUT_WR)\n  while one.recv(65536): pass\n except OSError: pass\n one.close()\n")
        if os.path.lexists(path):
            os.unlink(path)
        user = os.geteuid() if user is None else user
        self.process = subprocess.Popen([*as_user(user), python_of(user), "-c", code])
        wait_until("the fake broker listens", lambda: self.process.poll() is not None or os.path.exists(path), 10)
        time.sleep(0.05)
        assert self.process.poll() is None

    def say(self, answer):
        self.answer.seek(0)
        self.answer.truncate()
        self.answer.write(answer)
        self.answer.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(10)


def do_as(uid, function):
    """Calls the function in a process of this user. The function must not throw."""
    if uid == os.geteuid():
        function()
        return
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            function()
            os._exit(0)
        except BaseException as error:  # noqa: BLE001
            print(repr(error), flush=True)
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def clear(path):
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    else:
        shutil.rmtree(path, ignore_errors=True)
