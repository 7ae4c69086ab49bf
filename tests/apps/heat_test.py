"""heat: the same field, byte for byte, on 1 and 2 ranks, on more ranks than rows, over resizes, and without `ductile run`."""
import json
import os
import subprocess
import time

import pytest

BIN = os.environ['DUCTILE_BIN']
DUCTILE = f'{BIN}/ductile'
HEAT = f'{BIN}/heat'
GRID = ['--rows', '301', '--cols', '190', '--seed', '7']


def run(words, limit=60):
    done = subprocess.run(words, capture_output=True, text=True, timeout=limit)
    assert done.returncode == 0, f'{words}: {done.returncode}\n{done.stdout}{done.stderr}'
    return done.stdout


def contents(path):
    with open(path, 'rb') as file:
        return file.read()


class Fields:
    """Fields that runs of heat leave in a folder."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def fixed(self, ranks, steps, grid=GRID):
        field = self.path(f'field{ranks}')
        run([DUCTILE, 'run', '--local=1', '--ranks-per-host', str(ranks), '-n', str(ranks), '--', HEAT, *grid, '--steps',
             str(steps), '--field', field])
        return contents(field)


@pytest.fixture
def fields(tmp_path):
    return Fields(tmp_path)


def equal(one, other):
    """Without a line of text for each byte."""
    return one == other


def test_the_field_does_not_depend_on_the_number_of_ranks(fields):
    one = fields.fixed(1, 50)
    assert len(one) == 32 + 301 * 190 * 8
    assert equal(fields.fixed(2, 50), one)
    assert equal(fields.fixed(3, 50), one)


def test_there_may_be_more_ranks_than_rows(fields):
    tiny = ['--rows', '3', '--cols', '8']
    assert equal(fields.fixed(4, 9, tiny), fields.fixed(1, 9, tiny))


@pytest.mark.parametrize('words', ((51, GRID), (50, [*GRID[:-1], '8'])), ids=('step', 'seed'))
def test_the_field_changes_with_each_step_and_with_the_seed(fields, words):
    assert not equal(fields.fixed(1, 50), fields.fixed(1, *words))


def test_it_runs_without_ductile_run(fields):
    field = fields.path('alone')
    run([HEAT, *GRID, '--steps', '50', '--field', field])
    assert equal(contents(field), fields.fixed(1, 50))


def test_resizes_do_not_change_the_field(fields):
    events, stop, field = fields.path('events'), fields.path('stop'), fields.path('resized')
    job = subprocess.Popen(
        [DUCTILE, 'run', '--local=3', '--ranks-per-host', '2', '-n', '2', '--events', events, '--', HEAT, *GRID, '--steps',
         '1000000000', '--until', stop, '--field', field, '--report-every', '0'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        name = wait_for_start(events, job)
        for hosts in (3, 1, 2, 3, 1):
            run([DUCTILE, 'resize', name, '--hosts', str(hosts), '--wait'])
            time.sleep(0.2)  # some steps of this size
        with open(stop, 'w'):
            pass
        output, _ = job.communicate(timeout=60)
    finally:
        job.terminate()
        job.wait(timeout=30)
    assert job.returncode == 0, output
    steps = int.from_bytes(contents(field)[24:32], 'little')
    assert steps > 0
    assert equal(contents(field), fields.fixed(1, steps))


def wait_for_start(events, job):
    """The job's name, once its record says that it runs."""
    end = time.monotonic() + 40
    while time.monotonic() < end and job.poll() is None:
        whole = contents(events).decode().split('\n')[:-1] if os.path.exists(events) else []
        happened = {event['event']: event for event in map(json.loads, whole)}
        if 'job_running' in happened:
            return happened['job_started']['job']
        time.sleep(0.05)
    pytest.fail('the job has not started')
