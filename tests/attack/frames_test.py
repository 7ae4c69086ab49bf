"""Malicious frames are sent to a broker and to its agents. They would cost a careless reader memory, stack or time."""
import os
import socket
import struct
import time

import pytest
from attack import AttackedJob, bombs, cbor, frame, run, talk


def throw(job, path, frames):
    """Sends each frame. It is refused with a reason, or the connection is closed. The broker and its agents live on."""
    agents = job.agents()
    assert agents
    failures = []
    for name, data in frames.items():
        said = talk(path, data)
        if said is None:
            failures.append((name, "neither an answer nor an end within 8 s"))
        if job.process.poll() is not None:
            raise AssertionError((name, "has ended the broker", job.process.returncode, job.stderr()))
        now = job.agents()
        if set(agents) - set(now):
            raise AssertionError((name, "has ended an agent", agents, now, job.stderr()))
    assert not failures, failures
    assert os.path.exists(job.directory() + "/journal.sqlite"), "the journal is still there"


def test_bombs_at_the_broker():
    with AttackedJob("-n", "2") as job:
        job.running()
        throw(job, job.directory() + "/broker.sock", bombs())
        job.is_stepping()
        job.expect_whole(3, 1)


def test_bombs_at_an_agent():
    with AttackedJob("-n", "2") as job:
        job.running()
        for path in job.agent_sockets():
            throw(job, path, bombs())
        job.is_stepping()
        job.expect_whole(3, 1)


def test_broker_is_taken_over_after_bombs():
    """The frames have not damaged the journal."""
    with AttackedJob("-n", "2") as job:
        job.running()
        throw(job, job.directory() + "/broker.sock", bombs())
        job.broker_dies()
        job.resume()
        job.expect_whole(4, 1)


def test_bombs_at_a_cluster():
    """The frames of a cluster have another format: a length, then words that each end with a zero byte."""
    up = run("cluster", "up", "1", "--cores", "1", "--name", "bombed")
    if up.returncode != 0:
        pytest.skip(up.stderr.decode())
    folder = f"/tmp/ductile-cluster-{os.geteuid()}/cluster-bombed"
    words = {"nothing but zeros": b"\0" * 5000, "no end": b"status", "a million words": b"ps\0" + b"\0" * 1_000_000, "no word": b"\0", "no host": b"kill\0", "an odd host": b"kill\0\x1b[2J\0",
             "an odd verb": b"\x1b]0;x\x07\0node01\0", "no files": b"exec\0node01\0network\0", "no command": b"exec\0node01\0console\0000\0/\0" + b"0\0\0", "a count of 2^64": b"exec\0node01\0console\0000\0/\0" + b"18446744073709551616\0x\0",
             "a long path": b"freeze\0node01\0" + b"/" * 1_000_000 + b"\0"}
    try:
        for name, data in {**bombs(), **{name: frame(data) for name, data in words.items()}, "a frame of 4 MiB and a byte": struct.pack("<I", (4 << 20) + 1)}.items():
            said = talk(f"{folder}/socket", data)
            assert said is not None, (name, "neither an answer nor an end within 8 s")
            alive = run("cluster", "status", "--name", "bombed", "--json")
            assert alive.returncode == 0, (name, alive)
        result = run("cluster", "exec", "--name", "bombed", "node01", "--", "echo", "well")
        assert result.returncode == 0 and result.stdout == b"well\n", result
    finally:
        assert run("cluster", "down", "--name", "bombed").returncode == 0


def strange():
    """Valid CBOR that is not a valid request: wrong types, sizes and names."""
    size = {"type": "resize", "size": {"lower": 2, "upper": 2}, "unit": "ranks", "release": [], "wait": True, "dry_run": True, "replace": False, "switch_within_s": 0.0, "renew": False,
            "method": "standard", "start": "standard", "overlap": "standard", "join": "standard", "redistribution": "standard", "memory": "standard", "shrink": "standard"}
    found = {}
    for key in size:
        for other in (None, -1, 2**63 - 1, -2**63, 1e308, float("nan"), "x" * 300, b"\xff\x1b]0;x\x07", [], [[]], {}, True):
            found[f"{key} is {str(other)[:20]}"] = frame({**size, key: other})
        found[f"no {key}"] = frame({k: v for k, v in size.items() if k != key})
    found["a size of 2^64 - 1"] = frame(cbor({**size, "size": {"lower": 1, "upper": 0}}).replace(cbor("upper") + b"\x00", cbor("upper") + b"\x1b" + b"\xff" * 8))
    found["a range that falls"] = frame({**size, "size": {"lower": 4, "upper": 2}})
    found["a range from nothing"] = frame({**size, "size": {"lower": 0, "upper": 2}})
    found["hosts without end"] = frame({**size, "release": ["x" * 200] * 4000})
    found["a rank of no group"] = frame({"type": "rank_hello", "group": 7, "rank": 0, "pid": 1})
    found["a shim of no group"] = frame({"type": "shim_hello", "group": 0, "rank": 9999, "pid": 1})
    found["a proxy of no launcher"] = frame({"type": "remote_launch", "group": 0, "host": "x", "argv": ["touch", "/tmp/owned"]})
    for name in ("ready", "round_done", "formed", "goodbye", "rank_report", "shim_ended", "joined_job", "pace", "useful_time", "progress", "arrived"):
        found[f"first of all: {name}"] = frame({"type": name, "group": 0, "rank": 0})
    return found


def test_strange_requests():
    """No invalid request is carried out. The valid ones among them only ask for a plan (dry_run)."""
    with AttackedJob("-n", "2") as job:
        job.running()
        broker = job.directory() + "/broker.sock"
        obeyed = ("dry_run is True", "wait is True", "replace is True")
        throw(job, broker, {name: data for name, data in strange().items() if not name.startswith(("dry_run", "no dry_run"))})
        for path in job.agent_sockets():
            throw(job, path, {name: data for name, data in strange().items() if name not in obeyed})
        assert job.status()["ranks"] == 2 and not os.path.exists("/tmp/owned"), job.status()
        job.expect_whole(3, 1)


def test_many_silent_askers():
    """Hundreds of connections that send nothing or half a frame do not keep other commands out."""
    with AttackedJob("-n", "2") as job:
        job.running()
        held = []
        for path in (job.directory() + "/broker.sock", *job.agent_sockets()):
            for i in range(300):
                one = socket.socket(socket.AF_UNIX)
                one.setblocking(False)
                try:
                    one.connect(path)
                    if i % 2:
                        one.send(struct.pack("<I", 1 << 20) + b"\xa1")
                except BlockingIOError:
                    pass  # its queue is full
                held.append(one)
        begin = time.monotonic()
        job.expect_resize(4, 2)
        assert time.monotonic() - begin < 30
        for one in held:
            one.close()
        job.expect_whole(3, 1)
