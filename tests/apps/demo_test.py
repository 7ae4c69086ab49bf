"""`ductile demo --quick`: all checks hold, its page is whole, and nothing of it is left, also after Ctrl-C and kill -9."""
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BIN = os.environ['DUCTILE_BIN']
DUCTILE = f'{BIN}/ductile'
STAGE = sys.argv.pop(1)
WORDS = ['--logical'] if STAGE == 'logical' else []
LIBRARY = os.path.exists(f'{BIN}/../share/ductile/plotly.min.js')


def marked(mark):
    """The processes of this machine with the mark in their environment."""
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


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.mark = f'DEMO_TEST={self.folder}'.encode()
        self.environment = {**os.environ, 'DEMO_TEST': self.folder, 'TMPDIR': self.folder}

    def start(self, *words):
        return subprocess.Popen([DUCTILE, 'demo', '--quick', *WORDS, *words], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def nothing_is_left(self, within):
        end = time.monotonic() + within
        while marked(self.mark) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(marked(self.mark), [])

    def test_all_checks_hold(self):
        page = os.path.join(self.folder, 'page.html')
        demo = self.start(*(['--page', page] if LIBRARY else ['--no-page']))
        output, _ = demo.communicate(timeout=120)
        self.assertEqual(demo.returncode, 0, output)
        self.assertIn('equal, byte for byte', output)
        self.assertEqual(output.count('0 right after'), 5, output)
        self.assertNotIn('NOT', output)
        self.nothing_is_left(5)
        self.assertEqual([name for name in os.listdir(self.folder) if name != 'page.html'], [])
        if LIBRARY:
            self.assertLess(os.path.getsize(page), 6_000_000)

    def end_by(self, number, within):
        demo = self.start('--no-page')
        seen = ''
        for line in demo.stdout:  # the deadline is the test's own
            seen += line
            if 'ms an iteration' in line:
                break
        self.assertTrue(marked(self.mark), seen)
        os.kill(demo.pid, number)
        demo.communicate(timeout=30)
        self.assertNotEqual(demo.returncode, 0)
        self.nothing_is_left(within)

    def test_nothing_is_left_after_ctrl_c(self):
        self.end_by(signal.SIGINT, 15)

    def test_nothing_is_left_after_kill(self):
        self.end_by(signal.SIGKILL, 30)


if __name__ == '__main__':
    if STAGE == 'virtual':
        tried = subprocess.run([DUCTILE, 'cluster', 'up', '1', '--name', f'try-{secrets.token_hex(4)}', '--', '/bin/true'],
                               capture_output=True, text=True, timeout=30)
        if tried.returncode != 0:
            print('skipped: no virtual hosts here:', tried.stderr)
            sys.exit(77)
    unittest.main()
