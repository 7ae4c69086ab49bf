#!/usr/bin/env python3
"""A program for `ductile run --rms-command`: gives a job hosts from a file with lines NAME [slots=N]."""
import json
import sys


def read_pool(path):
    lines = [line.split("#")[0].split() for line in open(path)]
    return {words[0]: int(words[1].removeprefix("slots=")) if words[1:] else 1
            for words in lines if words}


def say(**message):
    print(json.dumps(message), flush=True)


def grant(request, free):
    """Grants the free hosts that the request allows. Returns True if this is the last answer to the request."""
    wanted = request["constraints"]
    names = [name for name, slots in free.items()
             if slots >= wanted["min_slots"] and name not in wanted["exclude"]][:request["hosts"]]
    last = len(names) == request["hosts"] or request["hosts"] > len(pool)
    request["hosts"] -= len(names)
    if names or last:
        say(type="granted", id=request["id"], last=last,
            hosts=[{"name": name, "slots": free.pop(name)} for name in names])
    return last


pool = read_pool(sys.argv[1])
free, waiting = dict(pool), {}
for message in map(json.loads, sys.stdin):
    if message["type"] == "hello":
        for host in message["held"]:
            free.pop(host["name"], None)
    elif message["type"] == "request":
        waiting[message["id"]] = message
    elif message["type"] == "cancel":
        waiting.pop(message["id"], None)
        say(type="denied", id=message["id"], reason="cancelled")
    elif message["type"] == "release" and message["host"] in pool:
        free[message["host"]] = pool[message["host"]]
    waiting = {number: request for number, request in waiting.items() if not grant(request, free)}
