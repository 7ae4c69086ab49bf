"""A shell on a terminal of its own."""
import os
import pty
import re
import select
import signal
import time

from ductile_job import DUCTILE, wait_until
from patience import patient


class Terminal:
    """A bash with job control on a terminal of its own, as a user has it."""

    def __init__(self):
        self.seen = ""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ.update(PS1="ready> ", PATH=os.path.dirname(DUCTILE) + ":" + os.environ["PATH"], DUCTILE_SHARED_CORES="yes")
            for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.see("ready> ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)  # the terminal hangs up
        try:
            wait_until("the shell has ended", lambda: os.waitpid(self.pid, os.WNOHANG)[0], 10)
        except AssertionError:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise

    def type(self, text):
        os.write(self.master, text.encode())

    def command(self, line):
        """Types a line, and forgets what the terminal has shown before."""
        self.seen = ""
        self.type(line + "\n")

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
            except OSError:  # nobody has the terminal any more
                pass

    def see(self, pattern, seconds=20):
        end = time.monotonic() + patient(seconds)
        while not re.search(pattern, self.seen):
            assert time.monotonic() < end, f"the terminal does not show {pattern!r}: {self.seen!r}"
            self.read(0.1)

    def shows_nothing_like(self, pattern, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.1)
        assert not re.search(pattern, self.seen), self.seen
