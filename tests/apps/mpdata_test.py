"""mpdata: the field is that of the rigid program, bit for bit, on any number of ranks and threads, and over resizes."""
import difflib
import os
import re
import struct
import subprocess

import pytest
from app_job import BIN, DUCTILE, run, run_with_resizes

MPDATA = f'{BIN}/mpdata'
RIGID = f'{BIN}/mpdata_rigid'
DMR = f'{BIN}/mpdata_dmr'  # through the interface of DMR
os.environ.setdefault('OMP_WAIT_POLICY', 'passive')  # threads that spin take the cores from other ranks


def text(cells, boundary, passes=2, gauge='false'):
    return f"""[grid]
cells = {cells}
boundary = {boundary}
[scheme]
passes = {passes}
non_oscillatory = true
infinite_gauge = {gauge}
[run]
problem = "revolving_sphere"
steps = 12
"""


class Inputs:
    """Input files in a folder, and runs of them."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, content):
        path = self.path('input.toml')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        return path

    def fixed(self, ranks, content, *options, program=MPDATA):
        return result(run([DUCTILE, 'run', '--local=1', '--ranks-per-host', str(ranks), '-n', str(ranks), '--', program,
                           self.file(content), '--checksum', *options]))


@pytest.fixture
def inputs(tmp_path):
    return Inputs(tmp_path)


def result(output):
    """The step that a run ended with, and the checksum of its field."""
    found = re.search(r'^step (\d+)  checksum ([0-9a-f]{16})$', output, re.M)
    assert found, output
    return int(found[1]), found[2]


OPEN = text([23, 12, 10], ['open', 'open', 'open'])
PERIODIC = text([23, 12, 10], ['periodic', 'open', 'periodic'], passes=3)


@pytest.mark.parametrize('content', (OPEN, PERIODIC), ids=('open', 'periodic'))
def test_the_field_does_not_depend_on_ranks_and_threads(inputs, content):
    one = inputs.fixed(1, content)
    assert one[0] == 12
    assert inputs.fixed(2, content) == one
    assert inputs.fixed(3, content, '--threads', '2') == one
    assert inputs.fixed(2, content, program=RIGID) == one


def test_there_may_be_more_ranks_than_planes(inputs):
    tiny = text([3, 5, 4], ['periodic', 'open', 'open'])
    assert inputs.fixed(4, tiny) == inputs.fixed(1, tiny)


def test_forty_lines_make_it_malleable():
    """docs/porting.md explains these lines."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../apps/mpdata')
    programs = []
    for name in ('mpdata_rigid.cpp', 'mpdata.cpp'):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            programs.append(file.readlines())
    added = [line for line in difflib.ndiff(*programs) if line.startswith('+ ')]
    assert 0 < len(added) <= 40, ''.join(added)


def test_steps_and_scheme_change_the_field(inputs):
    one = inputs.fixed(1, OPEN)
    assert inputs.fixed(1, OPEN, '--steps', '13')[1] != one[1]
    assert inputs.fixed(1, text([23, 12, 10], ['open', 'open', 'open'], gauge='true'))[1] != one[1]


def test_it_runs_without_ductile_run(inputs):
    assert result(run([MPDATA, inputs.file(OPEN), '--checksum'])) == inputs.fixed(1, OPEN)


def test_a_restart_does_not_change_the_field(inputs):
    field = inputs.path('field.h5')
    for ranks, others in ((1, 3), (3, 2)):
        assert inputs.fixed(ranks, PERIODIC, '--steps', '5', '--field', field)[0] == 5
        assert inputs.fixed(others, PERIODIC, '--restart', field) == inputs.fixed(1, PERIODIC)
    assert inputs.fixed(2, PERIODIC, '--restart', field, program=RIGID) == inputs.fixed(1, PERIODIC)


def test_the_field_file_is_hdf5_and_whole(inputs):
    field = inputs.path('field.h5')
    inputs.fixed(2, OPEN, '--field', field)
    with open(field, 'rb') as file:
        assert file.read(8) == b'\x89HDF\r\n\x1a\n'
    assert os.path.getsize(field) >= 23 * 12 * 10 * 8
    assert not os.path.exists(field + '.part')


@pytest.mark.parametrize(('content', 'name', 'message'), (
    (PERIODIC.replace('23', '22'), 'field.h5', 'holds a field of another grid'),
    (PERIODIC, 'none.h5', 'cannot read'),
    (PERIODIC, 'input.toml', 'cannot read'),
), ids=('other grid', 'no file', 'no HDF5'))
def test_a_wrong_restart_is_named(inputs, content, name, message):
    inputs.fixed(1, PERIODIC, '--steps', '1', '--field', inputs.path('field.h5'))
    done = subprocess.run([MPDATA, inputs.file(content), '--restart', inputs.path(name)], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 1
    assert message in done.stderr


def picture(path):
    """Rows, columns, step and values of a picture."""
    with open(path, 'rb') as file:
        assert file.read(8) == b'DUCTADVE'
        rows, columns, step = struct.unpack('=3q', file.read(24))
        values = struct.unpack(f'={rows * columns}d', file.read())
    return rows, columns, step, values


def test_the_picture_is_of_the_final_field(inputs):
    """The picture does not depend on the number of ranks or on the program. It shows the sphere and empty space around it."""
    drawn = []
    for ranks, program in ((1, MPDATA), (3, MPDATA), (2, RIGID), (2, DMR)):
        path = inputs.path('picture')
        inputs.fixed(ranks, OPEN, '--picture', path, program=program)
        drawn.append(picture(path))
        os.remove(path)
    assert drawn[0][:3] == (23, 12, 12)
    assert drawn[1:] == drawn[:1] * 3
    assert max(drawn[0][3]) > 1 and sum(value < 0.1 for value in drawn[0][3]) > 23 * 12 / 2


@pytest.mark.parametrize('content', (OPEN, PERIODIC), ids=('open', 'periodic'))
def test_through_dmr_the_field_is_the_same(inputs, content):
    one = inputs.fixed(1, content)
    for ranks in (1, 2, 3):
        assert inputs.fixed(ranks, content, program=DMR) == one
    assert result(run([DMR, inputs.file(content), '--checksum'])) == one


def test_through_dmr_a_restart_does_not_change_the_field(inputs):
    field = inputs.path('field.h5')
    assert inputs.fixed(2, PERIODIC, '--steps', '5', '--field', field, program=DMR)[0] == 5
    assert inputs.fixed(3, PERIODIC, '--restart', field, program=DMR) == inputs.fixed(1, PERIODIC)


@pytest.mark.parametrize('program', (MPDATA, DMR), ids=('mpdata', 'mpdata_dmr'))
def test_resizes_do_not_change_the_field(inputs, program):
    stop = inputs.path('stop')
    output = run_with_resizes([program, inputs.file(PERIODIC), '--steps', '1000000000', '--until', stop, '--checksum',
                               '--report-every', '0'], stop, inputs.path('events'), (3, 1, 2, 3, 1))
    steps, checksum = result(output)
    assert steps > 0
    assert inputs.fixed(1, PERIODIC, '--steps', str(steps)) == (steps, checksum)


@pytest.mark.parametrize(('change', 'message'), (
    (('cells = [23', 'cells = [0'), 'grid.cells: must be a whole number from 1'),
    (('passes = 2', 'passes = 3\nstep = 1'), 'scheme.step: is not known'),
    (('passes = 2', 'passes = 9'), 'scheme.passes: must be a whole number from 1 to 8'),
    (('"revolving_sphere"', '"cone"'), "there is no problem 'cone'"),
    (('[run]', '[run'), 'input.toml:8:'),
), ids=('cells', 'key', 'passes', 'problem', 'syntax'))
def test_a_wrong_input_is_named(inputs, change, message):
    done = subprocess.run([MPDATA, inputs.file(OPEN.replace(*change))], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert message in done.stderr
