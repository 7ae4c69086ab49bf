#!/usr/bin/env python3
"""A policy for ductile run --policy-command (docs/policies.md): the number of ranks is a power of two.

The job doubles if no job waits and enough slots are free. It halves if a waiting job can then start on free hosts.
"""
import json
import sys


def halves(job):
    """Three numbers: the hosts that half of the job needs, the ranks on these, and the hosts that then become free."""
    kept = held = freed = 0
    for run in job["hosts"]:
        for _ in range(run["hosts"]):
            if held < job["ranks"] // 2:
                kept, held = kept + 1, held + run["ranks"]
            else:
                freed += run["returnable"]
    return kept, held, freed


def decide(job, cluster, now):
    global halved_at
    ranks, idle = job["ranks"], cluster["idle_hosts"]
    if not cluster["waiting"]:
        room = job["free_slots"] + idle * job["slots_per_host"]
        if room >= ranks and (not job["max"] or 2 * ranks <= job["max"]):
            return {"ranks": 2 * ranks, "why": f"{room} slots are free, and no job waits"}
        return {"why": f"only {room} slots are free, or the limit is reached"}
    first = cluster["waiting"][0]
    kept, held, freed = halves(job)
    if first["hosts"] <= idle or now < halved_at + 60:
        return {"why": f"job {first['id']} should start soon"}
    if held == ranks // 2 >= max(1, job["min"]) and first["hosts"] <= idle + freed:
        halved_at = now
        return {"hosts": kept, "why": f"job {first['id']} waits for {first['hosts']} hosts"}
    return {"why": f"job {first['id']} waits, and the hosts of half of the job would not be enough"}


halved_at = -60.0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":  # the first message, "hello", has the version and the job
        answer = decide(message["job"], message["cluster"], message["now_s"])
        print(json.dumps({"type": "decision", "id": message["id"], **answer}), flush=True)
