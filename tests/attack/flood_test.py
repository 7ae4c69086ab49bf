"""Strangers connect to the ports of a job: floods of connections, garbage, TLS without the key. Also: which processes listen at all."""
import itertools
import os
import re
import socket
import ssl
import subprocess
import time

from attack import (AGENT, DUCTILE, STEADY, STRANGER, AttackedJob, as_user, family, listeners_of, need_root, processes, python_of,
                    tcp_port_of)

HALF_HELLO = bytes.fromhex("1603010200010001fc0303") + b"\x5a" * 20
FLOOD = r"""
import select, socket, sys, time
port, count, first = int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3])
ready = select.epoll()
there = {}
opened = 0
def open_one():
    global opened
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", port))
    there[one.fileno()] = [one, first]
    ready.register(one, select.EPOLLIN | select.EPOLLOUT | select.EPOLLRDHUP)
    opened += 1
said = 0
while True:
    while len(there) < count:
        open_one()
    for fd, what in ready.poll(0.2):
        one, rest = there[fd]
        try:
            if what & (select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLERR | select.EPOLLHUP) and not one.recv(65536):
                raise OSError
            if what & select.EPOLLOUT:
                if rest:
                    one.send(rest)
                    there[fd][1] = b""
                ready.modify(fd, select.EPOLLIN | select.EPOLLRDHUP)
        except BlockingIOError:
            pass
        except OSError:
            ready.unregister(fd)
            one.close()
            del there[fd]
    if opened - said >= count:
        said = opened
        print(opened, flush=True)
"""


class Flood:
    """A process of another user that holds `count` connections to a port. It opens each again as soon as it is closed."""

    def __init__(self, port, first=b"", count=900):
        words = [*as_user(STRANGER), python_of(STRANGER), "-c", FLOOD, str(port), str(count), first.hex()]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE)

    def __enter__(self):
        assert int(self.process.stdout.readline()) >= 900
        time.sleep(0.5)  # until all are open
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate(timeout=10)


def growth_in_a_flood(first):
    need_root()
    with AttackedJob() as job:
        job.running()
        job.expect_resize(2)
        with Flood(tcp_port_of(job.process.pid), first) as flood:
            done = job.resize(4)
            assert done.returncode == 0, ("a growth in the flood", done, job.stderr())
            job.is_stepping()
            job.expect_resize(1, 3)
            assert flood.process.poll() is None, "the flood goes on"
        job.expect_whole(1, 2)


def test_growth_while_idle_connections_flood():
    growth_in_a_flood(b"")


def test_growth_while_one_byte_connections_flood():
    growth_in_a_flood(b"\x16")


def test_growth_while_half_handshakes_flood():
    growth_in_a_flood(HALF_HELLO)


# A whole TLS record with the beginning of a ClientHello. The rest never comes.
OPEN_HELLO = bytes.fromhex("1603010004010000fc")


def test_growth_while_open_hellos_flood():
    growth_in_a_flood(OPEN_HELLO)


def test_taken_over_in_a_flood():
    """Agents connect to the next broker although strangers flood its port."""
    need_root()
    for first in (b"", OPEN_HELLO):
        with AttackedJob("-n", "2") as job:
            job.running()
            with Flood(tcp_port_of(job.process.pid), first) as flood:
                job.broker_dies()
                job.resume()
                assert job.status()["ranks"] == 2
                job.expect_resize(3)
                assert flood.process.poll() is None, "the flood goes on"
            job.expect_whole(1, 2)


def test_agents_port_flooded():
    """An agent's port is flooded. Then the broker dies, so that the agents connect to each other, and another broker takes over."""
    need_root()
    with AttackedJob("-n", "2") as job:
        job.running()
        agents = [pid for pid, command in family(job.process.pid).items() if command == AGENT]
        assert len(agents) == 2, family(job.process.pid)
        flooded = [one.port for pid in agents for one in listeners_of(pid) if one.kind == "tcp"]
        assert len(flooded) == 4, "each agent listens for other agents, and for the MPI of its ranks"
        floods = [Flood(port, first) for port, first in zip(flooded, itertools.cycle((OPEN_HELLO, HALF_HELLO)))]
        try:
            for flood in floods:
                flood.__enter__()
            job.expect_resize(3)
            job.broker_dies()
            time.sleep(2.5)  # until the agents have noticed it and connect to each other
            assert len(job.ranks()) == 3, "the ranks run on"
            job.resume()
            job.expect_resize(4)
        finally:
            for flood in floods:
                flood.__exit__()
        job.expect_whole(1, 2)


# --- which processes listen ---

def kind_of(command):
    for kind, looks in (("agent", re.escape(AGENT)), ("rank", re.escape(STEADY)), ("broker", re.escape(DUCTILE))):
        if re.match(looks + "( |$)", command):
            return kind
    return f"unknown: {command}"


def is_allowed(kind, one, directory):
    """Which kinds of processes may listen on which kinds of sockets."""
    if one.kind == "unix":
        return kind in ("broker", "agent") and one.address.startswith(directory)  # it checks the user of its peer
    if kind in ("broker", "agent"):
        return one.kind == "tcp" and one.address == "127.0.0.1"  # TLS with the job's key, or PMI-1 for this user; logical hosts listen on the loopback address only
    return kind == "rank" and one.kind in ("tcp", "tcp6", "udp")  # sockets of MPI


def members_of(job):
    return {**family(job.process.pid), **processes(**job.mark), **processes(DUCTILE_JOB=job.id)}


def expect_only_what_authenticates(job, *needed):
    seen, wrong = set(), []
    for pid, command in members_of(job).items():
        kind = kind_of(command)
        for one in listeners_of(pid):
            seen.add((kind, one.kind))
            if not is_allowed(kind, one, os.path.dirname(job.directory()) + "/"):
                wrong.append((kind, one))
    assert not wrong, wrong
    assert {*needed, ("agent", "tcp"), ("agent", "unix")} <= seen, seen


def test_only_what_authenticates_listens():
    """At the start, with ranks that agents or ranks have started, without a broker, and with the next broker."""
    of_broker = (("broker", "tcp"), ("broker", "unix"))
    with AttackedJob("-n", "2") as job:
        job.running()
        expect_only_what_authenticates(job, *of_broker)
        for size, start in ((3, "launch"), (4, "collective"), (1, ""), (4, "diffusive")):
            done = job.resize(size, *(("--start", start) if start else ()))
            assert done.returncode == 0, (size, start, done)
            expect_only_what_authenticates(job, *of_broker)
        job.broker_dies()
        for _ in range(10):
            expect_only_what_authenticates(job)
            time.sleep(0.2)
        job.resume()
        expect_only_what_authenticates(job, *of_broker)
        job.expect_whole(2, 4)


def test_without_the_key():
    """A stranger without the key gets at most a TLS alert from the ports of the broker and the agents, and does no harm."""
    with AttackedJob("-n", "2") as job:
        job.running()
        ports = {one.port for pid, command in members_of(job).items() if kind_of(command) in ("broker", "agent") for one in listeners_of(pid) if one.kind == "tcp"}
        assert len(ports) >= 5, ports
        garbage = (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 70000, os.urandom(4096), b"\x04\0\0\0abcd", b"\xff" * 100, HALF_HELLO, b"\x15\x03\x01\x00\x02\x02\x28", b"\x17\x03\x03\xff\xff" + b"x" * 65535)
        for port in ports:
            for data in garbage:
                said = tell(port, data)
                assert said is None or said[:1] in (b"", b"\x15"), (port, data[:20], said[:60])
            for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                context.minimum_version = context.maximum_version = version
                try:
                    with socket.create_connection(("127.0.0.1", port), 5) as plain, context.wrap_socket(plain) as tls:
                        tls.sendall(b"\x01\0\0\0\xa0")
                        raise AssertionError(("TLS without the key", port, version, tls.recv(100)))
                except OSError:
                    pass  # the handshake fails
        job.expect_whole(3, 1)


def tell(port, data):
    """The answer. None if the other side waits for more."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), 5) as one:
        one.settimeout(0.3)
        try:
            one.sendall(data)
            while more := one.recv(65536):
                said += more
        except ConnectionError:
            pass
        except TimeoutError:
            return said or None
    return said
