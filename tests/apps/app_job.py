"""Jobs of the programs under apps/, for their tests."""
import json
import os
import subprocess
import time

import pytest

BIN = os.environ['DUCTILE_BIN']
DUCTILE = f'{BIN}/ductile'


def run(words, limit=60):
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, f'{words}: {done.returncode}\n{done.stdout}{done.stderr}'
    return done.stdout


def wait_for_start(events, job):
    """Waits until the events of the job say that it runs. Returns its name."""
    end = time.monotonic() + 40
    while time.monotonic() < end and job.poll() is None:
        whole = []
        if os.path.exists(events):
            with open(events, encoding='utf-8') as file:
                whole = file.read().split('\n')[:-1]
        happened = {event['event']: event for event in map(json.loads, whole)}
        if 'job_running' in happened:
            return happened['job_started']['job']
        time.sleep(0.05)
    pytest.fail('the job has not started')


def run_with_requests(options, program, stop, events, requests, pause):
    """Runs a program that ends when the file `stop` appears, and returns its output. Before this, its job is resized by each of
    these requests (arguments of `ductile resize`), and computes for pause() seconds after each. `options`: of `ductile run`."""
    job = subprocess.Popen([DUCTILE, 'run', *options, '--events', events, '--', *program],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        name = wait_for_start(events, job)
        for words in requests:
            run([DUCTILE, 'resize', name, *words, '--wait'])
            time.sleep(pause())
        with open(stop, 'w'):
            pass
        output, _ = job.communicate(timeout=60)
    finally:
        job.terminate()
        job.wait(timeout=30)
    assert job.returncode == 0, output
    return output


def run_with_resizes(program, stop, events, sizes):
    """Like run_with_requests, with resizes to these numbers of hosts."""
    return run_with_requests(['--local=3', '--ranks-per-host', '2', '-n', '2'], program, stop, events,
                             [['--hosts', str(hosts)] for hosts in sizes], lambda: 0.2)  # some steps of each size
