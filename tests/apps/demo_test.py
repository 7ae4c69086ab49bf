"""`ductile demo --quick`: all its checks hold, its page is complete, and it leaves nothing behind, even after Ctrl-C and kill -9."""
import os
import re
import secrets
import signal
import subprocess
import tempfile
import time

import pytest

BIN = os.environ['DUCTILE_BIN']
DUCTILE = f'{BIN}/ductile'
SAME = {'heat': 'equal, byte for byte', 'mpdata': 'the checksums of both fields are equal'}
LIBRARY = os.path.exists(f'{BIN}/../share/ductile/plotly.min.js')


def marked(mark):
    """The processes of this machine that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/environ', 'rb') as file:
                if mark in file.read().split(b'\0'):
                    with open(f'/proc/{pid}/cmdline', 'rb') as words:
                        found.append((pid, words.read()))
        except OSError:
            pass
    return found


class Demo:
    """Starts demos, whose processes have a mark."""

    def __init__(self, words, folder):
        self.words = words
        self.folder = folder
        self.mark = f'DEMO_TEST={folder}'.encode()
        self.environment = {**os.environ, 'DEMO_TEST': folder, 'TMPDIR': folder}

    def start(self, *words):
        return subprocess.Popen([DUCTILE, 'demo', '--quick', *self.words, *words], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def nothing_is_left(self, within):
        end = time.monotonic() + within
        while marked(self.mark) and time.monotonic() < end:
            time.sleep(0.1)
        assert marked(self.mark) == []


@pytest.fixture(params=('virtual', 'logical'))
def demo(request):
    if request.param == 'virtual':
        tried = subprocess.run([DUCTILE, 'cluster', 'up', '1', '--name', f'try-{secrets.token_hex(4)}', '--', '/bin/true'],
                               capture_output=True, text=True, timeout=30)
        if tried.returncode != 0:
            pytest.skip(f'no virtual hosts here: {tried.stderr}')
    with tempfile.TemporaryDirectory() as folder:  # paths of sockets must be short
        yield Demo(['--logical'] if request.param == 'logical' else [], folder)


@pytest.mark.parametrize('program', ('heat', 'mpdata'))
def test_all_checks_hold(demo, program):
    if not os.path.exists(f'{BIN}/{program}'):
        pytest.skip(f'{program} was not built: there is no HDF5')
    page = os.path.join(demo.folder, 'page.html')
    process = demo.start(program, *(['--page', page] if LIBRARY else ['--no-page']))
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert SAME[program] in output
    assert output.count('0 right after') == 5, output
    assert 'NOT' not in output
    pictures = output.split('the field after ')[1:]
    assert len(pictures) == (5 if program == 'mpdata' else 0), output
    # They show the sphere. On a fast machine it has spread over the empty space in the last one.
    assert all(re.search('[*#%@]', picture) for picture in pictures), output
    assert not pictures or re.search(r'\|  +', pictures[0]), output
    assert len(set(pictures)) == len(pictures), output
    demo.nothing_is_left(5)
    assert [name for name in os.listdir(demo.folder) if name != 'page.html'] == []
    if LIBRARY:
        assert os.path.getsize(page) < 6_000_000


@pytest.mark.parametrize('number, within', ((signal.SIGINT, 15), (signal.SIGKILL, 30)))
def test_nothing_is_left_after(demo, number, within):
    process = demo.start('--no-page')
    seen = ''
    for line in process.stdout:  # the time limit of the test ends this
        seen += line
        if 'ms an iteration' in line:
            break
    assert marked(demo.mark), seen
    os.kill(process.pid, number)
    process.communicate(timeout=30)
    assert process.returncode != 0
    demo.nothing_is_left(within)
