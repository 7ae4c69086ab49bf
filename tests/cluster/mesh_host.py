"""One host of a mesh: it listens. When it reads a line, it connects to all other hosts at the same time, and prints the result as JSON."""

import json
import selectors
import socket
import sys
import time

PORT = 7000
LIMIT_S = 20
PERMANENT = 4  # ATF_PERM of linux/if_arp.h


def neighbours():
    """{address: whether its ARP entry is permanent}."""
    with open("/proc/net/arp") as table:
        rows = [line.split() for line in table][1:]
    return {row[0]: bool(int(row[2], 16) & PERMANENT) for row in rows}


def syn_repeats():
    with open("/proc/net/netstat") as counters:
        names, values = [line.split() for line in counters if line.startswith("TcpExt:")]
    return int(values[names.index("TCPSynRetrans")])


def connect_all(addresses):
    """Connects to all addresses. Returns the connections, and why the others failed."""
    selector = selectors.DefaultSelector()
    for address in addresses:
        peer = socket.socket()
        peer.setblocking(False)
        peer.connect_ex((address, PORT))
        selector.register(peer, selectors.EVENT_WRITE, address)
    connections, failed = [], {}
    end = time.monotonic() + LIMIT_S
    while selector.get_map() and time.monotonic() < end:
        for key, _ in selector.select(0.1):
            error = key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            selector.unregister(key.fileobj)
            if error:
                failed[key.data] = error
            else:
                connections.append(key.fileobj)
    failed.update({key.data: "no answer" for key in selector.get_map().values()})
    return connections, failed


def main():
    others = sys.argv[1:]
    with socket.create_server(("", PORT), backlog=len(others)):
        print("ready", flush=True)
        sys.stdin.readline()
        begin = time.monotonic()
        connections, failed = connect_all(others)
        seconds = time.monotonic() - begin
        print(json.dumps({"connected": len(connections), "failed": failed, "seconds": seconds,
                          "syn_repeats": syn_repeats(), "neighbours": neighbours()}), flush=True)
        sys.stdin.readline()  # others may still be connecting


main()
