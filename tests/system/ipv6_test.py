"""Hosts that have addresses of IPv6 alone."""
import os
import subprocess

import pytest
from ductile_job import DUCTILE, wait_until
from host_job import NAME, HostJob, cluster, layout, nothing_left
from patience import patient

pytestmark = [pytest.mark.cluster, pytest.mark.hosts(3), pytest.mark.usefixtures("virtual_hosts")]


def only_ipv6(host, device, address):
    cluster("exec", host, "--", "ip", "-6", "addr", "add", f"{address}/64", "dev", device, "nodad")
    cluster("exec", host, "--", "ip", "-4", "addr", "flush", "dev", device)


def is_ready(host, device):
    """For some seconds the kernel looks for another host with the same link-local address. MPICH cannot use the address before."""
    return not cluster("exec", host, "--", "ip", "-6", "addr", "show", "dev", device, "tentative").stdout


@pytest.fixture
def ipv6(virtual_hosts, tmp_path):
    """The hosts file of the addresses, and the remote shell that knows them."""
    places = [("head", "cluster0", "fd00::fe"), *((f"node0{host}", "eth0", f"fd00::{host}") for host in (1, 2, 3))]
    for place in places:
        only_ipv6(*place)
    for host, device, _ in places:
        wait_until(f"the addresses of {host} can be used", lambda host=host, device=device: is_ready(host, device), 20, 0.2)
    hosts, shell = tmp_path / "hosts", tmp_path / "shell"
    hosts.write_text("fd00::1\n[fd00::2]\nFD00::3\n")
    shell.write_text(f'#!/bin/sh\nhost=$1\nshift\nexec {DUCTILE} cluster exec --name {NAME} "node0${{host##*:}}" -- "$@"\n')
    shell.chmod(0o755)
    return str(hosts), f"{shell} {{host}} {{argv}}"


def test_a_job_on_hosts_with_ipv6_alone(ipv6):
    hosts, shell = ipv6
    with HostJob(100000, 10000, "-n", "2", per_host=2, hosts=hosts, shell=shell) as job:
        assert job.resize("6").returncode == 0, job.text()
        assert [(host, ranks) for host, _, ranks in layout(job)] == [("fd00::1", 2), ("fd00::2", 2), ("FD00::3", 2)], job.status()
        assert job.resize("--release", "fd00::2:1", "--release", "[fd00::3]").returncode == 0, job.text()
        assert [(host, ranks) for host, _, ranks in layout(job)] == [("fd00::1", 2), ("fd00::2", 1)], job.status()
        refused = job.resize("--release", "fd00::9")
        assert refused.returncode == 3 and "no host 'fd00::9'" in refused.stderr, refused
        assert job.resize("4", "--reclaim", "fd00::2:1").returncode == 0, job.text()
        job.broker_is_killed()
        assert job.resumes()["ranks"] == 4
        assert job.resize("6").returncode == 0, job.text()
        job.ends_well(6)
    nothing_left()


def test_children_on_hosts_with_ipv6_alone(ipv6):
    hosts, shell = ipv6
    result = subprocess.run([DUCTILE, "cluster", "exec", "--name", NAME, "head", "--", DUCTILE, "run", "-n", "1", "--tag", "--hosts", hosts, "--ranks-per-host", "2",
                             "--remote-shell", shell, "--", os.environ["SPAWNER_PROGRAM"], "info", "3", "self", "host", "fd00::3:2,fd00::2"],
                            capture_output=True, text=True, timeout=patient(60), stdin=subprocess.DEVNULL)
    assert result.returncode == 0 and "[g0.0] info 6" in result.stdout, result
    places = sorted(line.split(" in ")[0] for line in result.stdout.splitlines() if "child" in line)
    assert places == [f"[g1.{rank}] child {rank} on host {host}" for rank, host in enumerate((2, 2, 1))], result
    nothing_left()
