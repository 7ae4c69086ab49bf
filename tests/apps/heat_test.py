"""heat: the same field, byte for byte, on 1 and 2 ranks, on more ranks than rows, over resizes, and without `ductile run`."""
import os

import pytest
from app_job import BIN, DUCTILE, run, run_with_resizes

HEAT = f'{BIN}/heat'
GRID = ['--rows', '301', '--cols', '190', '--seed', '7']


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
    """Whether two fields are equal. A bare comparison in an assert would print a line for each byte."""
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
    run_with_resizes([HEAT, *GRID, '--steps', '1000000000', '--until', stop, '--field', field, '--report-every', '0'], stop,
                     events, (3, 1, 2, 3, 1))
    steps = int.from_bytes(contents(field)[24:32], 'little')
    assert steps > 0
    assert equal(contents(field), fields.fixed(1, steps))
