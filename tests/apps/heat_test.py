"""heat: the same field, byte for byte, on 1 and 2 ranks, on more ranks than rows, over resizes, and without `ductile run`."""
import os
import subprocess
import tempfile
import time
import unittest

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


class Heat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def fixed(self, ranks, steps, grid=GRID):
        field = self.path(f'field{ranks}')
        run([DUCTILE, 'run', '--local=1', '--ranks-per-host', str(ranks), '-n', str(ranks), '--', HEAT, *grid, '--steps',
             str(steps), '--field', field])
        return contents(field)

    def test_the_field_does_not_depend_on_the_number_of_ranks(self):
        one = self.fixed(1, 50)
        self.assertEqual(len(one), 32 + 301 * 190 * 8)
        self.assertTrue(self.fixed(2, 50) == one)
        self.assertTrue(self.fixed(3, 50) == one)

    def test_there_may_be_more_ranks_than_rows(self):
        tiny = ['--rows', '3', '--cols', '8']
        self.assertTrue(self.fixed(4, 9, tiny) == self.fixed(1, 9, tiny))

    def test_the_field_changes_with_each_step_and_with_the_seed(self):
        self.assertFalse(self.fixed(1, 50) == self.fixed(1, 51))
        self.assertFalse(self.fixed(1, 50) == self.fixed(1, 50, GRID[:-1] + ['8']))

    def test_it_runs_without_ductile_run(self):
        field = self.path('alone')
        run([HEAT, *GRID, '--steps', '50', '--field', field])
        self.assertTrue(contents(field) == self.fixed(1, 50))

    def test_resizes_do_not_change_the_field(self):
        events, stop, field = self.path('events'), self.path('stop'), self.path('resized')
        job = subprocess.Popen(
            [DUCTILE, 'run', '--local=3', '--ranks-per-host', '2', '-n', '2', '--events', events, '--', HEAT, *GRID, '--steps',
             '1000000000', '--until', stop, '--field', field, '--report-every', '0'],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            name = self.wait_for_start(events, job)
            for hosts in (3, 1, 2, 3, 1):
                run([DUCTILE, 'resize', name, '--hosts', str(hosts), '--wait'])
                time.sleep(0.2)
            with open(stop, 'w'):
                pass
            output, _ = job.communicate(timeout=60)
        finally:
            job.terminate()
            job.wait(timeout=30)
        self.assertEqual(job.returncode, 0, output)
        steps = int.from_bytes(contents(field)[24:32], 'little')
        self.assertGreater(steps, 0)
        self.assertTrue(contents(field) == self.fixed(1, steps))

    def wait_for_start(self, events, job):
        end = time.monotonic() + 40
        while time.monotonic() < end and job.poll() is None:
            text = contents(events).decode() if os.path.exists(events) else ''
            if '"event":"job_running"' in text:
                return text.split('"job":"')[1].split('"')[0]
            time.sleep(0.05)
        self.fail('the job has not started')


if __name__ == '__main__':
    unittest.main()
