"""Clusters of the largest size: all hosts reach each other, and their entries in the ARP tables are permanent."""

import json
import os
import subprocess

from virtual_cluster import PYTHON

HOSTS = 64
MESH_HOST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mesh_host.py")
# Prints how many ARP entries a host has, and how many of them are permanent.
ENTRIES = "awk 'NR > 1 { entries++; if ($3 == \"0x6\") permanent++ } END { print entries + 0, permanent + 0 }' /proc/net/arp"


def addresses(hosts):
    return {"head": "10.66.0.254", **{f"node{number:02}": f"10.66.0.{number}" for number in range(1, hosts + 1)}}


def entries(cluster, host):
    return cluster.ok("exec", "--console", host, "--", "sh", "-c", ENTRIES).strip()


def test_all_hosts_talk_to_each_other_at_once(cluster):
    cluster.up(HOSTS)
    places = addresses(HOSTS)
    processes = []
    for name, own in places.items():
        others = [address for address in places.values() if address != own]
        processes.append(cluster.start("exec", name, "--", PYTHON, MESH_HOST, *others, stdin=subprocess.PIPE))
        cluster.cleanup.callback(end, processes[-1])
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("connect\n")
        process.stdin.flush()
    results = dict(zip(places, [json.loads(process.stdout.readline()) for process in processes]))
    print(f"{HOSTS} hosts and the head, slowest connection {max(r['seconds'] for r in results.values()):.2f} s")
    for name, result in results.items():
        assert (result["connected"], result["failed"]) == (HOSTS, {}), name
        # Without an entry a packet would be lost, and repeated after 1 s.
        assert result["syn_repeats"] == 0, name
        expected = {address: True for address in places.values() if address != places[name]}
        assert result["neighbours"] == expected, name
    cluster.ok("down")
    cluster.assert_nothing_left()


def end(process):
    process.kill()
    process.communicate(timeout=20)


def test_entries_follow_what_a_host_reaches(cluster):
    cluster.up(4)
    assert [entries(cluster, host) for host in ("head", "node01", "node04")] == ["4 4"] * 3
    cluster.ok("kill", "node02")
    assert [entries(cluster, host) for host in ("head", "node01", "node04")] == ["3 3"] * 3
    cluster.ok("cut", "node04")
    assert [entries(cluster, host) for host in ("head", "node01", "node04")] == ["2 2", "2 2", "0 0"]
    cluster.ok("start", "node02")
    assert [entries(cluster, host) for host in ("head", "node02", "node04")] == ["3 3", "3 3", "0 0"]
    cluster.ok("mend", "node04")
    for host in ("head", "node01", "node02", "node03", "node04"):
        assert entries(cluster, host) == "4 4", host
    cluster.note_namespaces()  # those of the second node02, too
    cluster.ok("down")
    cluster.assert_nothing_left()
